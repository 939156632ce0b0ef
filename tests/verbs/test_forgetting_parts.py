"""Forgetting one part of a memory: nothing that is left tells of it, and after an erasure no byte does."""

from __future__ import annotations

import re
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reverie.core.text.stopwords import STOP_WORDS
from reverie.core.text.words import words
from reverie.memory import Memory
from tests.conftest import NO_MODEL

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)

# Words that stand in no file of ours, in several scripts, so that each trace of one is a trace of it.
_NAMES = """
    quokka zebrawood Xylander Würzmeister jalapeño Žižkov пельмени Тихомиров φεγγάρι Oxymoron vuvuzela 4711
    10.8.0.77 krypton-9 baobab Nganga pterodactyl"""
_WORDS = st.sampled_from(_NAMES.split())
_LINKING = st.sampled_from(
    ["lives near", "was sold by", "beats", "waits for", "mag", "любит", "préfère"]
)
_SENTENCE = st.builds(
    lambda one, link, two: f"{one[0]} {link} {' '.join(one[1:] + two)}",
    st.lists(_WORDS, min_size=1, max_size=4),
    _LINKING,
    st.lists(_WORDS, min_size=1, max_size=25),
)
_UNSPACED = st.sampled_from(
    ["鲍勃住在里斯本的海边", "爱丽丝养了三只白色的猫", "夜間バッチは札幌で動く"]
)
_PARTS = st.lists(
    _SENTENCE | _UNSPACED, min_size=2, max_size=5, unique_by=lambda text: text.lower()
)


def told(gone: str, left: str) -> set[str]:
    """Return the words that are gone and stand in nothing that is left."""
    return set(words(gone)) - set(words(left)) - STOP_WORDS


def readable(text: str) -> set[str]:
    return set(words(re.sub(r"[-_/]", " ", text)))


@pytest.mark.parametrize("erase", [False, True])
@settings(max_examples=8, deadline=None)
@example(parts=["quokka lives near quokka", "quokka lives near zebrawood"], at=0, indexed=False)
@example(parts=["quokka lives near jalapeño", "quokka lives near zebrawood"], at=0, indexed=False)
@given(parts=_PARTS, at=st.integers(0, 4), indexed=st.booleans())
@pytest.mark.slow
def test_no_word_of_a_part_that_goes_stays_where_it_can_be_seen(erase, parts, at, indexed):
    gone = parts[at % len(parts)]
    left = [part for part in parts if part != gone]
    with tempfile.TemporaryDirectory() as folder:
        home, project = Path(folder, "home"), Path(folder, "project")
        project.mkdir()
        with Memory.open(project, home=home, env=NO_MODEL, clock=lambda: NOW) as memory:
            made = memory.remember("\n".join(f"- {part}" for part in parts), scope="user")
            link = f"Look at [[{made.entry.removesuffix('.md')}]] first"
            memory.remember(link, scope="user", name="a pointer")
            if indexed:
                memory.index()
            number = next(
                entry.id
                for topic in memory.store.topics()
                for entry in topic.entries
                if entry.summary == gone
            )
            outcome = memory.forget(ids=[number], erase=erase)
            lost = told(gone, "\n".join(left))
            topics = memory.store.topics()
            for topic in topics:
                shown = f"{topic.rel} {topic.name} {topic.description} {topic.text}"
                assert lost.isdisjoint(readable(shown)), topic
            assert lost.isdisjoint(readable(Path(home, "memories", "MEMORY.md").read_text("utf-8")))
            kept = [entry.summary for topic in topics for entry in topic.entries]
            assert set(left) <= set(kept)
            names = {topic.rel.removesuffix(".md") for topic in topics}
            linked = re.findall(r"\[\[([^\]]+)\]\]", "\n".join(topic.text for topic in topics))
            assert set(linked) <= names, "a link leads nowhere"
            traces = memory.verify_forgotten(outcome.receipt).problems
            # Only an erasure purges the index; the check says how to, as the page about it does.
            assert erase is False or traces == ()
            assert {item.fix for item in traces} <= {"reverie index --purge"}
            assert memory.verify().problems == ()
            if not erase:
                memory.undo(outcome.run)
                again = [e.summary for topic in memory.store.topics() for e in topic.entries]
                assert gone in again
        if erase:
            assert_no_byte_of(gone, home, left="\n".join(left))


def assert_no_byte_of(gone: str, home: Path, *, left: str) -> None:
    """Look for the text as a person wrote it, and for the beginning of it that a title keeps.

    What is left may say the same beginning.
    """
    named = left.lower().replace(" ", "-")
    starts = {gone, gone[:24], gone.lower().replace(" ", "-")[:16]}
    starts = {start for start in starts if start not in left and start not in named}
    for path in home.rglob("*"):
        for start in starts:
            assert start not in path.name
            if path.is_file():
                data = path.read_bytes()
                assert start.encode() not in data, path


def test_the_former_wordings_of_what_is_erased_go_with_it(tmp_path):
    home, project = tmp_path / "home", tmp_path / "project"
    project.mkdir()
    with Memory.open(project, home=home, env=NO_MODEL, clock=lambda: NOW) as memory:
        memory.remember("I live in Quokkastadt near the old harbour", scope="user")
        made = memory.remember("I now live in Zebraville near the old harbour", scope="user")
        assert made.action == "superseded"
        memory.forget(ids=[made.entry], erase=True)
        assert memory.store.topics() == []
    for path in home.rglob("*"):
        for word in ("quokkastadt", "zebraville"):
            assert word not in path.name.lower()
            assert not path.is_file() or word.encode() not in path.read_bytes().lower(), path


def test_the_receipt_of_an_erasure_tells_what_holds_the_words_beside_memory(tmp_path):
    home, project = tmp_path / "home", tmp_path / "project"
    project.mkdir()
    with Memory.open(project, home=home, env=NO_MODEL, clock=lambda: NOW) as memory:
        memory.layers.add_note("The launch codename is quokkaberry, they say")
        memory.remember("The launch codename is quokkaberry", scope="user")
        gone = memory.forget("launch codename", erase=True)
        assert [(item.kind, item.code) for item in gone.left] == [("notes", "not_asked")]
        assert "--everywhere" in gone.left[0].reason
        assert gone.receipt.left == gone.left
        assert memory.verify().problems == ()


def test_the_receipt_of_a_plain_forget_says_that_the_journal_keeps_it(tmp_path):
    (tmp_path / "project").mkdir()
    with Memory.open(tmp_path / "project", home=tmp_path / "home", env=NO_MODEL) as memory:
        memory.remember("The launch codename is quokkaberry", scope="user")
        gone = memory.forget("launch codename")
        assert [item.code for item in gone.receipt.left] == ["for_undo", "not_asked"]
        assert memory.forget("launch codename").left == ()
