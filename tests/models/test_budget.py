"""Budgets: calls are written down, and none is made when the tokens are spent."""

from __future__ import annotations

import pytest

from reverie.config import ModelSettings
from reverie.errors import BudgetSpent, ModelError, ModelTimeout
from reverie.models.budget import Budgeted, Ledger, sum_usage
from reverie.models.opening import WITHOUT
from reverie.testing import ScriptedModel, use
from reverie.types import Usage

TABS = "I prefer tabs over spaces"


@pytest.fixture
def purse(clock):
    """Make budgeted models that share one ledger."""
    records = []

    def make(model, **limits):
        ledger = Ledger(
            lambda data: records.append({"at": clock().isoformat(), **data}), lambda: records, clock
        )
        return Budgeted(model, verb="recall", settings=ModelSettings(**limits), ledger=ledger)

    make.records = records
    return make


def ask(model):
    return model.ask([], schema={}, seconds=1)


def test_every_call_is_written_down(purse):
    model = purse(ScriptedModel({}, "text", ModelTimeout("slow", usage=Usage("m", 7, 0, 3))))
    ask(model)
    model.step([], tools=[], seconds=1)
    with pytest.raises(ModelTimeout):
        ask(model)
    assert [(r["tokens_in"], r["tokens_out"], r["failure"]) for r in purse.records] == [
        (100, 10, ""), (100, 10, ""), (7, 0, "model_timeout"),
    ]  # fmt: skip


def test_a_spent_day_stops_calls_until_the_next(purse, clock):
    model = purse(ScriptedModel({}, {}, {}), daily_tokens=150)
    ask(model)
    ask(model)
    with pytest.raises(BudgetSpent, match="daily"):
        ask(model)
    clock.advance(days=1)
    ask(model)


def test_a_spent_month_stops_calls_until_the_next(purse, clock):
    model = purse(ScriptedModel({}, {}), monthly_tokens=100)
    ask(model)
    clock.advance(days=29)
    with pytest.raises(BudgetSpent, match="monthly"):
        model.step([], tools=[], seconds=1)
    clock.advance(days=3)
    ask(model)


def test_usage_is_summed_by_model_and_verb():
    rows = sum_usage(
        [
            {"model": "a", "verb": "recall", "tokens_in": 5, "tokens_out": 1, "failure": "x"},
            {"model": "a", "verb": "recall", "tokens_in": 5, "tokens_out": 1},
            {"model": "b", "verb": "dream", "tokens_in": 500, "tokens_out": "broken"},
        ]
    )
    assert [(r.model, r.calls, r.failed, r.tokens_in, r.tokens_out) for r in rows] == [
        ("b", 1, 0, 500, 0), ("a", 2, 1, 10, 2),
    ]  # fmt: skip


def test_over_budget_every_verb_takes_its_own_way(open_memory):
    model = ScriptedModel({"ids": []})
    memory = open_memory(model=model, settings={"model.daily_tokens": 50})
    memory.remember("The staging database is db2", name="db")
    memory.recall("staging database", wait=True)
    assert memory.recall("staging database", wait=True).usage.fallback == "budget_spent"
    outcome = memory.remember(TABS)
    assert (outcome.strategy, outcome.usage.fallback) == ("heuristic", "budget_spent")
    assert memory.forget("tabs over spaces").usage.fallback == "budget_spent"
    assert memory.dream(force=True).usage.fallback == "budget_spent"
    assert len(model.calls) == 1


def test_usage_survives_the_process_and_other_events(open_memory):
    memory = open_memory(model=ScriptedModel([use("ls")], "no", ModelError("down")))
    memory.remember(TABS)
    memory.recall("tabs", wait=True)
    again = open_memory()
    assert [(row.verb, row.calls, row.failed) for row in again.usage()] == [
        ("remember", 2, 0), ("recall", 1, 1),
    ]  # fmt: skip


def test_without_a_model_everything_works_and_doctor_says_what_one_would_add(open_memory):
    memory = open_memory(env={})
    assert memory.remember(TABS).usage == Usage()
    assert memory.recall("tabs").usage == Usage()
    assert memory.about_model() == WITHOUT
    assert memory.usage() == []


def test_a_model_that_cannot_be_used_is_told_and_stops_nothing(open_memory):
    memory = open_memory(env={}, settings={"model.name": "openai:gpt-x"})
    assert memory.remember(TABS).strategy == "heuristic"
    assert "needs a key: set OPENAI_API_KEY" in memory.about_model()
