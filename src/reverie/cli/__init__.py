"""The command line: parse, call one `Memory` method, print the outcome. No rules live here.

Commands are a table of names; a command's module is imported only when that command runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from reverie.cli.terminal import echo, echo_data, echo_json
from reverie.core.wire import to_wire
from reverie.errors import JournalCorrupt, NotFound, NotInstalled, ReverieError
from reverie.types import Skipped

if TYPE_CHECKING:
    from reverie.config import Resolved
    from reverie.dialect import Dialect
    from reverie.memory import Memory

Value = TypeVar("Value")

# section: name: (module, function, one line for the help)
SECTIONS: dict[str, dict[str, tuple[str, str, str]]] = {
    "First steps": {
        "demo": ("reverie.cli.setup", "demo", "Play a short guided tour in a temporary home."),
        "init": ("reverie.cli.setup", "init", "Create the home and the project's memory."),
        "install": ("reverie.cli.install", "install", "Put Reverie into an agent's settings."),
        "uninstall": ("reverie.cli.install", "uninstall", "Take it out of an agent's settings."),
        "status": ("reverie.cli.install", "status", "List every memory and agent here."),
        "doctor": ("reverie.cli.managed", "doctor", "Report what is wrong, and how to fix it."),
    },
    "Memories, recalled when they matter": {
        "remember": ("reverie.cli.managed", "remember", "Keep one thing as a memory."),
        "recall": ("reverie.cli.managed", "recall", "Print what matters for a prompt."),
        "update": (
            "reverie.cli.managed",
            "update",
            "Put a new statement in the place of an old one.",
        ),
        "move": ("reverie.cli.managed", "move", "Move a memory to you, or to the project."),
        "forget": ("reverie.cli.managed", "forget", "Remove the memories that a query means."),
        "extract": ("reverie.cli.learning", "extract", "Learn from a conversation."),
        "heard": ("reverie.cli.heard", "heard", "Keep or drop what was said and not kept."),
        "dream": ("reverie.cli.learning", "dream", "Merge, date and tidy what is remembered."),
    },
    "Context files (AGENTS.md), always read whole": {
        "context": ("reverie.cli.context", "context", "Print the context files that apply here."),
        "save": ("reverie.cli.context", "save", "Write a fact into a context file."),
        "trust": ("reverie.cli.context", "trust", "Trust a folder's context files, or refuse to."),
    },
    "Search": {
        "search": ("reverie.cli.search", "search", "Find passages, with their path and lines."),
        "get": ("reverie.cli.search", "get", "Read a file or some of its lines."),
        "index": ("reverie.cli.search", "index", "Bring the search index up to date."),
        "watch": ("reverie.cli.search", "watch", "Keep the search index up to date."),
        "stats": ("reverie.cli.search", "stats", "Say how much is indexed."),
        "embedder": ("reverie.cli.embedder", "embedder", "Choose where meaning comes from."),
    },
    "What was written, and undoing it": {
        "log": ("reverie.cli.journal", "log", "List what was written, newest first."),
        "diff": ("reverie.cli.journal", "diff", "Show what a run changed."),
        "blame": ("reverie.cli.journal", "blame", "Show which run each line of a file came from."),
        "undo": ("reverie.cli.journal", "undo", "Take a run back."),
        "verify": ("reverie.cli.journal", "verify", "Check that journal and files are whole."),
    },
    "Layers of an agent": {
        "prompt": ("reverie.cli.layers", "prompt", "Print the layered system prompt."),
        "working": ("reverie.cli.layers", "working", "Show and change working memory."),
        "history": ("reverie.cli.layers", "history", "Append, replay, list and import turns."),
        "notes": ("reverie.cli.notes", "notes", "Write, link and review notes."),
        "cognition": ("reverie.cli.cognition", "cognition", "Run an agent's background jobs."),
    },
    "Moving memory": {
        "import": (
            "reverie.cli.portable",
            "import_",
            "Import an export, or another system's memory.",
        ),
        "pending": ("reverie.cli.portable", "pending", "Approve or discard imported core files."),
        "export": ("reverie.cli.portable", "export", "Write the whole memory somewhere else."),
    },
    "For programs": {
        "serve": ("reverie.cli.serve", "serve", "Serve memory over HTTP, and the page."),
        "page": ("reverie.cli.page", "page", "Print a link to the page of the daemon."),
        "mcp": ("reverie.cli.mcp", "mcp", "Serve memory over MCP to the agent that starts this."),
        "hook": ("reverie.cli.hook", "hook", "Answer a hook of an agent."),
        "postgres": ("reverie.cli.postgres", "postgres", "Manage a shared service's database."),
    },
    "Settings and figures": {
        "config": ("reverie.cli.config", "config", "Show and change settings."),
        "eval": ("reverie.cli.measuring", "eval_", "Measure quality on data."),
        "bench": ("reverie.cli.measuring", "bench", "Measure speed on this machine."),
    },
}
_SHOWN = frozenset(
    (
        "doctor",
        "dream",
        "export",
        "extract",
        "import",
        "index",
        "recall",
        "remember",
        "search",
        "verify",
    )
)
"""Commands that ask nothing and may take a while: what they do is shown meanwhile."""
_OF_POSTGRES = ("alembic", "psycopg", "psycopg_pool", "sqlalchemy")
"""Libraries that are an extra of the package."""
COMMANDS = {name: row for section in SECTIONS.values() for name, row in section.items()}


class Session:
    """What every command gets: the global options, and the memory, opened when first needed."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.json = bool(options.get("json"))
        self._told = 0
        self.env: Mapping[str, str] = os.environ
        """The environment that counts."""
        self.via = ""
        """Who did it, for commands that a running daemon can do as well."""
        self._missed: bool | None = None
        """Whether a daemon's socket was there and nobody at it; None when no daemon was missed."""

    @cached_property
    def memory(self) -> Memory:
        """Open the memory of the chosen workspace."""
        from reverie.local.settings import SETTINGS_UNTRUSTED
        from reverie.memory import Memory

        self._ask_about_settings()
        memory = Memory.open(
            self.options.get("workspace") or ".",
            home=self.options.get("home"),
            dialect=self.options.get("dialect"),
            env=self.env,
        )
        for notice in memory.notices:
            if notice.code != SETTINGS_UNTRUSTED:  # whoever said so need not hear it every time
                echo(f"reverie: {notice.message}", err=True)
        self._told = len(memory.notices)
        return memory

    def _ask_about_settings(self) -> None:
        """Ask a person about a project whose settings wait for that, unless they are just deciding."""
        command = click.get_current_context(silent=True)
        asking = sys.stdin.isatty() and not self.json
        if not asking or (command is not None and command.info_name == "trust"):
            return
        from reverie.cli.trusting import ask_trust
        from reverie.local.settings import SETTINGS_WAIT

        waiting = [item for item in self.resolved.problems if item.code == SETTINGS_WAIT]
        if waiting:
            folder, records = self._folder_and_records()
            ask_trust(self, str(folder), records, waiting[0].message)
            del self.resolved

    def trust_folder(self, trusted: bool | None) -> None:
        """Record what is thought of the current project's folder on this machine."""
        from reverie.local.context.trust import record_in

        folder, records = self._folder_and_records()
        record_in(records, folder, trusted=trusted, wait=10.0)

    def _folder_and_records(self) -> tuple[Path, Path]:
        from reverie.local.settings import records_file
        from reverie.local.store.paths import find_project_root, real_folder

        cwd = real_folder(self.options.get("workspace") or ".")
        records = records_file(self._dialect, home=self.options.get("home"), env=os.environ)
        return find_project_root(cwd) or cwd, records

    @property
    def _dialect(self) -> Dialect:
        from reverie.local.settings import choose_dialect

        home = self.options.get("home")
        return choose_dialect(self.options.get("dialect"), home=home, env=os.environ)

    @cached_property
    def resolved(self) -> Resolved:
        """Resolve the settings without opening the memory, which bad settings would prevent."""
        from reverie.local.settings import load_settings
        from reverie.local.store.paths import real_folder

        home = self.options.get("home")
        cwd = real_folder(self.options.get("workspace") or ".")
        return load_settings(cwd, dialect=self._dialect, home=home, env=os.environ)

    def from_daemon(
        self, path: str, body: dict[str, Any] | None, kind: type[Value], *, writes: bool = False
    ) -> Value | None:
        """Ask a running daemon, which has everything open; None: open the memory instead."""
        from reverie.cli.viadaemon import Missing, from_daemon

        try:
            found = from_daemon(self.options, path, body, kind, writes=writes)
        except Missing as error:
            found, self._missed = None, error.gone
        self.via = "memory" if found is None else "daemon"
        return found

    @property
    def user_settings_file(self) -> Path:
        """Where `config set` writes."""
        from reverie.local.settings import user_file

        return user_file(self._dialect, home=self.options.get("home"), env=os.environ)

    def shown_setting(self, key: str) -> object:
        """Return the value of a setting as anybody may see it: an address may hold a password."""
        from reverie.config import shown_setting
        from reverie.core.secrets.scanner import redact

        value = shown_setting(key, self.resolved.value(key))
        return redact(value)[0] if isinstance(value, str) else value

    def settings_rows(self) -> list[dict[str, object]]:
        """List every setting with its value as it may be shown, its origin and what it is for."""
        from reverie.config import describe, keys

        return [
            {
                "key": key,
                "value": self.shown_setting(key),
                "origin": self.resolved.origin(key),
                "about": describe(key),
            }
            for key in keys()
        ]

    def emit(self, value: object, text: str | Callable[[], str], *, data: bool = False) -> None:
        """Print an outcome: JSON for programs, text for people; `data` goes into a pipe exactly."""
        if self.json:
            wire = to_wire(value)
            if isinstance(value, Skipped):
                wire = skipped_wire(value)
            if self.via and isinstance(wire, dict):
                wire["via"] = self.via
            echo_json(wire)
            return
        shown = text() if callable(text) else text
        if data:
            echo_data(shown)
        else:
            echo(shown, nl=not shown.endswith("\n"))

    def absent(self, value: object, message: str, code: str) -> NoReturn:
        """Print an outcome that says: what was named is not there. The status is that of `NotFound`."""
        if self.json:
            self.emit(value, "")
        echo(f"reverie: {message} [{code}]", err=True)
        raise click.exceptions.Exit(NotFound.exit_code)

    def close(self) -> None:
        """Close the memory if it was opened."""
        if "memory" in self.__dict__:
            for notice in self.memory.notices[self._told :]:
                if notice.code == JournalCorrupt.code:  # damage that showed only while it was used
                    echo(f"reverie: {notice.message}", err=True)
            self.memory.close()
        if self._missed is not None:  # for the next command; whoever typed this one has its answer
            from reverie.client.resident import wake

            sys.stdout.flush()
            wake(self.options.get("home"), dialect=self.options.get("dialect"), gone=self._missed)


