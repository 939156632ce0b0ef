"""What a crowd needs: locks that cost no connection.

It only adds, so daemons of the release before go on; they and newer ones do not see each other's
locks, which at worst has both index the same texts.
"""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"

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
    "lease": """name text COLLATE "C" NOT NULL, holder text NOT NULL, until timestamptz NOT NULL,
        PRIMARY KEY (tenant, owner, project, name)""",
}


def upgrade() -> None:
    """Add the tables."""
    for name, columns in _TABLES.items():
        op.execute(f"CREATE TABLE reverie.{name} ({_KEY} {columns})")
        op.execute(f"ALTER TABLE reverie.{name} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE reverie.{name} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY own ON reverie.{name} USING ({_MINE})")
        op.execute(
            f"CREATE POLICY administration ON reverie.{name} TO reverie_system"
            " USING (tenant = current_setting('reverie.tenant', true))"
        )
        op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON reverie.{name} TO reverie_app")
    op.execute("INSERT INTO reverie.release (version, oldest) VALUES (3, 1)")
