"""Forget: what a request means, and what is left."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from reverie.core.topics import forget
from reverie.core.topics.topic import parse_topic
from reverie.types import Scope, Topic

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def topic(
    rel: str, body: str, *, kind: str = "user", name: str = "n", description: str = "d"
) -> Topic:
    text = f"---\nname: {name}\ndescription: {description}\ntype: {kind}\n---\n\n{body}\n"
    found = parse_topic(text, path=f"/m/{rel}", rel=rel, scope=Scope.USER)
    assert found is not None
    return found


TOPICS = [
    topic("user/a.md", "- prefers tabs\n- drinks green tea\n- deadline is 5 May"),
    topic("user/b.md", "Does not eat meat"),
    topic("user/c.md", "用户喜欢绿茶"),
    topic("project/d.md", "Deploys on Fridays at 17:00", kind="project"),
    topic("user/e.md", "Uses browser tabs a lot"),
    topic("user/f.md", "Lives in Berlin"),
    topic("user/g.md", "Berlin office has 3 rooms"),
    topic("user/h.md", "тестовый сервер в Москве"),
    topic("user/i.md", "寿司が好き"),
]


def meant(query: str, topics: list[Topic] = TOPICS) -> list[str]:
    return [item.entry.id for item in forget.choose(query, forget.all_candidates(topics))[0]]


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("forget that I like tabs", ["user/a.md:1"]),
        ("tabs", ["user/a.md:1", "user/e.md"]),
        ("forget everything about Berlin", ["user/f.md", "user/g.md"]),
        ("forget that I do not eat meat", ["user/b.md"]),
        ("forget I eat meat", []),
        ("the deadline is 6 May", []),
        ("the deadline is 5 May", ["user/a.md:3"]),
        ("忘记我喜欢绿茶", ["user/c.md"]),
        ("please forget my green tea habit", ["user/a.md:2"]),
        ("забудь про сервер в Москве", ["user/h.md"]),
        ("寿司のことを忘れて", ["user/i.md"]),
        ("forget about elephants", []),
        ("user/a.md:2", ["user/a.md:2"]),
        ("/m/user/a.md", ["user/a.md:1", "user/a.md:2", "user/a.md:3"]),
        ("user:user/b.md", ["user/b.md"]),
    ],
)
def test_a_request_means_these_entries(query: str, ids: list[str]) -> None:
    assert meant(query) == ids


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        ("Never touch the ledger.", "Never touch the ledger after midnight without Ines."),
        ("I like tea", "I like tea with milk and I hate coffee"),
        ("Wir testen freitags", "Wir testen freitags nur in Halle drei"),
        ("我喜欢绿茶", "我喜欢绿茶和咖啡"),
    ],
)
def test_who_repeats_a_statement_means_no_other_one(narrow: str, wide: str) -> None:
    topics = [topic("user/n.md", narrow), topic("user/w.md", wide)]
    for query in (narrow, narrow.lower().rstrip("."), f"forget that {narrow}"):
        assert meant(query, topics) == ["user/n.md"]
    assert meant(wide, topics) == ["user/w.md"]


def test_entries_that_came_near_are_shown_and_not_removed() -> None:
    chosen, near = forget.choose("forget that I like tabs", forget.all_candidates(TOPICS))
    assert [item.entry.summary for item in chosen] == ["prefers tabs"]
    assert "Uses browser tabs a lot" in [item.entry.summary for item in near]


def test_hundreds_of_topics_are_all_looked_at() -> None:
    many = [topic(f"user/{n}.md", f"fact number {n}x about things") for n in range(400)]
    assert meant("fact number 399x", many) == ["user/399.md"]
