"""The file engine: the only code that touches the disk."""
