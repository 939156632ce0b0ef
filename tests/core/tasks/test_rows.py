"""Tasks as rows, and what is left of one whose words are erased."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from reverie.core.erasing.occurrences import WordsToErase
from reverie.core.tasks.rows import read_row, to_row, to_task, without_words
from reverie.types import Task, TaskFailure, TaskKind, TaskStatus

AT = datetime(2026, 5, 1, tzinfo=UTC)
SAID = "the vault code is quokka"
TASK = Task("remember-1", TaskKind.REMEMBER, TaskStatus.QUEUED, AT, AT, payload={"content": SAID})
WORDS = WordsToErase(exact=(SAID,))


def test_a_task_comes_back_from_its_row():
    failed = replace(TASK, status=TaskStatus.FAILED, failure=TaskFailure("a", "b", "c"), attempts=2)
    assert to_task(to_row(TASK)) == TASK
    assert read_row(to_row(failed)) == failed


@pytest.mark.parametrize(
    ("at", "value"), [(1, "sing"), (4, "soon"), (6, "[1]"), (8, "5"), (9, "x")]
)
def test_a_row_that_only_damage_can_have_written_is_no_task(at, value):
    row = list(to_row(TASK))
    row[at] = value
    assert read_row(row) is None


def test_a_row_without_the_words_stays_as_it_is():
    assert without_words(to_row(TASK), WordsToErase(exact=("another text",))) is None


def test_a_waiting_task_with_the_words_is_failed_for_it_would_bring_them_back():
    done = without_words(to_row(TASK), WORDS)
    assert done is not None
    status, columns = done
    assert status == "failed"
    assert SAID not in str(columns)
    assert "erased" in columns[2]


def test_a_task_that_is_over_keeps_its_state_and_loses_the_words():
    over = replace(TASK, status=TaskStatus.COMPLETED, payload={}, result={"summary": SAID, "n": 1})
    done = without_words(to_row(over), WORDS)
    assert done is not None
    status, (payload, result, failure) = done
    assert (status, payload, failure) == ("completed", "{}", None)
    assert SAID not in result
    assert '"n": 1' in result
