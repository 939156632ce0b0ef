"""Daily notes fade only where the person wants it, and nothing else ever does."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from reverie.core.search.fading import Fading, faded
from reverie.core.search.query import read_query
from reverie.core.search.rank import Ranked
from reverie.types.ranking import Candidate

TODAY = date(2026, 11, 16)
QUERY = read_query("what did we decide about the cache")


def hits(*scored: tuple[str, float]) -> list[Ranked]:
    return [Ranked(Candidate(path, path, 0, {}, 1), score, score, 0.0) for path, score in scored]


def shown(given: list[Ranked], *, half_life: float, query=QUERY) -> list[tuple[str, float]]:
    fading = Fading(TODAY, half_life)
    return [
        (hit.candidate.key, hit.score) for hit in faded(query, given, fading, path=lambda key: key)
    ]


def test_a_daily_note_counts_half_after_a_half_life():
    assert shown(hits(("memory/2026-10-17.md", 0.8)), half_life=30) == [
        ("memory/2026-10-17.md", 0.4)
    ]


def test_a_newer_note_overtakes_an_older_one():
    found = shown(hits(("memory/2025-11-16.md", 0.8), ("memory/2026-11-15.md", 0.7)), half_life=30)
    assert [path for path, _ in found] == ["memory/2026-11-15.md", "memory/2025-11-16.md"]


def test_undated_files_and_dates_inside_a_name_do_not_fade():
    paths = ["MEMORY.md", "memory/deploy.md", "memory/2020-01-01-plan.md", "memory/2020-13-45.md"]
    given = hits(*((path, 0.5) for path in paths))
    assert shown(given, half_life=1) == [(path, 0.5) for path in paths]


def test_a_question_about_a_day_finds_that_day_however_old():
    given = hits(("memory/2020-01-02.md", 0.8))
    asked = read_query("what happened on 2020-01-02")
    assert shown(given, half_life=1, query=asked) == [("memory/2020-01-02.md", 0.8)]


def test_a_note_from_the_future_is_as_new_as_one_of_today():
    assert shown(hits(("2030-01-01.md", 0.6)), half_life=1) == [("2030-01-01.md", 0.6)]


@given(
    st.lists(st.tuples(st.dates(), st.floats(0, 1)), max_size=8),
    st.sampled_from([0.0, 0.5, 30.0, 1e9]),
)
def test_fading_only_lowers_scores_and_keeps_every_hit(notes, half_life):
    given = hits(*((f"{day.isoformat()}.md", round(score, 4)) for day, score in notes))
    found = faded(QUERY, given, Fading(TODAY, half_life), path=lambda key: key)
    assert sorted(hit.candidate.key for hit in found) == sorted(h.candidate.key for h in given)
    before = {id(hit.candidate): hit.score for hit in given}
    assert all(0 <= hit.score <= before[id(hit.candidate)] for hit in found)
    assert [hit.score for hit in found] == sorted((h.score for h in found), reverse=True) or (
        not half_life
    )
