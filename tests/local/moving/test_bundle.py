"""Hostile sources: what they cost is bounded, and whatever is wrong with them has a name."""

from __future__ import annotations

import io
import json
import resource
import struct
import subprocess
import sys
import time
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie.config import ImportSettings
from reverie.core.moving.bounded_json import MAX_DEPTH, load
from reverie.errors import InvalidContent, ReverieError, TooLarge
from reverie.local.moving.bundle import open_bundle
from tests.examples import examples

METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
MEGABYTE = 1024 * 1024


def zip_bytes(entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return file.getvalue()


def read_all(path: Path, limits: ImportSettings | None = None) -> list[str]:
    """Read a source as an import does; return the reasons for what is missing."""
    with closing(open_bundle(path, limits)) as bundle:
        for name in bundle.names:
            bundle.text(name)
            list(bundle.lines(name))
            bundle.modified(name)
        return [item.reason for item in bundle.dropped]


# --- zips -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck), deadline=None)
@given(data=st.data())
def test_a_damaged_zip_of_any_method_is_read_or_refused_by_name(tmp_path, method, data):
    text = json.dumps([{"memory": f"word {number}"} for number in range(60)]).encode()
    raw = bytearray(zip_bytes({"a.md": text, "sub/b.json": text}, method))
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(raw) - 1))
        raw[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.none() | st.integers(0, len(raw)))
    path = tmp_path / "x.zip"
    path.write_bytes(bytes(raw[:cut]))
    try:
        read_all(path)
    except ReverieError as error:
        assert str(error)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_cannot_be_unpacked_piece_by_piece_is_left_out(tmp_path, method):
    path = tmp_path / "x.zip"
    path.write_bytes(zip_bytes({"a.md": b"0" * 5 * MEGABYTE}, method))
    assert ["unpack the zip" in reason for reason in read_all(path)] == [True]


@pytest.mark.slow
def test_a_bomb_is_stopped_by_what_it_weighs(tmp_path):
    path = tmp_path / "x.zip"
    path.write_bytes(zip_bytes({f"{n}.json": b"0" * 10 * MEGABYTE for n in range(4)}))
    with pytest.raises(TooLarge, match=r"imports\.max_ratio"):
        read_all(path)
    assert read_all(path, ImportSettings(max_ratio=10_000)) == []


def test_entries_that_share_their_bytes_count_each_time(tmp_path):
    raw = zip_bytes({"a.json": b"0" * 10 * MEGABYTE})
    start = raw.index(b"PK\x01\x02")
    end = raw.index(b"PK\x05\x06")
    entry = raw[start:end]
    entries = b"".join(entry.replace(b"a.json", f"{n:x}.json".encode()) for n in range(16))
    tail = raw[end : end + 8] + struct.pack("<HHLLH", 16, 16, len(entries), start, 0)
    path = tmp_path / "x.zip"
    path.write_bytes(raw[:start] + entries + tail)
    try:
        reasons = read_all(path)
    except TooLarge:
        return
    assert len(reasons) >= 15  # newer Pythons find the overlap, or that the names differ


@pytest.mark.parametrize("count", [11, 200])
def test_a_zip_that_lists_too_many_files_is_not_even_listed(tmp_path, count):
    path = tmp_path / "x.zip"
    path.write_bytes(zip_bytes({f"{n}.md": b"" for n in range(count)}))
    with pytest.raises(TooLarge, match=r"imports\.max_files"):
        read_all(path, ImportSettings(max_files=10))
    assert read_all(path, ImportSettings(max_files=count)) == []


def test_a_folder_of_too_many_files_or_folders_is_refused(tmp_path):
    for number in range(11):
        (tmp_path / "x" / str(number)).mkdir(parents=True)
    with pytest.raises(TooLarge, match=r"imports\.max_files"):
        read_all(tmp_path / "x", ImportSettings(max_files=10))


@pytest.mark.slow
def test_reading_many_files_takes_time_in_proportion(tmp_path):
    def cost(count: int) -> float:
        path = tmp_path / f"{count}.zip"
        path.write_bytes(zip_bytes({f"{n}.md": b"" for n in range(count)}, zipfile.ZIP_STORED))
        begun = time.process_time()
        read_all(path)
        return time.process_time() - begun

    cost(100)
    assert cost(4000) < 12 * max(cost(1000), 0.01)  # opening the zip for each file: 16 times


def test_a_note_is_bounded_as_memory_is(tmp_path):
    path = tmp_path / "x.zip"
    path.write_bytes(zip_bytes({"a.md": b"0" * 2000, "a.json": b"0" * 2000}))
    with closing(open_bundle(path, max_note=1000)) as bundle:
        assert bundle.text("a.md") is None
        assert bundle.text("a.json") is not None
        (left_out,) = bundle.dropped
    assert "memory.max_file_bytes" in left_out.reason


_IMPORT = """
import sys
from reverie.errors import ReverieError
from reverie.memory import Memory
with Memory.open(sys.argv[1], home=sys.argv[2], env={}) as memory:
    for format in sys.argv[4:]:
        try:
            brought = memory.import_(sys.argv[3], format=format or None)
            print(brought.counts.files, brought.dropped[:2])
        except ReverieError as error:
            print(error.code)
"""
ROOM = 700 * MEGABYTE


def _confined() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))


BOMBS = {
    "objects": lambda: zip_bytes({"conversations.json": b"[" + b"{}," * 40 * MEGABYTE + b"{}]"}),
    "lists": lambda: zip_bytes({"conversations.json": b"[" * 40 * MEGABYTE}),
    "blanks": lambda: zip_bytes({"memories.json": b"[" + b" " * 200 * MEGABYTE + b"1]"}),
    "keys": lambda: zip_bytes({"x.json": b"[{" + b'"memory":"",' * 4 * MEGABYTE + b'"b":1}]'}),
    "note": lambda: zip_bytes({"a.md": b"0" * 200 * MEGABYTE, "b.md": b"# b"}),
    "lzma": lambda: zip_bytes({"a.md": b"0" * 100 * MEGABYTE}, zipfile.ZIP_LZMA),
    "bzip2": lambda: zip_bytes({"a.md": b"0" * 200 * MEGABYTE}, zipfile.ZIP_BZIP2),
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", BOMBS)
def test_a_bomb_of_any_shape_fits_into_little_memory(tmp_path, shape):
    (tmp_path / "project").mkdir()
    path = tmp_path / "bomb.zip"
    path.write_bytes(BOMBS[shape]())
    formats = ("", "chatgpt", "mem0", "jsonl")
    done = subprocess.run(
        [sys.executable, "-c", _IMPORT, tmp_path / "project", tmp_path / "home", path, *formats],
        capture_output=True, text=True, preexec_fn=_confined, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == len(formats)


# --- JSON -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_json_that_nests_too_deep_is_refused_at_any_depth(opening):
    closing_ = opening.replace("[", "]").replace('{"a":', "}")[::-1]
    step = opening.count("[") + opening.count("{")
    fits = MAX_DEPTH // step
    assert load(opening * fits + "1" + closing_ * fits)
    for depth in (fits + 1, 900, 100_000):
        with pytest.raises(TooLarge, match="deep"):
            load(opening * depth + "1" + closing_ * depth)
        with pytest.raises((TooLarge, InvalidContent)):
            load(opening * depth)


def test_json_of_too_many_values_is_refused_before_it_is_read():
    assert load("[1,2,3]", most=3) == [1, 2, 3]
    with pytest.raises(TooLarge, match=r"imports\.max_values"):
        load("[1,2,3,4]", most=3)
