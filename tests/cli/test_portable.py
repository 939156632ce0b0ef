"""`reverie export` and `reverie import` as people and programs call them."""

from __future__ import annotations

import json
import shlex
import zipfile

import pytest

from reverie.cli import run


@pytest.fixture
def cli(tmp_path, capsys):
    project = tmp_path / "project"
    project.mkdir()

    def call(*words: str, home: str = "one") -> tuple[int, str, str]:
        status = run(["-C", str(project), "--home", str(tmp_path / home), *words])
        told = capsys.readouterr()
        return status, told.out, told.err

    return call


def test_a_memory_moves_to_another_home(cli, tmp_path):
    cli("remember", "I prefer short answers")
    status, out, _ = cli("export", str(tmp_path / "out"), "--with-journal")
    assert status == 0
    assert "2 files" in out
    status, out, _ = cli("import", str(tmp_path / "out"), "--json", home="two")
    told = json.loads(out)
    assert (status, told["format"], told["counts"]["files"], told["counts"]["runs"]) == (
        0, "folder", 1, 1,
    )  # fmt: skip
    assert "short answers" in cli("recall", "short answers", home="two")[1]
    status, out, _ = cli("import", str(tmp_path / "out"), home="two")
    assert "1 file and 0 turns were here already" in out
    assert cli("undo", told["runs"][0], home="two")[0] == 0
    assert cli("recall", "short answers", home="two")[1] == ""


def test_a_dry_run_changes_nothing_and_says_what_would_come(cli, tmp_path):
    source = tmp_path / "mem0.json"
    source.write_text(json.dumps([{"id": "1", "memory": "I like tea"}, {"id": "2", "memory": ""}]))
    status, out, _ = cli("import", str(source), "--dry-run")
    assert status == 0
    assert "would be new" in out
    assert "left out: mem0 2 (it says nothing)" in out
    assert cli("log")[1].strip() == "nothing was written yet"
    assert "undo with: reverie undo" in cli("import", str(source), "--scope", "project")[1]


@pytest.mark.parametrize(
    ("format", "reason"),
    [
        ("chatgpt", "it contains neither conversations nor memories"),
        ("claude", "it contains neither conversations nor memories"),
        ("mem0", "it is not JSON"),
        ("basic-memory", "it is not Markdown; attachments are not imported"),
        ("claude-code", "it is not Markdown; attachments are not imported"),
    ],
)
def test_the_wrong_file_is_an_error_that_gives_its_reason_once(cli, tmp_path, format, reason):
    source = tmp_path / "wrong.txt"
    source.write_text("hello\n")
    status, out, told = cli("import", "--from", format, str(source))
    assert (status, out) == (2, "")
    assert told.count(reason) == 1
    assert told.count("left out") + told.count("attachments") <= 1
    assert told.endswith("[invalid_content]\n")
    status, out, _ = cli("import", "--from", format, str(source), "--json")
    assert status == 2
    assert [item["reason"] for item in json.loads(out)["error"]["dropped"]] == [reason]
    assert cli("log")[1].strip() == "nothing was written yet"


def test_a_file_that_is_no_text_gives_that_one_reason(cli, tmp_path):
    source = tmp_path / "photo.dat"
    source.write_bytes(b"\xff\xfe\x00")
    told = cli("import", "--from", "chatgpt", str(source), "--json")[1]
    dropped = json.loads(told)["error"]["dropped"]
    assert [item["reason"] for item in dropped] == ["it is not UTF-8 text (byte 0)"]


def test_an_export_that_is_here_already_is_no_error(cli, tmp_path):
    source = tmp_path / "mem0.json"
    source.write_text(json.dumps([{"id": "1", "memory": "I like tea"}]))
    assert cli("import", str(source))[0] == 0
    status, out, _ = cli("import", str(source))
    assert (status, "1 file and 0 turns were here already" in out) == (0, True)


def test_errors_say_what_to_do(cli, tmp_path):
    cli("remember", "I prefer short answers")
    target = str(tmp_path / "out")
    cli("export", target)
    status, _, told = cli("export", target)
    assert (status, "target_exists" in told, "--force" in told) == (5, True, True)
    assert cli("export", target, "--force")[0] == 0
    status, _, told = cli("import", str(tmp_path / "nothing"))
    assert (status, "path_not_found" in told) == (4, True)
    status, _, told = cli("export", target, "--to", "tape")
    assert status == 2


HEADER = {"kind": "reverie", "version": 1, "exported_at": "2026-05-01T12:00:00Z"}


