"""The disk itself: files replaced whole, open folders, locks, SQLite files, translated errors."""
