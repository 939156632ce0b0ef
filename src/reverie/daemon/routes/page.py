"""The page itself: its files, which tell nothing and so need no token, under a strict policy.

Rules
- Nothing is loaded from elsewhere, no script or style stands in the HTML, nothing may frame the page,
  and (trusted types) no text can become HTML, whatever a memory says.
- The files are read once; their tags change with their content, so a browser asks and seldom loads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-cache",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file of the page."""

    path: str
    """Where it is served."""
    data: bytes
    media: str
    tag: str


@cache
def assets() -> tuple[Asset, ...]:
    """Read the files of the page; its folders are served below /assets."""
    return tuple(_below(resources.files("reverie") / "web", "/assets"))


def _below(folder: Traversable, prefix: str) -> list[Asset]:
    found: list[Asset] = []
    for item in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if item.is_dir():
            found += _below(item, f"{prefix}/{item.name}")
            continue
        media = _TYPES.get(item.name.rpartition(".")[2])
        if media is not None:
            data = item.read_bytes()
            tag = f'"{hashlib.sha256(data).hexdigest()[:20]}"'
            path = "/" if item.name == "index.html" else f"{prefix}/{item.name}"
            found.append(Asset(path, data, media, tag))
    return found


def page_routes() -> list[Route]:
    """Return a route for every file of the page."""
    return [Route(item.path, _answering(item), methods=["GET"]) for item in assets()]


def page_paths() -> list[str]:
    """Return what is served without a token."""
    return [item.path for item in assets()]


def _answering(asset: Asset) -> Callable[[Request], Awaitable[Response]]:
    headers = {**_HEADERS, "ETag": asset.tag}

    async def serve(request: Request) -> Response:
        request.scope["reverie.path"] = asset.path
        known = [tag.strip() for tag in request.headers.get("if-none-match", "").split(",")]
        if asset.tag in known or "*" in known:
            return Response(status_code=304, headers=headers)
        return Response(asset.data, media_type=asset.media, headers=headers)

    return serve
