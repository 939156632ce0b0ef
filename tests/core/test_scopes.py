"""Scopes: one meaning of each word, wherever it is said."""

from __future__ import annotations

import pytest

from reverie.core.scopes import file_scope, read_scope
from reverie.errors import InvalidScope
from reverie.memory import Memory
from reverie.types import Scope

USER, PROJECT = Scope.USER, Scope.PROJECT
WORDS = [("user", USER), ("global", USER), ("project", PROJECT), ("workspace", PROJECT)]


@pytest.mark.parametrize(("word", "scope"), [*WORDS, (USER, USER), (PROJECT, PROJECT)])
def test_every_word_means_one_scope(word, scope):
    assert read_scope(word) is scope


def test_no_word_is_no_scope():
    assert read_scope(None) is None


@pytest.mark.parametrize("word", ["", "team", "User", " user"])
def test_another_word_is_refused_and_the_known_ones_are_named(word):
    with pytest.raises(InvalidScope, match=r"user \(or global.*project.*workspace"):
        read_scope(word)


def test_a_context_file_has_the_names_of_its_document():
    assert [file_scope(scope) for scope in Scope] == ["global", "project"]


def outcomes(memory: Memory, word: str, vault) -> list[object]:
    """Say the same to every verb that takes a scope; return whose it became."""
    memory.remember("I like tea", scope=USER, clean=True)
    memory.remember("I like tea", scope=PROJECT, clean=True)
    kept = memory.remember(f"the {word} gate is green", scope=word, clean=True)
    rel = kept.path.removeprefix(f"{memory.workspace.memory_root(kept.scope)}/")
    return [
        kept.scope,
        *(item.scope for item in memory.forget("I like tea", scope=word).removed_entries),
        memory.topic(word, rel).scope,
        read_scope(memory.save(f"fact of {word}", scope=word).scope),
        Scope.USER
        if memory.write_context("x", scope=word).path.startswith(memory.workspace.home)
        else Scope.PROJECT,
        Scope.USER
        if memory.archive_context(scope=word).path.startswith(memory.workspace.home)
        else Scope.PROJECT,
        *(
            topic.scope
            for path in memory.import_(vault, format="markdown", shape="topics", scope=word).files
            for topic in memory.store.topics()
            if topic.path == path
        ),
    ]


@pytest.fixture
def vault(tmp_path):
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "note.md").write_text("# Note\n\nfrom elsewhere\n")
    return folder


@pytest.mark.parametrize(("word", "scope"), WORDS)
def test_every_verb_means_the_same_by_a_word(memory, vault, word, scope):
    assert outcomes(memory, word, vault) == [scope] * 7


def test_every_verb_refuses_another_word_alike(memory, vault):
    with pytest.raises(InvalidScope) as first:
        read_scope("team")
    for call in (
        lambda: memory.remember("x", scope="team"),
        lambda: memory.forget("x", scope="team"),
        lambda: memory.topic("team", "a.md"),
        lambda: memory.edit("team", "a.md", "x", base=""),
        lambda: memory.pin("team", "a.md"),
        lambda: memory.save("x", scope="team"),
        lambda: memory.write_context("x", scope="team"),
        lambda: memory.archive_context(scope="team"),
        lambda: memory.import_(vault, scope="team"),
    ):
        with pytest.raises(InvalidScope) as caught:
            call()
        assert str(caught.value) == str(first.value)
