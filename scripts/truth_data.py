"""Make the data of `reverie eval truth` from clones of public repositories; none of it is committed.

    python scripts/truth_data.py OUT --clones FOLDER --sets FOLDER

FOLDER of `--clones` holds bare or working clones named `owner+name` (each may hold its git directory in
`repo`); a source whose clone is missing is left out and named. `--sets` names the folder of retrieval
datasets (`docs.jsonl`, `queries.jsonl`) that `scripts/datasets.py` and others made.

    prompts.jsonl    what people ask a coding agent: SWE-bench/swe-bench-tasks, specstoryai/getspecstory,
                     Aider-AI/aider, sahil280114/codealpaca
    memories.jsonl   a project's rules: PatrickJS/awesome-cursorrules; a person's preferences: PrefEval
    asked.jsonl      a question, and the statement that answers it: MemDaily, LoCoMo, XQuAD
    attacks.jsonl    orders that others put into a text: microsoft/BIPIA, its training half
    days.jsonl       the conversations of one project, in order: specstoryai/getspecstory

Every row has an `id` and a `half`: `dev` or `held`, by a hash of where it came from. Rules are chosen on the
first half; nobody reads the second before the end.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]

PROMPT_CHARS = 4_000
PROMPTS_OF_A_SOURCE = 400
MEMORIES_OF_A_FILE = 4
BULLET = re.compile(r"^\s*(?:[-*]|\d+[.)])\s+(.{30,240})$")
SPOKEN = re.compile(
    r"^_\*\*(User|Agent|Assistant)(?: \((?:[\w./ -]* )?(\d{4}-\d\d-\d\d [\d:]+Z)\))?\*\*_$"
)
BY_MACHINE = re.compile(
    r"<(?:command-|local-command|system-reminder)|\[Request interrupted|^Caveat:"
)


def half_of(source: str) -> str:
    """Say to which half something belongs; what has one source stays together."""
    return "held" if hashlib.sha256(source.encode()).digest()[0] % 2 else "dev"


def row(origin: str, number: int | str, **facts: Any) -> Row:
    """Make one row of what was found."""
    return {"id": f"{origin}/{number}", "half": half_of(origin), **facts}


class Clone:
    """One public repository, read from git."""

    def __init__(self, clones: Path, name: str) -> None:
        folder = clones / name.replace("/", "+")
        self.git = folder / "repo" if (folder / "repo").is_dir() else folder
        self.there = self.git.is_dir()
        if not self.there:
            print(f"left out: no clone of {name} at {folder}")

    def files(self, pattern: str) -> list[str]:
        """Name the files that match a pattern, in order."""
        if not self.there:
            return []
        listed = self._run("ls-tree", "-r", "-z", "--name-only", "HEAD")
        return sorted(name for name in listed.split("\0") if re.search(pattern, name))

    def read(self, path: str) -> str:
        """Read one file."""
        return self._run("show", f"HEAD:{path}")

    def _run(self, *command: str) -> str:
        asked = ["git", "-C", str(self.git), *command]
        done = subprocess.run(asked, capture_output=True, check=True)
        return done.stdout.decode("utf-8", "replace")


# --- prompts --------------------------------------------------------------------------------------


def swe_bench(clones: Path) -> Iterator[Row]:
    """Problem statements: what somebody wrote into an issue, given to an agent whole."""
    clone = Clone(clones, "SWE-bench/swe-bench-tasks")
    files = clone.files(r"/problem_statement\.md$")
    for path in files[:: max(1, len(files) // PROMPTS_OF_A_SOURCE)]:
        text = clone.read(path).strip()
        if text:
            yield row(path, 0, source="swe-bench", text=text[:PROMPT_CHARS])


def aider(clones: Path) -> Iterator[Row]:
    """What a developer typed to his agent: lines that begin with `####`, up to the answer."""
    clone = Clone(clones, "Aider-AI/aider")
    for path in clone.files(r"tests/fixtures/chat-history\.md$"):
        seen: set[str] = set()
        spoken: list[str] = []
        for line in [*clone.read(path).splitlines(), ""]:
            if line.startswith("#### "):
                spoken.append(line[5:].rstrip())
            elif spoken:
                text = "\n".join(spoken).strip()
                spoken = []
                if len(text) > 15 and text[0] != "/" and text not in seen:
                    seen.add(text)
                    yield row(f"aider/{len(seen)}", 0, source="aider", text=text[:PROMPT_CHARS])


def alpaca(clones: Path) -> Iterator[Row]:
    """Short tasks for a programmer."""
    clone = Clone(clones, "sahil280114/codealpaca")
    for path in clone.files(r"data/code_alpaca_2k\.json$"):
        for number, task in enumerate(json.loads(clone.read(path))):
            yield row(f"alpaca/{number}", 0, source="alpaca", text=task["instruction"].strip())


def specstory(clones: Path) -> Iterator[tuple[str, str, list[tuple[str, str, str]]]]:
    """Conversations with a coding agent: file, first moment, and turns of role, moment and text."""
    clone = Clone(clones, "specstoryai/getspecstory")
    for path in clone.files(r"\.specstory/history/\d{4}-.*\.md$"):
        if "fixtures" in path:
            continue
        turns: list[tuple[str, str, str]] = []
        role = moment = ""
        said: list[str] = []
        for line in [*clone.read(path).splitlines(), "_**User**_"]:
            if match := SPOKEN.match(line):
                text = "\n".join(said).strip().removesuffix("---").strip()
                if role and text:
                    turns.append((role, moment, text))
                role = "user" if match[1] == "User" else "assistant"
                moment, said = match[2] or moment, []
            else:
                said.append(line)
        if turns:
            yield path, turns[0][1], turns


def typed(turns: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """Return what the person typed, without what the program put there."""
    for role, _, text in turns:
        if role == "user" and not BY_MACHINE.search(text):
            yield text


def prompts(clones: Path) -> Iterator[Row]:
    """Return real requests to coding agents, at most so many of each source."""
    told: list[Row] = []
    for path, _, turns in specstory(clones):
        for number, text in enumerate(typed(turns)):
            told.append(row(path, number, source="specstory", text=text[:PROMPT_CHARS]))
    for rows in (list(swe_bench(clones)), list(aider(clones)), list(alpaca(clones)), told):
        ordered = sorted(rows, key=lambda item: hashlib.sha256(item["id"].encode()).digest())
        yield from ordered[:PROMPTS_OF_A_SOURCE]


# --- memories and questions -----------------------------------------------------------------------


def memories(clones: Path, sets: Path) -> Iterator[Row]:
    """Return what a project or a person could have in memory."""
    clone = Clone(clones, "PatrickJS/awesome-cursorrules")
    for path in clone.files(r"\.(?:cursorrules|mdc)$"):
        found = [
            match[1].strip()
            for line in clone.read(path).splitlines()
            if (match := BULLET.match(line))
        ]
        for number, text in enumerate(found[:: max(1, len(found) // MEMORIES_OF_A_FILE)]):
            yield row(path, number, about="project", text=re.sub(r"[*`]{2,}", "", text))
    for doc in lines_of(sets / "prefeval_1000" / "docs.jsonl"):
        yield row(doc["id"], 0, about="person", text=doc["text"])


def asked(sets: Path) -> Iterator[Row]:
    """Return questions with the statement that answers each, and what else was said there."""
    for name in ("memdaily_zh", "locomo_turn", "xquad_en", "xquad_de", "xquad_th", "xquad_zh"):
        folder = sets / name
        docs = {doc["id"]: doc for doc in lines_of(folder / "docs.jsonl")}
        for query in lines_of(folder / "queries.jsonl"):
            gold = [docs[id_]["text"] for id_ in query["gold"] if id_ in docs]
            if len(gold) == 1:
                source = (
                    f"{name}/{query['scope']}"
                    if query["scope"] != "all"
                    else f"{name}/{query['gold'][0]}"
                )
                yield row(source, query["id"], source=name, text=query["text"], memory=gold[0])


# --- pairs, attacks, days -------------------------------------------------------------------------


def attacks(clones: Path) -> Iterator[Row]:
    """Return orders that are not the owner's, with what they were hidden in."""
    clone = Clone(clones, "microsoft/BIPIA")
    for path in clone.files(r"benchmark/(?:text|code)_attack_train\.json$"):
        for kind, orders in json.loads(clone.read(path)).items():
            for number, text in enumerate(orders):
                yield row(f"{path}/{kind}", number, kind=kind, text=text)


