"""What held no secret is known again; what may hold one is looked through, always."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reverie.local.recall import clean_texts
from reverie.local.recall.clean_texts import CleanTexts

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TEXTS = ("We deploy on Tuesdays", f"the token is {TOKEN}", "\ud800 half a character", "")


def looked_through(state: Path, *texts: str, **options) -> tuple[list[list[str]], int]:
    """Return the rules that something breaks in each text, and how many texts were looked through."""
    texts_known = CleanTexts(str(state), **options)
    with texts_known as scan:
        allow = options.get("allow", ())
        found = [[item.rule for item in scan(text, allow=allow)] for text in texts]
    return found, texts_known.scanned


def test_a_clean_text_is_looked_through_once_and_one_with_a_secret_each_time(tmp_path):
    first, count = looked_through(tmp_path, *TEXTS)
    assert [bool(rules) for rules in first] == [False, True, False, False]
    assert count == len(TEXTS)
    assert looked_through(tmp_path, *TEXTS) == (first, 1)
    assert looked_through(tmp_path, TEXTS[0] + ".") == ([[]], 1)
    assert looked_through(tmp_path, TEXTS[0]) == ([[]], 1)  # only those of the last time are kept


def test_a_verdict_does_not_count_for_other_rules(tmp_path):
    [rules], _ = looked_through(tmp_path, TEXTS[1])
    assert looked_through(tmp_path, TEXTS[1], allow=rules) == ([[]], 1)
    assert looked_through(tmp_path, TEXTS[1]) == ([rules], 1)
    written = tmp_path / "core" / "rules.py"
    written.parent.mkdir()
    for text, count in (("# a rule\n", 1), ("# a rule\n", 0), ("# a rule, and more\n", 1)):
        written.write_text(text)
        assert looked_through(tmp_path, "tea", rules=str(written.parent)) == ([[]], count)
    assert looked_through(tmp_path, "tea") == ([[]], 1)


@pytest.mark.parametrize("damage", ["gone", "cut", "foreign", "a folder"])
def test_a_file_that_cannot_be_used_counts_as_none(tmp_path, damage):
    looked_through(tmp_path, *TEXTS)
    path = tmp_path / "recall" / clean_texts.NAME
    data = path.read_bytes()
    path.unlink()
    if damage == "a folder":
        path.mkdir()
    elif damage != "gone":
        path.write_bytes(data[:40] if damage == "cut" else os.urandom(len(data)))
    assert looked_through(tmp_path, *TEXTS)[1] == len(TEXTS)


def test_doctor_tells_of_a_secret_again_and_again_and_of_one_that_came_by_hand(open_memory):
    with open_memory() as memory:
        memory.remember("We deploy on Tuesdays", scope="user")
        [topic] = memory.store.topics()
        assert not [item for item in memory.doctor() if item.code == "secret"]
        path = Path(topic.path)
        path.write_text(path.read_text() + f"\n- the token is {TOKEN}\n")
        for _ in range(2):
            assert [item.path for item in memory.doctor() if item.code == "secret"] == [topic.path]


def test_no_verdict_outlives_what_is_forgotten(open_memory):
    with open_memory() as memory:
        memory.remember("The codename of the merger is Bluefin Harbour")
        memory.doctor()
        kept = Path(memory.workspace.state, "recall", clean_texts.NAME)
        assert kept.exists()
        memory.forget("codename of the merger")
        assert not kept.exists()
