"""The server for the official SDK: over HTTP, and over pipes for what the front does not answer itself.

Rules
- What is answered is made in `answers`; this only brings it into the SDK's types.
- A call that its client cancels, or whose client is gone, writes nothing unless the write had begun.
"""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import anyio
from mcp import types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from reverie import __version__
from reverie.errors import ReverieError
from reverie.mcp import answers, resources
from reverie.mcp.announcing import Announcer
from reverie.mcp.caller import Caller, client_name
from reverie.mcp.more import SURFACES
from reverie.progress import Pace, heard_by

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.models import InitializationOptions

    from reverie.mcp.tool import Tool
    from reverie.memory import Memory

_BEAT_SECONDS = 1.0
SESSION_HEADER = "mcp-session-id"
Value = TypeVar("Value")


class Runner(Protocol):
    """Where calls are carried out: an opened memory and threads to work in."""

    session: str
    """The session of every caller that has none of its own."""

    async def run(self, work: Callable[[Memory], Value], *, writes: bool) -> Value:
        """Run a function over the memory in a worker thread."""
        ...


class _Server(Server[Any]):
    """The SDK's server; over every transport it says that the list of resources is announced."""

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *args: Any, **options: Any
    ) -> InitializationOptions:
        """Return what a client is told first."""
        wanted = notification_options or NotificationOptions(resources_changed=True)
        return super().create_initialization_options(wanted, *args, **options)


class MemoryServer:
    """The handlers of one server; `server` is what a transport serves."""

    def __init__(self, runner: Runner, *, surface: str = "default") -> None:
        self._runner = runner
        self._tools = {tool.name: tool for tool in SURFACES[surface]}
        self.announcer = Announcer(runner)
        self._listening = ListenHandler(self.announcer.bus)
        self.server: Server[Any] = _Server(
            "reverie",
            lifespan=self._lifespan,
            version=__version__,
            title="Reverie",
            instructions=answers.INSTRUCTIONS,
            get_tool_input_schema=self._input_schema,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=self._listen,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=self._complete,
        )

    @asynccontextmanager
    async def _lifespan(self, _: object) -> AsyncIterator[None]:
        async with self.announcer.at_work():
            yield

    def close(self) -> None:
        """Let the streams of watchers end."""
        self._listening.close()

    # --- tools ------------------------------------------------------------------------------------

    def _input_schema(self, name: str) -> Any:
        tool = self._tools.get(name)
        return tool.takes if tool else None

    async def _list_tools(self, _: ServerRequestContext[Any], __: object) -> types.ListToolsResult:
        listed = [answers.described(tool) for tool in self._tools.values()]
        return types.ListToolsResult.model_validate({"tools": listed})

    async def _call_tool(
        self, ctx: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            return types.CallToolResult.model_validate(answers.no_tool(params.name, self._tools))
        if not tool.slow:
            return await self._outcome(ctx, tool, params.arguments)
        async with anyio.create_task_group() as beating:
            pace = Pace()
            beating.start_soon(_beat, ctx, tool.title, pace)
            with heard_by(lambda step: pace.heard(step, time.monotonic())):
                result = await self._outcome(ctx, tool, params.arguments)
            beating.cancel_scope.cancel()
        return result

    async def _outcome(
        self, ctx: ServerRequestContext[Any], tool: Tool, arguments: object
    ) -> types.CallToolResult:
        gone = threading.Event()
        caller = self._caller(ctx, gone.is_set)
        try:
            work = partial(answers.carried_out, tool, answers.given(tool, arguments), caller)
            answer, run = await self._runner.run(work, writes=not tool.read_only)
        except anyio.get_cancelled_exc_class():
            gone.set()
            raise
        except ReverieError as error:
            answer, run = answers.failed(error), ""
        except Exception:  # noqa: BLE001  # the agent gets an answer whatever happens
            answer, run = answers.broken(tool.name), ""
        if run:
            self.announcer.hurry()
        return types.CallToolResult.model_validate(answer)

    def _caller(self, ctx: ServerRequestContext[Any], gone: Callable[[], bool]) -> Caller:
        said = ctx.session.client_params
        name = client_name(said.client_info.name, said.client_info.version) if said else "mcp"
        return Caller(client=name, session=self._session_id(ctx), cancelled=gone)

    def _session_id(self, ctx: ServerRequestContext[Any]) -> str:
        headers = getattr(ctx.request, "headers", {})
        return str(headers.get(SESSION_HEADER) or self._runner.session)

    # --- resources --------------------------------------------------------------------------------

    async def _list_resources(
        self, ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        session = self._session_id(ctx)
        if session and ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:  # these ask to listen
            await self.announcer.follow(session, ctx.session)
        cursor = params.cursor if params else None
        found = await self._read(lambda memory: answers.resource_list(memory, cursor))
        return types.ListResourcesResult.model_validate(found)

    async def _list_templates(
        self, _: ServerRequestContext[Any], __: object
    ) -> types.ListResourceTemplatesResult:
        listed = {"resourceTemplates": answers.template_list()}
        return types.ListResourceTemplatesResult.model_validate(listed)

    async def _read_resource(
        self, _: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        found = await self._read(lambda memory: answers.resource_text(memory, uri))
        return types.ReadResourceResult.model_validate(found)

    async def _subscribe(
        self, ctx: ServerRequestContext[Any], params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        session = self._session_id(ctx)
        if not session:
            raise MCPError(
                types.METHOD_NOT_FOUND, "this service keeps no sessions; read the resource again"
            )
        await self.announcer.subscribe(session, ctx.session, str(params.uri))
        return types.EmptyResult()

    async def _unsubscribe(
        self, ctx: ServerRequestContext[Any], params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        self.announcer.unsubscribe(self._session_id(ctx), str(params.uri))
        return types.EmptyResult()

    async def _listen(
        self, ctx: ServerRequestContext[Any], params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        await self.announcer.look()  # what changed before is no news to whoever comes now
        return await self._listening(ctx, params)

    async def _complete(
        self, _: ServerRequestContext[Any], params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        if not isinstance(params.ref, types.ResourceTemplateReference):
            return types.CompleteResult(completion=types.Completion(values=[], total=0))
        scope = ((params.context.arguments if params.context else None) or {}).get("scope", "")
        asked = params.argument
        found = await self._read(
            lambda memory: answers.completions(memory, asked.name, asked.value, scope)
        )
        return types.CompleteResult.model_validate(found)

    # --- prompts ----------------------------------------------------------------------------------

    async def _list_prompts(
        self, _: ServerRequestContext[Any], __: object
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult.model_validate({"prompts": answers.prompt_list()})

    async def _get_prompt(
        self, _: ServerRequestContext[Any], params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        name, filled = params.name, params.arguments
        found = await self._read(lambda memory: answers.prompt_text(memory, name, filled))
        return types.GetPromptResult.model_validate(found)

    async def _read(self, work: Callable[[Memory], Value]) -> Value:
        """Read memory; what goes wrong becomes an error of the protocol with its code and action."""
        try:
            return await self._runner.run(work, writes=False)
        except resources.BadParams as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        except ReverieError as error:
            raise MCPError(*answers.protocol_error(error)) from None


async def _beat(ctx: ServerRequestContext[Any], title: str, pace: Pace) -> None:
    """Report progress until cancelled: how far it is where that is known, else that it goes on."""
    beats = 0
    while True:
        told = pace.line(time.monotonic(), time.monotonic() - beats)
        await ctx.session.report_progress(beats, message=f"{title}: {told}")
        await anyio.sleep(_BEAT_SECONDS)
        beats += 1
