"""What the daemon does when it starts: old turns get today's form while it answers already."""

from __future__ import annotations

import asyncio
import json

import pytest

from reverie.memory import Memory
from tests.daemon.conftest import WAIT


@pytest.fixture
def turns(project, tmp_path):
    """The folder of one day's turns, with none in it."""
    with Memory.open(project, home=tmp_path / "base") as memory:
        folder = tmp_path.joinpath(memory.workspace.agent_root, "history", "turns", "2024/05/06")
    folder.mkdir(parents=True)
    return folder


def old_turn(folder, number):
    record = {
        "schema_version": 1,
        "seq": number,
        "created_at": "2024-05-06T07:08:09Z",
        "messages": [{"role": "user", "content": f"Said long ago, {number}"}],
    }
    (folder / f"{number}.json").write_text(json.dumps(record))


def over(daemon):
    done = daemon.host.primary.startup.wait()
    asyncio.run_coroutine_threadsafe(done, daemon.loop).result(WAIT)


def told(daemon):
    events = daemon.on_loop(lambda: list(daemon.host.primary.bus._ring))
    lines = [event.frame.decode().partition("data: ")[2] for event in events]
    return [json.loads(line)["data"] for line in lines if '"background_run"' in line]


def test_old_turns_are_upgraded_without_anybody_asking_for_them_and_it_is_told(start, turns):
    for number in (1, 2, 3):
        old_turn(turns, number)
    (turns / "4.json").write_text("no turn at all")
    daemon = start()
    over(daemon)
    versions = [json.loads((turns / f"{n}.json").read_text())["schema_version"] for n in (1, 2, 3)]
    assert versions == [2, 2, 2]
    assert not (turns / "4.json").exists()
    (done,) = told(daemon)
    assert (done["job"], done["status"]) == ("history", "done")
    assert done["summary"].startswith("old turns upgraded: 3; turn files set aside: 1")
    assert 'job="history",status="done"} 1' in daemon.get("/metrics").text
    found = daemon.get("/workspace/history").json()["turns"]
    assert [turn["seq"] for turn in found] == [3, 2, 1]


def test_a_history_of_today_and_none_at_all_are_left_alone(start, turns, tmp_path):
    daemon = start()
    over(daemon)
    assert told(daemon) == []
    daemon.stop()
    turns.rmdir()
    for folder in list(turns.parents)[:3]:
        folder.rmdir()
    again = start()
    over(again)
    assert not turns.parents[2].exists(), "nothing was made"


def test_what_prevents_the_upgrade_is_told_and_the_daemon_serves(start, turns):
    old_turn(turns, 1)
    state = turns.parents[3] / "state"
    state.write_text("a file where a folder belongs")
    daemon = start()
    over(daemon)
    (done,) = told(daemon)
    assert (done["job"], done["status"]) == ("history", "failed")
    assert done["summary"]
    assert daemon.get("/health").status_code == 200
    daemon.stop()
    state.unlink()
    again = start()
    over(again)
    assert [item["status"] for item in told(again)] == ["done"], "the next start goes on"
