"""What a model is told about arguments that a tool cannot take."""

from __future__ import annotations

import subprocess
import sys

import pytest

from reverie.errors import InvalidArgument
from reverie.mcp.arguments import MAX_TEXT, checked
from reverie.mcp.server import SURFACES

TOOLS = {tool.name: tool.takes for tool in SURFACES["full"]}


@pytest.mark.parametrize(
    ("tool", "given", "told"),
    [
        ("recall", {}, "'query' is a required property"),
        ("recall", {"query": "a", "limt": 3}, "'limt' was unexpected"),
        ("recall", {"query": "a", "limt": None}, "'limt' was unexpected"),
        ("recall", {"query": 3}, "query: 3 is not of type 'string'"),
        ("recall", {"query": ""}, "query: '' should be non-empty"),
        ("recall", {"query": " "}, "query is empty"),
        ("recall", {"query": "a", "limit": True}, "limit: True is not of type 'integer'"),
        ("recall", {"query": "a", "limit": 0}, "limit: 0 is less than the minimum of 1"),
        ("recall", {"query": "a" * (MAX_TEXT + 1)}, "at most 65,536 are taken"),
        ("recall", {"query": "\ud800"}, "half a character"),
        ("recall", ["query"], "is not of type 'object'"),
        ("memory_search", {"query": "a", "source": "all of it"}, "'all of it' is not one of ['all'"),
        ("memory_get", {"path": "a", "lines": [2]}, "lines: [2] is not of type 'string', 'integer'"),
        ("forget", {"ids": ["a", 1]}, "ids[1]: 1 is not of type 'string'"),
        ("forget", {"ids": ["a"] * 201}, "at most 200 are taken"),
        ("remember", {"text": "a", "name": "b" * 201}, "at most 200 are taken"),
        ("memory_stats", {"all": True}, "'all' was unexpected"),
        ("memory_stats", {"allowedPaths": "all"}, "allowedPaths: 'all' is not of type 'array'"),
        ("memory_search", {"query": "a", "isolation": 1}, "isolation: 1 is not of type 'object'"),
        ("memory_search", {"query": "a", "isolation": {"user": "b"}}, "'user' was unexpected"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_the_name_and_what_would_be_right(tool, given, told):
    with pytest.raises(InvalidArgument) as caught:
        checked(tool, TOOLS[tool], given)
    assert told in str(caught.value)


def test_several_mistakes_are_told_at_once():
    with pytest.raises(InvalidArgument) as caught:
        checked("recall", TOOLS["recall"], {"question": "a"})
    assert "'query' is a required property" in str(caught.value)
    assert "'question' was unexpected" in str(caught.value)
    assert "recall takes query, limit" in str(caught.value)


@pytest.mark.parametrize(
    "given", [{"query": ["x" * 9000]}, {"query": "a", "x" * 9000: 1}, ["x" * 9000]]
)
def test_no_message_repeats_a_long_value(given):
    with pytest.raises(InvalidArgument) as caught:
        checked("recall", TOOLS["recall"], given)
    assert len(str(caught.value)) < 1000


def test_null_counts_as_left_out_and_a_whole_float_as_a_whole_number():
    given = {"query": "a", "limit": 3.0}
    assert checked("recall", TOOLS["recall"], given) == {"query": "a", "limit": 3}
    assert type(checked("recall", TOOLS["recall"], given)["limit"]) is int
    assert checked("recall", TOOLS["recall"], {"query": "a", "limit": None}) == {"query": "a"}
    assert checked("memory_stats", TOOLS["memory_stats"], None) == {}


@pytest.mark.slow
def test_a_server_starts_without_the_checker():
    code = "import sys, reverie.mcp.server; assert 'jsonschema' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
