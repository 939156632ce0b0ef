"""Frameworks take seconds to import, so their tests are not even collected without slow ones."""

from __future__ import annotations

from pathlib import Path

import pytest

HEAVY = ("openai_agents", "anthropic_memory", "llama_index", "pydantic_ai", "langgraph")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the heavy ones out of `-m "not slow"`."""
    heavy = collection_path.stem.removeprefix("test_") in HEAVY
    return True if heavy and "not slow" in config.getoption("markexpr") else None
