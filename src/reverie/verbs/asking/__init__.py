"""Asking a model: side questions, and agents that edit a draft."""
