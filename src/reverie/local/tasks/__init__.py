"""The daemon's queue on the disk."""
