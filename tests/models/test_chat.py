"""The chat layer against a real server on loopback; each failure ends in the fallback."""

from __future__ import annotations

import json

import pytest

from reverie.core.asking.answers import IDS_SCHEMA
from reverie.core.asking.draft import TOOLS
from reverie.errors import BadAnswer, ModelError, ModelTimeout
from reverie.models.chat import ChatModel
from reverie.models.endpoints import Endpoint
from reverie.ports import ChatMessage, ToolCall
from tests.models import wire

pytestmark = [
    pytest.mark.slow,  # the library behind it takes seconds to load
    # Google's library has a wrong escape in a text, which is told when it is first compiled.
    pytest.mark.filterwarnings("ignore:invalid escape:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:invalid escape:SyntaxWarning"),
    pytest.mark.filterwarnings('ignore:"?.{0,40} is an invalid escape:SyntaxWarning'),
]

ASKED = [ChatMessage("system", "Choose."), ChatMessage("user", "Which?")]
TABS = "I prefer tabs over spaces"
NOTE = f"---\nname: Tabs\ndescription: {TABS}\ntype: user\n---\n\n{TABS}\n"


@pytest.fixture
def server():
    with wire.serving() as endpoint:
        yield endpoint


def openai(server):
    return ChatModel(Endpoint("compatible", "tiny", "openai", f"{server.url}/v1", "key-1"))


def anthropic(server):
    return ChatModel(Endpoint("anthropic", "claude-tiny", "anthropic", server.url, "key-1"))


def google(server):
    return ChatModel(Endpoint("google", "gemini-tiny", "google", server.url, "key-1"))


GOOD = {openai: wire.openai, anthropic: wire.anthropic, google: wire.google}
MAKERS = list(GOOD)


def ask(model, seconds=20.0):
    return model.ask(ASKED, schema=IDS_SCHEMA, seconds=seconds)


def test_an_openai_compatible_endpoint_answers_a_question(server):
    server.script = [wire.openai('{"ids": ["m1"]}')]
    answer = ask(openai(server))
    assert answer.value == {"ids": ["m1"]}
    assert (answer.usage.model, answer.usage.tokens_in, answer.usage.tokens_out) == (
        "compatible:tiny", 12, 5,
    )  # fmt: skip
    request = server.requests[0]
    assert server.paths == ["/v1/chat/completions"]
    assert (request["temperature"], request.get("stream", False)) == (0.0, False)
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert server.headers[0]["authorization"] == "Bearer key-1"


def test_an_endpoint_that_knows_no_schema_is_asked_for_an_object_and_then_plainly(server):
    server.script = [wire.status(422), wire.status(400), wire.openai('Sure: {"ids": []}')]
    model = openai(server)
    assert ask(model).value == {"ids": []}
    asked = [request.get("response_format") for request in server.requests]
    assert asked[0]["type"] == "json_schema"
    assert asked[1] == {"type": "json_object", "schema": IDS_SCHEMA}
    assert asked[2] is None
    ask(model)  # what it understands is remembered
    assert len(server.requests) == 4
    assert "response_format" not in server.requests[3]


def test_a_server_that_breaks_on_a_form_it_does_not_know_is_asked_in_another(server):
    breaks = [wire.status(500)] * 3  # and again twice, as with any server error
    server.script = [*breaks, wire.openai('{"ids": ["m1"]}')]
    assert ask(openai(server)).value == {"ids": ["m1"]}
    kinds = [request.get("response_format", {}).get("type") for request in server.requests]
    assert kinds == ["json_schema"] * 3 + ["json_object"]


def test_anthropic_answers_a_question(server):
    server.script = [wire.anthropic('{"ids": ["m2"]}', None)]
    answer = ask(anthropic(server))
    assert answer.value == {"ids": ["m2"]}
    assert (answer.usage.tokens_in, answer.usage.tokens_out) == (20, 7)
    assert server.paths == ["/v1/messages"]
    sent = server.headers[0]
    assert "key-1" in (sent.get("x-api-key"), sent.get("authorization", "").removeprefix("Bearer "))


def test_anthropic_answers_through_a_tool(server):
    server.script = [wire.anthropic(calls=[("answer", {"ids": ["m3"]})])]
    assert ask(anthropic(server)).value == {"ids": ["m3"]}


def test_google_answers_a_question(server):
    server.script = [wire.google('{"ids": ["m4"]}')]
    answer = ask(google(server))
    assert answer.value == {"ids": ["m4"]}
    assert (answer.usage.model, answer.usage.tokens_in, answer.usage.tokens_out) == (
        "google:gemini-tiny", 30, 9,
    )  # fmt: skip
    request = server.requests[0]
    (path,) = server.paths
    assert path.endswith("/models/gemini-tiny:generateContent")
    assert request["systemInstruction"]["parts"][0]["text"] == "Choose."
    assert [(said["role"], said["parts"][0]["text"]) for said in request["contents"]] == [
        ("user", "Which?")
    ]
    chosen = request["generationConfig"]
    assert (chosen["temperature"], chosen["responseMimeType"]) == (0.0, "application/json")
    assert chosen["responseJsonSchema"]["required"] == ["ids"]
    assert server.headers[0]["x-goog-api-key"] == "key-1"


