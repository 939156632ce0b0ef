"""Verbs of an agent's layers: prompt, working memory, notes, background jobs."""
