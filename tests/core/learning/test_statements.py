"""Statements: sentences, reasons, and whose voice it is."""

from __future__ import annotations

from datetime import date

import pytest

from reverie.core.learning.sentences import sentences
from reverie.core.learning.statements import find_statements, read_statement

ON = date(2026, 3, 10)


def test_sentences_end_in_every_script_and_not_at_abbreviations():
    text = (
        "Use v3.11, e.g. for CI. Then stop! 以后用中文。本当ですか？ Да?\n- a bullet\n2. a second"
    )
    assert list(sentences(text)) == [
        "Use v3.11, e.g. for CI.", "Then stop!", "以后用中文。", "本当ですか？", "Да?",
        "a bullet", "a second",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "summary", "why"),
    [
        ("Never mock the database because it hid a bug.", "Never mock the database", "it hid a bug"),
        ("Because it hid a bug, never mock the database.", "Never mock the database", "it hid a bug"),
        ("Never mock the database. Otherwise bugs slip through.", "Never mock the database",
         "Otherwise bugs slip through"),
        ("请不要用 mock,因为上次漏掉了一个 bug。", "不要用 mock", "上次漏掉了一个 bug"),
        ("Verwende immer Tabs, weil das Team es so will.", "Verwende immer Tabs", "das Team es so will"),
        ("Never use mocks. I work as a nurse.", "Never use mocks", ""),
    ],
)  # fmt: skip
def test_a_reason_is_taken_from_the_sentence_or_the_next(text, summary, why):
    first = find_statements(text, on=ON)[0]
    assert (first.summary, first.why) == (summary, why)


def test_a_sentence_that_gives_the_reason_is_not_a_statement_of_its_own():
    text = "Never mock the database. We had to migrate twice before the release next week."
    assert [item.summary for item in find_statements(text, on=ON)] == ["Never mock the database"]


def test_how_to_use_a_resource_is_set_apart():
    statement = read_statement(
        "The latency dashboard is at https://g.internal/d/1, check it when you touch handlers",
        on=ON,
    )
    assert statement.summary == "The latency dashboard is at https://g.internal/d/1"
    assert statement.how == "check it when you touch handlers"


@pytest.mark.parametrize(
    "text",
    [
        "Tom prefers tabs",
        "My boss says: I prefer tabs and spaces",
        "She said I prefer tabs over spaces",
        "“I prefer tabs over spaces” is a quote",
        "If we were rich I would prefer tabs over spaces",
        "Maybe we decided to use Kafka for events",
        "I want a function that never fails",
        "Don't use that helper here",
        "Don't use it",
        "The release was last week",
        "I prefer the second one",
        "const always = useTabs() => { return never; }",
        "I'm a bit lost in all of this",
        "x" * 500,
    ],
)
def test_what_is_not_a_standing_fact_of_the_speaker_is_left(text):
    assert read_statement(text, on=ON) is None


def test_half_a_question_still_states_its_first_half():
    statement = read_statement("I prefer tabs over spaces, can you reformat this?", on=ON)
    assert statement.summary == "I prefer tabs over spaces"


def test_a_request_to_remember_is_kept_without_its_first_words():
    statement = read_statement(
        "Please remember that the staging database is wiped on Sundays.", on=ON
    )
    assert statement.summary == "The staging database is wiped on Sundays"


def test_the_terms_of_one_piece_of_writing_are_no_rules():
    assert find_statements("Write a poem about tea. Don't use rhymes.", on=ON) == []
    assert find_statements("Write a poem about tea. From now on, never use rhymes.", on=ON)


@pytest.mark.parametrize(
    "text",
    [
        "The flag is defined on the watch command but never read in RunE.",
        "The value is set, but never used after that call.",
        "Das Feld wird gesetzt, aber nie gelesen.",
    ],
)
def test_what_shares_its_subject_with_the_words_before_is_no_order(text):
    assert not [item for item in find_statements(text, on=ON) if item.clear]


def test_an_order_after_an_order_still_holds():
    (kept,) = find_statements("From now on use tabs and never use spaces.", on=ON)
    assert kept.clear
    assert "spaces" in kept.summary


@pytest.mark.parametrize(
    "text",
    [
        "I work on Windows with WSL2", "we sat together and decided to drop the iOS app",
        "Ik ben huisarts in Breda",
        "Mam na imię Ola", "Jestem programistą w Krakowie", "Ben vejetaryenim ve çay içerim",
        "أنا مهندس معماري",
        "In this codebase never throw raw strings", "no more default exports please, they break our imports",
        "我们项目里永远不要用 any", "Bu projede asla var kullanma", "Zawsze używaj u nas pytest",
    ],
)  # fmt: skip
def test_what_stands_in_plain_words_is_heard(text):
    found = read_statement(text, on=ON)
    assert found is not None
    assert not found.clear


@pytest.mark.parametrize(
    "text",
    [
        "I have never seen this",
        "We always had two servers",
        "is it always like that?",
        "a list that never ends",
    ],
)
def test_what_was_or_is_asked_is_not_heard_for_a_word_for_always(text):
    assert read_statement(text, on=ON) is None


@pytest.mark.parametrize(
    ("text", "clear"),
    [
        ("I now live in Lyon", True),
        ("I work at Delivery Hero now", True),
        ("We use Postgres now", False),
        ("My manager is Anders now", False),
        ("I moved to Lyon", False),
        ("I no longer live in Paris", False),
        ("I'm not vegetarian anymore", False),
        ("Ich wohne jetzt in Kassel", False),
        ("我现在住在上海", False),
        ("J'habite maintenant à Lyon", False),
    ],
)
def test_what_says_that_something_changed_is_learned_as_what_says_that_it_holds(text, clear):
    found = read_statement(text, on=ON)
    assert found is not None
    assert (found.summary, found.clear) == (text, clear)


@pytest.mark.parametrize(
    "text",
    [
        "I'm running the tests now",
        "now I get an error",
        "we now have an error in the login",
        "I'm done now",
        "I changed the file, please look again",
        "I moved the function to utils.py",
        "the build is broken now",
        "I think we should now switch to redis",
        "I fixed the bug and renamed the method",
        "I'm at home right now",
    ],
)
def test_what_is_going_on_now_is_no_change_to_learn(text):
    assert read_statement(text, on=ON) is None
