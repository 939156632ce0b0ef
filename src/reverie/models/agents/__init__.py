"""The person's own agent as a model: its command line, the limits it is held to, and the asking."""
