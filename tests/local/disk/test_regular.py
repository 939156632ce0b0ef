"""Only files are opened: a pipe in the place of one makes nobody wait."""

from __future__ import annotations

import os
import socket

import pytest

from reverie.local.disk.appending import append_line
from reverie.local.disk.regular import regular, regular_bytes
from reverie.local.store.listing import markdown_files


@pytest.mark.parametrize("kind", ["pipe", "folder", "socket", "device", "loop", "nothing"])
def test_what_is_not_a_file_is_refused_at_once(tmp_path, monkeypatch, kind):
    path = tmp_path / "x"
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "socket":
            monkeypatch.chdir(tmp_path)  # the path of a socket must be short
            with socket.socket(socket.AF_UNIX) as made:
                made.bind("x")
        case "device":
            path.symlink_to("/dev/zero")
        case "loop":
            path.symlink_to("x")
    with pytest.raises(OSError, match=r".+"):
        regular_bytes(path)
    if kind not in ("nothing", "device"):
        with pytest.raises(OSError, match=r".+"):
            append_line(str(path), "a line\n")


def test_a_file_is_read_and_written(tmp_path):
    path = tmp_path / "x"
    with open(path, "wb", opener=regular) as file:
        file.write(b"a line")
    assert path.stat().st_mode & 0o777 == 0o600
    assert regular_bytes(path) == b"a line"


def test_a_link_that_leads_in_a_circle_holds_no_markdown(tmp_path):
    (tmp_path / "x").symlink_to("x")
    assert list(markdown_files(tmp_path / "x")) == []
    assert list(markdown_files(tmp_path / "x" / "deeper")) == []
