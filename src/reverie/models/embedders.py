"""Embedders by name: the embedded one, HTTP services, and local libraries when they are installed.

Rules
- An embedder is an `identity`, a `dimension` and `embed(texts)`. The identity changes whenever the
  vectors would, so an index never mixes two.
- Nothing is loaded or reached before it is needed. Whatever goes wrong is an `EmbedderFailed` that says
  what to do; search then goes by words.
- Keys come from the environment, go out by `outbound` alone, and appear in no message and no identity.
"""

from __future__ import annotations

import json
import math
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

from reverie.config import EmbedderSettings, shown_address
from reverie.errors import BadSetting, EmbedderFailed
from reverie.models.routes import route_to
from reverie.ports import Embedder

if TYPE_CHECKING:
    from reverie.models.embedded import EmbeddedEmbedder
    from reverie.models.multilingual import MultilingualEmbedder

__all__ = [
    "CHOICE",
    "PROVIDERS",
    "HttpEmbedder",
    "LazyEmbedder",
    "LibraryEmbedder",
    "adapt",
    "chosen_provider",
    "let_go_of_weights",
    "open_embedder",
]

_TIMEOUT: Final = 30.0
_PROBE: Final = "dimension"
_OPENAI: Final = "https://api.openai.com/v1"
_OLLAMA: Final = "http://127.0.0.1:11434"
PROVIDERS: Final = (
    "auto",
    "multilingual",
    "embedded",
    "none",
    "openai",
    "ollama",
    "fastembed",
    "sentence-transformers",
)
CHOICE: Final = "REVERIE_EMBEDDER"  # what `auto` stands for
_BATCH: Final = 64
_ANSWER_BYTES: Final = 256 * 1024  # for each text, and once more: 10,000 numbers take as much
_RETRY_SECONDS: Final = 60.0  # how long an embedder that failed is left alone


class LazyEmbedder:
    """An embedder that is opened when it is first wanted. Safe to use from several threads."""

    def __init__(self, opener: Callable[[], Embedder | None]) -> None:
        self.failure = ""
        self._open = opener
        self._embedder: Embedder | None = None
        self._opened = False
        self._failed_at = -math.inf
        self._guard = threading.Lock()

    def get(self) -> Embedder | None:
        """Return the embedder, unless there is none or it failed a moment ago."""
        if self.failure and time.monotonic() - self._failed_at < _RETRY_SECONDS:
            return None
        with self._guard:
            if not self._opened:
                try:
                    self._embedder = self._open()
                except EmbedderFailed as error:
                    self.failed(error)
                    return None
                self._opened = True
            return self._embedder

    def failed(self, error: EmbedderFailed) -> None:
        """Leave the embedder alone for a while, and say why."""
        self.failure = f"{error}. Searched by words alone."
        self._failed_at = time.monotonic()


def chosen_provider(settings: EmbedderSettings, env: Mapping[str, str]) -> str:
    """Say which embedder the settings mean: with `auto`, the best of those that need nothing else."""
    if settings.provider != "auto":
        return settings.provider
    from reverie.models.multilingual import is_installed

    return env.get(CHOICE) or ("multilingual" if is_installed() else "embedded")


def open_embedder(settings: EmbedderSettings, env: Mapping[str, str]) -> Embedder | None:
    """Open the embedder that the settings name; None for `none`."""
    model = settings.model
    match chosen_provider(settings, env):
        case "none":
            return None
        case "multilingual" | "embedded" as packaged:
            return _packaged(packaged)
        case "openai":
            return HttpEmbedder(
                settings.url or _OPENAI,
                model or "text-embedding-3-small",
                kind="openai",
                key=env.get(settings.key_env, ""),
                plain_http=settings.plain_http,
            )
        case "ollama":
            url, name = settings.url or _OLLAMA, model or "nomic-embed-text"
            return HttpEmbedder(url, name, kind="ollama", plain_http=settings.plain_http)
        case "fastembed":
            return LibraryEmbedder("fastembed", model or "BAAI/bge-small-en-v1.5", _fastembed)
        case "sentence-transformers":
            return LibraryEmbedder("sentence-transformers", model or "all-MiniLM-L6-v2", _sentences)
    raise EmbedderFailed(
        f"there is no embedder {chosen_provider(settings, env)!r}; choose one of {', '.join(PROVIDERS)} with"
        " `reverie embedder use NAME`"
    )


_opened: Final[dict[str, EmbeddedEmbedder | MultilingualEmbedder]] = {}


def _packaged(name: str) -> Embedder:
    """Open an embedder that comes in a package, once: a daemon's many workspaces share its weights."""
    if name not in _opened:
        if name == "multilingual":
            from reverie.models.multilingual import MultilingualEmbedder

            _opened.setdefault(name, MultilingualEmbedder())
        else:
            from reverie.models.embedded import EmbeddedEmbedder

            _opened.setdefault(name, EmbeddedEmbedder())
    return _opened[name]


def let_go_of_weights() -> None:
    """Forget the weights of the packaged embedders; they are read again when they are needed."""
    for embedder in list(_opened.values()):
        embedder.let_go()


def adapt(given: object) -> Embedder:
    """Take any object that can embed: ours, or one with `embed_documents` and `embed_query`."""
    if hasattr(given, "embed") and hasattr(given, "identity") and hasattr(given, "dimension"):
        return given
    call = getattr(given, "embed_documents", None) or getattr(given, "embed", None)
    if not callable(call):
        raise EmbedderFailed(
            f"{type(given).__name__} cannot embed: it has neither embed nor embed_documents"
        )
    kind = f"{type(given).__module__}.{type(given).__qualname__}"
    model = getattr(given, "model", None) or getattr(given, "model_name", None) or ""
    return LibraryEmbedder(kind, str(model), lambda _: lambda texts: call(texts))


