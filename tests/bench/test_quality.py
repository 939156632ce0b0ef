"""The retrieval suite: data in, figures out, each by hand where it can be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.quality.dataset import Dataset, Doc, Question, lay_out, load
from bench.quality.retrieval import _measures, _within, evaluate
from reverie.errors import BadDataset


def question(**changes: object) -> Question:
    facts = {"id": "q", "scope": "s", "text": "?", "category": "c", "gold": frozenset({"a", "b"})}
    return Question(**{**facts, **changes})  # type: ignore[arg-type]


def test_the_measures_are_what_their_names_say():
    found = [("x", 300), ("a", 300), ("x", 10), *((f"y{n}", 10) for n in range(6)), ("b", 400)]
    row = _measures(question(), found)
    assert row["hit@1"] == 0
    assert row["hit@5"] == row["hit@10"] == 1
    assert row["recall@5"] == 0.5
    assert row["recall@10"] == 1
    ideal = 1 + 0.6309297535714575
    assert row["nDCG@10"] == pytest.approx((0.6309297535714575 + 1 / 3.321928094887362) / ideal)
    assert (row["evidence@500"], row["evidence@1000"], row["evidence@2000"]) == (0, 0.5, 1)


def test_what_does_not_fit_the_budget_ends_the_list():
    assert _within([("a", 400), ("b", 200), ("c", 50)], 500) == {"a"}


ANIMALS = ("fox", "owl", "elk", "bee", "ant", "cat", "dog", "hen")
TALK = [
    Doc(f"t{n}", "s", f"{('Ann', 'Bob')[n % 2]}: line {n} about {word}", "8 May, 2023")
    for n, word in enumerate(ANIMALS)
]


def test_turns_become_conversations_and_everything_else_files(tmp_path):
    layout = lay_out(Dataset("d", tuple(TALK), ()), project=tmp_path / "p", home=tmp_path / "h")
    assert layout.allowed == {"s": ("chat://0-0",)}
    assert len(list((tmp_path / "h").rglob("*.json"))) == 8
    assert set(layout.paths.values()) == {doc.id for doc in TALK}
    notes = (Doc("n1", "s", "A note.", "2023-12-25"), Doc("n2", "z", "Another.\nNote."))
    layout = lay_out(Dataset("d", notes, ()), project=tmp_path / "q", home=tmp_path / "i")
    assert layout.allowed == {"s": ("memory/0",), "z": ("memory/1",)}
    assert layout.paths == {"memory/0/2023-12-25-000000.md": "n1", "memory/1/000000.md": "n2"}
    whole = tuple(Doc(f"w{n}", "s", "\n".join(doc.text for doc in TALK)) for n in range(4))
    layout = lay_out(Dataset("d", whole, ()), project=tmp_path / "r", home=tmp_path / "j")
    assert layout.allowed == {"s": ("memory/0",)}


@pytest.mark.slow
def test_a_conversation_is_measured_in_its_scope_with_its_baselines():
    other = tuple(Doc(f"o{doc.id}", "other", doc.text, doc.when) for doc in TALK)
    ask = tuple(
        question(
            id=f"q{n}", text=f"what about the {word}?", gold=frozenset({f"t{n}"}), category=word[0]
        )
        for n, word in enumerate(ANIMALS[:4])
    )
    report = evaluate(Dataset("d", (*TALK, *other), ask))
    assert report.questions == 4
    for method in ("reverie", "bm25", "grep"):
        assert report.methods[method]["recall@10"].mean == 100.0
    assert set(report.categories) == {"f", "o", "e", "b"}
    figure = report.methods["reverie"]["recall@5"]
    assert figure.low <= figure.mean <= figure.high
    assert evaluate(Dataset("d", tuple(TALK), ask), limit=2).questions == 2


@pytest.mark.slow
def test_what_came_after_the_question_is_not_counted():
    docs = tuple(Doc(f"n{n}", "s", f"the fox note number{n}", order=n) for n in range(6))
    ask = (question(text="fox note", gold=frozenset({"n1"}), before=3),)
    report = evaluate(Dataset("d", docs, ask))
    assert report.methods["bm25"]["hit@5"].mean == 100.0
    assert report.methods["reverie"]["hit@5"].mean == 100.0


@pytest.mark.parametrize(
    ("docs", "queries", "message"),
    [
        ('{"id": 1', "", "line 1"),
        ('{"id": 1, "scope": "s"}', "", "there is no 'text'"),
        ("[]", "", "there is no 'id'"),
        (
            '{"id": "1", "scope": "s", "text": "t"}',
            '{"id": "q", "scope": "s", "text": "t", "gold": ["9"]}',
            "no query",
        ),
    ],
)
def test_data_that_cannot_be_used_is_named(tmp_path, docs, queries, message):
    (tmp_path / "docs.jsonl").write_text(docs, encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text(queries, encoding="utf-8")
    with pytest.raises(BadDataset, match=message):
        load(tmp_path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(BadDataset, match=r"docs\.jsonl"):
        load(tmp_path)


def test_data_is_read_as_the_format_says(tmp_path: Path):
    doc = {"id": "d", "scope": "s", "text": "t", "ts": "2023-01-02", "order": 3}
    ask = {"id": "q", "scope": "s", "text": "?", "cat": "c", "gold": ["d"], "before": 5}
    (tmp_path / "docs.jsonl").write_text(json.dumps(doc) + "\n\n", encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text(json.dumps(ask), encoding="utf-8")
    found = load(tmp_path)
    assert found.docs == (Doc("d", "s", "t", "2023-01-02", 3),)
    assert found.questions == (Question("q", "s", "?", "c", frozenset({"d"}), 5),)
