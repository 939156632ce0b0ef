"""Both clients against what is no daemon and wants the token, or the memory of this machine."""

from __future__ import annotations

import asyncio
import traceback

import pytest

from reverie.client import AsyncClient, Client, calls
from reverie.errors import DaemonUnreachable, ReverieError
from tests.models import wire

TOKEN = "token-of-the-daemon-0123456789"


def by_client(url: str, verb: str) -> None:
    with Client(url, token=TOKEN, timeout=10) as client:
        if verb == "events":
            next(client.events(reconnect=False))
        else:
            getattr(client, verb)(*(["x"] if verb == "recall" else []))


def by_async_client(url: str, verb: str) -> None:
    async def go() -> None:
        async with AsyncClient(url, token=TOKEN, timeout=10) as client:
            if verb == "events":
                await anext(client.events(reconnect=False))
            else:
                await getattr(client, verb)(*(["x"] if verb == "recall" else []))

    asyncio.run(go())


CLIENTS = pytest.mark.parametrize("ask", [by_client, by_async_client])
VERBS = pytest.mark.parametrize("verb", ["recall", "capabilities", "events"])


@pytest.fixture
def server():
    with wire.serving() as endpoint:
        yield endpoint


@pytest.fixture
def other():
    with wire.serving("127.0.0.2") as endpoint:
        endpoint.script = [wire.status(404)]
        yield endpoint


@CLIENTS
@VERBS
@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_the_token_follows_no_redirect(server, other, ask, verb, code):
    server.script = [wire.redirect(f"{other.url}/", code)]
    with pytest.raises(DaemonUnreachable, match="redirect") as caught:
        ask(server.url, verb)
    assert TOKEN in server.seen
    assert other.seen == repr(([], [], [], []))
    assert TOKEN not in "".join(traceback.format_exception(caught.value))


@CLIENTS
@VERBS
@pytest.mark.parametrize(
    "act", [wire.flood, wire.bomb(), wire.bomb(2)], ids=["flood", "bomb", "bombs"]
)
def test_an_answer_without_an_end_is_cut_off(server, monkeypatch, ask, verb, act):
    monkeypatch.setattr(calls, "MAX_ANSWER", 1024 * 1024)
    server.script = [act]
    with pytest.raises(DaemonUnreachable):
        ask(server.url, verb)
    assert server.sent < 64 * 1024 * 1024


@CLIENTS
@VERBS
@pytest.mark.parametrize("act", [wire.raw(b"[" * 200_000), wire.status(500), wire.drop])
def test_whatever_answers_is_one_of_our_errors(server, ask, verb, act):
    server.script = [act]
    with pytest.raises((ReverieError, StopIteration, StopAsyncIteration)):
        ask(server.url, verb)


@CLIENTS
def test_no_proxy_gets_between(server, other, monkeypatch, ask):
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "https_proxy"):
        monkeypatch.setenv(name, other.url)
    server.script = [wire.status(404)]
    with pytest.raises(ReverieError):
        ask(server.url, "recall")
    assert TOKEN in server.seen
    assert other.seen == repr(([], [], [], []))
