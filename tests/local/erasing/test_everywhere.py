"""What lies in a home beside the memory: cleaned, thrown away, or told with the reason."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from reverie.adapters.records import Records
from reverie.errors import Locked, ReadOnly
from reverie.local.erasing import everywhere
from reverie.local.erasing.beside import ErasingStore
from reverie.memory import Memory
from reverie.types import Forgotten, TextPart, TurnMessage
from tests.local.store.test_bad_files import put
from tests.traces import WORD, files_of, plant, queue, traces

FACT = f"The launch codename is {WORD}"


@pytest.fixture
def home(memory: Memory) -> Path:
    memory.remember(FACT)
    memory.remember("The office plant is called Fred")
    return Path(memory.workspace.home)


def erase(memory: Memory) -> Forgotten:
    return memory.forget(WORD, erase=True, everywhere=True)


def left(outcome: Forgotten) -> dict[str, str]:
    return {item.code: item.what for item in outcome.left}


@pytest.mark.parametrize("form", ["jsonl", "folder"])
def test_an_export_inside_the_home_is_cleaned_and_can_still_be_imported(
    memory, home, open_memory, tmp_path, form
):
    memory.layers.append([TurnMessage("user", (TextPart(f"say {WORD}"),))])
    memory.export(tmp_path / "export", to=form, with_journal=True)
    (home / "backups").mkdir()
    (tmp_path / "export").rename(home / "backups" / f"{WORD}.{form}")
    done = erase(memory)
    assert traces(memory) == []
    assert done.left == ()
    other = open_memory(home=tmp_path / "other")
    back = other.import_(home / "backups" / f"erased.{form}")
    assert back.dropped == ()
    assert {topic.name for topic in other.store.topics()} >= {"The office plant is called Fred"}
    assert other.verify().ok


def test_other_projects_and_agents_of_the_home_are_reached(memory, home, open_memory, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    other = open_memory(tmp_path / "elsewhere", settings={"memory.agent": "second"})
    other.remember(f"Here {WORD} means tea", kind="project")
    other.layers.add_note(f"{WORD} again")
    other.layers.append([TurnMessage("user", (TextPart(f"say {WORD}"),))], session=WORD)
    other.search(WORD)
    erase(memory)
    assert traces(memory) == []
    assert other.verify().ok
    [found] = other.search("means tea").results
    assert "[erased] means tea" in found.text
    assert other.layers.history.latest(1).turns[0].session == "[erased]"


def test_what_a_killed_process_left_behind_is_removed(memory, home):
    stray = home / "memories" / "user" / ".x.md.999999999.ab.reverie-tmp"
    stray.parent.mkdir(parents=True, exist_ok=True)
    stray.write_text(FACT)
    erase(memory)
    assert not stray.exists()


def test_settings_are_told_and_not_rewritten(memory, home):
    (home / "config.toml").write_text(f'[memory]\nagent = "{WORD}"\n')
    trust = home / "state" / "trust.json"
    trust.write_text(json.dumps({f"/srv/{WORD}": True}))
    done = erase(memory)
    assert [item.code for item in done.left] == ["settings_file", "settings_file"]
    assert WORD in trust.read_text()
    assert done.receipt.left
    assert WORD not in memory.journal.record(done.run).detail["receipt"].__repr__()


def test_what_cannot_be_searched_is_told(memory, home):
    (home / "old.jsonl.gz").write_bytes(gzip.compress(FACT.encode()))
    (home / "notes.latin1").write_bytes(f"caf\xe9 {WORD}".encode("latin-1"))
    (home / "clean.bin").write_bytes(b"\xff\xfe\x00")
    (home / "export" / ".git").mkdir(parents=True)
    (home / "state" / "journal.db.corrupt-20260101T000000Z-abc").write_bytes(b"\x00torn")
    shown = memory.forget(WORD, erase=True, everywhere=True, dry_run=True)
    done = erase(memory)
    assert left(shown) == left(done)
    assert {code: Path(what).name for code, what in left(done).items()} == {
        "not_searchable": "journal.db.corrupt-20260101T000000Z-abc",
        "not_text": "notes.latin1",
        "git_history": ".git",
    }
    assert next(item.what for item in done.left if item.code == "not_searchable").endswith(".gz")


def test_a_markdown_file_that_cannot_be_read_is_told(memory, home):
    path = Path(memory.workspace.user_memory, "user", "odd.md")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(f"{WORD} \xe9".encode("latin-1"))
    assert left(erase(memory)) == {"not_text": str(path)}


def test_the_folder_of_a_project_keeps_its_name(open_memory, tmp_path):
    (tmp_path / WORD / ".git").mkdir(parents=True)
    memory = open_memory(tmp_path / WORD)
    memory.remember(FACT)
    done = erase(memory)
    assert left(done).keys() == {"folder_name"}
    assert memory.verify().ok
    assert memory.remember("The new one is open").run


def test_a_name_that_was_cut_short_tells_nothing(memory, home):
    said = "our landlord Mr Quibblethwaite wants to evict us next Wednesday morning"
    note = memory.layers.add_note(said)
    assert "quibblethwaite" in note.path
    earlier = Path(note.path).with_name(
        "20250101000000-our-landlord-mr-quibblethwaite-wants-to-evict-us-next-wednes.md"
    )
    Path(note.path).rename(earlier)  # as names were cut before
    memory.layers.add_note(f"see [[{earlier.stem}]]", title="links")
    memory.forget(said, erase=True, everywhere=True)
    assert not [path for path in home.rglob("*") if "quibble" in path.name]
    assert not [
        path
        for path in home.rglob("*")
        if path.is_file() and b"quibble" in path.read_bytes().lower()
    ]
    assert memory.verify().ok


def test_a_link_out_of_the_home_is_not_followed(memory, home, tmp_path):
    mine = tmp_path / "mine.md"
    mine.write_text(f"my own {WORD}\n")
    (home / "memories").mkdir(exist_ok=True)
    (home / "memories" / "mine.md").symlink_to(mine)
    erase(memory)
    assert mine.read_text() == f"my own {WORD}\n"


def test_files_an_agent_keeps_in_its_own_home_are_left_alone(open_memory, private_home):
    memory = open_memory(dialect="claude")
    memory.remember(FACT)
    memory.layers.add_note(f"about {WORD}")
    transcript = private_home / ".claude" / "projects" / "x" / "chat.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text(json.dumps({"said": WORD}))
    done = erase(memory)
    assert {item.kind for item in done.places} >= {"memories", "notes", "journal"}
    found = traces(memory)
    assert all(str(transcript) in where for where in found)
    assert found


def test_what_a_person_wrote_into_the_catalog_goes_too(memory, home):
    catalog = Path(memory.workspace.project_memory, "MEMORY.md")
    catalog.write_text(catalog.read_text() + f"\n# Mine\n\nAsk Bob about {WORD}.\n")
    erase(memory)
    assert "Ask Bob about [erased]." in catalog.read_text()
    assert memory.verify().ok


def test_two_notes_of_one_name_get_two(memory, home):
    for _ in range(2):
        memory.layers.add_note("x", title=f"{WORD}")
    memory.layers.link_notes(*[note.id for note in memory.layers.notes().notes])
    erase(memory)
    assert traces(memory) == []
    [one, two] = memory.layers.notes().notes
    assert one.rel != two.rel
    assert memory.layers.review_notes().broken == ()


def test_an_erasure_waits_for_another(memory, home, open_memory):
    store = memory.engine.erasing()
    assert isinstance(store, ErasingStore)
    other = open_memory(settings={"memory.lock_wait_seconds": 0.01})
    with store.alone(), pytest.raises(Locked):
        erase(other)


@pytest.mark.parametrize(
    "what",
    [
        b"",
        b"\xff\x00",
        b"[1]",
        b"{}",
        b'{"wordings": 1, "receipt": {}}',
        "[" * 9999,
        "full folder",
        "huge",
    ],
)
def test_a_note_of_an_erasure_that_cannot_be_read_is_told_and_stops_nothing(
    memory, home, tmp_path, what
):
    note = Path(memory.workspace.state) / "erasing.json"
    deep = isinstance(what, str) and what.startswith("[")
    put(note, what.encode() if deep else what, tmp_path)
    assert [item.code for item in memory.verify().problems] == ["erasure_unfinished"]
    assert memory.forget("nothing like this", erase=True, dry_run=True).dropped
    told = memory.forget(erase=True)
    assert "erase it once more" in told.summary
    assert [item.what for item in told.dropped] == ["an erasure"]
    assert not note.exists()
    assert memory.verify().ok


def test_a_plain_erase_that_was_cut_off_is_finished_too(memory, home):
    [topic] = [item for item in memory.store.topics() if WORD in item.text]
    real = memory.engine.erasing()

    class Dying(ErasingStore):
        def erase(self, *_: object, **__: object) -> int:
            raise KeyboardInterrupt

    memory.engine.erasing = lambda: Dying(memory.engine.store)
    with pytest.raises(KeyboardInterrupt):
        memory.forget(ids=[topic.path], erase=True)
    memory.engine.erasing = lambda: real
    assert memory.journal.contains(lambda text: WORD in text)
    done = memory.forget(erase=True)
    assert done.summary == "Finished an erasure that was interrupted."
    assert not memory.journal.contains(lambda text: WORD in text)
    assert memory.verify().ok


# --- what must not be damaged ----------------------------------------------------------------------


def forget(memory: Memory, words: str) -> Forgotten:
    return memory.forget(words, erase=True, everywhere=True)


@pytest.mark.parametrize(
    "words",
    ["AGENTS.md", "schema version", "inbox", "2026", *(pytest.param(one, marks=pytest.mark.slow) for one in (
     "type project", "user preferences", "created at", "how to apply", "tool call", "dry run",
     "zettel maps", "claude", "session id", "last seq", "active tasks", "readme", "facts"))],
)  # fmt: skip
def test_words_that_our_files_are_written_with_break_none_of_them(memory, words):
    plant(memory)
    memory.save("Ask first", scope="project")
    before = {path: path.read_bytes() for path in _memory_files(memory)}
    found = [topic.path for topic in memory.store.topics()]
    said = memory.layers.history.latest(9).turns
    value = [record.value for record in Records(memory, "langgraph").all()]
    forget(memory, words)
    assert before == {path: path.read_bytes() for path in _memory_files(memory)}
    assert [topic.path for topic in memory.store.topics()] == found
    assert memory.layers.history.latest(9).turns == said
    assert [record.value for record in Records(memory, "langgraph").all()] == value
    assert memory.verify().ok
    assert forget(memory, words).receipt is None


def _memory_files(memory: Memory) -> list[Path]:
    space = memory.workspace
    return sorted(
        path
        for root in (space.home, space.base)
        for path in Path(root).rglob("*.md")
        if path.name != "MEMORY.md"
    )


def test_two_keys_of_a_value_that_become_one_are_both_kept(memory, home):
    records = Records(memory, "langgraph")
    value = {WORD: 1, WORD.title(): 2, "said": [f"a {WORD}", "plan"], "n": 1.0}
    records.put(
        [(("users",), "key", value), ((WORD,), "k1", {"x": 1}), ((WORD.upper(),), "k2", {"x": 2})]
    )
    erase(memory)
    found = [record.value for record in records.all()]
    assert records.unreadable == []
    assert sorted(map(str, found)) == sorted(
        map(
            str,
            [
                {"[erased]": 1, "[erased]-2": 2, "said": ["a [erased]", "plan"], "n": 1.0},
                {"x": 1},
                {"x": 2},
            ],
        )
    )


def test_links_between_notes_lead_where_they_led(memory, home):
    note = memory.layers.add_note("x", title=f"The {WORD} plan")
    stem = Path(note.path).stem
    text = f"See [[{stem}]], [[The {WORD} plan]] and [it]({stem}.md)."
    other = memory.layers.add_note(text, title="Index")
    erase(memory)
    assert memory.layers.review_notes().broken == ()
    [named] = [item for item in memory.layers.notes().notes if item.title == "The erased plan"]
    assert f"[it]({Path(named.rel).name})" in (memory.store.read(other.path) or "")


def test_a_context_file_keeps_its_name(memory, home):
    (home / "quokkaberry.md").write_text("nothing\n")
    done = erase(memory)
    assert (home / "quokkaberry.md").exists()
    assert left(done) == {"file_name": str(home / "erased.md")}


def test_what_git_keeps_for_itself_is_not_touched(memory, home):
    tree = home / "backups" / "tree"
    bare = home / "backups" / f"{WORD}-bare"
    for folder in (bare / "objects", bare / "refs", tree):
        folder.mkdir(parents=True)
    (bare / "HEAD").write_text(f"ref: refs/heads/{WORD}\n")
    (bare / "packed-refs").write_text(f"0000 refs/heads/{WORD}\n")
    (tree / ".git").write_text(f"gitdir: /srv/{WORD}/.git/worktrees/x\n")
    done = erase(memory)
    assert WORD in (bare / "packed-refs").read_text()
    assert WORD in (tree / ".git").read_text()
    told = [item.what for item in done.left if item.code == "git_history"]
    assert sorted(told) == [str(home / "backups" / "erased-bare"), str(tree / ".git")]


# --- what must not be taken for gone ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("Jean-Luc", "Jean-Luc's birthday"),
        ("mcdonald", "ask McDonald"),
        ("McDonald", "ask MCDONALD, or mcdonald"),
        ("10.20.30.40", "http://10.20.30.40:8080/x"),
        ("4111-1111-1111-1111", "card 4111 1111 1111 1111"),
        ("Anna", "for Anna/Bob's house"),
        ("Müller", 'as {"n": "M\\u00fcller"} says'),
        ("Müller Hof", "https://x.example/M%C3%BCller%20Hof"),
        (WORD, "quok\u00adka\u200bberry".replace("\u200b", "\u200d")),
        ("Ἀθῆναι", "ΑΘΗΝΑΙ und αθηναι"),
        ("שָׁלוֹם", "שלום עולם"),
    ],
)
def test_words_are_found_however_they_are_written(memory, words, written):
    note = memory.layers.add_note(f"Say {written} and more", title="Talk")
    done = forget(memory, words)
    assert (done.places[0].kind, done.places[0].erased) == ("notes", 1)
    assert "erased" in (memory.store.read(note.path) or "")
    assert forget(memory, words).receipt is None


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("Anna", "Annual annals, Annan, hosanna"),
        ("2026", "due 2026-05-01, 20260501"),
        ("20260501", "20260501120000"),
        ("10.5", "version 10.5.3, or 10, 5"),
        ("1234", "0171-1234-5678-9"),
        ("iPhone", "I phone you"),
        ("the rapist", "a therapist"),
    ],
)
def test_words_inside_others_are_others(memory, words, written):
    note = memory.layers.add_note(f"Say {written} and more", title="Talk")
    before = memory.store.read(note.path)
    forget(memory, words)
    assert memory.store.read(note.path) == before


def test_names_that_cannot_be_changed_are_told(memory, home, tmp_path):
    folder = home / "memories" / WORD
    folder.mkdir(parents=True)
    (folder / "photo.png").write_bytes(b"\xff\x00")
    (home / "memories" / f"{WORD}.png").write_bytes(b"\xff\x00")
    outside = tmp_path / "outside"
    outside.mkdir()
    (home / "memories" / "shared").symlink_to(outside)
    (home / "memories" / f"{WORD}-link").symlink_to("nowhere")
    shown = memory.forget(WORD, erase=True, everywhere=True, dry_run=True)
    done = erase(memory)
    found = sorted((item.code, Path(item.what).name) for item in done.left)
    assert found == [
        ("file_name", "erased-link"),
        ("file_name", "erased.png"),
        ("folder_name", "erased"),
        ("link_outside", "shared"),
    ]
    assert sorted(item.code for item in shown.left) == [code for code, _ in found]


def test_a_link_to_words_outside_is_told(memory, home, tmp_path):
    (tmp_path / "mine.md").write_text(f"my own {WORD}\n")
    (home / "memories").mkdir(exist_ok=True)
    (home / "memories" / "mine.md").symlink_to(tmp_path / "mine.md")
    assert left(erase(memory)).keys() == {"link_outside"}


def test_a_file_with_another_name_outside_is_told(memory, home, tmp_path):
    (home / "memories").mkdir(exist_ok=True)
    one, two = home / "memories" / "a.txt", home / "memories" / "b.txt"
    one.write_text(WORD)
    os.link(one, tmp_path / "kept.txt")
    two.write_text(WORD)
    os.link(two, home / "memories" / "c.txt")
    done = erase(memory)
    assert left(done) == {"hard_link": str(one)}
    assert (tmp_path / "kept.txt").read_text() == WORD
    assert one.read_text() == two.read_text() == "[erased]"


def test_a_memory_folder_that_is_a_link_is_reached(open_memory, tmp_path):
    (tmp_path / "else").mkdir()
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "memories").symlink_to(tmp_path / "else")
    memory = open_memory(home=tmp_path / "own")
    memory.remember("I like plums and pears, and trains")
    (tmp_path / "else" / "user").mkdir(exist_ok=True)
    (tmp_path / "else" / "user" / "scratch.md").write_text(f"---\ntype: user\n---\n\nfor {WORD}x\n")
    (tmp_path / "else" / "data.json").write_text(json.dumps({"said": WORD}))
    erase(memory)
    assert json.loads((tmp_path / "else" / "data.json").read_text()) == {"said": "[erased]"}


def test_words_in_utf_16_are_told(memory, home):
    (home / "old.txt").write_text(f"say {WORD}", encoding="utf-16")
    assert left(erase(memory)) == {"not_text": str(home / "old.txt")}


def test_what_cannot_be_written_or_listed_is_told_and_the_rest_is_done(memory, home, monkeypatch):
    locked, closed = home / "backups" / "locked.txt", home / "backups" / "closed"
    closed.mkdir(parents=True)
    locked.write_text(WORD)
    (home / "backups" / "open.txt").write_text(WORD)
    write, scan = everywhere.write_atomic, os.scandir

    def refuse(path, *more):
        if path == locked:
            raise ReadOnly(f"{path} may not be accessed")
        return write(path, *more)

    def hide(path):
        if str(path) == str(closed):
            raise PermissionError(13, "Permission denied", str(closed))
        return scan(path)

    monkeypatch.setattr(everywhere, "write_atomic", refuse)
    monkeypatch.setattr(os, "scandir", hide)
    done = erase(memory)
    told = {(item.code, Path(item.what).name) for item in done.left if item.code != "still_there"}
    assert told == {("read_only", "locked.txt"), ("read_only", "closed")}
    assert (home / "backups" / "open.txt").read_text() == "[erased]"
    assert next(item for item in done.places if item.kind == "exports").erased == 1
    assert memory.verify().ok


def test_notes_in_a_folder_that_cannot_be_written_are_told(memory, home, monkeypatch):
    note = Path(memory.layers.add_note(f"on {WORD}", title="Talk").path)
    allowed = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: str(path) != str(note.parent) and allowed(path, mode)
    )
    done = erase(memory)
    assert ("read_only", str(note)) in {(item.code, item.what) for item in done.left}
    assert not memory.journal.contains(lambda text: FACT in text)


# --- together with others --------------------------------------------------------------------------


def test_lines_that_others_append_meanwhile_are_kept(memory, home, monkeypatch):
    log = home / "state" / "events.jsonl"
    memory.event_log.add("hook_failed", {"error": WORD}, at=memory.clock())
    write = everywhere.write_atomic

    def late(path, *more):
        if path == log:
            memory.event_log.add("late", {}, at=memory.clock())
        return write(path, *more)

    monkeypatch.setattr(everywhere, "write_atomic", late)
    erase(memory)
    assert memory.event_log.read(name="late")
    assert memory.event_log.read(name="hook_failed")[0]["error"] == "[erased]"


def test_another_process_goes_on_working(memory, home, open_memory):
    other = open_memory()
    other.layers.append([TurnMessage("user", (TextPart(f"say {WORD} and tea"),))])
    assert other.search(WORD).results
    erase(memory)
    assert not other.search(WORD).results
    other.layers.append([TurnMessage("user", (TextPart("say it again with milk"),))])
    assert other.search("again with milk").results
    assert [turn.seq for turn in other.layers.history.latest(9).turns] == [1, 2]
    assert [turn.seq for turn in memory.layers.history.latest(9).turns] == [1, 2]
    assert other.verify().ok


def test_older_runs_can_still_be_looked_at(memory, home):
    memory.remember("Tea is served at four")
    runs = [run.id for run in memory.log()]
    erase(memory)
    for run in runs:
        memory.diff(run)
    for topic in memory.store.topics():
        memory.blame(topic.path)
    assert memory.undo(runs[0]).run
    assert memory.verify().ok


def test_a_second_time_nothing_is_done_and_that_is_said(memory, home):
    plant(memory)
    (home / "export.yaml").write_text(f"said: {WORD}\n")
    erase(memory)
    assert (home / "export.yaml").read_text() == "said: erased\n"
    before, runs = files_of(home), [run.id for run in memory.log()]
    done = erase(memory)
    assert done.summary.endswith("Nothing else contains the words as they stand here.")
    assert (done.run, done.receipt, done.places, done.left) == ("", None, (), ())
    assert [run.id for run in memory.log()] == runs
    same = {path: data for path, data in files_of(home).items() if "/state/" not in path}
    assert same == {path: data for path, data in before.items() if "/state/" not in path}


def test_a_task_is_found_by_a_key_and_not_by_one_of_ours(memory, home):
    queue(memory, f'{{"{WORD}": 1}}')
    assert {item.kind for item in forget(memory, "content").places} == set()
    done = erase(memory)
    assert [item.erased for item in done.places if item.kind == "tasks"] == [1]
    assert traces(memory) == []


def test_every_run_can_be_shown_afterwards(memory, home):
    plant(memory)
    erase(memory)
    for run in memory.log(limit=100):
        memory.diff(run.id)
    for path in _memory_files(memory):
        memory.blame(str(path))
    assert memory.verify().ok
