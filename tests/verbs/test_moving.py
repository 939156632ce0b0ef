"""A memory carried to another home is the same memory: words, dates, log, blame, undo."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie.core.moving.record_kinds import ABOUT
from reverie.core.text.plain import digest
from reverie.errors import InvalidInput, ReverieError, TargetExists
from reverie.memory import Memory
from reverie.types import Change, PortableFile, RunInfo, TextPart, TurnMessage
from tests.conftest import NO_MODEL, FakeClock
from tests.examples import examples

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
FORMATS = ("folder", "jsonl", "git")
EVERYTHING = tuple(ABOUT)


class House:
    """Homes below one folder, each with a project of the same name."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.clock = FakeClock(NOW)

    @contextmanager
    def open(self, name: str, **settings: object) -> Iterator[Memory]:
        project = self.root / name / "project"
        project.mkdir(parents=True, exist_ok=True)
        home = self.root / name / "home"
        with Memory.open(
            project, home=home, env=NO_MODEL, clock=self.clock, settings=settings
        ) as memory:
            yield memory


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def held(memory: Memory) -> dict[str, PortableFile]:
    carrier = memory.engine.carrier(None)
    try:
        return {item.at: item for item in carrier.files() if not item.at.endswith("MEMORY.md")}
    finally:
        carrier.close()


def said(text: str) -> list[TurnMessage]:
    return [TurnMessage("user", (TextPart(text),)), TurnMessage("assistant", (TextPart("yes"),))]


def furnished(memory: Memory, clock: FakeClock) -> tuple[str, str]:
    """Fill a memory; return a run that stands and one that was taken back."""
    memory.initialise()
    kept = memory.remember("I prefer short answers")
    clock.advance(hours=1)
    gone = memory.remember("The release is on Friday in this project")
    memory.save("Always use tabs", scope="project")
    memory.save("Never use tabs", scope="global")
    clock.advance(hours=1)
    memory.layers.append(said("hello"), session="s1")
    memory.layers.append(said("good bye"), session="s1")
    memory.layers.add_note("Bread needs time", tags=["baking"])
    memory.state.update_state("meta.json", lambda kept: {**kept, "version": 1, "n": 3})
    memory.undo(gone.run)
    return kept.run, gone.run


@pytest.mark.parametrize("to", FORMATS)
def test_an_export_brought_into_an_empty_home_is_the_same_memory(house, to):
    with house.open("here") as here:
        kept, _ = furnished(here, house.clock)
        exported = here.export(house.root / "out", to=to, with_journal=True)
        files, log = held(here), here.log(limit=100)
        turns = here.layers.history.latest(10).turns
        topic = next(item.path for item in here.store.topics())
        blamed = [(line.text, line.run) for line in here.blame(topic)]
        prompt = here.prompt(context=False).text
    house.clock.advance(days=30)
    with house.open("there") as there:
        brought = there.import_(house.root / "out", allow=["context", "history", "state"])
        assert (brought.dropped, brought.refused, brought.problems) == ((), (), ())
        assert (brought.held, brought.waiting) == ((), ())
        assert held(there) == files
        assert exported.counts.runs == len(log) == brought.counts.runs
        now = there.log(limit=100)
        assert [(r.id, r.at, r.verb, r.undoes, r.undone_by) for r in now[1:]] == [
            (r.id, r.at, r.verb, r.undoes, r.undone_by) for r in log
        ]
        assert now[0].verb == "import"
        assert there.layers.history.latest(10).turns == turns
        assert there.state.read_state("meta.json")["n"] == 3
        assert there.prompt(context=False).text == prompt
        own = next(item for item in there.store.topics())
        assert [(line.text, line.run) for line in there.blame(own.path)] == blamed
        assert not there.verify().problems
        assert there.undo(kept).paths == (there.store.real(own.path),)
        assert not there.store.topics()


@pytest.mark.parametrize("to", FORMATS)
def test_a_second_import_changes_nothing(house, to):
    with house.open("here") as here:
        furnished(here, house.clock)
        here.export(house.root / "out", to=to, with_journal=True)
    with house.open("there") as there:
        first = there.import_(house.root / "out", allow=EVERYTHING)
        files, log = held(there), there.log(limit=100)
        second = there.import_(house.root / "out", allow=EVERYTHING)
        assert there.import_(house.root / "out").held == ()
        assert second.runs == ()
        assert second.known == first.counts
        assert (held(there), there.log(limit=100)) == (files, log)
        assert there.layers.history.count() == 2


