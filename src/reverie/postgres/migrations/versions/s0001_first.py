"""The first schema: every table keyed by tenant first, and guarded row by row.

Rules
- Every primary key begins with the tenant, so that the tables can be distributed or partitioned by it.
- Row-level security is forced on every table. The policy names tenant, owner and project; an unset
  or empty setting matches no row, for no row has an empty tenant.
- Two roles that cannot log in: `reverie_app` is what a service's login role is made a member of, and
  `reverie_system` owns the three functions that must look across tenants: whose token is this, which
  lanes have work, and what health and metrics count. The owner of the tables is a member of it, which
  lets administrators do what they must for one tenant at a time.
- Texts of users are bytes: PostgreSQL's text knows neither NUL nor half a surrogate pair.
"""

from __future__ import annotations

from alembic import op

from reverie.postgres.migrations.tables import create_table

revision = "0001"
down_revision = None

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

# name: columns after tenant, owner, project
_TABLES = {
    "file": """path text COLLATE "C" NOT NULL, content bytea NOT NULL, hash text NOT NULL,
        at timestamptz NOT NULL, private boolean NOT NULL,
        PRIMARY KEY (tenant, owner, project, path)""",
    "content": """hash text NOT NULL, data bytea NOT NULL,
        PRIMARY KEY (tenant, owner, project, hash)""",
    "run": """id text NOT NULL, seq bigint GENERATED ALWAYS AS IDENTITY, at timestamptz NOT NULL,
        verb text NOT NULL, status text NOT NULL, session text NOT NULL, turn text NOT NULL,
        origin text NOT NULL, client text NOT NULL, note text NOT NULL, undoes text NOT NULL,
        detail text NOT NULL, task text NOT NULL,
        PRIMARY KEY (tenant, owner, id)""",
    "change": """run text NOT NULL, position integer NOT NULL, path text COLLATE "C" NOT NULL,
        before text, after text, private boolean NOT NULL,
        PRIMARY KEY (tenant, owner, run, position)""",
    "version": """path text COLLATE "C" NOT NULL, hash text NOT NULL, at timestamptz NOT NULL,
        PRIMARY KEY (tenant, owner, project, path, hash)""",
    "state": """name text COLLATE "C" NOT NULL, value text NOT NULL,
        PRIMARY KEY (tenant, owner, project, name)""",
    "log": """stream text NOT NULL, id bigint GENERATED ALWAYS AS IDENTITY,
        name text NOT NULL, at timestamptz NOT NULL, data text NOT NULL,
        PRIMARY KEY (tenant, owner, project, stream, id)""",
    "turn": """agent text NOT NULL, seq bigint NOT NULL, at timestamptz NOT NULL,
        session text NOT NULL, source text NOT NULL, record bytea NOT NULL,
        PRIMARY KEY (tenant, owner, project, agent, seq)""",
    "head": """agent text NOT NULL, last bigint NOT NULL,
        PRIMARY KEY (tenant, owner, project, agent)""",
    "task": """id text NOT NULL, seq bigint GENERATED ALWAYS AS IDENTITY, kind text NOT NULL,
        status text NOT NULL, client text NOT NULL, created text NOT NULL, updated text NOT NULL,
        payload text NOT NULL, result text, failure text, attempts integer NOT NULL,
        key text NOT NULL, fingerprint text NOT NULL,
        PRIMARY KEY (tenant, owner, project, id)""",
    "session": """id text NOT NULL, client text NOT NULL, created text NOT NULL, seen text NOT NULL,
        PRIMARY KEY (tenant, owner, project, id)""",
    "event": """id bigint NOT NULL, kind text NOT NULL, client text NOT NULL,
        private boolean NOT NULL, data text NOT NULL, at timestamptz NOT NULL,
        PRIMARY KEY (tenant, owner, project, id)""",
    "space": """revision bigint NOT NULL DEFAULT 0, event bigint NOT NULL DEFAULT 0,
        chunk bigint NOT NULL DEFAULT 1, indexed text NOT NULL DEFAULT '',
        epoch text NOT NULL, created timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant, owner, project)""",
    "lane": """due boolean NOT NULL DEFAULT false, holder text NOT NULL DEFAULT '',
        until timestamptz, generation bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (tenant, owner, project)""",
    "document": """id bigint NOT NULL, root text NOT NULL, path text COLLATE "C" NOT NULL,
        hash text NOT NULL, first bigint NOT NULL, chunks integer NOT NULL, tokens integer NOT NULL,
        terms integer NOT NULL, title text NOT NULL, label text NOT NULL, grp text NOT NULL,
        ord bigint NOT NULL, problem text NOT NULL, recipe text NOT NULL, model text NOT NULL,
        PRIMARY KEY (tenant, owner, project, id), UNIQUE (tenant, owner, project, root, path)""",
    "chunk": """id bigint NOT NULL, file bigint NOT NULL, place integer NOT NULL,
        first integer NOT NULL, last integer NOT NULL, start integer NOT NULL, stop integer NOT NULL,
        crc bigint NOT NULL, cid bytea NOT NULL, speaker text NOT NULL, flags integer NOT NULL,
        day integer NOT NULL, length integer NOT NULL, words bigint[] NOT NULL,
        counts smallint[] NOT NULL,
        PRIMARY KEY (tenant, owner, project, id)""",
    "vector": """chunk bigint NOT NULL, embedding public.halfvec NOT NULL,
        PRIMARY KEY (tenant, owner, project, chunk)""",
    "token": """id text NOT NULL, hash bytea NOT NULL, label text NOT NULL,
        created timestamptz NOT NULL DEFAULT now(), expires timestamptz, revoked timestamptz,
        PRIMARY KEY (tenant, owner, id)""",
}

