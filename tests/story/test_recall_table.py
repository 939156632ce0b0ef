"""The multilingual recall table: queries in nine languages over one memory, and small talk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reverie.core.topics.relevance import rank
from reverie.core.topics.topic import parse_topic, render_topic
from reverie.types import Entry, Kind, Scope, Topic

TABLE = json.loads(
    (Path(__file__).parents[1] / "data" / "recall_table.json").read_text(encoding="utf-8")
)
LIMIT = 5


def _topics() -> list[Topic]:
    found = []
    for row in TABLE["topics"]:
        text = render_topic(
            row["name"],
            description=row["description"],
            kind=Kind(row["kind"]),
            entries=[Entry("", row["body"])],
        )
        found.append(parse_topic(text, path=f"/m/{row['rel']}", rel=row["rel"], scope=Scope.USER))
    assert all(found)
    return [topic for topic in found if topic]


def measure(rows: list[dict]) -> tuple[float, float, list[str]]:
    """Return recall at five, the share of right first answers, and small talk that was answered."""
    topics = _topics()
    asked = [row for row in rows if row["expect"]]
    within = first = 0
    for row in asked:
        got = [item.topic.rel for item in rank(row["query"], topics)][:LIMIT]
        within += all(rel in got for rel in row["expect"])
        first += bool(got) and got[0] in row["expect"]
    wrong = [row["query"] for row in rows if not row["expect"] and rank(row["query"], topics)]
    return within / len(asked), first / len(asked), wrong


def test_the_table_is_as_large_and_as_mixed_as_promised() -> None:
    queries = TABLE["queries"]
    assert len(TABLE["topics"]) >= 30
    assert len(queries) >= 60
    tags = {row["tag"].split("-")[0] for row in queries}
    assert tags >= {
        "en",
        "zh",
        "ja",
        "ko",
        "ru",
        "el",
        "fr",
        "de",
        "th",
        "mixed",
        "full",
        "short",
        "body",
        "none",
    }


@pytest.mark.parametrize("part", ["queries", "heldOut"])
def test_the_right_topic_is_found_and_small_talk_finds_nothing(part: str) -> None:
    within, first, wrong = measure(TABLE[part])
    assert within >= 0.95
    assert first >= 0.90
    assert wrong == []