class _Probed(ABC):
    """What has to ask once to know its dimension."""

    identity: str

    @abstractmethod
    def embed(self, texts: Iterable[str]) -> Sequence[Sequence[float]]: ...

    @cached_property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return len(self.embed([_PROBE])[0])


class HttpEmbedder(_Probed):
    """An embedding service over HTTP: OpenAI's form, or Ollama's."""

    def __init__(
        self, url: str, model: str, *, kind: str, key: str = "", plain_http: bool = False
    ) -> None:
        path = "/api/embed" if kind == "ollama" else "/embeddings"
        try:
            self._route = route_to(
                url, setting="embedder.url", path=path, key=key, plain_http=plain_http
            )
        except BadSetting as error:
            raise EmbedderFailed(str(error)) from None
        self._url = shown_address(self._route.url)
        self.identity = f"{kind}:{model}@{self._url}"
        self._model = model
        self._kind = kind

    def embed(self, texts: Iterable[str]) -> Sequence[Sequence[float]]:
        """Return one vector per text."""
        wanted = list(texts)
        found: list[list[float]] = []
        for start in range(0, len(wanted), _BATCH):
            # Services refuse an empty text.
            some = [text or " " for text in wanted[start : start + _BATCH]]
            answer = self._post({"model": self._model, "input": some}, len(some))
            found += self._vectors(answer, len(some))
        return found

    def _vectors(self, answer: object, count: int) -> list[list[float]]:
        try:
            if self._kind == "ollama":
                rows = answer["embeddings"]  # type: ignore[index]  # the except below
            else:
                items = sorted(answer["data"], key=lambda item: item["index"])  # type: ignore[index]
                rows = [item["embedding"] for item in items]
            vectors = [[float(value) for value in row] for row in rows]
        except (LookupError, TypeError, ValueError, ArithmeticError) as error:
            raise EmbedderFailed(
                f"{self._url} answered in an unexpected form ({type(error).__name__})"
            ) from None
        if len(vectors) != count:
            raise EmbedderFailed(f"{self._url} gave {len(vectors)} vectors for {count} texts")
        return _checked(vectors, self._url)

    def _post(self, body: Mapping[str, Any], count: int) -> object:
        import httpx2

        from reverie.models.outbound import DeadlinePassed, post_json

        most = (count + 1) * _ANSWER_BYTES
        try:
            answer = post_json(self._route, body, seconds=_TIMEOUT, max_answer=most)
        except DeadlinePassed:
            raise EmbedderFailed(
                f"{self._url} did not answer within {_TIMEOUT:g} seconds"
            ) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
            raise EmbedderFailed(
                f"{self._url} cannot be reached ({type(error).__name__}). Start the service, or set"
                " embedder.provider"
            ) from None
        if isinstance(answer, str):
            raise EmbedderFailed(answer)
        if answer.status >= 400:
            hint = "; check the key" if answer.status in (401, 403) else ""
            raise EmbedderFailed(f"{self._url} answered with status {answer.status}{hint}")
        try:
            return json.loads(answer.body)
        except (ValueError, RecursionError):
            raise EmbedderFailed(f"{self._url} answered with something that is not JSON") from None


class LibraryEmbedder(_Probed):
    """A library on this machine, loaded when it is first used."""

    def __init__(
        self, kind: str, model: str, load: Callable[[str], Callable[[list[str]], Any]]
    ) -> None:
        self.identity = f"{kind}:{model}"
        self._model = model
        self._load = load

    @cached_property
    def _call(self) -> Callable[[list[str]], Any]:
        return self._load(self._model)

    def embed(self, texts: Iterable[str]) -> Sequence[Sequence[float]]:
        """Return one vector per text."""
        wanted = list(texts)
        try:
            rows = [[float(value) for value in row] for row in self._call(wanted)]
        except EmbedderFailed:
            raise
        except Exception as error:  # a library raises whatever it likes
            raise EmbedderFailed(f"{self.identity} failed: {error!r}") from error
        if len(rows) != len(wanted):
            raise EmbedderFailed(
                f"{self.identity} gave {len(rows)} vectors for {len(wanted)} texts"
            )
        return _checked(rows, self.identity)


def _checked(vectors: list[list[float]], who: str) -> list[list[float]]:
    if any(not math.isfinite(value) for vector in vectors for value in vector):
        raise EmbedderFailed(f"{who} returned a vector with a value that is not a number")
    if any(not vector for vector in vectors):
        raise EmbedderFailed(f"{who} returned a vector without numbers")
    if len({len(vector) for vector in vectors}) > 1:
        raise EmbedderFailed(f"{who} returned vectors of different lengths")
    return vectors


def _fastembed(model: str) -> Callable[[list[str]], Any]:
    return cast(Callable[[list[str]], Any], _library("fastembed").TextEmbedding(model).embed)


def _sentences(model: str) -> Callable[[list[str]], Any]:
    library = _library("sentence_transformers")
    return cast(Callable[[list[str]], Any], library.SentenceTransformer(model).encode)


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        package = name.replace("_", "-")
        raise EmbedderFailed(
            f"embedder.provider is {package}, which cannot be loaded ({error}); install it (pip install"
            f" {package}), or set embedder.provider to embedded"
        ) from error
