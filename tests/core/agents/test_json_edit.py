"""JSON edited by span: what is put in can be taken out, and nothing else moves."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.agents import json_edit
from reverie.errors import ConfigUnreadable

ENTRY = {"hooks": [{"type": "command", "command": "x // no comment"}]}
value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=12,
)
documents = st.dictionaries(st.text(max_size=5).filter(lambda k: k != "ours"), value, max_size=4)
indents = st.sampled_from([None, 2, 4, "\t"])


@given(documents, indents, st.booleans())
def test_what_is_put_in_and_taken_out_leaves_the_same_bytes(document, indent, crlf):
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    text = text.replace("\n", "\r\n") if crlf else text
    made = json_edit.put(text, ("ours", "deep"), ENTRY)
    assert json_edit.read(made) == {**document, "ours": {"deep": ENTRY}}
    assert json_edit.remove(made, ("ours",)) == text
    listed = json_edit.append(text, ("ours",), ENTRY)
    assert json_edit.read(listed) == {**document, "ours": [ENTRY]}
    emptied = json_edit.discard(listed, ("ours",), lambda item: item == ENTRY)
    assert json_edit.read(emptied) == {**document, "ours": []}
    assert json_edit.remove(emptied, ("ours",)) == text


@pytest.mark.parametrize(
    "text",
    [
        '{\n  "a": 1 // about a\n}\n',
        '{\n  "a": 1, // about a\n  /* the end */\n}\n',
        "{\n  // about nothing\n}\n",
        '\ufeff{\r\n\t"a": {"b": 2,},\r\n}',
        '{ "a": "http://x/*y*/", }',
        '{\n  "a": 1 /* in line */ }',
    ],
)
def test_comments_and_trailing_commas_stay_where_they_are(text):
    made = json_edit.put(text, ("ours",), ENTRY)
    assert json_edit.read(made)["ours"] == ENTRY
    for piece in ("// about a", "/* the end */", "// about nothing", "/* in line */"):
        assert (piece in text) == (piece in made)
    assert json_edit.remove(made, ("ours",)) == text


@pytest.mark.parametrize("text", ["", "\ufeff", "\n", "// mine\n", "/* a */ // b"])
def test_nothing_is_taken_out_of_a_text_without_a_value(text):
    assert json_edit.remove(text, ("mcpServers", "reverie")) == text
    assert json_edit.discard(text, ("hooks", "Stop"), lambda _: True) == text


def test_comments_of_others_stay_when_ours_goes_out_of_the_middle():
    text = '{\n  "a": 1,\n  // about b\n  "b": 2\n}\n'
    between = text.replace("  // about b", '  "ours": {},\n  // about b')
    assert json_edit.remove(between, ("ours",)) == text
    first = text.replace("{\n", '{\n  "ours": {},\n', 1)
    assert json_edit.remove(first, ("ours",)) == text


def test_a_member_that_is_there_is_replaced_in_its_place():
    text = '{\n  "ours": 1,\n  "b": 2 // two\n}\n'
    assert json_edit.put(text, ("ours",), {"x": []}) == (
        '{\n  "ours": {\n    "x": []\n  },\n  "b": 2 // two\n}\n'
    )


def test_the_last_of_two_equal_keys_counts_as_for_everyone():
    made = json_edit.put('{"ours": 1, "ours": {"a": 1}}', ("ours", "b"), 2)
    assert json_edit.read(made)["ours"] == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{'a': 1}",
        "{a: 1}",
        '{"a": 1} x',
        '{"a": /* 1}',
        "nul",
        "/*",
        "/*/",
        "{} /* open",
        "// a\n/*",
    ],
)
def test_what_is_not_json_is_an_error_and_not_a_guess(text):
    with pytest.raises(ConfigUnreadable):
        json_edit.put(text, ("ours",), 1)


@pytest.mark.parametrize(("text", "where"), [("[]", "the file"), ('{"ours": []}', "ours")])
def test_another_type_than_expected_is_named(text, where):
    with pytest.raises(ConfigUnreadable, match=f"{where} is not an object"):
        json_edit.put(text, ("ours", "b"), 1)


def test_taking_out_what_is_not_there_changes_nothing():
    assert json_edit.remove('{"a": 1}', ("b", "c")) == '{"a": 1}'
    assert json_edit.discard('{"a": 1}', ("b",), bool) == '{"a": 1}'
    assert json_edit.remove("", ("b",)) == ""
