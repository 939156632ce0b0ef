"""`install` asks once whether an agent may judge what is worth keeping; without a yes nothing changes."""

from __future__ import annotations

from types import SimpleNamespace

import click
import pytest

from reverie.cli import run


@pytest.fixture
def terminal(monkeypatch):
    """A person at a terminal who gives these answers, in order."""
    asked: list[str] = []
    answers: list[bool] = []

    def confirm(text, **_options):
        asked.append(text)
        return answers.pop(0)

    monkeypatch.setattr("click.confirm", confirm)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    return asked, answers


@pytest.fixture
def config(private_home):
    return private_home / ".reverie" / "config.toml"


def test_a_yes_makes_the_agent_the_model(terminal, config, project, capsys):
    asked, answers = terminal
    answers += [True, True]
    assert run(["-C", str(project), "install", "claude-code"]) == 0
    assert 'name = "agent:claude-code"' in config.read_text(encoding="utf-8")
    assert "at most 12 times a day" in asked[1]
    assert "paid from your Claude plan" in asked[1]
    assert "config set model.name" in capsys.readouterr().out


def test_a_no_changes_nothing_and_is_remembered(terminal, config, project):
    asked, answers = terminal
    answers += [True, False]
    assert run(["-C", str(project), "install", "codex"]) == 0
    assert not config.exists()
    answers += [True, True]
    assert run(["-C", str(project), "uninstall", "codex"]) == 0
    assert run(["-C", str(project), "install", "codex"]) == 0
    assert len([text for text in asked if "judge" in text]) == 1
    assert not config.exists()


@pytest.mark.parametrize("words", [["--yes"], ["--yes", "--no-judge"], ["--dry-run", "--judge"]])
def test_without_a_person_nothing_changes(words, config, project):
    assert run(["-C", str(project), "install", "gemini", *words]) == 0
    assert not config.exists()


def test_a_script_can_say_yes_also_later(config, project):
    assert run(["-C", str(project), "install", "gemini", "--yes"]) == 0
    assert run(["-C", str(project), "install", "gemini", "--yes", "--judge"]) == 0
    assert 'name = "agent:gemini"' in config.read_text(encoding="utf-8")


def test_a_model_that_is_set_is_left_alone(terminal, config, project):
    asked, answers = terminal
    config.parent.mkdir()
    config.write_text('[model]\nname = "ollama:qwen3"\n', encoding="utf-8")
    answers += [True]
    assert run(["-C", str(project), "install", "claude-code"]) == 0
    assert len(asked) == 1
    assert "ollama:qwen3" in config.read_text(encoding="utf-8")


def test_who_leaves_at_the_question_has_said_nothing(terminal, config, project, monkeypatch):
    asked, _ = terminal

    def leave(text, **_options):
        asked.append(text)
        if "judge" in text:
            raise click.Abort
        return True

    monkeypatch.setattr("click.confirm", leave)
    assert run(["-C", str(project), "install", "qwen"]) == 0
    assert run(["-C", str(project), "uninstall", "qwen"]) == 0
    assert run(["-C", str(project), "install", "qwen"]) == 0
    assert len([text for text in asked if "judge" in text]) == 2
    assert not config.exists()


def test_an_agent_that_nobody_can_ask_is_not_offered(terminal, config, project):
    asked, answers = terminal
    answers += [True]
    assert run(["-C", str(project), "install", "cursor"]) == 0
    assert len(asked) == 1


def test_uninstalling_ends_it(config, project, capsys):
    assert run(["-C", str(project), "install", "claude-code", "--yes", "--judge"]) == 0
    assert run(["-C", str(project), "uninstall", "claude-code", "--yes"]) == 0
    assert "agent:" not in config.read_text(encoding="utf-8")
    assert "no longer judges" in capsys.readouterr().out
