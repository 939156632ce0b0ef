"""Runs: what a change comes to when it is applied, and how memory grew by them."""
