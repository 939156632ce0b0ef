"""Languages told by their small words, and stems of their own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.text.languages import language_of, own_stems


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What is the name of the street in which we live?", "en"),
        ("Wie heißt die Straße, in der wir wohnen?", "de"),
        ("Comment s'appelle la rue dans laquelle nous habitons ?", "fr"),
        ("¿Cómo se llama la calle en la que vivimos?", "es"),
        ("Qual é o nome da rua em que moramos?", "pt"),
        ("Come si chiama la via in cui abitiamo? Non lo so.", "it"),
        ("Hoe heet de straat waar we wonen en wat is het nummer?", "nl"),
        ("Cum se numește strada pe care locuim?", "ro"),
        ("Oturduğumuz sokağın adı nedir ve kaç yıl sonra taşındık?", "tr"),
        ("Jak nazywa się ulica, na której mieszkamy?", "pl"),
        ("Vad heter gatan som vi bor på och när flyttade vi?", "sv"),
        ("Mikä on sen kadun nimi, jolla me asumme, ja missä se on?", "fi"),
        ("Hogy hívják azt az utcát, ahol lakunk, és hol van ez?", "hu"),
    ],
)
def test_a_sentence_tells_its_language(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    "text",
    ["kubernetes ingress timeout", "room17", "", "🦉 42", "東京の天気", "Đường phố của chúng tôi"],
)
def test_keywords_and_other_scripts_have_none(text: str) -> None:
    assert language_of(text) == ""
    assert own_stems(text) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Copiii au fost în parcuri cu bunica",
            "Un copil este în parc cu bunica și cu alți copiii",
        ),
        ("Evlerin kapıları için ne kadar ödendi?", "Bu ev için kapılar ve bir kapı ne kadar?"),
    ],
)
def test_forms_of_a_word_have_one_stem(one: str, other: str) -> None:
    assert {stem for _, stem in own_stems(one)} & {stem for _, stem in own_stems(other)}


def test_english_and_german_have_their_stems_already() -> None:
    assert own_stems("The children were in the parks with the dogs.") == []
    assert own_stems("Die Kinder waren mit den Hunden in der Stadt.") == []


@given(st.text(max_size=200))
def test_any_text_has_a_language_or_none(text: str) -> None:
    language_of(text)
    assert all(":" in stem for _, stem in own_stems(text))
