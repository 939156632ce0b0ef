"""Hooks: what runs when an agent starts, is asked something, stops, compacts or ends."""
