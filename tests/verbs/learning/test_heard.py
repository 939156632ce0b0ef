"""Heard: said once it waits beside the memory, said again it is kept, and a person decides the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from reverie.core.learning.heard import heard_path
from reverie.errors import HeardNotFound, InvalidInput
from reverie.testing import ScriptedModel
from reverie.types import Extracted, Scope

PLAIN = "Our parser lives in src/parse.rs."
STATED = PLAIN[:-1]
OWN = "My sister lives near Ghent."


def talk(memory, text, session, **facts):
    return memory.extract([{"role": "user", "content": text, **facts}], session=session)


def kept(memory):
    return sorted(entry.summary for topic in memory.store.topics() for entry in topic.entries)


def waiting(memory):
    return [item.summary for item in memory.heard()]


def test_what_is_not_clear_waits_with_its_turn_and_is_not_memory(memory):
    done = talk(memory, f"{PLAIN} {OWN}", "s1", id="u1")
    assert isinstance(done, Extracted)
    assert (done.patches, [item.summary for item in done.heard]) == ((), [STATED, OWN[:-1]])
    assert kept(memory) == []
    found = {item.summary: (item.scope, item.session, item.turn) for item in memory.heard()}
    assert found == {
        STATED: (Scope.PROJECT, "s1", "u1"),
        OWN[:-1]: (Scope.USER, "s1", "u1"),
    }


def test_nothing_recalls_or_searches_what_was_heard(memory):
    talk(memory, PLAIN, "s1")
    assert memory.recall("where does our parser live?").block == ""
    assert memory.search("parser src/parse.rs", min_score=0).results == ()
    assert "parse.rs" not in memory.prompt("parser").text


def test_said_again_elsewhere_it_is_kept_and_waits_no_longer(memory):
    talk(memory, PLAIN, "s1")
    assert talk(memory, "  our parser lives in src/parse.rs", "s2").patches[0].action == "added"
    assert (kept(memory), memory.heard()) == ([STATED], [])


def test_said_again_in_the_same_conversation_it_waits(memory):
    talk(memory, PLAIN, "s1")
    memory.extract(
        [{"role": "user", "content": PLAIN}, {"role": "user", "content": f"Well, {PLAIN}"}],
        session="s1",
    )
    assert (kept(memory), waiting(memory)) == ([], [STATED])


def test_a_conversation_that_was_copied_says_nothing_again(memory):
    facts = {"id": "u1", "timestamp": "2026-05-01T10:00:00Z"}
    talk(memory, PLAIN, "s1", **facts)
    talk(memory, PLAIN, "s1-resumed", **facts)
    assert kept(memory) == []
    talk(memory, PLAIN, "s2", id="u2", timestamp="2026-05-01T11:00:00Z")
    assert kept(memory) == [STATED]


def test_keeping_is_one_run_and_undoing_it_brings_it_back_to_wait(memory):
    talk(memory, f"{PLAIN} {OWN}", "s1")
    (first, second) = memory.heard()
    done = memory.keep_heard("1")
    assert [item.id for item in done.items] == [first.id]
    assert (kept(memory), waiting(memory)) == ([first.summary], [second.summary])
    memory.undo(done.run)
    assert (kept(memory), len(memory.heard())) == ([], 2)


def test_what_was_dropped_is_not_heard_again_and_leaves_no_word(memory):
    talk(memory, PLAIN, "s1")
    done = memory.drop_heard(memory.heard()[0].id)
    again = talk(memory, PLAIN, "s2")
    assert (kept(memory), memory.heard(), again.heard) == ([], [], ())
    assert [item.reason for item in again.dropped] == ["heard_dropped"]
    file = Path(heard_path(memory.workspace, Scope.PROJECT))
    assert "parser" not in file.read_text()
    memory.undo(done.run)
    assert waiting(memory) == [STATED]


def test_a_person_who_asks_for_it_gets_what_was_dropped(memory):
    talk(memory, PLAIN, "s1")
    memory.drop_heard("1")
    talk(memory, f"Remember that {PLAIN}", "s2")
    assert kept(memory) == [STATED]


@pytest.mark.parametrize("do", ["keep_heard", "drop_heard"])
def test_a_dry_run_changes_nothing_and_an_unknown_name_is_told(memory, do):
    talk(memory, PLAIN, "s1")
    assert getattr(memory, do)("1", dry_run=True).run == ""
    assert (kept(memory), waiting(memory)) == ([], [STATED])
    with pytest.raises(HeardNotFound):
        getattr(memory, do)("2")
    with pytest.raises(InvalidInput):
        getattr(memory, do)()


def test_what_was_forgotten_is_neither_heard_nor_kept(memory, clock):
    talk(memory, f"Remember that {PLAIN}", "s1")
    memory.forget(ids=[memory.store.topics()[0].path])
    old = {"timestamp": "2026-01-01T00:00:00Z"}
    for session in ("s2", "s3"):
        done = talk(memory, PLAIN, session, **old)
        assert [item.reason for item in done.dropped] == ["forgotten"]
    assert (kept(memory), memory.heard()) == ([], [])


def test_what_was_forgotten_while_it_waited_is_not_shown(memory, clock):
    talk(memory, PLAIN, "s1")
    clock.advance(hours=1)
    memory.remember(PLAIN)
    memory.forget(ids=[memory.store.topics()[0].path])
    assert memory.heard() == []


def test_what_is_known_is_not_heard(memory):
    memory.remember(STATED)
    assert talk(memory, PLAIN, "s1").heard == ()


def test_it_expires_and_the_oldest_makes_room_and_both_are_told(open_memory, clock):
    memory = open_memory(settings={"extract.heard_limit": 2})
    for number in range(3):
        clock.advance(minutes=1)
        done = talk(memory, f"Our service number {number} runs in Ghent.", f"s{number}")
    assert [(item.what, item.reason) for item in done.dropped] == [
        ("Our service number 0 runs in Ghent", "heard_full")
    ]
    assert len(memory.heard()) == 2
    clock.advance(days=31)
    assert memory.heard() == []
    done = talk(memory, "Our mill grinds in Ghent. Our mill is in Ghent.", "s9")
    assert {item.reason for item in done.dropped} == {"heard_expired"}


def test_a_secret_is_not_heard(memory):
    done = talk(memory, "Our token is ghp_16C7e42F292c6912E7710c838347Ae178B4a.", "s1")
    assert memory.heard() == []
    for path in Path(memory.workspace.home).rglob("heard.md"):
        assert "ghp_" not in path.read_text()
    assert done.heard == ()


def test_with_a_dry_run_what_would_be_heard_is_told_and_nothing_is_written(memory):
    done = memory.extract([{"role": "user", "content": PLAIN}], session="s1", dry_run=True)
    assert [item.summary for item in done.heard] == [STATED]
    assert memory.heard() == []


def test_a_model_judges_what_waits_once(open_memory):
    memory = open_memory()
    talk(memory, f"{PLAIN} {OWN}", "s1", id="u1")
    named = {item.summary: item.id for item in memory.heard()}
    proposed = {"kind": "project", "summary": STATED, "quote": STATED, "turn": named[STATED]}
    model = ScriptedModel({"memories": [proposed]}, {"memories": []})
    memory = open_memory(model=model)
    done = talk(memory, "Thanks, that is all for this week.", "s2")
    assert [(patch.turn, patch.heard) for patch in done.patches] == [("u1", named[STATED])]
    assert (kept(memory), waiting(memory)) == ([STATED], [OWN[:-1]])
    talk(memory, "Bye for now, see you soon.", "s3")
    first, second = ("".join(item.text for item in call.messages) for call in model.calls)
    assert "near Ghent" in first
    assert "near Ghent" not in second


def test_what_the_rules_found_and_the_model_did_not_want_is_heard(open_memory):
    memory = open_memory(model=ScriptedModel({"memories": []}))
    done = talk(memory, "I prefer tabs over spaces in Go code.", "s1")
    assert (kept(memory), [item.judged for item in done.heard]) == ([], [True])


def test_erasing_everywhere_reaches_what_was_heard(memory):
    talk(memory, f"{PLAIN} {OWN}", "s1")
    memory.remember(STATED)
    memory.forget(STATED, erase=True, everywhere=True)
    file = Path(heard_path(memory.workspace, Scope.PROJECT))
    assert not file.exists() or "parser" not in file.read_text()
    assert waiting(memory) == [OWN[:-1]]


def test_what_was_heard_of_the_person_waits_for_every_project(open_memory, tmp_path):
    talk(open_memory(), OWN, "s1")
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    talk(open_memory(other), OWN, "s2")
    assert kept(open_memory()) == [OWN[:-1]]
