"""The look: whatever is done to a folder, the next look tells of it."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.local.disk import watching
from reverie.local.store import look
from reverie.local.store.look import Look, shared_look
from tests.examples import examples

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of changes so")

OLD = 1_700_000_000

EDITOR = """
import os, sys
def write(path, text, keep):
    was = os.stat(path) if os.path.exists(path) else None
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file: file.write(text)
    if keep and was: os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
def replace(path, text, keep):
    write(path + ".tmp", text, False)
    if keep and os.path.exists(path):
        was = os.stat(path); os.utime(path + ".tmp", ns=(was.st_atime_ns, was.st_mtime_ns))
    os.replace(path + ".tmp", path)
def swap(one, two, keep):
    os.rename(one, one + ".aside"); os.rename(two, one); os.rename(one + ".aside", two)
def move(one, two, keep):
    os.makedirs(os.path.dirname(two), exist_ok=True); os.rename(one, two)
def link(one, two, keep):
    os.symlink(two, one)
def remove(path, _, keep):
    import shutil
    shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
for line in sys.stdin:
    try:
        name, one, two, keep = eval(line)
        globals()[name](one, two, keep)
    except OSError: pass
    print(flush=True)
"""


class Reader:
    """Somebody who reads what a look says has changed, and nothing else."""

    def __init__(self, root: Path) -> None:
        self.look = Look(str(root))
        self.number = -1
        self.texts: dict[str, str] = {}

    def read(self) -> dict[str, str]:
        self.number, changes = self.look.changes(self.number, lambda: list(self.texts))
        for rel, seen in changes:
            self.texts.pop(rel, None)
            if seen is not None and Path(self.look.root, rel).is_file():
                self.texts[rel] = Path(self.look.root, rel).read_text()
        return self.texts


@pytest.fixture(scope="module")
def editor():
    with subprocess.Popen(
        [sys.executable, "-c", EDITOR], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def do(*words: object) -> None:
            process.stdin.write(f"{words!r}\n")
            process.stdin.flush()
            process.stdout.readline()

        yield do
        process.stdin.close()


NAMES = st.sampled_from(["a.md", "b.md", "user/a.md", "user/c.md", "user/deep/d.md", ".git/x.md"])
FOLDERS = st.sampled_from(["user", "user/deep", "other", ".hidden"])
TEXTS = st.sampled_from(["tea", "pot", "a longer text"])
EDITS = st.one_of(
    st.tuples(st.sampled_from(["write", "replace"]), NAMES, TEXTS, st.booleans()),
    st.tuples(st.sampled_from(["swap", "move"]), NAMES, NAMES, st.just(False)),
    st.tuples(st.sampled_from(["swap", "move"]), FOLDERS, FOLDERS, st.just(False)),
    st.tuples(st.just("remove"), st.one_of(NAMES, FOLDERS), st.just(""), st.just(False)),
    st.tuples(st.just("link"), NAMES, st.sampled_from(["../out.md", "b.md"]), st.just(False)),
    st.tuples(st.just("write"), st.just("../out.md"), TEXTS, st.booleans()),
    st.tuples(st.just("move"), st.just(""), st.just("../away"), st.just(False)),
    st.tuples(st.just("look"), st.just(""), st.just(""), st.just(False)),
)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(EDITS, max_size=14))
def test_whatever_another_process_does_the_next_look_tells_of_it(tmp_path_factory, editor, edits):
    folder = tmp_path_factory.mktemp("memory")
    root = folder / "root"
    for name in ("a.md", "user/a.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("tea")
        os.utime(root / name, (OLD, OLD))
    kept = Reader(root)
    kept.read()
    kept.read()
    for name, one, two, keep in edits:
        if name in ("swap", "move"):
            editor(name, f"{root}/{one}", f"{root}/{two}", False)
        elif name != "look":
            editor(name, f"{root}/{one}", two, keep)
        assert kept.read() == Reader(root).read()


def test_names_of_files_that_are_gone_are_let_go_and_nobody_misses_it(tmp_path, monkeypatch):
    monkeypatch.setattr(look, "MOST_GONE", 10)
    (tmp_path / "kept.md").write_text("tea")
    reader, rare = Reader(tmp_path), Reader(tmp_path)
    rare.look = reader.look
    for number in range(100):
        path = tmp_path / f"{number}.md"
        path.write_text("pot")
        reader.read()
        if number == 20:
            rare.read()
        path.unlink()
        assert reader.read() == {"kept.md": "tea"}
    assert len(reader.look._changes) <= 11
    assert "20.md" in rare.texts
    assert rare.read() == {"kept.md": "tea"}


def test_a_look_without_changes_looks_at_few_files(tmp_path):
    for number in range(200):
        (tmp_path / f"{number}.md").write_text("x")
    kept = Reader(tmp_path)
    for _ in range(20):
        kept.read()
    assert kept.look.walks == 2


def test_more_changes_than_the_kernel_keeps_are_found_by_a_walk(tmp_path):
    room = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    one, two = tmp_path / "a.md", tmp_path / "b.md"
    one.write_text("")
    two.write_text("")
    kept = Reader(tmp_path)
    kept.read()
    kept.read()
    with one.open("a") as first, two.open("a") as second:
        for _ in range(room):  # the same one twice would be told once
            first.write("x")
            first.flush()
            second.write("x")
            second.flush()
    (tmp_path / "c.md").write_text("new")
    assert kept.read() == Reader(tmp_path).read()
    assert kept.look.walks == 3


def test_where_the_kernel_does_not_tell_of_everything_each_look_is_a_walk(tmp_path, monkeypatch):
    monkeypatch.setattr(watching, "_LOCAL", frozenset())
    path = tmp_path / "a.md"
    path.write_text("tea")
    kept = Reader(tmp_path)
    for text in ("pot", "tea", "pot"):  # within one tick of the clock
        path.write_text(text)
        assert kept.read() == {"a.md": text}
    assert kept.look.walks == 3


def test_a_file_that_is_written_to_by_its_other_name_is_seen(tmp_path):
    memory = tmp_path / "memory"
    memory.mkdir()
    (tmp_path / "notes.md").write_text("tea")
    os.link(tmp_path / "notes.md", memory / "a.md")
    for number in range(100):
        (memory / f"{number}.md").write_text("x")
    kept = Reader(memory)
    kept.read()
    kept.read()
    (tmp_path / "notes.md").write_text("pot")
    assert kept.read()["a.md"] == "pot"


def test_a_change_that_the_kernel_does_not_tell_of_is_found_in_turn(tmp_path):
    import mmap

    for number in range(100):
        (tmp_path / f"{number}.md").write_text("tea")
        os.utime(tmp_path / f"{number}.md", (OLD, OLD))
    kept = Reader(tmp_path)
    kept.read()
    kept.read()
    with (tmp_path / "50.md").open("r+b") as file, mmap.mmap(file.fileno(), 3) as text:
        text[:] = b"pot"
        text.flush()
    for _ in range(10):
        kept.read()
    assert kept.texts["50.md"] == "pot"


FORKS = """
import os, sys
from reverie.local.store.look import Look

