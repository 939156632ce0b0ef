"""The write-ahead journal in SQLite, and its texts."""
