"""The store of rows: `apply`, the journal, state, and checks."""
