"""Markdown and JSON without the words: readable as before, and no other byte moved."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from reverie.adapters.records import from_text
from reverie.core.erasing.occurrences import words_to_erase
from reverie.core.erasing.redaction import redact_json, redact_lines, redact_markdown
from reverie.core.markdown import frontmatter
from tests import linear

PLAN = words_to_erase([], whole=["quokkaberry plan", "quokkaberry"])


def looked_for(*phrases: str) -> Any:
    return words_to_erase([], whole=phrases)


# --- Markdown --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "head",
    [
        'name: "quokkaberry" # plan',
        'tags: ["quokkaberry", plan]',
        "tags:\n  - quokkaberry\n  - 'a quokkaberry ''plan'''",
        'name: "say \\"quokkaberry\\" plan: yes"',
        "name: |\n  quokkaberry\n  plan",
        "name: >-\n  the quokkaberry\n  plan",
        "quokkaberry: 1\nQuokkaberry: 2",
        "quokkaberry plan: [1, 2]",
        "name: quokkaberry plan\ntype: project",
        "name: a\ndescription: quokkaberry\nplan: b",
        "name: 'quokkaberry'\r\ntype: user\r",
        "broken: a: quokkaberry",
        "{a: quokkaberry, plan: b}",
        "a: &quokkaberry x\nb: *quokkaberry",
    ],
)
def test_frontmatter_is_read_as_before(head):
    text = f"---\n{head}\n---\n\nbody of quokkaberry\n"
    clean = redact_markdown(text, PLAN)
    before, after = frontmatter.read(text), frontmatter.read(clean)
    assert before
    assert after
    assert len(after.values) == len(before.values)
    assert bool(after.problem) == bool(before.problem)
    assert clean.endswith("\n\nbody of [erased]\n")
    assert "body" not in clean[: after.body]
    if not before.problem:
        shapes = [_shape(yaml.safe_load(each.replace("\r", ""))) for each in (head, _head(clean))]
        assert shapes[0] == shapes[1]
    if "&" not in head:
        assert "quokkaberry" not in clean.lower()


def _head(text: str) -> str:
    found = frontmatter.read(text)
    assert found
    return text[found.inner.start : found.inner.end]


def _leaves(value):
    if isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item)
    else:
        yield value


def _redacted(leaf):
    if not isinstance(leaf, str):
        return leaf
    return redact_json(leaf, PLAN) if leaf[:1] in ("{", "[") else PLAN.redact(leaf)


def _shape(value: object) -> object:
    if isinstance(value, dict):
        return [_shape(item) for item in value.values()]
    if isinstance(value, list):
        return [_shape(item) for item in value]
    return type(value)


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("---\nname: Plan\ntype: project\n---\n\nA fact.\n", ["type project", "name plan type"]),
        ('---\nid: "20260501"\ncreated: 2026-05-01\n---\nx\n', ["20260501", "2026-05-01"]),
        ("A fact.\n\nWhy: it is so.\nHow to apply: always.\n", ["how to apply"]),
        ("# Working Memory\n\n## Active Tasks\n- None\n", ["active tasks", "working memory"]),
        ("## Qwen Added Memories\n- a fact\n", ["added memories"]),
    ],
)
def test_what_our_files_are_written_with_stays(text, phrases):
    clean = redact_markdown(text, looked_for(*phrases))
    before, after = frontmatter.read(text), frontmatter.read(clean)
    if before and after:
        assert after.values.keys() == before.values.keys()
        assert [after.values[key] for key in after.values if key != "name"] == [
            before.values[key] for key in before.values if key != "name"
        ]
    else:
        assert clean == text


def test_words_across_a_label_go_and_the_label_stays():
    text = "A fact.\n\nWhy: plums are blue.\n"
    assert redact_markdown(text, looked_for("why plums are")) == "A fact.\n\nWhy: [erased] blue.\n"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("[x](quokkaberry.md)", "[x](erased.md)"),
        ("[[quokkaberry plan]]", "[[erased]]"),
        ("[[Quokkaberry|the quokkaberry]]", "[[erased|the erased]]"),
        ("see https://a.example/quokkaberry?x=1.", "see https://a.example/erased?x=1."),
        ("`quokkaberry`\n```\nquokkaberry()\n```", "`[erased]`\n```\n[erased]()\n```"),
        ("quokkaberry.md and quokkaberry.", "erased.md and [erased]."),
        ("[x](a-quokkaberry-plan.md#quokkaberry)", "[x](a-erased.md#erased)"),
        ("**Quokkaberry** *plan*", "**[erased]*"),
        ("| quokkaberry | b |", "| [erased] | b |"),
        ("\u202equokkaberry\u202c שלום", "\u202e[erased]\u202c שלום"),
    ],
)
def test_links_and_names_lead_where_they_led(text, clean):
    assert redact_markdown(text, PLAN) == clean


@pytest.mark.parametrize(
    "value",
    [
        {"a": "quokkaberry", "plan": 1},
        {"quokkaberry": 1, "Quokkaberry": 2, "[erased]": 3},
        ["quokkaberry", "plan", ['the "quokkaberry" plan']],
        {"path": "C:\\quokkaberry", "said": "a\nquokkaberry\tplan\\", "n": 1.10},
    ],
)
def test_a_block_of_json_in_markdown_can_still_be_read(value):
    text = f"# On quokkaberry\n\n```json\n{json.dumps(value, indent=2)}\n```\n"
    clean = redact_markdown(text, PLAN)
    assert "quokkaberry" not in clean.lower()
    assert _shape(from_text(clean)) == _shape(value)


def test_words_across_the_beginning_of_a_block_leave_it_one():
    text = '# A quokkaberry\n\n```json\n{"plum": 1}\n```\n'
    assert redact_markdown(text, looked_for("json plum", "quokkaberry json")) == (
        '# A [erased]\n\n```json\n{"plum": 1}\n```\n'
    )


# --- JSON ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ('{"a": 1.10, "a": 1e400, "b": "quokkaberry"}', '{"a": 1.10, "a": 1e400, "b": "[erased]"}'),
        ('{"q": "quokkaberry", "plan": "x"}', '{"q": "[erased]", "plan": "x"}'),
        ('{"quokkaberry":1,"QUOKKABERRY":2}', '{"[erased]":1,"[erased]-2":2}'),
        ('{"quokkaberry":1,"[erased]":2}', '{"[erased]-2":1,"[erased]":2}'),
        ('[{"quokkaberry":1},{"quokkaberry":2}]', '[{"[erased]":1},{"[erased]":2}]'),
        (r'{"a": "C:\\quokkaberry\\x"}', r'{"a": "C:[erased]\\x"}'),
        (r'{"a": "\u0071uokkaberry \u00fc"}', r'{"a": "[erased] \u00fc"}'),
        ('{"a": "{\\"quokkaberry\\": 1.10}"}', '{"a": "{\\"[erased]\\": 1.10}"}'),
        ('{"a": "[not json quokkaberry"}', '{"a": "[not json [erased]"}'),
        ('\ufeff{"a": "quokkaberry"}', '\ufeff{"a": "[erased]"}'),
    ],
)
def test_only_the_texts_of_json_change(text, clean):
    assert redact_json(text, PLAN) == clean
    assert redact_json(clean, PLAN) == clean


@pytest.mark.parametrize(
    ("value", "phrases"),
    [
        (
            {"schema_version": 2, "created_at": "2026-05-01T10:00:00Z"},
            ["schema version", "created at"],
        ),
        ({"type": "tool_call", "toolCallId": "1"}, ["tool call", "call id"]),
        ({"created": "2026-05-01T10:00:00.5+00:00"}, ["2026-05-01", "2026"]),
        ({"dryRun": True, "lastExtractionAt": None}, ["dry run", "last extraction"]),
    ],
)
def test_keys_and_moments_of_ours_stay(value, phrases):
    found = looked_for(*phrases)
    assert redact_json(json.dumps(value), found) == json.dumps(value)
    said = json.dumps({"said": " ".join(phrases)})
    assert redact_json(said, found) != said


def test_two_keys_that_become_one_are_both_kept():
    text = '{"quokkaberry": 1, "Quokkaberry": 2, "x": 3}'
    assert redact_json(text, PLAN) == '{"[erased]": 1, "[erased]-2": 2, "x": 3}'


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_lines_keep_their_ends_and_what_looks_like_one(end):
    text = '{"a": "x\u2028quokkaberry\x85y"}' + end
    assert redact_lines(text, PLAN) == '{"a": "x\u2028[erased]\x85y"}' + end


# --- for any text ----------------------------------------------------------------------------------

WORDS = st.sampled_from(
    ["quokkaberry", "plan", "Quokkaberry", "QUOKKABERRY", "plans", "berry", "[erased]", "é"]
)
MARKS = st.sampled_from(
    [" ", "\n", '"', "'", ": ", "- ", "\\", "\\n", "#", "[", "]", "{", "}", "```", "---\n", ", "]
)
TEXTS = st.lists(st.one_of(WORDS, MARKS, st.text(max_size=4)), max_size=25).map("".join)
VALUES = st.recursive(
    st.one_of(TEXTS, st.integers(), st.none(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=12,
)


@given(TEXTS)
@example("quokkaberry [erased] quokkaberry")
def test_what_is_clean_stays_as_it_is(text):
    for redact in (redact_markdown, redact_json, redact_lines):
        clean = redact(text, PLAN)
        assert redact(clean, PLAN) == clean
        if "quokkaberry" not in text.lower():
            assert clean == text


@given(TEXTS)
def test_nothing_is_left_of_the_words(text):
    clean = PLAN.redact(text)
    assert not PLAN.holds(clean)
    assert "quokkaberry" not in clean.lower()


@given(VALUES, st.booleans(), st.sampled_from([None, 2]))
def test_json_keeps_its_shape(value, ascii_only, indent):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    clean = redact_json(text, PLAN)
    assert _shape(json.loads(clean)) == _shape(value)
    assert list(_leaves(json.loads(clean))) == [_redacted(leaf) for leaf in _leaves(value)]
    assert "quokkaberry" not in json.dumps(json.loads(clean)).lower()


@given(
    st.dictionaries(st.text(alphabet="abc", min_size=1, max_size=3), TEXTS, min_size=1, max_size=4),
    st.booleans(),
)
def test_frontmatter_keeps_its_keys(values, quoted):
    lines = [
        f"{key}: {json.dumps(value) if quoted else frontmatter.quote(value)}"
        for key, value in values.items()
    ]
    text = "---\n" + "\n".join(lines) + "\n---\n\nquokkaberry\n"
    before, after = frontmatter.read(text), frontmatter.read(redact_markdown(text, PLAN))
    assert before
    assert after
    assert after.values.keys() == before.values.keys()
    assert after.problem == before.problem


@pytest.mark.slow
def test_a_large_text_full_of_the_words_takes_linear_time():
    line = "The quokkaberry plan, and “more” of it.\n"

    def redact(text):
        assert redact_markdown(text, PLAN) == "The [erased], and “more” of it.\n" * text.count("\n")

    found = linear.growth(
        redact, lambda size: line * (size // len(line)), sizes=(10_000, 100_000, 1_000_000)
    )
    assert max(found) <= linear.LINEAR
