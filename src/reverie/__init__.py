"""Reverie: a memory for AI agents, in plain Markdown files."""

__version__ = "0.1.0"