def test_without_a_key_none_of_the_environment_goes_to_a_google_endpoint(server, monkeypatch):
    monkeypatch.setenv("GOOGLE_API_KEY", "key-of-somebody")
    server.script = [wire.google('{"ids": []}')]
    ask(ChatModel(Endpoint("google", "gemini-tiny", "google", server.url)))
    assert "key-of-somebody" not in json.dumps(server.headers[0])


def test_what_google_says_in_the_body_about_waiting_is_heard(server):
    server.script = [wire.google_busy("0.01s"), wire.google('{"ids": []}')]
    assert ask(google(server)).value == {"ids": []}
    server.requests.clear()
    server.script = [wire.google_busy("3600s"), wire.google('{"ids": []}')]
    with pytest.raises(ModelError):  # at once: an hour does not fit into the deadline
        ask(google(server))
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("make", "reply"),
    [
        (openai, wire.openai(None, [("ls", "{}"), ("read_file", '{"path": "user/a.md"}')])),
        (anthropic, wire.anthropic(calls=[("ls", {}), ("read_file", {"path": "user/a.md"})])),
        (google, wire.google(calls=[("ls", {}), ("read_file", {"path": "user/a.md"})])),
    ],
)
def test_tools_are_offered_called_and_answered(server, make, reply):
    server.script = [reply, reply]
    model = make(server)
    first = model.step(ASKED, tools=TOOLS, seconds=20)
    assert [(call.name, json.loads(call.arguments)) for call in first.calls] == [
        ("ls", {}), ("read_file", {"path": "user/a.md"}),
    ]  # fmt: skip
    talk = [
        *ASKED,
        ChatMessage("assistant", first.text, first.calls),
        *[ChatMessage("tool", f"result of {call.name}", call=call) for call in first.calls],
    ]
    model.step(talk, tools=TOOLS, seconds=20)
    sent = json.dumps(server.requests[1])
    assert "result of ls" in sent
    assert "result of read_file" in sent
    offered = server.requests[1]["tools"]
    if make is google:
        (offered,) = (given["functionDeclarations"] for given in offered)
    assert len(offered) == len(TOOLS)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("code", [429, 500, 529])
def test_too_many_requests_and_server_errors_are_tried_again(server, make, code):
    server.script = [wire.status(code), GOOD[make]('{"ids": []}')]
    assert ask(make(server)).value == {"ids": []}
    assert len(server.requests) == 2


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    ("act", "error"),
    [
        (wire.status(429), ModelError),
        (wire.status(500), ModelError),
        (wire.status(401), ModelError),
        (wire.status(302, location="http://192.0.2.1/steal"), ModelError),
        (wire.raw(b"not json at all"), ModelError),
        (wire.raw(b"[1, 2, 3]"), ModelError),
        (wire.raw(b'{"choices": []}'), ModelError),
        (wire.raw(b'{"id": "x", "choices": [{"index": 0'), ModelError),
        (wire.raw(b'{"half": ', content_length="5000"), ModelError),
        (wire.raw(b"\xff\xfe\x00garbage", content_encoding="gzip"), ModelError),
        (wire.drop, ModelError),
    ],
)
def test_whatever_a_server_does_is_one_of_our_errors(server, make, act, error):
    server.script = [act]
    with pytest.raises(error):
        ask(make(server))


@pytest.mark.parametrize("make", MAKERS)
def test_a_server_that_hangs_is_left_at_the_deadline(server, make):
    server.script = [wire.hang]
    model = make(server)
    with pytest.raises(ModelTimeout):
        ask(model, seconds=0.3)


def test_an_answer_that_is_no_json_still_tells_its_cost(server):
    server.script = [wire.openai("I cannot decide.")]
    with pytest.raises(BadAnswer) as caught:
        ask(openai(server))
    assert caught.value.evidence["usage"].tokens_in == 12


def test_nobody_listening_is_an_error_of_ours():
    with wire.serving() as gone:
        url = gone.url
    model = ChatModel(Endpoint("compatible", "tiny", "openai", f"{url}/v1", "k"))
    with pytest.raises(ModelError):
        ask(model)


def test_no_error_and_no_name_tells_the_key(server):
    server.script = [wire.status(401)]
    model = openai(server)
    with pytest.raises(ModelError) as caught:
        ask(model)
    assert "key-1" not in f"{caught.value} {model.main!r} {model.name}"


def test_a_side_question_goes_to_the_small_model(server):
    server.script = [wire.openai('{"ids": []}')]
    main = Endpoint("compatible", "large", "openai", f"{server.url}/v1", "k")
    small = Endpoint("compatible", "small", "openai", f"{server.url}/v1", "k")
    model = ChatModel(main, small)
    model.ask(ASKED, schema=IDS_SCHEMA, seconds=20, fast=True)
    model.ask(ASKED, schema=IDS_SCHEMA, seconds=20)
    assert [request["model"] for request in server.requests] == ["small", "large"]


