"""The verb search over an index of its own: thresholds, what is left out, what is joined, what ran."""

# ruff: noqa: ARG002  # the port has more arguments than the index of this test needs

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.text.words import terms
from reverie.errors import InvalidArgument, InvalidLines, InvalidQuery
from reverie.types import Isolation, Source
from reverie.types.ranking import Candidate, Corpus, Query
from reverie.verbs.search import get, parse_lines, search

FOX = "the quick fox jumps over the fence"
OWL = "an owl sleeps in the old barn"
GAP = 10  # puts lines out of each other's reach when hits are ranked


@dataclass
class Shelf:
    """An index over a few texts, every line a chunk."""

    texts: dict[str, list[str]]
    gone: set[str] = field(default_factory=set)
    by_vectors: bool = False
    warnings: tuple[str, ...] = ()
    dates: dict[str, tuple[int, int, int]] = field(default_factory=dict)

    def find(
        self, text: str, query: Query, *, source: Source | None, isolation: Isolation | None
    ) -> Shelf:
        self.query = query
        return self

    @property
    def files(self) -> int:
        return len(self.texts)

    @property
    def by_words(self) -> bool:
        return bool(self.query.terms)

    @property
    def candidates(self) -> list[Candidate]:
        found = []
        for path, lines in self.texts.items():
            for number, line in enumerate(lines, 1):
                own = terms(line)
                counts = {term: own.count(term) for term in self.query.terms if term in own}
                if counts:
                    at = GAP * number
                    found.append(
                        Candidate(
                            f"{path}:{number}",
                            path,
                            at,
                            counts,
                            len(own),
                            date=self.dates.get(path),
                        )
                    )
        return found

    @property
    def corpus(self) -> Corpus:
        every = [terms(line) for lines in self.texts.values() for line in lines]
        frequency = {term: sum(term in own for own in every) for term in self.query.terms}
        return Corpus(len(every), sum(map(len, every)) / len(every), frequency)

    def about(self, key: str) -> tuple[str, Source, str]:
        return key.rpartition(":")[0], Source.MEMORY, "Title"

    def provenance(self, key: str) -> str:
        return "repository" if key.startswith("theirs") else ""

    def frequency(self, wanted: Sequence[str]) -> dict[str, int]:
        every = [set(terms(line)) for lines in self.texts.values() for line in lines]
        return {term: sum(term in own for own in every) for term in wanted}

    def counts(self, wanted: Sequence[str], keys: Sequence[str]) -> list[dict[str, int]]:
        split = [terms(found[0]) for key in keys if (found := self.read(key, context_tokens=0))]
        return [{term: own.count(term) for term in wanted if term in own} for own in split]

    def read(self, key: str, *, context_tokens: int) -> tuple[str, int, int] | None:
        path, _, number = key.rpartition(":")
        if path in self.gone:
            return None
        return self.texts[path][int(number) - 1], int(number), int(number)

    def lines(self, key: str, first: int, last: int) -> str | None:
        return "\n".join(self.texts[key.rpartition(":")[0]][first - 1 : last])

    def whole(
        self, path: str, *, isolation: Isolation | None
    ) -> tuple[str, str | None, Source, str]:
        lines = self.texts.get(path)
        return path, "\n".join(lines) if lines else None, Source.MEMORY, self.provenance(path)


def test_what_somebody_else_brought_is_marked():
    shelf = Shelf({"theirs.md": ["intro", FOX], "b.md": [OWL]})
    assert [hit.provenance for hit in search("fox fence", index=shelf).results] == ["repository"]
    assert [hit.provenance for hit in search(OWL, index=shelf).results] == [""]
    assert get("theirs.md", index=shelf).provenance == "repository"


def test_a_hit_has_path_lines_text_score_source_title():
    outcome = search("fox fence", index=Shelf({"a.md": ["intro", FOX], "b.md": [OWL]}))
    (hit,) = outcome.results
    assert (hit.path, hit.lines, hit.text, hit.source, hit.title) == (
        "a.md",
        "2-2",
        FOX,
        Source.MEMORY,
        "Title",
    )
    assert 0.35 <= hit.score <= 1
    assert (outcome.method, outcome.stats.total_files, outcome.stats.total_chunks) == (
        "keyword",
        2,
        3,
    )


