"""A line that takes time: hands bytes on between us and a server, each a moment later."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def delayed(socket: str, seconds: float) -> Iterator[int]:
    """Listen on a port of this machine and lead to a Unix socket; a round trip takes so long on the way."""
    loop = asyncio.new_event_loop()
    ready: list[int] = []
    began = threading.Event()

    async def serve() -> asyncio.Server:
        async def meet(near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
            far, on = await asyncio.open_unix_connection(socket)
            ways = _hand_on(near, on, seconds / 2), _hand_on(far, back, seconds / 2)
            with suppress(asyncio.CancelledError):  # it is over
                await asyncio.gather(*ways)

        server = await asyncio.start_server(meet, "127.0.0.1", 0)
        ready.append(server.sockets[0].getsockname()[1])
        began.set()
        return server

    def run() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(serve())
        loop.run_forever()
        lines = asyncio.all_tasks(loop)
        for line in lines:
            line.cancel()
        loop.run_until_complete(asyncio.gather(*lines, return_exceptions=True))
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    began.wait()
    try:
        yield ready[0]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


async def _hand_on(
    source: asyncio.StreamReader, target: asyncio.StreamWriter, seconds: float
) -> None:
    """Hand on what comes, in its order; what comes close together is late together, not one by one."""
    loop = asyncio.get_running_loop()
    with suppress(ConnectionError):
        while data := await source.read(65536):
            loop.call_later(seconds, target.write, data)
    await asyncio.sleep(seconds)
    with suppress(ConnectionError):
        target.close()
