"""Which folders are trusted."""

from __future__ import annotations

import json
import threading

import pytest

from reverie.errors import ConfigUnreadable, NotAFile, PathNotFound
from reverie.local.context.trust import decide, note_asked, read_records, trust_file, was_asked
from tests.local.store.test_bad_files import put, use


def test_the_nearest_record_decides(tmp_path):
    records = {str(tmp_path): True, str(tmp_path / "a"): False}
    assert decide(str(tmp_path / "b" / "c"), records, default=False).trusted
    assert not decide(str(tmp_path / "a" / "c"), records, default=True).trusted
    assert decide(str(tmp_path / "ab"), records, default=False).decided_by == str(tmp_path)


def test_without_a_record_the_setting_decides(tmp_path):
    open_one = decide(str(tmp_path), {}, default=True)
    assert (open_one.trusted, open_one.verdict) == (True, "unknown")
    closed = decide(str(tmp_path), {}, default=False)
    assert (closed.trusted, closed.verdict) == (False, "untrusted")
    assert open_one.decided_by == closed.decided_by == "context.folder_trust"


def test_a_link_is_the_folder_it_leads_to(tmp_path, memory):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    memory.trust(str(tmp_path / "link"), trusted=False)
    assert not memory.trusted(str(tmp_path / "real")).trusted


def test_a_record_can_be_changed_and_taken_away(project, memory):
    assert memory.trust().trusted
    assert memory.trusted().decided_by == str(project)
    assert memory.trusted().verdict == "trusted"
    assert memory.trust(trusted=False).verdict == memory.trusted().verdict == "untrusted"
    assert not memory.trusted().trusted
    assert memory.trust(trusted=None).verdict == memory.trusted().verdict == "unknown"
    assert memory.trusted().decided_by == "context.folder_trust"


def test_that_somebody_was_asked_is_remembered_until_they_decide(project, memory):
    path = trust_file(memory.workspace)
    assert not was_asked(path, str(project))
    note_asked(path, str(project), wait=1)
    assert was_asked(path, str(project))
    assert memory.trusted().verdict == "unknown"
    memory.trust()
    assert not was_asked(path, str(project))


def test_only_folders_are_trusted(project, memory):
    (project / "file").touch()
    for ask in (memory.trust, memory.trusted):
        with pytest.raises(PathNotFound):
            ask(str(project / "gone"))
        with pytest.raises(NotAFile):
            ask(str(project / "file"))


def test_the_record_of_a_folder_that_is_gone_can_be_seen_and_taken_away(project, memory):
    folder = project / "for-a-while"
    folder.mkdir()
    memory.trust(str(folder))
    folder.rmdir()
    assert memory.trusted(str(folder)).decided_by == str(folder)
    memory.trust(str(folder), trusted=None)
    with pytest.raises(PathNotFound):
        memory.trusted(str(folder))


@pytest.mark.parametrize("text", ["[]", "{", '{"folders": []}', '{"folders": {"/a": "yes"}}', "{}"])
def test_a_broken_file_is_told_and_kept(memory, text):
    path = trust_file(memory.workspace)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigUnreadable):
        memory.trust()
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("what", [b"caf\xe9", "full folder", "pipe", "link to itself", "huge"])
def test_whatever_stands_in_its_place_closes_the_folder_and_stops_nothing(
    memory, open_memory, tmp_path, what
):
    put(trust_file(memory.workspace), what, tmp_path)
    for opened in (memory, open_memory()):
        use(opened, "herons")
        for ask in (opened.trust, opened.trusted):
            with pytest.raises(ConfigUnreadable):
                ask()
        assert "trust_unreadable" in {note.reason for note in opened.context().diagnostics}
        assert "config_unreadable" in {problem.code for problem in opened.doctor()}


def test_records_written_at_once_are_all_kept(tmp_path, open_memory):
    folders = [tmp_path / f"f{at}" for at in range(8)]
    for folder in folders:
        folder.mkdir()
    memory = open_memory()
    threads = [threading.Thread(target=memory.trust, args=(str(folder),)) for folder in folders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert set(read_records(trust_file(memory.workspace))) == {str(folder) for folder in folders}
    assert json.loads(trust_file(memory.workspace).read_text(encoding="utf-8"))
