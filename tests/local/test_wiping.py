"""What lies in a home beside the memory: cleaned, thrown away, or told with the reason."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from reverie.errors import Locked
from reverie.local.erasing import ErasingStore
from reverie.memory import Memory
from reverie.types import Forgotten, TextPart, TurnMessage
from tests.traces import WORD, traces

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
    trust.write_text(json.dumps({f"/work/{WORD}": True}))
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


def test_a_link_out_of_the_home_is_not_followed(memory, home, tmp_path):
    mine = tmp_path / "mine.md"
    mine.write_text(f"my own {WORD}\n")
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
