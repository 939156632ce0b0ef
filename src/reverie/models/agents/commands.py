"""How each agent's command line is asked one question: no tools, hooks, servers, project files or record.

Rules
- What a person said goes through standard input; the command line holds instructions and a schema only.
- Nothing is saved as far as the agent allows it. What an agent still leaves behind is removed (`Order.left`).
- An exit status of 0 says nothing: an answer counts only when it is JSON with every member asked for.
- The switches are those of Claude Code 2.1, Codex 0.166, Gemini CLI 0.61 and Qwen Code 0.24; the tests with
  the real agents (`make test-agents`) say when a newer one no longer knows them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from reverie.core.asking.answers import read_json
from reverie.errors import AgentRefused, BadAnswer, ModelError

SYSTEM_FILE, SCHEMA_FILE, LAST_FILE = "system.md", "schema.json", "answer.json"
_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked."""

    system: str
    schema: Mapping[str, Any]
    seconds: float
    model: str = ""
    """Which of the agent's models; empty means the one that suits such questions."""


@dataclass(frozen=True, slots=True)
class Order:
    """One call of an agent."""

    words: Sequence[str]
    """The command line, without the program."""
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    """Files that are put into the jail, by their names there, or elsewhere by an absolute path."""
    schema_in_prompt: bool = False
    left: Sequence[str] = ()
    """Patterns below the person's home that the call leaves behind; `{jail}` is the jail's name."""


@dataclass(frozen=True, slots=True)
class Result:
    """What an agent answered."""

    value: object
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, slots=True)
class Headless:
    """An agent that can be asked."""

    name: str
    program: str
    pool: str
    """From what a call is paid, in words for a person."""
    order: Callable[[Question, str, Sequence[str]], Order]
    """Builds a call from a question, the jail, and what `features` said."""
    read: Callable[[str, Mapping[str, str]], Result]
    """Reads standard output and the files of the jail."""
    hear: Callable[[str], Result]
    """Reads standard output of a run that was not asked for JSON."""
    features: Sequence[str] = ()
    """Words that make the program list its switches, where an unknown one would be an error."""


# --- Claude Code ----------------------------------------------------------------------------------


def _claude(asked: Question, jail: str, _known: Sequence[str]) -> Order:
    words = [
        "-p", "--safe-mode", "--output-format", "json", "--json-schema", json.dumps(asked.schema),
        "--tools", "", "--strict-mcp-config", "--no-session-persistence",
        "--model", asked.model or "haiku", "--effort", "low", "--max-budget-usd", "0.10",
        "--system-prompt-file", f"{jail}/{SYSTEM_FILE}",
    ]  # fmt: skip
    return Order(words, {"CLAUDE_CODE_MAX_RETRIES": "0"}, {SYSTEM_FILE: asked.system})


def _claude_answer(out: str, _files: Mapping[str, str]) -> Result:
    return _claude_result(out, "structured_output")


def _claude_words(out: str) -> Result:
    return _claude_result(out, "result")


def _claude_result(out: str, key: str) -> Result:
    told = _object(out)
    if told.get("is_error") or key not in told:
        raise _failure(f"{told.get('api_error_status') or ''} {told.get('result') or out}")
    usage = told.get("usage")
    spent = usage if isinstance(usage, Mapping) else {}
    read = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return Result(
        told[key], sum(_count(spent, name) for name in read), _count(spent, "output_tokens")
    )


# --- Codex ----------------------------------------------------------------------------------------

CODEX_OFF: Final = (
    "hooks", "plugins", "apps", "memories", "unified_exec", "shell_tool", "multi_agent", "goals",
    "image_generation", "view_image", "tool_suggest", "browser_use", "computer_use",
)  # fmt: skip
_CODEX_SET: Final = (
    "project_doc_max_bytes=0",
    'web_search="disabled"',
    "include_permissions_instructions=false",
    "include_apps_instructions=false",
    "include_environment_context=false",
    "skills.include_instructions=false",
)


BARE_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,100}")


