"""Memory on the move: records, and the formats of others that can be imported."""
