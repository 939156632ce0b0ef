"""The one writer: whole or absent, byte for byte, and never over somebody else's text."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie.core.text.plain import digest
from reverie.errors import (
    DiskFull,
    FileTooLarge,
    InvalidPath,
    Locked,
    NotAFile,
    NotText,
    PathEscape,
    ReadOnly,
    SecretRefused,
    StaleBase,
    StoreError,
)
from reverie.local.disk.files import write_atomic
from reverie.local.disk.locks import file_lock
from reverie.types import Change, RunInfo, Scope
from tests.examples import examples

RUN = RunInfo(verb="test")
TOPIC = "---\nname: Tabs\ndescription: {0}\ntype: user\n---\n\n{0}\n"


def topic(text="prefers tabs"):
    return TOPIC.format(text)


def put(memory, name, text, *, scope=Scope.PROJECT, **options):
    """Write one memory file, whatever it held before."""
    path = f"{memory.workspace.memory_root(scope)}/{name}"
    now = memory.store.read(path)
    change = Change(path, text, None if now is None else digest(now), **options)
    return memory.store.apply([change], RUN)


def test_a_change_is_written_recorded_and_listed_in_the_catalog(memory):
    applied = put(memory, "user/tabs.md", topic())
    assert Path(applied.paths[0]).read_text() == topic()
    assert applied.scopes == (Scope.PROJECT,)
    catalog = Path(memory.workspace.project_memory, "MEMORY.md").read_text()
    assert catalog == "- [Tabs](user/tabs.md) — prefers tabs\n"
    assert [(run.verb, run.status, run.paths) for run in memory.log()] == [
        ("test", "done", applied.paths)
    ]


def test_private_memory_is_readable_by_its_owner_alone(memory):
    applied = put(memory, "user/tabs.md", topic())
    file = Path(applied.paths[0])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    for folder in (file.parent, file.parent.parent, Path(memory.workspace.state)):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert memory.verify().ok


def test_an_existing_file_keeps_its_mode_and_a_shared_one_follows_the_umask(memory, project):
    shared = project / "AGENTS.md"
    memory.store.apply([Change(str(shared), "# A\n", None, private=False)], RUN)
    assert stat.S_IMODE(shared.stat().st_mode) == 0o666 & ~_umask()
    shared.chmod(0o640)
    memory.store.apply([Change(str(shared), "# B\n", digest("# A\n"), private=False)], RUN)
    assert stat.S_IMODE(shared.stat().st_mode) == 0o640


def _umask():
    value = os.umask(0)
    os.umask(value)
    return value


def test_a_change_planned_on_an_older_text_is_refused_and_nothing_moves(memory):
    applied = put(memory, "user/tabs.md", topic())
    other = f"{memory.workspace.project_memory}/user/other.md"
    stale = Change(applied.paths[0], topic("new"), digest("something else"))
    with pytest.raises(StaleBase):
        memory.store.apply([Change(other, topic("x"), None), stale], RUN)
    assert not Path(other).exists()
    assert Path(applied.paths[0]).read_text() == topic()


def test_a_change_that_changes_nothing_is_no_run(memory):
    put(memory, "user/tabs.md", topic())
    assert put(memory, "user/tabs.md", topic()).run == ""
    assert len(memory.log()) == 1


def test_removing_a_file_removes_its_catalog_line(memory):
    put(memory, "user/tabs.md", topic())
    put(memory, "user/tabs.md", None)
    assert memory.store.topics() == []
    assert Path(memory.workspace.project_memory, "MEMORY.md").read_text() == ""


@pytest.mark.parametrize(
    "name", ["/etc/passwd.md", "{state}/x.md", "{base}/../out.md", "{base}/a.py"]
)
def test_a_change_outside_the_memory_and_the_project_is_refused(memory, name):
    path = name.format(state=memory.workspace.state, base=memory.workspace.base)
    with pytest.raises(PathEscape):
        memory.store.apply([Change(path, "x", None)], RUN)


def test_a_link_out_of_the_memory_is_not_followed(memory, tmp_path):
    put(memory, "user/tabs.md", topic())
    outside = tmp_path / "outside"
    outside.mkdir()
    Path(memory.workspace.project_memory, "evil").symlink_to(outside)
    with pytest.raises(PathEscape):
        put(memory, "evil/x.md", topic())
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("path", ["", "x", "memory/x.md", "../x.md", "/a/../b.md", "/a//b", "/\0"])
def test_a_path_that_nobody_recorded_is_refused_and_not_looked_for(memory, path):
    with pytest.raises(InvalidPath):
        memory.store.roots.recorded(path)


def test_two_runs_through_an_alias_of_the_folder_are_one_file(memory):
    put(memory, "user/tabs.md", topic())
    root = Path(memory.workspace.project_memory)
    (root / "alias").symlink_to(root / "user")
    applied = put(memory, "alias/tabs.md", topic("prefers spaces"))
    assert applied.paths == (str((root / "user" / "tabs.md").resolve()),)


def test_a_secret_is_refused_with_its_rule_and_never_its_value(memory):
    value = "AKIA" + "QWERTYUIOPASDFGH"
    with pytest.raises(SecretRefused) as caught:
        put(memory, "user/key.md", topic(f"the key is {value}"))
    assert value not in str(caught.value)
    assert "line" in str(caught.value)
    assert memory.store.topics() == []
    assert memory.log() == []


def test_a_secret_is_replaced_by_a_placeholder_when_the_setting_says_so(open_memory):
    memory = open_memory(settings={"secrets.policy": "redact"})
    value = "AKIA" + "QWERTYUIOPASDFGH"
    applied = put(memory, "user/key.md", topic(f"the key is {value}"))
    text = Path(applied.paths[0]).read_text()
    assert value not in text
    assert "[redacted:" in text
    assert applied.redactions[0].path == applied.paths[0]
    assert value not in memory.diff(applied.run)


def test_an_edit_by_hand_is_recorded_and_not_overwritten(memory):
    applied = put(memory, "user/tabs.md", topic())
    file = Path(applied.paths[0])
    file.write_text(topic("edited by hand"))
    with pytest.raises(StaleBase):
        memory.store.apply([Change(str(file), topic("ours"), digest(topic()))], RUN)
    verbs = [run.verb for run in memory.log()]
    assert verbs == ["external-edit", "test"]
    assert "+description: edited by hand" in memory.diff(memory.log()[0].id)
    assert file.read_text() == topic("edited by hand")


def test_a_file_removed_by_hand_is_recorded_and_can_be_brought_back(memory):
    applied = put(memory, "user/tabs.md", topic())
    Path(applied.paths[0]).unlink()
    record = memory.log()[0]
    assert record.verb == "external-edit"
    memory.undo(record.id)
    assert Path(applied.paths[0]).read_text() == topic()


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff---\r\nname: a\r\ntype: user\r\n---\r\n\r\nx\r\n",
        "---\nname: a\ntype: user\n---\nno final newline",
        "---\n# a comment\nzzz: [1, 2]\nname: a\ntype: user\n---\n\tx\n\n\n",
        "\u2028\u0085\x0c",
    ],
)
def test_text_is_written_byte_for_byte(memory, text):
    applied = put(memory, "user/odd.md", text)
    assert Path(applied.paths[0]).read_bytes() == text.encode()
    assert memory.store.read(applied.paths[0]) == text


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
plans = st.lists(
    st.dictionaries(st.sampled_from(["a.md", "b.md", "sub/c.md"]), st.none() | texts, min_size=1),
    min_size=1,
    max_size=4,
)


@given(plans)
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_apply_then_undo_restores_every_byte(open_memory, tmp_path_factory, plans):
    place = tmp_path_factory.mktemp("undo")
    memory = open_memory(home=place / "home", settings={"secrets.policy": "off"})
    root = Path(memory.workspace.project_memory)
    trail = [_bytes_below(root)]
    runs = []
    for plan in plans:
        changes = []
        for name, text in plan.items():
            now = memory.store.read(f"{root}/{name}")
            changes.append(Change(f"{root}/{name}", text, None if now is None else digest(now)))
        applied = memory.store.apply(changes, RUN)
        if applied.run:
            runs.append(applied.run)
            trail.append(_bytes_below(root))
    for run in reversed(runs):
        assert _bytes_below(root) == trail.pop()
        memory.undo(run)
    assert _bytes_below(root, catalog=False) == trail.pop()
    assert memory.verify().ok
    memory.close()


def _bytes_below(root, *, catalog=True):
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and (catalog or path.name != "MEMORY.md")
    }


# --- bad input ------------------------------------------------------------------------------------


def test_a_read_only_folder_is_named_and_nothing_is_lost(memory, monkeypatch):
    applied = put(memory, "user/tabs.md", topic())
    real = os.open

    def refuse(path, flags, *rest, **options):
        if flags & os.O_CREAT and str(path).endswith("reverie-tmp"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(ReadOnly, match="permissions"):
        put(memory, "user/tabs.md", topic("new"))
    monkeypatch.undo()
    assert Path(applied.paths[0]).read_text() == topic()
    assert memory.verify().ok


def test_a_full_disk_leaves_every_file_as_it_was(memory, monkeypatch):
    applied = put(memory, "user/tabs.md", topic())

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFull, match="nothing was lost"):
        put(memory, "user/tabs.md", topic("new"))
    monkeypatch.undo()
    folder = Path(applied.paths[0]).parent
    assert [item.name for item in folder.iterdir()] == ["tabs.md"]
    assert Path(applied.paths[0]).read_text() == topic()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_a_disk_that_fails_once_a_run_is_recorded_is_told_as_it_is(open_memory, monkeypatch, code):
    memory = open_memory()

    def fail(*_, **__):
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as failing:
        failing.setattr(os, "link", fail)
        failing.setattr(os, "rename", fail)
        with pytest.raises(StoreError, match=r"is recorded as run .* do not repeat it") as told:
            put(memory, "user/tabs.md", topic())
    memory.close()
    again = open_memory()
    assert again.store.read(f"{again.workspace.project_memory}/user/tabs.md") == topic()
    assert [run.id for run in again.log()] == [told.value.evidence["run"]]
    assert again.verify().ok


def test_a_folder_where_a_file_should_be_is_named(memory):
    Path(memory.workspace.project_memory, "user", "tabs.md").mkdir(parents=True)
    with pytest.raises(NotAFile):
        put(memory, "user/tabs.md", topic())


def test_a_file_that_is_not_text_is_left_alone_and_reported(memory):
    file = Path(memory.workspace.project_memory, "user", "odd.md")
    file.parent.mkdir(parents=True)
    file.write_bytes(b"\xff\xfe broken")
    assert memory.store.topics() == []
    assert [problem.code for problem in memory.store.unreadable] == ["not_text"]
    with pytest.raises(NotText):
        put(memory, "user/odd.md", topic())
    assert file.read_bytes() == b"\xff\xfe broken"


def test_a_file_whose_name_is_no_utf8_is_left_out_and_told(open_memory, project):
    memory = open_memory()
    put(memory, "project/tabs.md", topic())
    root = os.fsencode(memory.workspace.project_memory)
    try:
        (Path(os.fsdecode(root + b"/caf\xe9"))).mkdir()
    except OSError:
        pytest.skip("this system takes no such name")
    for name in (b"/tea\xe9.md", b"/caf\xe9/tabs.md"):
        Path(os.fsdecode(root + name)).write_text(topic("drinks tea"))
    memory.remember("Tea is served at four", kind="project")
    assert "Tea is served" in memory.recall("when is tea served?").block
    memory.search("tea", min_score=0)
    memory.forget("Tea is served at four", erase=True)
    memory.dream(force=True)
    told = [item for item in memory.doctor() if "not UTF-8" in item.message]
    shown = sorted(item.path.partition("/memory/")[2] for item in told)
    assert shown == ["caf\\udce9/tabs.md", "tea\\udce9.md"]
    memory.close()


def test_a_project_whose_name_is_no_utf8_is_read_and_told_why_it_is_not_written(
    open_memory, tmp_path
):
    place = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    try:
        (place / ".git").mkdir(parents=True)
    except OSError:
        pytest.skip("this system takes no such name")
    (place / "AGENTS.md").write_text("Use tabs.\n")
    memory = open_memory(place)
    assert "Use tabs." in memory.context().text
    memory.remember("The cafe opens at nine", kind="project")
    with pytest.raises(InvalidPath, match="not UTF-8 text"):
        memory.save("Use spaces", scope="project")
    assert (place / "AGENTS.md").read_text() == "Use tabs.\n"


def test_a_huge_file_is_reported_and_not_read(memory):
    file = Path(memory.workspace.project_memory, "user", "huge.md")
    file.parent.mkdir(parents=True)
    with file.open("wb") as handle:
        handle.truncate(1 << 30)
    with pytest.raises(FileTooLarge, match="1,073,741,824"):
        memory.store.read(str(file))
    put(memory, "user/tabs.md", topic())
    codes = [item.code for item in memory.verify().problems if item.path == str(file)]
    assert "memory_file_too_large" in codes


def test_a_named_pipe_does_not_hang_the_reader(memory):
    root = Path(memory.workspace.project_memory)
    root.mkdir(parents=True)
    os.mkfifo(root / "pipe.md")
    assert memory.store.topics() == []
    assert [problem.code for problem in memory.store.unreadable] == ["not_a_file"]


def test_a_held_lock_is_reported_with_its_holder(open_memory):
    memory = open_memory(settings={"memory.lock_wait_seconds": 0.05})
    lock = Path(memory.workspace.state) / "write.lock"
    ready, stop = threading.Event(), threading.Event()

    def hold():
        with file_lock(lock, wait=1, purpose="dream"):
            ready.set()
            stop.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    assert ready.wait(10)
    try:
        with pytest.raises(Locked, match=f"process {os.getpid()} on .*dream"):
            put(memory, "user/tabs.md", topic())
    finally:
        stop.set()
        holder.join()
    put(memory, "user/tabs.md", topic())


def test_two_homes_that_write_one_project_exclude_each_other(open_memory, project, tmp_path):
    one = open_memory(home=tmp_path / "one", settings={"memory.lock_wait_seconds": 0.05})
    from reverie.local.disk.locks import folder_lock

    with folder_lock(project, wait=1), pytest.raises(Locked):
        one.store.apply([Change(f"{project}/AGENTS.md", "x\n", None)], RUN)


def test_a_catalog_somebody_else_wrote_is_kept_in_the_journal_before_it_is_replaced(memory):
    catalog = Path(memory.workspace.project_memory, "MEMORY.md")
    catalog.parent.mkdir(parents=True)
    catalog.write_text("# Mine\n\n- [gone](gone.md) — a line that links to nothing\n")
    put(memory, "user/tabs.md", topic())
    assert catalog.read_text().startswith("# Mine\n")
    record = next(run for run in memory.log() if run.verb == "external-edit")
    assert "a line that links to nothing" in memory.diff(record.id)


def test_a_run_that_writes_a_catalog_is_not_taken_for_an_edit_by_hand(memory):
    put(memory, "user/tabs.md", topic())
    put(memory, "MEMORY.md", "# Mine\n\n- [Gone](gone.md) — no longer here\n")
    assert [run.verb for run in memory.log()] == ["test", "test"]
    catalog = Path(memory.workspace.project_memory, "MEMORY.md")
    assert catalog.read_text() == "# Mine\n\n- [Tabs](user/tabs.md) — prefers tabs\n"
    assert memory.journal.file_state(str(catalog)).hash == digest(catalog.read_text())
    assert not memory.store.notice_edits()


@pytest.mark.parametrize(
    "place", ["state", "project_state", "home", "project_memory", "agent_root", "base"]
)
def test_what_a_killed_process_left_anywhere_is_swept_away(memory, place):
    memory.remember("Tabs are preferred", clean=True)
    folder = Path(
        getattr(memory.workspace, place), "below" if place in ("state", "agent_root") else ""
    )
    folder.mkdir(parents=True, exist_ok=True)
    gone = subprocess.Popen(["true"])
    gone.wait()
    stray = folder / f".meta.json.{gone.pid}.0ae37d68711a.reverie-tmp"
    stray.write_text("half a te")
    mine = folder / f".meta.json.{os.getpid()}.0ae37d68711a.reverie-tmp"
    mine.write_text("somebody writes this now")
    memory.verify()
    assert not stray.exists()
    assert mine.exists()


def test_the_next_write_into_a_folder_removes_what_a_killed_process_left_there(tmp_path):
    gone = subprocess.Popen(["true"])
    gone.wait()
    stray = tmp_path / f".meta.json.{gone.pid}.0ae37d68711a.reverie-tmp"
    stray.write_text("half a te")
    write_atomic(tmp_path / "meta.json", b"{}")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["meta.json"]


def test_a_file_that_is_no_topic_is_reported_at_every_reading_and_its_catalog_line_stays(memory):
    root = Path(memory.workspace.project_memory)
    root.mkdir(parents=True)
    (root / "plain.md").write_text("no frontmatter\n")
    (root / "MEMORY.md").write_text("- [Plain](plain.md) — written by hand\n")
    put(memory, "user/tabs.md", topic())
    for _ in range(2):
        memory.store.topics()
        assert [problem.code for problem in memory.store.unreadable] == ["not_a_topic"]
    assert "[Plain](plain.md)" in (root / "MEMORY.md").read_text()


def test_a_hand_written_file_where_a_sub_catalog_would_stand_is_left_alone(open_memory):
    memory = open_memory(settings={"catalog.max_lines": 2})
    mine = Path(memory.workspace.project_memory, "user", "MEMORY.md")
    mine.parent.mkdir(parents=True)
    mine.write_text("my own words\n")
    for number in range(5):
        applied = put(memory, f"user/t{number}.md", topic(f"fact number {number}"))
    assert mine.read_text() == "my own words\n"
    assert any("not ours" in note for note in applied.catalog_notes)


@pytest.mark.parametrize("name", ["x" * 252, "记" * 84, "e\u0301" * 84])
def test_a_file_with_the_longest_name_there_can_be_is_written(memory, name):
    path = Path(memory.workspace.user_memory, f"{name}.md")
    path.parent.mkdir(parents=True)
    path.write_text("---\nname: Tea\ntype: user\n---\n\nI like tea.\n")
    [topic] = memory.store.topics()
    changed = topic.text + "And cake.\n"
    memory.store.apply([Change(topic.path, changed, digest(topic.text))], RunInfo(verb="test"))
    assert path.read_text() == changed
    assert not list(path.parent.glob(".*"))
