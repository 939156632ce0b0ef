"""Locks between real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from reverie.errors import Locked
from reverie.local.disk.locks import file_lock, holder_of

HOLDER = """
import sys
from pathlib import Path
from reverie.local.disk.locks import file_lock
with file_lock(Path(sys.argv[1]), wait=5, purpose="a long dream"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path / "x.lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_live_holder_is_never_robbed_and_is_named(holder, tmp_path):
    with pytest.raises(Locked) as caught, file_lock(tmp_path / "x.lock", wait=0.05):
        pass
    assert f"process {holder.pid}" in str(caught.value)
    assert "a long dream" in str(caught.value)


def test_a_killed_holder_leaves_no_lock_behind(holder, tmp_path):
    holder.send_signal(signal.SIGKILL)
    holder.wait(timeout=10)
    with file_lock(tmp_path / "x.lock", wait=0.05):
        assert f"process {os.getpid()}" in holder_of(tmp_path / "x.lock")


def test_a_forked_child_does_not_keep_the_lock_of_its_parent(tmp_path):
    path = tmp_path / "x.lock"
    ready, go = os.pipe(), os.pipe()
    with file_lock(path, wait=1):
        child = os.fork()
        if child == 0:
            os.write(ready[1], b"1")
            os.read(go[0], 1)  # lives on while the parent lets go
            os._exit(0)
        os.read(ready[0], 1)
    with file_lock(path, wait=0.05):
        pass
    os.write(go[1], b"1")
    os.waitpid(child, 0)


def test_a_lock_file_nobody_holds_names_nobody(tmp_path):
    assert holder_of(tmp_path / "none.lock") == "another process"


def test_every_folder_made_for_a_lock_is_for_its_owner_alone(tmp_path):
    with file_lock(tmp_path / "state" / "locks" / "deep" / "a.lock", wait=0):
        pass
    for folder in ("state", "state/locks", "state/locks/deep"):
        assert (tmp_path / folder).stat().st_mode & 0o077 == 0
