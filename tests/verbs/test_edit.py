"""Editing as a person does: on what was read, refused when that moved on or could not be read back."""

from __future__ import annotations

import pytest

from reverie.core.text.plain import digest
from reverie.errors import Conflict, InvalidContent, PathEscape, StaleBase, TopicNotFound
from reverie.types import Change, RunInfo, Scope, Skipped
from reverie.verbs.edit import is_editable


def one(memory):
    (topic,) = memory.store.topics()
    return topic


def test_an_edit_writes_what_was_given_and_undo_brings_the_old_text_back(memory):
    memory.remember("We deploy only on Tuesdays")
    topic = one(memory)
    text = topic.text.replace("Tuesdays", "Fridays")
    applied = memory.edit(topic.scope, topic.rel, text, base=digest(topic.text))
    assert one(memory).text == text
    memory.undo(applied.run)
    assert one(memory).text == topic.text


def test_an_edit_on_an_old_text_writes_nothing(memory):
    memory.remember("We deploy only on Tuesdays")
    topic = one(memory)
    with pytest.raises(StaleBase):
        memory.edit(topic.scope, topic.rel, topic.text + "more\n", base=digest("older"))
    assert one(memory).text == topic.text


@pytest.mark.parametrize("text", ["just words", "---\ntype: poem\n---\n\nx\n", ""])
def test_a_text_that_is_no_memory_is_refused(memory, text):
    memory.remember("We deploy only on Tuesdays")
    topic = one(memory)
    with pytest.raises(InvalidContent):
        memory.edit(topic.scope, topic.rel, text, base=digest(topic.text))


def test_a_memory_that_is_not_there_cannot_be_edited_or_pinned(memory):
    with pytest.raises(TopicNotFound):
        memory.edit(Scope.USER, "no.md", "x", base="y")
    with pytest.raises(TopicNotFound):
        memory.pin(Scope.USER, "../no.md")


def test_pinning_moves_the_file_as_it_is_and_keeps_its_history(memory):
    memory.remember("We deploy only on Tuesdays")
    topic = one(memory)
    done = memory.pin(topic.scope, topic.rel)
    pinned = one(memory)
    assert pinned.pinned
    assert pinned.text == topic.text
    assert pinned.rel == done.rel == f"pinned/{topic.rel}"
    assert isinstance(memory.pin(pinned.scope, pinned.rel), Skipped)
    memory.pin(pinned.scope, pinned.rel, pinned=False)
    back = one(memory)
    assert back.rel == topic.rel
    assert [run.verb for run in memory.topic_history(back)] == ["unpin", "pin", "remember"]


def test_pinning_overwrites_nothing(memory):
    memory.remember("We deploy only on Tuesdays")
    topic = one(memory)
    there = topic.path.removesuffix(topic.rel) + f"pinned/{topic.rel}"
    memory.store.apply([Change(there, topic.text, None)], RunInfo(verb="test"))
    with pytest.raises(Conflict):
        memory.pin(topic.scope, topic.rel)
    assert len(memory.store.topics()) == 2


def test_layer_files_are_made_and_edited_and_nothing_else_is(memory):
    memory.layers.edit("core/AGENT.md", "# Me\n", base=None)
    memory.layers.edit("core/AGENT.md", "# You\n", base=digest("# Me\n"))
    with pytest.raises(StaleBase):
        memory.layers.edit("core/AGENT.md", "# They\n", base=digest("# Me\n"))
    with pytest.raises(PathEscape):
        memory.layers.edit("history/state/head.md", "x", base=None)


@pytest.mark.parametrize(
    ("rel", "fine"),
    [
        ("core/AGENT.md", True),
        ("working/WORKING_MEMORY.md", True),
        ("semantic/facts.md", True),
        ("notes/zettel/1-a.md", True),
        ("notes/a.md", True),
        ("core/a/b.md", False),
        ("core/../../x.md", False),
        ("notes/../core/x.md", False),
        ("notes/.obsidian/x.md", False),
        ("core/x.txt", False),
        ("README.md", False),
        ("/core/x.md", False),
        ("core/x.md\n", False),
    ],
)
def test_which_files_are_a_persons_to_edit(rel, fine):
    assert is_editable(rel) is fine
