"""Settings: every number of the documents, once, and where each value came from."""

from __future__ import annotations

from reverie.config.resolution import (
    PROJECT_MAY_SET,
    Resolved,
    SettingsSource,
    Value,
    check_key,
    coerce,
    describe,
    flatten,
    keys,
    resolve,
)
from reverie.config.settings import (
    CatalogSettings,
    ContextSettings,
    DaemonSettings,
    DreamSettings,
    EmbedderSettings,
    ExtractSettings,
    LayerSettings,
    MemorySettings,
    ModelSettings,
    RecallSettings,
    SearchSettings,
    SecretSettings,
    Settings,
)

__all__ = [
    "PROJECT_MAY_SET",
    "CatalogSettings",
    "ContextSettings",
    "DaemonSettings",
    "DreamSettings",
    "EmbedderSettings",
    "ExtractSettings",
    "LayerSettings",
    "MemorySettings",
    "ModelSettings",
    "RecallSettings",
    "Resolved",
    "SearchSettings",
    "SecretSettings",
    "Settings",
    "SettingsSource",
    "Value",
    "check_key",
    "coerce",
    "describe",
    "flatten",
    "keys",
    "resolve",
]
