"""The history under SIGKILL and under ten writers: no turn lost, none twice, the head right."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reverie.core.history import turns
from reverie.local.history.turn_store import History

pytestmark = pytest.mark.slow

KILLS = max(15, int(os.environ.get("REVERIE_TORTURE", "0")))

OPEN = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from reverie.local.history.turn_store import History
from reverie.types import TextPart, Turn, TurnMessage
print("ready", flush=True)
root, index, name = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
history = History(root, index=index, clock=lambda: datetime.now(UTC), wait=60)
def message(text):
    return TurnMessage("user", (TextPart(text),))
"""
APPEND = (
    OPEN
    + """
for n in range(int(sys.argv[4])):
    done = history.append([message(f"{name}/{n}")])
    print(done.turns[0].seq, f"{name}/{n}", flush=True)
"""
)
APPEND_MANY = (
    OPEN
    + """
for n in range(int(sys.argv[4])):
    done = history.append_all(
        Turn(0, datetime(2020, 1, 1 + i, tzinfo=UTC), (message(f"{name}/{n}/{i}"),)) for i in range(5)
    )
    for turn in done.turns:
        print(turn.seq, turn.messages[0].parts[0].text, flush=True)
"""
)


def start(script: str, root: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, str(root), str(root.parent / "index.db"), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def kill_after(process: subprocess.Popen[str], seconds: float) -> list[str]:
    """Kill a process a moment after it is ready; return the lines it had printed by then."""
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
    with process.stdout:
        lines = process.stdout.read().splitlines()
    process.wait()
    return lines


def contents(root: Path) -> dict[int, str]:
    """Read the tree as it stands, without the history's own code for finding turns."""
    found: dict[int, str] = {}
    for path in (root / "turns").rglob("*.json"):
        turn = turns.decode(path.read_text(encoding="utf-8"), seq=int(path.stem)).turn
        assert turn.seq not in found, f"number {turn.seq} was given twice"
        (found[turn.seq],) = [text for _, text in turns.said(turn)]
    return found


def check_whole(root: Path, acknowledged: dict[int, str]) -> None:
    history = History(root, index=root.parent / "index.db", clock=lambda: datetime.now(UTC))
    try:
        found = contents(root)
        assert found.items() >= acknowledged.items()
        assert sorted(found) == list(range(1, len(found) + 1))
        assert len(set(found.values())) == len(found)
        assert history.head() == len(found) == history.count()
        if found:  # killed before its first turn, a process has no head to write yet
            assert json.loads((root / "state/head.json").read_text())["last_seq"] == len(found)
        assert [turn.seq for turn in history.latest(10**6).turns] == sorted(found)
        assert history.opened.problems == ()
        assert not list(root.rglob("*.reverie-tmp"))
    finally:
        history.close()


@pytest.mark.parametrize("script", [APPEND, APPEND_MANY], ids=["one by one", "in batches"])
def test_a_killed_appender_loses_no_turn_and_repeats_no_number(script: str, tmp_path: Path) -> None:
    chance = random.Random(script)
    root = tmp_path / "history"
    acknowledged: dict[int, str] = {}
    for n in range((KILLS + 1) // 2):
        lines = kill_after(start(script, root, f"run{n}", "1000"), chance.uniform(0.01, 0.3))
        acknowledged.update(_acknowledged(lines))
        if root.exists():
            check_whole(root, acknowledged)
    assert acknowledged, "the appender was always killed before its first turn"


def test_a_killed_upgrade_loses_no_turn(tmp_path: Path) -> None:
    chance = random.Random(7)
    kills = trees = 0
    while kills < KILLS:
        trees += 1
        root = tmp_path / f"tree{trees}" / "history"
        expected = {n: f"old {trees}/{n}" for n in range(1, 121)}
        for n, text in expected.items():
            path = root / "turns" / f"2026/05/{1 + n % 5:02d}" / f"{n:020d}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            record = {
                "created_at": "2026-05-01T10:00:00Z",
                "messages": [{"role": "user", "content": text}],
            }
            path.write_text(json.dumps(record))
        while not _upgraded(root) and kills < KILLS:
            kill_after(start(APPEND, root, "x", "0"), chance.uniform(0.0, 0.25))
            kills += 1
            if chance.random() < 0.3:
                (root.parent / "index.db").unlink(missing_ok=True)
        check_whole(root, expected)
        assert _upgraded(root)
        assert contents(root) == expected
        assert not (root / "quarantine").exists()
        assert not (root / "state" / "originals").exists()


def test_ten_processes_append_to_one_history_with_consecutive_numbers(tmp_path: Path) -> None:
    root = tmp_path / "history"

    writers = [start(APPEND, root, f"writer{n}", "12") for n in range(10)]
    acknowledged: dict[int, str] = {}
    for writer in writers:
        out, _ = writer.communicate(timeout=120)
        assert writer.returncode == 0
        lines = out.splitlines()[1:]
        assert len(lines) == 12
        acknowledged.update(_acknowledged(lines))

    assert len(acknowledged) == 120
    check_whole(root, acknowledged)
    assert contents(root) == acknowledged


def _acknowledged(lines: Sequence[str]) -> dict[int, str]:
    found: dict[int, str] = {}
    for line in lines:
        number, _, text = line.partition(" ")
        assert int(number) not in found
        found[int(number)] = text
    return found


def _upgraded(root: Path) -> bool:
    return all(
        json.loads(path.read_text()).get("schema_version") == 2
        for path in (root / "turns").rglob("*.json")
    )