def test_one_undo_takes_an_import_back(house):
    with house.open("here") as here:
        furnished(here, house.clock)
        here.export(house.root / "out.jsonl", to="jsonl")
    with house.open("there") as there:
        there.remember("Something of my own")
        before = held(there)
        brought = there.import_(house.root / "out.jsonl")
        there.remember("Later: the build takes four minutes on this project")
        there.undo(brought.runs[0])
        left = {at: item.text for at, item in held(there).items()}
        assert {at: item.text for at, item in before.items()}.items() <= left.items()
        assert len(left) == len(before) + 1


def test_a_dry_run_says_what_would_come_and_writes_nothing(house):
    with house.open("here") as here:
        furnished(here, house.clock)
        here.export(house.root / "out", with_journal=True)
    with house.open("there") as there:
        planned = there.import_(house.root / "out", dry_run=True)
        assert (held(there), there.log(limit=9), there.layers.history.count()) == ({}, [], 0)
        done = there.import_(house.root / "out")
        assert planned.counts == done.counts
        assert planned.files == done.files


def test_an_import_over_what_init_made_replaces_it_and_nothing_else(house):
    with house.open("here") as here:
        here.initialise()
        path = f"{here.layers.root}/core/USER.md"
        here.store.apply(
            [Change(path, "# User\n\nMia\n", digest(here.store.read(path) or ""))], RunInfo("edit")
        )
        here.export(house.root / "out")
    with house.open("there") as there:
        there.initialise()
        soul = f"{there.layers.root}/core/SOUL.md"
        there.store.apply(
            [Change(soul, "# Mine\n", digest(there.store.read(soul) or ""))], RunInfo("edit")
        )
        user = there.store.read(f"{there.layers.root}/core/USER.md")
        brought = there.import_(house.root / "out", allow=["core"])
        assert there.store.read(f"{there.layers.root}/core/USER.md") == user
        assert brought.waiting == ("agent/pending/core/USER.md",)
        assert there.store.read(soul) == "# Mine\n"
        assert [item.what for item in brought.dropped] == ["agent/core/SOUL.md"]
        again = there.import_(house.root / "out", allow=["core"], replace=True)
        assert again.dropped == ()
        assert there.store.read(soul) != "# Mine\n"
        there.undo(again.runs[0])
        assert there.store.read(soul) == "# Mine\n"


def test_another_text_under_the_same_name_stays_and_the_new_one_gets_a_free_name(house):
    with house.open("here") as here:
        one = here.remember("I like tea", name="Drinks", kind="user")
        here.export(house.root / "out.jsonl", to="jsonl")
    with house.open("there") as there:
        two = there.remember("I like coffee", name="Drinks", kind="user")
        brought = there.import_(house.root / "out.jsonl")
        assert dict(brought.renamed) == {"user/user/drinks.md": "user/user/drinks-2.md"}
        assert "coffee" in (there.store.read(two.path) or "")
        assert "tea" in (there.store.read(two.path.replace("drinks", "drinks-2")) or "")
        assert there.import_(house.root / "out.jsonl").known.files == 1
    assert one.path.endswith("drinks.md")


def test_names_that_only_differ_in_case_do_not_meet(house):
    lines = [
        {"kind": "reverie", "version": 1, "exported_at": "2026-05-01T12:00:00Z"},
        {"kind": "file", "at": "user/Tea.md", "text": "---\nname: a\ntype: user\n---\nGreen.\n"},
        {"kind": "file", "at": "user/tea.md", "text": "---\nname: b\ntype: user\n---\nBlack.\n"},
        {"kind": "file", "at": "user/TEA.md", "text": "---\nname: c\ntype: user\n---\nWhite.\n"},
        {"kind": "end"},
    ]
    source = house.root / "x.jsonl"
    source.write_text("\n".join(map(json.dumps, lines)))
    with house.open("there") as there:
        brought = there.import_(source)
        assert brought.counts.files == 3
        names = [item.at for item in held(there).values()]
        assert len({name.casefold() for name in names}) == 3


