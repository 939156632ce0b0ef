"""What a person hands to search that is no question: a day, and a piece of a conversation."""

from __future__ import annotations

from datetime import timedelta

import pytest

NOTES = {
    0: "Met Hanna about the warehouse lease.",
    1: "Fixed the flaky checkout test by freezing the clock.",
    9: "Ordered forty chairs for the new office.",
    40: "Signed the contract with Nordlicht.",
}


@pytest.fixture
def notes(memory, project, clock):
    (project / "memory").mkdir()
    for days, text in NOTES.items():
        day = (clock() - timedelta(days)).date()
        (project / "memory" / f"{day}.md").write_text(f"# {day}\n\n{text}\n")
    (project / "memory" / "fridays.md").write_text("# Fridays\n\nWe deploy on Fridays.\n")
    return memory


@pytest.mark.parametrize(
    "written", ["{0:%d %B %Y}", "{0:%Y-%m-%d}", "what happened on {0:%d %B %Y}?"]
)
@pytest.mark.parametrize("days", NOTES)
def test_a_day_brings_its_note_first(notes, clock, days, written):
    asked = written.format(clock() - timedelta(days))
    assert NOTES[days] in notes.search(asked).results[0].text


@pytest.mark.parametrize("asked", ["yesterday", "what did I do yesterday?", "gestern", "вчера"])
def test_a_day_may_be_meant(notes, asked):
    assert NOTES[1] in notes.search(asked).results[0].text


@pytest.mark.parametrize("asked", ["last Friday", "letzten Freitag", "vendredi dernier"])
def test_a_weekday_is_the_day_and_not_its_name(notes, project, clock, asked):
    back = (clock().weekday() - 4) % 7 or 7
    day = (clock() - timedelta(back)).date()
    (project / "memory" / f"{day}.md").write_text("The boiler was serviced.\n")
    assert "boiler" in notes.search(asked).results[0].text


def test_a_conversation_gets_what_bears_on_it(notes):
    talk = (
        "<Ann>: We are moving next month, there will be so many of us.\n"
        "<Assistant>: How exciting! Is everything ready?\n"
        "<Ann>: Nearly, but nobody knows yet where all of them shall sit in the office."
    )
    assert any(NOTES[9] in hit.text for hit in notes.search(talk).results)
    assert not notes.search(talk, min_score=0.99).results
