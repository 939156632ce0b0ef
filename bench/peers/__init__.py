"""Peers side by side: other memories and the simplest methods, on the same data, in the same run."""
