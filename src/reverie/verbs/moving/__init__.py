"""Verbs that move memory: export, import, and what waits for approval."""
