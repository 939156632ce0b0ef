"""Embedders by name: HTTP services on loopback, objects of one's own, and what goes wrong."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from reverie.config import EmbedderSettings
from reverie.errors import EmbedderFailed
from reverie.models.embedders import adapt, open_embedder


class Service:
    """An embedding service that answers what it is told to."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        self.status = 200
        self.answer: Any = None
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.requests.append((self.path, dict(self.headers), body))
                answer = service.answer or service.vectors(self.path, body["input"])
                data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(service.status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    @staticmethod
    def vectors(path: str, texts: list[str]) -> Any:
        rows = [[float(len(text)), 1.0, 0.5] for text in texts]
        if path == "/api/embed":
            return {"embeddings": rows}
        items = [{"index": at, "embedding": row} for at, row in enumerate(rows)]
        return {"data": list(reversed(items))}

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(5)


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    yield service
    service.close()


def test_openai_takes_texts_in_batches_with_the_key_in_a_header(service):
    settings = EmbedderSettings("openai", "m", f"{service.url}/v1/", "MY_KEY")
    embedder = open_embedder(settings, {"MY_KEY": "sesame"})
    assert embedder.dimension == 3
    vectors = embedder.embed(["x" * n for n in range(1, 101)])
    assert [vector[0] for vector in vectors] == [float(n) for n in range(1, 101)]
    paths = {path for path, _, _ in service.requests}
    assert paths == {"/v1/embeddings"}
    assert service.requests[-1][1]["Authorization"] == "Bearer sesame"
    assert max(len(body["input"]) for _, _, body in service.requests) == 64
    assert "sesame" not in embedder.identity


def test_ollama_answers_in_its_own_form(service):
    embedder = open_embedder(EmbedderSettings("ollama", "nomic", service.url), {})
    assert embedder.embed(["abc", ""])[1][0] == 1.0
    assert service.requests[0][0] == "/api/embed"


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        (401, {}),
        (500, {}),
        (200, b"no json"),
        (200, {"embeddings": "?"}),
        (200, {"embeddings": []}),
        (200, {"embeddings": [[1.0], [1.0, 2.0]]}),
        (200, b'{"embeddings": [[NaN], [1]]}'),
    ],
)
def test_a_service_that_fails_is_named_and_nothing_else_escapes(service, status, answer):
    service.status, service.answer = status, answer
    embedder = open_embedder(EmbedderSettings("ollama", "m", service.url), {"OPENAI_API_KEY": "k"})
    with pytest.raises(EmbedderFailed, match=r"127\.0\.0\.1"):
        embedder.embed(["one", "two"])


def test_a_service_that_is_not_there_and_an_odd_address_are_named(service):
    service.close()
    for url in (service.url, "file:///etc/passwd"):
        with pytest.raises(EmbedderFailed):
            open_embedder(EmbedderSettings("ollama", "m", url), {}).embed(["x"])


def test_a_library_that_is_not_installed_says_how_to_get_it():
    embedder = open_embedder(EmbedderSettings("fastembed"), {})
    with pytest.raises(EmbedderFailed, match="pip install fastembed"):
        embedder.embed(["x"])


def test_none_is_none_and_an_unknown_name_is_an_error():
    assert open_embedder(EmbedderSettings("none"), {}) is None
    with pytest.raises(EmbedderFailed, match="sentence-transformers"):
        open_embedder(EmbedderSettings("wordvec"), {})


class TwoMethods:
    model = "tiny"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if "fail" in texts:
            raise RuntimeError("no such model")
        return [[1.0, 2.0] for _ in texts]

    def embed_query(self, _: str) -> list[float]:
        return [1.0, 2.0]


def test_any_object_with_the_usual_two_methods_will_do():
    embedder = adapt(TwoMethods())
    assert embedder.dimension == 2
    assert embedder.identity.endswith("TwoMethods:tiny")
    assert embedder.embed(["a", "b"]) == [[1.0, 2.0], [1.0, 2.0]]
    with pytest.raises(EmbedderFailed, match="no such model"):
        embedder.embed(["fail"])
    with pytest.raises(EmbedderFailed, match="cannot embed"):
        adapt(object())


@pytest.mark.parametrize("name", ["embedded", "multilingual"])
def test_the_workspaces_of_a_process_share_what_a_package_brings(name):
    settings = EmbedderSettings(provider=name)
    assert open_embedder(settings, {}) is open_embedder(settings, {})
