"""What every search index does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from reverie.errors import IsolationBlocked, PathEscape, ReverieError
from reverie.memory import Memory
from reverie.types import Isolation, TextPart, TurnMessage


class Letters:
    """Turns a text into how often each letter stands in it: near texts have near vectors."""

    identity = "letters/1"
    dimension = 26

    def embed(self, texts):
        return [
            [1.0 + sum(char == chr(97 + n) for char in text.lower()) for n in range(26)]
            for text in texts
        ]


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.remember("Deploys happen on Tuesday mornings from the main branch.")
    memory.remember("I drink oolong tea in the afternoon.", scope="user")
    memory.layers.append(
        [
            TurnMessage("user", (TextPart("My cat is called Biscuit and likes tuna."),)),
            TurnMessage("assistant", (TextPart("A lovely name."),)),
        ],
        session="kitchen talk",
    )
    return memory


def paths(outcome) -> list[str]:
    return [hit.path for hit in outcome.results]


def test_a_search_finds_memory_and_conversations(filled: Memory):
    (deploys, *_) = filled.search("when do deploys happen?").results
    assert deploys.text.endswith("Deploys happen on Tuesday mornings from the main branch.")
    assert deploys.source == "memory"
    (cat, *_) = filled.search("what is the cat called?").results
    assert cat.path == "chat://kitchen%20talk/1"
    assert cat.source == "chat"


def test_what_a_hit_names_can_be_read(filled: Memory):
    for query in ("deploys", "cat called Biscuit"):
        hit = filled.search(query).results[0]
        assert filled.get(hit.path, hit.lines).text == hit.text


def test_a_search_sees_an_edit_made_just_before(filled: Memory):
    assert not paths(filled.search("rhododendron"))
    filled.remember("The garden has a rhododendron by the gate.")
    assert paths(filled.search("rhododendron"))
    filled.forget("rhododendron")
    assert not paths(filled.search("rhododendron"))


def test_the_source_limits_what_is_found(filled: Memory):
    assert all(path.startswith("chat://") for path in paths(filled.search("cat", source="chat")))
    assert not paths(filled.search("Biscuit", source="memory"))
    assert not paths(filled.search("Biscuit", source="custom"))


def test_nothing_is_visible_until_it_is_named(filled: Memory):
    assert not paths(filled.search("deploys", isolation=Isolation()))
    shown = Isolation(allowed_paths=(filled.workspace.project_memory,))
    assert paths(filled.search("deploys", isolation=shown))
    assert not paths(filled.search("oolong tea", isolation=shown))
    assert filled.search("deploys", isolation=shown).stats.total_files == 1
    chat = Isolation(allowed_paths=("chat://kitchen talk",))
    assert paths(filled.search("cat called", isolation=chat))
    other = Isolation(allowed_paths=("chat://",), conversation_id="another")
    assert not paths(filled.search("cat called", isolation=other))
    stranger = Isolation(allowed_paths=(filled.workspace.project_memory,), project_id="another")
    assert not paths(filled.search("deploys", isolation=stranger))


def test_what_may_not_be_seen_cannot_be_read(filled: Memory):
    hit = filled.search("deploys").results[0]
    with pytest.raises(IsolationBlocked):
        filled.get(hit.path, isolation=Isolation())
    with pytest.raises((PathEscape, ReverieError)):
        filled.get("/etc/passwd")


def test_stats_count_what_is_there(filled: Memory):
    filled.search("anything")
    stats = filled.stats()
    assert stats.total_files == 3
    assert stats.total_chunks >= 3
    assert {source.value for source in stats.sources} == {"memory", "chat"}


def test_a_rebuild_finds_the_same(filled: Memory):
    before = filled.search("deploys happen").results
    filled.index(rebuild=True)
    assert filled.search("deploys happen").results == before


def test_vectors_are_used_when_there_is_an_embedder(opener: Callable[..., Memory]):
    memory = opener()
    memory.embedder = Letters()
    memory.remember("Zebras graze at dawn.")
    memory.remember("Quiet evenings by the quay.")
    outcome = memory.search("zebra dawn")
    assert outcome.method == "hybrid"
    assert "Zebras" in outcome.results[0].text
    assert memory.stats().embedding_model == "letters/1"


def test_a_memory_like_the_best_comes_before_one_that_shares_only_the_word(memory: Memory):
    for text in (
        "The boiler lost pressure because the valve leaked.",
        "A leaking valve means low boiler pressure.",
        "The boiler was painted green last summer.",
        "Boiler checked in May, the pressure of the valve was fine.",
    ):
        memory.remember(text)
    for number in range(20):  # among a handful the best are not heard
        memory.remember(f"Shelf {number} of the cellar holds {number} jars of plum jam.")
    found = [hit.text for hit in memory.search("boiler leak", min_score=0.0).results]
    (like,) = (place for place, text in enumerate(found) if "checked" in text)
    (other,) = (place for place, text in enumerate(found) if "painted" in text)
    assert like < other


def test_of_two_questions_each_gets_its_answer(memory: Memory):
    for text in (
        "The blue bicycle stands in the cellar of the old house.",
        "Doctor Weber treats the cat.",
        "The cellar of the old house was painted.",
        "The bicycle shop closes at six.",
    ):
        memory.remember(text)
    for number in range(12):
        memory.remember(f"Shelf {number} holds {number} jars of plum jam.")
    asked = "In which cellar of the old house does the blue bicycle stand? And who treats our cat?"
    found = [hit.text for hit in memory.search(asked).results]
    assert any("blue bicycle" in text for text in found)
    assert any("Weber" in text for text in found)


@pytest.mark.parametrize("version", ["TOKENIZER_VERSION", "CHUNK_VERSION"])
def test_another_way_of_splitting_texts_makes_the_index_anew(
    filled: Memory, monkeypatch: pytest.MonkeyPatch, version: str
):
    filled.index()
    assert filled.index().files == 0
    for module in ("reverie.local.search.root_index", "reverie.postgres.search.indexer"):
        monkeypatch.setattr(f"{module}.{version}", "another", raising=False)
    assert filled.index().files == 3
    assert filled.index().files == 0