def test_a_note_like_the_best_comes_before_one_that_shares_only_the_word():
    alike = ["The boiler lost pressure; the valve leaked.", "A leaking valve: low boiler pressure."]
    shelf = {f"{n}.md": [text] for n, text in enumerate(alike)}
    shelf["other.md"] = ["The boiler was painted green."]
    shelf["like.md"] = ["Boiler checked, pressure of the valve fine."]
    shelf |= {f"far{n}.md": [f"note {n} about topic{n} and more words"] for n in range(30)}
    found = [hit.path for hit in search("boiler leak", index=Shelf(shelf), min_score=0.0).results]
    assert found.index("like.md") < found.index("other.md")


def test_an_exact_match_by_words_alone_passes_the_default_threshold_and_nonsense_does_not():
    index = Shelf(
        {f"{n}.md": [f"note {n} about topic{n} and more words"] for n in range(30)}
        | {"x.md": [OWL]}
    )
    assert [hit.path for hit in search("where does the owl sleep", index=index).results] == ["x.md"]
    assert search("quantum chromodynamics lattice owl", index=index).results == ()


def test_what_was_found_is_counted_before_the_cut():
    texts = {f"{n}.md": [f"fox {' '.join(f'w{n}{k}' for k in range(8))}"] for n in range(10)}
    outcome = search("fox", index=Shelf(texts), max_results=3)
    assert (len(outcome.results), outcome.total_found) == (3, 10)


def test_hits_that_say_nearly_the_same_are_one_and_the_outcome_lists_the_other():
    outcome = search("fox fence", index=Shelf({"a.md": [FOX], "b.md": [FOX.upper()]}))
    assert len(outcome.results) == 1
    assert outcome.total_found == 2
    assert "nearly the same as a.md, lines 1-1" in outcome.dropped[0].reason


def test_passages_that_touch_are_one_and_others_of_the_file_stand_below_it():
    shelf = Shelf({"a.md": ["head", FOX, OWL, "tail", "far away fox"], "b.md": ["a tame fox"]})
    outcome = search("fox owl", index=shelf, min_score=0)
    assert [hit.path for hit in outcome.results] == ["a.md", "b.md"]
    (first, _) = outcome.results
    assert (first.lines, first.text) == ("2-3", f"{FOX}\n{OWL}")
    assert [(more.path, more.lines, more.text) for more in first.passages] == [
        ("a.md", "5-5", "far away fox")
    ]
    assert outcome.total_found == 2


def test_results_are_documents_however_many_passages_one_of_them_has():
    many = [f"fox number {n} in line {n}" if n % 3 == 0 else f"filler {n}" for n in range(60)]
    shelf = Shelf({"long.md": many} | {f"{n}.md": [f"one fox of w{n}"] for n in range(5)})
    outcome = search("fox", index=shelf, max_results=6, min_score=0)
    paths = [hit.path for hit in outcome.results]
    assert (
        sorted(paths) == sorted(set(paths)) == ["0.md", "1.md", "2.md", "3.md", "4.md", "long.md"]
    )
    long = next(hit for hit in outcome.results if hit.path == "long.md")
    assert len(long.passages) == 3
    alone = search("fox", index=Shelf({"long.md": many}), max_results=6, min_score=0).results[0]
    assert len(alone.passages) == 3 + 5


def test_documents_whose_values_differ_are_both_shown():
    texts = {
        "a.md": ["The rate limit of the upload gateway is 120 requests a minute."],
        "b.md": ["The rate limit of the upload gateway is 300 requests a minute."],
        "c.md": ["The rate limit of the upload gateway is not 300 requests a minute."],
    }
    shelf = Shelf(texts)
    outcome = search("rate limit of the upload gateway", index=shelf, min_score=0)
    assert sorted(hit.path for hit in outcome.results) == sorted(texts)
    assert outcome.dropped == ()


def test_of_documents_that_say_the_same_the_newest_speaks():
    shelf = Shelf(
        {"a.md": [f"{FOX}."], "b.md": [FOX]}, dates={"a.md": (2025, 1, 1), "b.md": (2026, 1, 1)}
    )
    outcome = search("fox fence", index=shelf)
    assert [hit.path for hit in outcome.results] == ["b.md"]
    assert outcome.dropped[0].what == "a.md, lines 1-1"
    assert "nearly the same as b.md" in outcome.dropped[0].reason


