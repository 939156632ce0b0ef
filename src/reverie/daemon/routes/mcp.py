"""MCP on the daemon: `/mcp` for the first workspace, `/workspaces/{workspace}/mcp` for each.

`?surface=full` offers all tools. The SDK is imported when the first client comes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from starlette.requests import Request
from starlette.routing import Route

from reverie.errors import Draining, InvalidArgument, ReverieError, UntrustedFolder

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from reverie.daemon.host import Host
    from reverie.mcp.http import HttpServer
    from reverie.memory import Memory

Value = TypeVar("Value")
_PATHS = ("/mcp", "/workspaces/{workspace}/mcp")


class HostedRunner:
    """Carries out calls with the memory and the threads of a served workspace.

    The workspace is asked for at every call: a daemon that serves many closes the quiet ones.
    """

    session = ""

    def __init__(self, host: Host, selector: str | None) -> None:
        self._host = host
        self._selector = selector

    async def run(self, work: Callable[[Memory], Value], *, writes: bool) -> Value:
        """Run a function over the memory in a worker thread; a stopping daemon writes no more."""
        hosted = await self._host.hosted(self._selector)
        if writes:
            self._host.check_writing()
            if hosted.lane.draining:
                raise Draining("the daemon is stopping; call again when it is back")
            if not await hosted.bookkeeping.run(hosted.trusted):
                raise UntrustedFolder(
                    f"{hosted.base} is not trusted, so nothing is remembered for it;"
                    " `reverie trust` there changes that"
                )

        def lent() -> Value:
            with hosted.shared.lend() as memory:
                return work(memory)

        return await hosted.verbs.run(lent, line=hosted.writes if writes else hosted.reads)


class McpServers:
    """The MCP servers of a host, each made when it is first asked for."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._open: dict[tuple[str, str], HttpServer] = {}

    def routes(self) -> list[Route]:
        """Return the routes; the token, Host and Origin were checked before them."""
        return [Route(path, _Endpoint(self, path)) for path in _PATHS]

    async def answer(self, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request to the server it is for."""
        from reverie.daemon.http.app import error_answer  # the application is made of these routes
        from reverie.mcp.more import SURFACES

        scope["reverie.path"] = path
        selector = scope.get("path_params", {}).get("workspace")
        try:
            hosted = await self._host.hosted(selector)
        except ReverieError as error:
            await error_answer(error, scope)(scope, receive, send)
            return
        surface = Request(scope).query_params.get("surface", "default")
        if surface not in SURFACES:
            wrong = InvalidArgument(f"surface must be one of {', '.join(SURFACES)}")
            await error_answer(wrong, scope)(scope, receive, send)
            return
        await self._server(hosted.id, selector, surface)(scope, receive, send)

    def _server(self, name: str, selector: str | None, surface: str) -> HttpServer:
        key = (name, surface)
        if key not in self._open:
            from reverie.mcp.http import HttpServer

            self._open[key] = HttpServer(
                HostedRunner(self._host, selector),
                surface=surface,
                max_body_bytes=self._host.max_body_bytes,
                keeps_sessions=self._host.keeps_sessions,
            )
        return self._open[key]

    def end(self) -> None:
        """End every stream, so that connections can close."""
        for server in self._open.values():
            server.end()

    async def stop(self) -> None:
        """Wait until every session has ended."""
        self.end()
        for server in self._open.values():
            await server.wait()
        self._open.clear()


class _Endpoint:
    """A route's endpoint as an ASGI application: the transport sends its answer itself."""

    def __init__(self, servers: McpServers, path: str) -> None:
        self._servers = servers
        self._path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        view = scope.get("reverie.host")  # whose token it was decides whose workspaces there are
        servers = self._servers if view is None else view.mcp
        await servers.answer(self._path, scope, receive, send)
