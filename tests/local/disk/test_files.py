"""On a disk that is full or may not be written, everything can still be read, and nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.disks import FULL, READ_ONLY, can_mount, on_a_disk

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not can_mount(), reason="no little disk can be mounted here"),
]


@pytest.mark.parametrize("index", ["", "no-index"])
@pytest.mark.parametrize("trouble", [READ_ONLY, FULL])
def test_everything_can_be_read_and_only_writing_is_refused(
    tmp_path: Path, trouble: str, index: str
) -> None:
    said = on_a_disk(tmp_path / "disk", "reading", trouble, index)
    assert said["after"] == said["before"]
    assert said["again"] == said["before"]
    assert trouble in said["told"]
    assert set(said["refused"].values()) == {trouble}


def test_a_disk_that_fills_up_at_any_write_loses_nothing(tmp_path: Path) -> None:
    said = on_a_disk(tmp_path / "disk", "writing", 16 * 1024, 160 * 1024)
    assert said["missing"] == []
    assert said["sound"]
    assert set(said["codes"]) <= {FULL}
    assert said["strays"] == []


def test_what_is_said_when_the_disk_fills_up_during_a_write_is_what_happens(tmp_path: Path) -> None:
    told = on_a_disk(tmp_path / "disk", "stopping")
    refused = [step for step in told if step["code"]]
    assert refused
    assert {step["code"] for step in refused} == {FULL}
    for step in told:
        if not step["code"] or "is recorded as run" in step["message"]:
            assert step["there"], step
            assert step["log"] == [[step["run"], "remember", "done"]], step
        else:
            assert not step["there"], step
