"""The catalog: the document's lines and limits, nothing lost, nothing forged."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from reverie.config import CatalogSettings
from reverie.core.topics.catalog import (
    SUBCATALOGS,
    Catalog,
    Listing,
    heading_of,
    is_generated,
    render_catalog,
    safe_label,
    safe_path,
    shorten,
)
from reverie.core.topics.topic import is_topic_path
from reverie.types import Kind, Scope, Topic

NOW = datetime(2026, 5, 1, tzinfo=UTC)
LIMITS = CatalogSettings()


def catalog_targets(text: str) -> list[str]:
    """List the paths that the lines of a catalog link to."""
    lines = (re.fullmatch(r"- \[[^\]]*\]\(([^)]*)\).*", line) for line in text.splitlines())
    return [unquote(line[1]) for line in lines if line]


def topic(
    rel: str, name: str = "", description: str = "d", *, days: int = 0, kind: Kind = Kind.USER
) -> Topic:
    return Topic(
        path=f"/m/{rel}",
        rel=rel,
        scope=Scope.USER,
        kind=kind,
        name=name or rel,
        description=description,
        body="",
        text="",
        updated=NOW - timedelta(days=days),
        pinned=rel.startswith("pinned/"),
    )


def test_lines_look_like_the_document_newest_and_pinned_first() -> None:
    catalog = render_catalog(
        [
            topic("feedback/style.md", "反馈规范", "保持回复简洁，不要尾部总结", days=2),
            topic("pinned/rule.md", "Rule", "never push to main", days=9),
            topic("user/preferences.md", "用户偏好", "资深 Go 工程师", days=1),
            topic("b.md", "B", "", days=2),
        ],
        settings=LIMITS,
        existing=None,
    )
    assert catalog.text == (
        "- [Rule](pinned/rule.md) — never push to main\n"
        "- [用户偏好](user/preferences.md) — 资深 Go 工程师\n"
        "- [B](b.md) — user\n"
        "- [反馈规范](feedback/style.md) — 保持回复简洁，不要尾部总结\n"
    )
    assert catalog.notes == ()
    assert catalog.subcatalogs == {}


def test_no_topics_give_an_empty_catalog() -> None:
    assert render_catalog([], settings=LIMITS, existing=None).text == ""


def test_what_does_not_fit_is_listed_by_kind_and_reported() -> None:
    topics = [
        topic(f"t/{n:04}.md", f"T{n}", "x" * 300, days=n, kind=list(Kind)[n % 4])
        for n in range(1000)
    ]
    catalog = render_catalog(topics, settings=LIMITS, existing=None)
    lines = catalog.text.splitlines()
    assert len(lines) <= 200
    assert len(catalog.text.encode()) <= 25_000
    assert max(map(len, lines)) <= 150
    assert lines[0].startswith("- [T0](t/0000.md) — xxx")
    assert set(catalog.subcatalogs) == set(SUBCATALOGS)
    assert all(f"({path})" in catalog.text for path in catalog.subcatalogs)
    listed = [path for path in catalog_targets(catalog.text) if not path.endswith("MEMORY.md")]
    for text in catalog.subcatalogs.values():
        assert is_generated(text)
        listed += [path.removeprefix("../") for path in catalog_targets(text)]
    assert sorted(listed) == sorted(item.rel for item in topics)
    assert sum(int(note.split()[0]) for note in catalog.notes) == 1000 - len(lines) + 4


def test_sub_catalogs_are_never_topics() -> None:
    assert not any(is_topic_path(rel) for rel in SUBCATALOGS)


def test_a_path_too_long_for_a_line_is_listed_in_the_sub_catalog() -> None:
    rel = "deep/" * 40 + "a.md"
    catalog = render_catalog([topic(rel), topic("b.md")], settings=LIMITS, existing=None)
    assert catalog_targets(catalog.text) == ["b.md", "user/MEMORY.md"]
    assert catalog_targets(catalog.subcatalogs["user/MEMORY.md"]) == [f"../{rel}"]


def test_a_long_name_is_cut_but_its_link_stays_whole() -> None:
    catalog = render_catalog([topic("a.md", "n" * 500, "d" * 500)], settings=LIMITS, existing=None)
    assert len(catalog.text.rstrip("\n")) <= 150
    assert catalog_targets(catalog.text) == ["a.md"]


def test_hand_written_lines_stay_and_stale_lines_go() -> None:
    existing = (
        "# My memory\r\n\r\n- [Old](gone.md) — stale\r\n- [A](a.md) — before\r\n\r\n"
        "Remember to tidy up.\r\n- [site](https://example.org/a.md)\r\n- [plain](notes.md) — by hand\r\n"
    )
    catalog = render_catalog(
        [topic("a.md", "A", "now")], settings=LIMITS, existing=existing, others={"notes.md"}
    )
    assert catalog.text == (
        "# My memory\r\n\r\n- [A](a.md) — now\r\n\r\nRemember to tidy up.\r\n"
        "- [site](https://example.org/a.md)\r\n- [plain](notes.md) — by hand\r\n"
    )
    assert catalog.notes == ()


def test_hand_written_lines_that_are_too_many_stay_and_are_told() -> None:
    existing = "".join(f"By hand, line {number}.\n" for number in range(LIMITS.max_lines + 1))
    catalog = render_catalog([], settings=LIMITS, existing=existing)
    assert catalog.text.startswith(existing)
    assert any("hand-written lines alone" in note for note in catalog.notes)


@given(
    st.lists(
        st.sampled_from(
            ["", "# Head", "prose", "- [x](a.md) — d", "- item", "- [y](gone.md)", "> q"]
        ),
        max_size=12,
    ),
    st.lists(st.integers(0, 5), unique=True, max_size=5),
)
def test_rendering_again_changes_nothing(lines: list[str], numbers: list[int]) -> None:
    topics = [topic(f"{n}.md") for n in numbers]
    first = render_catalog(topics, settings=LIMITS, existing="\n".join(lines))
    again = render_catalog(topics[::-1], settings=LIMITS, existing=first.text)
    assert again.text == first.text
    for line in ("# Head", "prose", "- item", "> q"):
        assert first.text.split("\n").count(line) == lines.count(line)


NASTY = st.text(
    alphabet=st.sampled_from(
        "ab[]()`<>!/\\\n\r\t\x00\x1b\u202e\u200b\u2028\u2066é项-#| .:—\ud800\U000e0041"
    ),
    max_size=60,
)


@given(NASTY, NASTY, st.text(alphabet="ab ()[]<>#%\u202eé项\n", min_size=1, max_size=30))
def test_nothing_a_topic_says_can_leave_its_line_or_its_link(
    name: str, description: str, stem: str
) -> None:
    rel = f"user/{stem}.md"
    catalog = render_catalog([topic(rel, name, description)], settings=LIMITS, existing=None)
    text = catalog.text
    assert text.count("\n") == 1
    assert len(text) <= 151
    assert not re.search(
        "[\x00-\x09\x0b-\x1f\u202a-\u202e\u2066-\u2069\u200b\u2028\u2029\ud800-\udfff]", text
    )
    assert not re.search("[\U000e0000-\U000e007f`]", text)
    assert text.count("](") == 1
    assert "<!--" not in text
    assert "</" not in text
    assert catalog_targets(text) == [rel]


def test_a_label_of_any_character_is_as_safe_as_its_category_says() -> None:
    for code in (
        *range(0x3100),
        *range(0xD7F0, 0xE010),
        *range(0xFD00, 0x11100),
        *range(0xE0000, 0xE0200),
    ):
        char = chr(code)
        category = unicodedata.category(char)
        hidden = category == "Cf" and char not in "\u200c\u200d"
        blank = category in ("Cc", "Cs", "Zl", "Zp") or char.isspace()
        plain = {"[": "(", "]": ")", "`": "'"}.get(char, char)
        shown = "xy" if hidden else "x y" if blank else f"x{plain}y"
        assert safe_label.__wrapped__(f"x{char}y") == ("x‹y" if char == "<" else shown), hex(code)


@given(st.text(alphabet="az09._~-/ %#()é\u0301项\n\x7f", max_size=12))
def test_a_path_survives_its_link(rel: str) -> None:
    assert unquote(safe_path(rel)) == rel
    assert not re.search(r"[\s()%#](?![0-9A-F]{2})", safe_path(rel))


@given(
    st.lists(
        st.lists(
            st.sampled_from(["user", "project", "a", "b-c", "pinned"]), min_size=1, max_size=3
        ),
        unique_by=tuple,
        min_size=1,
        max_size=8,
    ),
    st.integers(0, 6),
    st.integers(0, 600),
)
def test_within_any_limits_every_topic_is_listed_once_where_its_link_leads_to_it(
    places: list[list[str]], lines: int, size: int
) -> None:
    topics = [
        topic("/".join(parts) + ".md", days=number, kind=list(Kind)[number % 4])
        for number, parts in enumerate(places)
    ]
    catalog = render_catalog(
        topics,
        settings=replace(LIMITS, max_lines=lines, max_bytes=size),
        existing=None,
    )
    listed = [rel for rel in catalog_targets(catalog.text) if rel not in SUBCATALOGS]
    for sub, text in catalog.subcatalogs.items():
        folder = posixpath.dirname(sub)
        listed += [posixpath.normpath(f"{folder}/{rel}") for rel in catalog_targets(text)]
    assert sorted(listed) == sorted(item.rel for item in topics)
    whole = render_catalog(topics, settings=LIMITS, existing=None).text
    if whole.count("\n") <= lines and len(whole.encode()) <= size:
        assert catalog == Catalog(whole)
    else:
        assert len(catalog.notes) >= len(catalog.subcatalogs) > 0


@given(NASTY, st.integers(0, 40))
def test_a_shortened_text_is_within_its_limit(text: str, limit: int) -> None:
    assert len(shorten(text, limit)) <= limit
    assert len(safe_label(text, limit)) <= limit


def test_letters_of_every_script_stay_readable_in_paths() -> None:
    assert safe_path("项目/où-café_1.md") == "项目/où-café_1.md"
    assert safe_path("a(b) c.md") == "a%28b%29%20c.md"


def test_cutting_never_splits_a_combined_character() -> None:
    assert shorten("cafe\u0301s", 5) == "caf…"
    family = "x👨\u200d👩\u200d👧y"
    assert not shorten(family, 3).rstrip("…").endswith("\u200d")


def test_the_catalog_limits_can_be_set() -> None:
    topics = [topic(f"{n}.md") for n in range(30)]
    small = replace(LIMITS, max_lines=10)
    assert len(render_catalog(topics, settings=small, existing=None).text.splitlines()) <= 10


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.sampled_from(list(Kind)), st.integers(0, 3)), max_size=25
    ),
    st.sampled_from([4, 6, 8, 200]),
    st.sampled_from([20, 60, 150]),
)
def test_a_catalog_that_is_kept_says_what_one_made_anew_says(changes, lines, columns) -> None:
    limits = replace(LIMITS, max_lines=lines, max_line_chars=columns)
    kept, there = Listing(limits), {}
    text = None
    for number, kind, days in changes:  # each comes, changes, or goes
        rel = f"pinned/{number}.md" if number > 7 else f"{kind.value}/{'long-' * number}.md"
        known = there.pop(rel, None)
        if known is not None:
            kept.remove(heading_of(known))
        if known is None or days:
            there[rel] = topic(rel, f"name {days}", days=days, kind=kind)
            kept.add([heading_of(there[rel])])
        catalog = kept.render(text)
        assert catalog == render_catalog(there.values(), settings=limits, existing=text)
        text = catalog.text
    kept.remove(heading_of(topic("never/there.md")))
    assert kept.render(text) == render_catalog(there.values(), settings=limits, existing=text)