_INDEXES = (
    "CREATE INDEX run_order ON reverie.run (tenant, owner, seq DESC)",
    "CREATE INDEX run_task ON reverie.run (tenant, owner, task) WHERE task <> ''",
    "CREATE INDEX run_undoes ON reverie.run (tenant, owner, undoes) WHERE undoes <> ''",
    "CREATE INDEX change_path ON reverie.change (tenant, owner, path, run)",
    "CREATE UNIQUE INDEX turn_source ON reverie.turn (tenant, owner, project, agent, source)"
    " WHERE source <> ''",
    "CREATE INDEX task_order ON reverie.task (tenant, owner, project, seq)",
    "CREATE UNIQUE INDEX task_key ON reverie.task (tenant, owner, project, client, key)"
    " WHERE key <> ''",
    "CREATE INDEX session_client ON reverie.session (tenant, owner, project, client)",
    "CREATE INDEX lane_due ON reverie.lane (until) WHERE due",
    "CREATE INDEX document_group ON reverie.document (tenant, owner, project, grp, ord)"
    " WHERE grp <> ''",
    "CREATE UNIQUE INDEX token_hash ON reverie.token (hash)",
)

_ROLES = """
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reverie_app') THEN
    CREATE ROLE reverie_app NOLOGIN NOBYPASSRLS;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reverie_system') THEN
    CREATE ROLE reverie_system NOLOGIN NOBYPASSRLS;
  END IF;
END $$
"""

_FUNCTIONS = (
    """CREATE FUNCTION reverie.token_owner(given bytea)
    RETURNS TABLE (tenant text, owner text, project text, id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
      SELECT t.tenant, t.owner, t.project, t.id FROM reverie.token t
      WHERE t.hash = given AND (t.revoked IS NULL OR t.revoked > now())
        AND (t.expires IS NULL OR t.expires > now())
    $$""",
    """CREATE FUNCTION reverie.due_lanes(most integer)
    RETURNS TABLE (tenant text, owner text, project text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
      SELECT l.tenant, l.owner, l.project FROM reverie.lane l
      WHERE l.due AND (l.until IS NULL OR l.until < clock_timestamp())
      ORDER BY l.until NULLS FIRST LIMIT most
    $$""",
    """CREATE FUNCTION reverie.census()
    RETURNS TABLE (tenant text, spaces bigint, waiting bigint, overdue bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
      SELECT s.tenant, count(*), count(*) FILTER (WHERE l.due),
             count(*) FILTER (WHERE l.due AND l.until < clock_timestamp())
      FROM reverie.space s LEFT JOIN reverie.lane l USING (tenant, owner, project)
      GROUP BY s.tenant
    $$""",
)


def upgrade() -> None:
    """Make roles, tables, policies and functions."""
    op.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
    op.execute(_ROLES)
    # The owner tends tenants by the policies of this role, and need not be a superuser for it.
    op.execute("GRANT reverie_system TO CURRENT_USER")
    op.execute("GRANT USAGE ON SCHEMA reverie TO reverie_app, reverie_system")
    for name, columns in _TABLES.items():
        create_table(name, f"{_KEY} {columns}")
        op.execute(f"ALTER TABLE reverie.{name} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE reverie.{name} FORCE ROW LEVEL SECURITY")
        if name not in ("run", "token"):
            op.execute(f"CREATE POLICY own ON reverie.{name} USING ({_MINE})")
        op.execute(
            f"CREATE POLICY administration ON reverie.{name} TO reverie_system"
            " USING (tenant = current_setting('reverie.tenant', true))"
        )
        if name != "token":
            op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON reverie.{name} TO reverie_app")
    # A run belongs to the person; it is seen from a project when it touched a file seen from there.
    op.execute(
        "CREATE POLICY own ON reverie.run USING ("
        "tenant = current_setting('reverie.tenant', true)"
        " AND owner = current_setting('reverie.owner', true)"
        " AND (project = current_setting('reverie.project', true) OR EXISTS"
        " (SELECT FROM reverie.change c WHERE c.tenant = run.tenant AND c.owner = run.owner"
        " AND c.run = run.id)))"
    )
    for name in ("token", "lane", "space", "vector"):
        op.execute(
            f"CREATE POLICY system ON reverie.{name} FOR SELECT TO reverie_system USING (true)"
        )
    for name in ("token", "lane", "space"):  # vectors are counted by their owner alone
        op.execute(f"GRANT SELECT ON reverie.{name} TO reverie_system")
    for statement in _INDEXES:
        op.execute(statement)
    op.execute("GRANT CREATE ON SCHEMA reverie TO reverie_system")
    for statement in _FUNCTIONS:
        op.execute(statement)
        name = statement.split("(")[0].split()[-1]
        arguments = {"reverie.token_owner": "bytea", "reverie.due_lanes": "integer"}.get(name, "")
        op.execute(f"ALTER FUNCTION {name}({arguments}) OWNER TO reverie_system")
        op.execute(f"REVOKE ALL ON FUNCTION {name}({arguments}) FROM PUBLIC")
        op.execute(f"GRANT EXECUTE ON FUNCTION {name}({arguments}) TO reverie_app")
    op.execute("REVOKE CREATE ON SCHEMA reverie FROM reverie_system")
    op.execute(
        "CREATE TABLE reverie.release (version integer PRIMARY KEY, oldest integer NOT NULL)"
    )
    op.execute("INSERT INTO reverie.release (version, oldest) VALUES (1, 1)")
    op.execute("ALTER TABLE reverie.release ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE reverie.release FORCE ROW LEVEL SECURITY")
    op.execute("CREATE POLICY everyone ON reverie.release USING (true)")
    op.execute("GRANT SELECT ON reverie.release TO reverie_app")
