"""TOML edited: a table of ours comes and goes, comments and the rest stay."""

from __future__ import annotations

import pytest

from reverie.core.agents import toml_edit
from reverie.errors import ConfigUnreadable

PATH = ("mcp_servers", "reverie")
VALUE = {"command": "/opt/r e/reverie", "args": ["mcp", "--home", "/ü"]}


@pytest.mark.parametrize(
    "text",
    ["", "# only a comment\n", 'a = 1 # one\n\n[b."c d"]\nx = """\n[mcp_servers.reverie]\n"""\n',
     "\ufeffa = 1\r\n[mcp_servers.other]\r\ncommand = 'x'\r\n"],
)  # fmt: skip
def test_what_is_put_in_and_taken_out_leaves_the_same_bytes(text):
    made = toml_edit.put(text, PATH, VALUE)
    assert toml_edit.read(made)["mcp_servers"]["reverie"] == VALUE
    assert made.startswith(text)
    assert toml_edit.put(made, PATH, VALUE) == made
    assert toml_edit.remove(made, PATH) == text


def test_a_table_written_by_hand_is_replaced():
    text = "[mcp_servers.reverie]\ncommand='old' # mine\n[other]\na = 1 # keep\n"
    made = toml_edit.put(text, PATH, VALUE)
    assert toml_edit.read(made) == {"mcp_servers": {"reverie": VALUE}, "other": {"a": 1}}
    assert "a = 1 # keep" in made


@pytest.mark.parametrize(
    "text", ["mcp_servers = 3\n", "mcp_servers = { x = { command = 'y' } }\n", "a ="]
)
def test_where_no_table_can_be_added_nothing_is(text):
    with pytest.raises(ConfigUnreadable):
        toml_edit.put(text, PATH, VALUE)
