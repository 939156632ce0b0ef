"""Verbs of learning: what is heard, and how it becomes memory."""
