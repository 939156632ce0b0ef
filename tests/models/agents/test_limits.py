"""When an agent that serves as the model is left alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from reverie.models.agents.limits import refusal

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
NAME = "agent:codex"


def calls(*failures: str, minutes: int = 5, model: str = NAME) -> list[dict]:
    count = len(failures)
    return [
        {
            "at": (NOW - timedelta(minutes=minutes + count - at)).isoformat(),
            "model": model,
            "failure": failure,
        }
        for at, failure in enumerate(failures)
    ]


def said(records: list[dict], daily: int = 10) -> str:
    return refusal(records, NAME, now=NOW, daily=daily)


@pytest.mark.parametrize(
    "failures",
    [
        (),
        ("",),
        ("model_error",),
        ("model_error", ""),
        ("model_error", "agent_busy"),
        ("agent_busy", "agent_busy"),
        ("agent_refused", ""),
    ],
)
def test_it_may_be_asked(failures):
    assert said(calls(*failures)) == ""


@pytest.mark.parametrize(
    ("failures", "why"),
    [
        (("model_error", "model_timeout"), "failed twice"),
        (("", "bad_answer", "model_error"), "failed twice"),
        (("model_error", "agent_busy", "model_error"), "failed twice"),
        (("agent_refused",), "login or its quota"),
        (("", "agent_refused"), "login or its quota"),
    ],
)
def test_it_is_left_alone_for_an_hour(failures, why):
    assert why in said(calls(*failures))
    assert said(calls(*failures, minutes=61)) == ""


def test_only_so_many_calls_a_day():
    many = calls(*[""] * 10)
    assert "10 times today, of 10" in said(many)
    assert said(many, daily=11) == ""
    assert said(calls(*[""] * 10, minutes=24 * 60)) == ""


def test_nought_calls_a_day_means_never():
    assert "of 0" in said([], daily=0)


def test_other_models_and_broken_records_do_not_count():
    others = calls("agent_refused", model="agent:gemini")
    assert said([*others, {"model": NAME, "at": "?", "failure": "agent_refused"}, {}]) == ""
