"""Managed memory: topics and their catalog, and what remember, recall, forget and doctor decide."""
