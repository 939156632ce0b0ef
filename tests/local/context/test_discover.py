"""Context files on a real disk: links, foreign files, bad files, and noticing changes."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

from reverie.core.context.hierarchy import from_json, to_json
from reverie.local.context.discover import DiskReader, signature
from tests.core.context.test_git_index import index


def write(path, text="x"):
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(data)
    return path


def shown(context):
    return [item.shown for item in context.files]


def reasons(context):
    return [item.reason for item in context.diagnostics]


@pytest.fixture
def home(private_home):
    return private_home / ".reverie"


SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_no_secret_of_any_context_file_enters_the_prompt_and_the_file_stays(
    project, home, open_memory
):
    mine = write(home / "AGENTS.md", f"my token is {SECRET}")
    write(project / "AGENTS.md", f"@./docs/a.md\n\n{SECRET}")
    write(project / "docs" / "a.md", f"a line\n{SECRET}")
    for _ in range(2):  # the second time what was clean is known
        memory = open_memory()
        for text in (memory.context().text, memory.prompt().text):
            assert SECRET not in text
            assert text.count("[redacted:github-token]") == 3
        told = [item for item in memory.context().diagnostics if item.reason == "secret"]
        assert [(Path(item.path).name, item.line) for item in told] == [
            ("AGENTS.md", 1),
            ("AGENTS.md", 3),
            ("a.md", 2),
        ]
    assert SECRET in mine.read_text()
    assert SECRET in open_memory(settings={"secrets.policy": "off"}).context().text
    allowed = open_memory(settings={"secrets.allow": ["github-token"]}).context()
    assert SECRET in allowed.text
    assert (
        SECRET not in open_memory().context().text
    )  # what one rule let pass is not clean for another


def test_a_clean_context_is_looked_through_once(project, home, open_memory):
    write(project / "AGENTS.md", "nothing to hide")
    open_memory().context()
    known = home / "state" / "clean-context"
    before = known.read_bytes()
    assert len(before.split()) == 1
    assert b"hide" not in before
    open_memory().context()
    assert known.read_bytes() == before
    write(project / "AGENTS.md", f"nothing to hide {SECRET}")
    assert SECRET not in open_memory().context().text
    known.write_bytes(b"\xff" * 100)
    assert SECRET not in open_memory().context().text


def test_what_git_tracks_now_is_noticed(project, open_memory):
    write(project / ".git" / "HEAD", "ref: refs/heads/main\n")
    write(project / "docs" / "a.md", "tracked at last")
    write(project / "AGENTS.md", "@./docs/a.md")
    context = open_memory().context()
    assert reasons(context) == ["needs_trust"]
    seen = signature(context)
    write(project / ".git" / "index", index([b"AGENTS.md", b"docs/a.md"]))
    assert seen.changed() == (str(project / ".git" / "index"),)
    assert "tracked at last" in open_memory().context().text


# --- discovery ------------------------------------------------------------------------------------


def test_every_folder_from_the_root_to_the_current_one_is_loaded(project, home, open_memory):
    write(home / "AGENTS.md", "mine")
    write(project / "AGENTS.md", "root")
    write(project / ".reverie" / "AGENTS.md", "dot")
    write(project / "src" / "AGENTS.local.md", "local")
    write(project / "src" / "deep" / "REVERIE.md", "here")
    write(project.parent / "AGENTS.md", "above the root")
    write(project / "src" / "deep" / "below" / "AGENTS.md", "below")
    context = open_memory(project / "src" / "deep").context()
    assert shown(context) == [
        "../../../home/.reverie/AGENTS.md",
        "../../AGENTS.md",
        "../../.reverie/AGENTS.md",
        "../AGENTS.local.md",
        "REVERIE.md",
    ]
    assert context.file_count == 5
    assert reasons(context) == []


def test_a_worktrees_git_file_marks_the_root_too(tmp_path, open_memory):
    write(tmp_path / "AGENTS.md", "outside")
    write(tmp_path / "tree" / ".git", "gitdir: elsewhere\n")
    write(tmp_path / "tree" / "AGENTS.md", "root")
    (tmp_path / "tree" / "sub").mkdir()
    assert shown(open_memory(tmp_path / "tree" / "sub").context()) == ["../AGENTS.md"]


def test_without_a_repository_only_the_current_folder_is_loaded(tmp_path, open_memory):
    write(tmp_path / "plain" / "AGENTS.md", "parent")
    write(tmp_path / "plain" / "sub" / "AGENTS.md", "here")
    assert shown(open_memory(tmp_path / "plain" / "sub").context()) == ["AGENTS.md"]


def test_each_real_file_is_loaded_once_even_through_links(project, open_memory):
    write(project / "AGENTS.md", "once")
    (project / "REVERIE.md").symlink_to("AGENTS.md")
    (project / "sub").mkdir()
    (project / "sub" / "AGENTS.md").symlink_to("../AGENTS.md")
    context = open_memory(project / "sub").context(include=[str(project)])
    assert shown(context) == ["../AGENTS.md"]


def test_a_repository_at_the_home_folder_loads_the_global_file_once(
    private_home, home, open_memory
):
    (private_home / ".git").mkdir()
    write(home / "AGENTS.md", "mine")
    context = open_memory(private_home).context()
    assert [item.source.value for item in context.files] == ["global"]


def test_file_names_are_configurable(project, open_memory):
    write(project / "CONTEXT.md")
    write(project / "AGENTS.md")
    memory = open_memory(settings={"context.names": ["CONTEXT.md"]})
    assert shown(memory.context()) == ["CONTEXT.md"]


def test_a_trusted_projects_names_count_in_its_own_folders_only(
    project, tmp_path, home, open_memory
):
    write(home / "AGENTS.md", "mine")
    write(home / "THEIRS.md", "not meant for prompts")
    write(tmp_path / "more" / "AGENTS.md", "included")
    write(tmp_path / "more" / "THEIRS.md", "not included")
    write(project / "AGENTS.md", "not asked for")
    write(project / "THEIRS.md", "theirs")
    write(project / ".reverie" / "config.toml", '[context]\nnames = ["THEIRS.md"]\n')
    assert "theirs" not in open_memory().context().text
    open_memory().trust()
    context = open_memory().context(include=[str(tmp_path / "more")])
    assert [item.shown for item in context.files] == [
        "../home/.reverie/AGENTS.md",
        "THEIRS.md",
        "../more/AGENTS.md",
    ]
    assert open_memory().save("a fact", scope="project").path == str(project / "THEIRS.md")
    assert open_memory().save("a fact", scope="global").path == str(home / "AGENTS.md")


@pytest.mark.parametrize(
    "name",
    ["state/token", "docs/AGENTS.md", ".credentials.json", "notes.json", "../AGENTS.md", "~x.md"],
)
def test_not_even_the_persons_own_settings_name_more_than_a_text_file(
    project, home, open_memory, name
):
    for folder in (home, project):
        write(Path(os.path.normpath(folder / name)), "CANARY")
    context = open_memory(settings={"context.names": [name]}).context()
    assert "CANARY" not in context.text
    assert "bad_name" in reasons(context)


def test_include_folders_and_extension_files_come_last(project, tmp_path, home, open_memory):
    write(home / "AGENTS.md")
    write(project / "AGENTS.md")
    write(tmp_path / "more" / "AGENTS.md")
    write(tmp_path / "ext" / "context.md")
    options = {
        "include": [str(tmp_path / "more")],
        "extensions": [str(tmp_path / "ext" / "context.md")],
    }
    memory = open_memory()
    assert shown(memory.context(**options)) == [
        *shown(memory.context()),
        "../ext/context.md",
        "../more/AGENTS.md",
    ]


def test_a_missing_include_folder_or_extension_file_is_told(project, open_memory):
    context = open_memory().context(include=["gone"], extensions=["gone.md"])
    assert [(item.path, item.reason) for item in context.diagnostics] == [
        (str(project / "gone"), "missing"),
        (str(project / "gone.md"), "missing"),
    ]


# --- trust ----------------------------------------------------------------------------------------


def test_an_untrusted_folder_loads_only_the_persons_own_and_include_folders(
    project, tmp_path, home, open_memory
):
    write(home / "AGENTS.md", "mine")
    write(project / "AGENTS.md", "not mine")
    write(tmp_path / "more" / "AGENTS.md", "named")
    memory = open_memory()
    memory.trust(trusted=False)
    context = memory.context(
        include=[str(tmp_path / "more")], extensions=[str(project / "AGENTS.md")]
    )
    assert [item.source.value for item in context.files] == ["global", "include"]
    assert reasons(context) == ["untrusted"]
    assert not context.trusted
    assert memory.context(trusted=True).trusted
    memory.trust()
    assert reasons(memory.context()) == []


def test_trust_off_by_default_is_a_setting(project, open_memory):
    write(project / "AGENTS.md")
    memory = open_memory(settings={"context.folder_trust": False})
    assert shown(memory.context()) == []
    memory.trust(str(project.parent))
    assert shown(memory.context()) == ["AGENTS.md"]


def test_a_broken_trust_file_trusts_nothing(project, home, open_memory):
    write(project / "AGENTS.md")
    write(home / "state" / "trust.json", "{broken")
    context = open_memory().context()
    assert context.files == ()
    assert reasons(context) == ["trust_unreadable", "untrusted"]


# --- paths ----------------------------------------------------------------------------------------


def test_a_context_file_that_is_a_link_out_of_the_project_is_refused(
    project, tmp_path, open_memory
):
    write(tmp_path / "secret.md", "secret")
    (project / "AGENTS.md").symlink_to(tmp_path / "secret.md")
    context = open_memory().context()
    assert "secret" not in context.text
    assert reasons(context) == ["outside"]


def test_an_import_that_leaves_the_project_by_a_link_is_refused(project, tmp_path, open_memory):
    write(tmp_path / "outside" / "secret.md", "secret")
    (project / "docs").symlink_to(tmp_path / "outside")
    write(project / "AGENTS.md", "@./docs/secret.md @../outside/secret.md")
    context = open_memory().context()
    assert "secret\n" not in context.text
    assert [(item.line, item.reason) for item in context.diagnostics] == [(1, "outside")] * 2
    assert context.dropped


def test_containment_compares_whole_names(project, open_memory):
    write(project / "..notes.md", "fine")
    write(project.parent / "project-evil" / "a.md", "evil")
    write(project / "AGENTS.md", "@./..notes.md @../project-evil/a.md")
    open_memory().trust()
    context = open_memory().context()
    assert "fine" in context.text
    assert reasons(context) == ["outside"]


def test_import_roots_allow_what_they_name(project, private_home, open_memory):
    write(private_home / ".config" / "coding-standards.md", "# Standards")
    write(project / "AGENTS.md", "<!-- @import: ~/.config/coding-standards.md -->")
    assert reasons(open_memory().context()) == ["outside"]
    memory = open_memory(settings={"context.import_roots": ["~/.config"]})
    assert "# Standards" in memory.context().text


def test_the_persons_own_file_may_import_from_their_home(private_home, home, open_memory):
    write(private_home / "notes" / "style.md", "# Style")
    write(home / "AGENTS.md", "@~/notes/style.md")
    assert "# Style" in open_memory().context().text


def test_an_imported_file_reads_its_own_imports_from_where_it_really_is(project, open_memory):
    write(project / "shared" / "real.md", "@./part.md")
    write(project / "shared" / "part.md", "part")
    (project / "alias.md").symlink_to("shared/real.md")
    write(project / "AGENTS.md", "@./alias.md")
    assert "part\n" in open_memory().context().text


def test_a_foreign_file_in_a_folder_open_to_all_is_skipped(tmp_path):
    folder = tmp_path / "open"
    path = write(folder / "AGENTS.md", "planted")
    folder.chmod(0o1777)
    stranger = DiskReader(limit=1000, user=os.geteuid() + 1)
    assert stranger.read(str(path), roots=None).reason == "foreign"
    assert DiskReader(limit=1000, user=os.geteuid()).read(str(path), roots=None).text == "planted"
    folder.chmod(0o755)
    assert (
        DiskReader(limit=1000, user=os.geteuid() + 1).read(str(path), roots=None).text == "planted"
    )


def test_a_foreign_file_behind_a_link_is_skipped_too(tmp_path):
    folder = tmp_path / "open"
    write(folder / "a.md", "planted")
    folder.chmod(0o777)
    link = tmp_path / "AGENTS.md"
    link.symlink_to(folder / "a.md")
    assert (
        DiskReader(limit=1000, user=os.geteuid() + 1).read(str(link), roots=None).reason
        == "foreign"
    )


# --- bad input ------------------------------------------------------------------------------------


@pytest.fixture
def bad(project):
    """Make one of each bad import target, and return the reason each should get."""
    write(project / "binary.md", b"\x89PNG\x00\x01")
    write(project / "latin.md", "caf\u00e9".encode("latin-1"))
    (project / "folder.md").mkdir()
    (project / "loop.md").symlink_to("loop.md")
    (project / "nowhere.md").symlink_to("gone.md")
    os.mkfifo(project / "pipe.md")
    with (project / "huge.md").open("wb") as file:
        file.truncate(50 * 1024 * 1024)
    write(project / "self.md", "@./self.md")
    write(project / ("n" * 200 + ".md"), "long but fine")
    return {
        "gone.md": "missing",
        "binary.md": "binary",
        "latin.md": "not_text",
        "folder.md": "directory",
        "loop.md": "unreadable",
        "nowhere.md": "missing",
        "pipe.md": "not_a_file",
        "huge.md": "too_large",
        "n" * 300 + ".md": "unreadable",
    }


def test_each_bad_import_gets_one_diagnostic_and_stops_nothing(project, bad, open_memory):
    lines = [f"@./{name}" for name in bad]
    write(project / "AGENTS.md", "start\n\n" + "\n".join(lines) + "\n\nend @./self.md\n")
    context = open_memory().context()  # it comes back at all: nobody writes into the pipe
    assert context.text.startswith("--- Context from: AGENTS.md ---\nstart\n\n@./gone.md\n")
    assert [(item.line, item.reason) for item in context.diagnostics] == [
        *[(3 + at, reason) for at, reason in enumerate(bad.values())],
        (1, "cycle"),
    ]
    assert [item.path for item in context.diagnostics][-1] == str(project / "self.md")


@pytest.mark.parametrize(
    "name", ["binary.md", "latin.md", "folder.md", "loop.md", "pipe.md", "huge.md"]
)
def test_a_bad_context_file_is_told_and_the_others_load(project, bad, name, open_memory):
    (project / name).rename(project / "AGENTS.md")
    if name == "loop.md":
        (project / "AGENTS.md").unlink()
        (project / "AGENTS.md").symlink_to("AGENTS.md")
    write(project / "REVERIE.md", "fine")
    context = open_memory().context()
    assert shown(context) == ["REVERIE.md"]
    assert [(item.path, item.reason) for item in context.diagnostics] == [
        (str(project / "AGENTS.md"), bad[name])
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_told(project, open_memory):
    write(project / "AGENTS.md").chmod(0)
    assert reasons(open_memory().context()) == ["unreadable"]


def test_a_socket_is_no_context_file(project, open_memory, monkeypatch):
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(project)  # a socket's name must be short
        server.bind("AGENTS.md")
        assert reasons(open_memory().context()) == ["not_a_file"]


@pytest.mark.slow
def test_five_thousand_imports_load_within_their_limits(project, open_memory):
    for at in range(5000):
        write(project / "d" / f"{at}.md", "x")
    write(project / "AGENTS.md", "\n".join(f"@./d/{at}.md" for at in range(5000)))
    context = open_memory().context()
    assert len(context.files[0].imports) == 500
    assert reasons(context) == ["large", "too_many"]


def test_a_loaded_context_survives_a_checkpoint(project, bad, open_memory):
    write(project / "AGENTS.md", "@./binary.md")
    context = open_memory().context()
    assert from_json(json.loads(json.dumps(to_json(context)))) == context


# --- watching -------------------------------------------------------------------------------------


def changed_by(memory, action):
    seen = signature(memory.context())
    assert seen.changed() == ()
    action()
    return [Path(path).name for path in seen.changed()]


def test_a_changed_context_file_or_import_is_noticed(project, open_memory):
    write(project / "AGENTS.md", "@./b.md")
    write(project / "b.md", "b")
    memory = open_memory()
    assert changed_by(memory, lambda: write(project / "b.md", "changed")) == ["b.md"]
    assert changed_by(memory, lambda: write(project / "AGENTS.md", "longer")) == ["AGENTS.md"]
    assert changed_by(memory, (project / "AGENTS.md").unlink) == ["AGENTS.md"]


def test_a_file_that_appears_is_noticed(project, open_memory):
    write(project / "AGENTS.md", "@./missing.md @lib/maybe.js")
    memory = open_memory()
    assert changed_by(memory, lambda: write(project / "AGENTS.local.md")) == ["AGENTS.local.md"]
    assert changed_by(memory, lambda: write(project / "missing.md")) == ["missing.md"]
    assert changed_by(memory, lambda: write(project / "lib" / "maybe.js")) == ["maybe.js"]


def test_a_changed_trust_is_noticed(project, open_memory):
    memory = open_memory()
    assert changed_by(memory, lambda: memory.trust(trusted=False)) == ["trust.json"]


def test_other_files_are_not_noticed(project, open_memory):
    write(project / "AGENTS.md", "text")
    assert changed_by(open_memory(), lambda: write(project / "other.md")) == []
