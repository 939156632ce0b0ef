"""Installing in the settings of real agents, and taking it out again without a trace."""

from __future__ import annotations

import io
import json
import shutil
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reverie.cli import run
from reverie.core.agents.known import AGENTS
from reverie.errors import ConfigUnreadable, PathEscape, ReadOnly
from reverie.local.agents.installing import (
    Host,
    apply_edits,
    is_installed,
    plan_install,
    plan_uninstall,
)

DATA = Path(__file__).parents[1] / "data" / "agents"
NOW = datetime(2026, 5, 1, tzinfo=UTC)
PROGRAM = ["/opt/reverie/bin/reverie"]
FILES = {
    "claude-code": {"settings.json": ".claude/settings.json", "claude.json": ".claude.json"},
    "codex": {"config.toml": ".codex/config.toml", "hooks.json": ".codex/hooks.json"},
    "gemini": {"settings.json": ".gemini/settings.json"},
    "qwen": {"settings.json": ".qwen/settings.json"},
    "cursor": {"hooks.json": ".cursor/hooks.json", "mcp.json": ".cursor/mcp.json"},
}
every_agent = pytest.mark.parametrize("agent", FILES)


@pytest.fixture
def make(private_home, tmp_path):
    def make(agent, scope="user", *, program=PROGRAM, **env):
        home = {"HOME": str(private_home), **env}
        state = tmp_path / "state"
        state.mkdir(exist_ok=True)
        return Host(AGENTS[agent], scope, "/p/shop", state, home, program, [])

    return make


def install(host):
    apply_edits(host, plan_install(host), now=NOW)


def uninstall(host):
    apply_edits(host, plan_uninstall(host), now=NOW, undo=True)


def put_before(home, agent):
    for name, rel in FILES[agent].items():
        path = home / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((DATA / agent / f"before.{name}").read_bytes())


def files_of(home, agent):
    return {name: (home / rel).read_bytes() for name, rel in FILES[agent].items()}


def recorded(agent, when):
    return {name: (DATA / agent / f"{when}.{name}").read_bytes() for name in FILES[agent]}


@every_agent
def test_a_real_settings_file_before_and_after(make, private_home, agent):
    put_before(private_home, agent)
    host = make(agent)
    assert not is_installed(host)
    install(host)
    assert files_of(private_home, agent) == recorded(agent, "after")
    assert is_installed(host)
    install(host)
    assert files_of(private_home, agent) == recorded(agent, "after")
    assert not any(edit.changes for edit in plan_install(host))
    uninstall(host)
    assert files_of(private_home, agent) == recorded(agent, "before")
    assert not is_installed(host)


@every_agent
def test_files_that_were_not_there_are_gone_again(make, private_home, agent):
    host = make(agent)
    install(host)
    assert all((private_home / rel).is_file() for rel in FILES[agent].values())
    uninstall(host)
    assert not any((private_home / rel).exists() for rel in FILES[agent].values())


@every_agent
@pytest.mark.parametrize("kept", [True, False], ids=["with our record", "without it"])
def test_what_a_person_added_after_the_installation_stays(make, private_home, agent, kept):
    put_before(private_home, agent)
    host = make(agent)
    install(host)
    for rel in FILES[agent].values():
        path = private_home / rel
        text = path.read_text()
        if rel.endswith(".toml"):
            path.write_text(text.replace("[features]", "[features]\nmine = 1"))
        else:
            path.write_text(text.replace("{", '{ "mine": 1,', 1))
    if not kept:
        (host.state / "installs.json").unlink()
    uninstall(host)
    for name, data in files_of(private_home, agent).items():
        text = data.decode()
        before = (DATA / agent / f"before.{name}").read_text()
        added = (
            ("[features]", "[features]\nmine = 1")
            if name.endswith("toml")
            else ("{", '{ "mine": 1,')
        )
        assert text == before.replace(*added, 1)


@every_agent
def test_an_older_entry_of_ours_is_replaced_and_not_repeated(make, private_home, agent):
    put_before(private_home, agent)
    install(make(agent, program=["/old place/reverie"]))
    install(make(agent))
    assert files_of(private_home, agent) == recorded(agent, "after")


@every_agent
def test_a_file_edited_between_two_installations_keeps_nothing_of_either(make, private_home, agent):
    put_before(private_home, agent)
    install(make(agent, program=["/old place/reverie"]))
    for rel in FILES[agent].values():
        path = private_home / rel
        path.write_text(path.read_text() + "\n")
    host = make(agent)
    install(host)
    uninstall(host)
    assert not is_installed(host)
    for name, data in files_of(private_home, agent).items():
        assert data == (DATA / agent / f"before.{name}").read_bytes() + b"\n"


