"""Consolidation without a model: tasks close when they are done, turns leave a line, twice is once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from reverie.core.layers import working
from reverie.core.layers.consolidate import consolidate, says_done
from reverie.core.layers.tree import WORKING, scaffold
from reverie.core.layers.working import PROGRESS, TASKS, open_items
from reverie.core.showing import fence
from reverie.types import TextPart, ToolResultPart, Turn, TurnMessage

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
FRESH = scaffold("x", core_limit=6000, working_limit=8000)[WORKING]


def turn(user: str, assistant: str = "Noted.", seq: int = 1) -> Turn:
    parts = [
        TurnMessage("user", (TextPart(user),)),
        TurnMessage("assistant", (TextPart(assistant),)),
    ]
    return Turn(seq, NOW + timedelta(days=seq - 1), tuple(parts))


def with_tasks(*tasks: str) -> str:
    text = FRESH
    for task in tasks:
        made = working.plan(text, working.Operation("add", TASKS, task), now=NOW, limit=8000)
        assert isinstance(made, working.WorkingPlan)
        text = made.text
    return text


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("write the release notes", "The release notes are written, done."),
        ("fix the login page", "I fixed the login page just now."),
        ("修复登录页面", "登录页面已修复。"),
        ("ログイン画面を修正する", "ログイン画面を修正しました。"),
        ("исправить страницу входа", "Страницу входа исправил."),
        ("Login-Seite reparieren", "Die Login-Seite reparieren ist erledigt."),
        ("corriger la page de connexion", "C'est fait: corriger la page de connexion, terminé."),
    ],
)
def test_a_task_closes_when_somebody_says_it_is_done(task: str, said: str) -> None:
    done = consolidate(with_tasks(task, "something else entirely"), [turn(said)], limit=8000)

    assert done.closed == (task,)
    assert open_items(done.text)[TASKS] == ["something else entirely"]
    assert f"2026-05-01: Done: {task}" in open_items(done.text)[PROGRESS]


@pytest.mark.parametrize(
    "said",
    [
        "The release notes are not done.",
        "Are the release notes done?",
        "When the release notes are written, tell me.",
        "Please write the release notes until they are done.",
        "The release notes should be finished by Friday.",
        "I finished something else about notes.",
        "发布说明还没完成。",
        "> The release notes are done.",
        "```\nwrite the release notes: done\n```",
    ],
)
def test_a_task_stays_open_when_nobody_says_it_is_done(said: str) -> None:
    done = consolidate(
        with_tasks("write the release notes", "完成发布说明"), [turn(said)], limit=8000
    )

    assert done.closed == ()


def test_what_tools_or_recalled_memory_say_closes_nothing() -> None:
    injected = fence.fence("The release notes are done and written.")
    messages = (
        TurnMessage("user", (TextPart(f"hello there, my friend\n{injected}"),)),
        TurnMessage("tool", (ToolResultPart("c", "write the release notes: done"),)),
    )

    done = consolidate(with_tasks("write the release notes"), [Turn(1, NOW, messages)], limit=8000)

    assert done.closed == ()


def test_each_turn_leaves_one_dated_line_of_what_was_asked_and_done() -> None:
    turns = [
        turn(
            "Please add a dark mode to the settings page.", "Sure. I added the dark mode toggle.", 1
        ),
        turn("thanks!", "You're welcome.", 2),
        turn("How do I rotate the keys?", "Use the console.", 3),
    ]

    done = consolidate(FRESH, turns, limit=8000)

    assert open_items(done.text)[PROGRESS] == [
        "2026-05-01: Asked: Please add a dark mode to the settings page."
        " Outcome: I added the dark mode toggle.",
        "2026-05-03: Asked: How do I rotate the keys?",
    ]


@pytest.mark.parametrize(
    ("said", "task"),
    [
        ("I like it. TODO: write the docs", "write the docs"),
        ("- [ ] rotate the keys", "rotate the keys"),
        ("Remind me to call Ana.", "call Ana"),
        ("待办：更新文档", "更新文档"),
        ("Задача: обновить сертификат", "обновить сертификат"),
    ],
)
def test_a_task_named_as_one_is_listed(said: str, task: str) -> None:
    assert consolidate(FRESH, [turn(said)], limit=8000).tasks == (task,)


def test_running_again_over_the_same_turns_changes_nothing() -> None:
    turns = [
        turn("TODO: write the docs", "Noted, it is on the list.", 1),
        turn("Fix the login page please, it is broken.", "I fixed the login page.", 2),
        turn("The docs: write the docs is done.", "Great.", 3),
    ]

    once = consolidate(with_tasks("fix the login page"), turns, limit=8000)
    twice = consolidate(once.text, turns, limit=8000)

    assert once.closed == ("fix the login page", "write the docs")
    assert twice.text == once.text
    assert twice.summary == "nothing to change"


def test_what_no_longer_fits_moves_and_is_counted() -> None:
    text = FRESH.replace("limit: 8000", "limit: 420")
    turns = [
        turn(f"Please look into question number {n} of the long list.", seq=n) for n in range(1, 7)
    ]

    done = consolidate(text, turns, limit=8000)

    assert working.size(done.text) <= 420
    assert done.over == 0
    assert {item.heading for item in done.moved} == {PROGRESS}
    kept = open_items(done.text)[PROGRESS]
    assert [item.text for item in done.moved] + kept == [*done.progress]
    assert "items moved to the archive" in done.summary


@pytest.mark.parametrize(
    ("sentence", "done"),
    [("Deployed to staging.", True), ("Not deployed.", False), ("搞定了", True), ("还没搞定", False),
     ("готово", True), ("ещё не готово", False), ("เสร็จแล้ว", True), ("", False)],
)  # fmt: skip
def test_being_done_is_said_in_many_languages(sentence: str, done: bool) -> None:
    assert says_done(sentence) == done
