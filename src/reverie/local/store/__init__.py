"""The store of files: `apply`, roots and paths, catalogs, hand edits, state beside the memory."""
