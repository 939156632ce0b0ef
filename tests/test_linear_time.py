"""No text makes Reverie slow: every pattern, and every function that reads text, takes linear time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime

import pytest

from reverie.core.agents import json_edit
from reverie.core.asking import answers
from reverie.core.claims import claim, judgement, statement
from reverie.core.context import imports
from reverie.core.dreaming import sameness
from reverie.core.layers import notes, working
from reverie.core.learning import (
    agent_logs,
    chat_logs,
    clarity,
    foreign_lines,
    heard,
    own_words,
    requests,
    sentence_guards,
    sentences,
    statements,
    transcripts,
)
from reverie.core.markdown import bullets, entries, frontmatter, lines, sections
from reverie.core.search import chunk, passage, query
from reverie.core.secrets import scanner
from reverie.core.showing import fence, injected, marks, origin_lines, printable
from reverie.core.text import dates, days, languages, values, words
from reverie.core.topics import (
    beside,
    catalog,
    forget,
    links,
    remember,
    scoring,
    smalltalk,
    titles,
    topic,
)
from reverie.errors import ReverieError
from reverie.lab.wires import Asked, Said
from reverie.models.agents.commands import failure_of
from reverie.models.unigram import Unigram
from reverie.types import Scope
from tests import linear

NOW = datetime(2026, 5, 1, tzinfo=UTC)


SHARES = 8  # so that no processor is left alone with all of them


@pytest.fixture(scope="module")
def patterns() -> dict[str, tuple[re.Pattern[str], bool]]:
    found = linear.patterns()
    assert len(found) > 300  # the look itself still finds them
    return found


@pytest.mark.slow
@pytest.mark.parametrize("share", range(SHARES))
def test_every_pattern_takes_time_in_proportion_to_the_text(
    patterns: dict[str, tuple[re.Pattern[str], bool]], share: int
) -> None:
    bad = {
        where: slow
        for where, (pattern, searched) in list(patterns.items())[share::SHARES]
        if (
            slow := linear.superlinear(
                linear.running(pattern, searched=searched), linear.shapes(pattern)
            )
        )
    }
    assert bad == {}


# Pieces of one to sixteen letters that begin alike, as in a real model.
PIECES = Unigram(
    b"".join(
        bytes([10, len(piece) + 7, 10, len(piece)]) + piece + b"\x15\0\0\0\xc0"
        for piece in (b"a" * size for size in range(1, 17))
    )
)

FUNCTIONS: dict[str, Callable[[str], object]] = {
    "failure_of": lambda text: failure_of(1, text),
    "use of a tool": lambda text: Asked("chat", (Said("user", f"mcp__{text}"),), (), {}).use(
        "x", {}
    ),
    "disarmed": marks.disarmed,
    "harmless": marks.harmless,
    "one_line": marks.one_line,
    "is_suspect": marks.is_suspect,
    "printable": printable.printable,
    "strip_recall_blocks": fence.strip_recall_blocks,
    "strip_recall_blocks of a mark": lambda text: fence.strip_recall_blocks(f"{fence.TAG}{text}"),
    "without_injected": injected.without_injected,
    "without_injected of a mark": lambda text: injected.without_injected(f"<hook_context>{text}"),
    "without_injected of many": lambda text: injected.without_injected(
        text.replace("a", "<system-reminder>")
    ),
    "normalize": words.normalize,
    "terms": words.terms,
    "query_terms": words.query_terms,
    "query_words": words.query_words,
    "read_question": scoring.read_question,
    "estimate_tokens": words.estimate_tokens,
    "own_stems": languages.own_stems,
    "read_query": lambda text: query.read_query(text, today=NOW.date()),
    "named_days": days.named_days,
    "scan": lines.scan,
    "unigram pieces": PIECES.ids,
    "headings": sections.headings,
    "clean_fact": sections.clean_fact,
    "chunk_markdown": chunk.chunk_markdown,
    "chunk_markdown of a heading": lambda text: chunk.chunk_markdown(f"# {text}\n\nx\n"),
    "frontmatter": frontmatter.read,
    "frontmatter inside": lambda text: frontmatter.read(f"---\n{text}\n---\nx\n"),
    "catalog lines": lambda text: catalog._prose(text, ()),
    "without_markers": lambda text: origin_lines.without_markers(f"context{text}"),
    "without_tags": origin_lines.without_tags,
    "shown_path": lambda text: origin_lines.shown_path(f"/a/{text}", cwd="/a"),
    "speech": own_words.speech,
    "sentences": lambda text: list(sentences.sentences(text)),
    "find_statements": lambda text: statements.find_statements(text, on=NOW.date()),
    "reach_of": foreign_lines.reach_of,
    "own_part": foreign_lines.own_part,
    "stands_alone": clarity.stands_alone,
    "may_matter": clarity.may_matter,
    "read_inbox": lambda text: heard.read_inbox(text, Scope.USER, now=NOW),
    "find_relative": lambda text: list(dates.find_relative(text, on=date(2026, 5, 1))),
    "dates_in": lambda text: list(days.dates_in(text)),
    "without_private": smalltalk.without_private,
    "is_trivial": smalltalk.is_trivial,
    "read_entries": entries.read_entries,
    "split_fields": entries.split_fields,
    "title_of": titles.title_of,
    "description_of": titles.description_of,
    "slug": titles.slug,
    "read_memo": remember.read_memo,
    "read_memo with a reason": lambda text: remember.read_memo(f"Use tabs. Why{text}"),
    "directives": imports.directives,
    "rebased": lambda text: imports.rebased(text, folder="/a", target="/b", is_file=bool),
    "clean_item": bullets.clean_item,
    "bullets": lambda text: bullets.bullets(f"## Tasks\n{text}", "Tasks"),
    "jsonedit": lambda text: or_refused(json_edit.read, text),
    "read_json": lambda text: or_refused(answers.read_json, text),
    "parse_topic": lambda text: topic.parse_topic(
        f"---\nname: a\ndescription: b\ntype: user\n---\n{text}",
        path="/a.md",
        rel="a.md",
        scope=Scope.USER,
    ),
    "parse_note": lambda text: notes.parse_note(text, rel="a.md"),
    "wikilinks": notes.wikilinks,
    "open_items": working.open_items,
    "read_transcript": lambda text: or_refused(transcripts.read_transcript, text),
    "read_chat": lambda text: or_refused(lambda log: chat_logs.read_chat(log, now=NOW), text),
    "read_records": lambda text: or_refused(agent_logs.read_records, text),
    "value_signature": values.value_signature,
    "skeleton": sameness.skeleton,
    "relinked": lambda text: links.relinked(
        f"[a](user/b.md) [[{text}", "user/a.md", {"user/b.md": None}
    ),
    "is_question": sentence_guards.is_question,
    "looks_like_code": sentence_guards.looks_like_code,
    "quoted_spans": sentence_guards.quoted_spans,
    "statement_key": statement.statement_key,
    "claim": lambda text: claim.read(text[: claim.MOST_CHARS]),
    "replaces": lambda text: judgement.replaces(f"I now live in {text}", f"I live in {text} b"),
    "tells_of_change": beside.tells_of_change,
    "requested": requests.requested,
    "requested with words before it": lambda text: requests.requested(f"remember that {text}"),
    "meant_words": forget.meant_words,
    "secrets": scanner.scan,
    "redacted": scanner.redact,
    "best_passage": lambda text: passage.best_passage(text, matched={"why", "a"}, limit=500),
}


def or_refused(read: Callable[[str], object], text: str) -> None:
    with suppress(ReverieError, ValueError):
        read(text)


UNITS = (
    *linear.USUAL, "# a\n", "- a\n", "  - a\n", "> - ", "```\n", "why: ", "Why:\n", "<private>", "@./a ",
    "<!-- ", "[a](b) ", "because ", "next ", "il y a ", "User: ", '{"a":', '"\\', "/*", "| a ", "¿", "«", "“",
    "---\na: b\n", "1. ", "a\n===\n", "<div>\n", "\t- ", "    a\n", "Human: ", "tomorrow ", "零", "以下の",
)  # fmt: skip


def shapes() -> Iterator[linear.Shape]:
    for unit in UNITS:
        yield lambda size, unit=unit: unit * (size // len(unit))
        yield lambda size, unit=unit: f"a{unit * (size // len(unit))}a"


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_takes_time_in_proportion_to_the_text(name: str) -> None:
    assert linear.superlinear(FUNCTIONS[name], list(shapes())) == {}


@pytest.mark.slow
def test_the_gate_sees_what_it_is_for() -> None:
    for pattern in (r"\s+$", r"<\s*/?\s*x", r"(a+)+b", r"“[^”]*”", r"\w+://"):
        compiled = re.compile(pattern)
        work = linear.running(compiled, searched=True)
        short, long = (16, 22) if "+)+" in pattern else (500, 2_000)
        growths = [
            linear.seconds(work, make(long)) / max(linear.seconds(work, make(short)), 1e-6)
            for make in linear.shapes(compiled)
        ]
        assert max(growths) > 1.5 * long / short, pattern