def bundle(path, *files):
    rows = [
        HEADER,
        *({"kind": "file", "at": at, "text": text} for at, text in files),
        {"kind": "end"},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return str(path)


def test_what_is_held_back_is_shown_with_the_command_that_brings_it(cli, tmp_path):
    source = bundle(
        tmp_path / "a bundle.jsonl",
        ("context/AGENTS.md", "obey"),
        ("home/commands/x.md", "run"),
        ("agent/core/SOUL.md", "# evil"),
        ("context/.github/x.md", "hidden"),
    )
    for words in (["--dry-run"], []):
        status, out, _ = cli("import", source, *words)
        assert status == 0
        assert "held back: context/AGENTS.md [context]" in out
        assert "held back: home/commands/x.md [commands]" in out
        assert "left out: context/.github/x.md" in out
        assert f"--allow context --allow commands --allow core '{source}'" in printed(out)
    told = json.loads(cli("import", source, "--json")[1])
    assert [(item["kind"], item["at"]) for item in told["held"]] == [
        ("context", "context/AGENTS.md"),
        ("commands", "home/commands/x.md"),
        ("core", "agent/core/SOUL.md"),
    ]
    assert cli("log")[1].strip() == "nothing was written yet"
    assert (
        cli("import", source, "--allow", "context", "--allow", "commands", "--allow", "core")[0]
        == 0
    )
    assert (tmp_path / "project" / "AGENTS.md").read_text() == "obey"
    assert cli("import", source, "--allow", "everything")[0] == 2


def test_no_crowd_of_one_kind_pushes_another_out_of_sight(cli, tmp_path):
    crowd = [(f"agent/notes/a{number}.txt", "a file") for number in range(200)]
    source = bundle(tmp_path / "crowd.jsonl", *crowd, ("home/commands/x.md", "run"))
    _, out, _ = cli("import", source)
    assert "held back: home/commands/x.md [commands]" in out
    assert out.count("[files]") == 21  # twenty, and how many more there are
    assert "and 180 more [files]" in out


def test_what_is_hidden_in_a_bundle_is_named(cli, tmp_path):
    """Also when there is much else that is left out."""
    hidden = (
        ".github/workflows/x.yml",
        ".claude/commands/y.md",
        "deep/.cursor/rules/z.md",
        ".mcp.json",
    )
    plain = ("a.md", *(f"picture{number}.png" for number in range(50)))
    with zipfile.ZipFile(tmp_path / "vault.zip", "w") as archive:
        for name in (*hidden, *plain):
            archive.writestr(name, "words")
            (tmp_path / "vault" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "vault" / name).write_text("words")
    for source in ("vault.zip", "vault"):
        _, out, _ = cli("import", str(tmp_path / source), home=f"{source}-home")
        for name in (".github", ".claude", "deep/.cursor", ".mcp.json"):
            assert f"left out: {name} (it is hidden" in out


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_of_which_nothing_can_be_read_says_why(cli, tmp_path, method):
    with zipfile.ZipFile(tmp_path / "x.zip", "w", method) as archive:
        archive.writestr("AKIAIOSFODNN7EXAMPLQ.md", "words" * 9)
    damaged = bytearray((tmp_path / "x.zip").read_bytes())
    damaged[60:70] = b"\xff" * 10
    (tmp_path / "x.zip").write_bytes(damaged)
    status, _, told = cli("import", str(tmp_path / "x.zip"))
    assert status == 2
    assert "it is packed in an unusual way" in told
    assert "AKIA" not in told


def printed(out: str) -> str:
    """Return the command that an import printed."""
    return next(line.strip() for line in out.splitlines() if line.startswith("    reverie "))


@pytest.mark.parametrize("name", ["a b.jsonl", "-it's.jsonl", "$(x);`y`.jsonl"])
@pytest.mark.parametrize("words", [[], ["--dry-run"], ["--replace", "--again", "--scope", "user"]])
def test_the_printed_command_can_be_run_as_it_is(cli, tmp_path, monkeypatch, name, words):
    monkeypatch.chdir(tmp_path)
    bundle(
        tmp_path / name,
        ("context/AGENTS.md", "obey"),
        ("home/x.md", "home"),
        ("agent/core/SOUL.md", "# evil"),
    )
    _, out, _ = cli("import", "--from", "jsonl", "--allow", "home", *words, "--", name)
    command = shlex.split(printed(out))
    assert command[0] == "reverie"
    assert ("--replace" in command) == ("--replace" in words)
    assert run(command[1:]) == 0
    assert (tmp_path / "project" / "AGENTS.md").read_text() == "obey"
    assert (tmp_path / "one" / "x.md").read_text() == "home"


def test_imported_core_waits_until_it_is_approved(cli, tmp_path):
    cli("init")
    source = bundle(
        tmp_path / "x.jsonl", ("agent/core/SOUL.md", "# Zyx\n"), ("agent/core/b.md", "# B\n")
    )
    _, out, _ = cli("import", source, "--allow", "core")
    assert "2 core files now waiting for you" in out
    assert "Zyx" not in cli("prompt")[1]
    assert json.loads(cli("search", "Zyx", "--json")[1])["results"] == []
    assert "pending_core" in cli("doctor", "--json")[1]
    waits = json.loads(cli("pending", "--json")[1])
    assert [(item["name"], item["replaces"]) for item in waits] == [
        ("core/SOUL.md", True),
        ("core/b.md", False),
    ]
    assert cli("pending", "--approve", "core/none.md")[0] == 4
    assert cli("pending", "--approve")[0] == 2
    assert cli("pending", "core/b.md")[0] == 2
    assert "would be approved" in cli("pending", "--approve", "SOUL.md", "--dry-run")[1]
    assert "Zyx" not in cli("prompt")[1]
    told = json.loads(cli("pending", "--approve", "core/SOUL.md", "--json")[1])
    assert "Zyx" in cli("prompt")[1]
    assert cli("undo", told["run"])[0] == 0
    assert "Zyx" not in cli("prompt")[1]
    assert "core/SOUL.md" in cli("pending")[1]
    assert "discarded: core/b.md" in cli("pending", "--discard", "--all")[1]
    assert cli("pending")[1].strip() == "nothing waits for approval"
    assert "pending_core" not in cli("doctor", "--json")[1]
