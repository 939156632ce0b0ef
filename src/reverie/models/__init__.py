"""Chat models and embedders."""