def test_where_only_a_number_differs_the_newer_one_comes_first():
    told = "The rate limit of the upload gateway is {} requests a minute."
    texts = {"a.md": [told.format(120)], "b.md": [told.format(300)]}
    shelf = Shelf(texts, dates={"a.md": (2026, 1, 1), "b.md": (2026, 5, 1)})
    found = search("rate limit of the upload gateway", index=shelf).results
    assert [hit.path for hit in found] == ["b.md", "a.md"]
    assert found[0].score >= found[1].score
    # What is asked for by its number is what is asked for.
    found = search("rate limit of the upload gateway 120", index=shelf, min_score=0).results
    assert found[0].path == "a.md"


def test_a_later_day_alone_brings_nothing_forward():
    texts = {"a.md": [f"{FOX} of the fence"], "b.md": ["A fence of the garden, and one fox."]}
    shelf = Shelf(texts, dates={"a.md": (2026, 1, 1), "b.md": (2026, 5, 1)})
    assert search(FOX, index=shelf, min_score=0).results[0].path == "a.md"


def test_a_file_that_changed_meanwhile_is_left_out_and_named():
    outcome = search(
        "fox", index=Shelf({"a.md": [FOX], "b.md": [f"another {FOX} here now"]}, {"a.md"})
    )
    assert [hit.path for hit in outcome.results] == ["b.md"]
    assert outcome.dropped[0].what == "a.md"


@pytest.mark.parametrize(
    ("by_vectors", "query", "method"),
    [
        (True, "fox", "hybrid"),
        (False, "fox", "keyword"),
        (True, "?!", "vector"),
        (False, "?!", "none"),
    ],
)
def test_the_method_is_what_really_ran(by_vectors, query, method):
    assert search(query, index=Shelf({"a.md": [FOX]}, by_vectors=by_vectors)).method == method


@pytest.mark.parametrize("query", ["", "  ", "\n"])
def test_an_empty_query_is_refused(query):
    with pytest.raises(InvalidQuery):
        search(query, index=Shelf({"a.md": [FOX]}))


@pytest.mark.parametrize(
    "wrong", [{"max_results": 0}, {"min_score": 1.1}, {"min_score": -1}, {"source": "web"}]
)
def test_arguments_out_of_range_are_refused(wrong):
    with pytest.raises(InvalidArgument):
        search("fox", index=Shelf({"a.md": [FOX]}), **wrong)


@given(st.text(min_size=1))
def test_any_query_gives_an_outcome_or_is_empty(query):
    try:
        outcome = search(query, index=Shelf({"a.md": [FOX, OWL]}), min_score=0)
    except InvalidQuery:
        assert not query.strip()
        return
    assert all(0 <= hit.score <= 1 for hit in outcome.results)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("", ("1-3", "one\ntwo\nthree")),
        ("2-3", ("2-3", "two\nthree")),
        ("2", ("2-2", "two")),
        (" 1 - 9 ", ("1-3", "one\ntwo\nthree")),
        ("7-9", ("7-9", "")),
    ],
)
def test_get_reads_lines_and_stops_at_the_end(lines, expected):
    found = get("a.md", lines, index=Shelf({"a.md": ["one", "two", "three"]}))
    assert (found.lines, found.text) == expected
    assert (found.found, found.total_lines) == (True, 3)


def test_a_file_that_is_not_there_is_an_outcome():
    found = get("b.md", "1-2", index=Shelf({"a.md": ["one"]}))
    assert (found.found, found.text) == (False, "")


@pytest.mark.parametrize("lines", ["0-3", "3-2", "x", "1-", "-3", "1-2-3", "1.5", "٣-٤"])
def test_a_range_that_is_none_is_refused(lines):
    with pytest.raises(InvalidLines):
        parse_lines(lines)


def test_of_two_that_differ_in_a_value_neither_hides_the_other(memory):
    long = (
        "The nightly import of the warehouse of the northern branch begins on the big machine at {}"
    )
    for hour in ("3:00", "5:00"):
        memory.remember(long.format(hour), clean=True, scope="user")
    found = memory.search("when does the nightly import of the warehouse begin", min_score=0)
    shown = " ".join(hit.text for hit in found.results)
    assert "3:00" in shown
    assert "5:00" in shown


def test_two_that_agree_are_shown_once_whatever_their_files_are_called(memory):
    for name in ("first", "second"):
        memory.remember("The nightly import begins at 3:00", clean=True, scope="user", name=name)
    found = memory.search("when does the nightly import begin", min_score=0)
    assert len([hit for hit in found.results if "nightly" in hit.text]) == 1
    assert any("nearly the same" in item.reason for item in found.dropped)
