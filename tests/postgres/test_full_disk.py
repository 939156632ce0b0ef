"""On a full disk a service answers what it has, refuses what it cannot keep, and says which it is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.disks import UNSHARE, can_mount
from tests.postgres.test_storms import disk

__all__ = ["disk"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not can_mount(), reason="no little disk can be mounted here"),
]


def test_every_answer_on_a_full_disk_is_right_or_says_that_it_is_full(disk: Path, tmp_path: Path):
    done = subprocess.run(
        [*UNSHARE, sys.executable, "-m", "tests.postgres.full_disk", str(disk), str(tmp_path)],
        capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-6000:]
    told = json.loads(done.stdout.splitlines()[-1])

    assert {answer["status"] for answer in told["reads"].values()} == {200}, told["reads"]
    for name in ("indexed", "never"):
        for what in ("search", "recall"):
            assert "behind the mill" in str(told["reads"][f"{name}: {what}"]["found"]), (name, what)
    assert "disk is full" in str(told["reads"]["never: search"]["warnings"])
    refused = []
    for what, answers in told["writes"].items():
        for answer in answers:
            kept = answer["status"] in (200, 202)
            full = (answer["status"], answer["code"]) == (507, "disk_full")
            assert kept or (full and "disk is full" in answer["error"]), (what, answer)
            refused += [what.partition(": ")[2]] * full
    assert {"remember now", "save", "remember"} <= {*refused}
    assert set(told["accepted"].values()) <= {"completed"}, told["accepted"]
    assert told["after"]["status"] == 200
