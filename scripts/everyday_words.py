"""Count how common words are in requests, notes and talk, and write `core/text/everyday_words.py` anew.

    python scripts/everyday_words.py --clones FOLDER --sets FOLDER

The sources are those of `scripts/truth_data.py`, and XQuAD for languages; of each only the development half
is read, so that what is measured on the other half is not what the table was made of. Only the words and how
common they are go into the module: a word of English must be usual in two sources, which names and the
vocabulary of one project are not.
"""

from __future__ import annotations

import argparse
import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import truth_data as data

from reverie.core.text.words import terms

MODULE = Path(__file__).resolve().parents[1] / "src/reverie/core/text/everyday_words.py"
CLASSES = (1e-2, 5e-3, 2.5e-3, 1.2e-3, 6e-4, 2.5e-4, 1e-4)
"""Lower bounds: the share of a word among the different words of a text."""
ENGLISH_FLOOR = 1e-4
OTHER_FLOOR = 6e-4  # there is less text to count in, and most of it tells of history
SEEN = 3
TALK = ("locomo_turn", "lme_s_head500", "beam_100k", "madial_en", "prefeval_1000")
CHINESE = ("memdaily_zh", "madial_zh")
CHARS = 3_000
WIDTH = 100

HEAD = '''"""How common words are in requests, notes and talk: the more common, the less they tell.

Made by `scripts/everyday_words.py`, which counts public texts; change that, not this. Terms are as the
tokenizer gives them. A class holds the words whose share among the different words of a text is about
`SHARES`; what is in no class is rarer than all of them. Of other languages than English there was less to
count: what is in no class there need not be rare.
"""

from __future__ import annotations

from functools import lru_cache

SHARES = (1.4e-2, 7e-3, 3.5e-3, 1.7e-3, 8.5e-4, 3.9e-4, 1.6e-4)
'''
TAIL = '''

@lru_cache(maxsize=1)
def everyday() -> dict[str, int]:
    """Return the class of each word, 0 for the most common ones; below zero those of other languages."""
    found = {term: -1 - number for number, words in enumerate(OTHERS) for term in words.split()}
    return found | {term: number for number, words in enumerate(ENGLISH) for term in words.split()}
'''


def texts(clones: Path, sets: Path) -> Iterator[tuple[str, str]]:
    """Yield each text with the kind of text it is."""
    data.PROMPTS_OF_A_SOURCE = 1 << 30
    for rows, kind in (
        (data.swe_bench, "issues"),
        (data.aider, "requests"),
        (data.alpaca, "requests"),
    ):
        for row in rows(clones):
            if row["half"] == "dev":
                yield kind, row["text"]
    for path, _, turns in data.specstory(clones):
        if data.half_of(path) == "dev":
            yield from (("sessions", text) for text in data.typed(turns))
            for role, _, text in turns:
                if role == "assistant" and "<tool-use" not in text:
                    yield "sessions", text[:CHARS]
    rules = data.Clone(clones, "PatrickJS/awesome-cursorrules")
    for path in rules.files(r"\.(?:cursorrules|mdc)$"):
        if data.half_of(path) == "dev":
            yield from (("notes", line) for line in rules.read(path).splitlines() if len(line) > 30)
    for name in (*TALK, *CHINESE, "cranfield"):
        kind = "Chinese" if name in CHINESE else name
        for file in ("docs", "queries"):
            for row in data.lines_of(sets / name / f"{file}.jsonl"):
                origin = row["id"] if row["scope"] == "all" else f"{name}/{row['scope']}"
                if data.half_of(origin) == "dev":
                    yield kind, row["text"][:CHARS]
    yield from _languages(clones)


def _languages(clones: Path) -> Iterator[tuple[str, str]]:
    clone = data.Clone(clones, "google-deepmind/xquad")
    for path in clone.files(r"xquad\.\w+\.json$"):
        language = path.split(".")[-2]
        kind = {"en": "papers", "zh": "Chinese"}.get(language, language)
        for article in json.loads(clone.read(path))["data"][::2]:
            for paragraph in article["paragraphs"]:
                for sentence in re.split(r"(?<=[.!?。])\s*", paragraph["context"]):
                    yield kind, sentence
                yield from ((kind, asked["question"]) for asked in paragraph["qas"])


def shares(clones: Path, sets: Path) -> tuple[dict[str, float], dict[str, float]]:
    """Return the largest share that words have in a kind of text: of English, and of other languages."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for kind, text in texts(clones, sets):
        counts[kind].update(set(terms(text)))
    english = ("issues", "requests", "sessions", "notes", "papers", "cranfield", *TALK)
    sources = {kind: set(seen) for kind, seen in counts.items() if kind in english}
    for name in TALK:  # few words each, and each about something else: together they are talk
        counts["talk"].update(counts.pop(name))
    found: dict[str, float] = {}
    for seen in counts.values():
        total = sum(seen.values())
        for term, often in seen.items():
            if often >= SEEN and _is_word(term):
                found[term] = max(found.get(term, 0.0), often / total)
    kinds = Counter(term for known in sources.values() for term in known)
    return (
        {term: x for term, x in found.items() if kinds[term] >= 2 and x >= ENGLISH_FLOOR},
        {term: x for term, x in found.items() if not kinds[term] and x >= OTHER_FLOOR},
    )


def _is_word(term: str) -> bool:
    """Leave out numbers and identifiers, which are never everyday words, and single letters."""
    letters = all(unicodedata.category(char)[0] in "LM" for char in term)
    return letters and (len(term) > 1 or not term.isascii())


def _wrapped(words: list[str]) -> Iterator[str]:
    """Put words into lines that are narrow enough also where characters are wide."""
    line: list[str] = []
    width = 0
    for word in words:
        own = 1 + sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in word)
        if width + own > WIDTH:
            yield " ".join(line)
            line, width = [], 0
        line.append(word)
        width += own
    yield " ".join(line)


def main() -> None:
    """Write the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--clones", type=Path, required=True)
    parser.add_argument("--sets", type=Path, required=True)
    told = parser.parse_args()
    lines = [HEAD]
    for name, found in zip(("ENGLISH", "OTHERS"), shares(told.clones, told.sets), strict=True):
        above = float("inf")
        lines.append(f"{name} = (\n")
        for bound in CLASSES:
            own = sorted(term for term, share in found.items() if bound <= share < above)
            above = bound
            if own:
                lines.append('    """\n' + "\n".join(_wrapped(own)) + '\n    """,\n')
                print(f"{name}, {bound}: {len(own)}")
        lines.append(")\n")
    MODULE.write_text("".join(lines) + TAIL, encoding="utf-8")


if __name__ == "__main__":
    main()
