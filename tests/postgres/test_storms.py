"""No accepted task is lost under locks, frozen daemons, restarts of the database and full disks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.disks import UNSHARE, can_mount

ROUNDS = max(10, int(os.environ["REVERIE_TORTURE"]) // 10) if "REVERIE_TORTURE" in os.environ else 1

pytestmark = [
    pytest.mark.slow,
    pytest.mark.torture,
    pytest.mark.skipif(not can_mount(), reason="no little disk can be mounted here"),
]


@pytest.fixture
def disk() -> Iterator[Path]:
    """A folder that the database's user can come to, unlike those of the tests."""
    folder = Path(tempfile.mkdtemp(prefix="storm-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_no_accepted_task_is_lost_whatever_happens_to_database_and_daemons(
    disk: Path, tmp_path: Path
):
    words = [str(disk), str(tmp_path), str(ROUNDS)]
    done = subprocess.run(
        [*UNSHARE, sys.executable, "-m", "tests.postgres.storms", *words],
        capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-6000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert all(count > 4 * ROUNDS for count in told["accepted"])
    assert told["reads"] == ROUNDS
