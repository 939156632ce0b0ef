"""How steps make tables: whole, or in parts by tenant.

Rules
- A database is made in parts or not at all (`reverie postgres migrate --partitions`), when it has no
  tables yet; later steps follow what they find.
- Tokens and quotas stay whole: a token is looked for by its hash, before anybody knows the tenant.
- Nobody has rights on a part. Policies are those of the table, through which everybody comes.
"""

from __future__ import annotations

from typing import Final

from alembic import context, op
from sqlalchemy import text

_WHOLE: Final = frozenset({"token", "quota"})


def create_table(name: str, columns: str) -> None:
    """Make a table of the schema, in as many parts as the others."""
    parts = 0 if name in _WHOLE else _parts()
    if not parts:
        op.execute(f"CREATE TABLE reverie.{name} ({columns})")
        return
    op.execute(f"CREATE TABLE reverie.{name} ({columns}) PARTITION BY HASH (tenant)")
    for number in range(parts):
        part = f"reverie.{name}_p{number}"
        op.execute(
            f"CREATE TABLE {part} PARTITION OF reverie.{name}"
            f" FOR VALUES WITH (MODULUS {parts}, REMAINDER {number})"
        )
        op.execute(f"ALTER TABLE {part} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {part} FORCE ROW LEVEL SECURITY")


def _parts() -> int:
    found = op.get_bind().execute(
        text(
            "SELECT count(i.inhrelid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            " LEFT JOIN pg_inherits i ON i.inhparent = c.oid WHERE n.nspname = 'reverie'"
            " AND c.relname = 'file' GROUP BY c.oid"
        )
    )
    known = found.scalar()
    return int(context.config.attributes.get("partitions", 0) if known is None else known)
