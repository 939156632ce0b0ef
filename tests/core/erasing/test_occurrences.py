"""WordsToErase are found by their words, in any dress, and nothing else is touched."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.erasing.occurrences import (
    WordsToErase,
    from_json,
    tells_enough,
    to_json,
    words_to_erase,
)
from reverie.core.erasing.redaction import redact_json
from tests import linear

PLAN = words_to_erase([], whole=["quokkaberry plan"])


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("the Quokkaberry Plan.", "the [erased]."),
        ("quokkaberry\n> plan", "[erased]"),
        ("“Quokkaberry”—plan", "“[erased]"),
        ("ｑｕｏｋｋａｂｅｒｒｙ plán", "[erased]"),
        ("2026-quokkaberry-plan-b.md", "2026-erased-b.md"),
        ("[[notes/quokkaberry_plan]]", "[[notes/erased]]"),
        (r'{"a": "quokkaberry\nplan"}', '{"a": "[erased]"}'),
        (r"a\quokkaberry plan", "a[erased]"),
        ("myQuokkaberryPlan", "my[erased]"),
        ("the plan of a quokkaberry", "the plan of a quokkaberry"),
        ("", ""),
    ],
)
def test_a_wording_is_found_in_any_dress(text, clean):
    assert PLAN.redact(text) == clean
    assert PLAN.holds(text) == (clean != text)


def test_a_long_word_is_found_inside_others_and_a_short_one_only_by_itself():
    found = words_to_erase([], whole=["quokkaberry", "Anna"])
    assert found.redact("quokkaberries, quokkaberrys") == "quokkaberries, [erased]s"
    assert found.redact("Anna's annals") == "[erased]'s annals"


def test_scripts_without_spaces_are_found_by_their_characters():
    found = words_to_erase(["我们的发布代号是紫色鲸鱼计划"])
    assert found.redact("他说我们的发布代号是紫色鲸鱼计划。") == "他说[erased]。"


def test_a_phrase_is_found_by_any_of_its_runs_but_not_by_those_that_others_share():
    said = "We deploy the web shop only on Tuesdays after lunch"
    found = words_to_erase([said], remaining=["We deploy the web shop when asked"])
    assert found.redact("so: only on Tuesdays after lunch!") == "so: [erased]!"
    assert not found.holds("We deploy the web shop")
    assert not words_to_erase([said], remaining=[said])


def test_a_run_of_nothing_but_common_words_is_no_wording():
    found = words_to_erase(["I am not the one who has it, but it is what it is"])
    assert not found.holds("it is what it is")
    assert not words_to_erase(["it is"])


def test_placeholders_are_not_taken_for_words():
    found = words_to_erase([], whole=["bob erased"])
    assert found.redact("bob bob erased, bob [erased]") == "bob [erased], bob [erased]"


def test_other_words_between_capitals_are_others():
    found = words_to_erase([], whole=["McDonald", "iPhone"])
    assert found.redact("mcdonald, theMcDonaldPlan") == "[erased], the[erased]Plan"
    assert found.redact("I phone you") == "I phone you"


def test_a_backslash_that_escapes_nothing_stays():
    found = words_to_erase([], whole=["quokkaberry"])
    assert found.redact(r'"C:\\quokkaberry"') == r'"C:\\[erased]"'


def test_texts_to_be_found_as_they_are_go_longest_first():
    found = words_to_erase([], exact=["tabs", "use tabs", " "])
    assert found.exact == ("use tabs", "tabs")
    assert found.redact("use tabs, tabs") == "[erased], [erased]"


@pytest.mark.parametrize(
    ("phrase", "enough"),
    [("Anna", True), ("鲸鱼", True), ("Bob", False), ("about", False), ("project", False),
     ("the project", True), ("", False), ("it is", False), ("a b", False), ("iPhone", True), ("🦄", False),
     (".*", False), ("erased", False), ("1234", True), ("鲸", False)],
)  # fmt: skip
def test_a_single_word_must_say_enough(phrase, enough):
    assert tells_enough(phrase) == enough


def test_a_phrase_of_one_common_word_is_no_wording():
    assert not words_to_erase(["project"])
    assert words_to_erase(["quokkaberry"])


def test_json_is_cleaned_in_its_values_its_keys_and_the_json_inside_its_texts():
    inner = json.dumps({"note": "a\nquokkaberry plan"})
    value = {"quokkaberry plan": [1, None, inner, "[not json", "[1]"], "x": "quokkaberry plan"}
    assert json.loads(redact_json(json.dumps(value), PLAN)) == {
        "[erased]": [1, None, '{"note": "a\\n[erased]"}', "[not json", "[1]"],
        "x": "[erased]",
    }


def test_wordings_survive_being_written_down():
    phrases = ["one two three four five six"]
    both = words_to_erase(phrases, whole=["quokkaberry plan"], exact=["\ntabs\n"])
    assert from_json(json.loads(json.dumps(to_json(both)))) == both
    assert both.holds("quokkaberry plan")
    assert both.holds("two three four five six")
    assert both.holds("a\ntabs\n")


@given(st.text(max_size=60))
def test_what_was_redacted_holds_it_no_more(text):
    found = words_to_erase([], whole=["quokkaberry plan"])
    mixed = f"{text} quokkaberry plan {text}"
    assert not found.holds(found.redact(mixed))


def test_nothing_to_look_for_changes_nothing():
    assert not WordsToErase()
    assert WordsToErase().redact("a text") == "a text"


WORDS = [
    "our", "landlord", "Quibblethwaite", "wants", "to", "evict", "everybody", "next", "Wednesday",
    "morning", "before", "breakfast",
]  # fmt: skip


@given(st.integers(5, len(WORDS)), st.integers(36, 90), st.sampled_from(["", "2026-", "note-"]))
def test_a_name_made_of_a_text_and_cut_anywhere_is_found(count, cut, before):
    plan = words_to_erase([], whole=[" ".join(WORDS[:count])])
    made = "-".join(WORDS[:count]).lower()[:cut].strip("-")
    name = f"{before}{made}.md"
    assert plan.redact(name, "erased") == f"{before}erased.md"
    assert plan.may_stand_in(f"see [[{name}]]")


def test_a_name_that_only_begins_alike_stays():
    plan = words_to_erase([], whole=[" ".join(WORDS)])
    for name in (
        "our-landlord-quibblethwaite-wants-to-paint-the-house-next-week.md",
        "our-landlord-is-kind-and-wants-to-evict-nobody-at-all.md",
        "wants-to-evict-everybody-next-wednesday-morning-before-breakfast-or-so.md",
    ):
        assert not plan.holds(name)


def test_a_cut_name_without_spaces_between_words_is_found():
    plan = words_to_erase([], whole=["房东奎布尔下周三早上想把我们全部赶出去然后卖掉房子"])
    assert not plan.holds("20250101-房东奎布尔下周三早上想把我们全部赶.md".replace("房东", "房子"))
    assert (
        plan.redact("20250101-房东奎布尔下周三早上想把我们全部赶.md", "erased")
        == "20250101-erased.md"
    )


@pytest.mark.slow
def test_a_very_long_name_is_read_in_time_that_grows_with_it():
    plan = words_to_erase([], whole=[" ".join(WORDS)])
    begun = "-".join(WORDS[:3]).lower()
    assert not linear.superlinear(
        plan.holds, [lambda size: (f"{begun}-x-" * (size // 30 + 1))[:size]] * 2
    )
