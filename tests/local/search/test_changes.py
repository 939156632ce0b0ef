"""What changed since it was indexed is found, and where nothing did, little is looked at."""

import os
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core.search.chunk import ChunkSize
from reverie.local.search.changes import has_changed
from reverie.local.search.indexer import Job, sync
from reverie.local.search.root_index import Recipe, RootIndex
from reverie.local.search.sources import Root, scan
from reverie.types import Source
from tests.examples import examples

OLD = 1_700_000_000
KINDS = ("project", "managed", "layers")


def opened(folder: Path, kind: str) -> RootIndex:
    root = Root("here", folder / "root", kind, Source.MEMORY, "user")
    return RootIndex(root, folder / "index", Recipe(ChunkSize(), None, 1_000_000))


def taken_in(index: RootIndex) -> dict[str, str]:
    """Bring an index up to date; return what it knows of its files."""
    sync(index, Job(now=lambda: datetime.now(UTC), wait=5.0))
    with index.reading() as snapshot:
        return snapshot.db.signatures()


def write(path: Path, text: str, *, keep: bool = False) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    was = path.stat() if path.exists() else None
    path.write_text(text)
    if keep and was:
        os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))


def edit(root: Path, what: str, one: str, two: str, keep: bool) -> None:
    here, there = root / one, root / two
    match what:
        case "write":
            write(here, two, keep=keep)
        case "move":
            there.parent.mkdir(parents=True, exist_ok=True)
            here.rename(there)
        case "link":
            here.symlink_to(two)
        case "remove" if here.is_dir() and not here.is_symlink():
            shutil.rmtree(here)
        case "remove":
            here.unlink()


NAMES = st.sampled_from(["memory/a.md", "MEMORY.md", "a.md", "notes/deep/b.md", "memory/c.md"])
FOLDERS = st.sampled_from(["memory", "notes", "notes/deep", "other", ".away", "../away"])
EDITS = st.one_of(
    st.tuples(st.just("write"), NAMES, st.sampled_from(["tea", "pot"]), st.booleans()),
    st.tuples(
        st.just("write"), st.just("../out.md"), st.sampled_from(["tea", "pot"]), st.just(True)
    ),
    st.tuples(st.just("move"), NAMES, NAMES, st.just(False)),
    st.tuples(st.just("move"), FOLDERS, FOLDERS, st.just(False)),
    st.tuples(st.just("remove"), st.one_of(NAMES, FOLDERS), st.just(""), st.just(False)),
    st.tuples(st.just("link"), NAMES, st.sampled_from(["../out.md", "c.md"]), st.just(False)),
    st.tuples(st.just("link"), FOLDERS, st.sampled_from(["other", "../away"]), st.just(False)),
)


@settings(max_examples=examples(25), deadline=None)
@given(st.sampled_from(KINDS), st.lists(EDITS, max_size=8))
def test_whatever_happens_to_the_files_an_open_index_knows_them_as_they_are(
    tmp_path_factory, kind, edits
):
    folder = tmp_path_factory.mktemp("search")
    for name in ("memory/a.md", "notes/a.md", "a.md", "MEMORY.md"):
        write(folder / "root" / name, "tea")
        os.utime(folder / "root" / name, (OLD, OLD))
    kept = opened(folder, kind)
    for _ in range(4):  # from the second look on it asks the kernel
        taken_in(kept)
    for one in edits:
        try:
            edit(folder / "root", *one)
        except OSError:
            continue
        known = taken_in(kept)
        there = {found.rel: found.signature for found in scan(kept.root)}
        assert known.keys() == there.keys()
        # A file of the last moments is noted without a signature: it may change again unseen.
        assert all(known[rel] in ("", mark) for rel, mark in there.items())
    kept.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of changes so")
@pytest.mark.parametrize("kind", KINDS)
def test_an_index_that_is_asked_again_lists_no_folder_where_nothing_changed(tmp_path, kind):
    below = tmp_path / "root" / ("memory" if kind == "project" else "notes")
    for number in range(20):
        write(below / f"{number}.md", "tea")
    kept = opened(tmp_path, kind)
    while has_changed(kept):  # what is a moment old is not believed yet
        taken_in(kept)
    assert not has_changed(kept)  # from here on the kernel is asked
    listed = 0

    def seen(_frame: object, event: str, what: object) -> None:
        nonlocal listed
        listed += event == "c_call" and what is os.scandir

    sys.setprofile(seen)
    try:
        changed = [has_changed(kept) for _ in range(5)]
    finally:
        sys.setprofile(None)
    assert (changed, listed) == ([False] * 5, 0)
    write(below / "7.md", "pot")
    assert has_changed(kept)
    kept.close()
