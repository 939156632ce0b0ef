"""The commands about embedders: listing, trying, switching, and what goes wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reverie.cli import embedder as commands
from reverie.cli import run
from reverie.models import choices, multilingual


@pytest.fixture
def noted(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (project / "MEMORY.md").write_text("# Memory\n\nMy wife Ines is a vet.\n", "utf-8")
    monkeypatch.chdir(project)
    return project


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert run(["embedder", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_list_marks_what_is_used_and_tells_what_others_need(noted, capsys, monkeypatch):
    assert run(["embedder", "list"]) == 0
    text = capsys.readouterr().out
    assert "* embedded" in text
    assert "needs: pip install fastembed" in text
    monkeypatch.setattr(multilingual, "find_spec", lambda _: None)
    rows = {row["name"]: row for row in answer(capsys, "list")["embedders"]}
    assert "reverie[meaning]" in rows["multilingual"]["needs"]
    assert [name for name, row in rows.items() if row["inUse"]] == ["embedded"]


def test_switching_makes_the_vectors_first_and_then_changes_the_setting(noted, capsys):
    done = answer(capsys, "use", "multilingual")
    assert done["dimension"] == 768
    assert done["indexed"]["embedded"] == 1
    assert run(["config", "get", "embedder.provider"]) == 0
    assert "multilingual" in capsys.readouterr().out
    status = answer(capsys, "status")
    assert status["inUse"] == "multilingual"
    assert status["identity"].startswith("use-multilingual-3")
    assert status["complete"] is True


def test_a_dry_run_tries_the_embedder_and_changes_nothing(noted, capsys, private_home):
    before = sorted(private_home.rglob("*"))
    assert answer(capsys, "use", "multilingual", "--dry-run")["indexed"] is None
    assert sorted(private_home.rglob("*")) == before


def test_an_embedder_that_does_not_work_changes_nothing(noted, capsys):
    url = "http://127.0.0.1:9"
    assert run(["embedder", "use", "ollama", "--url", url]) != 0
    assert "cannot be reached" in capsys.readouterr().err
    assert run(["config", "get", "embedder.provider"]) == 0
    assert "auto" in capsys.readouterr().out


def test_a_name_that_is_none_is_told_with_all_that_are(noted, capsys):
    assert run(["embedder", "use", "word2vec"]) != 0
    told = capsys.readouterr().err
    assert all(name in told for name in ("multilingual", "embedded", "ollama", "openai", "none"))


def test_what_is_missing_is_installed_only_when_asked_and_only_as_pinned(
    noted, capsys, monkeypatch
):
    installed: list[str] = []
    monkeypatch.setattr(commands, "_install", installed.append)
    assert run(["embedder", "use", "multilingual", "--install"]) == 0  # nothing is missing
    assert installed == []
    monkeypatch.setattr(choices, "is_installed", lambda: False)
    assert run(["embedder", "use", "multilingual"]) == 0
    assert installed == []
    assert run(["embedder", "use", "multilingual", "--install"]) == 0
    assert installed == [choices.PINNED["multilingual"]]


def test_what_would_be_installed_is_what_the_project_pins():
    pinned = choices.PINNED["multilingual"].split(" ")
    locked = Path(__file__).parents[2].joinpath("requirements/runtime.txt").read_text("utf-8")
    place = locked.index(f"\n{pinned[0]} ")
    assert all(part in locked[place : place + 400] for part in pinned[1:])
