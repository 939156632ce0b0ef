"""Topics: read without loss, edited by span, named by stable ids."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.topics import topic
from reverie.dialect import CLAUDE, REVERIE
from reverie.types import Entry, Kind, Scope, Topic

NOW = datetime(2026, 5, 1, tzinfo=UTC)
STYLE = """---
name: style
description: how to write
type: feedback
owner: me # kept
---

# Style

For commits:
- small
  **Why:** review
- signed

Keep answers short.

Why: reads the diff

<!-- by hand -->
"""
LINE = st.sampled_from(
    [
        "",
        "plain",
        "- item",
        "  - nested",
        "# head",
        "Why: x",
        "**How to apply:** y",
        "```",
        "---",
        "Rules:",
        "<!-- c -->",
    ]
)
TEXTS = st.tuples(
    st.lists(LINE, max_size=20),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.sampled_from(["", "\ufeff"]),
).map(
    lambda t: (
        t[3] + (t[1].join(["---", "type: user", "description: d", "---", *t[0]]) + t[1] * t[2])
    )
)


def parsed(text: str = STYLE, rel: str = "feedback/style.md") -> Topic:
    found = topic.parse_topic(text, path=f"/m/{rel}", rel=rel, scope=Scope.USER, updated=NOW)
    assert found is not None
    return found


def test_a_topic_is_its_frontmatter_and_its_entries() -> None:
    found = parsed()
    assert (found.name, found.description, found.kind) == ("style", "how to write", Kind.FEEDBACK)
    assert found.text == STYLE
    assert found.updated == NOW
    assert [(e.id, e.summary, e.why) for e in found.entries] == [
        ("feedback/style.md:1", "small", "review"),
        ("feedback/style.md:2", "signed", ""),
        ("feedback/style.md:3", "Keep answers short.", "reads the diff"),
    ]


def test_the_only_entry_has_the_path_as_its_id() -> None:
    found = parsed("---\nname: n\ntype: user\n---\n\nLikes tea\n", rel="user.md")
    assert [entry.id for entry in found.entries] == ["user.md"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("just text\n", "frontmatter"),
        ("---\nname: a\n---\n", "missing"),
        ("---\ntype: opinion\n---\n", "opinion"),
        ("---\ntype: user|feedback\n---\n", "user|feedback"),
    ],
)
def test_a_file_of_no_kind_is_no_topic_and_says_why(text: str, reason: str) -> None:
    assert topic.parse_topic(text, path="/m/a.md", rel="a.md", scope=Scope.USER) is None
    assert reason in topic.why_no_topic(text)


@pytest.mark.parametrize(
    "head",
    ["type: user", "type: 'User'", 'type: "user"', "metadata:\n  type: user", "type:   user   # k"],
)
def test_the_kind_is_found_as_people_write_it(head: str) -> None:
    assert parsed(f"---\n{head}\n---\nx\n").kind is Kind.USER


def test_names_fall_back_to_the_title_and_the_file() -> None:
    assert parsed("---\ntype: user\ntitle: T\n---\n").name == "T"
    assert parsed("---\ntype: user\n---\n", rel="a/b-c.md").name == "b-c"


def test_a_topic_of_frontmatter_alone_remembers_its_description() -> None:
    found = parsed(
        "---\ntype: user\ndescription: likes tea\n---\n\n_No entries yet._\n", rel="t.md"
    )
    assert [(e.id, e.summary) for e in found.entries] == [("t.md", "likes tea")]
    assert topic.remove_entries(found, ["t.md"]) is None


def test_a_body_of_code_alone_is_one_entry() -> None:
    found = parsed("---\ntype: user\n---\n\n```sh\nmake\n```\n", rel="t.md")
    assert len(found.entries) == 1
    assert topic.remove_entries(found, ["t.md"]) is None


@pytest.mark.parametrize(
    ("rel", "expected"),
    [
        ("user.md", True), ("a/b.md", True), ("pinned/x.md", True), ("a.MD", True), ("项目.md", True),
        ("MEMORY.md", False), ("feedback/MEMORY.md", False), ("memory.md", False), ("a.txt", False),
        (".trash/a.md", False), (".a.md", False), ("md", False),
    ],
)  # fmt: skip
def test_which_files_may_be_topics(rel: str, expected: bool) -> None:
    assert topic.is_topic_path(rel) is expected


def test_pinned_is_a_top_folder_in_any_case() -> None:
    assert topic.is_pinned("pinned/a.md")
    assert topic.is_pinned("Pinned/a/b.md")
    assert not topic.is_pinned("pinned.md")
    assert not topic.is_pinned("a/pinned/b.md")


def test_removing_one_entry_keeps_headings_prose_and_siblings() -> None:
    assert topic.remove_entries(parsed(), ["feedback/style.md:1"]) == STYLE.replace(
        "- small\n  **Why:** review\n", ""
    )
    assert topic.remove_entries(parsed(), ["feedback/style.md:3"]) == STYLE.replace(
        "Keep answers short.\n\nWhy: reads the diff\n\n", ""
    )


def test_removing_everything_keeps_what_somebody_wrote_beside_the_entries() -> None:
    found = parsed()
    left = topic.remove_entries(found, [entry.id for entry in found.entries])
    assert left is not None
    assert "<!-- by hand -->" in left
    assert "small" not in left
    plain = parsed(STYLE.replace("<!-- by hand -->\n", "").replace("For commits:\n", ""))
    assert topic.remove_entries(plain, [entry.id for entry in plain.entries]) is None


@given(TEXTS)
def test_reading_changes_nothing_and_removing_nothing_gives_the_same_bytes(text: str) -> None:
    found = parsed(text)
    assert found.text == text
    assert text.endswith(found.body)
    if found.entries:
        assert topic.remove_entries(found, []) == text


@given(TEXTS, st.data())
def test_removing_an_entry_removes_its_lines_and_only_blank_ones_besides(
    text: str, data: st.DataObject
) -> None:
    found = parsed(text)
    if not found.entries:
        return
    gone = data.draw(st.sampled_from(found.entries))
    left = topic.remove_entries(found, [gone.id])
    kept = text[: gone.span.start] + text[gone.span.end :]
    expected = [line.rstrip("\r") for line in kept.split("\n") if line.strip()]
    if left is None:
        assert len(found.entries) == 1
    else:
        assert [line.rstrip("\r") for line in left.split("\n") if line.strip()] == expected


@given(TEXTS, st.data(), st.sampled_from(["new", "two\nlines", "新的一行"]))
def test_replacing_a_summary_is_read_back_and_touches_no_sibling(
    text: str, data: st.DataObject, summary: str
) -> None:
    found = parsed(text)
    if not found.entries:
        return
    entry = data.draw(st.sampled_from(found.entries))
    after = parsed(topic.replace_entry(found, entry.id, summary=summary))
    at = found.entries.index(entry)
    if len(after.entries) == len(found.entries):
        assert after.entries[at].summary == " ".join(summary.split())
        assert [(e.summary, e.why, e.how) for i, e in enumerate(after.entries) if i != at] == [
            (e.summary, e.why, e.how) for i, e in enumerate(found.entries) if i != at
        ]
    assert after.text.startswith(text[: entry.span.start])


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_reason_is_added_in_the_style_of_the_entry(end: str) -> None:
    found = parsed(STYLE.replace("\n", end))
    text = topic.replace_entry(found, "feedback/style.md:2", why="a\nb", how="c")
    assert f"- signed{end}  Why: a{end}  b{end}  How to apply: c{end}{end}Keep" in text
    text = topic.replace_entry(found, "feedback/style.md:3", how="x", dialect=CLAUDE)
    assert f"Why: reads the diff{end}**How to apply:** x{end}{end}<!--" in text
    text = topic.replace_entry(found, "feedback/style.md:1", why="new")
    assert text == found.text.replace("review", "new")


WORDS = st.text(alphabet="abc 项目é", min_size=1, max_size=20).map(str.strip).filter(bool)


@given(
    WORDS,
    st.text(max_size=40),
    st.sampled_from(Kind),
    st.lists(
        st.tuples(WORDS, st.one_of(st.just(""), WORDS), st.one_of(st.just(""), WORDS)),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from([REVERIE, CLAUDE]),
)
def test_what_is_rendered_is_read_back(name, description, kind, entries, dialect) -> None:
    given_entries = [Entry("", summary, why, how) for summary, why, how in entries]
    text = topic.render_topic(
        name, description=description, kind=kind, entries=given_entries, dialect=dialect
    )
    found = parsed(text)
    assert (found.name, found.kind) == (" ".join(name.split()), kind)
    assert found.description == " ".join(description.split())
    assert [(e.summary, e.why, e.how) for e in found.entries] == [
        (e.summary, e.why, e.how) for e in given_entries
    ]


def test_a_new_topic_looks_like_the_document() -> None:
    text = topic.render_topic(
        "Tabs",
        description="indent with tabs",
        kind=Kind.FEEDBACK,
        entries=[Entry("", "Use tabs.", "team habit", "all Python")],
    )
    assert text == (
        "---\nname: Tabs\ndescription: indent with tabs\ntype: feedback\n---\n\n"
        "Use tabs.\n\nWhy: team habit\nHow to apply: all Python\n"
    )
