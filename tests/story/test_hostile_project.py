"""A repository of a stranger's, against everything the person did not mean to show."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.dialect import DIALECTS
from reverie.memory import Memory
from tests.conftest import NO_MODEL
from tests.core.context.test_git_index import index

CANARY = "CANARY-7f3a"
MINE = "the person's own instructions"
# Below the home folder, the base folder and the project: what no stranger's repository may show.
IN_HOME = (".ssh/id_rsa", ".ssh/notes.md", ".aws/credentials", "diary.md", "other/memory/plan.md")
IN_BASE = (
    "state/token",
    ".credentials.json",
    "settings.json",
    "projects/other/memory/x.md",
    "secret.md",
)
IN_PROJECT = (".env", ".env.md", "ignored.txt", "notes/private.md", ".cache/x.md", "data.json")
IN_GIT = (".git/config", ".git/x.md", ".git/logs/HEAD")
TRACKED = (b"AGENTS.md", b"CLAUDE.md", b"QWEN.md", b"REVERIE.md", b"docs/a.md")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


class World:
    """A person's home, with a clone of the stranger's in it."""

    def __init__(self, root, dialect):
        self.dialect = DIALECTS[dialect]
        self.home = root / "home"
        self.base = self.home / self.dialect.config_dir
        self.project = self.home / "work" / "clone"
        for folder, names in (
            (self.home, IN_HOME),
            (self.base, IN_BASE),
            (self.project, (*IN_PROJECT, *IN_GIT)),
        ):
            for name in names:
                write(folder / name, CANARY)
        write(self.base / self.dialect.context_names[0], MINE)
        write(self.project / ".git" / "HEAD", "ref: refs/heads/main\n")
        (self.project / ".git" / "index").write_bytes(index(sorted(TRACKED)))
        write(self.project / "docs" / "a.md", "tracked text")

    def targets(self):
        inside = [*IN_PROJECT, *IN_GIT]
        return [
            *inside,
            *(os.path.relpath(self.home / name, self.project) for name in IN_HOME),
            *(os.path.relpath(self.base / name, self.project) for name in IN_BASE),
            *(f"~/{name}" for name in IN_HOME),
            *(str(self.base / name) for name in IN_BASE),
        ]

    def open(self, **options):
        return Memory.open(
            self.project,
            dialect=self.dialect.name,
            env={**NO_MODEL, "HOME": str(self.home)},
            **options,
        )

    def trust(self, trusted):
        if trusted is not None:
            with self.open() as memory:
                memory.trust(trusted=trusted)

    def shown(self):
        """Return everything that is shown of the project to an agent or a person."""
        with self.open() as memory:
            texts = [memory.prompt().text]
            for form in ("tree", "flat"):
                context = memory.context(format=form)
                texts += [context.text, *(item.message for item in context.diagnostics)]
            texts += [item.message for item in memory.notices]
            texts += [item.text for item in memory.search("CANARY 7f3a", min_score=0).results]
            texts.append(json.dumps(memory.settings.context.names))
        return "\n".join(texts)


written = st.sampled_from(
    ["@{}", "@./{}", '@"{}"', "<!-- @import: {} -->", "@docs/../{}", "@./docs/../{}", "@.//{}"]
)
twists = st.sampled_from(
    [
        str,
        str,
        str.upper,
        str.title,
        lambda t: t.replace(".", ".\u200b"),
        "{}/.".format,
        "./{}".format,
    ]
)


@st.composite
def attacks(draw):
    """Draw how a repository tries: by imports, by links, and by its settings."""
    at = st.integers(0, 99)
    return {
        "imports": draw(st.lists(st.tuples(written, twists, at), max_size=6)),
        "links": draw(
            st.lists(
                st.tuples(
                    st.sampled_from(["docs/l.md", "l", ".l.md", "{name}", "{dot}/{name}", "{local}"]),
                    at,
                ),
                max_size=3,
            )
        ),
        "folder_link": draw(st.sampled_from(["", "..", "~", ".git", "../..", "{base}"])),
        "names": draw(st.lists(st.tuples(twists, at) | st.text(max_size=12), max_size=4)),
        "include": draw(st.booleans()),
    }  # fmt: skip


def build(world, attack):
    targets = world.targets()
    name = world.dialect.context_names[0]
    links = {
        "name": name,
        "dot": world.dialect.config_dir,
        "local": name.replace(".md", ".local.md"),
    }
    lines = [
        form.format(twist(targets[at % len(targets)])) for form, twist, at in attack["imports"]
    ]
    lines += ["@./docs/a.md", *(f"@./{path.format(**links)}" for path, _ in attack["links"])]
    lines += [f"@./folder/{target}" for target in (*IN_HOME, *IN_BASE, "config", "x.md")]
    write(world.project / name, "\n".join(lines))
    write(world.project / "docs" / "a.md", "tracked text\n" + "\n".join(lines))
    if attack["folder_link"]:
        goal = attack["folder_link"].format(base=world.base).replace("~", str(world.home))
        (world.project / "folder").symlink_to(goal)
    for path, at in attack["links"]:
        link = world.project / path.format(**links)
        link.parent.mkdir(exist_ok=True)
        if not os.path.lexists(link) or link.name == name:
            link.unlink(missing_ok=True)
            goal = targets[at % len(targets)].replace("~", str(world.home))
            link.symlink_to(
                goal if goal.startswith("/") else os.path.relpath(world.project / goal, link.parent)
            )
    names = [
        item if isinstance(item, str) else item[0](targets[item[1] % len(targets)])
        for item in attack["names"]
    ]
    names += ["secret.md", "state/token"] if attack["names"] else []
    include = f"include = {json.dumps([str(world.home)])}\n" if attack["include"] else ""
    text = f"[context]\nnames = {json.dumps(names)}\n{include}[search]\nchunk_tokens = 0\n"
    write(world.project / world.dialect.project_config, text)


@pytest.mark.slow
@pytest.mark.parametrize("dialect", sorted(DIALECTS))
@pytest.mark.parametrize("trusted", [None, False, True])
@given(attacks())
@settings(max_examples=20)
def test_no_repository_shows_what_is_not_its_own(dialect, trusted, attack):
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(os.path.realpath(folder)), dialect)
        build(world, attack)
        if (
            trusted
        ):  # then its own files are its own, hidden ones too; git's and the person's are not
            for name in IN_PROJECT:
                write(world.project / name, "theirs")
        world.trust(trusted)
        shown = world.shown()
        assert CANARY not in shown
        assert MINE in shown


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_the_attack_that_was_reported_is_told_and_does_nothing(tmp_path, dialect):
    world = World(tmp_path, dialect)
    name = world.dialect.context_names[0]
    write(world.project / name, "@./.env @./.git/config @./ignored.txt @./docs/a.md")
    write(
        world.project / world.dialect.project_config,
        f'[context]\nnames = ["{name}", ".credentials.json", "state/token"]\n[search]\nchunk_tokens = 0\n',
    )
    shown = world.shown()
    assert CANARY not in shown
    assert "tracked text" in shown
    with world.open() as memory:
        assert [item.code for item in memory.notices] == ["settings_wait"]
        told = {item.reason: item.message for item in memory.context().diagnostics}
        assert set(told) == {"needs_trust", "git_internal"}
        assert "reverie trust" in told["needs_trust"]


def test_trust_opens_the_projects_own_hidden_files_but_not_git(tmp_path):
    world = World(tmp_path, "reverie")
    write(world.project / "AGENTS.md", "@./.cache/x.md @./notes/private.md @./.git/x.md")
    world.trust(True)
    with world.open() as memory:
        context = memory.context()
    assert context.text.count(CANARY) == 2
    assert [item.reason for item in context.diagnostics] == ["git_internal"]


def test_what_a_repository_brought_has_no_more_rights_where_the_persons_own_file_imports_it(
    tmp_path,
):
    world = World(tmp_path, "reverie")
    write(world.project / "docs" / "a.md", "shared rules @~/diary.md @../.env @./b.md")
    write(world.project / "docs" / "b.md", "not tracked")
    write(world.base / "AGENTS.md", f"{MINE} @~/work/clone/docs/a.md @~/.ssh/notes.md")
    with world.open() as memory:
        context = memory.context()
    assert "shared rules" in context.text
    assert "not tracked" not in context.text
    assert context.text.count(CANARY) == 1  # the one the person asked for
    reasons = sorted(item.reason for item in context.diagnostics)
    assert reasons == ["needs_trust", "needs_trust", "outside"]


def test_a_link_to_another_context_file_is_no_attack(tmp_path):
    world = World(tmp_path, "qwen")
    write(world.project / "AGENTS.md", "said once")
    (world.project / "QWEN.md").symlink_to("AGENTS.md")
    with world.open() as memory:
        assert memory.context().text.count("said once") == 1
        assert memory.context().diagnostics == ()
