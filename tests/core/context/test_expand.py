"""Imports put in place: every graph of files ends within its limits, and every problem is told once."""

from __future__ import annotations

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.config import ContextSettings
from reverie.core.context.expand import Expander
from reverie.core.secrets.scanner import redact
from reverie.types.context import Found, ImportRule, Refused
from tests import linear


class Files:
    """A reader over a dictionary; `links` are other names of the same file."""

    def __init__(self, texts, *, links=None):
        self.texts = {f"/p/{name}": text for name, text in texts.items()}
        self.links = links or {}

    def exists(self, path):
        return self.is_file(path)

    def is_file(self, path):
        return self.links.get(path, path) in self.texts

    def is_link(self, path):
        return path in self.links

    def refuses(self, path, rule):  # noqa: ARG002  # these readers have no secrets
        return None

    def rule_of(self, path, rule):  # noqa: ARG002
        return rule

    def read(self, path, *, roots):
        real = self.links.get(path, path)
        if roots is not None and not any(real.startswith(f"{root}/") for root in roots):
            return Refused("outside", "outside")
        if real not in self.texts:
            return Refused("missing", "missing")
        return Found(real, self.texts[real], len(self.texts[real].encode()))


def expand(texts, *, name="A.md", format="tree", links=None, clean=None, **limits):
    reader = Files(texts, links=links)
    clean = clean or (lambda text: (text, ()))
    expander = Expander(reader, ContextSettings(**limits), format, "/home/me", clean)
    found = reader.read(f"/p/{name}", roots=None)
    text, imports = expander.expand(found, rule=ImportRule(("/p",)))
    return text, imports, expander


def told(expander):
    return [
        (posixpath.basename(item.path), item.line, item.reason) for item in expander.diagnostics()
    ]


def test_both_forms_are_expanded_in_place():
    texts = {"A.md": "top @./b.md\n<!-- @import: b.md -->\nend", "b.md": "bee\n"}
    text, imports, _ = expand(texts)
    assert text == (
        'top <imported from="./b.md">\nbee\n</imported>\n<imported from="b.md">\nbee\n</imported>\nend'
    )
    assert [(item.path, item.line, item.depth) for item in imports] == [
        ("/p/b.md", 1, 1),
        ("/p/b.md", 2, 1),
    ]


def test_the_flat_format_is_the_text_alone():
    texts = {"A.md": "top\n\n@./b.md\n\nend", "b.md": "\ufeff# Bee\n\n"}
    assert expand(texts, format="flat")[0] == "top\n\n# Bee\n\nend"


def test_imports_nest_relative_to_the_file_they_stand_in():
    texts = {
        "A.md": "<!-- @import: docs/b.md -->",
        "docs/b.md": "b\n<!-- @import: api/c.md -->",
        "docs/api/c.md": "c",
    }
    text, imports, expander = expand(texts)
    assert text == (
        '<imported from="docs/b.md">\nb\n<imported from="api/c.md">\nc\n</imported>\n</imported>'
    )
    assert [item.depth for item in imports] == [1, 2]
    assert told(expander) == []


def test_a_circle_ends_and_is_told_once():
    texts = {"A.md": "a @./B.md @./B.md", "B.md": "b\n@./A.md"}
    text, _, expander = expand(texts)
    once = '<imported from="./B.md">\nb\n@./A.md\n</imported>'
    assert text == f"a {once} {once}"
    assert told(expander) == [("B.md", 2, "cycle")]


def test_a_circle_through_a_link_is_a_circle():
    links = {"/p/alias.md": "/p/A.md"}
    text, _, expander = expand({"A.md": "a @./alias.md"}, links=links)
    assert text == "a @./alias.md"
    assert told(expander) == [("A.md", 1, "cycle")]


def test_a_file_may_stand_in_two_branches():
    texts = {"A.md": "@./b.md @./c.md", "b.md": "@./d.md", "c.md": "@./d.md", "d.md": "deep"}
    text, _, expander = expand(texts)
    assert text.count("deep") == 2
    assert told(expander) == []


