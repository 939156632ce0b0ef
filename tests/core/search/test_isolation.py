"""What one conversation may see: nothing until it is named, and no more than is named."""

from __future__ import annotations

import pytest

from reverie.core.search.isolation import Rule, rule_of
from reverie.types import Isolation, Workspace

SPACE = Workspace("/w", "/w", "p", "/h", "/h/memories", "/h/p/memory", "/h/p", "/h/state")


def rule(
    *paths: str, here: str = "/w", kind: str = "project", owner: str = "project", **more: str
) -> Rule:
    isolation = Isolation(allowed_paths=paths, **more)
    return rule_of(
        isolation,
        SPACE,
        here=here,
        kind=kind,  # type: ignore[arg-type]
        owner=owner,  # type: ignore[arg-type]
        real=lambda path: path if path.startswith("/") else f"/w/{path}",
    )


def test_without_isolation_everything_is_seen_and_with_an_empty_one_nothing() -> None:
    everything = rule_of(None, SPACE, here="/w", kind="project", owner="project", real=str)
    assert everything.permits("memory/a.md", "") is True
    assert everything
    assert not rule()
    assert rule().permits("memory/a.md", "") is False


def test_paths_are_compared_by_whole_components() -> None:
    some = rule("memory/a", "notes.md")
    assert some
    assert some.permits("memory/a", "")
    assert some.permits("memory/a/b.md", "")
    assert some.permits("notes.md", "")
    assert not some.permits("memory/ab", "")
    assert not some.permits("memory", "")
    assert not some.permits("notes.md.bak", "")


@pytest.mark.parametrize("path", ["/w", "/", "/w/"])
def test_a_folder_above_a_root_shows_all_of_it(path: str) -> None:
    assert rule(path.rstrip("/") or "/").permits("anything.md", "") is True


@pytest.mark.parametrize("path", ["", "a\0b", "/elsewhere", "/wider"])
def test_what_names_nothing_of_a_root_shows_nothing_of_it(path: str) -> None:
    assert not rule(path)


def test_a_conversation_is_seen_by_its_name_and_all_of_them_by_none() -> None:
    one = rule("chat://talk%201/7", kind="turns", owner="user")
    assert one.permits("2026/1.json", "talk 1")
    assert not one.permits("2026/1.json", "talk 2")
    assert rule("chat://", kind="turns", owner="user").permits("2026/1.json", "any")
    assert not rule("chat://talk")


def test_of_the_turns_only_those_of_the_conversation_that_asks_are_seen() -> None:
    own = rule("chat://", kind="turns", owner="user", conversation_id="mine")
    assert own.permits("1.json", "mine")
    assert not own.permits("1.json", "other")
    # Files belong to no conversation, so its name hides none of them.
    assert rule("memory", conversation_id="mine").permits("memory/a.md", "")


def test_another_person_or_project_sees_nothing() -> None:
    assert not rule("/w", project_id="other")
    assert rule("/w", project_id="p")
    assert not rule("/w", owner="user", user_id="somebody-else")
    assert rule("/w", owner="user", user_id=SPACE.user)
    assert rule("/w", owner="extra", user_id="somebody-else", project_id="other")