def _codex(asked: Question, jail: str, known: Sequence[str]) -> Order:
    features = {line.split()[0] for line in known if line.split()}
    servers = [line.removeprefix("server ") for line in known if line.startswith("server ")]
    words = [
        "exec", "--json", "--ephemeral", "--skip-git-repo-check", "--ignore-rules", "-s", "read-only",
        "-C", jail, "--output-schema", f"{jail}/{SCHEMA_FILE}", "-o", f"{jail}/{LAST_FILE}",
        "--color", "never",
    ]  # fmt: skip
    for name in CODEX_OFF:
        words += ["--disable", name] if name in features else []
    told = [*_CODEX_SET, f"model_instructions_file={json.dumps(f'{jail}/{SYSTEM_FILE}')}"]
    # Codex cannot name a server with other characters here, quoted or not.
    told += [f"mcp_servers.{name}.enabled=false" for name in servers if BARE_NAME.fullmatch(name)]
    for pair in told:
        words += ["-c", pair]
    words += ["-m", asked.model] if asked.model else []
    files = {SYSTEM_FILE: asked.system, SCHEMA_FILE: json.dumps(strict(asked.schema))}
    return Order([*words, "-"], files=files)


def _codex_answer(out: str, files: Mapping[str, str]) -> Result:
    spent, wrong = _codex_events(out)
    if not files.get(LAST_FILE, "").strip():
        raise _failure(wrong)
    tokens = _count(spent or {}, "input_tokens"), _count(spent or {}, "output_tokens")
    return Result(read_json(files[LAST_FILE]), *tokens)


def _codex_words(out: str) -> Result:
    spent, wrong = _codex_events(out)
    if spent is None:
        raise _failure(wrong or out)
    return Result("", _count(spent, "input_tokens"), _count(spent, "output_tokens"))


def _codex_events(out: str) -> tuple[Mapping[str, Any] | None, str]:
    """Return what a completed turn cost, and what went wrong before; it may still have tried again."""
    spent, wrong = None, ""
    for line in out.splitlines():
        event = _event(line)
        if event.get("type") == "turn.completed" and isinstance(event.get("usage"), Mapping):
            spent = event["usage"]
        if event.get("type") in ("turn.failed", "error"):
            wrong = line
    return spent, wrong


def strict(schema: Any) -> Any:
    """Return a schema as the provider behind Codex wants it: every member required, none besides."""
    if isinstance(schema, Mapping):
        made = {key: strict(value) for key, value in schema.items() if key != "maxItems"}
        if isinstance(made.get("properties"), dict):
            made |= {"required": list(made["properties"]), "additionalProperties": False}
        return made
    return [strict(item) for item in schema] if isinstance(schema, list | tuple) else schema


# --- Gemini CLI -----------------------------------------------------------------------------------

_GEMINI_SETTINGS: Final = {
    "hooksConfig": {"enabled": False},
    "context": {"fileName": "NONE.md"},
    "tools": {"core": ["none"]},
    "skills": {"enabled": False},
    "experimental": {"enableAgents": False},
    "model": {"maxSessionTurns": 1},
}


