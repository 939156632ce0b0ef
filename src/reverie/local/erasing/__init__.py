"""Erasing on the disk: beside the memory files, and everywhere in the home."""
