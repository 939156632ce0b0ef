"""The search index: what belongs to it, what a search sees and when, and that it can always go."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie.core.history.turns import encode, turn_path
from reverie.core.search.chunk import MAX_CHUNKS
from reverie.errors import DiskFull, EmbedderFailed, IsolationBlocked, PathEscape, ReadOnly
from reverie.local.disk.locks import file_lock
from reverie.local.disk.snapshot import read_rows
from reverie.memory import Memory
from reverie.types import Isolation, Source, TextPart, Turn, TurnMessage
from tests.examples import examples


def write(root: Path, files: dict[str, str]) -> None:
    for rel, text in files.items():
        path = root / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")


def say(memory: Memory, seq: int, *texts: str, session: str = "s1") -> Path:
    """Put a turn into the history: the person first, then the assistant, in turn."""
    messages = tuple(
        TurnMessage(("user", "assistant")[at % 2], (TextPart(text),))
        for at, text in enumerate(texts)
    )
    turn = Turn(seq, datetime(2026, 5, 1, 9, seq % 60, tzinfo=UTC), messages, session=session)
    folder = Path(memory.workspace.home) / "agents" / "default" / "history" / "turns"
    path = folder / turn_path(turn.seq, turn.created_at)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(encode(turn), encoding="utf-8")
    return path


def paths(memory: Memory, query: str, **options: object) -> list[str]:
    return [hit.path for hit in memory.search(query, **options).results]  # type: ignore[arg-type]


def segments(memory: Memory) -> list[Path]:
    return sorted(Path(memory.workspace.state, "index").rglob("*.seg"))


# --- what is searched -----------------------------------------------------------------------------


def test_memory_files_managed_memory_layers_chat_and_extra_paths_are_searched(
    open_memory, project, tmp_path
):
    write(tmp_path / "docs", {"guide.txt": "The lantern is green.\n"})
    memory = open_memory(settings={"search.extra_paths": [str(tmp_path / "docs")]})
    place = memory.workspace
    write(
        project,
        {"MEMORY.md": "The lantern is red.\n", "memory/deep/er/a.md": "A lantern is blue.\n"},
    )
    write(Path(place.user_memory), {"user/b.md": "My lantern is black.\n"})
    write(Path(place.project_memory), {"project/c.md": "Our lantern is white.\n"})
    write(
        Path(place.home) / "agents/default",
        {"core/d.md": "Core lantern.\n", "notes/zettel/e.md": "Lantern note.\n"},
    )
    say(memory, 1, "I saw a lantern in the fog", "How nice.")
    found = {
        hit.path: hit.source
        for hit in memory.search("lantern", max_results=20, min_score=0).results
    }
    home = Path(place.home)
    assert found == {
        "MEMORY.md": Source.MEMORY,
        "memory/deep/er/a.md": Source.MEMORY,
        f"{place.user_memory}/user/b.md": Source.MEMORY,
        f"{place.project_memory}/project/c.md": Source.MEMORY,
        str(home / "agents/default/core/d.md"): Source.MEMORY,
        str(home / "agents/default/notes/zettel/e.md"): Source.MEMORY,
        "chat://s1/1": Source.CHAT,
        str(tmp_path / "docs/guide.txt"): Source.CUSTOM,
    }
    for source, count in {"memory": 6, "chat": 1, "custom": 1}.items():
        outcome = memory.search("lantern", source=source, max_results=20, min_score=0)
        assert len(outcome.results) == outcome.stats.total_files == count
    assert memory.stats().sources == (Source.MEMORY, Source.CHAT, Source.CUSTOM)


def test_catalogs_hidden_files_other_files_and_odd_things_are_not_searched(memory, project):
    write(
        project,
        {
            "memory/a.md": "fox\n",
            "memory/.hidden/b.md": "fox\n",
            "memory/.c.md": "fox\n",
            "memory/d.json": "fox\n",
            "README.md": "fox\n",
            "memory/e.md~": "fox\n",
        },
    )
    write(Path(memory.workspace.user_memory), {"MEMORY.md": "- [fox](user/fox.md)\n"})
    os.mkfifo(project / "memory" / "pipe.md")
    (project / "memory" / "folder.md").mkdir()
    assert paths(memory, "fox") == ["memory/a.md"]


def test_links_out_of_the_root_are_refused_and_links_inside_are_found_once(
    memory, project, tmp_path
):
    write(tmp_path, {"secret/plan.md": "the fox plan\n"})
    write(project, {"memory/a.md": "the fox note\n", "docs/inside.md": "the fox inside\n"})
    links = project / "memory"
    (links / "out.md").symlink_to(tmp_path / "secret/plan.md")
    (links / "outdir").symlink_to(tmp_path / "secret")
    (links / "gone.md").symlink_to(tmp_path / "nowhere.md")
    (links / "again.md").symlink_to(links / "a.md")
    (links / "doc.md").symlink_to(project / "docs/inside.md")
    assert sorted(paths(memory, "fox", min_score=0)) == ["memory/a.md", "memory/doc.md"]
    assert "out.md" in str(memory.stats().problems)
    with pytest.raises(PathEscape):
        memory.get("memory/out.md")
    with pytest.raises(PathEscape):
        memory.get("memory/outdir/plan.md")


def test_a_file_that_is_no_text_is_left_out_and_named_and_the_rest_is_found(memory, project):
    write(project, {"memory/a.md": "a fox\n"})
    (project / "memory/b.md").write_bytes(b"\xff\xfe fox")
    assert paths(memory, "fox") == ["memory/a.md"]
    assert [problem.path for problem in memory.stats().problems] == [str(project / "memory/b.md")]
    (project / "memory/b.md").write_text("now a fox by the river\n", encoding="utf-8")
    assert len(paths(memory, "fox", min_score=0)) == 2
    assert memory.stats().problems == ()


@pytest.mark.slow
def test_a_file_of_very_many_sections_is_searched_up_to_a_bound_and_named(memory, project):
    sections = "".join(f"# s{n}\nb\n" for n in range(MAX_CHUNKS + 10))
    write(project, {"memory/big.md": f"the violet anchor\n\n{sections}\nthe amber tail\n"})
    write(project, {"memory/small.md": "the violet sail\n"})
    done = memory.index()
    assert done.chunks == MAX_CHUNKS + 1
    assert [problem.path for problem in done.problems] == [str(project / "memory" / "big.md")]
    assert "lines 1-" in memory.stats().problems[0].message
    assert {path.rpartition("/")[2] for path in paths(memory, "violet")} == {"big.md", "small.md"}

    assert memory.index().chunks == 0
    with (project / "memory" / "big.md").open("a") as file:
        file.write("one more line\n")
    assert memory.index().chunks == MAX_CHUNKS


def test_an_extra_path_does_not_bring_the_memory_in_twice(open_memory, project):
    write(project, {"memory/a.md": "a fox\n", "docs/b.md": "another fox\n"})
    memory = open_memory(settings={"search.extra_paths": "."})
    found = {hit.path: hit.source for hit in memory.search("fox", min_score=0).results}
    assert found == {"memory/a.md": Source.MEMORY, str(project / "docs/b.md"): Source.CUSTOM}


def test_paths_named_with_index_are_searched_from_then_on_and_until_removed(
    open_memory, project, tmp_path
):
    write(
        tmp_path, {"wiki/page.md": "The otter swims.\n", "one.org": "An otter in a single file.\n"}
    )
    memory = open_memory()
    assert not paths(memory, "otter")
    assert memory.index([str(tmp_path / "wiki"), str(tmp_path / "one.org")]).files == 2
    again = open_memory()
    assert sorted(paths(again, "otter", min_score=0)) == [
        str(tmp_path / "one.org"),
        str(tmp_path / "wiki/page.md"),
    ]
    again.index([str(tmp_path / "wiki"), str(tmp_path / "one.org")], remove=True)
    assert not paths(again, "otter")
    assert not list((Path(again.workspace.state) / "index").glob("custom-*"))
    other = tmp_path / "other"
    other.mkdir()
    assert not paths(open_memory(other), "otter")


# --- a search sees the files as they are ----------------------------------------------------------


def test_an_edit_a_removal_a_rename_and_a_new_file_are_seen_by_the_next_search(memory, project):
    write(project, {"memory/a.md": "The fox is red.\n"})
    assert paths(memory, "fox") == ["memory/a.md"]
    write(project, {"memory/a.md": "The owl is grey.\n"})
    assert paths(memory, "fox") == []
    assert paths(memory, "owl") == ["memory/a.md"]
    (project / "memory/a.md").rename(project / "memory/b.md")
    assert paths(memory, "owl") == ["memory/b.md"]
    temp = project / "memory/.b.md.tmp"
    temp.write_text("The elk is brown.\n", encoding="utf-8")
    temp.replace(project / "memory/b.md")
    assert paths(memory, "owl") == []
    assert memory.search("elk").results[0].text == "The elk is brown."
    (project / "memory/b.md").unlink()
    assert memory.search("elk").stats.total_chunks == 0


def test_an_edit_of_the_same_size_right_after_indexing_is_seen(memory, project):
    for round_ in range(20):
        word = ("fox", "owl")[round_ % 2]
        write(project, {"memory/a.md": f"The {word} is here.\n"})
        assert paths(memory, word) == ["memory/a.md"]


def test_new_turns_are_found_with_speaker_and_date_and_removed_ones_are_not(memory):
    first = say(memory, 1, "My sister moved to Lisbon", "Good to know.")
    assert paths(memory, "Lisbon") == ["chat://s1/1"]
    say(memory, 2, "She works at a museum there", "Nice.", session="s2")
    hit = memory.search("museum work").results[0]
    assert (hit.path, hit.lines, hit.date) == ("chat://s2/2", "1-5", "2026-05-01")
    assert (
        hit.text
        == "turn 2, 2026-05-01T09:02:00Z\nuser:\n  She works at a museum there\nassistant:\n  Nice."
    )
    assert hit.text in memory.get(hit.path, hit.lines).text
    first.unlink()
    assert paths(memory, "Lisbon") == []
    assert not memory.get("chat://s1/1").found


def test_a_turn_that_was_replaced_or_made_again_under_its_name_is_seen(memory):
    path = say(memory, 1, "My sister moved to Lisbon")
    say(memory, 2, "He works at a museum", session="s2")
    assert paths(memory, "Lisbon") == ["chat://s1/1"]
    os.utime(path.parent, (1, 1))  # the folder is old: nothing but its time tells of what comes
    memory.index()
    path.unlink()
    again = say(memory, 1, "My sister moved to Madrid")
    assert again == path
    assert paths(memory, "Lisbon") == []
    assert paths(memory, "Madrid") == ["chat://s1/1"]
    assert paths(memory, "museum") == ["chat://s2/2"]


def test_a_chunk_that_did_not_change_keeps_its_vector(open_memory, project):
    embedder = Counting()
    memory = open_memory(embedder=embedder)
    write(project, {"memory/a.md": "# A\n\nfox\n\n# B\n\nowl\n\n# C\n\nelk\n"})
    assert memory.index().embedded == 3
    write(project, {"memory/a.md": "# A\n\nfox\n\n# B\n\nowl and more\n\n# C\n\nelk\n"})
    assert memory.index().embedded == 1
    os.utime(project / "memory/a.md")
    assert memory.index().chunks == 0
    assert embedder.texts == 4


def test_looking_again_when_nothing_changed_writes_nothing(memory, project):
    write(project, {"memory/a.md": "fox\n"})
    os.utime(project / "memory/a.md", (1, 1))
    say(memory, 1, "hello fox")
    memory.index()
    before = [
        (path, path.stat().st_mtime_ns)
        for path in Path(memory.workspace.state).rglob("*")
        if path.is_file()
    ]
    os.utime(Path(memory.workspace.state), (1, 1))
    memory.index()
    memory.search("fox")
    after = [
        (path, path.stat().st_mtime_ns)
        for path in Path(memory.workspace.state).rglob("*")
        if path.is_file()
    ]
    changed = {path.name for (path, _) in set(after) ^ set(before)}
    assert not {name for name in changed if name.endswith(".seg")}


# --- it can always go -----------------------------------------------------------------------------


def test_deleting_the_index_loses_nothing(memory, project):
    write(project, {"memory/a.md": "The fox is red.\n"})
    before = memory.search("fox")
    shutil.rmtree(Path(memory.workspace.state) / "index")
    assert memory.search("fox").results == before.results


@pytest.mark.parametrize("victim", ["index.db", "segment"])
def test_a_damaged_index_is_made_anew(open_memory, project, victim):
    write(project, {"memory/a.md": "The fox is red.\n", "memory/b.md": "An owl.\n"})
    memory = open_memory()
    before = memory.search("fox").results
    memory.close()
    folder = Path(memory.workspace.state) / "index"
    path = next(folder.rglob("index.db")) if victim == "index.db" else segments(memory)[0]
    path.write_bytes(b"\0garbage" * 2000)
    assert open_memory().search("fox").results == before


def test_damage_that_only_a_search_meets_is_healed_too_and_told(open_memory, project, monkeypatch):
    monkeypatch.setattr("reverie.local.disk.blocks._LARGE", 0)  # read as needed, as a large one is
    write(project, {f"memory/{n}.md": f"# {n}\n\nThe fox {n} is red.\n" * 40 for n in range(40)})
    memory = open_memory()
    before = memory.search("fox", min_score=0)
    memory.close()
    for path in segments(memory):
        data = bytearray(path.read_bytes())
        data[-1] ^= 1  # in the vectors, which are read last
        path.write_bytes(data)
    running = open_memory()
    assert running.stats().total_files == 40, "the damage is where nobody looked yet"
    outcome = running.search("fox", min_score=0)
    assert outcome.results == before.results
    assert any("rebuilt" in note for note in outcome.warnings)
    assert running.search("fox", min_score=0).warnings == before.warnings


def test_a_rebuild_reads_everything_again_and_finds_the_same(memory, project):
    write(project, {f"memory/{number}.md": f"note {number} about foxes\n" for number in range(5)})
    before = memory.search("foxes", min_score=0).results
    done = memory.index(rebuild=True)
    assert (done.files, done.rebuilt) == (5, True)
    assert memory.search("foxes", min_score=0).results == before


def test_other_settings_or_another_embedder_have_an_index_of_their_own(open_memory, project):
    write(project, {"memory/a.md": "The fox is red.\n"})
    plain = open_memory(settings={"embedder.provider": "none"})
    assert plain.search("fox").method == "keyword"
    vectors = open_memory(embedder=Counting())
    assert vectors.search("fox").method == "hybrid"
    assert plain.search("fox").method == "keyword"
    folders = [
        path
        for path in (Path(plain.workspace.state) / "index").glob("project-*/*")
        if path.is_dir()
    ]
    assert len(folders) == 2
    open_memory(settings={"embedder.provider": "none", "search.chunk_tokens": 99}).search("fox")
    folders = [
        path
        for path in (Path(plain.workspace.state) / "index").glob("project-*/*")
        if path.is_dir()
    ]
    assert len(folders) == 2, "the oldest goes"


def test_many_small_edits_leave_few_segments_and_no_dead_text(memory, project):
    for number in range(40):
        write(project, {"memory/a.md": f"fox number {number}\n", f"memory/{number}.md": "owl\n"})
        memory.index()
    assert len(segments(memory)) <= 16
    assert memory.search("owl").stats.total_chunks == 41
    memory.index(purge=True)
    total = sum(1 for _ in segments(memory))
    assert total <= 8
    (project / "memory/a.md").unlink()
    memory.index(purge=True)
    assert memory.search("fox").total_found == 0


# --- embedders ------------------------------------------------------------------------------------


class Counting:
    """An embedder that counts, and fails when told to."""

    identity = "counting/1"
    dimension = 4

    def __init__(self) -> None:
        self.texts = 0
        self.broken = False
        self.more = 0

    def embed(self, texts: Iterable[str]) -> Sequence[Sequence[float]]:
        if self.broken:
            raise EmbedderFailed("the service is down")
        wanted = list(texts)
        self.texts += len([text for text in wanted if "\n" in text or "#" in text])
        tail = [0.1] * (1 + self.more)
        return [[1.0, float("fox" in text), float("owl" in text), *tail] for text in wanted]


def test_an_embedder_that_fails_is_named_and_search_goes_by_words(open_memory, project):
    embedder = Counting()
    memory = open_memory(embedder=embedder)
    write(project, {"memory/a.md": "The fox is red.\n"})
    assert memory.search("fox").method == "hybrid"
    embedder.broken = True
    write(project, {"memory/b.md": "The owl is grey.\n"})
    outcome = memory.search("owl")
    assert outcome.method == "keyword"
    assert [hit.path for hit in outcome.results] == ["memory/b.md"]
    assert "the service is down" in outcome.warnings[0]


def test_an_embedder_whose_vectors_grew_under_the_same_name_is_noticed(open_memory, project):
    embedder = Counting()
    memory = open_memory(embedder=embedder)
    write(project, {"memory/a.md": "The fox is red.\n"})
    assert memory.search("fox").method == "hybrid"
    embedder.more = 3
    write(project, {"memory/b.md": "The owl is grey.\n"})
    assert memory.index().embedded == 2
    assert [hit.path for hit in memory.search("owl").results] == ["memory/b.md"]


@pytest.mark.parametrize("vectors", [[], [[1.0]] * 9, [[]], [[1.0], [1.0, 2.0]]])
def test_an_embedder_that_gives_the_wrong_number_of_vectors_is_named(open_memory, project, vectors):
    class Wrong(Counting):
        def embed(self, _: Iterable[str]) -> Sequence[Sequence[float]]:
            return vectors

    write(project, {"memory/a.md": "# A\n\nThe fox.\n\n# B\n\nThe owl.\n"})
    outcome = open_memory(embedder=Wrong()).search("fox")
    assert (outcome.method, len(outcome.results)) == ("keyword", 1)
    assert "counting/1 gave" in outcome.warnings[0]


def test_one_large_file_takes_no_more_than_the_time_of_a_search_and_no_vector_is_made_twice(
    open_memory, project, monkeypatch
):
    monkeypatch.setattr("reverie.memory.searching.SYNC_SECONDS", 0.0)
    parts = [f"# Part {n}\n\nThe fox of den {n}. " + "All is calm here. " * 9 for n in range(300)]
    write(project, {"memory/a.md": "An owl sleeps.\n", "memory/large.md": "\n\n".join(parts)})

    class Listing(Counting):
        made: list[str]

        def embed(self, texts: Iterable[str]) -> Sequence[Sequence[float]]:
            self.made += (wanted := list(texts))
            return super().embed(wanted)

    embedder = Listing()
    embedder.made = []
    memory = open_memory(embedder=embedder)
    seen = [0]
    while True:
        outcome = memory.search("fox")
        seen.append(len(embedder.made))
        if not outcome.warnings:
            break
        assert all("not indexed yet" in warning for warning in outcome.warnings)
    assert len(seen) > 3
    assert max(after - before for before, after in pairwise(seen)) <= 2 * 32
    assert outcome.results
    passages = [text for text in embedder.made if text != "fox"]
    assert len(passages) == len(set(passages)) > 300
    databases = list(Path(memory.workspace.state, "index").rglob("*.db"))
    assert databases
    assert all(read_rows(path, ("SELECT cid FROM ready",)) == [] for path in databases)


def test_vectors_kept_for_the_next_time_are_not_believed_when_the_embedder_has_changed(
    open_memory, project, monkeypatch
):
    monkeypatch.setattr("reverie.memory.searching.SYNC_SECONDS", 0.0)
    parts = [f"# Part {n}\n\nThe fox of den {n}. " + "All is calm here. " * 9 for n in range(200)]
    write(project, {"memory/large.md": "\n\n".join(parts)})
    embedder = Counting()
    memory = open_memory(embedder=embedder)
    assert any("not indexed yet" in warning for warning in memory.search("fox").warnings)
    embedder.more = 2
    while memory.search("fox").warnings:
        pass
    assert memory.search("fox").results


def test_a_query_that_cannot_be_embedded_is_answered_by_words(open_memory, project):
    embedder = Counting()
    memory = open_memory(embedder=embedder)
    write(project, {"memory/a.md": "The fox is red.\n"})
    memory.index()
    embedder.broken = True
    outcome = memory.search("fox")
    assert (outcome.method, len(outcome.results), len(outcome.warnings)) == ("keyword", 1, 1)


def test_a_provider_that_is_not_there_is_named(open_memory, project):
    write(project, {"memory/a.md": "The fox is red.\n"})
    memory = open_memory(settings={"embedder.provider": "fastembed"})
    outcome = memory.search("fox")
    assert outcome.method == "keyword"
    assert outcome.results
    assert "fastembed" in outcome.warnings[0]


def test_a_query_without_any_word_is_answered_by_vectors_or_not_at_all(open_memory, project):
    write(project, {"memory/a.md": "The fox is red.\n"})
    assert open_memory(settings={"embedder.provider": "none"}).search("?!").method == "none"
    assert open_memory(embedder=Counting()).search("?!").method == "vector"


# --- isolation ------------------------------------------------------------------------------------


@pytest.fixture
def shared(memory, project) -> Memory:
    """Return a memory with the same words in many places."""
    write(
        project,
        {
            "MEMORY.md": "fox in the main file\n",
            "memory/a/one.md": "fox one\n",
            "memory/a/two.md": "fox two, a longer note about foxes\n",
            "memory/ab/three.md": "fox three\n",
        },
    )
    write(Path(memory.workspace.user_memory), {"user/mine.md": "fox of mine\n"})
    say(memory, 1, "fox in the first talk", session="s1")
    say(memory, 2, "fox in the second talk", session="s2")
    return memory


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        ((), set()),
        (("",), set()),
        (("memory/a",), {"memory/a/one.md", "memory/a/two.md"}),
        (("memory/a/",), {"memory/a/one.md", "memory/a/two.md"}),
        (("memory/a/one.md", "MEMORY.md"), {"memory/a/one.md", "MEMORY.md"}),
        (("memory/../memory/ab",), {"memory/ab/three.md"}),
        (("mem",), set()),
        (("memory/a/one",), set()),
        (("../elsewhere",), set()),
        (("chat://s2",), {"chat://s2/2"}),
        (("chat://",), {"chat://s1/1", "chat://s2/2"}),
        (("memory/a' OR '1'='1",), set()),
    ],
)
def test_only_what_is_allowed_is_found_counted_and_read(shared, allowed, expected):
    isolation = Isolation(allowed_paths=allowed)
    outcome = shared.search("fox", max_results=20, min_score=0, isolation=isolation)
    assert {hit.path for hit in outcome.results} == expected
    assert outcome.stats.total_files == len(expected)
    assert shared.stats(isolation=isolation).total_files == len(expected)
    for path in (
        "MEMORY.md",
        "memory/a/one.md",
        "memory/a/two.md",
        "memory/ab/three.md",
        "chat://s1/1",
        "chat://s2/2",
    ):
        if path in expected:
            assert "fox" in shared.get(path, isolation=isolation).text
        else:
            with pytest.raises(IsolationBlocked):
                shared.get(path, isolation=isolation)


def test_everything_hidden_leaves_the_allowed_hits_and_their_scores_untouched(memory, project):
    write(project, {"memory/mine/a.md": "The heron nests by the lake.\n"})
    isolation = Isolation(allowed_paths=("memory/mine",))
    alone = memory.search("heron lake", isolation=isolation)
    write(project, {f"memory/theirs/{n}.md": f"heron heron lake lake {n}\n" for n in range(300)})
    crowded = memory.search("heron lake", isolation=isolation)
    assert crowded.results == alone.results
    assert crowded.stats == alone.stats


def test_another_user_sees_no_user_memory_and_another_project_no_project_memory(shared):
    everything = ("/", "chat://")
    place = shared.workspace
    full = {
        hit.path
        for hit in shared.search(
            "fox", max_results=20, min_score=0, isolation=Isolation(everything)
        ).results
    }
    assert len(full) == 7
    other_user = Isolation(everything, user_id="somebody")
    found = {
        hit.path
        for hit in shared.search("fox", max_results=20, min_score=0, isolation=other_user).results
    }
    assert found == {"MEMORY.md", "memory/a/one.md", "memory/a/two.md", "memory/ab/three.md"}
    other_project = Isolation(everything, project_id="other")
    found = {
        hit.path
        for hit in shared.search(
            "fox", max_results=20, min_score=0, isolation=other_project
        ).results
    }
    assert found == {f"{place.user_memory}/user/mine.md", "chat://s1/1", "chat://s2/2"}
    same = Isolation(everything, project_id=place.project_id, conversation_id="s1")
    found = {
        hit.path
        for hit in shared.search("fox", max_results=20, min_score=0, isolation=same).results
    }
    assert "chat://s1/1" in found
    assert "chat://s2/2" not in found


def test_two_projects_with_the_same_names_keep_to_themselves(open_memory, tmp_path):
    opened = []
    for name in ("one", "two"):
        write(tmp_path / name, {".git/HEAD": "", "MEMORY.md": f"The {name} fox.\n"})
        opened.append(open_memory(tmp_path / name, home=tmp_path / "home"))
    for _ in range(2):
        for memory, name in zip(opened, ("one", "two"), strict=True):
            assert [hit.text for hit in memory.search("fox").results] == [f"The {name} fox."]


# --- threads and locks ----------------------------------------------------------------------------


def test_who_cannot_write_searches_the_last_finished_state_and_says_so(
    memory, project, monkeypatch
):
    monkeypatch.setattr("reverie.memory.searching.SYNC_WAIT_SECONDS", 0.05)
    write(project, {"memory/a.md": "The fox is red.\n"})
    memory.index()
    write(project, {"memory/b.md": "The owl is grey.\n"})
    lock = next((Path(memory.workspace.state) / "index").glob("project-*/*.lock"))
    with file_lock(lock, wait=1, purpose="test"):
        outcome = memory.search("fox owl", min_score=0)
        assert [hit.path for hit in outcome.results] == ["memory/a.md"]
        assert "another process is indexing" in outcome.warnings[0]
    assert len(memory.search("fox owl", min_score=0).results) == 2


def test_who_comes_while_the_first_index_is_made_waits_for_it(memory, project, monkeypatch):
    monkeypatch.setattr("reverie.memory.searching.SYNC_WAIT_SECONDS", 0.01)
    monkeypatch.setattr("reverie.memory.searching.FIRST_WAIT_SECONDS", 120.0)
    write(project, {"memory/a.md": "The fox is red.\n"})
    memory.index()
    index = Path(memory.workspace.state) / "index"
    lock = next(index.glob("project-*/*.lock"))
    memory.close()
    shutil.rmtree(lock.with_suffix(""))
    found = []
    with Memory.open(project) as other:
        searching = threading.Thread(
            target=lambda: found.extend(other.search("fox", min_score=0).results)
        )
        with file_lock(lock, wait=1, purpose="test"):
            searching.start()
            searching.join(1.0)
            assert not found
        searching.join(120)
    assert [hit.path for hit in found] == ["memory/a.md"]


def test_threads_may_search_and_write_at_once(memory, project):
    errors: list[Exception] = []
    animals = ("heron", "badger", "otter", "lynx")

    def work(animal: str) -> None:
        try:
            for step in range(8):
                write(
                    project, {f"memory/{animal}.md": f"{animal}s and the {animal} house {step}\n"}
                )
                found = memory.search(animal)
                if f"memory/{animal}.md" not in [hit.path for hit in found.results]:
                    raise AssertionError(f"{animal} at {step}: {found}")
        except Exception as error:  # noqa: BLE001  # a thread must not swallow it
            errors.append(error)

    threads = [threading.Thread(target=work, args=(animal,)) for animal in animals]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not errors


def test_a_search_that_has_no_more_time_answers_from_what_is_there_and_the_next_goes_on(
    open_memory, project, monkeypatch
):
    monkeypatch.setattr("reverie.memory.searching.SYNC_SECONDS", 0.0)
    write(
        project,
        {
            f"memory/{n:03d}.md": "\n\n".join(f"# Part {k}\n\nheron {n} {k}" for k in range(40))
            for n in range(40)
        },
    )
    memory = open_memory(settings={"embedder.provider": "none"})
    left = []
    while not left or left[-1]:
        outcome = memory.search("heron", max_results=1)
        assert outcome.results
        left.append(int(outcome.warnings[0].split()[0]) if outcome.warnings else 0)
    assert len(left) > 2
    assert left == sorted(left, reverse=True)
    assert memory.search("heron").stats.total_files == 40


def test_an_index_that_cannot_be_written_is_searched_with_what_is_new_in_memory(
    open_memory, project, monkeypatch
):
    write(project, {"memory/a.md": "The fox is red.\n"})
    memory = open_memory()
    memory.search("fox")
    memory.close()
    write(project, {"memory/b.md": "The owl is grey.\n"})

    def refuse(*_: object) -> None:
        raise ReadOnly("the folder may not be written")

    monkeypatch.setattr("reverie.local.search.root_index.RootIndex.locked", refuse)
    outcome = open_memory().search("fox")
    assert [hit.path for hit in outcome.results] == ["memory/a.md"]
    assert "may not be written" in outcome.warnings[0]
    fresh = open_memory().search("owl")
    assert [hit.path for hit in fresh.results] == ["memory/b.md"], (
        "what changed since is found, too"
    )


def test_a_full_disk_is_a_warning_and_what_is_new_is_searched_in_memory(
    memory, project, monkeypatch
):
    write(project, {"memory/a.md": "The fox is red.\n"})
    memory.index()
    write(project, {"memory/b.md": "The owl is grey.\n"})

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("reverie.local.search.root_index.store", full)
    outcome = memory.search("fox")
    assert [hit.path for hit in outcome.results] == ["memory/a.md"]
    assert "disk is full" in outcome.warnings[0]
    assert [hit.path for hit in memory.search("owl").results] == ["memory/b.md"]
    with pytest.raises(DiskFull):
        memory.index()
    monkeypatch.undo()
    assert [hit.path for hit in memory.search("owl").results] == ["memory/b.md"]


# --- any text -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        'C++ "foo',
        "a AND",
        "*",
        "NOT",
        "a OR b:c",
        "(",
        "\\",
        "'",
        "-",
        "path:x",
        "%",
        "\0",
        "\ud800",
        "🦊",
        "x" * 5000,
        "a " * 5000,
    ],
)
def test_any_query_is_safe(memory, project, query):
    write(project, {"memory/a.md": 'We chose C++ for the "foo" module.\n'})
    outcome = memory.search(query, min_score=0)
    assert outcome.total_found >= len(outcome.results)
    if "foo" in query:
        assert outcome.results[0].path == "memory/a.md"


WORD = st.text(alphabet="abcdeffghiloöñ漢字 #-*:>`\n\té", max_size=200)


@settings(
    max_examples=examples(25),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(WORD, min_size=1, max_size=4), WORD)
def test_for_every_hit_the_lines_contain_its_text(memory, project, texts, query):
    shutil.rmtree(project / "memory", ignore_errors=True)
    write(project, {f"memory/{number}.md": text for number, text in enumerate(texts)})
    if not query.strip():
        return
    for context in (0, 30):
        for hit in memory.search(
            query, min_score=0, max_results=20, context_tokens=context
        ).results:
            assert hit.text in memory.get(hit.path, hit.lines).text
