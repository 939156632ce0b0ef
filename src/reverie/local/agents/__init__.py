"""Agents on this machine: their settings, and the memories they keep."""
