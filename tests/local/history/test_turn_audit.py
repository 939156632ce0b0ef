"""Verify and doctor tell of turns that are not as they were written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from reverie.errors import ReverieError
from reverie.types import TextPart, TurnMessage


def flipped(open_memory, *texts):
    """Return a memory in whose first turn a bit was flipped, and the file of that turn."""
    memory = open_memory()
    for text in texts:
        memory.layers.append([TurnMessage("user", (TextPart(text),))], session="s")
    first = sorted(Path(memory.layers.root).rglob("turns/**/*.json"))[0]
    data = bytearray(first.read_bytes())
    data[data.index(b"ferry")] ^= 2
    first.write_bytes(data)
    return memory, first


def test_verify_names_a_damaged_turn_and_leaves_it_where_it_is(open_memory):
    memory, path = flipped(open_memory, "The ferry leaves at 7", "Thanks")
    [problem] = memory.verify().problems
    assert (problem.code, problem.path) == ("turn_unreadable", str(path))
    assert "does not say what was written" in problem.message
    assert path.is_file()


def test_a_turn_in_quarantine_is_told_until_somebody_looks_after_it(open_memory):
    memory, path = flipped(open_memory, "The ferry leaves at 7", "Thanks")
    assert [turn.seq for turn in memory.layers.history.latest(9).turns] == [2]
    assert not path.exists()
    for problems in (memory.doctor(), memory.verify().problems):
        [problem] = [item for item in problems if item.code == "turn_quarantined"]
        assert Path(problem.path).is_file()
    Path(problem.path).unlink()
    assert memory.verify().ok


def test_of_many_some_are_named_and_the_rest_is_counted(open_memory):
    memory, path = flipped(open_memory, "The ferry leaves at 7")
    for number in range(30):
        path.with_name(f"{number + 100:020d}.json").write_text("{")
    problems = memory.verify().problems
    assert len(problems) == 21
    assert problems[-1].message == "11 more turn files like these"


def test_half_a_character_in_a_turn_stops_no_search(open_memory):
    memory = open_memory()
    said = TurnMessage("user", (TextPart("The ferry \ud800 leaves at nine"),))
    memory.layers.append([said], session="s\udfff")
    [hit] = memory.search("ferry leaves", min_score=0).results
    assert "The ferry \ufffd leaves at nine" in memory.get(hit.path).text


def test_a_link_in_a_circle_in_the_place_of_the_turns_is_told(open_memory):
    memory = open_memory()
    memory.layers.append([TurnMessage("user", (TextPart("The ferry"),))], session="s")
    turns = Path(memory.layers.root) / "history" / "turns"
    shutil.rmtree(turns)
    turns.symlink_to("turns")
    again = open_memory()
    with pytest.raises(ReverieError, match="is a link"):
        again.layers.append([TurnMessage("user", (TextPart("The train"),))], session="s")
