"""Frontmatter: read like YAML reads it, edited without touching anything else."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.markdown import frontmatter

VALUES = st.one_of(
    st.text(max_size=40),
    st.text(
        alphabet=st.sampled_from("aZ9 :#'\"\\-|>{}[]&*!%@`,?~\n\r\t\u3000\x85é项\u2028\ufeff"),
        max_size=20,
    ),
)
PLAIN_LINES = st.lists(
    st.tuples(
        st.sampled_from(["name", "description", "type", "x-y"]),
        VALUES.filter(lambda v: "\n" not in v),
    ),
    max_size=5,
)


@pytest.mark.parametrize(
    ("inner", "values"),
    [
        ("name: a\ntype: user\n", {"name": "a", "type": "user"}),
        ('description: "a: b"\n', {"description": "a: b"}),
        ("description: 'it''s'\n", {"description": "it's"}),
        ("description: >\n  one\n  two\nname: n\n", {"description": "one two\n", "name": "n"}),
        ("description: |\n  one\n  two\n", {"description": "one\ntwo\n"}),
        ("description:\ntype: user\n", {"description": "", "type": "user"}),
        ("name: a # not part of it\n", {"name": "a"}),
        ("# only a comment\nname: a\n", {"name": "a"}),
        ("tags: [x, y]\nname: a\n", {"name": "a"}),
        ("metadata:\n  type: user\n", {"metadata.type": "user"}),
        ("name: a\nname: b\n", {"name": "a"}),
        ("version: 1.10\nyes: no\n", {"version": "1.10", "yes": "no"}),
        ("name: ~\n", {"name": ""}),
        ("", {}),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_values_are_what_yaml_says(inner: str, values: dict[str, str], end: str, mark: str) -> None:
    text = f"{mark}---\n{inner}---\nbody\n".replace("\n", end)
    found = frontmatter.read(text)
    assert found is not None
    assert dict(found.values) == values
    assert not found.problem
    assert text[found.body :] == f"body{end}"


@pytest.mark.parametrize(
    ("inner", "values"),
    [
        ("description: a: b\ntype: user\n", {"description": "a: b", "type": "user"}),
        ('name: "open\ntype: user\n', {"name": '"open', "type": "user"}),
        ("\tname: x\ntype: user\n", {"type": "user"}),
        ("type: user\nname: [a\n", {"type": "user", "name": "[a"}),
        ("type: user\n" + "a: " + "[" * 5000 + "\n", {"type": "user", "a": "[" * 5000}),
    ],
)
def test_broken_yaml_is_read_line_by_line_and_reported(inner: str, values: dict[str, str]) -> None:
    found = frontmatter.read(f"---\n{inner}---\n")
    assert found is not None
    assert dict(found.values) == values
    assert found.problem


def test_a_value_in_broken_yaml_is_changed_where_it_stands() -> None:
    text = "---\ndescription: a: b\ntype: user\nname: old\n---\nbody\n"
    assert frontmatter.set_value(text, "name", "new") == text.replace("old", "new")
    assert frontmatter.set_value(text, "type", "project") == text.replace("user", "project")


@pytest.mark.parametrize(
    "text", ["", "no", "---\nname: a\n", " ---\na: b\n---\n", "text\n---\na: b\n---\n"]
)
def test_a_file_without_a_closed_head_has_none(text: str) -> None:
    assert frontmatter.read(text) is None


def test_a_closing_fence_at_the_end_of_the_file_needs_no_newline() -> None:
    found = frontmatter.read("---\nname: a\n---")
    assert found is not None
    assert found.values == {"name": "a"}


@given(PLAIN_LINES)
def test_the_short_way_agrees_with_the_library(pairs: list[tuple[str, str]]) -> None:
    inner = "".join(f"{key}: {value}\n" for key, value in pairs)
    simple = frontmatter._read_simple(inner)
    if simple is None:
        return
    root = yaml.compose(inner, Loader=yaml.SafeLoader)
    expected: dict[str, str] = {}
    for key, value in root.value if root else []:
        null = value.style is None and value.value in ("", "~", "null", "Null", "NULL")
        expected.setdefault(key.value, "" if null else value.value)
    assert simple == expected


@given(
    st.sampled_from(
        [
            "---\nname: old\ndescription: d # why\ntype: user\n---\nbody",
            "---\r\nname: >\r\n  folded\r\n  text\r\ntype: user\r\n---\r\nbody\r\n",
            "\ufeff---\n# c\nname:\ntype: user\n\n---\n",
            "---\n  name: 'x'\n  type: user\n---\n",
            "---\nname: |\n  block\n\n\ntype: user\n---\n",
            "---\nname: a: b\ntype: user\n---\n",
        ]
    ),
    VALUES,
)
def test_a_value_that_is_set_is_read_back_and_nothing_else_moves(text: str, value: str) -> None:
    changed = frontmatter.set_value(text, "name", value)
    found, before = frontmatter.read(changed), frontmatter.read(text)
    assert found is not None
    assert before is not None
    assert found.values["name"] == value
    assert found.values["type"] == "user"
    assert changed[found.body :] == text[before.body :]
    at = text.index("name")
    assert changed[: at + 5] == text[: at + 5]


@given(st.text(max_size=60), st.sampled_from(["new", "x-y"]), VALUES)
def test_a_missing_key_or_head_is_added(body: str, key: str, value: str) -> None:
    changed = frontmatter.set_value(body, key, value)
    found = frontmatter.read(changed)
    assert found is not None
    assert found.values[key] == value
    assert changed.endswith(body.removeprefix("\ufeff"))


@given(
    PLAIN_LINES, st.sampled_from(["name", "type", "new"]), VALUES, st.sampled_from(["\n", "\r\n"])
)
def test_the_short_way_sets_a_value_as_the_library_does(
    pairs: list[tuple[str, str]], key: str, value: str, end: str
) -> None:
    text = end.join(["---", *(f"{name}: {said} " for name, said in pairs), "---", "body"])
    set_quickly = frontmatter.set_value(text, key, value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frontmatter, "_simple_spans", lambda *_: None)
        assert frontmatter.set_value(text, key, value) == set_quickly


@given(VALUES)
def test_a_quoted_value_stays_on_one_line_and_means_the_same(value: str) -> None:
    quoted = frontmatter.quote(value)
    assert len(quoted.splitlines()) <= 1
    assert yaml.compose(f"k: {quoted}\n", Loader=yaml.SafeLoader).value[0][1].value == value