def test_what_a_person_wrote_into_a_catalog_comes_along(house):
    with house.open("here") as here:
        here.remember("I prefer short answers")
        catalog = Path(here.workspace.user_memory, "MEMORY.md")
        catalog.write_text("Read this first.\n\n" + catalog.read_text())
        here.remember("I work at night")
        text = catalog.read_text()
        here.export(house.root / "out")
    assert "Read this first." in text
    with house.open("there") as there:
        first = there.import_(house.root / "out", dry_run=True)
        assert [(item.kind, item.at) for item in first.held] == [("context", "user/MEMORY.md")]
        brought = there.import_(house.root / "out", allow=["context"])
        assert Path(there.workspace.user_memory, "MEMORY.md").read_text() == text
        assert len(brought.runs) == 2
        assert not there.import_(house.root / "out", allow=["context"]).runs
        there.undo(brought.runs[0])
        assert not there.store.topics()


def test_a_file_with_a_secret_is_refused_alone_and_named(house):
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with house.open("here", **{"secrets.policy": "off"}) as here:
        here.remember("I prefer short answers")
        bad = here.remember(f"The token is {key}", name="Token")
        here.export(house.root / "out", with_journal=True)
    with house.open("there") as there:
        brought = there.import_(house.root / "out")
        assert [item.what for item in brought.refused] == ["project/project/token.md"]
        assert key not in str(brought.refused)
        assert len(there.store.topics()) == 1
        assert brought.redactions
        assert not there.journal.contains(lambda text: key in text)
        assert next(run for run in there.log() if run.id == bad.run).status == "erased"


