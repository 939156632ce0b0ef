"""Managed memory at a terminal."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from reverie.cli import run


@pytest.fixture
def cli(project: Path, capsys: pytest.CaptureFixture[str]):
    def call(*arguments: str) -> tuple[int, str, str]:
        status = run(["-C", str(project), *arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def asked(cli, *arguments: str):
    status, out, err = cli(*arguments, "--json")
    assert status == 0, err
    return json.loads(out)


def test_remember_recall_forget_and_undo(cli) -> None:
    status, out, _ = cli("remember", "We", "deploy", "only", "on", "Tuesdays")
    assert status == 0
    assert out.startswith(
        "Remembered “We deploy only on Tuesdays” in the project's memory (project)."
    )
    assert "We deploy only on Tuesdays" in cli("recall", "when may I deploy?")[1]
    gone = asked(cli, "forget", "deploy on Tuesdays")
    assert [item["summary"] for item in gone["removedEntries"]] == ["We deploy only on Tuesdays"]
    assert cli("recall", "when may I deploy?") == (0, "", "")
    assert cli("undo", gone["run"])[0] == 0
    assert "Tuesdays" in cli("recall", "when may I deploy?")[1]


def test_recall_prints_nothing_when_nothing_matters_and_json_says_so(cli) -> None:
    cli("remember", "I like tea")
    assert cli("recall", "how tall is the tower?")[1] == ""
    assert asked(cli, "recall", "how tall is the tower?")["strategy"] == "none"


def test_remember_reads_standard_input(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("第一行\n第二行\n".encode())))
    outcome = asked(cli, "remember", "--kind", "project", "-")
    assert "第一行\n第二行\n" in Path(outcome["path"]).read_text(encoding="utf-8")


def test_remember_takes_kind_scope_reason_and_use(cli) -> None:
    outcome = asked(
        cli, "remember", "Tabs", "--kind", "feedback", "--scope", "project", "--why", "habit",
        "--how", "Go files", "--name", "Indent",
    )  # fmt: skip
    assert (outcome["kind"], outcome["scope"], outcome["name"]) == ("feedback", "project", "Indent")
    assert (
        Path(outcome["path"]).read_text().endswith("Tabs\n\nWhy: habit\nHow to apply: Go files\n")
    )


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (["remember", "I like cats"], "+I like cats"),
        (["forget", "tea"], "Would forget 1 entry from: user."),
    ],
)
def test_a_dry_run_shows_and_changes_nothing(cli, command: list[str], shown: str) -> None:
    cli("remember", "I like tea")
    before = asked(cli, "log")["runs"]
    status, out, _ = cli(*command, "--dry-run")
    assert status == 0
    assert shown in out
    assert asked(cli, "log")["runs"] == before


def test_erasing_prints_a_receipt_that_verify_accepts(cli) -> None:
    cli("remember", "I keep a marabou named Zanzibar")
    _, out, _ = cli("forget", "marabou Zanzibar", "--erase")
    receipt = out.split("receipt: ")[1].split()[0]
    assert "undo with" not in out
    status, out, _ = cli("verify", "--forgotten", receipt)
    assert status == 0, out


def test_erasing_everywhere_shows_first_and_needs_a_yes(cli) -> None:
    cli("remember", "I keep a marabou named Zanzibar")
    cli("notes", "add", "The marabou named Zanzibar bites")
    words = ("forget", "marabou named Zanzibar", "--erase", "--everywhere")
    status, out, err = cli(*words)
    assert status == 2
    assert "1  notes" in out
    assert "add --yes" in err
    assert asked(cli, *words, "--dry-run")["places"]
    assert "Zanzibar" in cli("recall", "marabou")[1]
    status, out, _ = cli(*words, "--yes")
    assert status == 0
    assert "Took the words out of" in out
    receipt = out.split("receipt: ")[1].split()[0]
    assert cli("verify", "--forgotten", receipt)[0] == 0
    status, out, _ = cli(*words)
    assert (status, "nothing was erased" in out) == (0, True)


def test_everywhere_without_erase_is_refused(cli) -> None:
    status, _, err = cli("forget", "marabou", "--everywhere", "--dry-run")
    assert status == 2
    assert "[invalid_input]" in err


def test_doctor_prints_findings_with_their_fix(cli) -> None:
    cli("remember", "We deploy only on Tuesdays")
    cli("remember", "We deploy only on Fridays")
    status, out, _ = cli("doctor", "memory")
    assert status == 0
    assert out.startswith("conflict: ")
    assert "fix: ${EDITOR:-vi} " in out
    assert asked(cli, "doctor")["problems"][0]["code"] == "conflict"


@pytest.mark.parametrize(
    ("command", "status", "code"),
    [
        (["remember", "  "], 2, "invalid_content"),
        (["forget", " "], 2, "invalid_query"),
        (["forget", "--id", "user/none.md"], 4, "topic_not_found"),
        (["verify", "--forgotten", "forgot-0"], 4, "path_not_found"),
        (["remember", "x", "--kind", "opinion"], 2, "usage"),
    ],
)
def test_mistakes_have_a_code_and_a_status(cli, command: list[str], status: int, code: str) -> None:
    got, _, err = cli(*command)
    assert (got, f"[{code}]" in err) == (status, True)


# --- update, move, and the question before forgetting ---------------------------------------------


def test_update_and_move_at_a_terminal(cli) -> None:
    made = asked(cli, "remember", "--scope", "user", "The team meets in the blue room")
    status, out, err = cli("update", made["entry"], "The", "team", "meets", "outside")
    assert status == 0, err
    assert out.startswith("Put “The team meets outside” in the place of")
    status, out, err = cli("move", made["entry"], "--to", "project")
    assert status == 0, err
    assert out.startswith("Moved “The team meets outside” to the project's memory.")
    assert "undo with: reverie undo" in out


def test_what_was_remembered_says_how_it_becomes_the_others(cli) -> None:
    out = cli("remember", "--scope", "project", "The parser lives in src/parse.rs")[1]
    command = next(line for line in out.splitlines() if "reverie move" in line)
    name, to = command.partition("reverie move ")[2].split(" --to ")
    assert cli("move", name, "--to", to)[0] == 0


@pytest.mark.parametrize("answer", [False, True])
def test_a_person_at_a_terminal_is_shown_what_would_go_and_asked(cli, monkeypatch, answer) -> None:
    cli("remember", "--scope", "user", "The vault is below the stairs")
    questions: list[str] = []

    def confirm(question: str, **_: object) -> bool:
        questions.append(question)
        return answer

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("click.confirm", confirm)
    status, out, _ = cli("forget", "vault", "below", "stairs")
    assert status == 0
    assert questions == ["Forget this? `reverie undo` brings it back"]
    assert "Would forget 1 entry" in out
    assert ("nothing was removed" in out) is not answer
    assert ("Forgot 1 entry" in out) is answer
    cli("remember", "--scope", "user", "The vault is below the stairs")
    cli("forget", "vault", "below", "stairs", "--erase", "--yes")
    assert len(questions) == 1, "--yes does not ask"
