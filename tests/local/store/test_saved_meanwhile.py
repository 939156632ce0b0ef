"""An editor that saves in the very moment of a write: its text stays, and history has a step for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reverie.errors import StaleBase, UndoConflict
from reverie.local.disk import swapping
from reverie.local.disk.rooted import folder_below
from reverie.local.store.hand_edits import HandEdits
from reverie.memory import Memory
from tests.torture.test_verbs import check_history

HARBOUR = "The otter sleeps in the harbour"
NAME = "project/the-otter-sleeps-in-the-harbour.md"


def save(path: Path, text: str) -> None:
    """Save as an editor does: write it anew beside the file, and rename it into place."""
    fresh = path.with_name("fresh~")
    fresh.write_text(text)
    fresh.chmod(0o600)
    fresh.replace(path)


def after(monkeypatch, owner, name, act):
    """Let something happen once, right after a step of ours."""
    step = getattr(owner, name)
    left = [act]

    def wrapped(*args, **kwargs):
        try:
            return step(*args, **kwargs)
        finally:
            if left:
                left.pop()()

    monkeypatch.setattr(owner, name, wrapped)


def before(monkeypatch, owner, name, act):
    """Let something happen once, right before a step of ours."""
    step = getattr(owner, name)
    left = [act]

    def wrapped(*args, **kwargs):
        if left:
            left.pop()()
        return step(*args, **kwargs)

    monkeypatch.setattr(owner, name, wrapped)


def moments(memory: Memory):
    """Every step of a write between which an editor can save, by name."""
    store, journal = type(memory.store), type(memory.journal)
    return {
        "before planning": (before, store, "_plan"),
        "after planning": (after, store, "_plan"),
        "after recording hands": (after, HandEdits, "record"),
        "after staging": (after, store, "_stage"),
        "after the run is recorded": (after, journal, "begin"),
        "before the texts change places": (before, swapping, "_exchange"),
        "after the texts changed places": (after, swapping, "_exchange"),
        "before the text is taken away": (before, swapping, "remove"),
        "after the look at the old text": (after, swapping, "_says"),
        "before the run is done": (before, journal, "finish"),
        "after the run is done": (after, journal, "finish"),
    }


MOMENTS = [
    "before planning", "after planning", "after recording hands", "after staging",
    "after the run is recorded", "before the texts change places", "after the texts changed places",
    "before the text is taken away", "after the look at the old text", "before the run is done",
    "after the run is done",
]  # fmt: skip
VERBS = {
    "update": lambda memory: memory.update(NAME, f"{HARBOUR}, beside the lighthouse"),
    "add": lambda memory: memory.remember(f"{HARBOUR}, beside the lighthouse", kind="project"),
    "edit": lambda memory: memory.pin("project", NAME),
    "forget": lambda memory: memory.forget(HARBOUR),
    "erase": lambda memory: memory.forget(HARBOUR, erase=True),
    "undo": lambda memory: memory.undo(memory.log(limit=1)[0].id),
    "dream": lambda memory: memory.dream(force=True),
}


@pytest.fixture
def topic(memory):
    return Path(memory.remember(HARBOUR, kind="project").path)


WINDOW = ("after the look at the old text", "before the texts change places")
"""Where texts cannot change places, a hand that saves here is not seen."""


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("moment", "exchanging"),
    [*((moment, True) for moment in MOMENTS),
     *((moment, False) for moment in MOMENTS if moment not in WINDOW)],
)  # fmt: skip
def test_what_a_hand_saved_stays_and_history_is_linear(
    memory, topic, monkeypatch, moment, verb, exchanging
):
    if not exchanging:
        monkeypatch.setattr(swapping, "_system_call", lambda: swapping._not_there)
    saved = []

    def hand():
        saved.append(topic.exists())
        if topic.exists():
            save(topic, f"{topic.read_text().rstrip()}, added by hand.\n")

    way, owner, name = moments(memory)[moment]
    with monkeypatch.context() as patched:
        way(patched, owner, name, hand)
        try:
            VERBS[verb](memory)
        except (StaleBase, UndoConflict):  # told, and nothing was done
            assert verb in ("undo", "edit")
    assert memory.verify().ok
    if verb != "erase":  # which takes the words out of history as well
        check_history(memory)
        history = [text or "" for _, text in memory.journal.history(str(topic))]
        assert any("by hand" in text for text in history) is any(saved)
    assert not list(topic.parent.glob(".*")), "no temporary file is left"


def test_a_file_that_a_hand_puts_back_after_it_was_removed_is_a_step(memory, topic):
    text = topic.read_text()
    memory.forget(HARBOUR)
    save(topic, text)
    assert [delta.before for delta in memory.store.edits()] == [None]
    assert memory.store.notice_edits() == [str(topic)]
    check_history(memory)


def test_a_hand_that_was_faster_with_a_new_file_keeps_it(memory, monkeypatch):
    folder = Path(memory.workspace.project_memory, "project")
    memory.undo(memory.remember("The folder is there", kind="project").run)
    mine = folder / "the-otter-sleeps-in-the-harbour.md"
    hand = "---\nname: mine\ntype: project\n---\n\nWritten by hand.\n"
    before(monkeypatch, swapping, "_put_new", lambda: save(mine, hand))
    memory.remember(HARBOUR, kind="project")
    texts = [path.read_text() for path in folder.iterdir()]
    assert any("Written by hand." in text for text in texts)
    assert any(HARBOUR in text for text in texts)
    assert memory.verify().ok


@pytest.fixture
def place(tmp_path):
    made = tmp_path / "place"
    made.mkdir()
    return made


@pytest.mark.parametrize("text", ["The hand's own words.\n", "x" * 100_000, ""])
def test_whatever_stood_there_goes_back(place, text):
    (place / "a.md").write_text(text)
    with folder_below(place, place) as folder:
        staged = folder.stage("a.md", b"ours", private=True)
        with pytest.raises(StaleBase):
            swapping.put(staged, "what was planned on")
        with pytest.raises(StaleBase):
            swapping.remove(folder, "a.md", "what was planned on")
    assert (place / "a.md").read_text() == text
    assert [path.name for path in place.iterdir()] == ["a.md"]


def test_a_folder_that_stands_there_by_now_goes_back(place):
    (place / "a.md").write_text("planned on")
    with folder_below(place, place) as folder:
        staged = folder.stage("a.md", b"ours", private=True)
        (place / "a.md").unlink()
        (place / "a.md").mkdir()
        with pytest.raises(StaleBase):
            swapping.put(staged, "planned on")
    assert (place / "a.md").is_dir()
    assert [path.name for path in place.iterdir()] == ["a.md"]


def test_an_editor_that_saves_again_while_its_text_goes_back_keeps_the_newer_one(
    place, monkeypatch
):
    path = place / "a.md"
    path.write_text("first by hand")
    with folder_below(place, place) as folder:
        staged = folder.stage("a.md", b"ours", private=True)
        after(monkeypatch, swapping, "_says", lambda: save(path, "second by hand"))
        with pytest.raises(StaleBase):
            swapping.put(staged, "planned on")
    assert path.read_text() == "second by hand"
    assert [path.name for path in place.iterdir()] == ["a.md"]


def test_what_was_displaced_when_the_process_died_goes_back(open_memory, monkeypatch):
    memory = open_memory()
    topic = Path(memory.remember(HARBOUR, kind="project").path)
    hand = f"{topic.read_text()}\nThe heron was added by hand.\n"

    class Killed(BaseException):
        """The process ends here."""

    def die(*_):
        raise Killed

    real = swapping._exchange

    def exchange(*args):
        save(topic, hand)
        patched.setattr(swapping, "_says", die)
        real(*args)

    with monkeypatch.context() as patched:
        patched.setattr(swapping, "_exchange", exchange)
        with pytest.raises(Killed):
            memory.update(NAME, f"{HARBOUR}, beside the lighthouse")
    memory.close()
    [left] = [path for path in topic.parent.iterdir() if path.name.startswith(".")]
    # As if its process were gone: one with this number is not there.
    left.rename(left.with_name(left.name.replace(f".{os.getpid()}.", ".4194305.")))
    with open_memory() as memory:
        assert topic.read_text() == hand
        check_history(memory)
        assert memory.verify().ok
    assert not list(topic.parent.glob(".*"))
