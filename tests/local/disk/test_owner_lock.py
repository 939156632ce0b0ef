"""The dream's lock: one owner, known by a token, never robbed while it lives."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time

import pytest

from reverie.local.disk.owner_lock import try_own

HOUR = 3600.0


@pytest.fixture
def lock(tmp_path):
    return tmp_path / "project" / "consolidation.lock"


def is_free(lock):
    with try_own(lock, stale_after=HOUR) as mine:
        return mine


def dead_pid():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_the_file_begins_with_the_process_id_and_names_its_owner(lock):
    with try_own(lock, stale_after=HOUR) as mine:
        assert mine
        first, second = lock.read_text().splitlines()
        owner = json.loads(second)
    assert int(first) == owner["pid"] == os.getpid()
    assert owner["host"] == socket.gethostname()
    assert len(owner["token"]) == 32
    assert not lock.exists(), "the owner takes its file away"
    assert list(lock.parent.iterdir()) == []


def test_a_second_owner_is_turned_away_until_the_first_is_done(lock):
    with try_own(lock, stale_after=HOUR):
        assert not is_free(lock)
        assert lock.exists(), "the one turned away removes nothing"
    assert is_free(lock)


def test_a_live_owner_is_not_robbed_however_old_its_lock(lock):
    with try_own(lock, stale_after=HOUR):
        os.utime(lock, (0, 0))
        assert not is_free(lock)


def test_the_lock_of_a_killed_process_is_free_at_once(lock, tmp_path):
    script = (
        "import sys, time\nfrom pathlib import Path\nfrom reverie.local.disk.owner_lock import try_own\n"
        "with try_own(Path(sys.argv[1]), stale_after=3600.0) as mine:\n"
        "    print(mine, flush=True)\n    time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script, str(lock)], stdout=subprocess.PIPE)
    assert process.stdout.readline().strip() == b"True"
    assert not is_free(lock)
    process.kill()
    process.wait()
    process.stdout.close()
    assert lock.exists()
    assert is_free(lock)


def test_another_programs_lock_counts_while_its_process_lives_and_it_is_fresh(lock):
    lock.parent.mkdir()
    lock.write_text(str(os.getpid()))
    assert not is_free(lock)
    old = time.time() - 2 * HOUR
    os.utime(lock, (old, old))
    assert is_free(lock)


@pytest.mark.parametrize("text", ["", "garbage", "-1", "0", "99999999999999999999"])
def test_a_lock_that_names_no_living_process_is_free(lock, text):
    lock.parent.mkdir()
    lock.write_text(text)
    assert is_free(lock)


def test_the_lock_of_a_dead_process_of_another_program_is_free(lock):
    lock.parent.mkdir()
    lock.write_text(f"{dead_pid()}\n")
    assert is_free(lock)


def test_a_lock_from_another_host_counts_until_it_is_stale(lock):
    lock.parent.mkdir()
    owner = {"pid": dead_pid(), "host": "elsewhere", "token": "t"}
    lock.write_text(f"{owner['pid']}\n{json.dumps(owner)}\n")
    assert not is_free(lock)
    old = time.time() - 2 * HOUR
    os.utime(lock, (old, old))
    assert is_free(lock)


def test_a_file_that_somebody_else_put_there_is_not_removed(lock):
    with try_own(lock, stale_after=HOUR):
        lock.unlink()
        lock.write_text("1\n")
    assert lock.read_text() == "1\n"


def test_a_child_of_the_owner_does_not_keep_the_lock(lock):
    with try_own(lock, stale_after=HOUR):
        pid = os.fork()
        if pid == 0:
            os._exit(0 if not is_free(lock) else 1)
        assert os.waitpid(pid, 0)[1] == 0, "to the child the lock is somebody else's"
    assert is_free(lock)
