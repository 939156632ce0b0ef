"""The notebook's rules: ids, links in every form, backlinks, maps, review."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.layers import notes
from reverie.core.layers.notes import Notebook, new_note, parse_note
from reverie.errors import InvalidContent, NoteNotFound
from reverie.types import Note

NOW = datetime(2026, 5, 1, 10, 0, tzinfo=UTC)


def made(
    words: str, *, taken: tuple[str, ...] = (), folder: str = notes.ZETTEL, **options: str
) -> Note:
    new = new_note(words, now=NOW, taken=taken, folder=folder, **options)  # type: ignore[arg-type]
    return parse_note(new.text, rel=new.rel)


def test_a_note_is_a_file_with_an_id_a_title_and_an_alias() -> None:
    new = new_note(
        "Feed it daily.\nWarm water.",
        now=NOW,
        taken=(),
        title="Sourdough: why?",
        tags=["#bread", "a b"],
    )

    assert new.rel == "inbox/20260501100000-sourdough-why.md"
    assert new.text == (
        '---\nid: "20260501100000"\ntitle: "Sourdough: why?"\ncreated: 2026-05-01T10:00:00Z\n'
        'tags: [bread, a-b]\naliases: ["Sourdough: why?"]\n---\n\n'
        "# Sourdough: why?\n\nFeed it daily.\nWarm water.\n"
    )
    note = parse_note(new.text, rel=new.rel)
    assert (note.id, note.title, note.tags, note.aliases, note.created) == (
        "20260501100000", "Sourdough: why?", ("bread", "a-b"), ("Sourdough: why?",), NOW,
    )  # fmt: skip


def test_without_a_title_the_first_line_is_one() -> None:
    assert made("# 酵母的故事\n\n正文").title == "酵母的故事"
    assert made("one line").body.strip() == "# one line"
    assert notes.stem_of(made("酵母的故事")) == "20260501100000-酵母的故事"


def test_two_notes_of_one_second_get_different_ids() -> None:
    first = new_note("a", now=NOW, taken=())
    second = new_note("b", now=NOW, taken={first.id})

    assert second.id == "20260501100001"


@pytest.mark.parametrize("words", ["", " \n ", "- "])
def test_nothing_is_not_noted(words: str) -> None:
    with pytest.raises(InvalidContent):
        new_note(words, now=NOW, taken=())


@given(st.text(min_size=1, max_size=80), st.text(max_size=40))
def test_any_title_survives_in_frontmatter_and_file_name(words: str, title: str) -> None:
    try:
        new = new_note(words, now=NOW, taken=(), title=title)
    except InvalidContent:
        return
    note = parse_note(new.text, rel=new.rel)

    assert note.title == new.title
    assert note.aliases == (new.title,)
    assert note.id == "20260501100000"
    assert "/" not in notes.stem_of(note)
    assert Notebook([note]).find(notes.stem_of(note)) == note


def test_links_are_read_in_every_form_but_not_in_code() -> None:
    text = (
        "[[A]] and [[b|shown]] and [[C#part]] and ![[D]] | [[E\\|cell]] | \\[[F]]\n"
        "`[[G]]`\n\n```\n[[H]]\n```\n\n[[A]] again, [[ ]] and [[#here]] and [not [[I]] a link]\n"
    )

    assert [link for link, _ in notes.wikilinks(text)] == ["A", "b", "C", "D", "E", "A", "I"]
    assert parse_note(text, rel="zettel/x.md").links == ("A", "b", "C", "D", "E", "I")


def test_a_link_means_a_note_by_any_of_its_names() -> None:
    one = made("Bread needs time.", title="Sourdough")
    other = parse_note(
        "---\naliases: [Bread, 'Pain d''épices']\n---\n# Loaf\n", rel="zettel/loaf.md"
    )
    book = Notebook([one, other])

    for name in ("20260501100000", "20260501100000-sourdough", "sourdough", "SOURDOUGH",
                 "notes/zettel/20260501100000-sourdough.md", "zettel/20260501100000-sourdough"):  # fmt: skip
        assert book.find(name) == one
    for name in ("loaf", "Loaf", "bread", "Pain d'épices", "loaf.md"):
        assert book.find(name) == other
    assert book.find("cake") is None
    assert book.named("dough") == one
    with pytest.raises(NoteNotFound, match="notes list"):
        book.named("cake")
    with pytest.raises(NoteNotFound, match="several are near"):
        book.named("o")


def test_backlinks_are_found_and_a_link_is_one_line_at_the_end() -> None:
    target = made("Wild yeast.", title="Starter [sic] | odd")
    source = made("Bread.", taken=("20260501100000",), title="Bread")

    linked = parse_note(
        notes.with_link(source.text, target, why="- it begins\nthere"), rel=source.rel
    )

    assert linked.text == source.text + (
        "\n## Links\n\n- [[20260501100000-starter-sic-odd|Starter sic odd]]: it begins\n  there\n"
    )
    book = Notebook([target, linked])
    assert book.targets(linked) == [target]
    assert book.backlinks(target) == [linked]
    assert book.backlinks(linked) == []


def test_a_map_lists_notes() -> None:
    rel, text = notes.new_map("Baking", now=NOW)
    note = made("Bread.", title="Bread")

    text = notes.with_link(text, note, heading=notes.MAPPED)

    assert rel == "maps/baking.md"
    assert text.endswith("# Baking\n\n## Notes\n\n- [[20260501100000-bread|Bread]]\n")


def test_a_review_finds_what_wants_a_hand() -> None:
    waiting = made("Later.", folder=notes.INBOX)
    lonely = made("Alone.", taken=("20260501100000",))
    linked = made(
        "See [[alone again]] and [[nowhere]].", taken=("20260501100000", "20260501100001")
    )
    again = parse_note("# Alone again\n", rel="zettel/again.md")
    twin = parse_note("# alone.\n", rel="zettel/twin.md")
    rel, text = notes.new_map("Map", now=NOW)
    plan = parse_note(notes.with_link(text, again, heading=notes.MAPPED), rel=rel)

    found = notes.review(Notebook([waiting, lonely, linked, again, twin, plan]))

    assert found.inbox == (waiting,)
    assert found.orphans == (lonely, twin)
    assert found.broken == ((linked, "nowhere"),)
    assert found.unmapped == (lonely, linked, twin)
    assert found.twins == ((lonely, twin),)


@pytest.mark.parametrize(
    ("head", "tags"),
    [
        ("tags: [a, \"b c\", 'd']", ("a", "b c", "d")),
        ("tags:\n  - a\n  - b", ("a", "b")),
        ("tags: a, b", ("a", "b")),
        ("tags: '#a'", ("a",)),
        ("tags:", ()),
    ],
)
def test_tags_are_read_as_people_write_them(head: str, tags: tuple[str, ...]) -> None:
    assert parse_note(f"---\n{head}\n---\nbody\n", rel="zettel/x.md").tags == tags


def test_tags_in_the_text_count_but_not_in_code_or_in_headings_marks() -> None:
    note = parse_note(
        "# Title\n\n#bread and (#烘焙) but `#code`, c#, #1 and a#b\n", rel="zettel/x.md"
    )

    assert note.tags == ("bread", "烘焙")
