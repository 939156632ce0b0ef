"""The daemon's tasks: what may be queued, what runs next, and their rows."""
