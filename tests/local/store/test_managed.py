"""Topics in memory: what was read whole is let go when nobody needs it, and read again when somebody does."""

from __future__ import annotations

from pathlib import Path

from reverie.local.store.managed import let_go_of_topics
from reverie.types import Scope, Topic

SAID = ("The harbour opens at seven", "We deploy on Tuesdays", "Tea is green", "Tabs, not spaces")


def whole(folder):
    return [rel for rel, there in folder._read.items() if isinstance(there, Topic)]


def test_topics_that_were_read_whole_are_let_go_and_read_again_the_same(open_memory):
    memory = open_memory()
    for text in SAID:
        memory.remember(text, scope="user")
    memory.recall("when do we deploy")
    folder = memory.store.folders[Scope.USER]
    before = folder.topics()
    assert len(whole(folder)) == len(before) == len(SAID)
    assert let_go_of_topics() >= len(SAID)
    assert not whole(folder)
    path = Path(before[0].path)
    assert folder.topics() == before
    assert let_go_of_topics() >= len(SAID)
    path.write_text(path.read_text().replace(before[0].entries[0].summary, "Changed by hand"))
    changed = {topic.path: topic.text for topic in folder.topics()}
    assert "Changed by hand" in changed[str(path)]
    memory.forget("green tea")
    assert len(folder.topics()) == len(SAID) - 1


def test_a_memory_that_is_closed_keeps_what_it_has(open_memory):
    memory = open_memory()
    memory.remember(SAID[0], scope="user")
    folder = memory.store.folders[Scope.USER]
    assert folder.topics()
    assert whole(folder)
    memory.close()
    assert folder.let_go() == 0
