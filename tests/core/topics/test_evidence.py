"""Recall interrupts only with evidence: what counts as such, and what does not."""

from __future__ import annotations

import pytest

from reverie.core.text.everyday_words import ENGLISH, OTHERS, SHARES, everyday
from reverie.core.topics.relevance import rank
from reverie.core.topics.topic import parse_topic, render_topic
from reverie.types import Entry, Kind, Scope, Topic

FILLER = [
    "The garden gate is painted every spring",
    "Invoices leave the house by courier",
    "My sister plays the cello in an orchestra",
    "Lunch is at noon in the canteen downstairs",
    "The bicycle shed needs a second key",
    "Our neighbours keep bees and sell honey",
    "I learned to swim in a cold lake",
    "The lighthouse museum closes in winter",
]


def topic(text: str, number: int = 0) -> Topic:
    written = render_topic(
        text[:50], description=text, kind=Kind.PROJECT, entries=[Entry("", text)]
    )
    made = parse_topic(
        written, path=f"/m/project/{number}.md", rel=f"project/{number}.md", scope=Scope.PROJECT
    )
    assert made is not None
    return made


def recalled(query: str, *memories: str) -> list[str]:
    topics = [topic(text, number) for number, text in enumerate((*memories, *FILLER))]
    found = [item.topic.body.strip() for item in rank(query, topics)]
    return [text for text in found if text not in FILLER] or found


@pytest.mark.parametrize(
    ("memory", "prompt"),
    [
        ("I do not like furniture with glass elements", "Get the last element in a given array."),
        ("I do not like wearing the color black", "use rich to make the prompt another color"),
        (
            "The height of the desk matters to me",
            "increase the height of the panel if the window is narrow",
        ),
        ("Use test doubles to simulate a payment", "add a test for the new flag"),
        ("Bitte den Schreibtisch links hinstellen", "Kannst du links eine neue Spalte einbauen?"),
        (
            "J'aime les fichiers bien rangés",
            "Ajoute un fichier qui décrit comment installer le tout",
        ),
        ("我不喜欢玻璃做的家具", "请把页面上的玻璃效果去掉并重新排版整个首页"),
        (
            "No me gustan los muebles de cristal",
            "Escribe una función que ordene los muebles por año",
        ),
    ],
)
def test_one_everyday_word_is_no_evidence(memory: str, prompt: str) -> None:
    assert recalled(prompt, memory) == []


@pytest.mark.parametrize(
    ("memory", "prompt"),
    [
        ("Dashboards live on Grafana behind the VPN", "why does grafana show no data since noon?"),
        (
            "Parsing happens in src/parse_tree.rs",
            "open src/parse_tree.rs and fix the warning there",
        ),
        ("Siemens gets its invoices by post", "write to Siemens that we need two more days"),
        ("The staging port is 15432", "something already listens on 15432, what could it be?"),
        (
            "Das Projekt Zugvogel endet im Mai",
            "Wann endet Zugvogel?",
        ),
        ("客户西门子每月初付款", "给西门子写一封信"),
    ],
)
def test_a_rare_name_or_an_identifier_is_evidence(memory: str, prompt: str) -> None:
    assert recalled(prompt, memory) == [memory]


@pytest.mark.parametrize(
    ("memory", "prompt"),
    [
        ("Staging is wiped on Sundays", "when is staging wiped?"),
        ("I do not like wearing the color black", "which color do I not like wearing?"),
        ("Deploys go through the release branch only", "what do we deploy from, which branch?"),
        ("Der Schreibtisch steht links am Fenster", "Wo steht der Schreibtisch, am Fenster?"),
        ("我不喜欢玻璃做的家具", "我喜欢玻璃家具吗"),
        ("Never push to main on Fridays", "may I push to main today?"),
    ],
)
def test_two_words_that_matter_are_evidence(memory: str, prompt: str) -> None:
    assert recalled(prompt, memory) == [memory]


def test_what_most_topics_are_about_tells_none_of_them_apart() -> None:
    memories = [f"Zugvogel has a {thing}" for thing in ("cellar", "roof", "porch", "shed", "moat")]
    topics = [topic(text, number) for number, text in enumerate((*memories, *FILLER))]
    assert rank("please refactor the settings loader of Zugvogel and keep it simple", topics) == []
    found = rank("what about the moat of Zugvogel?", topics)
    assert found[0].topic.body.strip() == memories[-1]


def test_many_weak_words_of_a_long_request_are_no_evidence() -> None:
    memory = (
        "I learn best in a clear and open space with a good end in sight and an update each week"
    )
    request = (
        "Context: the current pull request is open. The object that the end of the direct call gives"
        " back is not clear. Fix the parser so that an empty list, a missing field or a broken header"
        " give the same error as before, update the documentation, run all tests and commit."
    )
    assert recalled(request, memory) == []


def test_a_single_word_brings_what_is_called_so() -> None:
    assert recalled("Go", "Go is what I write at work") == ["Go is what I write at work"]
    assert recalled("you make them", "They make tea before each meeting of the choir") == []


def test_everyday_words_are_in_one_class_each() -> None:
    words = [term for group in (*ENGLISH, *OTHERS) for term in group.split()]
    assert len(words) == len(set(words)) == len(everyday())
    assert len(ENGLISH) == len(SHARES) >= len(OTHERS)
    assert list(SHARES) == sorted(SHARES, reverse=True)
