"""Phrases: the words in which people say a thing, and which of them say the same."""
