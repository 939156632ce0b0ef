"""Contention reaches nobody: whatever many do at once to one memory, nothing is refused or lost."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from reverie.memory import Memory
from tests.conftest import settle
from tests.verbs.crowd import ACTS, WORDS, prepare, refused

PEOPLE = ["ann", "bob", "cat", "dan"]
TIMES = 5
SETTINGS = {"memory.lock_wait_seconds": 300}  # a busy machine is not a fault
ROOT = Path(__file__).parents[2]


def context(memory: Memory) -> str:
    return Path(memory.workspace.base, "AGENTS.md").read_text(encoding="utf-8")


def entries(memory: Memory) -> str:
    return "\n".join(topic.text for topic in memory.store.topics())


def turns(memory: Memory) -> str:
    return str(memory.layers.history.latest(1000))


def archived(memory: Memory) -> str:
    found = Path(memory.workspace.base).rglob("*.md")
    return "\n".join(path.read_text(encoding="utf-8") for path in found)


def notes(memory: Memory) -> str:
    return "\n".join(note.text for note in memory.layers.notes().notes)


def mapped(memory: Memory) -> str:
    return "\n".join(note.title for note in memory.layers.note_map("the map").links)


KEPT: dict[str, tuple[Callable[[Memory], str], str]] = {
    "save": (context, "- fact {number} of {who}\n"),
    "remember": (entries, "Note {number} of {who} is kept"),
    "note": (notes, "words {number} of {who}\n"),
    "note_map": (mapped, "{who} {number}"),
    "working": (lambda memory: memory.layers.working(), "{who} {number}\n"),
    "history": (turns, "'{who} {number}'"),
    "import_": (entries, "from {who}, number {number}\n"),
    "archive": (archived, "- fact {number} of {who}\n"),
    "pin": (entries, "Pin {number} of {who}"),
    "dream": (entries, "Dream {number} of {who}"),
    "extract": (entries, "in {who}{number} files"),
}
"""Where each thing stands afterwards, and in which words."""
GONE: dict[str, tuple[Callable[[Memory], str], str]] = {
    "forget": (entries, "Sentence {word} of {who}"),
    "undo": (context, "- fact {number} of {who}\n"),
}


def check(memory: Memory, act: str, people: list[str], times: int) -> None:
    """Count what is left: every kept thing, no thing that was to go, and one whole text of all."""
    each = [
        {"who": who, "number": str(number), "word": WORDS[number]}
        for who in people
        for number in range(times)
    ]
    if act in KEPT:
        look, words = KEPT[act]
        text = look(memory)
        assert [names for names in each if words.format(**names) not in text] == []
    elif act in GONE:
        look, words = GONE[act]
        text = look(memory)
        assert [names for names in each if words.format(**names) in text] == []
    elif act.startswith("replace"):
        assert context(memory) in {"{who} {number}\n".format(**names) for names in each}
    assert memory.verify().problems == ()


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """Four processes that do what they are told."""
    with pytest.MonkeyPatch.context() as patch:
        settle(tmp_path_factory.mktemp("home"), patch)
        started = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.verbs.crowd"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=ROOT,
            )
            for _ in PEOPLE
        ]
    yield started
    for one in started:
        one.communicate()
    assert [one.returncode for one in started] == [0, 0, 0, 0]


@pytest.mark.slow
@pytest.mark.parametrize("act", ACTS)
def test_four_processes_are_refused_nothing(act, project, tmp_path, crowd):
    home = str(tmp_path / "base")
    with Memory.open(project, home=home, settings=SETTINGS) as memory:
        prepare(memory, act, PEOPLE, TIMES)
    for one, who in zip(crowd, PEOPLE, strict=True):
        one.stdin.write(json.dumps([act, str(project), home, who, TIMES]) + "\n")
        one.stdin.flush()
    assert [json.loads(one.stdout.readline()) for one in crowd] == [[], [], [], []]
    with Memory.open(project, home=home, settings=SETTINGS) as memory:
        check(memory, act, PEOPLE, TIMES)


@pytest.mark.slow
@pytest.mark.parametrize("act", ACTS)
def test_twenty_threads_are_refused_nothing(act, project, tmp_path):
    people = [f"t{number}" for number in range(20)]
    with Memory.open(project, home=tmp_path / "base", settings=SETTINGS) as memory:
        prepare(memory, act, people, 1)
        with ThreadPoolExecutor(len(people)) as pool:
            told = list(pool.map(lambda who: refused(act, memory, who, 1), people))
        assert [words for answer in told for words in answer] == []
        check(memory, act, people, 1)
