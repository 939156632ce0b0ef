"""Endpoints: which chat model is meant by the settings and the environment, and with which key.

Rules
- A model must be named: by `model.name`, or by the three variables that OpenAI-compatible tools share
  (`OPENAI_MODEL` with `OPENAI_API_KEY` or `OPENAI_BASE_URL`). A key alone turns nothing on.
- A key comes from the environment or the system's keyring, never from a file of ours or a project's.
- Where a model is asked is fixed here: no library looks an address up by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from reverie.config import ModelSettings
from reverie.errors import BadSetting
from reverie.models.routes import KeyHeader, Route, route_to

Wire: TypeAlias = Literal["openai", "anthropic", "google"]
Keyring: TypeAlias = Callable[[str], str | None]
"""Looks a provider's key up in the system's keyring."""

_OWN: Final[Mapping[Wire, str]] = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "google": "https://generativelanguage.googleapis.com",
}
_HEADERS: Final[Mapping[Wire, KeyHeader]] = {
    "openai": "Authorization",
    "anthropic": "x-api-key",
    "google": "x-goog-api-key",
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is asked."""

    provider: str
    model: str
    wire: Wire
    url: str = field(default="", repr=False)
    """Empty means the provider's own. It may hold a password."""
    key: str = field(default="", repr=False)
    plain_http: bool = False

    @property
    def name(self) -> str:
        """The model as outcomes name it."""
        return f"{self.provider}:{self.model}"

    def route(self) -> Route:
        """Return the one way to it; `BadSetting` when text or key should not go there."""
        return route_to(
            self.url or _OWN[self.wire],
            setting="model.url",
            key=self.key,
            header=_HEADERS[self.wire],
            plain_http=self.plain_http,
        )


@dataclass(frozen=True, slots=True)
class Provider:
    """What is known of a provider."""

    wire: Wire
    url: str = ""
    url_env: str = ""
    keys: tuple[str, ...] = ()
    needs_key: bool = True


PROVIDERS: Final[Mapping[str, Provider]] = {
    "openai": Provider("openai", "", "OPENAI_BASE_URL", ("OPENAI_API_KEY",)),
    "anthropic": Provider("anthropic", "", "ANTHROPIC_BASE_URL", ("ANTHROPIC_API_KEY",)),
    "google": Provider(
        "google", "", "GOOGLE_GEMINI_BASE_URL", ("GOOGLE_API_KEY", "GEMINI_API_KEY")
    ),
    "dashscope": Provider(
        "openai",
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        "DASHSCOPE_BASE_URL",
        ("DASHSCOPE_API_KEY",),
    ),
    "openrouter": Provider("openai", "https://openrouter.ai/api/v1", keys=("OPENROUTER_API_KEY",)),
    "ollama": Provider("openai", "http://127.0.0.1:11434/v1", "OLLAMA_BASE_URL", needs_key=False),
    "vllm": Provider("openai", "http://127.0.0.1:8000/v1", needs_key=False),
    "llamacpp": Provider("openai", "http://127.0.0.1:8080/v1", needs_key=False),
    "compatible": Provider("openai", needs_key=False),
}


def from_keyring(provider: str) -> str | None:
    """Look up the key of a provider (service `reverie`), where a keyring is installed."""
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        return None
    try:
        found = keyring.get_password("reverie", provider)
    except KeyringError:
        return None
    return str(found) if found else None


def find_endpoints(
    settings: ModelSettings, env: Mapping[str, str], *, keyring: Keyring = from_keyring
) -> tuple[Endpoint, Endpoint] | None:
    """Return the main model and the one for side questions, or None when none is named."""
    name = settings.name.strip()
    if not name and env.get("OPENAI_MODEL") and (
        env.get("OPENAI_API_KEY") or env.get("OPENAI_BASE_URL")
    ):  # fmt: skip
        name = f"openai:{env['OPENAI_MODEL']}"
    if not name:
        return None
    main = _endpoint(name, settings, env, keyring)
    fast = settings.fast.strip()
    return main, _endpoint(fast, settings, env, keyring) if fast else main


def _endpoint(
    name: str, settings: ModelSettings, env: Mapping[str, str], keyring: Keyring
) -> Endpoint:
    provider, colon, model = name.partition(":")
    if provider not in PROVIDERS or not colon:
        provider, model = "compatible", name
    known = PROVIDERS[provider]
    url = settings.url or env.get(known.url_env, "") or known.url
    if provider == "compatible" and not url:
        raise BadSetting(
            f"model.name is {name!r}: say provider:model with one of {', '.join(PROVIDERS)}, or set"
            " model.url to an OpenAI-compatible endpoint",
            key="model.name",
        )
    if not model.strip():
        raise BadSetting(
            f"model.name is {name!r}: the name of the model is missing", key="model.name"
        )
    variables = (settings.key_env,) if settings.key_env else known.keys
    key = next((env[item] for item in variables if env.get(item)), "") or keyring(provider) or ""
    if not key and known.needs_key and not settings.url:
        where = " or ".join(variables)
        raise BadSetting(
            f"{name} needs a key: set {where}, or store one with `keyring set reverie {provider}`",
            key="model.name",
        )
    found = Endpoint(provider, model.strip(), known.wire, url, key, settings.plain_http)
    found.route()  # says at once what is wrong with the address
    return found
