"""What was found is read from the file itself: the lines a hit names hold its text."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie.core.history.turns import encode, turn_path
from reverie.core.search import tools
from reverie.core.search.chunk import split_lines
from reverie.core.text.words import query_terms
from reverie.types import TextPart, Turn, TurnMessage
from tests.examples import examples

WORDS = st.sampled_from(
    [
        *("otter", "Lisbon", "naïve", "C++", "_under_", "don't", "v1.2.3", "e\u0301tude", "x" * 90),
        *("記憶", "我们决定每周二发布版本", "かな", "한국어", "สวัสดีครับ", "привет", "مرحبا", "שלום"),
        *("ｆｕｌｌ", "🙂", "`code`", "**bold**", "<b>"),
        *( "👩‍👩‍👧", "\u200b", "\ufeff", "\u2028", "\x0c", "\x85", "\t"),
    ]
)  # fmt: skip
SENTENCE = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)
LONG = st.lists(WORDS, min_size=60, max_size=160).map(" ".join)  # much longer than a chunk
LINE = st.one_of(
    SENTENCE,
    SENTENCE,
    LONG,
    SENTENCE.map(lambda text: "# " + text),
    SENTENCE.map(lambda text: "### " + text),
    SENTENCE.map(lambda text: "- " + text),
    SENTENCE.map(lambda text: "   1) " + text),
    SENTENCE.map(lambda text: "> " + text),
    SENTENCE.map(lambda text: "| " + text + " | b |"),
    SENTENCE.map(lambda text: "Anna: " + text),
    st.sampled_from(["", "", "---", "```", "~~~", "    code", "<!--", "-->", "===", "title: x"]),
)
END = st.sampled_from(["\n", "\n", "\r\n", "\r"])


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A Markdown text with any mixture of blocks and line ends, with or without a last one."""
    ends = draw(st.one_of(END.map(lambda end: st.just(end)), st.just(END)))
    lines = draw(st.lists(LINE, min_size=1, max_size=25))
    text = "".join(line + draw(ends) for line in lines)
    return draw(st.sampled_from(["", "\ufeff", "---\ndate: 2026-05-01\n---\n"])) + (
        text if draw(st.booleans()) else text.rstrip("\r\n")
    )


def call(memory, name: str, **arguments: object) -> dict:
    return tools.run(
        name, arguments, search=memory.search, get=memory.get, stats=lambda: memory.stats()
    )


def check(memory, query: str) -> int:
    """Search with the tool, read every hit with the other tool, and compare; return how many."""
    found = call(memory, "memory_search", query=query, minScore=0, maxResults=20)["results"]
    for hit in found:
        first, last = map(int, hit["lines"].split("-"))
        shown = call(memory, "memory_get", path=hit["path"], lines=hit["lines"])
        assert hit["text"] in shown["text"]
        assert shown["lines"] == hit["lines"]
        # The lines are no more than the text needs: its first and its last line are both in use.
        rows = split_lines(call(memory, "memory_get", path=hit["path"])["text"])
        assert 1 <= first <= last <= len(rows)
        within = "".join(rows[first - 1 : last])
        at = within.index(hit["text"])
        assert at < len(rows[first - 1])
        assert at + len(hit["text"]) > len(within) - len(rows[last - 1])
    for hit in memory.search(query, min_score=0, context_tokens=40).results:
        assert hit.text in memory.get(hit.path, hit.lines).text
    return len(found)


@pytest.mark.slow
@settings(
    max_examples=examples(60),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(documents(), min_size=1, max_size=3), st.data())
def test_the_lines_of_every_hit_hold_its_text_in_any_markdown(open_memory, project, texts, data):
    memory = open_memory(settings={"search.chunk_tokens": 60, "search.chunk_overlap": 12})
    shutil.rmtree(project / "memory", ignore_errors=True)
    (project / "memory").mkdir()
    for number, text in enumerate(texts):
        (project / "memory" / f"{number}.md").write_bytes(text.encode("utf-8"))
    word = data.draw(WORDS)
    hits = check(memory, f"{word} otter 記憶")
    wanted = query_terms(f"{word} otter 記憶")
    if any(term in query_terms(text) for text in texts for term in wanted):
        assert hits, "a text that has a word of the query is found"
    memory.close()


@pytest.mark.slow
@settings(
    max_examples=examples(25),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.lists(documents(), min_size=1, max_size=3), min_size=1, max_size=3))
def test_the_lines_of_every_hit_hold_its_text_in_any_conversation(open_memory, said):
    memory = open_memory(settings={"search.chunk_tokens": 60, "search.chunk_overlap": 12})
    folder = Path(memory.workspace.home) / "agents" / "default" / "history" / "turns"
    shutil.rmtree(folder, ignore_errors=True)
    for seq, texts in enumerate(said, 1):
        messages = tuple(
            TurnMessage(("user", "assistant")[at % 2], (TextPart(text),))
            for at, text in enumerate(texts)
        )
        turn = Turn(seq, datetime(2026, 5, 1, tzinfo=UTC), messages, session="s")
        path = folder / turn_path(seq, turn.created_at)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(encode(turn), encoding="utf-8")
    hits = check(memory, "otter Lisbon 記憶 привет")
    if any("otter" in query_terms(text) for texts in said for text in texts):
        assert hits
    memory.close()
