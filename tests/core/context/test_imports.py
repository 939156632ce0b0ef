"""How imports are written: what is one, what is not, and where each one points."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.context.imports import directives, outside_code_only, rebased, resolved


def written(text):
    return [(item.path, item.explicit) for item in outside_code_only(text, directives(text))]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("<!-- @import: path/to/file.md -->", "path/to/file.md"),
        ("<!-- @import: ../docs/api-guide.md -->", "../docs/api-guide.md"),
        ("<!-- @import: ~/.config/coding-standards.md -->", "~/.config/coding-standards.md"),
        ("<!--@import:a.md-->", "a.md"),
        ("<!-- @import a.md -->", "a.md"),
        ("<!--\n@import: a.md\n-->", "a.md"),
        ("<!-- @import: docs/my file.md -->", "docs/my file.md"),
        ('<!-- @import: "docs/my file.md" -->', "docs/my file.md"),
        ("<!-- @import: -->", ""),
        ("top @./b.md", "./b.md"),
        ("@../up.md and more", "../up.md"),
        ("@~/notes.md", "~/notes.md"),
        ("@docs/a.md", "docs/a.md"),
        ("@README.md", "README.md"),
        ("@_x.md", "_x.md"),
        ("see @__init__.md.", "__init__.md"),
        ("@_docs/_a.md", "_docs/_a.md"),
        ("@+page.md", "+page.md"),
        ("@-x.txt", "-x.txt"),
        ("@..notes/x.md", "..notes/x.md"),
        ("see @./a.md.", "./a.md"),
        ("see @./a.md, and", "./a.md"),
        ("(@./a.md)", "./a.md"),
        ("**@./a.md**", "./a.md"),
        ("| @./a.md | b |", "./a.md"),
        ('@"my file.md" here', "my file.md"),
        ("@'my file.md' here", "my file.md"),
        ("@./my\\ file.md here", "./my file.md"),
        ("@./app/[slug]/(a)/page.md", "./app/[slug]/(a)/page.md"),
        ("请看@./规则.md。谢谢", "./规则.md"),
        ("@docs/规则.md，然后", "docs/规则.md"),
        ("（@./规则.md）", "./规则.md"),
        ("см. @./правила.md!", "./правила.md"),
    ],
)
def test_a_plain_import_is_read(text, path):
    assert written(text) == [(path, True)]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("@types/node", "types/node"),
        ("@scope/pkg.js", "scope/pkg.js"),
        ("@/components/Button", "/components/Button"),
        ("@app.route", "app.route"),
    ],
)
def test_what_only_might_be_a_path_is_told_apart(text, path):
    assert written(text) == [(path, False)]


@pytest.mark.parametrize(
    "text",
    [
        "mail me@example.org or first.last@host.md",
        "@param x",
        "@user said",
        "@dataclass",
        "\\@./a.md",
        "a@./b",
        "user@host:./a.md",
        "[x](@./a.md)",
        "[see @./a.md too](https://x)",
        "![@./a.md](x.png)",
        "[ref]: @./a.md",
        "@",
        "@ ./a.md",
        "<!-- import: a.md -->",
        "<!-- @important: a -->",
        "имя@почта.рф",
    ],
)
def test_other_uses_of_the_sign_are_left_alone(text):
    assert [path for path, explicit in written(text)] == []


@given(st.text(alphabet="@./a~\"'<!->import: \n`\\()[]中。", max_size=60))
def test_directives_never_overlap_and_lie_in_the_text(text):
    end = 0
    for item in directives(text):
        assert end <= item.span.start < item.span.end <= len(text)
        assert "@" in text[item.span.start : item.span.end]
        end = item.span.end


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("b.md", "/p/docs/b.md"),
        ("../b.md", "/p/b.md"),
        ("~/b.md", "/home/me/b.md"),
        ("/etc/b.md", "/etc/b.md"),
        ("..b.md", "/p/docs/..b.md"),
    ],
)
def test_a_path_is_relative_to_the_file_it_stands_in(path, target):
    assert resolved(path, folder="/p/docs", home="/home/me") == target


def test_moving_a_text_keeps_what_its_imports_mean():
    text = (
        "<!-- @import: docs/a.md -->\n@./b.md, @~/c.md @/d.md\n"
        '@"e f.md" @./g\\ h.md <!-- @import: "i j.md" -->\n'
        "`@./code.md` @types/node @lib/x.js https://x.y\n"
    )
    moved = rebased(
        text, folder="/p", target="/p/.r/archive", is_file=lambda path: path == "/p/lib/x.js"
    )
    assert moved == (
        "<!-- @import: ../../docs/a.md -->\n@../../b.md, @~/c.md @/d.md\n"
        '@"../../e f.md" @../../g\\ h.md <!-- @import: "../../i j.md" -->\n'
        "`@./code.md` @types/node @../../lib/x.js https://x.y\n"
    )
