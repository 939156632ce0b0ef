"""Search and recall over rows."""