def _gemini(asked: Question, jail: str, _known: Sequence[str]) -> Order:
    words = [
        "-o", "json", "-e", "none", "--allowed-mcp-server-names", "none", "--skip-trust",
        "-m", asked.model or "gemini-2.5-flash-lite",
    ]  # fmt: skip
    return Order(
        words,
        {
            "GEMINI_SYSTEM_MD": f"{jail}/{SYSTEM_FILE}",
            "GEMINI_CLI_NO_RELAUNCH": "true",
            # Else the settings in the jail do not count, and only they stop hooks.
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
        {SYSTEM_FILE: asked.system, ".gemini/settings.json": json.dumps(_GEMINI_SETTINGS)},
        schema_in_prompt=True,
        left=(".gemini/tmp/{jail}/chats/*", ".gemini/tmp/{jail}/logs.json"),
    )


def _gemini_answer(out: str, _files: Mapping[str, str]) -> Result:
    heard = _gemini_words(out)
    return replace(heard, value=read_json(str(heard.value)))


def _gemini_words(out: str) -> Result:
    told = _object(out)
    if not isinstance(told.get("response"), str):
        raise _failure(out)
    stats = told.get("stats")
    models = stats.get("models", {}) if isinstance(stats, Mapping) else {}
    tokens = [item.get("tokens", {}) for item in models.values() if isinstance(item, Mapping)]
    return Result(
        told["response"],
        sum(_count(item, "prompt") for item in tokens),
        sum(_count(item, "candidates") for item in tokens),
    )


# --- Qwen Code ------------------------------------------------------------------------------------

QWEN_TOOLS: Final = (
    "agent", "ask_user_question", "cron_create", "cron_delete", "cron_list", "edit", "enter_plan_mode",
    "enter_worktree", "exit_plan_mode", "exit_worktree", "get_goal", "glob", "grep_search",
    "list_agents", "list_directory", "loop_wakeup", "lsp", "monitor", "notebook_edit", "read_file",
    "read_mcp_resource", "record_artifact", "report_findings", "run_shell_command", "save_memory",
    "send_message", "skill", "task", "task_stop", "todo_write", "tool_call", "tool_search",
    "update_goal", "web_fetch", "web_search", "write_file",
)  # fmt: skip


def _qwen(asked: Question, _jail: str, _known: Sequence[str]) -> Order:
    words = [
        "--safe-mode", "--json-schema", json.dumps(asked.schema), "--chat-recording", "false",
        "--system-prompt", asked.system, "-o", "json", "--max-wall-time", f"{max(asked.seconds, 1):.0f}",
    ]  # fmt: skip
    words += [word for tool in QWEN_TOOLS for word in ("--exclude-tools", tool)]
    words += ["-m", asked.model] if asked.model else []
    return Order(words)


def _qwen_answer(out: str, _files: Mapping[str, str]) -> Result:
    heard = _qwen_words(out)
    return replace(heard, value=read_json(heard.value)) if isinstance(heard.value, str) else heard


def _qwen_words(out: str) -> Result:
    try:
        events = json.loads(out)
    except (ValueError, RecursionError):
        events = None
    last = events[-1] if isinstance(events, list) and events else {}
    if not isinstance(last, Mapping) or last.get("is_error") or last.get("type") != "result":
        raise _failure(json.dumps(last.get("error", "")) if isinstance(last, Mapping) else out)
    usage = last.get("usage")
    spent = usage if isinstance(usage, Mapping) else {}
    value = last.get("structured_result", last.get("result"))
    return Result(value, _count(spent, "input_tokens"), _count(spent, "output_tokens"))


HEADLESS: Final[Mapping[str, Headless]] = {
    item.name: item
    for item in (
        Headless(
            "claude-code",
            "claude",
            "your Claude plan or its separate credit for headless use, or your API key",
            _claude,
            _claude_answer,
            _claude_words,
        ),
        Headless(
            "codex",
            "codex",
            "your ChatGPT plan's Codex limits, or your API key",
            _codex,
            _codex_answer,
            _codex_words,
            features=("features", "list"),
        ),
        Headless(
            "gemini",
            "gemini",
            "your Gemini quota, or your API key",
            _gemini,
            _gemini_answer,
            _gemini_words,
        ),
        Headless(
            "qwen",
            "qwen",
            "the account or API key that Qwen Code is set up with",
            _qwen,
            _qwen_answer,
            _qwen_words,
        ),
    )
}


# --- failures -------------------------------------------------------------------------------------

_REFUSED: Final = re.compile(
    r"\b(?:401|402|403|429)\b|not logged in|log ?in again|/login|api.?key|unauthori[sz]ed|authenticat|quota"
    r"|rate.?limit|usage limit|credit|billing|resource.?exhausted",
    re.IGNORECASE,
)


def failure_of(code: int, text: str) -> ModelError:
    """Say what went wrong by what an agent printed; whether to ask again depends on it."""
    shown = " ".join("".join(char if char.isprintable() else " " for char in text).split())[:_SHOWN]
    if code == 41 or _REFUSED.search(text[:20_000]):
        return AgentRefused(
            f"the agent may not be asked now: its login or its quota says no ({shown or code})",
            said=text,
        )
    return ModelError(
        f"the agent gave no answer (exit status {code}): {shown or 'it said nothing'}", said=text
    )


def checked(value: object, schema: Mapping[str, Any]) -> object:
    """Return an answer that has every member asked for; what they say is judged by the verb."""
    if not isinstance(value, Mapping):
        raise BadAnswer("the agent's answer is no JSON object")
    missing = [name for name in schema.get("required", ()) if name not in value]
    if missing:
        raise BadAnswer(f"the agent's answer lacks {missing[0]!r}")
    return value


def _failure(text: str) -> ModelError:
    return failure_of(0, text)


def _object(text: str) -> Mapping[str, Any]:
    """Read the JSON object that a program printed, perhaps with lines of its own before it."""
    try:
        value = read_json(text)
    except BadAnswer:
        raise _failure(text) from None
    return value if isinstance(value, Mapping) else {}


def _event(line: str) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, Mapping) else {}


def _count(spent: Mapping[str, Any], key: str) -> int:
    value = spent.get(key, 0)
    return max(0, value) if isinstance(value, int) else 0
