"""A disk that fills up at every write in turn: nothing acknowledged is lost, nothing is half done."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.disks import FULL, can_mount, on_a_disk
from tests.torture.amount import rounds

TRIALS = rounds(4)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.torture,
    pytest.mark.skipif(not can_mount(), reason="no little disk can be mounted here"),
]


def test_a_disk_that_fills_up_at_every_page_loses_nothing(tmp_path: Path) -> None:
    said = on_a_disk(tmp_path / "disk", "writing", 4096, 4096 * TRIALS)
    assert said["missing"] == []
    assert said["sound"]
    assert set(said["codes"]) <= {FULL}
    assert said["strays"] == []
