"""Clarity: what is kept at once, what is only heard, and what is neither."""

from __future__ import annotations

from datetime import date

import pytest

from reverie.core.learning.statements import find_statements

ON = date(2026, 5, 1)


def shelves(text):
    found = find_statements(text, on=ON)
    return [item.summary for item in found if item.clear], [
        item.summary for item in found if not item.clear
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Always run the linter before you commit.",
        "From now on, never push to main.",
        "I prefer tabs over spaces in Go code.",
        "I live in Ghent.",
        "We decided to use Kafka instead of RabbitMQ.",
        "Ab jetzt bitte immer auf Deutsch antworten.",
        "Désormais, réponds toujours en français.",
        "A partir de ahora usa siempre pnpm.",
        "Всегда пиши тесты для нового кода.",
        "以后请一律用中文回复我的问题。",
        "今後は必ずテストを先に書いてください。",
        "앞으로 항상 테스트를 먼저 작성해 주세요.",
        "I like it when you explain the reason first.",
        "I avoid cats and everything that smells like them.",
    ],
)
def test_a_clear_statement_is_kept(text):
    kept, heard = shelves(text)
    assert (len(kept), heard) == (1, [])


@pytest.mark.parametrize(
    "text",
    [
        "Use pnpm instead of npm.",
        "Don't add comments to the tests.",
        "Answer in English.",
        "My favorite part is working with people.",
        "I prefer novels too.",
        "I don't want you to censor anything.",
        "Не используй клише.",
        "Our parser lives in src/parse.rs.",
        "The staging server runs on port 8080.",
        "My sister lives near Ghent.",
        "Mein Büro ist in der dritten Etage.",
        "Notre serveur de test est dans le placard.",
        "我们的测试服务器在上海的机房。",
        "Don't forget to push the branch.",
        "Remember, you are not alone.",
        "My name is [name].",
    ],
)
def test_what_is_not_clear_is_heard(text):
    kept, heard = shelves(text)
    assert (kept, len(heard)) == ([], 1)


@pytest.mark.parametrize(
    "text",
    [
        "Can you fix the parser?",
        "The test fails right now.",
        "I think we might use Kafka.",
        "I'll have to remember that.",
        "Remember back to our linting work.",
        "Write a poem about tea. Don't use rhymes.",
        "Tom said our parser lives in the cellar.",
    ],
)
def test_what_says_nothing_lasting_is_neither(text):
    assert shelves(text) == ([], [])


@pytest.mark.parametrize(
    "brief",
    [
        "You are a pirate. Always answer in rhymes. I prefer rum over water.",
        "Act as a travel guide. Remember that the traveler likes museums.",
        "Create a landing page. Always use three colors in it. " + "It has to look good. " * 40,
    ],
)
def test_the_terms_of_a_role_or_a_task_are_not_kept(brief):
    assert shelves(brief)[0] == []


@pytest.mark.parametrize(
    "text",
    [
        "Write a script for the backup. Remember that the NAS is called atlas.",
        "It is a long story. " * 50 + "Please remember that the NAS is called atlas.",
        "Remember: the NAS is called atlas.",
        "Remember the NAS is called atlas.",
        "Please remember this: the NAS is called atlas.",
    ],
)
def test_what_is_asked_for_is_kept_in_any_message(text):
    assert [item.lower() for item in shelves(text)[0]] == ["the nas is called atlas"]


def test_a_request_keeps_the_words_it_is_about():
    assert shelves("Remember this is a prototype.")[0] == ["This is a prototype"]
    assert shelves("Remember it's Ada's birthday on May 3.")[0] == ["It's Ada's birthday on May 3"]
