"""An export for git: names and notes of any kind go through the real git, and come back as they were."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from reverie.core.text.plain import digest
from reverie.local.moving.git_target import GitTarget
from reverie.types import (
    Counts,
    PortableDelta,
    PortableFile,
    PortableHeader,
    PortableRun,
    PortableText,
    RunRecord,
)

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
INJECTED = 'a"\nM 100644 inline evil.md\ndata 4\nevil\n'
ODD = st.text(
    st.characters(exclude_characters="\0", exclude_categories=("Cs",))
    | st.sampled_from("\n\r\t\"\\ '<>%:@\x1b\x7f\u2028"),
    min_size=1,
    max_size=20,
)
PARTS = ODD.map(lambda text: text.replace("/", "_"))
PATHS = st.lists(PARTS, min_size=1, max_size=3).map("/".join)


def record(number: int, path: str, note: str, client: str) -> RunRecord:
    return RunRecord(
        f"run-{number}", NOW, "remember", "applied", (path,), session=note, client=client, note=note,
        undoes=note,
    )  # fmt: skip


def git(folder: Path, *words: str) -> bytes:
    return subprocess.run(
        ["git", "-c", "core.quotePath=false", *words], cwd=folder, capture_output=True, check=True
    ).stdout


def export(folder: Path, runs: list[tuple[str, str, str]]) -> GitTarget:
    target = GitTarget(folder)
    target.open(PortableHeader(1, NOW))
    try:
        for number, (path, note, client) in enumerate(runs):
            text = f"text {number} of {note}"
            target.put(PortableText(text))
            target.put(PortableText(text))
            delta = PortableDelta(path, None, digest(text))
            target.put(PortableRun(record(number, path, note, client), (delta,)))
        target.finish(Counts())
    finally:
        target.discard()
    return target


@given(st.lists(st.tuples(PATHS, ODD, ODD), min_size=1, max_size=6, unique_by=lambda run: run[0]))
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@example([(INJECTED.strip(), INJECTED, INJECTED)])
@example(
    [
        ('a\nb\\c"d', "\n\ndone\n", "Eve <e@v> 1 +0000\ncommitter x"),
        ("tab\t\x1b[31m", "\x1b]0;x\x07", ">"),
    ]
)
@pytest.mark.slow
def test_each_run_is_one_commit_with_one_file_of_that_name(runs):
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "export"
        target = export(folder, runs)
        assert target.dropped == []
        commits = git(folder, "rev-list", "--reverse", "main").decode().split()
        assert len(commits) == len(runs) + 1  # and the one for what memory holds now
        for number, (path, note, _) in enumerate(runs):
            changed = git(
                folder,
                "diff-tree",
                "-r",
                "-z",
                "--root",
                "--no-commit-id",
                "--name-only",
                commits[number],
            )
            name = target.stored(path)
            assert changed == name.encode() + b"\0"
            held = git(folder, "cat-file", "blob", f"{commits[number]}:{name}")
            assert held == f"text {number} of {note}".encode()
            raw = git(folder, "cat-file", "commit", commits[number])
            head, _, message = raw.partition(b"\n\n")
            assert [line.split()[0] for line in head.split(b"\n") if not line.startswith(b"parent")] == [
                b"tree", b"author", b"committer",
            ]  # fmt: skip
            assert len(message.decode().splitlines()) <= 5
            assert all(line.isprintable() for line in message.decode().split("\n"))
        git(folder, "fsck", "--strict")


@pytest.mark.parametrize("path", ["a//b.md", "/a.md", "a/", "nul\0.md", "\ud800.md", "a/\ud834/b"])
def test_a_name_that_git_cannot_hold_is_left_out_and_told(tmp_path, path):
    folder = tmp_path / "export"
    target = export(folder, [(path, "note", "me"), ("good.md", "note", "me")])
    assert [item.reason for item in target.dropped] == ["git cannot store a file of this name"]
    assert len(git(folder, "rev-list", "main").split()) == 3


def test_files_of_odd_names_are_in_the_last_commit(tmp_path):
    folder = tmp_path / "export"
    target = GitTarget(folder)
    target.open(PortableHeader(1, NOW))
    target.put(PortableFile('user/a\nb"c.md', "text\n"))
    target.finish(Counts())
    listed = git(folder, "ls-tree", "-r", "-z", "--name-only", "main").decode().split("\0")
    assert 'user/a\nb"c.md' in listed
