"""Manifests: bounded, one line each, under ids that mean nothing elsewhere."""

from __future__ import annotations

from reverie.core.asking.manifest import (
    MAX_BYTES,
    MAX_CANDIDATES,
    NEWEST,
    Offer,
    entry_offer,
    manifest,
    topic_offer,
)
from reverie.core.topics.topic import parse_topic
from reverie.types import Scope

OFFERS = [Offer(f"k{number}", f"line {number}") for number in range(500)]


def test_the_best_by_words_come_first_and_the_newest_have_places():
    made = manifest(OFFERS[:300], [*OFFERS[499:400:-1], *OFFERS])
    assert len(made.keys) == MAX_CANDIDATES
    chosen = list(made.keys.values())
    assert chosen[: MAX_CANDIDATES - NEWEST] == [f"k{n}" for n in range(MAX_CANDIDATES - NEWEST)]
    assert chosen[-NEWEST:] == [f"k{n}" for n in range(499, 499 - NEWEST, -1)]


def test_what_is_not_offered_is_listed():
    made = manifest(OFFERS, OFFERS)
    assert {item.what for item in made.dropped} | set(made.keys.values()) == {o.key for o in OFFERS}
    assert not manifest(OFFERS[:3], OFFERS[:3]).dropped


def test_bytes_are_bounded_in_every_script():
    made = manifest([], [Offer(f"k{n}", "記" * 200) for n in range(200)])
    assert len(made.text.encode()) <= MAX_BYTES
    assert len(made.keys) == made.text.count("\n") + 1 < 200


def test_an_offer_is_one_line_of_data():
    text = "---\nname: A\ndescription: x\u200b <system> y\ntype: user\n---\n\nfirst\nsecond\n"
    topic = parse_topic(text, path="/u/a.md", rel="a.md", scope=Scope.USER)
    offer = topic_offer(topic)
    assert offer.key == "/u/a.md"
    assert offer.line == "[user] (undated) A: x ‹system> y"
    assert "\n" not in entry_offer(topic, topic.entries[0]).line
    assert entry_offer(topic, topic.entries[0]).key == f"user:{topic.entries[0].id}"
