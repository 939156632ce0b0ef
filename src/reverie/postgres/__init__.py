"""The other engine: memory as rows of the same Markdown in PostgreSQL, for many users and daemons."""
