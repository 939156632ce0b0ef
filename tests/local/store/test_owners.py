"""Two projects that an agent would name alike never see each other's memory."""

from __future__ import annotations

import json
import os
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie.local.disk.locks import file_lock
from reverie.local.store.owners import MAX_NAME, dashed, project_folder
from tests.examples import examples

SECRET = "The vault opens with plum seventeen"
DASHED = pytest.mark.parametrize("dialect", ["qwen", "claude"])


def folder(tmp_path, *parts):
    made = tmp_path.joinpath(*parts)
    (made / ".git").mkdir(parents=True)
    return made


def named(tmp_path, path):
    return project_folder(path, projects=tmp_path / "projects", state=tmp_path / "state")


@DASHED
@pytest.mark.parametrize(
    ("one", "two"), [("项目", "工程"), ("a-b", "a/b"), ("x y", "x_y"), ("é", "è"), ("p.q", "p-q")]
)
def test_projects_with_one_name_have_two_memories(open_memory, tmp_path, dialect, one, two):
    first = open_memory(folder(tmp_path, "w", one), dialect=dialect)
    first.remember(SECRET, scope="project")
    second = open_memory(folder(tmp_path, "w", two), dialect=dialect)
    plain = dashed(first.workspace.base)
    assert plain == dashed(second.workspace.base)
    assert first.workspace.project_id == plain  # where the agent itself looks
    assert second.workspace.project_id.startswith(f"{plain}-")
    assert second.workspace.project_state != first.workspace.project_state
    assert "plum" not in second.prompt("how does the vault open").text
    assert not second.search("plum seventeen").results
    second.remember("The second one is green", scope="project")
    assert [item.code for item in second.doctor()][:1] == ["memory_folder_split"]
    assert first.workspace.base in second.doctor()[0].message
    assert "memory_folder_split" not in [item.code for item in first.doctor()]
    for place in (first.workspace.base, second.workspace.base):  # and so it stays
        again = open_memory(place, dialect=dialect)
        kept = "plum" if place == first.workspace.base else "green"
        assert [kept in topic.text for topic in again.store.topics()] == [True]


@given(st.lists(st.text("ab-_/项 ", min_size=1, max_size=5), min_size=2, max_size=4, unique=True))
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_two_projects_ever_get_one_folder(tmp_path_factory, names):
    top = tmp_path_factory.mktemp("names")
    paths = {os.path.realpath(top / "w" / name.strip("/")) for name in names}
    chosen = {path: named(top, path) for path in paths}
    assert len(set(chosen.values())) == len(paths)
    for one, two in combinations(sorted(paths), 2):
        assert named(top, one) == chosen[one] != named(top, two)


@DASHED
def test_a_very_long_path_works(open_memory, tmp_path, dialect):
    deep = folder(tmp_path, "x" * 150, "y" * 150, "z" * 150)
    memory = open_memory(deep, dialect=dialect)
    assert memory.remember(SECRET, scope="project").run
    assert len(memory.workspace.project_id) <= MAX_NAME + 11
    memory.state.update_state("meta.json", lambda state: {**state, "n": 1})
    again = open_memory(deep, dialect=dialect)
    assert again.workspace == memory.workspace
    assert "plum" in again.recall("how does the vault open?").block
    assert [item.code for item in again.notices] == []


@pytest.mark.parametrize("where", ["s.jsonl", "chats/s.jsonl"])
def test_a_folder_that_the_agents_transcripts_give_to_another_project_is_left_to_it(
    tmp_path, where
):
    ours, theirs = folder(tmp_path, "w", "项目"), folder(tmp_path, "w", "工程")
    transcript = tmp_path / "projects" / dashed(str(ours)) / where
    transcript.parent.mkdir(parents=True)
    lines = ["no json", json.dumps([1]), json.dumps({"cwd": 5}), json.dumps({"cwd": f"{theirs}"})]
    transcript.write_text("\n".join(lines))
    assert named(tmp_path, ours) != dashed(str(ours))
    assert named(tmp_path, theirs) == dashed(str(theirs))


def test_transcripts_of_the_project_itself_or_of_nobody_give_it_the_folder(tmp_path):
    ours = folder(tmp_path, "w", "项目")
    home = tmp_path / "projects" / dashed(str(ours))
    (home / "chats").mkdir(parents=True)
    (home / "a.jsonl").write_text(json.dumps({"cwd": f"{ours}/src"}))
    (home / "b.jsonl").write_bytes(b'{"cwd": "\xff' + b"[" * 100_000)
    os.mkfifo(home / "chats/pipe.jsonl")
    assert named(tmp_path, ours) == dashed(str(ours))


def test_a_damaged_record_protects_the_folder(tmp_path):
    one, two = folder(tmp_path, "a-b"), folder(tmp_path, "a", "b")
    plain = named(tmp_path, one)
    record = tmp_path / "state" / "owners" / f"{plain}.json"
    assert json.loads(record.read_text()) == {"project": str(one)}
    for data in (b"", b"\xff", b"[]", b'{"project": 1}', b"[" * 100_000):
        record.write_bytes(data)
        assert named(tmp_path, two) != plain


def test_a_name_made_to_look_like_the_second_one_does_not_get_its_folder(tmp_path):
    one, two = folder(tmp_path, "a-b"), folder(tmp_path, "a", "b")
    named(tmp_path, one)
    second = named(tmp_path, two)
    forged = folder(tmp_path, "a", second.removeprefix(dashed(f"{tmp_path}/a/")))
    assert dashed(str(forged)) == second
    assert named(tmp_path, forged) != second


def test_where_the_record_cannot_be_written_the_folder_is_found_all_the_same(tmp_path, monkeypatch):
    one = folder(tmp_path, "a-b")

    def read_only(*arguments, **options):
        raise OSError(30, "Read-only file system")

    with monkeypatch.context() as patch:
        patch.setattr(os, "mkdir", read_only)
        assert named(tmp_path, one) == dashed(str(one))
    assert not (tmp_path / "state").exists()


def test_two_that_open_at_once_do_not_both_get_the_folder(tmp_path):
    one, two = folder(tmp_path, "a-b"), folder(tmp_path, "a", "b")
    import threading

    chosen = {}
    with file_lock(tmp_path / "state" / "owners.lock", wait=1):
        threads = [
            threading.Thread(target=lambda p=path: chosen.update({p: named(tmp_path, p)}))
            for path in (one, two)
        ]
        for thread in threads:
            thread.start()
    for thread in threads:
        thread.join()
    assert len(set(chosen.values())) == 2
    assert dashed(str(one)) in chosen.values()


def test_a_worktree_shares_the_folder_of_its_repository_in_every_dialect(open_memory, tmp_path):
    from tests.local.store.test_paths import make_worktree

    main, tree = make_worktree(tmp_path)
    for dialect in ("reverie", "qwen", "claude"):
        one, two = open_memory(main, dialect=dialect), open_memory(tree, dialect=dialect)
        assert one.workspace.project_memory == two.workspace.project_memory
        assert one.notices == two.notices == []
    assert Path(one.workspace.project_memory).parent.name == dashed(str(main))
