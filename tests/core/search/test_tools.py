"""The memory tools: the document's names and defaults, both forms of memory_get, clear errors."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.search.tools import TOOLS, get_arguments, run, search_arguments
from reverie.errors import InvalidInput
from reverie.types import Excerpt, Hit, IndexStats, SearchOutcome, SearchStats, Source

BY_NAME = {tool["name"]: tool for tool in TOOLS}


def test_the_tools_and_their_defaults_are_the_documents():
    assert list(BY_NAME) == ["memory_search", "memory_get", "memory_stats"]
    schema = BY_NAME["memory_search"]["inputSchema"]
    assert schema["required"] == ["query"]
    assert schema["properties"]["maxResults"]["default"] == 6
    assert (
        schema["properties"]["maxResults"]["minimum"],
        schema["properties"]["maxResults"]["maximum"],
    ) == (1, 20)
    assert schema["properties"]["minScore"]["default"] == 0.35
    assert schema["properties"]["source"]["enum"] == ["all", "memory", "chat", "custom"]
    assert BY_NAME["memory_get"]["inputSchema"]["required"] == ["path"]
    assert "mandatory recall step" in BY_NAME["memory_search"]["description"].lower()
    json.dumps(TOOLS)


def test_search_arguments_have_the_documents_defaults():
    found = search_arguments({"query": "API authentication decisions"})
    assert (found.max_results, found.min_score, found.source) == (6, 0.35, "all")
    given = search_arguments({"query": "q", "maxResults": 5.0, "minScore": 0, "source": "chat"})
    assert (given.max_results, given.min_score, given.source) == (5, 0.0, "chat")
    assert search_arguments({"query": "q", "source": None}).source == "all"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "invalid_query"),
        ({"query": "  "}, "invalid_query"),
        ({"query": 3}, "invalid_query"),
        ({"query": "q", "maxResults": 0}, "invalid_argument"),
        ({"query": "q", "maxResults": 21}, "invalid_argument"),
        ({"query": "q", "maxResults": True}, "invalid_argument"),
        ({"query": "q", "maxResults": "6"}, "invalid_argument"),
        ({"query": "q", "minScore": 1.5}, "invalid_argument"),
        ({"query": "q", "minScore": float("nan")}, "invalid_argument"),
        ({"query": "q", "source": "web"}, "invalid_argument"),
        ({"query": "q", "limit": 3}, "invalid_argument"),
    ],
)
def test_wrong_search_arguments_are_named(arguments, code):
    with pytest.raises(InvalidInput) as raised:
        search_arguments(arguments)
    assert raised.value.code == code


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"path": "a.md"}, ""),
        ({"path": "a.md", "lines": "42-56"}, "42-56"),
        ({"path": "a.md", "from": 42, "lines": 15}, "42-56"),
        ({"path": "a.md", "from": 42}, "42-61"),
        ({"path": "a.md", "lines": 10}, "1-10"),
        ({"path": "a.md", "from": None, "lines": None}, ""),
    ],
)
def test_memory_get_takes_a_range_or_a_first_line_and_a_count(arguments, lines):
    assert get_arguments(arguments).lines == lines


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "invalid_path"),
        ({"path": ""}, "invalid_path"),
        ({"path": "a.md", "from": 0}, "invalid_lines"),
        ({"path": "a.md", "from": 1, "lines": "1-3"}, "invalid_lines"),
        ({"path": "a.md", "from": 1, "lines": 0}, "invalid_lines"),
        ({"path": "a.md", "lines": ["1"]}, "invalid_lines"),
        ({"path": "a.md", "line": 3}, "invalid_argument"),
    ],
)
def test_wrong_get_arguments_are_named(arguments, code):
    with pytest.raises(InvalidInput) as raised:
        get_arguments(arguments)
    assert raised.value.code == code


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text() | st.integers(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@given(
    st.sampled_from(["memory_search", "memory_get", "memory_stats", "other"]),
    st.dictionaries(st.sampled_from(["query", "path", "lines", "from", "maxResults", "x"]), JSON),
)
def test_whatever_a_model_sends_is_answered_or_refused_by_name(name, arguments):
    try:
        answer = run(
            name,
            arguments,
            search=lambda *_, **__: OUTCOME,
            get=lambda *_, **__: EXCERPT,
            stats=lambda **_: STATS,
        )
    except InvalidInput:
        return
    assert isinstance(answer, dict)


HIT = Hit("memory/architecture.md", "42-56", "Decided to use JWT", 0.87, Source.MEMORY)
OUTCOME = SearchOutcome("q", (HIT,), 3, "hybrid", SearchStats(12, 847))
EXCERPT = Excerpt("memory/architecture.md", "42-56", "text", found=True, total_lines=90)
STATS = IndexStats(12, 847, None, (Source.MEMORY,))


def test_the_answer_of_a_search_has_the_documents_shape():
    answer = run(
        "memory_search",
        {"query": "q"},
        search=lambda *_, **__: OUTCOME,
        get=lambda *_, **__: EXCERPT,
        stats=lambda **_: STATS,
    )
    assert {key: answer[key] for key in ("query", "totalFound", "method", "stats")} == {
        "query": "q",
        "totalFound": 3,
        "method": "hybrid",
        "stats": {"totalFiles": 12, "totalChunks": 847},
    }
    hit = answer["results"][0]
    assert {key: hit[key] for key in ("path", "lines", "text", "score", "source")} == {
        "path": "memory/architecture.md",
        "lines": "42-56",
        "text": "Decided to use JWT",
        "score": 0.87,
        "source": "memory",
    }


def test_stats_tell_files_chunks_time_and_sources():
    answer = run(
        "memory_stats",
        {},
        search=lambda *_, **__: OUTCOME,
        get=lambda *_, **__: EXCERPT,
        stats=lambda **_: STATS,
    )
    assert answer["totalFiles"] == 12
    assert answer["totalChunks"] == 847
    assert answer["lastIndexed"] is None
    assert answer["sources"] == ["memory"]
