"""Make the small set of public questions that ranking is held to: tests/data/ranking.

    python scripts/ranking_set.py SETS

SETS has a folder for each of `xquad_en`, `xquad_de`, `xquad_zh`, `xquad_th`, `beam_100k` and `lme_s_head500`,
with `docs.jsonl` and `queries.jsonl` as `reverie eval retrieval` reads them. Only what may be passed on is
taken (see tests/data/ranking/README.md), and only as much of it as a test can search in seconds. The same
data gives the same set: nothing is drawn.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]
OUT = Path(__file__).resolve().parents[1] / "tests/data/ranking"

LANGUAGES = ("en", "de", "zh", "th")
PASSAGES, QUESTIONS = 80, 30
CHATS = ("100K-1", "100K-2", "100K-3")
ANSWER_CHARS = 400  # an assistant's answer is cut there; what the person wrote is whole


def xquad(source: Path, language: str) -> tuple[list[Row], list[Row]]:
    """Take the first passages, which belong to few articles and so are alike, and some of their questions."""
    docs, questions = _read(source / f"xquad_{language}")
    kept = {doc["id"] for doc in docs[:PASSAGES]}
    asked = [question for question in questions if set(question["gold"]) <= kept]
    return (
        [{"id": doc["id"], "text": doc["text"]} for doc in docs[:PASSAGES]],
        [_question(question) for question in _spread(asked, QUESTIONS)],
    )


def beam(source: Path) -> tuple[list[Row], list[Row]]:
    """Take whole chats, one document for each message."""
    docs, questions = _read(source / "beam_100k")
    messages = []
    for doc in docs:
        if doc["scope"] in CHATS:
            role, _, text = doc["text"].partition(": ")
            cut = text if role == "user" else text[:ANSWER_CHARS].rstrip()
            messages.append({"id": doc["id"], "chat": doc["scope"], "role": role, "text": cut})
    asked = [
        {**_question(question), "chat": question["scope"]}
        for question in questions
        if question["scope"] in CHATS
    ]
    return messages, asked


def longmemeval(source: Path) -> tuple[list[Row], list[Row]]:
    """Take the sessions that answer a question, of all questions together.

    The sessions between them come from other collections, whose terms are their own.
    """
    docs, questions = _read(source / "lme_s_head500")
    answering = {id_ for question in questions for id_ in question["gold"]}
    kept = [{"id": doc["id"], "text": doc["text"]} for doc in docs if doc["id"] in answering]
    return kept, [_question(question) for question in questions]


def _question(row: Row) -> Row:
    return {"id": row["id"], "text": row["text"], "gold": row["gold"]}


def _spread(rows: Sequence[Row], count: int) -> list[Row]:
    return [rows[at * len(rows) // count] for at in range(min(count, len(rows)))]


def _read(folder: Path) -> tuple[list[Row], list[Row]]:
    docs, questions = (
        [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]
        for name in ("docs.jsonl", "queries.jsonl")
    )
    return docs, questions


def _write(name: str, docs: Iterable[Row], questions: Iterable[Row]) -> None:
    folder = OUT / name
    folder.mkdir(parents=True, exist_ok=True)
    for what, rows in (("docs", docs), ("questions", questions)):
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
        (folder / f"{what}.jsonl").write_text("".join(lines), encoding="utf-8")
        print(f"{name}/{what}.jsonl: {len(lines)}")


def main() -> None:
    """Write all of them."""
    source = Path(sys.argv[1])
    for language in LANGUAGES:
        _write(f"xquad_{language}", *xquad(source, language))
    _write("beam", *beam(source))
    _write("longmemeval", *longmemeval(source))


if __name__ == "__main__":
    main()
