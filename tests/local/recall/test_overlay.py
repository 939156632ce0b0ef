"""What counts besides the stored words is kept for the files that are there, and for no others."""

from __future__ import annotations

from reverie.local.recall.overlay import Fresh, Overlay
from reverie.local.recall.word_file import Doc


def file(number, *words):
    doc = Doc(0, f"{number}.md", "user", "n", "d", "", 0, "", "")
    return Fresh((number, 1, 1, 1), doc, counts=dict.fromkeys(words, (1,)))


def test_words_of_files_that_came_and_went_are_let_go():
    overlay = Overlay(0)
    overlay.add("0/kept.md", file(0, "harbour"))
    for number in range(50):
        overlay.add("0/new.md", file(number, "harbour", f"word{number}"))
    overlay.remove("0/new.md")
    assert len(overlay) == 1
    assert list(overlay.postings("harbour")) == [0]
    assert not overlay.postings("word49")
