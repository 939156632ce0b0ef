"""Claims: what a statement says of what, and whether a newer one takes its place."""
