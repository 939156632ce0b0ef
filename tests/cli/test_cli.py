"""What a person at a terminal sees: messages, codes, exit statuses, and never a traceback."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from bench.speed.start import HEAVY
from reverie.cli import COMMANDS, root, run
from tests.local.store.test_filestore import put, topic


@pytest.fixture
def cli(project, capsys):
    def call(*arguments, workspace=True):
        status = run([*(["-C", str(project)] if workspace else []), *arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(cli, name):
    status, out, _ = cli(name, "--help")
    assert status == 0
    assert out.startswith("Usage: reverie")


def groups(command, context):
    if isinstance(command, click.Group):
        yield command, context
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            yield from groups(child, click.Context(child, info_name=name, parent=context))


@pytest.mark.parametrize(
    ("group", "context"),
    [
        pytest.param(group, context, id=context.command_path)
        for group, context in groups(root, click.Context(root, info_name="reverie"))
    ],
)
def test_the_short_help_of_every_command_fits_on_its_line(group, context):
    narrow = click.Context(group, info_name=context.info_name, terminal_width=80)
    _, _, listed = group.get_help(narrow).partition("Show this message and exit.\n")
    rows = [row for row in listed.splitlines() if row.startswith(" ")]
    assert [row.split()[0] for row in rows] == group.list_commands(context)
    assert not [row for row in rows if row.endswith("...") or len(row) > 80]


@pytest.mark.parametrize("words", [["-V"], ["--json", "--version"], ["--home", "/x", "--version"]])
def test_the_version_is_told_beside_other_options(words, capsys):
    assert run(words) == 0
    assert capsys.readouterr().out.startswith("reverie ")


def test_the_version_is_answered_without_importing_anything_heavy():
    script = (
        "import sys; sys.argv = ['reverie', '--version']\n"
        "from reverie.__main__ import main; main()\n"
        f"assert not set({HEAVY!r}) & set(sys.modules), sys.modules.keys()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("reverie ")


@pytest.mark.parametrize(
    "words",
    [
        ["remember", "--{}"],
        ["remember", "--scope", "{}", "x"],
        ["{}"],
        ["search", "x", "--max-results", "{}"],
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_usage_error_repeats_no_secret(project, capsys, words, form):
    secret = "ghp_" + "x7Kq2mZp9RtB4wLs" * 2 + "aB3d"
    given = [word.format(f"token={secret}") for word in words]
    assert run(["-C", str(project), *form, *given]) == 2
    told = capsys.readouterr()
    assert secret not in told.out + told.err


def test_a_text_that_begins_with_a_dash_is_told_how_to_be_given(cli):
    status, _, err = cli("remember", "- the harbour closes at nine")
    assert status == 2
    assert "Put -- before a text that begins with a dash. [usage]" in err
    assert cli("remember", "--", "- the harbour closes at nine")[0] == 0
    assert "begins with a dash" not in cli("remember", "--nonsense")[2]


def test_a_mistyped_command_gets_a_suggestion(cli):
    status, _, err = cli("lgo")
    assert status == 2
    assert "'log'" in err


@pytest.mark.parametrize("words", [(), ("config",), ("history",), ("notes",)])
def test_a_group_without_a_command_shows_its_help_and_nothing_else(cli, words):
    status, out, err = cli(*words, workspace=bool(words))
    assert (status, out) == (2, "")
    assert err.startswith("Usage: reverie")
    assert "[usage]" not in err
    status, out, _ = cli("--json", *words)
    assert status == 2
    assert json.loads(out)["error"]["code"] == "usage"


@pytest.mark.parametrize(
    "words",
    [
        ("dream", "--session", "s"),
        ("working", "done", "fly to the moon"),
        ("context", "archive"),
    ],
)
def test_whatever_is_skipped_is_told_in_the_shape_the_daemon_uses(cli, words):
    cli("init")
    status, out, _ = cli("--json", *words)
    told = json.loads(out)
    assert status == (4 if told["reason"] == "no_match" else 0)
    assert (told["status"], set(told)) == ("skipped", {"status", "reason", "message"})


def test_settings_are_shown_as_they_are_written(cli):
    _, out, _ = cli("config", "list")
    assert "memory.enabled = true " in out
    assert "secrets.allow = (empty) " in out
    cli("config", "set", "secrets.allow", "jwt,password")
    assert "secrets.allow = jwt, password " in cli("config", "list")[1]
    assert cli("config", "get", "memory.enabled")[1].startswith("memory.enabled = true ")


def test_an_unknown_agent_is_named_with_the_known_ones(cli):
    status, _, err = cli("install", "emacs")
    assert status == 2
    assert err.startswith(
        "reverie: Invalid value for 'AGENT': 'emacs' is not one of 'claude-code',"
    )


def test_errors_have_a_code_an_exit_status_and_json(cli):
    status, out, err = cli("--json", "diff", "nothing-here")
    assert status == 4
    assert json.loads(out)["error"]["code"] == "run_not_found"
    assert "Traceback" not in err


def test_log_diff_blame_undo_and_verify_tell_one_story(cli, memory):
    put(memory, "user/tabs.md", topic("one"))
    put(memory, "user/tabs.md", topic("two"))
    _, out, _ = cli("log", "--json")
    runs = json.loads(out)["runs"]
    assert [item["verb"] for item in runs] == ["test", "test"]
    _, out, _ = cli("diff", runs[0]["id"][-8:])
    assert "-description: one" in out
    assert "+description: two" in out
    _, out, _ = cli("blame", "user/tabs.md")
    assert out.splitlines()[0].startswith(runs[1]["id"][-8:])
    status, out, _ = cli("undo", runs[0]["id"], "--dry-run")
    assert "+description: one" in out
    status, out, _ = cli("undo", runs[0]["id"])
    assert status == 0
    assert "1 file restored" in out
    status, out, _ = cli("verify")
    assert status == 0
    assert "everything is whole" in out


def test_verify_fails_loudly_when_something_is_wrong(cli, memory):
    put(memory, "user/tabs.md", topic("one"))
    Path(memory.workspace.project_memory, "MEMORY.md").write_text("")
    status, out, _ = cli("verify")
    assert status == 1
    assert "catalog_stale" in out
    fix = re.search(r"fix: reverie (.+)", out)
    assert fix
    assert cli(*fix[1].split())[0] == 0
    assert cli("verify")[0] == 0


def test_init_makes_the_folders_and_says_what_was_found(cli, project):
    (project / "AGENTS.md").write_text("# rules\n")
    status, out, _ = cli("init", "--json")
    first = json.loads(out)
    assert status == 0
    assert len(first["created"]) == 3
    assert first["found"] == [str(project / "AGENTS.md")]
    _, out, _ = cli("init", "--json")
    assert json.loads(out)["created"] == []


def test_config_shows_each_value_and_where_it_came_from(cli):
    assert cli("config", "get", "recall.limit")[1] == "recall.limit = 5    (default)\n"
    status, out, _ = cli("config", "set", "recall.limit", "3")
    assert status == 0
    assert cli("config", "get", "recall.limit")[1].startswith("recall.limit = 3    (/")
    status, _, err = cli("config", "set", "recall.limits", "3")
    assert status == 2
    assert "recall.limit" in err
    _, out, _ = cli("config", "list", "--json")
    rows = json.loads(out)["settings"]
    assert all(row["about"] for row in rows)


def test_a_broken_settings_file_does_not_stop_the_command_that_mends_it(cli, private_home):
    path = private_home / ".reverie" / "config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text('recall = "nonsense"\n')
    status, _, err = cli("log")
    assert status == 2
    assert "Traceback" not in err


def test_a_folder_that_does_not_exist_is_named(cli):
    status, _, err = cli("-C", "/nowhere/at/all", "log", workspace=False)
    assert status == 4
    assert "/nowhere/at/all" in err


@pytest.mark.parametrize(
    "words",
    [
        ("working", "done", "nosuch"),
        ("working", "done", "7"),
        ("working", "drop", "tasks", "nosuch"),
        ("notes", "show", "nosuch"),
        ("notes", "link", "nosuch", "other"),
        ("notes", "map", "nosuch"),
        ("notes", "map", "places", "--add", "nosuch"),
        ("notes", "review", "--accept", "nosuch"),
        ("history", "show", "99"),
        ("history", "append", "nosuch.json"),
        ("history", "import", "nosuch.json"),
        ("extract", "nosuch.json"),
        ("diff", "nosuch"),
        ("undo", "nosuch"),
        ("undo", "nosuch", "--dry-run"),
        ("blame", "nosuch"),
        ("get", "memory/nosuch.md"),
        ("forget", "--id", "nosuch"),
        ("verify", "--forgotten", "nosuch"),
        ("trust", "nosuch"),
        ("trust", "nosuch", "--show"),
        ("trust", "nosuch", "--forget"),
        ("import", "nosuch"),
        ("index", "nosuch"),
        ("index", "nosuch", "--remove"),
        ("eval", "retrieval", "nosuch"),
    ],
    ids=" ".join,
)
def test_what_is_not_there_ends_with_one_status_and_is_told_on_standard_error(cli, words):
    cli("init")
    status, out, err = cli(*words)
    assert (status, out) == (4, "")
    assert "nosuch" in err or words[-1] in err
    assert err.endswith("]\n")
    status, out, _ = cli(*words, "--json")
    assert status == 4
    assert isinstance(json.loads(out), dict)


@pytest.mark.parametrize(
    "words",
    [
        ("config", "get", "nosuch"),
        ("config", "set", "nosuch", "1"),
        ("cognition", "run", "nosuch"),
        ("working", "drop", "nosuch", "1"),
        ("bench", "nosuch"),
        ("eval", "nosuch"),
        ("install", "nosuch"),
    ],
    ids=" ".join,
)
def test_a_word_that_is_not_on_a_fixed_list_is_a_mistake_in_the_command(cli, words):
    status, _, err = cli(*words)
    assert (status, "'nosuch'" in err) == (2, True)


def test_postgres_without_its_libraries_says_how_to_get_them(cli, monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "reverie.postgres.admin", raising=False)
    status, out, err = cli("postgres", "tenants", "--engine", "postgresql://me@db/x", "--json")
    assert (status, json.loads(out)["error"]["code"]) == (2, "not_installed")
    assert "pip install -e '.[postgres]'" in err


def test_save_and_remember_say_how_they_differ(cli):
    listed = cli("--help")[1].split("\n\n")
    [saves] = [part for part in listed if "  save " in part]
    [remembers] = [part for part in listed if "  remember " in part]
    assert saves.startswith("Context files (AGENTS.md), always read whole:")
    assert remembers.startswith("Memories, recalled when they matter:")
    assert "`reverie remember`" in " ".join(cli("save", "--help")[1].split())
    assert "`reverie save`" in " ".join(cli("remember", "--help")[1].split())


def test_the_log_of_a_file_nobody_wrote_says_so(cli):
    assert cli("log", "nosuch.md")[1] == "nothing was written to nosuch.md yet\n"


def test_the_demo_plays_to_its_end_and_leaves_nothing(cli, private_home):
    status, out, err = cli("demo")
    assert status == 0, err
    assert "everything is whole" in out
    assert "Nothing relevant means nothing is injected" in out
    assert not (private_home / ".reverie" / "projects").exists()
