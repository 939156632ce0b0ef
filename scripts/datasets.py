"""Make datasets for `reverie eval retrieval` of public data that somebody else laid out.

    python scripts/datasets.py realtalk CLONE OUT     github.com/danny911kr/REALTALK
    python scripts/datasets.py squad FILE.json OUT    XQuAD, JSQuAD and whatever has their shape

`realtalk` makes two sets, OUT/realtalk_turn and OUT/realtalk_session; `squad` makes one, named after the
file, whose documents are the paragraphs. `--every N` takes each Nth question.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "commonsense"}


def save(folder: Path, docs: Iterable[Row], queries: Iterable[Row]) -> None:
    """Write one dataset."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (("docs", docs), ("queries", queries)):
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
        print(f"{folder / name}.jsonl: {len(lines)}")


def realtalk(clone: Path) -> tuple[list[Row], list[Row], list[Row], list[Row]]:
    """Read the conversations: turns, sessions, and the questions about each."""
    turns: list[Row] = []
    sessions: list[Row] = []
    of_turns: list[Row] = []
    of_sessions: list[Row] = []
    for file in sorted((clone / "data").glob("Chat_*.json")):
        chat = json.loads(file.read_text(encoding="utf-8"))
        scope = file.stem
        session_of: dict[str, str] = {}
        for name, day, spoken in _sessions(chat):
            said: dict[str, str] = {}
            for turn in spoken:
                said.setdefault(f"{scope}/{turn['dia_id']}", _said(turn))
            rows = [
                {"id": id_, "scope": scope, "text": text, "ts": day} for id_, text in said.items()
            ]
            turns += [row for row in rows if row["id"] not in session_of]
            whole = "\n".join(row["text"] for row in rows)
            sessions.append({"id": f"{scope}/{name}", "scope": scope, "text": whole, "ts": day})
            for row in rows:
                session_of.setdefault(row["id"], f"{scope}/{name}")
        for number, asked in enumerate(chat["qa"]):
            gold = {f"{scope}/{id_.strip()}" for id_ in asked["evidence"]} & session_of.keys()
            kind = CATEGORIES.get(asked["category"], str(asked["category"]))
            row = {
                "id": f"{scope}/{number}",
                "scope": scope,
                "text": asked["question"],
                "cat": kind,
            }
            if gold:
                of_turns.append({**row, "gold": sorted(gold)})
                of_sessions.append({**row, "gold": sorted({session_of[id_] for id_ in gold})})
    return turns, of_turns, sessions, of_sessions


def _sessions(chat: Row) -> Iterator[tuple[str, str, list[Row]]]:
    number = 1
    while (name := f"session_{number}") in chat:
        match = re.match(r"(\d+)\.(\d+)\.(\d+)", chat[f"{name}_date_time"])
        day = f"{match[3]}-{int(match[2]):02d}-{int(match[1]):02d}" if match else ""
        yield name, day, chat[name]
        number += 1


def _said(turn: Row) -> str:
    caption = turn.get("blip_caption")
    photo = f" [shares a photo: {caption}]" if caption else ""
    return f"{turn['speaker']}: {(turn.get('clean_text') or '').strip()}{photo}".rstrip()


def squad(file: Path) -> tuple[list[Row], list[Row]]:
    """Read paragraphs and the questions whose answers stand in them."""
    docs: list[Row] = []
    queries: list[Row] = []
    for number, article in enumerate(json.loads(file.read_text(encoding="utf-8"))["data"]):
        for place, paragraph in enumerate(article["paragraphs"]):
            id_ = f"{number}/{place}"
            text = paragraph["context"].replace(
                " [SEP] ", "\n"
            )  # JSQuAD: the title comes before it
            docs.append({"id": id_, "scope": "all", "text": text})
            queries += [
                {"id": asked["id"], "scope": "all", "text": asked["question"], "gold": [id_]}
                for asked in paragraph["qas"]
            ]
    return docs, queries


def main() -> None:
    """Make the sets that were asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("kind", choices=("realtalk", "squad"))
    parser.add_argument("source", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--every", type=int, default=1)
    asked = parser.parse_args()
    if asked.kind == "realtalk":
        turns, of_turns, sessions, of_sessions = realtalk(asked.source)
        save(asked.out / "realtalk_turn", turns, of_turns[:: asked.every])
        save(asked.out / "realtalk_session", sessions, of_sessions[:: asked.every])
    else:
        docs, queries = squad(asked.source)
        save(asked.out / asked.source.stem, docs, queries[:: asked.every])


if __name__ == "__main__":
    main()
