"""The model on this machine: four wires, whole and streaming, scripted, every request kept."""

from __future__ import annotations

import json
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from reverie.lab.loopback import Loopback, wire_of
from reverie.lab.wires import Reply, read_request

TEXT = {"type": "text", "text": "8471"}
ASKED = {
    "anthropic": (
        "/v1/messages?beta=true",
        {
            "system": [{"type": "text", "text": "Be kind."}],
            "messages": [
                {"role": "user", "content": "Which port?"},
                {"role": "assistant", "content": [{"type": "tool_use", "name": "t", "input": {}}]},
                {"role": "user", "content": [{"type": "tool_result", "content": [TEXT]}]},
            ],
            "tools": [{"name": "Bash"}, {"name": "mcp__reverie__memory_search"}],
        },
    ),
    "responses": (
        "/v1/responses",
        {
            "instructions": "Be kind.",
            "input": [
                {"role": "user", "content": [{"type": "input_text", "text": "Which port?"}]},
                {"type": "function_call", "name": "t", "arguments": "{}"},
                {"type": "function_call_output", "output": "8471"},
            ],
            "tools": [
                {"type": "function", "name": "Bash"},
                {"type": "namespace", "name": "mcp__reverie", "tools": [{"name": "memory_search"}]},
            ],
        },
    ),
    "chat": (
        "/v1/chat/completions",
        {
            "messages": [
                {"role": "developer", "content": "Be kind."},
                {"role": "user", "content": [{"type": "text", "text": "Which port?"}]},
                {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
                {"role": "tool", "content": "8471"},
            ],
            "tools": [
                {"type": "function", "function": {"name": "Bash"}},
                {"type": "function", "function": {"name": "mcp__reverie__memory_search"}},
            ],
        },
    ),
    "gemini": (
        "/v1beta/models/gemini-2.5-pro:generateContent",
        {
            "systemInstruction": {"parts": [{"text": "Be kind."}]},
            "contents": [
                {"role": "user", "parts": [{"text": "Which port?"}]},
                {"role": "model", "parts": [{"functionCall": {"name": "t"}}]},
                {"role": "user", "parts": [{"functionResponse": {"response": {"output": "8471"}}}]},
            ],
            "tools": [{"functionDeclarations": [{"name": "Bash"}, {"name": "mcp_reverie_memory_search"}]}],
        },
    ),
}  # fmt: skip
every_wire = pytest.mark.parametrize("wire", ASKED)


def send(url: str, method: str, path: str, body: object = None) -> tuple[int, str]:
    connection = HTTPConnection(urlsplit(url).netloc, timeout=10)
    try:
        connection.request(method, path, json.dumps(body).encode() if body is not None else None)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def post(url: str, path: str, body: dict) -> str:
    status, text = send(url, "POST", path, body)
    assert status == 200
    return text


@every_wire
def test_a_request_is_read_the_same_whoever_speaks(wire):
    path, body = ASKED[wire]
    assert wire_of(path) == wire
    asked = read_request(wire, body)
    assert [item.role for item in asked.said] == ["system", "user", "assistant", "tool"]
    assert (asked.said[0].text, asked.said[1].text) == ("Be kind.", "Which port?")
    assert "8471" in asked.last.text
    assert asked.use("memory_search", {"query": "x"}).arguments == {"query": "x"}
    assert asked.use("another", {}) is None


@every_wire
def test_an_answer_comes_whole_and_as_a_stream(wire):
    path, body = ASKED[wire]
    streaming = path.replace(":generateContent", ":streamGenerateContent?alt=sse")
    with Loopback(lambda _asked: Reply("Port 8471.")) as model:
        for text in (
            post(model.url, path, body),
            post(model.url, streaming, {**body, "stream": True}),
        ):
            assert "Port 8471." in text
        assert [item.wire for item in model.asked] == [wire, wire]


@every_wire
def test_a_tool_is_called_in_the_words_of_the_wire(wire):
    path, body = ASKED[wire]
    with Loopback(lambda asked: asked.use("memory_search", {"query": "heron"})) as model:
        for stream in (False, True):
            where = path.replace(":generate", ":streamGenerate") if stream else path
            text = post(model.url, where, {**body, "stream": stream})
            assert "memory_search" in text
            assert "heron" in text


def test_deferred_tools_are_reached_the_way_the_agent_offers():
    told = {"messages": [{"role": "user", "content": "mcp__reverie__memory_search is there"}]}
    claude = read_request("anthropic", {**told, "tools": [{"name": "ToolSearch"}]})
    assert claude.use("memory_search", {}).tool == "mcp__reverie__memory_search"
    qwen = read_request("chat", {**told, "tools": [{"function": {"name": "tool_call"}}]})
    call = qwen.use("memory_search", {"query": "x"})
    assert call.tool == "tool_call"
    assert call.arguments == {"name": "mcp__reverie__memory_search", "arguments": {"query": "x"}}


def test_a_script_can_refuse_and_its_own_mistakes_are_said():
    path, body = ASKED["chat"]
    with Loopback(lambda _asked: 429) as model:
        assert send(model.url, "POST", path, body)[0] == 429
    with Loopback(lambda _asked: 1 // 0) as model:
        status, text = send(model.url, "POST", path, body)
    assert status == 500
    assert "ZeroDivisionError" in text


def test_there_is_no_way_out_through_it():
    with Loopback() as model:
        assert send(model.url, "CONNECT", "example.org:443")[0] == 403
        assert model.other == ["CONNECT example.org:443"]


def test_what_is_no_question_gets_an_answer_that_does_no_harm():
    with Loopback() as model:
        assert json.loads(post(model.url, "/v1/messages/count_tokens", {}))["input_tokens"] == 1
        assert send(model.url, "GET", "/v1/models")[0] == 200
        assert model.asked == []


@every_wire
def test_every_answer_has_an_id_of_its_own(wire):
    path, body = ASKED[wire]
    with Loopback() as model:
        first, second = (post(model.url, path, body) for _ in range(2))
    assert (first != second) or wire == "gemini"  # Gemini's answers have no id
