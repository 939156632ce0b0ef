"""The turns of an agent on the disk."""
