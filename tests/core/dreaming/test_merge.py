"""Planning a dream: merged, superseded and dated, and nothing lost on the way."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from itertools import combinations
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.claims.judgement import replaces
from reverie.core.dreaming import merge
from reverie.core.dreaming.merge import plan_dream
from reverie.core.dreaming.operations import describe, op_key
from reverie.core.dreaming.revisions import revision_of
from reverie.core.text.plain import digest
from reverie.core.text.values import value_signature
from reverie.core.topics.advice import inspect_memory
from reverie.core.topics.topic import parse_topic
from reverie.dialect import CLAUDE, REVERIE
from reverie.types import MergeOp, RedateOp, Scope, SupersedeOp

DAY = datetime(2026, 3, 10, 9, tzinfo=UTC)


def topic(rel, body, *, kind="feedback", scope=Scope.USER, description="a note", newline="\n"):
    text = f"---\nname: {rel}\ndescription: {description}\ntype: {kind}\n---\n\n{body}"
    path = f"/{scope.value}/{rel}"
    found = parse_topic(text.replace("\n", newline), path=path, rel=rel, scope=scope, updated=DAY)
    assert found is not None
    return found


def plan(*topics, when=None, dialect=REVERIE, barred=()):
    days = when or (lambda topic, _: topic.updated)
    return plan_dream(topics, when=days, dialect=dialect, barred=barred)


def bodies(found):
    return {item.rel: item.body.strip() for item in found.topics}


def test_duplicates_in_one_file_become_one_that_keeps_why_and_how_and_its_place():
    before = topic(
        "style.md",
        "# Style\n\n- Use tabs\n- No emojis\n  Why: noisy\n- use tabs.\n  Why: Go does\n"
        "  How to apply: in Go files\n",
    )
    after = plan(before)
    assert bodies(after) == {
        "style.md": "# Style\n\n- Use tabs\n  Why: Go does\n  How to apply: in Go files\n"
        "- No emojis\n  Why: noisy"
    }
    (op,) = after.ops
    assert isinstance(op, MergeOp)
    assert (op.kept.id, [ref.id for ref in op.removed]) == ("style.md:1", ["style.md:3"])


def test_duplicates_across_files_go_to_the_first_and_an_empty_file_is_removed():
    one = topic("a.md", "Use tabs\n\nWhy: Go does\n")
    two = topic("b.md", "# Tabs\n\n- use tabs\n- no emojis\n")
    three = topic("c.md", "Use tabs.\n\nWhy: the team agreed\n")
    after = plan(three, two, one)
    assert bodies(after) == {
        "a.md": "Use tabs\n\nWhy: Go does; the team agreed",
        "b.md": "# Tabs\n\n- no emojis",
    }
    (gone,) = [change for change in after.changes if change.text is None]
    assert (gone.path, gone.base) == ("/user/c.md", digest(three.text))


def test_scopes_and_kinds_stay_apart():
    same = "Use tabs everywhere\n"
    topics = [
        topic("a.md", same),
        topic("a.md", same, scope=Scope.PROJECT),
        topic("b.md", same, kind="user"),
    ]
    assert plan(*topics).changes == ()


def test_pinned_topics_are_neither_changed_nor_used():
    pinned = topic("pinned/a.md", "Use tabs everywhere. Due tomorrow.\n\nUse tabs everywhere\n")
    other = topic("b.md", "Use tabs everywhere\n")
    after = plan(pinned, other)
    assert after.changes == ()
    assert pinned in after.topics


def test_the_newer_value_stands_and_tells_the_older():
    old = topic("old.md", "The API limit is 100 requests\n\nWhy: cheap plan\n", kind="project")
    new = topic("new.md", "The API limit is 200 requests\n", kind="project")
    days = {"/user/old.md": DAY, "/user/new.md": DAY + timedelta(days=9)}
    after = plan(old, new, when=lambda item, _: days[item.path])
    assert bodies(after) == {
        "new.md": "The API limit is 200 requests\n\n"
        "Why: Until 2026-03-19: The API limit is 100 requests (cheap plan)"
    }
    assert [type(op) for op in after.ops] == [SupersedeOp]


def test_values_change_one_after_the_other_and_all_are_told():
    body = "- The limit is 100 per day\n- The limit is 200 per day\n- The limit is 300 per day\n"
    after = plan(topic("a.md", body, kind="project"))
    (text,) = bodies(after).values()
    assert text.startswith("- The limit is 300 per day\n  Why: ")
    assert "100 per day" in text
    assert "200 per day" in text


def test_when_it_is_not_known_which_is_newer_both_stay_and_it_is_told():
    one = topic("a.md", "The API limit is 100 requests\n", kind="project")
    two = topic("b.md", "The API limit is 200 requests\n", kind="project")
    for when in (lambda *_: DAY, lambda *_: None):
        after = plan(one, two, when=when)
        assert after.changes == ()
        assert [item.reason for item in after.refused] == [
            "they differ, and which is newer is not known"
        ]


def test_relative_dates_are_counted_from_the_day_of_the_entry():
    item = topic(
        "a.md", "- The freeze starts tomorrow\n- The audit is due next Monday\n", kind="project"
    )
    days = [DAY, DAY - timedelta(days=30)]
    after = plan(item, when=lambda _, index: days[index])
    assert bodies(after) == {
        "a.md": "- The freeze starts tomorrow (2026-03-11)\n"
        "- The audit is due next Monday (2026-02-09)"
    }
    assert [type(op) for op in after.ops] == [RedateOp, RedateOp]


def test_a_description_that_says_tomorrow_is_dated_with_its_entry():
    item = topic("a.md", "The freeze starts tomorrow\n", description="The freeze starts tomorrow")
    after = plan(item)
    assert after.topics[0].description == "The freeze starts tomorrow (2026-03-11)"


def test_an_entry_of_an_unknown_day_is_not_dated():
    assert plan(topic("a.md", "The freeze starts tomorrow\n"), when=lambda *_: None).changes == ()


def test_a_file_whose_heading_holds_a_number_of_its_own_is_not_removed():
    one = topic("a.md", "Use tabs everywhere\n")
    two = topic("b.md", "# Rule 42\n\nUse tabs everywhere\n")
    after = plan(one, two)
    assert {change.path for change in after.changes} == set()
    assert [item.reason for item in after.refused] == ["it would lose a number or date"]


def test_the_labels_of_the_dialect_are_used():
    after = plan(topic("a.md", "- Use tabs\n- use tabs\n  Why: Go does\n"), dialect=CLAUDE)
    assert bodies(after) == {"a.md": "- Use tabs\n  **Why:** Go does"}


def test_windows_line_ends_stay():
    item = topic("a.md", "- Use tabs\n- No emojis\n- use tabs\n", newline="\r\n")
    (change,) = plan(item).changes
    assert change.text.count("\r\n") == change.text.count("\n")


def test_a_barred_operation_is_not_planned():
    topics = [topic("a.md", "Use tabs everywhere\n"), topic("b.md", "use tabs everywhere\n")]
    (op,) = plan(*topics).ops
    assert plan(*topics, barred=[op_key(op)]).ops == ()
    assert describe(op) == "merge 2 entries: Use tabs everywhere"


# --- properties -----------------------------------------------------------------------------------

SUBJECTS = ["The limit is {n} per day", "Use tabs", "Never use mocks", "Use mocks", "The lead is {w}",
            "The demo is due {d}", "部署在 {n} 点", "Limit {n}", "Ship on {d}", "The port is {n}",
            "Always run {w} first", "Never run {w} first"]  # fmt: skip


@st.composite
def sentences(draw):
    pattern = draw(st.sampled_from(SUBJECTS))
    text = pattern.format(
        n=draw(st.integers(1, 4)),
        w=draw(st.sampled_from(["lint", "tests", "Bob"])),
        d=draw(st.sampled_from(["tomorrow", "next Friday", "2026-04-01", "in 2 weeks"])),
    )
    return draw(st.sampled_from([text, text.lower(), text + ".", text.upper()]))


@st.composite
def memories(draw):
    topics = []
    for number in range(draw(st.integers(1, 4))):
        lines = ["# Notes", ""] if draw(st.booleans()) else []
        for sentence in draw(st.lists(sentences(), min_size=1, max_size=5)):
            lines.append(f"- {sentence}")
            if draw(st.booleans()):
                lines.append(f"  Why: {draw(sentences())}")
            if draw(st.booleans()):
                lines.append(f"  How to apply: {draw(sentences())}")
        kind = draw(st.sampled_from(["project", "feedback"]))
        scope = draw(st.sampled_from(list(Scope)))
        newline = draw(st.sampled_from(["\n", "\r\n"]))
        end = draw(st.sampled_from(["\n", "", "\nSome prose at the end, 7 of 9.\n"]))
        body = "\n".join(lines) + end
        topics.append(topic(f"t{number}.md", body, kind=kind, scope=scope, newline=newline))
    days = draw(st.lists(st.integers(0, 2), min_size=4, max_size=4))
    return topics, days


def days_of(days):
    def when(item, index):
        return DAY + timedelta(days=days[(int(item.rel[1]) + index) % 4])

    return when


def values(topics):
    found = value_signature("\n".join(item.text for item in topics))
    return found.numbers, set(found.negations)


@given(memories())
def test_dreaming_twice_is_dreaming_once(memory):
    topics, days = memory
    once = plan(*topics, when=days_of(days))

    def when(item, index):
        noted = once.dates.get(item.path)
        return noted[item.entries[index].summary] if noted else days_of(days)(item, index)

    assert plan(*once.topics, when=when).changes == ()
    # Even when every file looks new, there is nothing left to merge or to date.
    again = plan(*once.topics, when=lambda *_: DAY + timedelta(days=30))
    assert all(not isinstance(op, MergeOp | RedateOp) for op in again.ops)


@given(memories())
def test_no_number_date_or_negation_is_ever_lost(memory):
    topics, days = memory
    after = plan(*topics, when=days_of(days))
    numbers, negations = values(topics)
    left_numbers, left_negations = values(after.topics)
    assert numbers <= left_numbers
    assert negations <= left_negations


@given(memories())
def test_every_word_that_was_in_memory_is_still_there(memory):
    topics, days = memory
    after = plan(*topics, when=days_of(days))

    def words(items):
        lines = [line for item in items for line in item.body.splitlines() if line[:1] != "#"]
        return {word.strip(".;()").lower() for line in lines for word in re.split(r"\s+", line)}

    labels = {"", "-", "why:", "how", "to", "apply:"}
    assert words(topics) - words(after.topics) <= labels


@given(memories())
def test_no_pair_of_which_one_replaces_the_other_is_missed(memory):
    topics, days = memory
    work = merge._Work(
        topics={item.path: item for item in topics},
        revisions={item.path: revision_of(item) for item in topics},
        when=days_of(days),
        dialect=REVERIE,
        barred=frozenset(),
    )
    slow = {
        (one, two)
        for one, two in combinations(work.places(), 2)
        if merge._shelf(one) == merge._shelf(two)
        and (
            replaces(one.entry.summary, two.entry.summary)
            or replaces(two.entry.summary, one.entry.summary)
        )
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merge, "WINDOW", 100)
        found = merge._rivals(work)
    assert len(found) == len(set(found))
    assert slow <= set(found)


@given(memories())
def test_a_dream_leaves_nothing_that_the_doctor_calls_said_twice(memory):
    topics, days = memory

    def twice(items):
        found = inspect_memory(items, now=DAY, body_chars=1200)
        return [item for item in found if item.code == "duplicate"]

    after = plan(*topics, when=days_of(days))
    if not after.refused:
        assert twice(after.topics) == []
    named = {item.path for item in twice(topics)}
    merged = [op for op in after.ops if isinstance(op, MergeOp)]
    dated = any(isinstance(op, RedateOp) for op in after.ops)  # which may make two the same
    assert named or dated or not merged, "what a dream merges, the doctor names"


def test_many_entries_that_say_the_same_are_looked_through_once_not_once_for_each(monkeypatch):
    asked = []
    edited = merge._Work.edited
    monkeypatch.setattr(
        merge._Work, "edited", lambda self, edit: (asked.append(edit), edited(self, edit))[1]
    )
    after = plan(topic("a.md", "- I like tea\n" * 300))
    assert [len(item.entries) for item in after.topics] == [1]
    assert len(asked) <= 3


def test_what_one_dream_does_not_get_done_is_told_and_left_for_the_next(monkeypatch):
    monkeypatch.setattr(merge, "MAX_LOOKS", 1)
    monkeypatch.setattr(merge, "MIN_PASSES", 2)
    rivals = topic("a.md", "".join(f"- The port is {n}\n" for n in range(9)))
    after = plan(rivals)
    assert len(after.ops) == 2
    assert [item.what for item in after.refused] == ["the rest"]


@pytest.mark.slow
def test_the_time_for_a_plan_grows_with_the_entries_and_not_with_their_square():
    def seconds(count):
        topics = [
            topic(
                f"t{n}.md",
                f"The service {n % (count * 7 // 10)} listens on port {n % (count * 9 // 10)}\n",
                kind="project",
            )
            for n in range(count)
        ]
        begin = process_time()
        after = plan(*topics, when=lambda item, _: DAY + timedelta(minutes=int(item.rel[1:-3])))
        assert len(after.topics) <= count
        return process_time() - begin

    # Twenty times the entries: linear is 20, quadratic 400.
    assert seconds(10_000) < 80 * max(seconds(500), 0.05)
