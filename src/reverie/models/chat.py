"""Chat models over HTTP: OpenAI-compatible endpoints, Anthropic and Google.

Rules
- The library behind it is heavy, so it is loaded by the first call and not before.
- Every call has a deadline that covers retries. "Too many requests" and server errors are tried
  again, as the server says when; whatever still fails is a `ModelError`.
- An endpoint that knows no schema is asked again for a JSON object, and then for plain text that holds
  one; what it understood is remembered.
- Everything goes through the client in `outbound`, which alone has the key: the libraries get a word
  in its place.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

from reverie.core.asking.answers import read_json
from reverie.errors import BadAnswer, ModelError, ModelTimeout
from reverie.models.endpoints import Endpoint, Wire
from reverie.ports import Answer, ChatMessage, Reply, ToolCall, ToolSpec
from reverie.types import Usage

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model as WireModel
    from pydantic_ai.models import ModelRequestParameters

    from reverie.models.outbound import OutboundClient

RETRIES: Final = 2
MAX_ANSWER_TOKENS: Final = 4096
_NO_KEY: Final = "none"  # an empty one would be looked up in the environment, and sent
# Some servers (llama-cpp-python) answer 500 to a form they do not know.
_NOT_UNDERSTOOD: Final = {400, 404, 422, 500, 501}

Mode: TypeAlias = Literal["native", "tool", "object", "text"]
Result = TypeVar("Result")


class ChatModel:
    """A model behind an endpoint, and perhaps a smaller one for side questions."""

    def __init__(self, main: Endpoint, fast: Endpoint | None = None) -> None:
        self.main = main
        self.fast = fast or main
        self.name = main.name
        for endpoint in {self.main, self.fast}:
            endpoint.route()  # an address that may not be asked is told now
        self._understood: dict[Endpoint, Mode] = {}

    @property
    def warm(self) -> bool:
        """True when the library is loaded."""
        return f"pydantic_ai.models.{self.fast.wire}" in sys.modules

    def ask(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, Any],
        seconds: float,
        fast: bool = False,
    ) -> Answer:
        """Ask one question; the answer is JSON, whether or not it fits the schema."""
        endpoint = self.fast if fast else self.main
        _load(endpoint)
        started = time.monotonic()
        known = self._understood.get(endpoint)
        mode, response = _within(
            lambda: _answered(endpoint, messages, schema, seconds, known), seconds
        )
        self._understood[endpoint] = mode
        usage = _usage(endpoint, response, started)
        try:
            return Answer(_value(response), usage)
        except BadAnswer as error:
            error.evidence["usage"] = usage
            raise

    def step(
        self, messages: Sequence[ChatMessage], *, tools: Sequence[ToolSpec], seconds: float
    ) -> Reply:
        """Let the main model think once."""
        _load(self.main)
        started = time.monotonic()
        response = _within(lambda: _stepped(self.main, messages, tools, seconds), seconds)
        calls = tuple(
            ToolCall(part.tool_call_id, part.tool_name, part.args_as_json_str())
            for part in response.tool_calls
        )
        return Reply(response.text or "", calls, _usage(self.main, response, started))


def _load(endpoint: Endpoint) -> None:
    """Load the library, which can take seconds, before the deadline of a call begins."""
    try:
        import_module("pydantic_ai.direct")
        import_module(f"pydantic_ai.models.{endpoint.wire}")
    except ImportError as error:
        raise ModelError(
            f"the model library is not installed ({error.name}). In a clone of Reverie:"
            " .venv/bin/python -m pip install -e '.[models]'"
        ) from error


# --- asking ---------------------------------------------------------------------------------------


async def _answered(
    endpoint: Endpoint,
    messages: Sequence[ChatMessage],
    schema: Mapping[str, Any],
    seconds: float,
    known: Mode | None,
) -> tuple[Mode, ModelResponse]:
    async with _client(endpoint, seconds) as client:
        model = _wire_model(endpoint, client)
        native = model.profile.get("supports_json_schema_output", False)
        modes: list[Mode] = ["native" if native else "tool", "text"]
        if endpoint.wire == "openai":
            modes.insert(1, "object")
        for mode in modes[modes.index(known) if known in modes else 0 :]:
            wanted, body = _structured(mode, schema)
            told = _wire_messages(messages, endpoint.wire)
            try:
                return mode, await _request(model, client, told, wanted, seconds, body)
            except ModelError as error:
                if mode == "text" or error.evidence.get("status") not in _NOT_UNDERSTOOD:
                    raise
    raise AssertionError("the last way returns or raises")


async def _stepped(
    endpoint: Endpoint,
    messages: Sequence[ChatMessage],
    tools: Sequence[ToolSpec],
    seconds: float,
) -> ModelResponse:
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    definitions = [
        ToolDefinition(
            name=tool.name,
            parameters_json_schema=dict(tool.parameters),
            description=tool.about,
            strict=False,
        )
        for tool in tools
    ]
    async with _client(endpoint, seconds) as client:
        model = _wire_model(endpoint, client)
        wanted = ModelRequestParameters(function_tools=definitions)
        told = _wire_messages(messages, endpoint.wire)
        return await _request(model, client, told, wanted, seconds)


async def _request(
    model: WireModel,
    client: OutboundClient,
    messages: Sequence[ModelMessage],
    wanted: ModelRequestParameters,
    seconds: float,
    body: Mapping[str, Any] | None = None,
) -> ModelResponse:
    from pydantic_ai.direct import model_request
    from pydantic_ai.settings import ModelSettings

    settings = ModelSettings(temperature=0.0, max_tokens=MAX_ANSWER_TOKENS, timeout=seconds)
    if body:
        settings["extra_body"] = dict(body)
    try:
        return await model_request(
            model,
            messages,
            model_settings=settings,
            model_request_parameters=wanted,
            instrument=False,
        )
    except Exception as error:  # noqa: BLE001  # what a server says reaches deep into the libraries
        raise _explained(error, client.refusal) from None


def _client(endpoint: Endpoint, seconds: float) -> OutboundClient:
    if endpoint.wire == "google":  # the other two libraries try again by themselves
        from reverie.models.retrying import RetryingClient

        return RetryingClient(endpoint.route(), retries=RETRIES, seconds=seconds)
    from reverie.models.outbound import OutboundClient

    return OutboundClient(endpoint.route(), seconds=seconds)


def _structured(
    mode: Mode, schema: Mapping[str, Any]
) -> tuple[ModelRequestParameters, Mapping[str, Any] | None]:
    """Return how a structured answer is asked for, and what the request must say besides."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    match mode:
        case "native":
            shape = OutputObjectDefinition(json_schema=dict(schema), name="answer", strict=True)
            return ModelRequestParameters(output_mode="native", output_object=shape), None
        case "tool":
            tool = ToolDefinition(
                name="answer",
                parameters_json_schema=dict(schema),
                description="Give the answer.",
                kind="output",
            )
            return (
                ModelRequestParameters(
                    output_mode="tool", output_tools=[tool], allow_text_output=False
                ),
                None,
            )
        case "object":  # the older form; llama.cpp and others take a schema in it too
            shape_told = {"type": "json_object", "schema": dict(schema)}
            return ModelRequestParameters(), {"response_format": shape_told}
        case "text":
            return ModelRequestParameters(), None