def test_an_export_that_was_cut_off_says_so_and_brings_what_is_there(house):
    with house.open("here") as here:
        furnished(here, house.clock)
        here.export(house.root / "out.jsonl", to="jsonl")
    whole = (house.root / "out.jsonl").read_bytes()
    (house.root / "cut.jsonl").write_bytes(whole[: len(whole) // 2])
    with house.open("there") as there:
        brought = there.import_(house.root / "cut.jsonl", allow=EVERYTHING)
        assert [item.code for item in brought.problems] == ["export_cut_off"]
        assert brought.counts.files > 0
        assert there.import_(house.root / "out.jsonl", allow=EVERYTHING).problems == ()
        with house.open("here") as here:
            assert held(there).keys() == held(here).keys()


@pytest.mark.parametrize(
    "at",
    [
        "user/../../evil.md",
        "user//evil.md",
        "/etc/evil.md",
        "home/config.toml",
        "home/state/notes.md",
        "home/projects/another/memory/evil.md",
        "home/agents/another/core/evil.md",
        "context/setup.py",
        "project/../meta.json",
        "agent/history/turns/2026/01/01/1.json",
        "agent/cognition/state/x.json",
        "user/.hidden/x.md",
        "state/journal.db",
        "user/a\x00.md",
        "user/" + "x" * 300 + ".md",
    ],
)
@pytest.mark.parametrize("kind", ["file", "run"])
def test_an_address_that_leads_elsewhere_is_left_out(house, at, kind):
    file = {"kind": "file", "at": at, "text": "evil"}
    # A run that is taken in could be undone, which would put the text there.
    run = {
        "kind": "run",
        "id": "20260501-120000-deadbeef",
        "at": "2026-05-01T12:00:00Z",
        "verb": "remember",
        "status": "done",
        "deltas": [{"at": at, "before": digest("evil"), "after": None}],
    }
    lines = [
        {"kind": "reverie", "version": 1, "exported_at": "2026-05-01T12:00:00Z"},
        *([file] if kind == "file" else [{"kind": "text", "text": "evil"}, run]),
        {"kind": "end"},
    ]
    source = house.root / "evil.jsonl"
    source.write_text("\n".join(map(json.dumps, lines)))
    with house.open("there") as there:
        brought = there.import_(source)
        assert (brought.counts.files, brought.counts.runs) == (0, 0)
        assert len(brought.dropped) == 1
        assert [run.verb for run in there.log()] == []
    assert not list(house.root.rglob("evil*.md"))


def test_a_link_in_the_memory_folder_does_not_lead_an_import_out_of_it(house, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    lines = [
        {"kind": "reverie", "version": 1, "exported_at": "2026-05-01T12:00:00Z"},
        {"kind": "file", "at": "user/link/evil.md", "text": "evil"},
        {"kind": "end"},
    ]
    source = house.root / "x.jsonl"
    source.write_text("\n".join(map(json.dumps, lines)))
    with house.open("there") as there:
        memory = Path(there.workspace.user_memory)
        memory.mkdir(parents=True)
        (memory / "link").symlink_to(outside)
        assert len(there.import_(source).dropped) == 1
    assert not list(outside.iterdir())


def test_files_nobody_listed_stay_and_what_is_in_the_way_is_named(house, tmp_path):
    with house.open("a") as memory:
        base = Path(memory.workspace.base)
        (base / "LICENSE").write_text("free", encoding="utf-8")
        (base / "folder.md").mkdir()
        (base / "latin.md").write_bytes(b"caf\xe9")
        (base / "mine.md").write_text("mine", encoding="utf-8")
        names = ("LICENSE/AGENTS.md", "folder.md", "latin.md", "mine.md", "new.md")
        header = {"kind": "reverie", "version": 1, "exported_at": "2026-05-01T12:00:00Z"}
        files = [{"kind": "file", "at": f"context/{name}", "text": "theirs"} for name in names]
        lines = map(json.dumps, [header, *files, {"kind": "end"}])
        (tmp_path / "theirs.jsonl").write_text("\n".join(lines), encoding="utf-8")
        allow = ["context", "files"]
        brought = memory.import_(tmp_path / "theirs.jsonl", allow=allow)
        assert [item.what for item in brought.dropped] == [f"context/{name}" for name in names[:4]]
        assert brought.files == (str(base / "new.md"),)
        assert (base / "mine.md").read_text(encoding="utf-8") == "mine"
        memory.import_(tmp_path / "theirs.jsonl", allow=allow, replace=True)
        assert (base / "mine.md").read_text(encoding="utf-8") == "theirs"


def test_a_version_above_ours_is_refused(house):
    source = house.root / "x.jsonl"
    source.write_text('{"kind":"reverie","version":99,"exported_at":"2026-05-01T12:00:00Z"}\n')
    with house.open("there") as there, pytest.raises(ReverieError, match="version 99"):
        there.import_(source)


def test_runs_of_other_projects_stay_at_home_and_are_counted(house):
    with house.open("here") as here:
        here.remember("The deadline of this project is in May", scope="project")
        other = house.root / "here" / "other"
        other.mkdir()
        home = here.workspace.home
        with Memory.open(other, home=home, env=NO_MODEL, clock=house.clock) as second:
            second.remember("Another project altogether, with a server", scope="project")
        exported = here.export(house.root / "out.jsonl", to="jsonl", with_journal=True)
    assert [item.what for item in exported.dropped] == ["1 runs of other projects"]
    assert "altogether" not in (house.root / "out.jsonl").read_text()


# --- targets --------------------------------------------------------------------------------------


@pytest.mark.parametrize("to", FORMATS)
def test_an_export_may_have_the_longest_name_there_can_be(house, to):
    with house.open("here") as here:
        here.remember("I like tea")
        target = house.root / ("记" * 85)
        here.export(target, to=to)
    assert target.exists()


@pytest.mark.parametrize("to", FORMATS)
def test_what_is_there_already_is_not_overwritten(house, to):
    target = house.root / "out"
    with house.open("here") as here:
        here.remember("I prefer short answers")
        here.export(target, to=to)
        with pytest.raises(TargetExists):
            here.export(target, to=to)
        assert here.export(target, to=to, force=True).counts.files
        assert not [item for item in house.root.iterdir() if item.name.startswith(".")]


@pytest.mark.parametrize("to", ["folder", "git"])
def test_a_folder_that_is_no_export_is_not_replaced_even_with_force(house, to):
    target = house.root / "out"
    target.mkdir()
    (target / "thesis.md").write_text("years of work")
    with house.open("here") as here:
        here.remember("I prefer short answers")
        with pytest.raises(TargetExists):
            here.export(target, to=to, force=True)
    assert (target / "thesis.md").read_text() == "years of work"


def test_an_export_into_the_memory_itself_is_refused(house):
    with house.open("here") as here, pytest.raises(InvalidInput):
        here.export(Path(here.workspace.user_memory, "backup"))


def test_a_folder_holds_the_same_bytes_under_the_same_names(house):
    text = "\ufeff---\r\nname: Fenêtre\r\ntype: user\r\nodd: [1, 2]\r\n---\r\n\r\nÇa va, без конца"
    with house.open("here") as here:
        path = f"{here.workspace.user_memory}/дом/窓.md"
        here.store.apply([Change(path, text, None)], RunInfo("edit"))
        here.export(house.root / "out")
    assert (house.root / "out" / "user" / "дом" / "窓.md").read_bytes() == text.encode()


def test_files_added_and_edited_in_an_exported_folder_come_in_too(house):
    with house.open("here") as here:
        furnished(here, house.clock)
        here.export(house.root / "out")
    added = house.root / "out" / "user" / "by-hand.md"
    added.write_text("---\nname: By hand\ntype: user\n---\n\nWritten in an editor.\n")
    with house.open("there") as there:
        there.import_(house.root / "out")
        assert "Written in an editor." in (
            there.store.read(f"{there.workspace.user_memory}/by-hand.md") or ""
        )


def test_git_log_is_the_history_and_nothing_of_the_users_git_takes_part(house, monkeypatch):
    hooks = house.root / "hooks"
    hooks.mkdir()
    evil = hooks / "post-commit"
    evil.write_text(f"#!/bin/sh\ntouch {house.root}/hooked\n")
    evil.chmod(0o755)
    config = house.root / "gitconfig"
    config.write_text(
        f"[core]\n\thooksPath = {hooks}\n\tautocrlf = true\n[user]\n\tname = Mallory\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_DIR", str(house.root / "elsewhere"))
    with house.open("here") as here:
        furnished(here, house.clock)
        runs = [run for run in reversed(here.log(limit=100)) if run.status == "done"]
        here.export(house.root / "out", to="git")
    monkeypatch.delenv("GIT_DIR")
    told = subprocess.run(
        ["git", "log", "--reverse", "--format=%at %an %s%n%b"],
        cwd=house.root / "out", capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    lines = [line for line in told.splitlines() if line[:1].isdigit()]
    assert [line.split()[2].rstrip(":") for line in lines[:-1]] == [run.verb for run in runs]
    assert [int(line.split()[0]) for line in lines[:-1]] == [
        int(run.at.timestamp()) for run in runs
    ]
    assert all(f"Run: {run.id}" in told for run in runs)
    assert "Mallory" not in told
    assert not (house.root / "hooked").exists()
    assert not (house.root / "elsewhere").exists()
    assert not (house.root / "out" / "journal.jsonl").exists()


def test_git_show_gives_a_memory_as_it_was(house):
    with house.open("here") as here:
        path = f"{here.workspace.user_memory}/a.md"
        here.store.apply([Change(path, "one\r\n", None)], RunInfo("edit"))
        here.store.apply([Change(path, "two\r\n", digest("one\r\n"))], RunInfo("edit"))
        here.export(house.root / "out", to="git")
    shown = [
        subprocess.run(
            ["git", "show", f"HEAD~{back}:user/a.md"],
            cwd=house.root / "out", capture_output=True, check=True,
        ).stdout
        for back in (2, 1, 0)
    ]  # fmt: skip
    assert shown == [b"one\r\n", b"two\r\n", b"two\r\n"]


def test_without_the_journal_none_of_its_texts_is_exported(house):
    with house.open("here") as here:
        gone = here.remember("The old address was Elm Street 5")
        here.undo(gone.run)
        here.remember("I prefer short answers")
        here.export(house.root / "out.jsonl", to="jsonl")
    assert "Elm Street" not in (house.root / "out.jsonl").read_text()


# --- properties -----------------------------------------------------------------------------------

_NAMES = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="/"),
    min_size=1,
    max_size=12,
).filter(lambda name: name.strip(".") and not name.startswith(".") and len(name.encode()) < 60)
_TEXTS = st.text(st.characters(blacklist_categories=("Cs",)), max_size=60)
_FILES = st.builds(
    lambda mark, end, name, odd, body: (
        f"{mark}---{end}name: {json.dumps(name)}{end}type: user{end}odd: {json.dumps(odd)}{end}"
        f"---{end}{body}"
    ),
    st.sampled_from(["", "\ufeff"]),
    st.sampled_from(["\n", "\r\n"]),
    _TEXTS,
    _TEXTS,
    _TEXTS,
)
_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), _NAMES, _FILES),
        st.tuples(st.just("remove"), st.integers(0, 9), st.just("")),
        st.tuples(st.just("undo"), st.integers(0, 9), st.just("")),
        st.tuples(st.just("say"), _TEXTS, st.just("")),
    ),
    min_size=1,
    max_size=8,
)


