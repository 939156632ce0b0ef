"""What an import may write without asking: only what is known to be plain memory."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.moving.export_format import ROOTS
from reverie.core.moving.record_kinds import (
    ABOUT,
    HIDDEN,
    MEMORY,
    check_allowed,
    kind_of,
    waiting_place,
)
from reverie.dialect import DIALECTS
from reverie.errors import InvalidInput, InvalidPath


@pytest.mark.parametrize(
    ("at", "kind"),
    [
        ("user/user/tea.md", MEMORY),
        ("project/tea.md", MEMORY),
        ("agent/notes/zettel/Tea.md", MEMORY),
        ("agent/notes/zettel/Rules/Tea.md", MEMORY),
        ("user/MEMORY.md", "context"),
        ("user/deep/memory.md", "context"),
        ("user/AGENTS.md", "context"),
        ("agent/notes/zettel/x/claude.md", "context"),
        ("project/CLAUDE.local.md", "context"),
        ("user/run.sh", "files"),
        ("agent/notes/x.py", "files"),
        ("agent/core/SOUL.md", "core"),
        ("agent/Core/SOUL.md", "core"),
        ("agent/pending/core/SOUL.md", "core"),
        ("agent/working/WORKING_MEMORY.md", "layers"),
        ("agent/semantic/facts.md", "layers"),
        ("agent/notes", "layers"),
        ("agent/anything/else.md", "layers"),
        ("home/AGENTS.md", "context"),
        ("home/commands/deploy.md", "commands"),
        ("home/Skills/x/SKILL.md", "commands"),
        ("home/skills/x/how.md", "commands"),
        ("home/skills/AGENTS.md", "commands"),
        ("home/notes.md", "home"),
        ("context/src/AGENTS.md", "context"),
        ("context/docs/guide.md", "files"),
        ("context/prompts/x.md", "commands"),
        ("context/.github/copilot-instructions.md", HIDDEN),
        ("context/.git/x.md", HIDDEN),
        ("context/.GIT/x.md", HIDDEN),
        ("context/a/.claude/commands/x.md", HIDDEN),
        ("home/.reverie/x.md", HIDDEN),
        ("context/\u200b.git/x.md", HIDDEN),
        ("context/.g\u200cit/x.md", HIDDEN),
        ("context/\uff0egit/x.md", HIDDEN),
        ("context/ .git/x.md", HIDDEN),
        ("user/\u2024hidden/x.md", HIDDEN),
        ("user/\uff21\uff27\uff25\uff2e\uff34\uff33.md", "context"),
        ("user/AGENTS\u200d.md", "context"),
        ("agent/\uff43ore/x.md", "core"),
    ],
)  # fmt: skip
def test_each_place_has_its_kind(at: str, kind: str):
    assert kind_of(at) == kind


@pytest.mark.parametrize(
    "name", [name for item in DIALECTS.values() for name in item.context_names]
)
@pytest.mark.parametrize("folder", ["", "sub/", "sub/deeper/"])
@pytest.mark.parametrize("root", ROOTS)
def test_no_context_file_of_any_agent_is_plain_anywhere(name: str, folder: str, root: str):
    for spelled in (name, name.lower(), name.upper(), name.swapcase()):
        assert kind_of(f"{root}/{folder}{spelled}") != MEMORY


def test_names_that_the_settings_load_are_context():
    assert kind_of("user/House.md") == MEMORY
    assert kind_of("user/House.md", loaded=("sub/HOUSE.md",)) == "context"


_PARTS = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="/"), min_size=1, max_size=9
)


@given(root=st.sampled_from(ROOTS), parts=st.lists(_PARTS, min_size=1, max_size=4))
def test_plain_is_only_markdown_of_managed_memory_and_notes(root: str, parts: list[str]):
    at = "/".join((root, *parts))
    try:
        kind = kind_of(at)
    except InvalidPath:
        return
    assert kind in (MEMORY, HIDDEN, *ABOUT)
    if kind == MEMORY:
        assert root in ("user", "project") or at.casefold().startswith("agent/notes/")
        assert not any(part.startswith(".") for part in parts)
    for form in ("NFC", "NFD"):  # the same name to a file system has the same kind
        assert kind_of(unicodedata.normalize(form, at)) == kind or not parts


@given(
    dot=st.sampled_from([".", "\u2024", "\uff0e", "\ufe52"]),
    noise=st.text(st.sampled_from(" \u200b\u200d\u2060\ufeff\u00ad\ufe0f"), max_size=4),
    root=st.sampled_from(ROOTS),
    name=st.sampled_from(["git", "GitHub", "claude", "gemini", "cursor", "codex", "reverie", "x"]),
)
def test_what_looks_hidden_is_hidden(dot: str, noise: str, root: str, name: str):
    assert kind_of(f"{root}/{noise}{dot}{name}/x.md") == HIDDEN
    assert kind_of(f"{root}/sub/{noise}{dot}{name}.md") == HIDDEN


def test_a_core_file_waits_beside_the_core():
    assert waiting_place("agent/core/SOUL.md") == "agent/pending/core/SOUL.md"
    assert waiting_place("agent/pending/core/SOUL.md") == "agent/pending/core/SOUL.md"


def test_only_known_kinds_can_be_allowed():
    assert check_allowed(["core", "core"]) == {"core"}
    with pytest.raises(InvalidInput, match="context, commands"):
        check_allowed(["everything"])