def _wire_model(endpoint: Endpoint, client: OutboundClient) -> WireModel:
    url = endpoint.route().url
    match endpoint.wire:
        case "openai":
            from openai import AsyncOpenAI
            from pydantic_ai.models.openai import OpenAIChatModel
            from pydantic_ai.providers.openai import OpenAIProvider

            openai = AsyncOpenAI(
                api_key=_NO_KEY,
                base_url=url,
                max_retries=RETRIES,
                http_client=client,
            )
            return OpenAIChatModel(endpoint.model, provider=OpenAIProvider(openai_client=openai))
        case "anthropic":
            from anthropic import AsyncAnthropic
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            anthropic = AsyncAnthropic(
                api_key=_NO_KEY,
                base_url=url,
                max_retries=RETRIES,
                http_client=client,
            )
            provider = AnthropicProvider(anthropic_client=anthropic)
            return AnthropicModel(endpoint.model, provider=provider)
        case "google":
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider

            google = GoogleProvider(api_key=_NO_KEY, base_url=url, http_client=client)
            return GoogleModel(endpoint.model, provider=google)


def _wire_messages(messages: Sequence[ChatMessage], kind: Wire) -> list[ModelMessage]:
    from pydantic_ai import messages as wire

    # llama.cpp takes no `null` beside tool calls, and an empty text is right for the others of its
    # kind; Anthropic and Google take no empty text.
    silent = [wire.TextPart("")] if kind == "openai" else []
    found: list[ModelMessage] = []
    for message in messages:
        part: wire.ModelRequestPart
        match message.role:
            case "assistant":
                said = [wire.TextPart(message.text)] if message.text else silent
                used = [wire.ToolCallPart(c.name, c.arguments, c.id) for c in message.calls]
                found.append(wire.ModelResponse([*said, *used]))
                continue
            case "system":
                part = wire.SystemPromptPart(message.text)
            case "tool" if message.call is not None:
                part = wire.ToolReturnPart(message.call.name, message.text, message.call.id)
            case _:
                part = wire.UserPromptPart(message.text)
        last = found[-1] if found else None
        if isinstance(last, wire.ModelRequest):
            found[-1] = replace(last, parts=[*last.parts, part])
        else:
            found.append(wire.ModelRequest([part]))
    return found


# --- reading --------------------------------------------------------------------------------------


def _value(response: ModelResponse) -> object:
    for call in response.tool_calls:
        try:
            return json.loads(call.args_as_json_str())
        except (ValueError, RecursionError):
            continue
    return read_json(response.text or "")


def _usage(endpoint: Endpoint, response: ModelResponse, started: float) -> Usage:
    return Usage(
        model=endpoint.name,
        # A server that counts backwards must not fill a budget up again.
        tokens_in=max(0, response.usage.input_tokens),
        tokens_out=max(0, response.usage.output_tokens),
        duration_ms=round((time.monotonic() - started) * 1000),
    )


# --- deadline and failures ------------------------------------------------------------------------


def _within(work: Callable[[], Awaitable[Result]], seconds: float) -> Result:
    from reverie.models.outbound import DeadlinePassed, in_time

    try:
        return in_time(work, seconds)
    except DeadlinePassed:
        raise ModelTimeout(f"the model did not answer within {seconds:g} seconds") from None


def _explained(error: Exception, refusal: str) -> ModelError:
    """Turn what a library raised into an error of ours, without repeating what the server said."""
    name = type(error).__name__
    if refusal:
        return ModelError(f"the model call failed: {refusal}")
    if "Timeout" in name:
        return ModelTimeout(f"the model did not answer in time ({name})")
    status = getattr(error, "status_code", None)
    unread = (
        ValueError | TypeError | LookupError | AttributeError | RecursionError | ArithmeticError
    )
    if status is None and isinstance(error, unread):
        return BadAnswer(f"the model's answer cannot be read ({name})")
    if name == "UnexpectedModelBehavior":
        return BadAnswer("the model's answer cannot be read: it breaks the protocol")
    told = f"status {status}" if status else name
    return ModelError(f"the model call failed ({told})", status=status)
