"""The history on the disk: numbers, the head, crashes, upgrades, quarantine."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from reverie.core.history import turns
from reverie.errors import FileTooLarge
from reverie.local.history.turn_store import History
from reverie.types import SecretFinding, TextPart, ToolResultPart, Turn, TurnMessage

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
DAY = "2026/05/01"


def hello(text: str = "hello") -> list[TurnMessage]:
    return [TurnMessage("user", (TextPart(text),)), TurnMessage("assistant", (TextPart("yes"),))]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "agent" / "history"


@pytest.fixture
def open_history(root: Path, tmp_path: Path) -> Iterator[Callable[..., History]]:
    opened: list[History] = []

    def opener(**options: Any) -> History:
        options.setdefault("clock", lambda: NOW)
        history = History(root, index=tmp_path / "state" / "history.db", **options)
        opened.append(history)
        return history

    yield opener
    for history in opened:
        history.close()


def said_in(history: History, limit: int = 1000) -> list[str]:
    return [text for turn in history.latest(limit).turns for _, text in turns.said(turn, "user")]


def head_of(root: Path) -> dict[str, Any]:
    return json.loads((root / "state" / "head.json").read_text())  # type: ignore[no-any-return]


def write_old(root: Path, seq: int, text: str = "old", *, day: str = DAY) -> Path:
    path = root / "turns" / day / f"{seq:020d}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    record = {
        "id": f"turn-{seq}", "seq": seq, "created_at": "2026-05-01T10:00:00Z",
        "messages": [{"role": "user", "content": text}],
    }  # fmt: skip
    path.write_text(json.dumps(record))
    return path


# --- appending ------------------------------------------------------------------------------------


def test_a_turn_is_a_file_of_its_day_with_its_number_and_the_head_follows(
    open_history: Callable[..., History], root: Path
) -> None:
    history = open_history()

    history.append(hello("one"), session="s1")
    done = history.append(hello("two"))

    record = json.loads((root / "turns" / DAY / "00000000000000000001.json").read_text())
    assert len(record.pop("reverie_checksum")) == 16
    assert record == {
        "schema_version": 2,
        "id": "turn-00000000000000000001",
        "seq": 1,
        "created_at": "2026-05-01T12:00:00Z",
        "session": "s1",
        "messages": [
            {"role": "user", "parts": [{"type": "text", "text": "one"}]},
            {"role": "assistant", "parts": [{"type": "text", "text": "yes"}]},
        ],
    }
    assert [turn.seq for turn in done.turns] == [2]
    assert head_of(root) == {"last_seq": 2, "updated_at": "2026-05-01T12:00:00Z"}
    assert oct((root / "turns" / DAY / "00000000000000000001.json").stat().st_mode)[-3:] == "600"


def test_nothing_said_is_no_turn(open_history: Callable[..., History], root: Path) -> None:
    history = open_history()

    assert history.append([]).turns == ()
    assert history.head() == 0
    assert not root.exists()


def test_a_turn_above_the_head_is_kept_and_the_head_is_raised(
    open_history: Callable[..., History], root: Path
) -> None:
    history = open_history()
    history.append(hello("one"))
    before = (root / "state" / "head.json").read_bytes()
    history.append(hello("two"))
    (root / "state" / "head.json").write_bytes(before)  # as if killed before the head was written

    done = history.append(hello("three"))

    assert done.turns[0].seq == 3
    assert said_in(history) == ["one", "two", "three"]
    assert head_of(root)["last_seq"] == 3


def test_the_head_is_never_lowered_and_no_number_is_given_twice(
    open_history: Callable[..., History], root: Path
) -> None:
    open_history().append(hello("one"))
    (root / "state" / "head.json").write_text('{"last_seq": 41, "note": "kept"}')
    shutil.rmtree(root / "turns")

    done = open_history().append(hello("two"))

    assert done.turns[0].seq == 42
    assert head_of(root)["note"] == "kept"


def test_a_turn_someone_else_put_there_is_not_overwritten(
    open_history: Callable[..., History], root: Path
) -> None:
    history = open_history()
    history.append(hello("one"))
    os.utime(root / "turns" / DAY, ns=(1, 1))
    write_old(root, 2, "theirs")

    done = [history.append(hello("ours")) for _ in range(2)]

    assert sorted(said_in(open_history())) == ["one", "ours", "ours", "theirs"]
    assert {turn.seq for one in done for turn in one.turns} == {3, 4}


def test_a_corrupt_head_is_kept_aside_and_found_again_from_the_turns(
    open_history: Callable[..., History], root: Path
) -> None:
    open_history().append(hello("one"))
    (root / "state" / "head.json").write_text("{broken")

    history = open_history()

    assert history.head() == 1
    assert head_of(root)["last_seq"] == 1
    assert [path.name for path in (root / "state").glob("*.corrupt")] == [
        "head.json-20260501T120000Z.corrupt"
    ]
    assert [problem.code for problem in history.opened.problems] == ["control_file_corrupt"]


def test_secrets_are_replaced_visibly_and_named(open_history: Callable[..., History]) -> None:
    def redact(text: str) -> tuple[str, list[SecretFinding]]:
        if "hunter2" not in text:
            return text, []
        return text.replace("hunter2", "[redacted: password]"), [SecretFinding("password", 1, 1)]

    history = open_history(redact=redact)
    messages = [
        TurnMessage("user", (TextPart("it is hunter2"),)),
        TurnMessage("tool", (ToolResultPart("c", "pw=hunter2"),)),
    ]

    done = history.append(messages)

    assert [item.rule for item in done.redactions] == ["password", "password"]
    assert done.turns[0].messages[1].parts == (ToolResultPart("c", "pw=[redacted: password]"),)
    assert history.get(1) == done.turns[0]


def test_a_turn_over_the_size_limit_is_refused_and_takes_no_number(
    open_history: Callable[..., History],
) -> None:
    history = open_history(max_bytes=2000)

    with pytest.raises(FileTooLarge):
        history.append(hello("x" * 3000))
    many = history.append_all(
        [
            Turn(0, NOW, tuple(hello(text)), source=f"s:{n}")
            for n, text in enumerate(["a", "x" * 3000, "b"])
        ]
    )

    assert [turn.seq for turn in many.turns] == [1, 2]
    assert len(many.dropped) == 1
    assert said_in(history) == ["a", "b"]


def test_what_is_imported_twice_is_there_once_and_lies_in_its_own_day(
    open_history: Callable[..., History], root: Path
) -> None:
    history = open_history()
    past = datetime(2024, 3, 5, 9, 0, tzinfo=UTC)
    drafts = [Turn(0, past, tuple(hello(f"n{n}")), source=f"chatgpt:{n}") for n in range(3)]

    first = history.append_all([*drafts[:2], drafts[1]])
    shutil.rmtree(root.parents[1] / "state")  # the index may be lost in between
    second = open_history().append_all(drafts)

    assert (len(first.turns), first.known) == (2, 1)
    assert (len(second.turns), second.known) == (1, 2)
    assert len(list((root / "turns" / "2024" / "03" / "05").iterdir())) == 3


# --- reading --------------------------------------------------------------------------------------


def test_turns_are_read_from_either_end(open_history: Callable[..., History]) -> None:
    history = open_history()
    for n in range(1, 8):
        history.append(hello(f"n{n}"))

    def numbers(reading: Any) -> list[int]:
        return [turn.seq for turn in reading.turns]

    assert numbers(history.latest(3)) == [5, 6, 7]
    assert numbers(history.latest(3, before=5)) == [2, 3, 4]
    assert numbers(history.since(2, limit=3)) == [3, 4, 5]
    assert numbers(history.replay(3, checkpoint=5)) == [6, 7]
    assert numbers(history.replay(3, checkpoint=7)) == []
    assert history.get(4) is not None
    assert history.get(8) is None
    assert (history.count(), history.head()) == (7, 7)


def test_imported_turns_are_not_replayed(open_history: Callable[..., History]) -> None:
    history = open_history()
    history.append(hello("ours"))
    history.append_all([Turn(0, NOW - timedelta(days=900), tuple(hello("past")), source="x:1")])

    assert [turn.seq for turn in history.replay(6, checkpoint=0).turns] == [1]
    assert [turn.seq for turn in history.latest(6).turns] == [1, 2]


def test_a_file_that_breaks_after_the_start_goes_to_quarantine_and_reading_goes_on(
    open_history: Callable[..., History], root: Path
) -> None:
    history = open_history()
    for n in range(4):
        history.append(hello(f"n{n}"))
    (root / "turns" / DAY / "00000000000000000003.json").write_bytes(b"\xff\xfe broken")

    reading = history.latest(3)

    assert [turn.seq for turn in reading.turns] == [1, 2, 4]
    assert [problem.code for problem in reading.problems] == ["turn_quarantined"]
    assert (
        root / "quarantine" / DAY / "00000000000000000003.json"
    ).read_bytes() == b"\xff\xfe broken"
    assert history.latest(9).problems == ()
    assert history.append(hello()).turns[0].seq == 5


def test_an_edited_turn_is_set_aside_and_told_and_comes_back_without_its_checksum(
    open_history: Callable[..., History], root: Path
) -> None:
    history = open_history()
    history.append(hello("the ferry leaves at 7"))
    history.append(hello("two"))
    path = root / "turns" / DAY / "00000000000000000001.json"
    path.write_text(path.read_text().replace("at 7", "at 9"))
    reading = history.latest(10)
    assert [turn.seq for turn in reading.turns] == [2]
    [problem] = reading.problems
    assert problem.code == "turn_quarantined"
    assert "edited by hand" in problem.message
    kept = Path(problem.path)
    assert "at 9" in kept.read_text()
    record = json.loads(kept.read_text())
    del record["reverie_checksum"]
    path.write_text(json.dumps(record))
    assert said_in(open_history()) == ["the ferry leaves at 9", "two"]


def test_turns_whose_files_were_exchanged_are_not_believed(
    open_history: Callable[..., History], root: Path
) -> None:
    history = open_history()
    for text in ("one", "two", "three"):
        history.append(hello(text))
    one, two = (root / "turns" / DAY / f"{number:020d}.json" for number in (1, 2))
    first = one.read_text()
    one.write_text(two.read_text())
    two.write_text(first)
    reading = history.latest(10)
    assert [turn.seq for turn in reading.turns] == [3]
    assert [problem.code for problem in reading.problems] == ["turn_quarantined"] * 2


def test_quarantine_never_overwrites_what_is_there(
    open_history: Callable[..., History], root: Path
) -> None:
    for text in ("bad one", "bad two", "bad three"):
        path = root / "turns" / DAY / "00000000000000000001.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        assert len(open_history().opened.problems) == 1

    kept = sorted((root / "quarantine" / DAY).iterdir())
    assert [path.name for path in kept] == [
        "00000000000000000001-20260501T120000Z-2.json",
        "00000000000000000001-20260501T120000Z.json",
        "00000000000000000001.json",
    ]
    assert sorted(path.read_text() for path in kept) == ["bad one", "bad three", "bad two"]


def test_a_turn_that_was_removed_is_gone_and_nothing_complains(
    open_history: Callable[..., History], root: Path
) -> None:
    history = open_history()
    for n in range(3):
        history.append(hello(f"n{n}"))
    (root / "turns" / DAY / "00000000000000000002.json").unlink()

    assert said_in(history) == ["n0", "n2"]
    assert said_in(open_history()) == ["n0", "n2"]
    assert open_history().count() == 2


def test_reading_the_last_turns_opens_only_their_files(
    open_history: Callable[..., History], root: Path
) -> None:
    history = open_history()
    history.append_all([Turn(0, NOW - timedelta(days=n), tuple(hello(f"n{n}"))) for n in range(30)])
    for path in root.glob("turns/**/*.json"):
        if int(path.stem) not in (29, 30):
            path.write_text("broken: whoever reads this one will say so")

    reading = history.latest(2)

    assert [turn.seq for turn in reading.turns] == [29, 30]
    assert reading.problems == ()
    assert open_history().opened.problems == ()


# --- the index is disposable ----------------------------------------------------------------------


@pytest.mark.parametrize("damage", ["removed", "garbage", "other root", "truncated"])
def test_a_lost_or_broken_index_is_made_anew(
    open_history: Callable[..., History], root: Path, tmp_path: Path, damage: str
) -> None:
    history = open_history()
    for n in range(3):
        history.append(hello(f"n{n}"))
    history.close()
    index = tmp_path / "state" / "history.db"
    match damage:
        case "removed":
            index.unlink()
        case "garbage":
            index.write_bytes(b"no database " * 1000)
        case "other root":
            index.unlink()
            other = root.with_name("elsewhere")
            elsewhere = History(other, index=index, clock=lambda: NOW)
            elsewhere.append(hello("not here"))
            elsewhere.close()
        case "truncated":
            index.write_bytes(index.read_bytes()[:5000])

    again = open_history()

    assert said_in(again) == ["n0", "n1", "n2"]
    assert again.append(hello("n3")).turns[0].seq == 4


def test_an_index_removed_while_the_history_is_open_costs_no_turn_and_no_number(
    open_history: Callable[..., History], tmp_path: Path
) -> None:
    history = open_history()
    history.append(hello("one"))
    for path in (tmp_path / "state").iterdir():
        path.unlink()
    other = open_history()

    other.append(hello("two"))
    history.append(hello("three"))
    other.append(hello("four"))

    assert said_in(history) == said_in(other) == ["one", "two", "three", "four"]
    assert [turn.seq for turn in other.latest(9).turns] == [1, 2, 3, 4]


# --- upgrade at the start -------------------------------------------------------------------------


def test_old_records_are_upgraded_in_place_when_the_history_is_opened(
    open_history: Callable[..., History], root: Path
) -> None:
    old = [write_old(root, n, f"old {n}") for n in (1, 2, 3)]

    history = open_history()

    assert (history.opened.taken, history.opened.upgraded) == (3, 3)
    assert [json.loads(path.read_text())["schema_version"] for path in old] == [2, 2, 2]
    assert said_in(history) == ["old 1", "old 2", "old 3"]
    assert head_of(root)["last_seq"] == 3
    assert not (root / "state" / "originals").exists()
    assert open_history().opened.upgraded == 0


def test_newer_records_are_read_and_left_as_they_are(
    open_history: Callable[..., History], root: Path
) -> None:
    path = write_old(root, 1)
    record = {
        "schema_version": 3, "id": "t", "seq": 1, "created_at": "2026-05-01T10:00:00Z",
        "messages": [{"role": "user", "parts": [{"type": "image", "url": "x"}],
                      "user_temporal": {"time_local": "12:00"}}],
    }  # fmt: skip
    path.write_text(json.dumps(record))

    history = open_history()

    assert json.loads(path.read_text()) == record
    assert history.get(1) is not None


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("00000000000000000001.json", "{", "not JSON"),
        ("00000000000000000001.json", '{"schema_version": 9}', "schema_version 9"),
        ("notes.json", '{"created_at": "2026-05-01T10:00:00Z", "messages": []}', "number"),
        ("99999999999999999999.json", '{"messages": []}', "number"),
    ],
)
def test_unreadable_files_go_to_quarantine_at_the_start(
    open_history: Callable[..., History], root: Path, name: str, text: str, reason: str
) -> None:
    path = root / "turns" / DAY / name
    path.parent.mkdir(parents=True)
    path.write_text(text)

    history = open_history()

    assert not path.exists()
    assert (root / "quarantine" / DAY / name).read_text() == text
    (problem,) = history.opened.problems
    assert reason in problem.message
    assert history.head() == 0


def test_a_record_without_a_date_gets_the_day_of_its_folder(
    open_history: Callable[..., History], root: Path
) -> None:
    path = write_old(root, 4)
    path.write_text('{"messages": [{"role": "user", "content": "x"}]}')

    turn = open_history().get(4)

    assert turn is not None
    assert turn.created_at == datetime(2026, 5, 1, tzinfo=UTC)


def test_two_files_of_one_number_are_both_kept(
    open_history: Callable[..., History], root: Path
) -> None:
    write_old(root, 1, "first", day="2026/05/01")
    write_old(root, 1, "second", day="2026/05/02")

    history = open_history()

    assert said_in(history) == ["first"]
    assert (root / "quarantine/2026/05/02/00000000000000000001.json").exists()
    assert "its number is that of" in history.opened.problems[0].message


def test_a_link_in_the_tree_is_not_followed(
    open_history: Callable[..., History], root: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text('{"seq": 1, "created_at": "2026-05-01T10:00:00Z", "messages": []}')
    link = root / "turns" / DAY / "00000000000000000001.json"
    link.parent.mkdir(parents=True)
    link.symlink_to(outside)

    history = open_history()

    assert history.count() == 0
    assert (root / "quarantine" / DAY / link.name).is_symlink()
    assert outside.exists()


def left_original(root: Path, path: Path, text: str) -> Path:
    """Put an original where an upgrade that was killed leaves it."""
    original = root / "state" / "originals" / path.relative_to(root / "turns")
    original.parent.mkdir(parents=True)
    original.write_text(text)
    return original


def test_an_upgrade_killed_before_its_rename_is_done_again(
    open_history: Callable[..., History], root: Path
) -> None:
    path = write_old(root, 1, "old")
    left_original(root, path, path.read_text())

    history = open_history()

    assert history.opened.upgraded == 1
    assert said_in(history) == ["old"]
    assert not (root / "state" / "originals").exists()


def test_an_upgrade_that_lost_the_new_record_is_taken_back_from_the_original(
    open_history: Callable[..., History], root: Path
) -> None:
    path = write_old(root, 1, "old")
    left_original(root, path, path.read_text())
    path.write_text("")

    assert said_in(open_history()) == ["old"]


def test_a_turn_edited_after_a_killed_upgrade_is_kept_and_so_is_the_original(
    open_history: Callable[..., History], root: Path
) -> None:
    path = write_old(root, 1, "old")
    left_original(root, path, path.read_text())
    write_old(root, 1, "edited")

    assert said_in(open_history()) == ["edited"]
    assert "old" in (root / "quarantine" / DAY / path.name).read_text()


def test_temporary_files_of_dead_processes_are_cleared(
    open_history: Callable[..., History], root: Path
) -> None:
    history = open_history()
    history.append(hello())
    stray = root / "turns" / DAY / ".00000000000000000002.json.999999999.abc.reverie-tmp"
    stray.write_text("half")

    again = open_history()

    assert not stray.exists()
    assert again.opened.problems == ()
