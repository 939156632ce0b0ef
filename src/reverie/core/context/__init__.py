"""Context files: their hierarchy, their imports, and what a repository tracks."""
