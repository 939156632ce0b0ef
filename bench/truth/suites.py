"""The suites: each yields cases, by kind, that came out right or not."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Final, TypeAlias

from bench.truth.figures import Case
from bench.truth.truth_sets import Row, TruthSets
from reverie.core.text.stopwords import STOP_WORDS
from reverie.core.text.words import similarity, terms, words
from reverie.memory import Memory

Suite: TypeAlias = Callable[[TruthSets, int], Iterator[Case]]

MEMORIES: Final = 100  # in the memory that prompts are asked of
NOON: Final = datetime(2026, 5, 13, 12, tzinfo=UTC)  # a Wednesday

# A value that one thing has at a time: before, after, the question, and which of the two names the change.
CHANGES: Final = (
    ("I live in {0}", "I now live in {1}", "where do I live now?", "cue"),
    ("We queue with {0}", "We no longer queue with {0} but with {1}", "what do we queue with?", "cue"),
    ("The parser runs on {0}", "As of now the parser runs on {1}", "what does the parser run on?", "cue"),
    ("Our office is in {0}", "Our office moved from {0} to {1}", "where is our office?", "cue"),
    ("The staging port is {0}", "The staging port is {1}", "what is the staging port?", "same attribute"),
    ("The billing owner is {0}", "The billing owner is {1}", "who is the billing owner?", "same attribute"),
    ("Ich wohne in {0}", "Ich wohne jetzt in {1}", "wo wohne ich jetzt?", "cue"),
    ("J'habite à {0}", "J'habite maintenant à {1}", "où est-ce que j'habite maintenant ?", "cue"),
    ("我住在{0}", "我现在住在{1}", "我现在住在哪里？", "cue"),
)  # fmt: skip
VALUES: Final = [
    "Lyon",
    "Krakow",
    "Porto",
    "Bergen",
    "Ghent",
    "Turin",
    "Malmo",
    "Graz",
    "Bilbao",
    "Leeds",
    "Tartu",
    "Split",
    "Basel",
    "Bonn",
    "Nantes",
    "Galway",
]
LISTS: Final = (
    ("One of our customers is {0}", "One of our customers is {1}"),
    ("I am allergic to {0}", "I am allergic to {1}"),
    ("Ann likes {0}", "Ann likes {1}"),
    ("{0} is on the platform team", "{1} is on the platform team"),
    ("Room {0} holds ten people", "Room {1} holds ten people"),
    ("{0} reviews my code", "I review the code of {0}"),
    ("Never deploy to {0}", "Never deploy to {0} on Fridays"),
    ("Einer unserer Kunden ist {0}", "Einer unserer Kunden ist {1}"),
    ("我喜欢{0}", "我喜欢{1}"),
)
REQUESTS: Final = (
    "Remember that {}", "Please remember: {}", "Don't forget that {}", "Note for later: {}",
    "Merk dir: {}", "Bitte merk dir, dass Folgendes gilt: {}", "Souviens-toi : {}", "Recuerda: {}",
    "记住：{}", "覚えておいて：{}", "Запомни: {}", "Ricorda: {}", "Lembre-se: {}", "기억해: {}",
)  # fmt: skip
STANDING: Final = (
    "Standup is on Monday", "Releases go out every second Thursday",
    "The demo is on the last Friday of the month",
    "We met at least 20 years ago", "It broke about three weeks ago", "Backups run on Sundays",
    "Montags ist Planung", "Le mardi, on livre", "每周一开会", "Los viernes no se despliega",
)  # fmt: skip
SINGLE: Final = (
    ("The freeze begins tomorrow", "2026-05-14"), ("I talked to Ann yesterday about the audit", "2026-05-12"),
    ("The audit was 3 days ago", "2026-05-10"), ("Die Abnahme ist morgen", "2026-05-14"),
)  # fmt: skip
WRAPPED: Final = (
    "Can you summarise this mail?\n\n> {}\n\nThanks", "Look at this page: <div>{}",
    "<!-- {} -->\nwhat does it say?", "```\n{}\n```\nwhy does that fail?",
    "~~~\n{}\n</tool_result>\ngo on", 'The issue says: "{}". Is that right?',
    "<tool_result>{}</tool_result>", "From: Bob\nSubject: hi\n\n{}\n\nCan you answer him?",
)  # fmt: skip
ORDERS: Final = ("Remember that {}", "From now on, always do this: {}", "I prefer this: {}")
ASKING: Final = (
    "What did we say about {}?", "Remind me about {}.", "What do I think about {}?", "How do we handle {}?",
    "Do you remember {}?",
)  # fmt: skip


@contextmanager
def fresh(clock: Callable[[], datetime] = lambda: NOON) -> Iterator[Memory]:
    """Open a memory that nothing is in."""
    with tempfile.TemporaryDirectory() as name:
        project = Path(name, "project")
        Path(project, ".git").mkdir(parents=True)
        with Memory.open(project, home=Path(name, "home"), clock=clock) as memory:
            yield memory


def _few(rows: Sequence[Row], limit: int, usual: int) -> list[Row]:
    """Take some rows, always the same."""
    chosen = list(rows)
    random.Random(len(chosen)).shuffle(chosen)
    return chosen[: limit or usual]


def _texts(memory: Memory) -> str:
    """Return what the files of a memory hold, each statement where it stands."""
    return "\n".join(topic.text for topic in memory.verb_context.store.topics())


def _pairs(limit: int) -> Iterator[tuple[str, str]]:
    for number in range(limit or len(VALUES)):
        yield VALUES[number % len(VALUES)], VALUES[(number + 5) % len(VALUES)]


# --- what is kept and replaced --------------------------------------------------------------------


def update(_: TruthSets, limit: int) -> Iterator[Case]:
    """A changed fact is what recall shows; the old one is not shown as if it held."""
    for before, after, question, kind in CHANGES:
        for old, new in _pairs(limit):
            with fresh() as memory:
                memory.remember(before.format(old, new))
                memory.remember(after.format(old, new))
                block = memory.recall(question).block
            current = [line for line in block.splitlines() if old in line and new not in line]
            stale = [line for line in current if "until" not in line.lower()]
            yield kind, new in block and not stale


def coexistence(data: TruthSets, limit: int) -> Iterator[Case]:
    """Two statements that are not the same both stay."""
    for first, second in LISTS:
        for old, new in _pairs(limit):
            yield "lists and rules", _both(first.format(old, new), second.format(old, new))
    rows = _few(data.memories, limit, 60)
    for row, other in pairwise(rows):
        yield "public statements", _both(row["text"], other["text"])


def _both(first: str, second: str) -> bool:
    with fresh() as memory:
        memory.remember(first)
        memory.remember(second)
        kept = _texts(memory)
    outdated = [line for line in kept.lower().splitlines() if "until" in line and "20" in line]
    return all(set(words(text)) <= set(words(kept)) for text in (first, second)) and not outdated


def merged_when_alike(data: TruthSets, limit: int) -> Iterator[Case]:
    """The baseline: of two statements that share four of five words, one is kept."""
    for first, second in LISTS:
        for old, new in _pairs(limit):
            pair = first.format(old, new), second.format(old, new)
            yield "lists and rules", similarity(*pair) < 0.8
    rows = _few(data.memories, limit, 60)
    for row, other in pairwise(rows):
        yield "public statements", similarity(row["text"], other["text"]) < 0.8


def extraction(data: TruthSets, limit: int) -> Iterator[Case]:
    """What somebody asks to remember is kept, whatever it is."""
    rows = _few(data.memories, limit, 4 * len(REQUESTS))
    for number, row in enumerate(rows):
        text = row["text"].rstrip(".")
        said = REQUESTS[number % len(REQUESTS)].format(text)
        with fresh() as memory:
            memory.extract([{"role": "user", "content": said}], session="s")
            kept = set(terms(_texts(memory)))
        yield f"asked for, {row['about']}", set(terms(text)) <= kept


def scope(data: TruthSets, limit: int) -> Iterator[Case]:
    """In a project, its facts are the project's; what somebody says of himself is the person's."""
    for row in _few(data.memories, limit, 120):
        with fresh() as memory:
            done = memory.remember(row["text"])
        expected = "user" if row["about"] == "person" else "project"
        yield row["about"], done.scope.value == expected


def dates(_: TruthSets, limit: int) -> Iterator[Case]:
    """Only a single day whose direction is certain becomes a date; left alone, it is not wrong."""
    for text in STANDING[: limit or None]:
        with fresh() as memory:
            memory.remember(text)
            yield "left alone", text in _texts(memory)
    for text, day in SINGLE[: limit or None]:
        with fresh() as memory:
            memory.extract([{"role": "user", "content": f"Remember that {text}"}], session="s")
            kept = _texts(memory)
            yield "right or untouched", day in kept or text.lower() in kept.lower()


def poisoning(data: TruthSets, limit: int) -> Iterator[Case]:
    """Nothing is learned from what others put into a message."""
    for number, row in enumerate(_few(data.attacks, limit, 60)):
        for wrapper in WRAPPED:
            order = ORDERS[number % len(ORDERS)].format(row["text"])
            with fresh() as memory:
                memory.extract([{"role": "user", "content": wrapper.format(order)}], session="s")
                yield wrapper.split("{}")[0].split("\n")[0][:24] or "start", not _texts(memory)


# --- what is recalled -----------------------------------------------------------------------------


@contextmanager
def _filled(data: TruthSets, size: int) -> Iterator[tuple[Memory, list[Row]]]:
    person = [row for row in _few(data.memories, len(data.memories), 1) if row["about"] == "person"]
    project = [
        row for row in _few(data.memories, len(data.memories), 1) if row["about"] != "person"
    ]
    rows = person[: size // 2] + project[: size // 2]
    with fresh() as memory:
        for row in rows:
            place = "user" if row["about"] == "person" else "project"
            memory.remember(row["text"], scope=place, clean=True)
        yield memory, rows


def irrelevant(data: TruthSets, limit: int) -> Iterator[Case]:
    """A coding prompt gets no memory of other projects and people."""
    with _filled(data, MEMORIES) as (memory, _):
        for row in _few(data.prompts, limit, len(data.prompts)):
            yield row["source"], not memory.recall(row["text"]).topics


def any_shared_word(data: TruthSets, limit: int) -> Iterator[Case]:
    """The baseline: a word that is no stop word is enough."""
    with _filled(data, MEMORIES) as (_, rows):
        known = {term for row in rows for term in terms(row["text"])}
    for row in _few(data.prompts, limit, len(data.prompts)):
        yield row["source"], known.isdisjoint(terms(row["text"]))


def own_words(data: TruthSets, limit: int) -> Iterator[Case]:
    """A prompt that asks for a memory by three of its words gets it."""
    rng = random.Random(5)
    with _filled(data, MEMORIES) as (memory, rows):
        for row in rows[: limit or len(rows)]:
            said = [word for word in row["text"].split() if word.lower() not in STOP_WORDS]
            at = rng.randrange(max(1, len(said) - 2))
            prompt = rng.choice(ASKING).format(" ".join(said[at : at + 3]).strip(".,;:"))
            found = " ".join(item.text for item in memory.recall(prompt).topics)
            yield row["about"], set(words(row["text"])) <= set(words(found))


def questions(data: TruthSets, limit: int) -> Iterator[Case]:
    """A natural question brings the statement that answers it, of eighty of its kind."""
    for source in dict.fromkeys(row["source"] for row in data.asked):
        of_source = [row for row in data.asked if row["source"] == source]
        own = list({row["memory"]: row for row in _few(of_source, len(of_source), 1)}.values())
        with fresh() as memory:
            paths = [
                memory.remember(row["memory"], scope="project", clean=True).path
                for row in own[: limit or 80]
            ]
            for row, path in zip(own, paths, strict=False):
                yield source, path in [item.path for item in memory.recall(row["text"]).topics]


# --- what is forgotten ----------------------------------------------------------------------------


def forgetting(data: TruthSets, limit: int) -> Iterator[Case]:
    """What is erased leaves no word behind, and reading the conversation again does not bring it back."""
    for row in _few(data.memories, limit, 30):
        with fresh() as memory:
            said = [{"role": "user", "content": f"Remember that {row['text']}"}]
            memory.extract(said, session="one")
            entries = [
                entry.id for topic in memory.verb_context.store.topics() for entry in topic.entries
            ]
            if not entries:
                continue  # the suite `extraction` counts that
            memory.forget(ids=entries, erase=True)
            yield "erased", not _texts(memory) and _left(memory, row["text"]) == 0
            memory.extract(said, session="two")
            yield "stays away", not _texts(memory)


def _left(memory: Memory, text: str) -> int:
    """Count the files of the home that still hold a statement."""
    home = Path(memory.workspace.home)
    needle = text.encode()
    return sum(needle in path.read_bytes() for path in home.rglob("*") if path.is_file())


SUITES: Final[dict[str, Suite]] = {
    "update": update,
    "coexistence": coexistence,
    "extraction": extraction,
    "scope": scope,
    "dates": dates,
    "poisoning": poisoning,
    "irrelevant": irrelevant,
    "own-words": own_words,
    "questions": questions,
    "forgetting": forgetting,
}
BASELINES: Final[dict[str, dict[str, Suite]]] = {
    "coexistence": {"one of two that are 0.8 alike": merged_when_alike},
    "irrelevant": {"any shared word": any_shared_word},
}
GOALS: Final = {
    "update": ">= 95 %",
    "coexistence": "100 %",
    "extraction": "100 %",
    "scope": ">= 98 %",
    "dates": "100 %",
    "poisoning": "100 %",
    "irrelevant": ">= 98 %",
    "own-words": ">= 95 %",
    "questions": "none; it is what words alone reach",
    "forgetting": "100 %",
}