def skipped_wire(outcome: Skipped) -> dict[str, str]:
    """Return what programs are told when there was nothing to do, here as by the daemon."""
    return {"status": "skipped", "reason": outcome.reason, "message": outcome.message}


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: "1 turn", "2 turns"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


pass_session = click.make_pass_decorator(Session)


def json_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Accept `--json` after the command too, where people put it."""

    def remember(context: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            context.find_object(Session).json = True  # type: ignore[union-attr]  # always made first

    return click.option(
        "--json", is_flag=True, expose_value=False, callback=remember, help="Print JSON."
    )(function)


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for."""

    def __init__(
        self, *args: Any, sections: dict[str, dict[str, tuple[str, str, str]]], **extra: Any
    ) -> None:
        super().__init__(*args, **extra)
        self.sections = sections
        self.table = {name: row for part in sections.values() for name, row in part.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the names in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in self.table:
            return None
        module, function, _ = self.table[cmd_name]
        command: click.Command = getattr(import_module(module), function)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any of them."""
        width = max(map(len, self.table))  # one column through all sections
        for title, part in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<{width}}", row[2]) for name, row in part.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest the nearest command for a mistyped one."""
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in self.table:
            from difflib import get_close_matches

            near = get_close_matches(name, self.table, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"there is no command {name!r}.{hint}")
        return super().resolve_command(ctx, args)


def _tell_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from reverie import __version__

        echo(f"reverie {__version__}")
        context.exit()


@click.group(
    cls=LazyGroup, sections=SECTIONS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option(
    "-C", "workspace", metavar="DIR", help="The workspace; the current folder by default."
)
@click.option("--home", metavar="DIR", help="The base folder; ~/.reverie by default.")
@click.option(
    "--dialect", metavar="NAME", help="Which agent's names to use: reverie, qwen or claude."
)
@click.option("--json", is_flag=True, help="Print JSON.")
@click.option(
    "-V", "--version", is_flag=True, is_eager=True, expose_value=False, callback=_tell_version,
    help="Print the version and stop.",
)  # fmt: skip
@click.pass_context
def root(context: click.Context, /, **options: Any) -> None:
    """A memory for AI agents, in plain Markdown files."""
    context.obj = Session(options)
    context.call_on_close(context.obj.close)
    if context.invoked_subcommand in _SHOWN and sys.stderr.isatty():
        from reverie.cli.working import Working

        context.with_resource(Working())


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit status; no traceback reaches a person."""
    wants_json = "--json" in arguments
    try:
        code = root.main(args=list(arguments), prog_name="reverie", standalone_mode=False)
    except ReverieError as error:
        from reverie.core.secrets.scanner import redact  # an error may quote what it was given

        message = redact(str(error))[0]
        return _fail(error.code, message, error.exit_code, wants_json, error.evidence)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _OF_POSTGRES:
            raise
        message = (
            f"PostgreSQL needs more libraries ({error.name} is not installed). In a clone of Reverie:"
            " .venv/bin/python -m pip install -e '.[postgres]'"
        )
        return _fail(NotInstalled.code, message, NotInstalled.exit_code, wants_json)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.Abort:
        return _fail("aborted", "stopped; nothing more was done", 130, wants_json)
    except click.exceptions.NoArgsIsHelpError as error:
        if wants_json:
            return _fail("usage", "name a command; --help lists them", 2, wants_json)
        echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        from reverie.core.secrets.scanner import (
            redact,  # a text that begins with a dash is quoted, too
        )

        message = redact(error.format_message())[0]
        if isinstance(error, click.NoSuchOption) and " " in error.option_name:
            message += " Put -- before a text that begins with a dash."
        return _fail("usage", message, 2, wants_json)
    except BrokenPipeError:
        # The reader of our output went away (`| head`): no error, and nothing more to flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _fail("file_error", f"{where}{error.strerror or error}", 8, wants_json)
    return code if isinstance(code, int) else 0


def _fail(
    code: str,
    message: str,
    status: int,
    wants_json: bool,
    evidence: Mapping[str, object] | None = None,
) -> int:
    if wants_json:
        answer = {"code": code, "message": message, **(evidence or {})}
        echo_json(to_wire({"error": answer}), indent=None)
    echo(f"reverie: {message} [{code}]", err=True)
    return status
