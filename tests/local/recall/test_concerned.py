"""A statement is compared with the topics that it may concern; the rest is neither read nor parsed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie.core.topics import remember as rules
from reverie.dialect import REVERIE
from reverie.memory import Memory
from reverie.types import Scope
from tests.conftest import NO_MODEL

NOISE = 150


def _write(home: Path, name: str, text: str) -> Path:
    path = home / "memories" / "user" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"---\nname: {name}\ndescription: {text[:60]}\ntype: user\n---\n\n{text}\n",
        encoding="utf-8",
    )
    os.utime(path, (1_700_000_000, 1_700_000_000))  # old enough to be kept
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    for number in range(NOISE):
        _write(
            home, f"note-{number}", f"The port of service {number} is open at hour {number % 24}."
        )
    _write(home, "place", "I live in Oslo")
    _write(home, "several", "- The attic holds the skis\n- The cellar holds the wine")
    return home


@pytest.fixture
def memory(home: Path, tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path, home=home, env=NO_MODEL) as opened:
        yield opened


@pytest.mark.parametrize(
    "text",
    [
        "i live in oslo.",
        "I live in Rome",
        "I moved from Oslo to Rome",
        "The port of service 7 is open at hour 7.",
        "The port of service 7 is open at hour 9.",
        "- The cellar holds the wine\n- The attic holds the skis",
        "Nothing like it was ever said here",
        "7",
    ],
)
def test_the_decision_is_the_one_that_all_topics_give(memory: Memory, text: str) -> None:
    memo = rules.read_memo(text, scope=Scope.USER)

    def plan(topics: object) -> rules.Plan:
        return rules.plan(
            memo,
            topics,  # type: ignore[arg-type]
            workspace=memory.workspace,
            dialect=REVERIE,
            taken=lambda _: False,
            today=memory.clock().date(),
        )

    few = memory.engine.ranker.concerned(memo.content, Scope.USER)
    every, chosen = plan(memory.store.topics()), plan(few)
    assert len(few) < NOISE
    assert (chosen.action, chosen.path, chosen.entry) == (every.action, every.path, every.entry)


def test_another_process_takes_the_catalog_from_what_was_kept(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reverie.local.store import managed

    with Memory.open(tmp_path, home=home, env=NO_MODEL) as first:
        first.recall("where do I live")
    read: list[str] = []
    plain = managed.read_topic
    monkeypatch.setattr(
        managed, "read_topic", lambda *a, **k: (read.append(a[2]), plain(*a, **k))[1]
    )
    with Memory.open(tmp_path, home=home, env=NO_MODEL) as second:
        second.remember("The boathouse key hangs behind the map", scope="user", kind="user")
        assert not [rel for rel in read if "note-" in rel]
        listed = (home / "memories" / "MEMORY.md").read_text("utf-8")
        listed += "".join(
            path.read_text("utf-8") for path in (home / "memories").glob("*/MEMORY.md")
        )
        second.store.rebuild_catalogs()
        assert "boathouse" in listed
        assert all(f"note-{number}.md" in listed for number in range(NOISE))


def test_an_edit_by_hand_is_what_the_next_statement_is_compared_with(
    home: Path, memory: Memory
) -> None:
    assert memory.remember("I live in Oslo", scope="user").action == "known"
    _write(home, "place", "I live in Lima")
    assert memory.remember("I live in Lima", scope="user").action == "known"
    (home / "memories" / "user" / "place.md").unlink()
    assert memory.remember("I live in Lima", scope="user").action == "added"


def test_a_few_new_files_do_not_store_everything_again(home: Path, tmp_path: Path) -> None:
    with Memory.open(tmp_path, home=home, env=NO_MODEL) as first:
        first.recall("where do I live")
    stored = next(home.rglob("*.words"))
    before = stored.stat().st_mtime_ns
    _write(home, "new", "The boathouse key hangs behind the map")
    with Memory.open(tmp_path, home=home, env=NO_MODEL) as second:
        assert second.recall("where is the boathouse key").topics
    assert stored.stat().st_mtime_ns == before
    (home / "memories" / "user" / "note-3.md").unlink()
    with Memory.open(tmp_path, home=home, env=NO_MODEL) as third:
        third.recall("where do I live")
    assert stored.stat().st_mtime_ns > before
    assert "service 3 " not in stored.read_text("utf-8", "replace")
