"""The commands context, context archive, save and trust, as a person and a program see them."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from reverie.cli import run


@pytest.fixture
def cli(project, capsys):
    def call(*arguments):
        status = run(["-C", str(project), *arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


@pytest.fixture
def context_file(project):
    return project / "AGENTS.md"


def test_context_prints_the_text_and_tells_problems_aside(cli, context_file):
    context_file.write_text("# P\n@./gone.md\n", encoding="utf-8")
    status, out, err = cli("context")
    assert status == 0
    assert out == (
        "--- Context from: AGENTS.md ---\n# P\n@./gone.md\n--- End of Context from: AGENTS.md ---\n"
    )
    assert "AGENTS.md:2: there is no file" in err
    assert err.rstrip().endswith("[missing]")


def test_context_as_json_lists_files_problems_and_what_was_dropped(cli, context_file):
    context_file.write_text("# P\n@./gone.md\n", encoding="utf-8")
    _, out, err = cli("context", "--json")
    answer = json.loads(out)
    assert err == ""
    assert answer["fileCount"] == 1
    assert answer["files"][0]["tokens"] > 0
    assert [(item["line"], item["reason"]) for item in answer["diagnostics"]] == [(2, "missing")]
    assert answer["dropped"] == [
        {"what": str(context_file.parent / "gone.md"), "reason": "missing"}
    ]


def test_context_takes_a_format_folders_and_trust(cli, context_file, tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "AGENTS.md").write_text("named", encoding="utf-8")
    context_file.write_text("@./b.md", encoding="utf-8")
    (context_file.parent / "b.md").write_text("bee", encoding="utf-8")
    assert "<imported" in cli("context", "--format", "tree")[1]
    assert "<imported" not in cli("context", "--format", "flat")[1]
    _, out, err = cli("context", "--untrusted", "--include", str(tmp_path / "more"))
    assert "bee" not in out
    assert "named" in out
    assert "[untrusted]" in err


def test_no_context_prints_nothing_and_says_so_beside_it(cli):
    status, out, err = cli("context")
    assert (status, out) == (0, "")
    assert "no context files apply" in err


def test_context_lists_files_with_their_tokens(cli, context_file):
    context_file.write_text("word word", encoding="utf-8")
    _, out, _ = cli("context", "--files")
    assert out.splitlines()[0].split() == ["3", "project", "AGENTS.md"]


def test_save_writes_and_says_where(cli, context_file):
    status, out, _ = cli("save", "- - Tests use Vitest", "--scope", "project")
    assert status == 0
    first, _, undo = out.partition("\n")
    assert first == f"saved in {context_file}: Tests use Vitest"
    assert undo.startswith("  undo with: reverie undo 2")
    assert context_file.read_text(encoding="utf-8") == "## Added Memories\n- Tests use Vitest\n"
    _, out, _ = cli("save", "Tests use Vitest", "--scope", "project", "--json")
    assert json.loads(out)["reason"] == "duplicate"


def test_save_without_a_scope_gives_a_program_both_places(cli, context_file):
    status, out, err = cli("save", "fact", "--json")
    assert status == 2
    error = json.loads(out)["error"]
    assert error["code"] == "invalid_scope"
    assert [item["scope"] for item in error["options"]] == ["global", "project"]
    assert error["options"][1]["path"] == str(context_file)
    assert "Choose where to save this memory" in err
    assert not context_file.exists()


class Terminal:
    """A standard input at which a person sits."""

    def __init__(self, *answers):
        self.answers = list(answers)

    def isatty(self):
        return True

    def readline(self, *_):
        return self.answers.pop(0) + "\n"


def test_save_without_a_scope_asks_a_person(cli, context_file, monkeypatch, private_home):
    monkeypatch.setattr("sys.stdin", Terminal("project"))
    status, _, err = cli("save", "fact")
    assert status == 0
    assert "- Global: ~/.reverie/AGENTS.md (shared across all projects)" in err
    assert f"- Project: {context_file} (current project only)" in err
    assert "Preview:\n## Added Memories\n- fact\n" in err
    assert "- fact" in context_file.read_text(encoding="utf-8")


def test_save_shows_the_difference_first_on_request(cli, context_file):
    context_file.write_text("# P\n", encoding="utf-8")
    _, out, _ = cli("save", "fact", "--scope", "project", "--dry-run")
    assert "+- fact\n" in out
    assert context_file.read_text(encoding="utf-8") == "# P\n"


def test_save_lets_a_person_edit_without_losing_a_byte(cli, context_file, monkeypatch, tmp_path):
    context_file.write_bytes("\ufeff# P\r\n\r\n# Q\r\n".encode())
    editor = tmp_path / "editor"
    editor.write_text('printf "# more\\n\\n" >> "$1"\ntouch -d "1 hour" "$1"\n', encoding="utf-8")
    monkeypatch.setenv("EDITOR", f"sh {editor}")
    monkeypatch.delenv("VISUAL", raising=False)
    status, _, _ = cli("save", "fact", "--scope", "project", "--edit")
    assert status == 0
    assert context_file.read_bytes().decode() == (
        "\ufeff# P\r\n\r\n# Q\r\n\r\n## Added Memories\r\n- fact\r\n# more\n\n"
    )


def test_archive_moves_the_content_aside(cli, context_file):
    context_file.write_text("# Old\n", encoding="utf-8")
    assert "+<!-- @import: .reverie/archive/AGENTS-" in cli("context", "archive", "--dry-run")[1]
    assert context_file.read_text(encoding="utf-8") == "# Old\n"
    _, out, _ = cli("context", "archive", "--json")
    assert json.loads(out)["run"]
    assert "# Old" in cli("context")[1]


def test_archive_of_nothing_says_so(cli):
    status, out, _ = cli("context", "archive", "--json")
    assert status == 0
    assert json.loads(out)["reason"] == "empty"


def test_trust_is_recorded_shown_and_taken_away(cli, project, context_file):
    context_file.write_text("# P\n", encoding="utf-8")
    assert cli("trust", "--no")[1] == f"{project} is not trusted (decided by {project})\n"
    assert cli("context")[1] == ""
    assert cli("trust", "--show", "--json")[1].count("false") == 1
    assert "is trusted" in cli("trust")[1]
    assert "# P" in cli("context")[1]
    assert "context.folder_trust" in cli("trust", "--forget")[1]


@pytest.mark.parametrize(
    ("arguments", "verdict", "word"),
    [
        ((), "unknown", "not judged yet"),
        (("trust",), "trusted", "trusted"),
        (("trust", "--no"), "untrusted", "not trusted"),
    ],
)
def test_every_command_that_tells_the_state_tells_the_verdict(
    cli, project, arguments, verdict, word
):
    if arguments:
        cli(*arguments)
    assert json.loads(cli("trust", "--show", "--json")[1])["verdict"] == verdict
    assert f"{project} is {word}" in cli("trust", "--show")[1]
    assert json.loads(cli("context", "--json")[1])["verdict"] == verdict
    for command in ("status", "doctor"):
        assert json.loads(cli(command, "--json")[1])["trust"]["verdict"] == verdict
        assert f"is {word}." in cli(command)[1]


def test_what_is_wrong_in_a_projects_settings_is_shown_and_stops_nothing(cli, project):
    (project / ".reverie").mkdir()
    (project / ".reverie" / "config.toml").write_text('nonsense = 1\n[model]\nurl = "http://x"\n')
    assert [
        item["code"] for item in json.loads(cli("config", "list", "--json")[1])["problems"]
    ] == ["settings_wait"]
    assert "reverie trust" in cli("config", "list")[2]
    cli("trust")
    status, _, err = cli("remember", "I like tea")
    assert status == 0
    assert err.count("nonsense") == 1
    problems = json.loads(cli("doctor", "--json")[1])["problems"]
    assert {"unknown_setting", "setting_not_allowed"} <= {item["code"] for item in problems}


def test_hits_say_that_they_came_with_the_repository(cli, project):
    (project / "MEMORY.md").write_text("# Notes\n\nthe walrus protocol\n")
    assert "came with the repository" in cli("search", "walrus protocol")[1]
    (hit,) = json.loads(cli("search", "walrus protocol", "--json")[1])["results"]
    assert hit["provenance"] == "repository"
    cli("trust", "--no")
    assert json.loads(cli("search", "walrus protocol", "--json")[1])["results"] == []
    status, _, err = cli("get", "MEMORY.md")
    assert status != 0
    assert "[untrusted_workspace]" in err


def on_a_terminal(answer, *arguments):
    """Run a command on a terminal of its own; return what was shown there."""
    main, side = os.openpty()
    command = [sys.executable, "-m", "reverie", *arguments]
    process = subprocess.Popen(command, stdin=side, stdout=side, stderr=side, close_fds=True)
    os.close(side)
    os.write(main, answer.encode())
    shown = b""
    while True:
        try:
            data = os.read(main, 65536)
        except OSError:  # the other side is closed
            break
        if not data:
            break
        shown += data
    os.close(main)
    assert process.wait(timeout=60) == 0
    return shown.decode()


@pytest.mark.parametrize(
    ("answer", "verdict", "limit"),
    [("yes", "trusted", 2), ("no", "untrusted", 5), ("later", "unknown", 5)],
)
def test_a_person_is_asked_once_and_the_answer_is_kept(cli, project, answer, verdict, limit):
    (project / ".reverie").mkdir()
    (project / ".reverie" / "config.toml").write_text("[recall]\nlimit = 2\n")
    asked = on_a_terminal(f"{answer}\n", "-C", str(project), "log")
    assert f"Do you trust {project}?" in asked
    assert "Do you trust" not in on_a_terminal("", "-C", str(project), "log")
    assert json.loads(cli("trust", "--show", "--json")[1])["verdict"] == verdict
    assert json.loads(cli("config", "get", "recall.limit", "--json")[1])["value"] == limit


def test_a_person_is_asked_about_imports_that_wait_and_sees_them_at_once(
    cli, project, context_file
):
    context_file.write_text("@./.hidden.md", encoding="utf-8")
    (project / ".hidden.md").write_text("hidden rules")
    shown = on_a_terminal("yes\n", "-C", str(project), "context")
    assert "Do you trust" in shown
    assert "hidden rules" in shown
    assert "hidden rules" in cli("context")[1]


@pytest.mark.parametrize("command", [("log", "--json"), ("trust", "--show")])
def test_nobody_is_asked_for_json_or_while_deciding(project, command):
    (project / ".reverie").mkdir()
    (project / ".reverie" / "config.toml").write_text("[recall]\nlimit = 2\n")
    assert "Do you trust" not in on_a_terminal("", "-C", str(project), *command)


def test_an_unknown_project_scope_is_told(cli, monkeypatch):
    monkeypatch.setenv("REVERIE_MEMORY_PROJECT_SCOPE", "worksapce")
    status, _, err = cli("log")
    assert status == 0
    assert "REVERIE_MEMORY_PROJECT_SCOPE" in err
    assert "workspace" in err
    for fine in ("", " Workspace ", "git-root"):
        monkeypatch.setenv("REVERIE_MEMORY_PROJECT_SCOPE", fine)
        assert "PROJECT_SCOPE" not in cli("log")[2]


def test_a_mistyped_option_of_save_is_still_told(cli):
    status, _, err = cli("save", "fact", "--scoop", "project")
    assert status == 2
    assert "[usage]" in err


@pytest.mark.slow
def test_the_bench_shows_ratios_and_growth(cli):
    status, out, _ = cli("bench", "context", "--quick", "--json")
    figures = json.loads(out)["context"]
    assert status == 0
    assert {"cold_ratio", "warm_ratio", "unchanged_ratio", "x2", "x4"} <= set(figures)
    assert figures["x4"]["time_per_byte_against_x1"] < 3  # quadratic growth would be 4