root = sys.argv[1]
kept = Look(root)
kept.changes(-1), kept.changes(-1)
child = os.fork()
if not child:
    with open(f"{root}/b.md", "w") as file:
        file.write("pot")
    for _ in range(2):
        kept.changes(-1)
        assert set(kept.files) == {"a.md", "b.md"}
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
kept.changes(-1)
assert set(kept.files) == {"a.md", "b.md"}
"""


@pytest.mark.slow
def test_a_forked_process_takes_no_news_from_its_parent(tmp_path):
    # In a process of its own: the threads of this one are not there after a fork, but what they held is.
    (tmp_path / "a.md").write_text("tea")
    subprocess.run([sys.executable, "-c", FORKS, str(tmp_path)], check=True, timeout=120)


def test_a_look_that_nobody_needs_any_more_waits_for_the_next_question_to_go(tmp_path):
    """A collector of garbage runs in the middle of any call, also of one that uses the kernel's queue."""
    (tmp_path / "a.md").write_text("tea")
    (tmp_path / "kept").mkdir()
    kept, dropped = Reader(tmp_path / "kept"), Reader(tmp_path)
    for _ in range(2):
        kept.read(), dropped.read()
    with watching._kernel.lock:
        queue = watching._kernel.queue()
        before = len(queue._watched)
        del dropped
        gc.collect()
        assert len(queue._watched) == before
    kept.read()
    assert len(queue._watched) < before


@pytest.mark.parametrize("exists", [False, True])
def test_however_often_a_folder_is_walked_one_watch_is_held_at_most(tmp_path, exists):
    root = tmp_path / "memory"
    root.mkdir() if exists else None
    gc.collect()
    before = sum(type(item) is watching.Watch for item in gc.get_objects())
    look = Look(str(root))
    for number in range(20):
        if exists:  # a folder that comes makes every look a walk
            (root / f"folder-{number}").mkdir()
        look.changes(-1)
    gc.collect()
    assert look.walks == 20
    assert sum(type(item) is watching.Watch for item in gc.get_objects()) <= before + 1


def test_a_folder_that_comes_later_is_found(tmp_path):
    kept = Reader(tmp_path / "memory")
    assert kept.read() == {}
    assert kept.read() == {}
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "a.md").write_text("tea")
    assert kept.read() == {"a.md": "tea"}


def test_one_look_serves_all_who_ask_for_a_folder(tmp_path):
    (tmp_path / "a.md").write_text("tea")
    assert shared_look(str(tmp_path)) is not shared_look(str(tmp_path / "other"))
    look = shared_look(str(tmp_path))
    assert look is shared_look(str(tmp_path))
    first, changes = look.changes(-1)
    assert [rel for rel, _ in changes] == ["a.md"]
    (tmp_path / "b.md").write_text("pot")
    _, one = look.changes(first)
    _, other = look.changes(first)  # what one was told is not lost for the other
    assert {rel for rel, _ in one} == {rel for rel, _ in other} >= {"b.md"}
