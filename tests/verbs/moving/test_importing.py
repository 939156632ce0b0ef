"""What other systems remember, brought in: mem0, basic-memory, ChatGPT, Claude, Obsidian, folders."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie.config import ImportSettings
from reverie.core.history import turns
from reverie.core.markdown import frontmatter
from reverie.core.moving.formats import FORMATS
from reverie.core.moving.record_kinds import ABOUT
from reverie.errors import InvalidContent, InvalidInput, PathNotFound, ReverieError, TooLarge
from reverie.local.moving import bundle
from reverie.memory import Memory
from reverie.types import Kind, Scope
from tests.conftest import NO_MODEL
from tests.examples import examples

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    project = tmp_path / "project"
    project.mkdir()
    with Memory.open(project, home=tmp_path / "base", env=NO_MODEL, clock=lambda: NOW) as opened:
        yield opened


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def heads(memory: Memory) -> dict[str, dict[str, str]]:
    found = {}
    for topic in memory.store.topics():
        head = frontmatter.read(topic.text)
        assert head is not None
        assert not head.problem
        found[topic.name] = dict(head.values)
    return found


# --- mem0 -----------------------------------------------------------------------------------------


def mem0(text: str, number: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "id": f"0000-{number}",
        "memory": text,
        "hash": "d41d8cd98f00b204",
        "metadata": {"place": "kitchen"},
        "created_at": "2025-01-02T03:04:05-07:00",
        "updated_at": None,
        "user_id": "mia",
        **more,
    }


@pytest.mark.parametrize(
    "shape",
    [
        lambda items: {"results": items},
        lambda items: {"count": 2, "next": None, "previous": None, "results": items},
        lambda items: {"memories": items},
        lambda items: items,
        lambda items: "\n".join(json.dumps(item) for item in items),
    ],
)
def test_memories_of_mem0_become_topics_with_their_ids_dates_and_tags(memory, tmp_path, shape):
    items = [
        mem0("I prefer oat milk", 1, categories=["food"], updated_at="2025-03-01T00:00:00Z"),
        mem0("我喜欢喝茶", 2, expiration_date="2027-01-01", immutable=True),
    ]
    brought = memory.import_(write(tmp_path / "mem0.json", shape(items)))
    assert (brought.format, brought.counts.files, brought.dropped) == ("mem0", 2, ())
    kept = heads(memory)["I prefer oat milk"]
    assert kept["mem0_id"] == "0000-1"
    assert kept["mem0_user_id"] == "mia"
    assert kept["mem0_metadata.place"] == "kitchen"
    topic = next(item for item in memory.store.topics() if item.name == "I prefer oat milk")
    assert topic.scope is Scope.USER
    assert topic.updated == datetime(2025, 3, 1, tzinfo=UTC)
    assert 'tags: ["food"]' in topic.text
    tea = next(item for item in memory.store.topics() if item.name == "我喜欢喝茶")
    assert "mem0_expiration_date: 2027-01-01" in tea.text
    assert tea.updated == datetime(2025, 1, 2, 10, 4, 5, tzinfo=UTC)
    assert memory.recall("oat milk").topics[0].name == "I prefer oat milk"


def test_a_second_import_of_another_system_changes_nothing_even_after_a_dream(memory, tmp_path):
    source = write(tmp_path / "mem0.json", [mem0("I prefer oat milk"), mem0("I hate rain", 2)])
    first = memory.import_(source)
    assert memory.import_(source).known.files == 2
    memory.forget("hate rain")
    again = memory.import_(source)
    assert (again.counts.files, again.known.files, again.runs) == (0, 2, ())
    assert [item.name for item in memory.store.topics()] == ["I prefer oat milk"]
    assert memory.import_(source, again=True).counts.files == 1
    assert first.runs


@pytest.mark.parametrize("erase", [False, True])
def test_what_was_forgotten_comes_back_with_an_import_only_when_somebody_says_so(
    memory, tmp_path, erase
):
    source = write(
        tmp_path / "mem0.json",
        [mem0("The vault is below the stairs. Nobody knows its number."), mem0("Tea at five", 2)],
    )
    memory.remember("The vault is below the stairs")
    memory.forget("vault below the stairs", erase=erase)
    brought = memory.import_(source)
    assert brought.counts.files == 1
    assert [entry.summary for item in memory.store.topics() for entry in item.entries] == [
        "Tea at five"
    ]
    [left] = brought.dropped
    assert "--again" in left.reason
    assert "vault" not in str(left)
    assert memory.import_(source, again=True).counts.files == 1


def test_our_own_export_brings_nothing_back_that_was_forgotten_after_it(memory, tmp_path):
    for text in ("The vault is below the stairs", "Tea is served at five"):
        memory.remember(text)
    memory.export(tmp_path / "out")
    memory.forget("vault below the stairs", erase=True, everywhere=True)
    brought = memory.import_(tmp_path / "out")
    assert [item.name for item in memory.store.topics()] == ["Tea is served at five"]
    assert any("--again" in item.reason for item in brought.dropped)


def test_an_import_that_was_undone_can_be_done_again(memory, tmp_path):
    source = write(tmp_path / "mem0.json", [mem0("I prefer oat milk")])
    memory.undo(memory.import_(source).runs[0])
    assert memory.import_(source).counts.files == 1


def test_a_memory_with_a_secret_is_refused_and_the_others_come_in(memory, tmp_path):
    items = [mem0("I prefer oat milk"), mem0(f"my token is {SECRET}", 2), mem0("", 3)]
    brought = memory.import_(write(tmp_path / "mem0.json", items))
    assert [item.what for item in brought.refused] == ["mem0 0000-2"]
    assert [item.what for item in brought.dropped] == ["mem0 0000-3"]
    assert len(memory.store.topics()) == 1


@pytest.mark.parametrize("form", ["folder", "zip"])
@pytest.mark.parametrize("place", ["{}.md", "{}/plan.md", "deep/x {} y.md"])
def test_a_secret_in_a_name_is_refused_and_never_shown(memory, tmp_path, place, form):
    name = place.format(SECRET)
    source = tmp_path / "vault"
    write(source / name, "# Plan\n")
    write(source / "good.md", "# Good\n")
    (source / f"{SECRET}.png").write_bytes(b"\x89PNG")
    if form == "zip":
        source = zipped(
            tmp_path / "v.zip", dict.fromkeys((name, "good.md", f"{SECRET}.png"), b"# Plan\n")
        )
    brought = memory.import_(source)
    assert brought.counts.files == 1
    (refused,) = brought.refused
    assert "its name" in refused.reason
    assert SECRET not in repr(brought)
    assert SECRET not in "".join(map(str, Path(memory.workspace.home).rglob("*")))


def test_a_secret_in_a_name_is_left_out_of_it_where_secrets_are_redacted(tmp_path):
    (tmp_path / "project").mkdir()
    options = {"home": tmp_path / "base", "env": {}, "settings": {"secrets.policy": "redact"}}
    with Memory.open(tmp_path / "project", **options) as memory:
        brought = memory.import_(
            write(tmp_path / "v" / SECRET / f"{SECRET}.md", "# a\n").parents[1]
        )
        assert (brought.counts.files, brought.refused) == (1, ())
        assert brought.redactions
        assert SECRET not in repr(brought)
        assert SECRET not in "".join(map(str, Path(memory.workspace.home).rglob("*")))


def test_fields_that_try_to_end_the_frontmatter_cannot(memory, tmp_path):
    odd = mem0(
        "I prefer oat milk", **{"a: b\n---\nx": "\n---\ntype: feedback\n", "deep": [[1], {}]}
    )
    memory.import_(write(tmp_path / "mem0.json", [odd]))
    topic = memory.store.topics()[0]
    assert topic.kind is Kind.USER
    assert topic.entries[0].summary == "I prefer oat milk"


# --- chats ----------------------------------------------------------------------------------------


def node(key: str, parent: str | None, message: dict[str, Any] | None) -> dict[str, Any]:
    return {"id": key, "parent": parent, "children": [], "message": message}


def chatgpt() -> list[dict[str, Any]]:
    def message(role: str, text: str, at: float, **more: Any) -> dict[str, Any]:
        return {
            "author": {"role": role},
            "create_time": at,
            "content": {"content_type": "text", "parts": [text]},
            "recipient": "all",
            **more,
        }

    instructions = {
        "content_type": "user_editable_context",
        "user_profile": "The user provided the following:\n```I am a baker```",
        "user_instructions": "Answer like this:\n```Be brief```",
    }
    listed = {
        "content_type": "model_editable_context",
        "model_set_context": "1. [2024-05-02]. User has a dog named Rex.\n\n2. [2024-05-03]. User bakes.",
    }
    mapping = {
        "root": node("root", None, None),
        "i": node("i", "root", message("user", "", 1.7e9, content=instructions)),
        "l": node("l", "i", message("assistant", "", 1.7e9, content=listed)),
        "q": node("q", "l", message("user", "Remember that Rex is four", 1.7e9)),
        "b": node(
            "b", "q", message("assistant", "User's dog Rex is four.", 1.7e9, recipient="bio")
        ),
        "t": node("t", "b", message("tool", "Model set context updated.", 1.7e9)),
        "a": node("a", "t", message("assistant", "Noted.", 1.7e9 + 1)),
    }
    facts = {"title": "Rex", "conversation_id": "c1", "create_time": 1.7e9, "current_node": "a"}
    return [{**facts, "mapping": mapping}]


def test_a_chatgpt_export_gives_turns_and_what_it_remembered(memory, tmp_path):
    source = tmp_path / "export.zip"
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("conversations.json", json.dumps(chatgpt()))
        archive.writestr("user.json", "{}")
        archive.writestr("chat.html", "<html>")
    brought = memory.import_(source)
    assert (brought.format, brought.counts.turns) == ("chatgpt", 1)
    assert {item.name for item in memory.store.topics()} == {
        "User has a dog named Rex", "User bakes", "User's dog Rex is four",
        "About me, as told to ChatGPT", "How ChatGPT should answer",
    }  # fmt: skip
    profile = next(t for t in memory.store.topics() if t.name.startswith("About me"))
    assert profile.body.strip() == "I am a baker"
    dog = next(t for t in memory.store.topics() if "named Rex" in t.name)
    assert dog.updated == datetime(2024, 5, 2, tzinfo=UTC)
    (turn,) = memory.layers.history.latest(5).turns
    assert ("user", "Remember that Rex is four") in list(turns.said(turn))
    assert turn.source.startswith("chatgpt:c1:")
    assert {item.what for item in brought.dropped} == {"user.json", "chat.html"}
    second = memory.import_(source)
    assert (second.counts.files, second.counts.turns, second.known.turns) == (0, 0, 1)


def claude_files() -> dict[str, object]:
    messages = [
        {
            "uuid": "m1", "sender": "human", "text": "What is this?", "created_at": "2025-05-01T10:00:00Z",
            "content": [{"type": "text", "text": "What is this?"}],
            "attachments": [{"file_name": "a.txt", "extracted_content": "words of the file"}],
            "files": [{"file_name": "photo.png"}],
        },
        {
            "uuid": "m2", "sender": "assistant", "text": "A file.", "created_at": "2025-05-01T10:00:05Z",
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "A file."}],
        },
    ]  # fmt: skip
    return {
        "conversations.json": [
            {"uuid": "c1", "name": "Files", "created_at": "2025-05-01T10:00:00Z", "chat_messages": messages},
            {"uuid": "c2", "name": "", "chat_messages": []},
        ],
        "memories.json": [
            {
                "conversations_memory": "**Work**\n\nMia runs a bakery.",
                "project_memories": {"p1": "The oven is broken."},
                "account_uuid": "acct",
            }
        ],
        "projects.json": [
            {
                "uuid": "p1", "name": "Oven", "description": "Repair it", "is_private": True,
                "prompt_template": "Be careful.", "created_at": "2025-04-01T00:00:00Z",
                "docs": [{"uuid": "d1", "filename": "manual.txt", "content": "Turn it off first."}],
            }
        ],
        "users.json": [{"uuid": "acct", "full_name": "Mia"}],
    }  # fmt: skip


def test_a_claude_export_gives_turns_memories_and_projects(memory, tmp_path):
    for name, value in claude_files().items():
        write(tmp_path / "claude" / name, value)
    brought = memory.import_(tmp_path / "claude")
    assert (brought.format, brought.counts.turns) == ("claude", 1)
    bodies = {item.name: item.body.strip() for item in memory.store.topics()}
    assert bodies["What Claude remembers"] == "**Work**\n\nMia runs a bakery."
    assert bodies["What Claude remembers of Oven"] == "The oven is broken."
    assert bodies["Claude project: Oven"] == "Repair it\n\nBe careful."
    (turn,) = memory.layers.history.latest(5).turns
    assert list(turns.said(turn)) == [("user", "What is this?"), ("assistant", "A file.")]
    assert turn.created_at == datetime(2025, 5, 1, 10, tzinfo=UTC)
    assert "words of the file" in turns.encode(turn)
    assert "photo.png" in turns.encode(turn)
    (note,) = memory.layers.notes().notes
    assert (note.title, note.body.strip()) == ("manual.txt", "Turn it off first.")
    assert [item.what for item in brought.dropped] == ["users.json"]
    second = memory.import_(tmp_path / "claude")
    assert (second.counts.files, second.counts.turns) == (0, 0)


def test_newer_claude_exports_have_a_file_for_each_project_and_account(memory, tmp_path):
    files = claude_files()
    project = files.pop("projects.json")
    memories = files.pop("memories.json")
    write(tmp_path / "x" / "projects" / "p1.json", project[0])  # type: ignore[index]
    write(tmp_path / "x" / "memories" / "acct.json", memories[0])  # type: ignore[index]
    write(tmp_path / "x" / "conversations.json", files["conversations.json"])
    brought = memory.import_(tmp_path / "x")
    assert brought.dropped == ()
    assert len(memory.store.topics()) == 3


# --- folders --------------------------------------------------------------------------------------

OBSERVED = """---
title: Coffee
type: note
permalink: drinks/coffee
tags:
- drinks
created: 2025-02-03T04:05:06Z
---