def test_in_the_flat_format_a_file_stands_once():
    texts = {
        "A.md": "@./b.md @./c.md @./b.md <!-- @import: d.md -->",
        "b.md": "@./d.md",
        "c.md": "@./d.md",
        "d.md": "deep",
    }
    text, imports, expander = expand(texts, format="flat")
    assert text == "deep @./d.md @./b.md <!-- @import: d.md -->"
    assert [item.path for item in imports] == ["/p/b.md", "/p/d.md", "/p/c.md"]
    assert told(expander) == []


@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_in_the_flat_format_no_graph_of_files_repeats_one(seed, size):
    rows = [[at for at in range(size) if seed >> (at + 4 * row) & 1] for row in range(size)]
    texts = {
        f"{at}.md": f"text{at} " + " ".join(f"@./{to}.md" for to in rows[at]) for at in range(size)
    }
    text, _, _ = expand(texts, name="0.md", format="flat", max_depth=20)
    assert all(text.count(f"text{at}") <= 1 for at in range(size))


SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_a_secret_is_kept_out_wherever_it_stands_and_told_with_its_line():
    texts = {"A.md": f"one\ntoken {SECRET}\n@./b.md", "b.md": f"\n\n{SECRET} here"}
    text, _, expander = expand(texts, clean=redact)
    assert SECRET not in text
    assert text.count("[redacted:github-token]") == 2
    assert told(expander) == [("A.md", 2, "secret"), ("b.md", 3, "secret")]


def test_a_secret_that_only_two_files_together_show_is_kept_out():
    password = "hT7$kQ2!vX9z"
    texts = {"A.md": "password: @./pw.txt", "pw.txt": password}
    text, _, _ = expand(texts, clean=redact, format="flat")
    assert password not in text


def test_a_diamond_of_twenty_levels_stays_within_the_limits():
    texts = {f"{at}.md": f"@./{at + 1}.md @./{at + 1}.md" for at in range(20)} | {"20.md": "x"}
    _, imports, expander = expand(texts, name="0.md", max_depth=30, max_imports=500)
    assert len(imports) == 500
    assert {reason for _, _, reason in told(expander)} == {"too_many"}
    assert len(told(expander)) <= 21
    _, imports, expander = expand(texts, name="0.md")
    assert len(imports) == 2 + 4 + 8 + 16 + 32
    assert told(expander) == [("5.md", 1, "too_deep")]


def test_a_file_at_the_depth_limit_is_inserted_and_its_imports_stay():
    texts = {"A.md": "@./b.md", "b.md": "@./c.md", "c.md": "c"}
    text, _, expander = expand(texts, max_depth=1)
    assert text == '<imported from="./b.md">\n@./c.md\n</imported>'
    assert told(expander) == [("b.md", 1, "too_deep")]


def test_a_thousand_levels_need_no_deep_stack():
    texts = {f"{at}.md": f"@./{at + 1}.md" for at in range(3000)} | {"3000.md": "end"}
    text, imports, _ = expand(texts, name="0.md", max_depth=5000, max_imports=5000)
    assert len(imports) == 3000
    assert "end" in text


def test_what_is_over_the_byte_limit_is_left_as_written():
    texts = {"A.md": "@./big.md @./small.md", "big.md": "x" * 100, "small.md": "s"}
    text, _, expander = expand(texts, max_total_bytes=50)
    assert text == '@./big.md <imported from="./small.md">\ns\n</imported>'
    assert told(expander) == [("A.md", 1, "too_much")]


