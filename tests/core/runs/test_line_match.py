"""Comparing texts line by line: right, and in linear time whatever they say."""

from __future__ import annotations

import random
from difflib import unified_diff

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.runs.line_match import LineMatcher, unified
from tests import linear

TEXTS = st.lists(st.sampled_from([f"{n}\n" for n in range(6)]), max_size=40)


@given(TEXTS, TEXTS)
def test_what_matches_is_the_same_and_in_order(before: list[str], after: list[str]) -> None:
    low = other = 0
    for at, there, size in LineMatcher(None, before, after).get_matching_blocks():
        assert at >= low
        assert there >= other
        assert before[at : at + size] == after[there : there + size]
        low, other = at + size, there + size
    assert (low, other) == (len(before), len(after))


@given(TEXTS, TEXTS)
def test_a_diff_turns_one_text_into_the_other(before: list[str], after: list[str]) -> None:
    shown = list(unified(before, after, source="a", target="b"))
    assert bool(shown) == (before != after)
    assert patched(before, shown[2:]) == after


def patched(before: list[str], diff: list[str]) -> list[str]:
    made, at = [], 0
    for line in diff:
        if line.startswith("@@"):
            start, _, size = line.split()[1][1:].partition(",")
            first = int(start) - (size != "0")
            made += before[at:first]
            at = first
        elif line[0] == "+":
            made.append(line[1:])
        else:
            assert before[at] == line[1:]
            made += [line[1:]] if line[0] == " " else []
            at += 1
    return made + before[at:]


def test_a_change_in_prose_is_shown_as_everybody_shows_it() -> None:
    before = [f"line {number}\n" for number in range(3_000)]
    after = [*before[:100], "new\n", *before[100:2_000], *before[2_005:], "end\n"]
    assert list(unified(before, after, source="a", target="b")) == list(
        unified_diff(before, after, "a", "b")
    )


def lines(count: int, kinds: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    return [f"{chance.randrange(kinds)}\n" for _ in range(count)]


SHAPES = {
    "the same line": lambda size: (["a\n"] * size, ["x\n", *["a\n"] * size, "y\n"]),
    "two lines": lambda size: (lines(size, 2, 1), lines(size, 2, 2)),
    "many lines": lambda size: (lines(size, 400, 1), lines(size, 400, 2)),
    "nearly all once": lambda size: (lines(size, size, 1), lines(size, size, 2)),
    "turned around": lambda size: ([f"{n}\n" for n in range(size)], [f"{size - n}\n" for n in range(size)]),
    "anchors far apart": lambda size: (
        [f"{n}\n" if n % 150 == 0 else "a\n" for n in range(size)],
        [f"{n}\n" if n % 150 == 0 else "a\n" if n % 2 else "b\n" for n in range(size)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.slow
def test_no_texts_make_it_slow(shape: str) -> None:
    def work(text: str) -> None:
        list(unified(*SHAPES[shape](len(text)), source="a", target="b"))

    assert max(linear.growth(work, lambda size: "x" * size, sizes=(500, 4_000, 32_000))) <= 5