def live(memory: Memory, steps: list[tuple[str, object, str]], clock: FakeClock) -> None:
    """Lead a short life: write, remove, take back, talk."""
    for what, one, text in steps:
        clock.advance(minutes=7)
        present = sorted(held(memory))
        match what:
            case "write":
                path = f"{memory.workspace.user_memory}/{one}.md"
                try:
                    before = memory.store.read(path)
                    base = None if before is None else digest(before)
                    memory.store.apply([Change(path, text, base)], RunInfo("edit", note=text))
                except ReverieError:
                    continue  # shaped like a secret, or the catalog's own name
            case "remove" if present:
                path = memory.engine.carrier(None).path(present[int(str(one)) % len(present)])
                memory.store.apply(
                    [Change(path, None, digest(memory.store.read(path) or ""))], RunInfo("edit")
                )
            case "undo":
                runs = [run.id for run in memory.log(limit=10)]
                if runs:
                    try:
                        memory.undo(runs[int(str(one)) % len(runs)])
                    except ReverieError:
                        continue
            case "say":
                memory.layers.append(said(str(one)), at=clock())


@pytest.mark.slow
@pytest.mark.parametrize("to", FORMATS)
@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(steps=_STEPS)
def test_no_life_loses_anything_on_the_way(to, steps):
    root = Path(tempfile.mkdtemp())
    try:
        house = House(root)
        with house.open("here") as here:
            live(here, steps, house.clock)
            log = here.log(limit=100)
            deltas = {run.id: _texts(here, run.id) for run in log}
            files = held(here)
            turns = here.layers.history.latest(100).turns
            blamed = {at: _blamed(here, at) for at in files}
            exported = here.export(root / "out", to=to, with_journal=True)
            assert exported.dropped == ()
        house.clock.advance(days=1)
        with house.open("there") as there:
            brought = there.import_(root / "out", allow=EVERYTHING)
            assert (brought.dropped, brought.held, brought.waiting) == ((), (), ())
            assert held(there) == files
            assert there.layers.history.latest(100).turns == turns
            runs = [run for run in there.log(limit=100) if run.verb != "import"]
            assert [(run.id, run.at, run.undone_by) for run in runs] == [
                (run.id, run.at, run.undone_by) for run in log
            ]
            assert {run.id: _texts(there, run.id) for run in runs} == deltas
            assert {at: _blamed(there, at) for at in files} == blamed
            again = there.import_(root / "out")
            assert (again.runs, again.counts.files, again.counts.turns) == ((), 0, 0)
            assert not there.verify().problems
            if brought.runs:
                there.undo(brought.runs[0])
                assert not held(there)
    finally:
        shutil.rmtree(root)


def _texts(memory: Memory, run: str) -> list[tuple[str | None, str | None]]:
    return [(item.before, item.after) for item in memory.journal.deltas(run)]


def _blamed(memory: Memory, at: str) -> list[tuple[str, str]]:
    carrier = memory.engine.carrier(None)
    try:
        return [(line.text, line.run) for line in memory.blame(carrier.path(at))]
    finally:
        carrier.close()


def test_dates_survive_also_without_a_journal(house):
    with house.open("here") as here:
        made = here.remember("I prefer short answers")
        house.clock.advance(days=3)
        here.remember("I work at night")
        ages = {item.rel: item.updated for item in here.store.topics()}
        here.export(house.root / "out.jsonl", to="jsonl")
    house.clock.advance(days=90)
    with house.open("there") as there:
        there.import_(house.root / "out.jsonl")
        assert {item.rel: item.updated for item in there.store.topics()} == ages
        assert max(ages.values()) - min(ages.values()) == timedelta(days=3)
    assert made.run
