"""Tenants on several servers: which server each is on, and where a tenant must not be served now.

Rules
- One server is the directory: it has the tokens, the other servers' addresses (`server`) and where each
  tenant is (`site`). A tenant without a row is on the directory's own server.
- Each server says for itself whom it does not serve (`residence`): a tenant that is leaving is read and
  not written, one that is arriving or gone is neither. Whatever binds a transaction to a place asks.
- It only adds. Daemons of the releases before do not ask, so the first server that is added to a
  directory ends their time.
"""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"

_TABLES = {
    "server": "name text COLLATE \"C\" PRIMARY KEY CHECK (name <> ''), url text NOT NULL",
    "site": """tenant text COLLATE "C" PRIMARY KEY CHECK (tenant <> ''), server text NOT NULL,
        target text, former text, at timestamptz NOT NULL DEFAULT now()""",
    "residence": """tenant text COLLATE "C" PRIMARY KEY CHECK (tenant <> ''),
        state text NOT NULL CHECK (state IN ('arriving', 'leaving', 'gone'))""",
}
_OWN = "tenant = current_setting('reverie.tenant', true)"

_BIND = """CREATE FUNCTION reverie.bind(whose text, person text, place text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE known text;
BEGIN
  PERFORM set_config('reverie.tenant', whose, true), set_config('reverie.owner', person, true),
          set_config('reverie.project', place, true);
  SELECT r.state INTO known FROM reverie.residence r WHERE r.tenant = whose;
  IF known = 'leaving' THEN
    PERFORM set_config('transaction_read_only', 'on', true);
  ELSIF known IS NOT NULL THEN
    RAISE EXCEPTION 'this tenant is on another server' USING ERRCODE = 'RV001';
  END IF;
END $$"""

_FUNCTIONS = {
    "reverie.servers()": """CREATE FUNCTION reverie.servers()
    RETURNS TABLE (name text, url text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
      SELECT s.name, s.url FROM reverie.server s ORDER BY s.name
    $$""",
    "reverie.sites(text[])": """CREATE FUNCTION reverie.sites(tenants text[])
    RETURNS TABLE (tenant text, url text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
      SELECT t.tenant, s.url FROM reverie.site t JOIN reverie.server s ON s.name = t.server
      WHERE t.tenant = ANY(tenants)
    $$""",
    "reverie.due_lanes(integer)": """CREATE OR REPLACE FUNCTION reverie.due_lanes(most integer)
    RETURNS TABLE (tenant text, owner text, project text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
      SELECT l.tenant, l.owner, l.project FROM reverie.lane l
      WHERE l.due AND (l.until IS NULL OR l.until < clock_timestamp())
        AND NOT EXISTS (SELECT FROM reverie.residence r WHERE r.tenant = l.tenant)
      ORDER BY l.until NULLS FIRST LIMIT most
    $$""",
}


def upgrade() -> None:
    """Add the tables and functions."""
    for name, columns in _TABLES.items():
        op.execute(f"CREATE TABLE reverie.{name} ({columns})")
        op.execute(f"ALTER TABLE reverie.{name} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE reverie.{name} FORCE ROW LEVEL SECURITY")
        which = "true" if name == "server" else _OWN
        op.execute(
            f"CREATE POLICY administration ON reverie.{name} TO reverie_system USING ({which})"
        )
        if name != "server":
            op.execute(
                f"CREATE POLICY system ON reverie.{name} FOR SELECT TO reverie_system USING (true)"
            )
        op.execute(f"GRANT SELECT ON reverie.{name} TO reverie_system")
    op.execute(f"CREATE POLICY own ON reverie.residence FOR SELECT USING ({_OWN})")
    op.execute("GRANT SELECT ON reverie.residence TO reverie_app")
    op.execute(_BIND)
    op.execute("REVOKE ALL ON FUNCTION reverie.bind(text, text, text) FROM PUBLIC")
    op.execute("GRANT EXECUTE ON FUNCTION reverie.bind(text, text, text) TO reverie_app")
    op.execute("GRANT CREATE ON SCHEMA reverie TO reverie_system")
    for name, statement in _FUNCTIONS.items():
        op.execute(statement)
        op.execute(f"ALTER FUNCTION {name} OWNER TO reverie_system")
        op.execute(f"REVOKE ALL ON FUNCTION {name} FROM PUBLIC")
        op.execute(f"GRANT EXECUTE ON FUNCTION {name} TO reverie_app")
    op.execute("REVOKE CREATE ON SCHEMA reverie FROM reverie_system")
    op.execute("INSERT INTO reverie.release (version, oldest) VALUES (5, 1)")
