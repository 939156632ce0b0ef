"""Recall from stored words, also in a process that must answer at once."""
