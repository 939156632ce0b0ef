"""Routes of context files: which are loaded, and appending to or replacing one."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from starlette.responses import Response

from reverie.daemon.http import schemas
from reverie.daemon.http.endpoint import Call, Endpoint, answer, encoded
from reverie.errors import (
    ContentTooLarge,
    FileTooLarge,
    InvalidClientId,
    InvalidContent,
    InvalidMode,
    InvalidScope,
    Locked,
    SecretRefused,
    StaleBase,
    StoreError,
    UntrustedFolder,
)
from reverie.memory import Memory
from reverie.types import ContextSource

_MODES: dict[str, Literal["append", "replace"]] = {"append": "append", "replace": "replace"}


async def files(call: Call) -> Response:
    """List the context files that are loaded for the workspace."""
    return answer(await call.verb(_files))


def _files(memory: Memory) -> dict[str, Any]:
    context = memory.context()
    found = [
        {
            "kind": "memory_file",
            "path": item.path,
            "scope": "global" if item.source is ContextSource.GLOBAL else "workspace",
            "bytes": _size(item.path),
        }
        for item in context.files
    ]
    wire: dict[str, Any] = {
        "v": 1,
        "workspaceCwd": memory.workspace.cwd,
        "initialized": True,
        "files": found,
        "totalBytes": sum(_size(item.path) for item in context.files),
        "fileCount": len(found),
        "ruleCount": 0,  # the upstream's rule files are a thing of its own; we load none
    }
    if context.diagnostics:
        wire["errors"] = [
            {"kind": "memory_file", "status": "warning", "error": f"{item.path}: {item.message}"}
            for item in context.diagnostics
        ]
    return wire


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:  # gone since it was read
        return 0


async def write(call: Call) -> Response:
    """Append to or replace a context file."""
    fields = await call.fields()
    scope = fields.choice("scope", ("workspace", "global"), InvalidScope)
    if scope is None and call.qualified:
        scope = "workspace"
    if scope is None:
        raise InvalidScope("scope is missing; give workspace or global")
    if call.qualified and scope == "global":
        raise InvalidScope("the global file belongs to no workspace; use /workspace/memory for it")
    mode = fields.choice("mode", ("append", "replace"), InvalidMode) or "append"
    content = fields.values.get("content")
    if not isinstance(content, str):
        raise InvalidContent("content is missing, or not a text")
    encoded(content, "content", InvalidContent)
    client = await call.client()

    def work(memory: Memory) -> Any:
        if scope == "workspace" and not memory.trusted().trusted:
            raise UntrustedFolder(
                f"{memory.workspace.base} is not trusted; `reverie trust` it first"
            )
        return memory.write_context(content, scope=scope, mode=_MODES[mode])

    written = await call.verb(work, writes=True)
    if written.changed:
        call.hosted.bus.publish(
            "memory_changed",
            {
                "scope": scope,
                "filePath": written.path,
                "mode": mode,
                "bytesWritten": written.bytes_written,
            },
            client=client,
        )
    return answer(
        {
            "ok": True,
            "filePath": written.path,
            "bytesWritten": written.bytes_written,
            "mode": mode,
            "changed": written.changed,
        }
    )


_FILE_SCOPE = schemas.one_of(["workspace", "global"])
_MODE = schemas.one_of(["append", "replace"])

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "GET",
        "/workspace/memory",
        files,
        "List the context files that are loaded",
        schemas.record(
            {
                "v": {"const": 1},
                "workspaceCwd": schemas.TEXT,
                "initialized": schemas.FLAG,
                "files": schemas.array(
                    schemas.record(
                        {
                            "kind": {"const": "memory_file"},
                            "path": schemas.TEXT,
                            "scope": _FILE_SCOPE,
                            "bytes": schemas.COUNT,
                        }
                    )
                ),
                "totalBytes": schemas.COUNT,
                "fileCount": schemas.COUNT,
                "ruleCount": schemas.COUNT,
            },
            {
                "errors": schemas.array(
                    schemas.record(
                        {"kind": schemas.TEXT, "status": schemas.TEXT, "error": schemas.TEXT}
                    )
                )
            },
        ),
        errors=(StoreError,),
        scoped=True,
    ),
    Endpoint(
        "POST",
        "/workspace/memory",
        write,
        "Append to or replace a context file",
        schemas.record(
            {
                "ok": {"const": True},
                "filePath": schemas.TEXT,
                "bytesWritten": schemas.COUNT,
                "mode": _MODE,
                "changed": schemas.FLAG,
            }
        ),
        body=schemas.record(
            {"content": schemas.TEXT},
            {"scope": _FILE_SCOPE, "mode": schemas.nullable(_MODE)},
        ),
        errors=(
            InvalidScope,
            InvalidMode,
            InvalidContent,
            InvalidClientId,
            UntrustedFolder,
            SecretRefused,
            StaleBase,
            Locked,
            ContentTooLarge,
            FileTooLarge,
            StoreError,
        ),
        scoped=True,
    ),
)
