"""The words of topics, so that a recall reads those that share one with the question and no others.

Rules
- It only adds: daemons of the release before go on, and leave a mark that tells the next recall to look.
- A row of `posting` holds one word's counts in up to 128 topics, so that a frequent word is few rows
  and one topic's change rewrites small ones.
"""

from __future__ import annotations

from alembic import op

from reverie.postgres.migrations.tables import create_table

revision = "0002"
down_revision = "0001"

_MINE = (
    "tenant = current_setting('reverie.tenant', true)"
    " AND owner = current_setting('reverie.owner', true)"
    " AND project IN ('', current_setting('reverie.project', true))"
)
_KEY = (
    "tenant text COLLATE \"C\" NOT NULL CHECK (tenant <> ''),"
    " owner text COLLATE \"C\" NOT NULL CHECK (owner <> ''),"
    ' project text COLLATE "C" NOT NULL,'
)
_TABLES = {
    "topic": """path text COLLATE "C" NOT NULL, hash text NOT NULL, number integer,
        lengths integer[] NOT NULL, words bigint[] NOT NULL,
        PRIMARY KEY (tenant, owner, project, path), UNIQUE (tenant, owner, project, number)""",
    "posting": """word bigint NOT NULL, bucket integer NOT NULL, counts bytea NOT NULL,
        PRIMARY KEY (tenant, owner, project, word, bucket)""",
}


def upgrade() -> None:
    """Add the tables and what a place notes about them."""
    for name, columns in _TABLES.items():
        create_table(name, f"{_KEY} {columns}")
        op.execute(f"ALTER TABLE reverie.{name} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE reverie.{name} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY own ON reverie.{name} USING ({_MINE})")
        op.execute(
            f"CREATE POLICY administration ON reverie.{name} TO reverie_system"
            " USING (tenant = current_setting('reverie.tenant', true))"
        )
        op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON reverie.{name} TO reverie_app")
    op.execute(
        "ALTER TABLE reverie.space ADD COLUMN worded text NOT NULL DEFAULT '',"
        " ADD COLUMN topics bigint NOT NULL DEFAULT 0,"
        " ADD COLUMN lengths bigint[] NOT NULL DEFAULT '{0,0,0}'"
    )
    op.execute("INSERT INTO reverie.release (version, oldest) VALUES (2, 1)")