# Coffee

## Observations
- [method] Pour over needs a gooseneck kettle #brewing (tested)

## Relations
- pairs_with [[Chocolate]]
"""


def test_notes_of_basic_memory_become_topics_with_every_field(memory, tmp_path):
    write(tmp_path / "bm" / "drinks" / "Coffee.md", OBSERVED)
    brought = memory.import_(tmp_path / "bm")
    assert brought.format == "basic-memory"
    (topic,) = memory.store.topics()
    assert topic.rel == "drinks/Coffee.md"
    assert topic.name == "Coffee"
    values = heads(memory)["Coffee"]
    assert values["original_type"] == "note"
    assert values["permalink"] == "drinks/coffee"
    assert topic.body == OBSERVED.partition("---\n")[2].partition("---\n")[2]
    assert topic.updated == datetime(2025, 2, 3, 4, 5, 6, tzinfo=UTC)
    assert memory.import_(tmp_path / "bm").known.files == 1


def vault(root: Path) -> Path:
    write(root / ".obsidian" / "app.json", {})
    write(root / "Home.md", "\ufeff# Home\r\n\r\nSee [[Sub/Plan|the plan]] and ![[photo.png]].\r\n")
    write(root / "Sub" / "Plan.md", "---\ntags: [work]\naliases: [P]\n---\nBack to [[Home]]. #todo")
    (root / "photo.png").write_bytes(b"\x89PNG\r\n")
    return root


def test_an_obsidian_vault_goes_into_the_notebook_byte_for_byte(memory, tmp_path):
    root = vault(tmp_path / "vault")
    brought = memory.import_(root)
    assert brought.format == "obsidian"
    base = Path(memory.layers.root, "notes", "zettel")
    for name in ("Home.md", "Sub/Plan.md"):
        assert (base / name).read_bytes() == (root / name).read_bytes()
    shown = memory.layers.note("Home")
    assert [item.title for item in shown.links] == ["Plan"]
    assert [item.title for item in shown.backlinks] == ["Plan"]
    assert "photo.png" in [item.what for item in brought.dropped]
    assert memory.import_(root).counts.files == 0


def test_the_notes_of_a_vault_can_become_topics(memory, tmp_path):
    brought = memory.import_(vault(tmp_path / "vault"), shape="topics", scope="user")
    assert brought.counts.files == 2
    plan = next(item for item in memory.store.topics() if item.name == "Plan")
    assert "tags: [work]\naliases: [P]\n" in plan.text
    assert plan.body == "Back to [[Home]]. #todo"
    home = next(item for item in memory.store.topics() if item.name == "Home")
    assert home.text.startswith("\ufeff---\r\n")
    assert home.text.endswith("# Home\r\n\r\nSee [[Sub/Plan|the plan]] and ![[photo.png]].\r\n")


def test_a_link_in_a_vault_is_not_followed(memory, tmp_path):
    root = vault(tmp_path / "vault")
    outside = write(tmp_path / "outside" / "private.md", "do not read")
    (root / "link.md").symlink_to(outside)
    (root / "folder").symlink_to(outside.parent)
    os.mkfifo(root / "pipe.md")
    brought = memory.import_(root)
    assert {"link.md", "folder", "pipe.md"} <= {item.what for item in brought.dropped}
    assert not list(Path(memory.layers.root).rglob("private.md"))


def test_what_is_no_text_is_listed(memory, tmp_path):
    root = vault(tmp_path / "vault")
    (root / "latin.md").write_bytes(b"caf\xe9")
    brought = memory.import_(root)
    assert [item.reason for item in brought.dropped if item.what == "latin.md"] == [
        "it is not UTF-8 text (byte 3)"
    ]


TOPIC = "---\nname: Terse\ndescription: Short answers\ntype: feedback\n---\n\nAnswer briefly.\n"


@pytest.mark.parametrize(
    ("folder", "scope"), [("memories", Scope.USER), ("memory", Scope.PROJECT), ("x", Scope.USER)]
)
def test_a_memory_folder_of_an_agent_comes_in_as_it_is(memory, tmp_path, folder, scope):
    write(tmp_path / folder / "feedback" / "terse.md", TOPIC)
    write(tmp_path / folder / "MEMORY.md", "- [Terse](feedback/terse.md) — Short answers\n")
    brought = memory.import_(tmp_path / folder)
    (topic,) = memory.store.topics()
    assert (topic.text, topic.scope, topic.rel) == (TOPIC, scope, "feedback/terse.md")
    assert [item.what for item in brought.dropped] == ["MEMORY.md"]


def test_words_in_a_catalog_of_claude_code_become_a_topic(memory, tmp_path):
    write(tmp_path / "memory" / "terse.md", TOPIC)
    text = "# Memory\n\nThe tests need docker.\n\n- [Terse](terse.md) — Short\n"
    write(tmp_path / "memory" / "MEMORY.md", text)
    memory.import_(tmp_path / "memory", format="claude-code")
    assert any("The tests need docker." in item.body for item in memory.store.topics())


def test_of_a_base_folder_only_the_memory_folders_count(memory, tmp_path):
    write(tmp_path / "qwen" / "memories" / "terse.md", TOPIC)
    write(tmp_path / "qwen" / "projects" / "a" / "memory" / "one.md", TOPIC)
    write(tmp_path / "qwen" / "projects" / "b" / "memory" / "two.md", TOPIC)
    write(tmp_path / "qwen" / "QWEN.md", "# context")
    brought = memory.import_(tmp_path / "qwen")
    assert [item.rel for item in memory.store.topics()] == ["terse.md"]
    assert len(brought.dropped) == 3


# --- what it is -----------------------------------------------------------------------------------


def test_what_is_not_known_says_which_formats_are(memory, tmp_path):
    with pytest.raises(InvalidInput, match="basic-memory"):
        memory.import_(write(tmp_path / "x.json", {"hello": "world"}))
    with pytest.raises(InvalidInput):
        memory.import_(write(tmp_path / "x.bin", "\x00\x01"))
    with pytest.raises(PathNotFound):
        memory.import_(tmp_path / "nothing")
    with pytest.raises(InvalidInput, match="no format"):
        memory.import_(tmp_path / "x.json", format="evernote")


# --- hostile zips ---------------------------------------------------------------------------------


def zipped(path: Path, entries: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return path


def test_names_that_lead_out_of_a_zip_are_left_out(memory, tmp_path):
    note = b"# evil"
    source = zipped(
        tmp_path / "v.zip",
        {
            "good.md": b"# good", "../evil.md": note, "/evil.md": note, "a/../../evil.md": note,
            "C:evil.md": note, "a\\..\\evil.md": note, "GOOD.md": note,
        },
    )  # fmt: skip
    brought = memory.import_(source)
    assert brought.counts.files == 1
    assert len(brought.dropped) == 6
    assert not list(tmp_path.rglob("evil*"))


def test_a_link_inside_a_zip_is_left_out(memory, tmp_path):
    source = tmp_path / "v.zip"
    with zipfile.ZipFile(source, "w") as archive:
        info = zipfile.ZipInfo("link.md")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
        archive.writestr("good.md", "# good")
    brought = memory.import_(source)
    assert brought.counts.files == 1
    assert [item.what for item in brought.dropped] == ["link.md"]


def test_a_bomb_is_stopped_while_it_is_read(tmp_path):
    source = zipped(tmp_path / "bomb.zip", {"a.md": b"0" * 5_000_000, "b.md": b"0" * 5_000_000})
    few = ImportSettings(max_file_bytes=1_000_000, max_ratio=10_000)
    with closing(bundle.open_bundle(source, few)) as small:
        assert small.text("a.md") is None
        assert "imports.max_file_bytes" in small.dropped[0].reason
    with closing(bundle.open_bundle(source, few)) as lines, pytest.raises(TooLarge):
        list(lines.lines("a.md"))
    together = ImportSettings(max_total_bytes=6_000_000, max_ratio=10_000)
    with closing(bundle.open_bundle(source, together)) as total:
        assert total.text("a.md")
        with pytest.raises(TooLarge, match=r"imports\.max_total_bytes"):
            total.text("b.md")


def test_a_damaged_zip_is_reported(memory, tmp_path):
    source = zipped(tmp_path / "v.zip", {"a.md": os.urandom(5000).hex().encode(), "b.md": b"# b"})
    data = bytearray(source.read_bytes())
    data[60:200] = b"\x00" * 140
    source.write_bytes(bytes(data))
    brought = memory.import_(source)
    assert "a.md" in [item.what for item in brought.dropped]
    assert brought.counts.files == 1
    (tmp_path / "half.zip").write_bytes(b"PK\x05\x06" + b"\x00" * 18 + b"rest")
    with pytest.raises((InvalidContent, InvalidInput)):
        memory.import_(tmp_path / "half.zip")


# --- whatever comes -------------------------------------------------------------------------------

_WORDS = st.sampled_from(
    ["kind", "file", "at", "user/a.md", "text", "run", "id", "memory", "results", "mapping", "message",
     "content", "parts", "recipient", "bio", "chat_messages", "sender", "human", "uuid", "docs", "name",
     "conversations_memory", "project_memories", "model_set_context", "created_at", "metadata", "x"]
)  # fmt: skip
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_WORDS, inner, max_size=5),
    max_leaves=20,
)
_CONTENTS = st.one_of(
    st.binary(max_size=60),
    _VALUES.map(lambda value: json.dumps(value).encode()),
    st.lists(_VALUES, max_size=4).map(
        lambda rows: b"\n".join(json.dumps(r).encode() for r in rows)
    ),
    st.text(max_size=60).map(lambda text: f"---\n{text}\n---\n{text}".encode("utf-8", "replace")),
)


@pytest.mark.slow
@pytest.mark.parametrize("format", [None, *FORMATS])
@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(
    data=_CONTENTS,
    name=st.sampled_from(["reverie.jsonl", "conversations.json", "a.md", "memories.json"]),
)
def test_whatever_a_source_holds_it_is_read_or_refused_by_name(
    memory, tmp_path, format, data, name
):
    folder = tmp_path / "any"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    (folder / name).write_bytes(data)
    for source in (folder, folder / name):
        try:
            brought = memory.import_(source, format=format, dry_run=True)
        except ReverieError:
            continue
        assert brought.dry_run
    assert memory.log() == []


def _places(value: Any) -> list[tuple[Any, Any]]:
    """List every place in a JSON value that something else could stand at."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        keys = inner.keys() if isinstance(inner, dict) else range(len(inner))
        for key in keys:
            found.append((inner, key))
            if isinstance(inner[key], dict | list):
                waiting.append(inner[key])
    return found