def days(clones: Path) -> Iterator[Row]:
    """Return the conversations of one project in the order in which they happened."""
    told = sorted(specstory(clones), key=lambda item: item[1])
    for path, moment, turns in told:
        if moment:
            kept = [
                {"role": role, "content": text}
                for role, _, text in turns
                if role == "assistant" or not BY_MACHINE.search(text)
            ]
            yield {"id": path, "half": "all", "at": moment.replace(" ", "T"), "messages": kept}


def lines_of(path: Path) -> Iterator[Row]:
    """Read a file of JSON lines; one that is not there is named and has none."""
    if not path.is_file():
        print(f"left out: no {path}")
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def save(path: Path, rows: Iterable[Row]) -> None:
    """Write one file."""
    told = [json.dumps(item, ensure_ascii=False) + "\n" for item in rows]
    path.write_text("".join(told), encoding="utf-8")
    print(f"{path}: {len(told)}")


def main() -> None:
    """Make all files."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--clones", type=Path, required=True)
    parser.add_argument("--sets", type=Path, required=True)
    told = parser.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    save(told.out / "prompts.jsonl", prompts(told.clones))
    save(told.out / "memories.jsonl", memories(told.clones, told.sets))
    save(told.out / "asked.jsonl", asked(told.sets))
    save(told.out / "attacks.jsonl", attacks(told.clones))
    save(told.out / "days.jsonl", days(told.clones))


if __name__ == "__main__":
    main()
