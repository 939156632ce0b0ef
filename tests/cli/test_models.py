"""The command line about models: what they cost, and what one would add."""

from __future__ import annotations

import json

import pytest

from reverie.cli import run as cli
from reverie.testing import ScriptedModel


@pytest.fixture
def run(project, capsys):
    def call(*arguments):
        assert cli(["-C", str(project), *arguments]) == 0
        return capsys.readouterr().out

    return call


def test_doctor_says_what_a_model_would_add(run):
    assert "A model would choose better" in run("doctor")
    assert "no model is set up" in json.loads(run("doctor", "--json"))["model"]


def test_doctor_says_which_key_is_missing_and_what_the_model_would_add(run, monkeypatch):
    monkeypatch.setenv("REVERIE_MODEL__NAME", "openai:gpt-tiny")
    told = run("doctor")
    assert "the model cannot be used: openai:gpt-tiny needs a key: set OPENAI_API_KEY" in told
    assert "Everything works without one. A model would choose better" in told
    assert "I prefer tabs" in run("remember", "I prefer tabs over spaces")
    assert "tabs over spaces" in run("recall", "tabs or spaces")


def test_doctor_names_the_model_and_its_budget(run, monkeypatch):
    monkeypatch.setenv("REVERIE_MODEL__NAME", "ollama:qwen3")
    monkeypatch.setenv("REVERIE_MODEL__DAILY_TOKENS", "5000")
    assert "model: ollama:qwen3 (at most 5,000 tokens a day)" in run("doctor")


def test_usage_is_added_up(run, open_memory):
    assert "no model was asked yet" in run("log", "--usage")
    open_memory(model=ScriptedModel("no")).remember("I prefer tabs over spaces")
    shown = run("log", "--usage")
    assert "scripted" in shown
    assert "110 tokens in all" in shown
    (row,) = json.loads(run("log", "--usage", "--json"))["usage"]
    assert (row["verb"], row["calls"], row["tokensIn"], row["tokensOut"]) == (
        "remember",
        1,
        100,
        10,
    )
