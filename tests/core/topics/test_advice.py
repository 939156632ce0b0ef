"""Governance: what a careful reader would tidy up, and nothing else."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from reverie.core.topics.advice import inspect_memory
from reverie.core.topics.topic import parse_topic
from reverie.types import Kind, Problem, Scope, Topic

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def topic(rel: str, body: str, *, scope: Scope | None = None, days: int = 0) -> Topic:
    kind = Kind(rel.split("/")[0])
    whose = scope or (Scope.USER if kind in (Kind.USER, Kind.FEEDBACK) else Scope.PROJECT)
    found = parse_topic(
        f"---\nname: n\ndescription: d\ntype: {kind.value}\n---\n\n{body}\n",
        path=f"/m/{rel}",
        rel=rel,
        scope=whose,
        updated=NOW - timedelta(days=days),
    )
    assert found is not None
    return found


def found(*topics: Topic, **options: object) -> list[Problem]:
    return inspect_memory(topics, now=NOW, body_chars=1200, **options)  # type: ignore[arg-type]


def codes(*topics: Topic, **options: object) -> list[str]:
    return [item.code for item in found(*topics, **options)]


def test_a_tidy_memory_has_no_findings() -> None:
    assert (
        codes(
            topic("user/a.md", "I like tea"),
            topic("feedback/b.md", "Keep answers short"),
            topic("project/c.md", "The freeze starts 2026-06-01"),
            topic("reference/d.md", "Dashboard: https://example.org/d"),
        )
        == []
    )


def test_a_duplicate_is_the_same_statement_and_the_one_that_adds_nothing_can_go() -> None:
    [item] = found(
        topic("user/a.md", "I like green tea", days=3),
        topic("user/b.md", "- i like GREEN tea.\n  Why: health\n- cats"),
    )
    assert (item.code, item.path, item.line) == ("duplicate", "/m/user/a.md", 7)
    assert item.fix == "reverie forget --id user:user/a.md"
    [item] = found(
        topic("user/a.md", "I like green tea\n\nWhy: taste", days=3),
        topic("user/b.md", "- I like green tea\n  Why: health\n- cats"),
    )
    assert item.fix.startswith("${EDITOR:-vi} ")


def test_a_narrower_rule_is_no_duplicate_of_a_wider_one() -> None:
    wide, narrow = "Never push to main.", "Never push to main on Fridays."
    assert codes(topic("feedback/a.md", wide), topic("feedback/b.md", narrow)) == []


def test_a_conflict_names_the_older_one() -> None:
    [item] = found(
        topic("project/new.md", "We deploy only on Fridays"),
        topic("project/old.md", "We deploy only on Tuesdays", days=9),
    )
    assert (item.code, item.path) == ("conflict", "/m/project/old.md")
    assert "the only one" in item.message
    assert item.fix.startswith("${EDITOR:-vi} ")
    assert codes(
        topic("feedback/a.md", "Always add tests"), topic("feedback/b.md", "Never add tests")
    ) == ["conflict"]


def test_different_facts_about_the_same_thing_are_no_conflict() -> None:
    assert (
        codes(topic("user/a.md", "I like green tea"), topic("user/b.md", "I like black coffee"))
        == []
    )


def test_what_is_over_or_counts_from_an_unknown_day_is_outdated() -> None:
    assert codes(topic("project/a.md", "Deadline is 2026-04-01 for the beta")) == ["outdated"]
    assert codes(topic("project/a.md", "Deadline is 2026-06-01 for the beta")) == []
    assert codes(topic("project/a.md", "The old API is deprecated")) == ["outdated"]
    [item] = found(topic("project/a.md", "The release is tomorrow"))
    assert (item.code, item.fix) == ("outdated", "reverie dream --force")
    assert codes(topic("project/a.md", "The server runs Debian", days=500)) == ["outdated"]


def test_a_memory_in_the_other_scope_is_misfiled_and_its_fix_moves_it() -> None:
    [item] = found(topic("user/a.md", "I like tea", scope=Scope.PROJECT))
    assert item.code == "misfiled"
    assert item.fix == "reverie move project:user/a.md --to user"


def test_what_a_person_called_a_memory_is_not_doubted() -> None:
    assert codes(topic("user/a.md", "Runbook: https://example.org/runbook")) == []


def test_a_secret_is_reported_by_rule_and_line_never_by_value() -> None:
    value = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    [item] = [
        one
        for one in found(topic("project/a.md", f"fine\n\n- token {value}\n"))
        if one.code == "secret"
    ]
    assert item.line == 9
    assert value not in str(item)
    assert item.fix.startswith("${EDITOR:-vi} "), "the rest of the memory is not to be lost"


def test_a_topic_that_nobody_asked_for_is_reported_only_if_somebody_counted() -> None:
    quiet = topic("user/a.md", "I like tea", days=200)
    assert codes(quiet) == []
    assert codes(quiet, recalls={}) == ["never_recalled"]
    assert codes(quiet, recalls={"/m/user/a.md": 2}) == []


def test_a_topic_of_too_many_things_is_oversize() -> None:
    assert codes(
        topic("user/a.md", "\n".join(f"- I know fact {n}q{n} of {n}r" for n in range(100)))
    ) == ["oversize"]


def test_a_large_memory_is_inspected_in_reasonable_time() -> None:
    many = [topic(f"user/{n}.md", f"I know word{n} and word{n + 1} from work") for n in range(600)]
    assert "conflict" not in codes(*many)


MEMORIES = json.loads(Path(__file__).parents[2].joinpath("data/doctor_memories.json").read_text())


def test_of_many_memories_only_those_that_cannot_both_hold_are_called_a_conflict() -> None:
    pairs = [tuple(pair) for pair in (*MEMORIES["conflicts"], *MEMORIES["same"])]
    statements = [*MEMORIES["fine"], *(text for pair in pairs for text in pair)]
    topics = [topic(f"project/{n}.md", text) for n, text in enumerate(statements)]
    told = [item for item in found(*topics) if item.code in ("conflict", "duplicate", "misfiled")]
    named = {item.path: item for item in told}
    number = {text: n for n, text in enumerate(statements)}
    for one, two in pairs:
        assert {f"/m/project/{number[text]}.md" for text in (one, two)} & named.keys(), (one, two)
    meant = {f"/m/project/{number[text]}.md" for pair in pairs for text in pair}
    # `remember` itself takes these for a change, and whatever it does the doctor does.
    wrong = [item.message for item in told if item.path not in meant]
    assert len(wrong) <= 1, wrong
    assert all("only one of them can hold" in message for message in wrong)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Never push to main.", "Never push to main on Fridays."),
        ("Tests run before the deploy", "Tests run after the deploy"),
        ("The left panel shows files", "The right panel shows files"),
        ("Only Anna may deploy to staging", "Only Bob may deploy to production"),
        ("I do not eat meat", "I eat fish"),
        ("Do we deploy on Fridays?", "We do not deploy on Fridays"),
    ],
)
def test_what_can_both_hold_is_no_conflict(one: str, two: str) -> None:
    assert codes(topic("project/a.md", one), topic("project/b.md", two)) == []
