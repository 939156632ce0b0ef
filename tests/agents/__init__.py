"""The four real agents, run against a model on this machine: `make test-agents`."""
