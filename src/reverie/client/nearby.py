"""A daemon on this machine, asked through its Unix socket with nothing but the standard library.

A hook starts a process at every prompt, so this must not import an HTTP library. The socket is for
its owner alone and needs no token. When there is no daemon, the caller opens the memory itself.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from reverie.client.calls import error_of
from reverie.errors import DaemonUnreachable

_MAX_ANSWER = 64 * 1024 * 1024


def ask(
    path: str,
    body: Mapping[str, Any] | None = None,
    *,
    socket_file: Path,
    workspace: str,
    timeout: float = 5.0,
) -> Any:
    """Send one request for a workspace's folder; raise `DaemonUnreachable` when nobody is there."""
    target = f"/workspaces/{quote(workspace, safe='')}{path.removeprefix('/workspace')}"
    content = b"" if body is None else json.dumps(body).encode()
    head = (
        f"{'GET' if body is None else 'POST'} {target} HTTP/1.1\r\nHost: localhost\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
        "Connection: close\r\n\r\n"
    )
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(timeout)
            connection.connect(str(socket_file))
            connection.sendall(head.encode() + content)
            answer = _read_all(connection)
    except OSError as error:
        raise DaemonUnreachable(f"no daemon answers at {socket_file}: {error}") from None
    first, _, rest = answer.partition(b"\r\n")
    _, _, payload = rest.partition(b"\r\n\r\n")
    try:
        status = int(first.split()[1])
        wire = json.loads(payload) if payload.strip() else None
    except (ValueError, IndexError):
        raise DaemonUnreachable(f"what answers at {socket_file} is not a daemon") from None
    if status >= 400:
        raise error_of(status, wire)
    return wire


def _read_all(connection: socket.socket) -> bytes:
    data = bytearray()
    while piece := connection.recv(65_536):
        data += piece
        if len(data) > _MAX_ANSWER:
            raise DaemonUnreachable("the answer is too large")
    return bytes(data)
