"""Ids of runs, and the texts that a journal keeps."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from reverie.core.runs.recording import can_be_a_run, new_run, packed, the_run, unpacked
from reverie.core.text.plain import digest
from reverie.errors import RunNotFound
from reverie.types import RunInfo

FIRST, SECOND = "20260501-120000-deadbeef", "20260501-120000-deadbeff"


def test_a_run_is_called_by_its_second_and_a_token():
    info = RunInfo(verb="remember", note="n", detail={"a": 1})
    run = new_run(info, now=datetime(2026, 5, 1, 12, tzinfo=UTC), token="deadbeef", undoes="",
                  status="done")  # fmt: skip
    assert (run.id, run.verb, run.note, run.detail) == (FIRST, "remember", "n", {"a": 1})


def test_a_run_is_found_by_its_id_or_by_what_no_other_has():
    assert the_run(FIRST, [FIRST, SECOND]) == FIRST
    assert the_run("beff", [SECOND]) == SECOND


@pytest.mark.parametrize(
    ("asked", "ids"), [("bef", [FIRST]), ("2026", [FIRST, SECOND]), ("none", [])]
)
def test_what_is_short_or_means_several_or_none_is_not_found(asked, ids):
    with pytest.raises(RunNotFound, match="reverie log"):
        the_run(asked, ids)


def test_an_answer_does_not_repeat_a_whole_book():
    with pytest.raises(RunNotFound) as caught:
        the_run("x" * 5000, [])
    assert len(str(caught.value)) < 200
    assert not can_be_a_run("x" * 101)
    assert not can_be_a_run("ü")
    assert can_be_a_run(FIRST)


@pytest.mark.parametrize("text", ["", "plain", "ü\x00", "not UTF-8: \udcff"])
def test_a_kept_text_comes_back(text):
    assert unpacked(digest(text), packed(text)) == text


@pytest.mark.parametrize("data", [b"", b"no zlib", packed("another"), packed("text")[:-3]])
def test_what_is_not_the_text_of_its_key_is_lost(data):
    assert unpacked(digest("text"), data) is None