_ODD = st.sampled_from(
    [None, True, 0, -1, 1e308, float("inf"), float("nan"), 10**30, "", "\ud800", "x" * 3000, " " * 5000,
     [], {}, [[]], [None], {"": None}, "```" + " " * 3000, "../../evil", "2026-13-45", "\x00"]
)  # fmt: skip


@pytest.mark.parametrize("format", ["mem0", "chatgpt", "claude", "jsonl"])
@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck), deadline=None)
@given(data=st.data())
def test_an_export_of_any_system_with_odd_values_is_read_or_refused_by_name(
    memory, tmp_path, format, data
):
    value: Any = {
        "mem0": lambda: [mem0("I like tea", categories=["x"]), mem0("I like rain", 2)],
        "chatgpt": chatgpt,
        "claude": lambda: [
            item for group in claude_files().values() for item in group  # type: ignore[attr-defined]
        ],
        "jsonl": lambda: [
            {"kind": "reverie", "version": 1, "exported_at": "2026-05-01T12:00:00Z"},
            {"kind": "text", "text": "a"},
            {"kind": "run", "id": "20260501-120000-deadbeef", "at": "2026-05-01T12:00:00Z",
             "verb": "x", "status": "done", "detail": {"a": 1}, "deltas": [{"at": "user/a.md"}]},
            {"kind": "file", "at": "user/a.md", "text": TOPIC, "updated": "2026-05-01T12:00:00Z"},
            {"kind": "state", "at": "project/meta.json", "value": {"n": 1}},
            {"kind": "turn", "turn": {"id": 1, "created_at": "2026-05-01T12:00:00Z", "messages": []}},
        ],
    }[format]()  # fmt: skip
    for _ in range(data.draw(st.integers(1, 3))):
        places = _places(value)
        if places:
            inner, key = places[data.draw(st.integers(0, len(places) - 1))]
            inner[key] = data.draw(_ODD)
    lines = value if isinstance(value, list) and format == "jsonl" else [value]
    source = write(tmp_path / "odd.json", "\n".join(map(json.dumps, lines)))
    for allow in ([], list(ABOUT)):
        try:
            memory.import_(source, format=format, allow=allow, dry_run=True)
        except ReverieError as error:
            assert str(error)
    assert memory.log() == []
