"""What a crowd needs: locks that cost no connection, tokens that may do less, quotas.

It only adds, so daemons of the release before go on; they and newer ones do not see each other's
locks, which at worst has both index the same texts. They do not know of tokens that may do less, so
they refuse them. What a place holds is counted by a trigger, so their writes count as well.
"""

from __future__ import annotations

from alembic import op
from sqlalchemy import text

from reverie.postgres.migrations.tables import create_table

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

_QUOTA = """CREATE TABLE reverie.quota (
    tenant text COLLATE "C" PRIMARY KEY CHECK (tenant <> ''),
    memories bigint CHECK (memories >= 0), bytes bigint CHECK (bytes >= 0),
    tasks bigint CHECK (tasks >= 0), workspaces bigint CHECK (workspaces >= 0))"""

_COUNTED = "count(*) FILTER (WHERE path NOT LIKE '%/MEMORY.md'), sum(octet_length(content))"
_COUNT = f"""
CREATE FUNCTION reverie.count_files() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    UPDATE reverie.space s SET memories = s.memories - g.memories, bytes = s.bytes - g.bytes
    FROM (SELECT tenant, owner, project, {_COUNTED} FROM gone GROUP BY 1, 2, 3)
      AS g (tenant, owner, project, memories, bytes)
    WHERE s.tenant = g.tenant AND s.owner = g.owner AND s.project = g.project;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    UPDATE reverie.space s SET memories = s.memories + c.memories, bytes = s.bytes + c.bytes
    FROM (SELECT tenant, owner, project, {_COUNTED} FROM came GROUP BY 1, 2, 3)
      AS c (tenant, owner, project, memories, bytes)
    WHERE s.tenant = c.tenant AND s.owner = c.owner AND s.project = c.project;
  END IF;
  RETURN NULL;
END $$"""
_TRIGGERS = {
    "INSERT": "NEW TABLE AS came",
    "UPDATE": "OLD TABLE AS gone NEW TABLE AS came",
    "DELETE": "OLD TABLE AS gone",
}

_FUNCTIONS = {
    "reverie.token_grant(bytea)": """CREATE FUNCTION reverie.token_grant(given bytea)
    RETURNS TABLE (tenant text, owner text, project text, only_project boolean, read_only boolean)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
      SELECT t.tenant, t.owner, t.project, t.only_project, t.read_only FROM reverie.token t
      WHERE t.hash = given AND (t.revoked IS NULL OR t.revoked > now())
        AND (t.expires IS NULL OR t.expires > now())
    $$""",
    # Asked by daemons of the release before, for which a token may do everything.
    "reverie.token_owner(bytea)": """CREATE OR REPLACE FUNCTION reverie.token_owner(given bytea)
    RETURNS TABLE (tenant text, owner text, project text, id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
      SELECT t.tenant, t.owner, t.project, t.id FROM reverie.token t
      WHERE t.hash = given AND (t.revoked IS NULL OR t.revoked > now())
        AND (t.expires IS NULL OR t.expires > now()) AND NOT t.only_project AND NOT t.read_only
    $$""",
    # What the tenant of this transaction may have and has; no row: as much as it likes.
    "reverie.allowance()": """CREATE FUNCTION reverie.allowance()
    RETURNS TABLE (memories bigint, bytes bigint, tasks bigint, workspaces bigint,
                   memories_used bigint, bytes_used bigint, tasks_used bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
      SELECT q.memories, q.bytes, q.tasks, q.workspaces, u.memories, u.bytes,
             CASE WHEN q.tasks IS NOT NULL THEN (SELECT count(*) FROM reverie.task t
               WHERE t.tenant = q.tenant AND t.status IN ('queued', 'running')) END
      FROM reverie.quota q, LATERAL (SELECT coalesce(sum(s.memories), 0)::bigint AS memories,
        coalesce(sum(s.bytes), 0)::bigint AS bytes FROM reverie.space s
        WHERE s.tenant = q.tenant) AS u
      WHERE q.tenant = current_setting('reverie.tenant', true)
    $$""",
}


def _add_quotas() -> None:
    op.execute(_QUOTA)
    op.execute("ALTER TABLE reverie.quota ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE reverie.quota FORCE ROW LEVEL SECURITY")
    op.execute(
        "CREATE POLICY administration ON reverie.quota TO reverie_system"
        " USING (tenant = current_setting('reverie.tenant', true))"
    )
    op.execute("GRANT SELECT ON reverie.quota, reverie.task TO reverie_system")
    op.execute(
        "ALTER TABLE reverie.space ADD memories bigint NOT NULL DEFAULT 0,"
        " ADD bytes bigint NOT NULL DEFAULT 0"
    )
    _count_what_is_there()
    op.execute(_COUNT)
    for event, tables in _TRIGGERS.items():
        op.execute(
            f"CREATE TRIGGER count_{event.lower()} AFTER {event} ON reverie.file"
            f" REFERENCING {tables} FOR EACH STATEMENT EXECUTE FUNCTION reverie.count_files()"
        )


def _count_what_is_there() -> None:
    """Count tenant by tenant: nobody, the owner included, sees the files of two at once."""
    db = op.get_bind()
    tenants = db.execute(text("SELECT DISTINCT tenant FROM reverie.space")).scalars().all()
    for tenant in tenants:
        db.execute(text("SELECT set_config('reverie.tenant', :tenant, true)"), {"tenant": tenant})
        db.execute(
            text(
                "UPDATE reverie.space s SET memories = f.memories, bytes = f.bytes FROM"
                f" (SELECT tenant, owner, project, {_COUNTED} FROM reverie.file GROUP BY 1, 2, 3)"
                " AS f (tenant, owner, project, memories, bytes)"
                " WHERE s.tenant = f.tenant AND s.owner = f.owner AND s.project = f.project"
            )
        )
    db.execute(text("SELECT set_config('reverie.tenant', '', true)"))


def _add_grants() -> None:
    op.execute(
        "ALTER TABLE reverie.token ADD only_project boolean NOT NULL DEFAULT false,"
        " ADD read_only boolean NOT NULL DEFAULT false"
    )
    op.execute("GRANT CREATE ON SCHEMA reverie TO reverie_system")
    for name, statement in _FUNCTIONS.items():
        op.execute(statement)
        op.execute(f"ALTER FUNCTION {name} OWNER TO reverie_system")
        op.execute(f"REVOKE ALL ON FUNCTION {name} FROM PUBLIC")
        op.execute(f"GRANT EXECUTE ON FUNCTION {name} TO reverie_app")
    op.execute("REVOKE CREATE ON SCHEMA reverie FROM reverie_system")


def upgrade() -> None:
    """Add the tables, columns and functions."""
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
    _add_quotas()
    _add_grants()
    op.execute("INSERT INTO reverie.release (version, oldest) VALUES (3, 1)")
