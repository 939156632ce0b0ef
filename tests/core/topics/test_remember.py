"""Remember: new, fuller, or known already; never over another fact."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.text.values import covers, value_signature
from reverie.core.topics.remember import description_of, plan, read_memo, slug, title_of
from reverie.core.topics.topic import is_topic_path, parse_topic
from reverie.dialect import CLAUDE, REVERIE, Dialect
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
    dialect: Dialect = REVERIE,
    **given,
):
    return plan(
        read_memo(text, **given),
        topics,
        workspace=PLACE,
        dialect=dialect,
        taken=lambda path: any(item.path == path for item in topics),
        clean=clean,
    )


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


def test_what_is_known_is_left_as_it_is() -> None:
    known = topic("user/a.md", "The user prefers dark mode.")
    found = planned("User prefers dark mode", [known], kind=Kind.USER)
    assert (found.action, found.path, found.changes) == ("unchanged", known.path, [])


def test_a_fuller_text_updates_the_entry_and_keeps_its_reason() -> None:
    known = topic("user/a.md", "- likes tea\n  Why: health\n- likes cats")
    found = planned("likes tea with milk", [known], kind=Kind.USER)
    assert (found.action, found.entry) == ("updated", "user/a.md:1")
    assert found.delta.after == known.text.replace("likes tea", "likes tea with milk")


def test_a_reason_for_something_known_is_added_to_it() -> None:
    known = topic("user/a.md", "likes tea")
    found = planned("likes tea. Why: health", [known], kind=Kind.USER)
    assert found.action == "updated"
    assert (found.delta.after or "").endswith("likes tea\n\nWhy: health\n")
    again = parse_topic(found.delta.after or "", path=known.path, rel=known.rel, scope=Scope.USER)
    assert again is not None
    assert (
        planned("likes tea. Why: doctor said so", [again], kind=Kind.USER).delta.after is not None
    )
    both = planned("likes tea. Why: doctor said so", [again], kind=Kind.USER).delta.after or ""
    assert "health; doctor said so" in both


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We deploy on port 8080", "We deploy on port 8081"),
        ("We deploy only on Tuesdays", "We deploy only on Fridays"),
        ("The server must never restart", "The server must restart"),
        ("Release freeze starts 2026-03-05", "Release freeze starts 2026-03-06"),
        ("The team likes green tea", "The team likes black tea"),
        ("服务器端口是八千", "服务器端口是九千"),
    ],
)
def test_another_fact_never_overwrites_this_one(old: str, new: str) -> None:
    known = topic("project/a.md", old, Kind.PROJECT, Scope.PROJECT)
    found = planned(new, [known], kind=Kind.PROJECT)
    assert found.action == "added"
    assert found.path != known.path


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
    assert (again.action, again.path, again.changes) == ("unchanged", first.path, [])
    assert planned(text + " 7", [known], kind=Kind.FEEDBACK).action == "added"


def test_clean_adds_without_looking() -> None:
    known = topic("user/likes-tea.md", "likes tea")
    found = planned("likes tea", [known], kind=Kind.USER, clean=True)
    assert (found.action, found.path) == ("added", "/h/memories/user/likes-tea-2.md")


def test_a_pinned_topic_is_read_but_never_written() -> None:
    pinned = topic("pinned/a.md", "likes tea")
    assert planned("likes tea", [pinned], kind=Kind.USER).action == "unchanged"
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


WORDS = st.lists(
    st.sampled_from(["tea", "tabs", "8080", "8081", "not", "never", "on", "off", "Bob", "绿茶", "不"]),
    min_size=1, max_size=6,
).map(" ".join)  # fmt: skip


@given(WORDS, WORDS)
def test_remembering_never_loses_what_was_known(old: str, new: str) -> None:
    known = topic("user/a.md", old)
    found = planned(new, [known], kind=Kind.USER, scope=Scope.USER)
    if found.path != known.path:
        return
    after = parse_topic(found.delta.after or "", path=known.path, rel=known.rel, scope=Scope.USER)
    assert after is not None
    said = " ".join(entry.summary for entry in after.entries)
    assert value_signature(old).numbers <= value_signature(said).numbers
    assert value_signature(old).negations == value_signature(said).negations
    assert covers(said, new)
    assert covers(said, old)
