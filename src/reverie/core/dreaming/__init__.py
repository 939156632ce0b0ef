"""Consolidation: what says the same, what may be merged, and what must survive a dream."""
