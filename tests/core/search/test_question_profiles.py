"""Profiles: what a cosine of each embedder is worth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.search.question import MEASURED, UNKNOWN, profile_of
from reverie.types.embedding import FEWEST

COSINES = st.floats(-1.0, 1.0)
PROFILES = st.sampled_from([*MEASURED.values(), UNKNOWN])


def test_a_profile_is_found_by_the_name_in_an_identity_whatever_its_version():
    name = next(iter(MEASURED))
    assert profile_of(f"{name}/1") is profile_of(f"{name}/2") is MEASURED[name]


def test_an_embedder_that_nobody_measured_is_believed_less_than_any_that_was():
    assert profile_of("ollama:something@http://127.0.0.1:11434") is UNKNOWN
    for profile in MEASURED.values():
        for cosine in (0.2, 0.4, 0.6):
            known = profile.probability(cosine, nearest=cosine, chunks=60)
            assert UNKNOWN.probability(cosine, nearest=cosine, chunks=60) < known


@given(PROFILES, COSINES, COSINES, st.integers(0, 10**6))
def test_nearer_is_never_less_likely_and_a_probability_is_one(profile, one, other, chunks):
    low, high = sorted((one, other))
    nearest = max(high, 0.0)
    found = [profile.probability(cosine, nearest=nearest, chunks=chunks) for cosine in (low, high)]
    assert 0.0 <= found[0] <= found[1] <= 1.0


@given(PROFILES, COSINES, st.integers(FEWEST, 10**5))
def test_the_same_cosine_says_less_in_a_larger_memory(profile, cosine, chunks):
    small = profile.log_odds(cosine, nearest=cosine, chunks=chunks)
    assert profile.log_odds(cosine, nearest=cosine, chunks=10 * chunks) < small


@given(PROFILES, COSINES, st.integers(1, FEWEST))
def test_to_be_the_nearest_of_few_is_no_evidence(profile, cosine, chunks):
    few = profile.log_odds(cosine, nearest=cosine, chunks=chunks)
    assert few == profile.log_odds(cosine, nearest=cosine, chunks=FEWEST)


@pytest.mark.parametrize("profile", [*MEASURED.values(), UNKNOWN], ids=lambda row: row.name)
def test_the_nearest_of_several_is_likelier_than_one_behind_it(profile):
    alone = profile.log_odds(0.5, nearest=0.5, chunks=60)
    assert profile.log_odds(0.5, nearest=0.7, chunks=60) < alone
