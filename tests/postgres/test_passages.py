"""Words of chunks are scored in the database, with the same result as in the file engine."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reverie.core.search.query import read_query
from reverie.core.text.plain import digest
from reverie.memory import Memory
from reverie.postgres.database import Database
from reverie.postgres.engine import PostgresEngine
from reverie.postgres.place import Place
from reverie.postgres.search import passages
from reverie.types import Change, Isolation, RunInfo, Scope, TextPart, TurnMessage

pytestmark = pytest.mark.slow
WORDS = "deploy gateway billing editor theme font latency dashboard oslo review database migration release"
QUERIES = (
    "when may I deploy the billing gateway",
    "which editor theme and font",
    "latency dashboard",
    "who reviews a database migration before the release",
    "font font font gateway",
    "oslo",
    "nothing of this stands anywhere",
)


def texts_of(count: int, seed: int = 7) -> dict[str, str]:
    """Texts of different lengths, in which some words are frequent and some rare."""
    chance = random.Random(seed)
    known = WORDS.split()
    weights = [1 / (n + 1) for n in range(len(known))]
    return {
        f"notes/n{number}.md": f"# Note {number}\n\n"
        + "\n\n".join(
            " ".join(chance.choices(known, weights, k=chance.randint(3, 60))).capitalize() + "."
            for _ in range(chance.randint(1, 3))
        )
        for number in range(count)
    }


def fill(memory: Memory, texts: dict[str, str]) -> None:
    root = memory.workspace.memory_root(Scope.USER)
    changes = [Change(f"{root}/{rel}", text, None) for rel, text in texts.items()]
    memory.store.apply(changes, RunInfo(verb="test"))


def changed(path: str, text: str | None, before: str) -> Change:
    return Change(path, text, digest(before))


@pytest.fixture
def files(tmp_path: Path) -> Iterator[Memory]:
    (tmp_path / "p").mkdir()
    with Memory.open(
        tmp_path / "p", home=tmp_path / "h", settings={"embedder.provider": "none"}
    ) as memory:
        yield memory


def candidates(memory: Memory, query: str, isolation: Isolation | None = None) -> list[Any]:
    """What a search hands to ranking, without the numbers by which each engine knows its rows."""
    memory.search_index.sync(wait=30)
    found = memory.search_index.find(query, read_query(query), isolation=isolation)
    handed = sorted(
        (Path(found.about(one.key)[0]).name, dict(one.counts), one.length, one.order)
        for one in found.candidates
    )
    return [*handed, found.corpus]


def test_both_engines_hand_the_same_to_ranking(
    open_at: Callable[..., Memory], place: Place, files: Memory
):
    rows = open_at(place)
    some = texts_of(300)
    fill(rows, some)
    fill(files, some)

    for query in QUERIES:
        assert candidates(rows, query) == candidates(files, query), query
        (shown, expected) = (one.search(query, max_results=20) for one in (rows, files))
        assert [(Path(hit.path).name, hit.score) for hit in shown.results] == [
            (Path(hit.path).name, hit.score) for hit in expected.results
        ]


def test_what_is_hidden_is_not_counted(open_at: Callable[..., Memory], place: Place, files: Memory):
    """A search that may see a part finds what it would if there were nothing else."""
    rows = open_at(place)
    fill(rows, texts_of(40))
    fill(rows, {f"other/{rel[6:]}": text for rel, text in texts_of(40, seed=8).items()})
    fill(files, texts_of(40))
    only = Isolation(allowed_paths=(f"{rows.workspace.memory_root(Scope.USER)}/notes",))

    for query in QUERIES:
        assert candidates(rows, query, only) == candidates(files, query), query


# --- kept in step -----------------------------------------------------------------------------------


def kept(memory: Memory) -> tuple[list[Any], list[Any]]:
    """Return the words and counts of a place, bucket by bucket."""
    engine = memory.engine
    assert isinstance(engine, PostgresEngine)
    mine = "tenant = %(tenant)s AND owner = %(owner)s"
    words = engine.database.rows(
        engine.place,
        "SELECT project, root, word, bucket, ARRAY(SELECT unnest(held) ORDER BY 1)"
        f" FROM passage_word WHERE {mine} ORDER BY 1, 2, 3, 4",
    )
    counts = engine.database.rows(
        engine.place,
        f"SELECT project, root, model, files, chunks, terms FROM shelf WHERE {mine} AND files > 0"
        " ORDER BY 1, 2, 3",
    )
    return words, counts


def made_anew(memory: Memory) -> tuple[list[Any], list[Any]]:
    engine = memory.engine
    assert isinstance(engine, PostgresEngine)
    with engine.database.transaction(engine.place) as db:
        for project in ("", engine.place.project):
            passages.rebuild(db, engine.place, project)
    return kept(memory)


def test_words_follow_every_change(open_at: Callable[..., Memory], place: Place):
    memory = open_at(place)
    some = texts_of(30)
    fill(memory, some)
    memory.layers.append(
        [TurnMessage("user", (TextPart("My cat is called Biscuit."),))], session="s"
    )
    memory.search("latency")
    root = memory.workspace.memory_root(Scope.USER)
    held = memory.store.read_all([f"{root}/{rel}" for rel in some])
    paths = sorted(held)
    changes = [changed(path, None, held[path]) for path in paths[:5]]
    changes += [changed(path, held[path] + "\nLatency again.\n", held[path]) for path in paths[5:9]]
    memory.store.apply(changes, RunInfo(verb="test"))
    memory.search("latency")

    words, counts = kept(memory)
    assert words
    assert (words, counts) == made_anew(memory)
    for path in paths[5:]:
        memory.store.apply(
            [changed(path, None, memory.store.read(path) or "")], RunInfo(verb="test")
        )
    memory.search("latency")
    assert not [row for row in kept(memory)[0] if row[1] == "user"]


def test_words_that_another_release_did_not_keep_are_made_anew(
    open_at: Callable[..., Memory], place: Place
):
    memory = open_at(place)
    fill(memory, texts_of(20))
    before = memory.search("latency dashboard")
    database: Database = memory.engine.database  # type: ignore[attr-defined]
    with database.transaction(place) as db:
        db.execute("DELETE FROM passage_word WHERE tenant = %(tenant)s", place.values)
        db.execute("DELETE FROM shelf WHERE tenant = %(tenant)s", place.values)
        db.execute("UPDATE space SET indexed = 'of another release' WHERE tenant = %(tenant)s",
                   place.values)  # fmt: skip

    assert memory.search("latency dashboard") == before


def test_buckets_that_thinned_out_are_filled_again(
    open_at: Callable[..., Memory], place: Place, monkeypatch: pytest.MonkeyPatch
):
    """Who rewrites the same notes for years searches no slower for it, and finds the same."""
    memory = open_at(place)
    some = texts_of(20)
    fill(memory, some)
    before = memory.search("latency dashboard")
    path = f"{memory.workspace.memory_root(Scope.USER)}/notes/n1.md"
    monkeypatch.setattr(passages, "_MANY", 0)
    monkeypatch.setattr(passages, "_THIN", 4)
    database: Database = memory.engine.database  # type: ignore[attr-defined]
    with database.transaction(place) as db:
        db.execute(
            "UPDATE space SET chunk = chunk + 100000 WHERE tenant = %(tenant)s", place.values
        )
    text = memory.store.read(path) or ""
    memory.store.apply([changed(path, text + "\nMore.\n", text)], RunInfo(verb="test"))
    memory.search("latency dashboard")
    memory.store.apply([changed(path, text, text + "\nMore.\n")], RunInfo(verb="test"))

    assert memory.search("latency dashboard").results == before.results
    spread = database.rows(
        place, "SELECT max(id) - min(id) + 1, count(*) FROM chunk WHERE tenant = %(tenant)s"
    )[0]
    assert spread[0] < 4 * spread[1]
    assert kept(memory) == made_anew(memory)
