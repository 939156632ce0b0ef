"""Names of tools are known by what they are."""

from __future__ import annotations

import pytest

from reverie.core.phrases.tools import is_tool, kind_of, tools_of


@pytest.mark.parametrize("name", ["svelte", "mysql", "pnpm", "gitlab ci"])
def test_whatever_is_known_is_among_those_of_its_kind(name):
    kind = kind_of(name)
    assert kind
    assert name.replace(" ", "-") in tools_of(kind)


@pytest.mark.parametrize("name", ["banana", "the", ""])
def test_what_is_not_known_has_no_kind(name):
    assert kind_of(name) == ""
    assert not is_tool(name)


def test_a_name_that_is_also_a_word_is_told_by_its_capital_only():
    assert kind_of("black") == "formatter"
    assert not is_tool("black")
    assert is_tool("prettier") is False
    assert is_tool("pnpm")
