"""What a session was told: one answer for an event, no memory twice."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from reverie.core.showing.fence import fence
from reverie.hooks import session
from reverie.hooks.session import Session


def block(*texts: str) -> str:
    sections = [f"### {text} (project/{text}.md)\nSaved today.\n\n{text} it is" for text in texts]
    return fence("\n\n".join(["## Relevant memory\n\nNotes.", *sections]))


@pytest.fixture
def state(tmp_path) -> str:
    return str(tmp_path / "state")


def test_of_two_hooks_that_run_together_one_answers(state):
    first, second = Session(state, "s"), Session(state, "s")
    began = time.time()
    assert first.claim("prompt.1", since=began)
    assert not second.claim("prompt.1", since=began)
    first.answered()
    assert not second.claim("prompt.1", since=began)  # it began before the first had answered


def test_a_plugin_and_an_installation_answer_once_also_on_a_busy_machine(state):
    installed = Session(state, "s")
    assert installed.claim("prompt.1", since=time.time())
    installed.answered()
    later = time.time() + session.TOGETHER_SECONDS / 2
    plugin = Session(state, "s", of_plugin=True)
    assert not plugin.claim("prompt.1", since=later)
    assert plugin.claim("prompt.1", since=later + session.TOGETHER_SECONDS)
    plugin.answered()
    assert not Session(state, "s").claim("prompt.1", since=time.time() + 1)


def test_the_same_words_later_are_another_event(state):
    first = Session(state, "s")
    assert first.claim("prompt.1", since=time.time())
    first.answered()
    later = time.time() + 1
    assert Session(state, "s").claim("prompt.1", since=later)
    assert not Session(state, "s").claim("prompt.1", since=later)


def test_other_sessions_and_prompts_are_not_held_up(state):
    began = time.time()
    assert Session(state, "s").claim("prompt.1", since=began)
    assert Session(state, "s").claim("prompt.2", since=began)
    assert Session(state, "t").claim("prompt.1", since=began)


def test_a_claim_that_was_given_back_can_be_made_again(state):
    first = Session(state, "s")
    assert first.claim("briefed")
    assert not Session(state, "s").claim("briefed")
    first.release()
    assert Session(state, "s").claim("briefed")


def test_a_memory_is_shown_once_in_a_session_unless_it_changed(state):
    one = Session(state, "s")
    assert one.show(block("tea", "port"), "p1") == block("tea", "port")
    again = Session(state, "s").show(block("tea", "cake"), "p2")
    assert "cake it is" in again
    assert "tea it is" not in again
    assert Session(state, "s").show(block("tea"), "p3") == ""
    assert Session(state, "t").show(block("tea"), "p3") == block("tea")
    changed = block("tea").replace("it is", "it was")
    assert Session(state, "s").show(changed, "p4")


def test_an_answer_that_may_not_have_arrived_is_given_again(state):
    assert Session(state, "s").show(block("tea"), "p1") == block("tea")
    assert Session(state, "s").show(block("tea"), "p1") == block("tea")


def test_a_new_start_forgets_what_was_shown(state):
    Session(state, "s").show(block("tea"), "p1")
    Session(state, "s").note([], "", anew=True)
    assert Session(state, "s").show(block("tea"), "p2") == block("tea")


def test_names_of_files_hold_no_words_and_lead_nowhere(state):
    Session(state, "../../x y").claim(session.key_of("prompt", "my secret plan"), since=time.time())
    [made] = Path(state, session.FOLDER).iterdir()
    assert "secret" not in made.name


def test_where_the_home_cannot_be_written_the_temporary_folder_serves(tmp_path, monkeypatch):
    (tmp_path / "state").write_text("a file where the folder should be")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    state = str(tmp_path / "state")
    assert Session(state, "s").claim("briefed")
    assert not Session(state, "s").claim("briefed")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "state" / "nothing"))
    assert Session(state, "s").claim("briefed")
    assert Session(state, "s").claim("briefed")  # rather twice than never
    assert Session(state, "s").show(block("tea"), "p") == block("tea")


def test_a_temporary_folder_that_others_can_enter_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (tmp_path / "state").write_text("")
    [folder] = session.folders(str(tmp_path / "state"))
    Path(folder).chmod(0o777)
    assert list(session.folders(str(tmp_path / "state"))) == []


def test_homes_that_cannot_be_written_do_not_mix_their_sessions(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for name in ("one", "two"):
        (tmp_path / name).write_text("")
        assert Session(str(tmp_path / name), "s").show(block("tea"), "p1") == block("tea")
        assert Session(str(tmp_path / name), "s").show(block("tea"), "p2") == ""
    home = str(tmp_path / "three")
    assert Session(home, "s").show(block("tea"), "p3") == block("tea")


def test_what_sessions_of_long_ago_left_is_removed(state):
    assert Session(state, "old").claim("briefed")
    assert Session(state, "new").claim("briefed")
    folder = Path(state, session.FOLDER)
    long_ago = time.time() - session.KEPT_SECONDS - 60
    os.utime(folder / "old.briefed", (long_ago, long_ago))
    session.tidy(state)
    assert [item.name for item in folder.iterdir()] == ["new.briefed"]