@every_agent
def test_settings_stay_when_our_copy_of_them_is_gone(make, private_home, agent):
    put_before(private_home, agent)
    host = make(agent)
    install(host)
    shutil.rmtree(host.state / "backups")
    uninstall(host)
    assert files_of(private_home, agent) == recorded(agent, "before")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "{}",
        "// mine\n",
        '\ufeff{\r\n  // a\r\n  "a": 1, \r\n}\r\n',
        '{"a":[1,2],}',
        "{\n}",
    ],
)
def test_strange_files_are_edited_and_given_back_as_they_were(make, private_home, text):
    path = private_home / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(text.encode())
    host = make("gemini")
    install(host)
    assert is_installed(host)
    if "\r\n" in text:
        assert b"\n" not in path.read_bytes().replace(b"\r\n", b"")
    uninstall(host)
    assert path.read_bytes() == text.encode()


@pytest.mark.parametrize(
    "text", ["{", '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"mcpServers": 3}', "[1]", '"x"']
)
def test_a_file_with_something_else_in_our_place_is_left_alone(make, private_home, text):
    path = private_home / ".qwen" / "settings.json"
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(ConfigUnreadable, match=r"settings\.json"):
        plan_install(make("qwen"))
    assert path.read_text() == text


def test_a_link_stays_a_link_and_its_target_is_edited(make, private_home, tmp_path):
    target = tmp_path / "dotfiles" / "claude.json"
    target.parent.mkdir()
    target.write_text('{\n  "model": "opus"\n}\n')
    link = private_home / ".claude" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(target)
    host = make("claude-code")
    install(host)
    assert link.is_symlink()
    assert "reverie hook prompt" in target.read_text()
    uninstall(host)
    assert link.is_symlink()
    assert target.read_text() == '{\n  "model": "opus"\n}\n'


@every_agent
@pytest.mark.parametrize("linked", ["file", "folder"])
def test_no_link_of_a_project_is_followed(make, project, tmp_path, agent, linked):
    file = AGENTS[agent].hooks["project"].file.format(project=project, config="", state="")
    outside = tmp_path / "outside"
    outside.mkdir()
    victim = outside / Path(file).name
    victim.write_text("{}\n")
    if linked == "file":
        Path(file).parent.mkdir(parents=True)
        Path(file).symlink_to(victim)
    else:
        Path(file).parent.symlink_to(outside)
    host = replace(make(agent, scope="project"), project=str(project))
    with pytest.raises(PathEscape, match="link"):
        install(host)
    with pytest.raises(PathEscape, match="link"):
        uninstall(host)
    assert victim.read_text() == "{}\n"
    assert list(outside.iterdir()) == [victim]


def test_a_read_only_file_stops_everything_before_anything_is_written(make, private_home):
    put_before(private_home, "cursor")
    (private_home / ".cursor" / "mcp.json").chmod(0o444)
    with pytest.raises(ReadOnly):
        install(make("cursor"))
    assert files_of(private_home, "cursor") == recorded("cursor", "before")


@every_agent
def test_a_folder_that_was_not_there_is_gone_again_and_an_empty_one_stays(
    make, private_home, agent
):
    host = make(agent)
    folder = (private_home / next(iter(FILES[agent].values()))).parent
    install(host)
    install(host)
    assert folder.is_dir()
    uninstall(host)
    assert not folder.exists()
    folder.mkdir()
    install(host)
    uninstall(host)
    assert folder.is_dir()


def test_the_mode_of_a_file_stays(make, private_home):
    put_before(private_home, "gemini")
    path = private_home / ".gemini" / "settings.json"
    path.chmod(0o640)
    install(make("gemini"))
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_toml_table_that_a_person_extended_is_taken_out_whole(make, private_home):
    put_before(private_home, "codex")
    host = make("codex")
    install(host)
    path = private_home / ".codex" / "config.toml"
    path.write_text(path.read_text().replace('args = ["mcp"]\n', 'args = ["mcp"] # mine\n'))
    uninstall(host)
    text = path.read_text()
    assert "reverie" not in text
    assert 'approval_policy = "on-request"   # ask before leaving the sandbox' in text
    assert '[projects."/p/shop"]' in text


def test_a_project_is_installed_in_its_own_files(make, private_home, tmp_path):
    root = tmp_path / "shop"
    root.mkdir()
    host = make("claude-code", "project")
    host = Host(host.agent, "project", str(root), host.state, host.env, PROGRAM, [])
    install(host)
    assert "hook stop" in (root / ".claude" / "settings.local.json").read_text()
    servers = json.loads((private_home / ".claude.json").read_text())
    assert servers["projects"][str(root)]["mcpServers"]["reverie"]["args"] == ["mcp"]
    uninstall(host)
    assert not (root / ".claude" / "settings.local.json").exists()


def test_a_moved_folder_of_the_agent_is_found_by_its_variable(make, tmp_path):
    host = make("codex", CODEX_HOME=str(tmp_path / "codex"))
    install(host)
    assert "[mcp_servers.reverie]" in (tmp_path / "codex" / "config.toml").read_text()


