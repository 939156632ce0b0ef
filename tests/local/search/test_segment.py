"""Segments, words and vectors: what goes in comes out, and the small way agrees with the large one."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.local.disk.blocks import store
from reverie.local.search import vectors
from reverie.local.search.lexical import View, find_words
from reverie.local.search.segment import (
    Entry,
    Lists,
    Segment,
    _inverted,
    _inverted_large,
    _joined,
    _joined_large,
    _listed,
    drafted,
    packed,
    packed_join,
    term_hash,
)
from reverie.local.search.vectors import compare, quantize, some, unit
from tests.examples import examples

WORDS = ["fox", "river", "key", "drawer", "猫", "tax"]
DIMENSION = 8


def entry(number: int, words: list[str], vector: list[float] | None = None) -> Entry:
    counts: dict[int, int] = {}
    for word in words:
        counts[term_hash(word)] = counts.get(term_hash(word), 0) + 1
    data, scale = quantize([vector])[0] if vector else (b"", 0.0)
    return Entry(number, counts, len(words), data, scale)


def write(path: Path, entries: list[Entry], **options: int) -> None:
    dimension, signs_above = options.get("dimension", 0), options.get("signs_above", 0)
    draft = drafted(entries, dimension=dimension)
    store(path, packed(path.name, draft, signs_above=signs_above))


def join(path: Path, parts: list[tuple[Segment, frozenset[int]]], *, dimension: int) -> None:
    store(path, packed_join(path.name, parts, dimension=dimension))


def random_entries(seed: int, first: int, count: int) -> list[Entry]:
    rng = random.Random(seed)
    return [
        entry(
            first + at,
            rng.choices(WORDS, k=rng.randint(0, 12)),
            [rng.gauss(0, 1) for _ in range(DIMENSION)],
        )
        for at in range(count)
    ]


def contents(segment: Segment) -> dict[int, tuple[int, dict[str, int], bytes]]:
    """Everything a segment says, by chunk."""
    found = {
        id_: (segment.lengths[place], {}, segment.vector(place))
        for place, id_ in enumerate(segment.ids)
    }
    for word in WORDS:
        postings = segment.postings(term_hash(word))
        for place, count in zip(postings.places, postings.counts, strict=True):
            found[segment.ids[place]][1][word] = count
    return found


def expected(entries: list[Entry]) -> dict[int, tuple[int, dict[str, int], bytes]]:
    names = {term_hash(word): word for word in WORDS}
    return {
        item.id: (
            item.length,
            {names[term]: count for term, count in item.counts.items()},
            item.vector,
        )
        for item in entries
    }


def written(lists: Lists) -> list[bytes]:
    """The bytes of the lists as a file has them."""
    return [bytes(part) for part in lists]


def view(segment: Segment, hidden: frozenset[int] = frozenset()) -> View:
    shown = bytes(place not in hidden for place in range(segment.size)) if hidden else None
    places = [place for place in range(segment.size) if place not in hidden]
    return View(segment, shown, len(places), sum(segment.lengths[place] for place in places))


def test_a_segment_gives_back_what_was_written(tmp_path):
    entries = random_entries(1, 10, 50)
    write(tmp_path / "a.seg", entries, dimension=DIMENSION)
    segment = Segment(tmp_path / "a.seg")
    assert contents(segment) == expected(entries)
    assert len(segment.postings(term_hash("nowhere")).places) == 0
    assert segment.place(10) == 0
    assert segment.place(9) is None
    assert (tmp_path / "a.seg").stat().st_mode & 0o777 == 0o600


def test_a_segment_without_vectors_or_words_is_a_segment_too(tmp_path):
    write(tmp_path / "a.seg", [entry(1, []), entry(2, ["fox"])], dimension=0)
    segment = Segment(tmp_path / "a.seg")
    assert (segment.dimension, list(segment.ids), list(segment.lengths)) == (0, [1, 2], [0, 1])


@settings(max_examples=examples(30))
@given(st.lists(st.tuples(st.integers(1, 12), st.sets(st.integers(0, 11))), min_size=1, max_size=4))
def test_joined_segments_say_what_their_living_chunks_said(parts):
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        joined: list[tuple[Segment, frozenset[int]]] = []
        alive: list[Entry] = []
        first = 1
        for number, (size, dead) in enumerate(parts):
            entries = random_entries(number, first, size)
            write(folder / f"{number}.seg", entries, dimension=DIMENSION)
            gone = frozenset(place for place in dead if place < size)
            joined.append((Segment(folder / f"{number}.seg"), gone))
            alive += [item for place, item in enumerate(entries) if place not in gone]
            first += size + 3
        join(folder / "all.seg", joined, dimension=DIMENSION)
        assert contents(Segment(folder / "all.seg")) == expected(alive)
        segments = [segment for segment, _ in joined]
        moved, place = [], 0
        for segment, gone in joined:
            moved.append([])
            for at in range(segment.size):
                moved[-1].append(-1 if at in gone else place)
                place += at not in gone
        small, large = _listed(_joined(segments, moved)), _joined_large(segments, moved)
        assert written(small) == written(large) == written(Segment(folder / "all.seg").lists())


def test_both_ways_of_inverting_agree():
    for entries in (random_entries(3, 1, 40), [], [entry(1, [])]):
        assert written(_inverted(entries)) == written(_inverted_large(entries))


@pytest.mark.parametrize("damage", ["cut", "grown", "other"])
def test_a_damaged_segment_is_refused(tmp_path, damage):
    path = tmp_path / "a.seg"
    write(path, random_entries(1, 1, 5), dimension=DIMENSION)
    data = path.read_bytes()
    path.unlink()
    path.write_bytes({"cut": data[:-3], "grown": data + b"x", "other": b"x" * len(data)}[damage])
    with pytest.raises(ValueError, match=r"a\.seg"):
        Segment(path)


@pytest.mark.parametrize("hidden", [frozenset(), frozenset(range(0, 60, 2))])
def test_words_are_found_alike_in_the_small_and_the_large_way(tmp_path, hidden):
    for number in (0, 1):
        write(tmp_path / f"{number}.seg", random_entries(number, number * 100 + 1, 60), dimension=0)
    views = [view(Segment(tmp_path / f"{number}.seg"), hidden) for number in (0, 1)]
    small, large = (find_words(views, WORDS[:4], large=way) for way in (False, True))
    assert small.frequency == large.frequency
    assert small.average_length == large.average_length
    assert set(small.best(1000)) == set(large.best(1000))
    assert len(small.best(5)) == len(large.best(5)) == 5
    places = small.best(1000)
    assert small.counts(places) == large.counts(places)
    assert all(place not in hidden for _, place in places)


def test_hidden_chunks_leave_no_trace_in_frequencies(tmp_path):
    write(
        tmp_path / "a.seg",
        [entry(1, ["fox"]), entry(2, ["fox", "tax"]), entry(3, ["key"])],
        dimension=0,
    )
    words = find_words([view(Segment(tmp_path / "a.seg"), frozenset({1}))], ["fox", "tax", "key"])
    assert words.frequency == {"fox": 1, "tax": 0, "key": 1}
    assert (words.chunks, words.average_length) == (2, 1.0)


def test_the_rarer_word_counts_more_and_the_shorter_chunk_wins(tmp_path):
    entries = [
        entry(1, ["fox"] * 2),
        entry(2, ["river"]),
        entry(3, ["river", *["key"] * 200]),
        *(entry(number, ["fox"]) for number in range(4, 30)),
    ]
    write(tmp_path / "a.seg", entries, dimension=0)
    words = find_words([view(Segment(tmp_path / "a.seg"))], ["fox", "river"], large=False)
    assert [place + 1 for _, place in words.best(3)] == [2, 3, 1]


def test_a_few_bytes_keep_the_cosine():
    rng = random.Random(5)
    for _ in range(50):
        one, other = ([rng.gauss(0, 1) for _ in range(256)] for _ in range(2))
        data, scale = quantize([one])[0]
        found = (
            sum(a * b for a, b in zip(memoryview(data).cast("b"), unit(other), strict=True)) * scale
        )
        assert found == pytest.approx(
            sum(a * b for a, b in zip(unit(one), unit(other), strict=True)), abs=0.01
        )


def test_a_vector_of_nothing_is_near_to_nothing():
    assert quantize([[0.0, 0.0]]) == [(b"\0\0", 0.0)]
    assert quantize([[float("nan"), 1.0], [float("inf"), 1.0]]) == [(b"\0\0", 0.0), (b"\0\0", 0.0)]
    assert unit([0.0, 0.0]) == [0.0, 0.0]


@pytest.mark.parametrize(
    "hidden", [frozenset(), frozenset(range(0, 200, 3)), frozenset(range(11, 200))]
)
def test_vectors_are_compared_alike_in_the_small_and_the_large_way(tmp_path, hidden):
    write(tmp_path / "a.seg", random_entries(7, 1, 200), dimension=DIMENSION)
    segment = Segment(tmp_path / "a.seg")
    query = unit([1.0, -2.0, 0.5, 0, 0, 1, 0, 3])
    shown = view(segment, hidden).visible
    small, large = (
        compare(segment, query, visible=shown, limit=10, large=way) for way in (False, True)
    )
    assert [place for _, place in small.best] == [place for _, place in large.best]
    assert small.count == large.count == 200 - len(hidden)
    assert small.total == pytest.approx(large.total, abs=1e-3)
    assert small.squares == pytest.approx(large.squares, abs=1e-3)
    assert not {place for _, place in small.best} & hidden
    assert some(segment, query, [3, 5], large=False) == pytest.approx(
        some(segment, query, [3, 5], large=True), abs=1e-5
    )


def test_whoever_keeps_asking_loads_numpy_soon_however_few_the_vectors_are(tmp_path, monkeypatch):
    write(tmp_path / "a.seg", random_entries(7, 1, 3), dimension=DIMENSION)
    segment = Segment(tmp_path / "a.seg")
    monkeypatch.setattr(vectors, "_compared", [0])
    monkeypatch.delitem(sys.modules, "numpy")
    asked = 0
    while not vectors.is_large(segment.size) and asked < 100:
        compare(segment, unit([1.0] * DIMENSION), visible=None, limit=1, large=False)
        asked += 1
    assert 20 < asked < 100


def test_vectors_chosen_by_their_signs_are_nearly_all_of_the_nearest(tmp_path):
    rng = np.random.default_rng(1)
    centres = rng.standard_normal((40, 32))
    rows = centres[rng.integers(0, 40, 4000)] + 0.4 * rng.standard_normal((4000, 32))
    pairs = quantize(rows.tolist())
    entries = [Entry(at + 1, {}, 0, data, scale) for at, (data, scale) in enumerate(pairs)]
    write(tmp_path / "flat.seg", entries, dimension=32)
    write(tmp_path / "signed.seg", entries, dimension=32, signs_above=1000)
    flat, signed = Segment(tmp_path / "flat.seg"), Segment(tmp_path / "signed.seg")
    assert len(signed.signs) == 4000
    assert not len(flat.signs)
    found = 0
    for row in rows[:40]:
        query = unit(row.tolist())
        exact = compare(flat, query, visible=None, limit=10, large=True)
        near = compare(signed, query, visible=None, limit=10, large=True)
        found += len({place for _, place in exact.best} & {place for _, place in near.best})
        mean = [math.fsum([each.total]) / each.count for each in (exact, near)]
        assert mean[0] == pytest.approx(mean[1], abs=0.02)
    assert found >= 0.9 * 400


def test_hidden_vectors_are_not_chosen_by_their_signs_either(tmp_path):
    entries = random_entries(9, 1, 3000)
    write(tmp_path / "a.seg", entries, dimension=DIMENSION, signs_above=1)
    segment = Segment(tmp_path / "a.seg")
    hidden = frozenset(range(0, 3000, 2))
    shown = view(segment, hidden).visible
    found = compare(segment, unit([1.0] * DIMENSION), visible=shown, limit=40, large=True)
    assert len(found.best) == 40
    assert not {place for _, place in found.best} & hidden
    nothing = compare(segment, unit([1.0] * DIMENSION), visible=bytes(3000), limit=40, large=True)
    assert nothing.best == ()


@pytest.mark.slow
def test_a_small_index_is_searched_without_numpy(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "MEMORY.md").write_text(
        "# Keys\n\nThe key is in the blue drawer.\n", encoding="utf-8"
    )
    code = (
        "import sys; from reverie.memory import Memory;"
        f"m = Memory.open({str(tmp_path)!r}, home={str(tmp_path / 'home')!r});"
        "o = m.search('where is the key'); print(o.results[0].lines, o.method, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1-3", "hybrid", "False"]
