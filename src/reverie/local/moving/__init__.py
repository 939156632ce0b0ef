"""Imports read from the disk, and exports written to it."""
