"""Commands about settings: each value and where it came from."""

from __future__ import annotations

import click

from reverie.cli import Session, json_option, pass_session
from reverie.cli.terminal import echo


@click.group()
def config() -> None:
    """Show and change settings."""


@config.command("list")
@json_option
@pass_session
def list_(session: Session) -> None:
    """List every setting, its value and where it came from."""
    rows = session.settings_rows()
    problems = session.resolved.problems
    for problem in problems:
        echo(f"reverie: {problem.message} [{problem.code}]", err=True)
    session.emit(
        {"settings": rows, "problems": problems},
        lambda: "\n".join(
            f"{row['key']} = {_shown(row['value'])}    ({row['origin']})" for row in rows
        ),
    )


@config.command(short_help="Show one setting.")
@click.argument("key")
@click.option(
    "--reveal", is_flag=True, help="Show an address with its password or token, if it has one."
)
@json_option
@pass_session
def get(session: Session, key: str, reveal: bool) -> None:
    """Show one setting; passwords and tokens in it are hidden unless you ask for them."""
    from reverie.config import describe

    resolved = session.resolved
    value = resolved.value(key) if reveal else session.shown_setting(key)
    row = {"key": key, "value": value, "origin": resolved.origin(key), "about": describe(key)}
    session.emit(row, f"{key} = {_shown(value)}    ({row['origin']})")


@config.command("set", short_help="Set KEY to VALUE in your own settings file.")
@click.argument("key")
@click.argument("value")
@click.option("--dry-run", is_flag=True, help="Check the value, change nothing.")
@json_option
@pass_session
def set_(session: Session, key: str, value: str, dry_run: bool) -> None:
    """Set KEY to VALUE in your own settings file; lists are separated by commas."""
    from reverie.config import check_key, coerce, shown_setting
    from reverie.core.runs.planning import check_setting
    from reverie.local.settings import set_value

    check_key(key)
    parsed = coerce(key, value, "argument")
    check_setting(key, value, session.resolved.settings.secrets)
    path = session.user_settings_file
    if not dry_run:
        set_value(path, key, value)
    shown = shown_setting(key, parsed)
    session.emit(
        {"key": key, "value": shown, "file": str(path), "dryRun": dry_run},
        f"{key} = {_shown(shown)}    ({'would be written to' if dry_run else 'in'} {path})",
    )


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    shown = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return shown or "(empty)"