# --- whole verbs over the wire --------------------------------------------------------------------


def opened(open_memory, server, **settings):
    chosen = {"model.name": "compatible:tiny", "model.url": f"{server.url}/v1", **settings}
    return open_memory(settings=chosen)


def test_remember_by_an_agent_over_the_wire(open_memory, server):
    write = json.dumps({"path": "user/user/tabs.md", "content": NOTE})
    server.script = [
        wire.openai(None, [("ls", "{}")]), wire.openai(None, [("write_file", write)]), wire.openai("ok"),
    ]  # fmt: skip
    memory = opened(open_memory, server)
    outcome = memory.remember(TABS)
    assert outcome.strategy == "model"
    assert (outcome.usage.model, outcome.usage.tokens_in) == ("compatible:tiny", 36)
    assert [topic.text for topic in memory.store.topics()] == [NOTE]
    (row,) = memory.usage()
    assert (row.verb, row.calls, row.tokens_in, row.tokens_out) == ("remember", 3, 36, 15)


@pytest.mark.parametrize(
    "act",
    [
        wire.status(429), wire.status(500), wire.drop, wire.raw(b"{"), wire.raw(b"<html>"),
        wire.openai("no json"), wire.openai('{"ids": ["m9"], "memories": 3}'),
        wire.openai(None, [("rm", "{")]),
    ],
)  # fmt: skip
def test_whatever_the_server_does_every_verb_ends_in_its_fallback(open_memory, server, act):
    server.script = [act]
    memory = opened(open_memory, server)
    kept = memory.remember(TABS)
    assert (kept.strategy, bool(kept.usage.fallback)) == ("heuristic", True)
    recalled = memory.recall("tabs or spaces", wait=True)
    assert (recalled.strategy, len(recalled.topics)) == ("heuristic", 1)
    said = [{"role": "user", "content": "I prefer dark mode in all editors.", "id": "t1"}]
    extracted = memory.extract(said, session="s")
    assert (extracted.strategy, len(extracted.patches)) == ("heuristic", 1)
    assert memory.dream(force=True).strategy == "mechanical"
    forgotten = memory.forget("tabs over spaces")
    assert (forgotten.strategy, len(forgotten.removed_entries)) == ("heuristic", 1)
    assert all(item.usage.fallback for item in (kept, recalled, extracted, forgotten))


@pytest.mark.parametrize("act", [wire.status(429), wire.raw(b'{"candidates": [{"x'), wire.drop])
def test_remember_over_googles_wire_and_its_fallback(open_memory, server, act):
    settings = {"model.name": "google:gemini-tiny", "model.url": server.url}
    memory = open_memory(settings=settings)
    wanted = {"path": "user/user/tabs.md", "content": NOTE}
    server.script = [wire.google(calls=[("write_file", wanted)]), wire.google("ok")]
    outcome = memory.remember(TABS)
    assert (outcome.strategy, outcome.usage.model, outcome.usage.tokens_in) == (
        "model", "google:gemini-tiny", 60,
    )  # fmt: skip
    server.script = [act]
    kept = memory.remember("Deploys happen on Mondays")
    assert (kept.strategy, bool(kept.usage.fallback)) == ("heuristic", True)
    assert len(memory.store.topics()) == 2


def test_a_hanging_server_costs_the_deadline_and_no_more(open_memory, server):
    server.script = [wire.hang]
    memory = opened(open_memory, server, **{"model.timeout_seconds": 0.3, "model.run_seconds": 0.3})
    outcome = memory.remember(TABS)
    assert (outcome.strategy, outcome.usage.fallback) == ("heuristic", "model_timeout")
    assert memory.recall("tabs", wait=True).usage.fallback == "model_timeout"


def test_an_escape_over_the_wire_is_an_error_and_writes_nothing(open_memory, server, tmp_path):
    from reverie.errors import RememberPathEscape

    target = tmp_path / "outside.md"
    write = json.dumps({"path": str(target), "content": NOTE})
    server.script = [wire.openai(None, [("write_file", write)])]
    memory = opened(open_memory, server)
    with pytest.raises(RememberPathEscape) as caught:
        memory.remember(TABS)
    assert caught.value.code == "remember_path_escape"
    assert not target.exists()
    assert not memory.store.topics()


def test_a_message_survives_the_way_there(server):
    server.script = [wire.openai("ok")]
    call = ToolCall("c9", "grep", '{"pattern": "日本"}')
    talk = [*ASKED, ChatMessage("assistant", "", (call,)), ChatMessage("tool", "行", call=call)]
    openai(server).step(talk, tools=TOOLS, seconds=20)
    *_, assistant, tool = server.requests[0]["messages"]
    assert assistant["content"] == ""  # llama.cpp takes no null beside tool calls
    assert json.loads(assistant["tool_calls"][0]["function"]["arguments"]) == {"pattern": "日本"}
    assert (tool["role"], tool["tool_call_id"], tool["content"]) == ("tool", "c9", "行")
