"""The search index on the disk: sources, segments, vectors, and keeping all of it up to date."""
