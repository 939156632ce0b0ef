"""Topics in memory: what was read whole is let go when nobody needs it, and read again when somebody does."""

from __future__ import annotations

from pathlib import Path

from reverie.local.resting import opened
from reverie.types import Scope

SAID = ("The harbour opens at seven", "We deploy on Tuesdays", "Tea is green", "Tabs, not spaces")


def test_what_is_read_of_topics_is_let_go_and_read_again_the_same(open_memory):
    memory = open_memory()
    for text in SAID:
        memory.remember(text, scope="user")
    memory.recall("when do we deploy")
    folder = memory.store.folders[Scope.USER]
    before, catalogs = folder.topics(), folder.catalogs(lambda _: None)
    assert len(folder._read) == len(before) == len(SAID)
    folder.rest()
    assert not folder._read
    path = Path(before[0].path)
    assert folder.catalogs(lambda _: None) == catalogs
    assert folder.topics() == before
    folder.rest()
    path.write_text(path.read_text().replace(before[0].entries[0].summary, "Changed by hand"))
    changed = {topic.path: topic.text for topic in folder.topics()}
    assert "Changed by hand" in changed[str(path)]
    folder.rest()
    path.unlink()
    assert len(folder.topics()) == len(SAID) - 1
    folder.rest()
    memory.forget("green tea")
    assert len(folder.topics()) == len(SAID) - 2


def test_a_memory_that_rests_answers_as_before_and_has_stored_its_words(open_memory, project):
    memory, other = open_memory(), open_memory()
    for text in SAID:
        memory.remember(text, scope="user")
    asked = [(memory.recall(text).block, memory.search(text).results) for text in SAID]
    for _ in range(2):
        for part in opened():
            part.rest()
        assert memory.engine.ranker._index._base is None
        assert asked == [(memory.recall(text).block, memory.search(text).results) for text in SAID]
    assert list(Path(memory.workspace.state, "recall").glob("*.words"))
    other.remember("Tea is served at nine", scope="user")
    assert "at nine" in memory.recall("when is tea served").block
    for part in opened():
        part.rest()
    other.forget("tea is served at nine")
    assert "at nine" not in memory.recall("when is tea served").block


def test_a_memory_that_is_closed_keeps_what_it_has(open_memory):
    memory = open_memory()
    memory.remember(SAID[0], scope="user")
    folder = memory.store.folders[Scope.USER]
    assert folder.topics()
    memory.close()
    folder.rest()
    assert folder._read