# --- the command line -----------------------------------------------------------------------------


def test_the_diff_comes_first_and_nothing_is_written_without_a_yes(private_home, project, capfd):
    where = ["-C", str(project)]
    assert run([*where, "install", "gemini"]) == 2
    assert "+++" in capfd.readouterr().out
    assert run([*where, "install", "gemini", "--dry-run"]) == 0
    assert "hook prompt" in capfd.readouterr().out
    assert not (private_home / ".gemini").exists()
    assert run([*where, "install", "gemini", "--yes"]) == 0
    settings = json.loads((private_home / ".gemini" / "settings.json").read_text())
    command = settings["mcpServers"]["reverie"]["command"]
    assert Path(command).is_absolute()
    capfd.readouterr()
    assert run([*where, "--json", "install", "gemini", "--yes"]) == 0
    outcome = json.loads(capfd.readouterr().out)
    assert outcome["files"] == []
    assert run([*where, "uninstall", "gemini", "--yes"]) == 0
    assert not (private_home / ".gemini" / "settings.json").exists()


@pytest.mark.parametrize(("answer", "there"), [("n", False), ("y", True)])
def test_a_person_is_shown_the_diff_once(private_home, project, capsys, monkeypatch, answer, there):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdin", Terminal(f"{answer}\n"))
    assert run(["-C", str(project), "install", "gemini"]) == 0
    told = capsys.readouterr().out
    assert told.count("hook prompt") == 1
    assert (private_home / ".gemini" / "settings.json").exists() is there


def test_a_home_of_ones_own_goes_into_the_commands(private_home, project, tmp_path):
    home = tmp_path / "my memory"
    assert run(["--home", str(home), "-C", str(project), "install", "cursor", "--yes"]) == 0
    hooks = json.loads((private_home / ".cursor" / "hooks.json").read_text())["hooks"]
    assert hooks["stop"][0]["command"].endswith(f"--agent cursor --home '{home}'")
    servers = json.loads((private_home / ".cursor" / "mcp.json").read_text())["mcpServers"]
    assert servers["reverie"]["args"][-3:] == ["--home", str(home), "mcp"]


def test_status_finds_memories_beside_broken_links_and_in_strangely_named_folders(
    private_home, tmp_path, capsys
):
    project = tmp_path / "shop [old]?*"
    project.mkdir()
    (project / "AGENTS.md").write_text("# Rules\n")
    (private_home / ".gemini").mkdir()
    (private_home / ".gemini" / "GEMINI.md").symlink_to("/nowhere/at/all")
    assert run(["-C", str(project), "--json", "status"]) == 0
    found = {item["path"] for item in json.loads(capsys.readouterr().out)["memories"]}
    assert found == {str(project / "AGENTS.md")}


def test_status_lists_every_memory_on_the_machine(private_home, project, capsys):
    memory = private_home / ".claude" / "projects" / "-p-shop" / "memory"
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text("# Memory\n")
    (memory / "deploy.md").write_text("---\nname: Deploy\ntype: project\n---\n\nTuesdays\n")
    (private_home / ".gemini").mkdir()
    (private_home / ".gemini" / "GEMINI.md").write_text("- likes tea\n")
    (project / "AGENTS.md").write_text("# Rules\n")
    where = ["-C", str(project)]
    assert run([*where, "install", "gemini", "--yes"]) == 0
    capsys.readouterr()
    assert run([*where, "--json", "status"]) == 0
    facts = json.loads(capsys.readouterr().out)
    agents = {item["name"]: item for item in facts["agents"]}
    assert agents["gemini"]["installed"] == ["user"]
    assert agents["claude-code"]["present"]
    assert not agents["cursor"]["present"]
    found = {item["path"]: item for item in facts["memories"]}
    claude = found[str(memory)]
    assert (claude["files"], claude["dialect"], claude["searched"]) == (2, "claude", False)
    assert not found[str(project / "AGENTS.md")]["searched"]  # instructions are no memory
    assert run([*where, "status"]) == 0
    assert f"reverie index {memory}" in capsys.readouterr().out
    assert run([*where, "index", str(memory)]) == 0
    capsys.readouterr()
    assert run([*where, "--json", "status"]) == 0
    again = {item["path"]: item for item in json.loads(capsys.readouterr().out)["memories"]}
    assert again[str(memory)]["searched"]


def test_status_knows_an_agent_by_its_program_before_it_has_run(
    private_home, project, capsys, monkeypatch, tmp_path
):
    program = tmp_path / "bin" / "codex"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    assert run(["-C", str(project), "status"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert "Codex CLI     not installed; `reverie install codex` does it" in said
    assert "Gemini CLI    not found on this machine" in said
    assert run(["-C", str(project), "install", "codex", "--yes"]) == 0
    capsys.readouterr()
    run(["-C", str(project), "status"])
    assert "Codex CLI     installed for all projects" in capsys.readouterr().out.splitlines()
