"""Torn and flipped bytes in every file that is derived from the memory, many times over."""

from __future__ import annotations

import pytest

from tests.local.search.test_damage import (
    check_damaged,
    check_recorded,
    check_rows,
    check_turns_and_settings,
    filled,
)
from tests.torture.amount import SEED, rounds

__all__ = ["filled"]

TRIALS = rounds(2, share=2.0)

pytestmark = [pytest.mark.slow, pytest.mark.torture]


@pytest.mark.parametrize("running", [False, True], ids=["opened", "running"])
def test_no_damage_changes_an_answer(filled, open_memory, tmp_path, running):
    check_damaged(
        filled, open_memory, tmp_path / "spare", seed=SEED, trials=TRIALS, running=running
    )


def test_no_damage_to_what_records_and_steers_stops_anything(filled, open_memory, tmp_path):
    check_recorded(filled, open_memory, tmp_path / "spare", seed=SEED, trials=TRIALS)


def test_no_damage_to_turns_settings_or_token_is_believed(filled, open_memory, tmp_path):
    check_turns_and_settings(filled, open_memory, tmp_path / "spare", seed=SEED, trials=TRIALS)


def test_no_row_of_another_kind_stops_anything(filled, open_memory):
    check_rows(filled, open_memory, seed=SEED, trials=TRIALS)
