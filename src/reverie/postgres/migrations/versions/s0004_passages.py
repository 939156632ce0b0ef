"""The words of chunks by word, so that a search is scored where they lie; and how often a tenant may ask.

Rules
- It only adds. Daemons of the release before go on and leave another mark, by which this release knows
  that a place's words are to be made anew; that, like the first time, is one statement on the server.
- A row of `passage_word` holds one word's counts in up to 256 chunks. Each number in it is a chunk's place
  among those (8 bits), how often the word stands there (8 bits), and how many terms it has (the rest).
- `shelf` counts what a root holds, by the embedder of its vectors, so that nobody counts it again.
"""

from __future__ import annotations

from alembic import op

from reverie.postgres.migrations.tables import create_table

revision = "0004"
down_revision = "0003"

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
    "passage_word": """root text COLLATE "C" NOT NULL, word bigint NOT NULL, bucket bigint NOT NULL,
        held bigint[] NOT NULL,
        PRIMARY KEY (tenant, owner, project, root, word, bucket)""",
    "shelf": """root text COLLATE "C" NOT NULL, model text COLLATE "C" NOT NULL,
        files bigint NOT NULL, chunks bigint NOT NULL, terms bigint NOT NULL,
        PRIMARY KEY (tenant, owner, project, root, model)""",
}

_RATE = """CREATE FUNCTION reverie.token_rate(given bytea) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
  SELECT q.requests FROM reverie.token t JOIN reverie.quota q ON q.tenant = t.tenant
  WHERE t.hash = given
$$"""


def _add_rates() -> None:
    """Add how many requests a minute a tenant may send; who has a token may know its own limit."""
    op.execute("ALTER TABLE reverie.quota ADD requests bigint CHECK (requests > 0)")
    op.execute("CREATE POLICY system ON reverie.quota FOR SELECT TO reverie_system USING (true)")
    op.execute("GRANT CREATE ON SCHEMA reverie TO reverie_system")
    op.execute(_RATE)
    op.execute("ALTER FUNCTION reverie.token_rate(bytea) OWNER TO reverie_system")
    op.execute("REVOKE ALL ON FUNCTION reverie.token_rate(bytea) FROM PUBLIC")
    op.execute("GRANT EXECUTE ON FUNCTION reverie.token_rate(bytea) TO reverie_app")
    op.execute("REVOKE CREATE ON SCHEMA reverie FROM reverie_system")


def upgrade() -> None:
    """Add the tables; they are filled place by place, by the next search of each."""
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
    _add_rates()
    op.execute("INSERT INTO reverie.release (version, oldest) VALUES (4, 1)")
