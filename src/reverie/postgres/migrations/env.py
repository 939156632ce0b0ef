"""How alembic runs our steps: on the connection it is given, in one transaction, in our schema."""

from __future__ import annotations

from alembic import context

SCHEMA = "reverie"

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    version_table_schema=SCHEMA,
    transaction_per_migration=True,
)
with context.begin_transaction():
    context.run_migrations()
