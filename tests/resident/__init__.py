"""The daemon that a home starts for itself."""
