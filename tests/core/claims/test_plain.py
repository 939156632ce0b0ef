"""What is said in other words answers the same question: it is compared in plain words."""

from __future__ import annotations

import pytest

from reverie.core.claims.judgement import replaces
from reverie.core.claims.plain import plain_claims
from reverie.core.topics.candidates import near_keys


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I report to Helen.", "My boss is called Tobias."),
        ("My manager is Helen.", "I report to Tobias now."),
        ("I work at Siemens.", "My employer is Bosch now."),
        ("I'm 34 years old.", "I turned 35 yesterday."),
        ("My salary is 62,000.", "I got a raise to 68,000."),
        ("My wife is a teacher.", "My wife became a headmistress."),
        ("My therapist is Joan.", "I have a new therapist, Miriam."),
        ("My landlord is Mr. Groves.", "The house was sold, our landlord is Mrs. Tanaka now."),
        ("I commute by train.", "I cycle to work now."),
        ("We store sessions in Redis.", "Sessions are stored in PostgreSQL now."),
        ("Code is formatted with Black.", "We format code with Ruff now."),
        ("The database is MySQL.", "We migrated to PostgreSQL."),
        ("Our package manager is Yarn.", "The repo was migrated to pnpm."),
        ("The project is licensed under MIT.", "We relicensed it under MPL 2.0."),
        ("The owner of search is Ana.", "Search belongs to Ravi now."),
        ("The bundler is Rollup.", "Our bundler is esbuild now."),
        ("I use Chrome.", "I've ditched Chrome for Firefox."),
        ("I'm allergic to peanuts.", "Turns out I'm not allergic to peanuts."),
        ("I don't drink coffee.", "I've started drinking coffee again."),
        ("We chat in #backend.", "We chat in #platform now."),
        ("The retro takes place every two weeks.", "The retro takes place once a month now."),
        ("I work out on Tuesdays and Thursdays.", "I now work out on Mondays and Fridays."),
    ],
)
def test_an_answer_in_other_words_takes_the_place_of_the_older_one(old: str, new: str) -> None:
    assert replaces(new, old)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("I drive a Volvo.", "My car is a Golf estate."),
        ("I use SQLite.", "The database is PostgreSQL."),
        ("I'm on the Platform team.", "My brother joined the Growth team."),
        ("I report to Helen.", "My sister's boss is Tobias."),
        ("We use MySQL for orders.", "The blog moved to PostgreSQL."),
        ("I train at Iron Temple.", "I swim at the city pool now."),
        ("Ana owns billing.", "Search belongs to Ravi now."),
        ("We store sessions in Redis.", "Orders are stored in PostgreSQL now."),
    ],
)
def test_an_answer_to_another_question_or_about_somebody_else_stays_beside_it(
    one: str, two: str
) -> None:
    assert not replaces(two, one)
    assert not replaces(one, two)


@pytest.mark.parametrize(
    "text",
    [
        "I don't work at Siemens.",
        "I might report to Helen.",
        "If I work at Bosch, ask me.",
        "x" * 500,
    ],
)
def test_what_is_denied_planned_or_too_long_says_nothing_plainly(text: str) -> None:
    assert plain_claims(text) == ()


def test_what_may_be_ended_in_other_words_is_found_by_them() -> None:
    assert {"manag", "boss"} <= set(near_keys("I report to Tobias now."))
    assert "yarn" in near_keys("The repo was migrated to pnpm.")
    assert "brain" in " ".join(near_keys("Scratch that, payments go via Adyen."))
