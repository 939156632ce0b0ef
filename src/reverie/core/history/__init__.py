"""Turns: records of what was said, as they are written and read."""
