"""What the index lacks is found where nothing can be written: on a replica, on a full disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reverie.errors import ReadOnly
from reverie.memory import Memory
from reverie.postgres.place import Place
from reverie.types import Isolation, RunInfo, Scope, TextPart, TurnMessage
from tests.contract.test_search import Letters
from tests.postgres.test_passages import QUERIES, changed, fill, texts_of
from tests.server import Server

pytestmark = pytest.mark.slow
TEXTS = texts_of(40)


@pytest.fixture
def read_only(open_at: Callable[..., Memory], server: Server) -> Callable[..., Memory]:
    """Return a function that opens a place on a server that answers and takes nothing."""
    mark = "&" if "?" in server.app else "?"
    url = f"{server.app}{mark}options=-c%20default_transaction_read_only%3Don"
    return lambda place, **more: open_at(place, **{"engine.url": url, **more})


def shown(memory: Memory, **how: Any) -> dict[str, list[Any]]:
    """What a person gets for each question."""
    found: dict[str, list[Any]] = {}
    for query in QUERIES:
        outcome = memory.search(query, min_score=0, max_results=20, **how)
        found[query] = [
            (hit.path, hit.lines, hit.text, round(hit.score, 6)) for hit in outcome.results
        ]
    return found


def say(memory: Memory, session: str, *words: str) -> None:
    for text in words:
        memory.layers.append([TurnMessage("user", (TextPart(text),))], session=session)


def test_a_place_that_was_never_indexed_is_searched_with_the_same_result(
    open_at: Callable[..., Memory], read_only: Callable[..., Memory], place: Place
):
    memory = open_at(place)
    fill(memory, TEXTS)
    say(memory, "monday", "my ferry leaves at nine", "the billing gateway is down")
    replica = read_only(place)

    held = shown(replica)
    warnings = replica.search(QUERIES[0]).warnings
    [turn] = [hit for hit in replica.search("ferry", min_score=0).results if "chat" in hit.path]
    read = replica.get(turn.path).text
    counted = replica.stats()

    assert all(held.values())
    assert any("in memory" in text for text in warnings)
    assert held == shown(memory)
    assert memory.get(turn.path).text == read
    assert (counted.total_files, counted.total_chunks, counted.total_tokens) == (
        memory.stats().total_files,
        memory.stats().total_chunks,
        memory.stats().total_tokens,
    )
    assert replica.search(QUERIES[0]).warnings == ()  # the index has everything now


def test_what_was_added_changed_and_removed_since_is_searched_as_it_is(
    open_at: Callable[..., Memory], read_only: Callable[..., Memory], place: Place
):
    memory = open_at(place)
    fill(memory, TEXTS)
    memory.search("oslo")
    root = memory.workspace.memory_root(Scope.USER)
    first, second = (f"{root}/notes/n{number}.md" for number in (0, 1))
    fill(memory, {"notes/new.md": "# Sails\n\nThe zeppelin is moored at the pier.\n"})
    memory.store.apply(
        [
            changed(first, "# Walrus\n\nThe walrus sleeps on the ice.\n", TEXTS["notes/n0.md"]),
            changed(second, None, TEXTS["notes/n1.md"]),
        ],
        RunInfo(verb="test"),
    )
    replica = read_only(place)

    def paths(query: str) -> list[str]:
        return [hit.path for hit in replica.search(query, min_score=0, max_results=50).results]

    assert paths("zeppelin") == [f"{root}/notes/new.md"]
    assert paths("walrus") == [first]
    every = paths(" ".join(QUERIES))
    assert len(every) == len(set(every)) > 20  # nothing twice
    assert second not in every
    before = every
    fill(memory, {"notes/newer.md": "# Kites\n\nThe kite hangs in the oak.\n"})
    assert paths("kite in the oak")[0] == f"{root}/notes/newer.md"  # held anew by its change alone
    assert set(before) <= {*paths(" ".join(QUERIES))}


def test_what_is_hidden_stays_hidden_and_leaves_no_trace(
    open_at: Callable[..., Memory], read_only: Callable[..., Memory], place: Place
):
    memory = open_at(place)
    fill(memory, TEXTS)
    say(memory, "monday", "the zeppelin lands at nine")
    say(memory, "tuesday", "the zeppelin rises at ten")
    root = memory.workspace.memory_root(Scope.USER)
    one = Isolation(allowed_paths=(f"{root}/notes/n3.md",))
    talk = Isolation(allowed_paths=("/", "chat://"), conversation_id="monday")
    nothing = Isolation(allowed_paths=())
    replica = read_only(place)

    held = [shown(replica, isolation=some) for some in (one, talk)]
    lands = replica.search("zeppelin", min_score=0, isolation=talk, source="chat").results

    assert not any(shown(replica, isolation=nothing).values())
    assert [hit.path for hit in lands] == ["chat://monday/1"]
    assert {hit[0] for hits in held[0].values() for hit in hits} == {f"{root}/notes/n3.md"}
    assert held == [shown(memory, isolation=some) for some in (one, talk)]


def test_with_vectors_what_is_held_is_found_by_its_words(
    open_at: Callable[..., Memory], read_only: Callable[..., Memory], place: Place
):
    memory = open_at(place)
    memory.embedder = Letters()
    fill(memory, TEXTS)
    assert memory.search("oslo").method == "hybrid"
    fill(memory, {"notes/new.md": "# Sails\n\nThe zeppelin is moored at the pier.\n"})
    replica = read_only(place)
    replica.embedder = Letters()

    outcome = replica.search("where is the zeppelin moored")

    assert outcome.method == "keyword"
    assert outcome.results[0].path.endswith("notes/new.md")


def test_an_index_that_cannot_be_written_says_so(
    open_at: Callable[..., Memory], read_only: Callable[..., Memory], place: Place
):
    fill(open_at(place), TEXTS)
    with pytest.raises(ReadOnly):
        read_only(place).index()
