"""Verbs of erasing: which memories a request means, and how an erasure is carried out."""