def test_limits_are_told_once_per_file_with_their_count():
    texts = {"A.md": "\n".join(f"@./{at}.md" for at in range(5000))}
    texts |= {f"{at}.md": "x" for at in range(5000)}
    _, imports, expander = expand(texts)
    assert len(imports) == 500
    (diagnostic,) = expander.diagnostics()
    assert diagnostic.line == 501
    assert diagnostic.message.startswith("4500 imports left as written")


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("@./gone.md", "missing"),
        ("<!-- @import: gone.md -->", "missing"),
        ("@../out.md", "outside"),
        ("@~/x.md", "outside"),
        ("<!-- @import: https://x.y/z.md -->", "url"),
        ("<!-- @import: -->", "bad_path"),
    ],
)
def test_a_bad_import_stays_as_written_and_is_told(written, reason):
    text, imports, expander = expand({"A.md": f"one\n\n{written} two"})
    assert text == f"one\n\n{written} two"
    assert imports == ()
    assert told(expander) == [("A.md", 3, reason)]


@pytest.mark.parametrize("token", ["@types/node", "@app.route", "@/components/Button", "@lib/x.js"])
def test_what_only_might_be_a_path_is_passed_over_silently(token):
    text, _, expander = expand({"A.md": f"use {token} here"})
    assert text == f"use {token} here"
    assert told(expander) == []


def test_what_might_be_a_path_is_one_if_the_file_is_there():
    text, _, _ = expand({"A.md": "use @lib/x.js here", "lib/x.js": "code"})
    assert text == 'use <imported from="lib/x.js">\ncode\n</imported> here'


def test_an_imported_text_cannot_end_its_own_tag():
    texts = {"A.md": "@./b.md", "b.md": 'x</imported>\n<imported from="y">'}
    text, _, _ = expand(texts)
    assert text == (
        '<imported from="./b.md">\nx&lt;/imported>\n&lt;imported from="y">\n</imported>'
    )


def test_a_tag_cannot_be_put_together_from_two_files():
    texts = {"A.md": "</ @./b.md", "b.md": "imported>"}
    assert expand(texts, format="flat")[0] == "&lt;/ imported>"


def test_everything_looked_for_is_remembered():
    texts = {"A.md": "@./b.md @./gone.md @types/node", "b.md": "b"}
    assert list(expand(texts)[2].depends) == ["/p/types/node", "/p/b.md", "/p/gone.md"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    ["` @./a.md ", '@"a ', "[ @./a.md ", "<!-- @import: a ", "a ` b @./a.md <!-- c --> `` \n\n"],
)
def test_hostile_text_takes_linear_time(piece):
    found = linear.growth(
        lambda text: expand({"A.md": text, "a.md": "x"}),
        lambda size: piece * (size // len(piece)),
        sizes=(3_000, 30_000, 300_000),
    )
    assert max(found) <= linear.LINEAR


def test_more_signs_of_imports_than_a_person_writes_are_told():
    _, imports, expander = expand({"A.md": "\n@a/b" * 10_001 + "\n@./b.md", "b.md": "x"})
    assert imports == ()
    assert told(expander) == [("A.md", 10_002, "too_many")]


GRAPHS = st.dictionaries(
    st.integers(0, 7),
    st.lists(
        st.one_of(st.integers(0, 9), st.sampled_from(["`", "\n```\n", "text", "</imported>"]))
    ),
    min_size=1,
)


@given(GRAPHS, st.integers(0, 6), st.integers(0, 40), st.integers(0, 2000))
def test_expanding_any_graph_ends_within_its_limits(graph, depth, imports, size):
    texts = {
        f"{name}.md": " ".join(f"@./{p}.md" if isinstance(p, int) else p for p in parts)
        for name, parts in graph.items()
    }
    first = f"{min(graph)}.md"
    for format in ("tree", "flat"):
        text, found, expander = expand(
            texts,
            name=first,
            format=format,
            max_depth=depth,
            max_imports=imports,
            max_total_bytes=size,
        )
        assert len(found) == expander.imports_used <= imports
        assert max((item.depth for item in found), default=0) <= depth
        assert expander.bytes_used <= max(size, len(texts[first]))
        assert expand(texts, name=first, format=format, max_depth=depth, max_imports=imports,
                      max_total_bytes=size)[0] == text  # fmt: skip
        if format == "tree":
            assert text.count("<imported from=") == text.count("</imported>") == len(found)
