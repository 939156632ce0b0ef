"""The secret scanner, its rules and its tables."""
