"""Remember: new, known already, or in the place of what does not hold any more; nothing is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.claims.statement import says_same
from reverie.core.topics.remember import plan, read_memo
from reverie.core.topics.titles import description_of, slug, title_of
from reverie.core.topics.topic import is_topic_path, parse_topic
from reverie.dialect import CLAUDE, REVERIE, Dialect
from reverie.errors import NotAllowed, TopicNotFound
from reverie.types import Kind, Scope, Topic, Workspace

PLACE = Workspace(
    cwd="/p", project_root="/p", project_id="p", home="/h", user_memory="/h/memories",
    project_memory="/h/projects/p/memory", project_state="/h/projects/p", state="/h/state",
)  # fmt: skip


def topic(rel: str, body: str, kind: Kind = Kind.USER, scope: Scope = Scope.USER) -> Topic:
    text = f"---\nname: n\ndescription: d\ntype: {kind.value}\n---\n\n{body}\n"
    found = parse_topic(text, path=f"{PLACE.memory_root(scope)}/{rel}", rel=rel, scope=scope)
    assert found is not None
    return found


def planned(
    text: str,
    topics: Sequence[Topic] = (),
    *,
    clean: bool = False,
    replacing: str = "",
    near: Mapping[str, float] = MappingProxyType({}),
    dialect: Dialect = REVERIE,
    **given,
):
    return plan(
        read_memo(text, **given),
        topics,
        workspace=PLACE,
        dialect=dialect,
        taken=lambda path: any(item.path == path for item in topics),
        today=date(2026, 11, 17),
        clean=clean,
        replacing=replacing,
        near=near,
    )


def after(found, known: Topic) -> Topic:
    read = parse_topic(found.delta.after or "", path=known.path, rel=known.rel, scope=known.scope)
    assert read is not None
    return read


@pytest.mark.parametrize(("name", "beside"), [(None, "I live in Leeds"), ("Moving", "")])
def test_what_was_given_a_name_is_not_put_into_the_file_of_another(name, beside) -> None:
    old = topic("user/home.md", "I live in Leeds.")
    made = planned(
        "The removal van came.", [old], near={old.path: 0.5}, scope=Scope.USER, name=name
    )
    assert made.beside == beside
    assert (made.path == old.path) is bool(beside)


def test_a_new_memory_gets_a_file_of_its_own() -> None:
    found = planned("I prefer tabs over spaces. Why: habit. How to apply: all Python")
    assert (found.action, found.kind, found.scope) == ("added", Kind.USER, Scope.USER)
    assert found.path == "/h/memories/user/i-prefer-tabs-over-spaces.md"
    assert found.entry == "user/i-prefer-tabs-over-spaces.md"
    [change] = found.changes
    assert change.base is None
    assert change.text == (
        "---\nname: I prefer tabs over spaces\ndescription: I prefer tabs over spaces.\ntype: user\n---\n\n"
        "I prefer tabs over spaces.\n\nWhy: habit.\nHow to apply: all Python\n"
    )


def test_the_dialect_writes_its_own_labels() -> None:
    found = planned("I prefer tabs. Why: habit", dialect=CLAUDE)
    assert "**Why:** habit" in (found.delta.after or "")


def test_several_lines_stay_as_they_were_written() -> None:
    content = "Deploy steps:\n\n1. build\n   - with make\n2. push\n\n```sh\nmake\n\n  push\n```"
    found = planned(content, kind=Kind.PROJECT)
    assert content in (found.delta.after or "")
    assert found.scope is Scope.PROJECT


def test_a_given_kind_scope_and_name_win() -> None:
    found = planned("Use tabs", kind=Kind.REFERENCE, scope=Scope.USER, name="Tab: rules")
    assert found.path == "/h/memories/reference/tab-rules.md"
    assert 'name: "Tab: rules"' in (found.delta.after or "")


@pytest.mark.parametrize(
    "again",
    [
        "I prefer dark mode",
        "i prefer DARK mode.",
        "  I prefer\n dark  mode!",
        "“I prefer dark mode”",
    ],
)
def test_what_is_known_is_left_as_it_is(again: str) -> None:
    known = topic("user/a.md", "I prefer dark mode.")
    found = planned(again, [known], kind=Kind.USER)
    assert (found.action, found.path, found.changes) == ("known", known.path, [])


def test_a_narrower_or_fuller_statement_stands_beside_the_first() -> None:
    known = topic("feedback/a.md", "Never push to main.", Kind.FEEDBACK)
    found = planned("Never push to main on Fridays.", [known], kind=Kind.FEEDBACK, scope=Scope.USER)
    assert (found.action, found.similar) == ("added", ("feedback/a.md",))
    assert found.path != known.path


def test_a_reason_for_something_known_is_added_to_it() -> None:
    known = topic("user/a.md", "likes tea")
    found = planned("likes tea. Why: health", [known], kind=Kind.USER)
    assert found.action == "known"
    assert (found.delta.after or "").endswith("likes tea\n\nWhy: health\n")
    again = after(found, known)
    both = planned("likes tea. Why: doctor said so", [again], kind=Kind.USER).delta.after or ""
    assert "health; doctor said so" in both
    assert planned("likes tea. Why: health.", [again], kind=Kind.USER).changes == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We deploy only on Tuesdays", "We deploy only on Fridays"),
        ("The server must never restart", "The server must restart"),
        ("The team likes green tea", "The team likes black tea"),
        ("Room A holds 10 people", "Room B holds 10 people"),
        ("You review my code", "I review your code"),
        ("One of our customers is Siemens", "One of our customers is Bosch"),
    ],
)
def test_another_fact_never_overwrites_this_one(old: str, new: str) -> None:
    known = topic("project/a.md", old, Kind.PROJECT, Scope.PROJECT)
    found = planned(new, [known], kind=Kind.PROJECT)
    assert found.action == "added"
    assert found.path != known.path


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We deploy on port 8080", "We deploy on port 8081"),
        ("Release freeze starts 2026-03-05", "Release freeze starts 2026-03-06"),
        ("服务器端口是八千", "服务器端口是九千"),
        ("The owner of billing is Kim", "The owner of billing is Lee"),
        ("We use Redis", "We switched from Redis to Valkey"),
    ],
)
def test_what_does_not_hold_any_more_keeps_its_last_day(old: str, new: str) -> None:
    known = topic("project/a.md", old, Kind.PROJECT, Scope.PROJECT)
    found = planned(new, [known], kind=Kind.PROJECT)
    assert (found.action, found.path, found.replaced) == ("superseded", known.path, old)
    [entry] = after(found, known).entries
    assert (entry.summary, entry.why) == (new, f"Until 2026-11-17: {old}")


def test_title_and_description_follow_the_new_statement() -> None:
    first = planned("I live in Paris. Why: work. How to apply: time zones")
    known = parse_topic(
        first.delta.after or "", path=first.path, rel=first.entry, scope=first.scope
    )
    assert known is not None
    read = after(planned("I moved to Lyon. Why: family", [known]), known)
    assert (read.name, read.description) == ("I moved to Lyon", "I moved to Lyon.")
    assert read.entries[0].why == "family; Until 2026-11-17: I live in Paris (work; time zones)"
    assert read.entries[0].how == ""


def test_of_several_that_may_be_outdated_none_is_replaced() -> None:
    known = topic("user/a.md", "- I live in Paris\n- I live in Rome", Kind.USER)
    assert planned("I now live in Lyon", [known], kind=Kind.USER).action == "added"


def test_somebody_can_say_what_is_outdated() -> None:
    known = topic("user/a.md", "- likes tea\n  Why: health\n- likes cats")
    found = planned("likes coffee", [known], kind=Kind.USER, replacing="user/a.md:1")
    assert (found.action, found.entry) == ("superseded", "user/a.md:1")
    assert found.delta.after == known.text.replace(
        "likes tea\n  Why: health", "likes coffee\n  Why: Until 2026-11-17: likes tea (health)"
    )
    with pytest.raises(TopicNotFound):
        planned("likes coffee", [known], replacing="user/a.md:7")
    pinned = topic("pinned/a.md", "likes tea")
    with pytest.raises(NotAllowed):
        planned("likes coffee", [pinned], replacing="pinned/a.md")


def test_facts_that_only_sound_alike_are_named() -> None:
    known = topic("project/a.md", "We deploy only on Tuesdays", Kind.PROJECT, Scope.PROJECT)
    assert planned("We deploy only on Fridays", [known], kind=Kind.PROJECT).similar == (
        "project/a.md",
    )


@pytest.mark.parametrize(
    "text",
    ["Rules:\n- small commits\n- signed commits", "One thing.\n\nAnother thing. Why: both matter"],
)
def test_a_text_of_several_entries_is_known_as_a_whole(text: str) -> None:
    first = planned(text, kind=Kind.FEEDBACK)
    known = parse_topic(
        first.delta.after or "", path=first.path, rel=first.entry, scope=first.scope
    )
    assert known is not None
    assert len(known.entries) > 1
    again = planned(text, [known], kind=Kind.FEEDBACK)
    assert (again.action, again.path, again.changes) == ("known", first.path, [])
    assert planned(text + " 7", [known], kind=Kind.FEEDBACK).action == "added"


def test_clean_adds_without_looking() -> None:
    known = topic("user/likes-tea.md", "likes tea")
    found = planned("likes tea", [known], kind=Kind.USER, clean=True)
    assert (found.action, found.path) == ("added", "/h/memories/user/likes-tea-2.md")


def test_a_pinned_topic_is_read_but_never_written() -> None:
    pinned = topic("pinned/a.md", "likes tea")
    assert planned("likes tea", [pinned], kind=Kind.USER).action == "known"
    assert planned("likes tea. Why: health", [pinned], kind=Kind.USER).action == "added"
    assert planned("likes tea with milk", [pinned], kind=Kind.USER).action == "added"


def test_other_kinds_and_scopes_are_other_memories() -> None:
    known = topic("project/a.md", "likes tea", Kind.PROJECT, Scope.PROJECT)
    assert planned("likes tea", [known], kind=Kind.USER).action == "added"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Heading\nmore", "Heading"),
        ("- an item. And more.", "an item"),
        ("用中文回答。代码注释用英文。", "用中文回答"),
        ("one two three " * 20, "one two three one two three one two three one two three one"),
        ("中" * 100, "中" * 30),
        ("v1.2.3 is out", "v1.2.3 is out"),
        ("...", "note"),
        ("Call close() first", "Call close() first"),
        ("Always call close().", "Always call close()"),
        ("My dentist is Dr. Weber. She is in town.", "My dentist is Dr. Weber"),
        ("Use plan B, e.g. on Fridays.", "Use plan B, e.g. on Fridays"),
        ("Ask Ada (the owner).", "Ask Ada (the owner)"),
        ("(only in tests)", "only in tests"),
        ("(a) or (b)", "(a) or (b)"),
        ("[draft] the plan", "[draft] the plan"),
        ("list[str] is better than List[str]", "list[str] is better than List[str]"),
        ("the name is “Ada”", "the name is “Ada”"),
        ('"quoted whole"', "quoted whole"),
        ("use `ruff`", "use `ruff`"),
        ("`ruff`", "ruff"),
        ("it's called 'ada'", "it's called 'ada'"),
        ("（重要）", "重要"),
        ("发布（周二）。", "发布（周二）"),
        ("a lone bracket)", "a lone bracket"),
        ("([{", "note"),
    ],
)
def test_titles_are_short_and_readable(text: str, title: str) -> None:
    assert title_of(text) == title


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Prefers tabs!", "prefers-tabs"),
        ("用户偏好", "用户偏好"),
        ("Où est-ce ?", "où-est-ce"),
        ("ที่ทำงาน", "ที่ทำงาน"),
        ("../../etc/passwd", "etc-passwd"),
        ("CON", "con-note"),
        ("Memory", "memory-note"),
        ("🎉", "note"),
        (".hidden", "hidden"),
    ],
)
def test_file_names_are_safe_and_readable(name: str, expected: str) -> None:
    assert slug(name) == expected


@given(st.text(max_size=200))
def test_any_title_gives_a_file_name_that_is_a_topic(name: str) -> None:
    made = slug(name)
    assert is_topic_path(f"user/{made}.md")
    assert len(made.encode("utf-8", "surrogatepass")) <= 90
    assert "/" not in made
    assert len(description_of(name)) <= 150


STATEMENTS = st.lists(
    st.sampled_from(
        ["I", "we", "live", "use", "in", "is", "tea", "Paris", "Lyon", "8080", "8081", "not", "never", "now",
         "on", "no longer", "Bob", "port", "the", "moved", "to", "from", "绿茶", "不", "住在", "现在"]
    ),
    min_size=1, max_size=7,
).map(" ".join)  # fmt: skip


@given(st.lists(STATEMENTS, min_size=2, max_size=4))
def test_nothing_that_was_said_is_lost(said: list[str]) -> None:
    topics: list[Topic] = []
    for text in said:
        found = planned(text, topics, kind=Kind.USER, scope=Scope.USER)
        if found.delta is None or found.delta.after is None:
            continue
        others = [item for item in topics if item.path != found.path]
        rel = found.path.removeprefix("/h/memories/")
        read = parse_topic(found.delta.after, path=found.path, rel=rel, scope=Scope.USER)
        assert read is not None
        topics = [*others, read]
    kept = [text for item in topics for e in item.entries for text in (e.summary, *told(e.why))]
    for text in said:
        assert any(says_same(text, one) for one in kept)


def told(why: str) -> list[str]:
    """What a field tells of the past."""
    return [part.partition(": ")[2].rstrip(")") for part in why.replace(" (", "; ").split("; ")]
