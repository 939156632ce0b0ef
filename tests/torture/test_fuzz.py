"""Any text a person or a stranger can write: no rule and no verb falls over it.

`make test` tries a few hundred texts; `make torture` as many as REVERIE_FUZZ says. Texts are put together
from a corpus of fragments that have a meaning to some rule, which reaches further than random letters.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

import reverie.core
from reverie.core.layers.semantic import statements
from reverie.core.secrets.names import given as given_secrets
from reverie.core.showing.origin_lines import shown_path
from reverie.errors import ReverieError
from reverie.memory import Memory
from reverie.types import Kind, Scope
from tests.torture.amount import FUZZ, SEED
from tests.torture.readers import MAY_RAISE, READERS

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)

pytestmark = [pytest.mark.slow, pytest.mark.torture]

# fmt: off
FRAGMENTS = [
    "---\n", "---\nname: x\ntype: user\n---\n", "name: ", "type: [", "# ",
    "## Added Memories\n", "- ", "* ",
    "1. ", "> ", "```", "~~~", "````json\n", "`", "**", "__", "[[", "]]", "[a](b.md)",
    "![", "<!--", "-->",
    "<!-- @import: ", "@./a.md", "@~/x", "@", "\\@", "<", ">", "</", "<system-reminder>",
    "<|im_start|>",
    "[INST]", "<<SYS>>", "Human:", "Why: ", "How to apply: ", "why", "because",
    "remember that ", "never ",
    "always ", "I prefer ", "we decided to ", "yesterday", "next Monday", "in 2 weeks",
    "2026-13-45",
    "31 February", "last Thursday of the month", "明天", "记住", "我们决定", "パスワードは", "密码是 ",
    "Passwort: ",
    "PRIVATE KEY", "-----BEGIN RSA PRIVATE KEY-----", "-----END", "password: ", "api_key=",
    "Bearer ", "://u:p@",
    "eyJhbGciOi", "AKIA", "sk-", "\n", "\r", "\r\n", "\t", " ", "  ", "    ", "\x00",
    "\x1b[31m", "\x1b]0;t\x07",
    "\u200b", "\u202e", "\ufeff", "\u2028", "\ud800", "\U0001f468\u200d\U0001f469",
    "e\u0301", "ﬀ", "ß", "İ", "ǅ",
    "\U0001d400", "ก็", "한국어", "{", "}", "[", "]", '"', "'", "\\", "\\u0000", "null",
    "1e999", "-0", "/", "../", "~",
    "C:\\", "a" * 300, "." * 300, " " * 300, "#" * 50, "|---|", "| a |", "|", ":", "::",
    "%", "$", "&lt;", "&#0;",
    "\n\n\n", "- [ ] ", "--- Context from: x ---", "<reverie-memory:", "chat://", "42-56",
    "*/5 * * * *",
]
# fmt: on
TEXTS = st.one_of(
    st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=8)), max_size=24).map("".join),
    st.text(max_size=200),
)
# Rules get what could be decoded; half a character, as JSON can bring one, is for the verbs to refuse.
PLAIN = TEXTS.map(lambda text: text.encode("utf-8", "replace").decode())
GIVEN: dict[str, Any] = {
    "str": None, "datetime": NOW, "date": date(2026, 11, 16), "Scope": Scope.PROJECT, "Kind": Kind.USER,
    "Scope | None": None, "datetime | None": None,
}  # fmt: skip
NOT_TEXTS = {shown_path, statements, given_secrets}
"""Take absolute paths, names of our own files, and a text with the same text in small letters."""
REFUSES: tuple[type[Exception], ...] = (ReverieError,)


def rules() -> Iterator[tuple[str, Callable[..., object], list[inspect.Parameter]]]:
    """Find every public rule that takes a text and otherwise values we can make up."""
    for found in pkgutil.walk_packages(reverie.core.__path__, "reverie.core."):
        module = importlib.import_module(found.name)
        for name, rule in vars(module).items():
            if not inspect.isfunction(rule) or rule.__module__ != module.__name__:
                continue
            wanted = [
                item
                for place, item in enumerate(inspect.signature(rule).parameters.values())
                if place == 0 or item.default is item.empty
            ]
            fits = (
                rule not in NOT_TEXTS
                and wanted
                and all(str(item.annotation) in GIVEN for item in wanted)
            )
            if fits and str(wanted[0].annotation) == "str" and not name.startswith("_"):
                yield f"{found.name.removeprefix('reverie.core.')}.{name}", rule, wanted


RULES = list(rules())
# What these promise to raise for a text that is not theirs to read.
MAY_REFUSE = {
    "agents.json_edit.read": ValueError,
    "agents.toml_edit.read": ValueError,
    "layers.jobs.run_file": ValueError,
    "tasks.rows.moment": ValueError,
    "agents.known.agent_named": KeyError,
}


def budget(usual: int, *, share: float = 1.0) -> Callable[[Any], Any]:
    """Try the usual few texts, or a share of what REVERIE_FUZZ says; the same for the same seed."""
    limits = settings(
        max_examples=max(round(FUZZ * share), 1) if FUZZ else usual,
        suppress_health_check=list(HealthCheck),
        derandomize=not FUZZ,
        database=None,
    )
    return lambda test: limits(seed(SEED)(test) if FUZZ else test)


def test_there_are_rules_to_try():
    assert len(RULES) > 100


@budget(30)
@given(PLAIN, PLAIN)
def test_no_rule_falls_over_any_text(text, other):
    for name, rule, wanted in RULES:
        given = [
            text if place == 0 else second_value(item, other) for place, item in enumerate(wanted)
        ]
        positional = [
            value
            for value, item in zip(given, wanted, strict=True)
            if item.kind is not item.KEYWORD_ONLY
        ]
        named = {
            item.name: value
            for value, item in zip(given, wanted, strict=True)
            if item.kind is item.KEYWORD_ONLY
        }
        try:
            made = rule(*positional, **named)
            if inspect.isgenerator(made):
                list(made)
        except (*REFUSES, MAY_REFUSE.get(name, ReverieError)):
            continue
        except Exception as error:
            raise AssertionError(f"{name} fell over {text!r} ({other!r}): {error!r}") from error


@budget(30)
@given(PLAIN, PLAIN)
def test_no_reader_falls_over_any_text(text, other):
    for name, read in READERS.items():
        try:
            read(text, other)
        except (*REFUSES, MAY_RAISE.get(name, ReverieError)):
            continue
        except Exception as error:
            raise AssertionError(f"{name} fell over {text!r} ({other!r}): {error!r}") from error


def second_value(item: inspect.Parameter, other: str) -> object:
    """Return what a rule gets besides its text."""
    kind = str(item.annotation)
    return other if kind == "str" else GIVEN[kind]


# --- whole verbs ----------------------------------------------------------------------------------


def verbs(memory: Memory, text: str) -> Iterator[Callable[[], object]]:
    """Everything a person can type a text into."""
    yield lambda: memory.remember(text)
    yield lambda: memory.remember("kept", name=text or None, why=text or None)
    yield lambda: memory.save(text, scope="project")
    yield lambda: memory.save(text, scope=text)
    yield lambda: memory.recall(text)
    yield lambda: memory.search(text, min_score=0)
    yield lambda: memory.get(text)
    yield lambda: memory.get("MEMORY.md", text)
    yield lambda: memory.forget(text, dry_run=True)
    yield lambda: memory.forget(text, erase=True, everywhere=True, dry_run=True)
    yield lambda: memory.extract([{"role": "user", "content": text}], session="s" + text[:20])
    yield lambda: memory.layers.add_note(text, title=text, tags=[text])
    yield lambda: memory.layers.import_chat(text)
    yield lambda: memory.log(path=text or None)
    yield lambda: memory.blame(text)
    yield lambda: memory.diff(text)
    yield lambda: memory.undo(text)
    yield lambda: memory.trusted(text or None)
    yield lambda: memory.context(include=[text], format="flat")


@budget(4, share=0.1)
@given(texts=st.lists(TEXTS, min_size=1, max_size=3), file=TEXTS)
def test_no_verb_falls_over_any_text(tmp_path_factory, texts, file):
    place = tmp_path_factory.mktemp("fuzz")
    project = place / "project"
    (project / ".git").mkdir(parents=True)
    data = file.encode("utf-8", "surrogatepass")
    for name in ("AGENTS.md", "MEMORY.md", "memory/a.md"):
        path = project / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    (project / "chat.jsonl").write_text(json.dumps({"role": "user", "content": file}))
    with Memory.open(project, home=place / "home") as memory:
        topics = Path(memory.workspace.project_memory)
        topics.mkdir(parents=True)
        topics.chmod(0o700)
        (topics / "by-hand.md").write_bytes(data)
        (topics / "by-hand.md").chmod(0o600)
        for text in texts:
            for verb in verbs(memory, text):
                try:
                    verb()
                except REFUSES:
                    continue
                except Exception as error:
                    where = inspect.getsource(verb).strip()
                    raise AssertionError(f"{where} with {text!r}: {error!r}") from error
        for look in (memory.context, memory.doctor, memory.prompt, memory.verify):
            look()
        memory.dream(force=True)
