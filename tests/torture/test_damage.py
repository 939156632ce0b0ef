"""Torn and flipped bytes in every file that is derived from the memory, many times over."""

from __future__ import annotations

import os

import pytest

from tests.local.test_damage import check_damaged, check_recorded, filled

__all__ = ["filled"]

TRIALS = int(os.environ.get("REVERIE_TORTURE", "12"))
SEED = int(os.environ.get("REVERIE_SEED", "1"))

pytestmark = [pytest.mark.slow, pytest.mark.torture]


@pytest.mark.parametrize("running", [False, True], ids=["opened", "running"])
def test_no_damage_changes_an_answer(filled, open_memory, tmp_path, running):
    check_damaged(
        filled, open_memory, tmp_path / "spare", seed=SEED, trials=TRIALS, running=running
    )


def test_no_damage_to_what_records_and_steers_stops_anything(filled, open_memory, tmp_path):
    check_recorded(filled, open_memory, tmp_path / "spare", seed=SEED, trials=TRIALS)
