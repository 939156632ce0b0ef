import json, socket, itertools, sys
import pytest
from tests.daemon.conftest import *  # fixtures
from tests.conftest import *

WEIRD = [
    None,
    5,
    -1,
    1.5,
    1e308,
    True,
    "",
    " ",
    "\x00",
    "a\x00b",
    "\ud800",
    "..",
    "../../etc/passwd",
    "/etc/passwd",
    "user/../../x.md",
    "x" * 5000,
    "é" * 300,
    [],
    {},
    [[]],
    [None],
    [5],
    ["\ud800"],
    ["\x00"],
    {"a": 1},
    "user",
    "project",
    "C:\\x",
    "MEMORY.md",
    "memory.md",
    ".",
    "%00",
    "a\nb",
]


def test_fuzz(daemon):
    from reverie.daemon.app import ENDPOINTS

    daemon.post("/workspace/remember", {"content": "I like tea"})
    bad = []
    n = 0
    for e in ENDPOINTS:
        if e.media != "application/json" or "shutdown" in e.path:
            continue
        path = e.path.replace("{task}", "%00").replace("{id}", "x")
        import re

        path = re.sub(r"\{[^}]+\}", "x", path)
        if e.method == "GET":
            names = [p.name for p in e.params if p.where == "query"]
            for name in names:
                base = {"scope": "user", "rel": "user/a.md", "run": "a", "name": "a"}
                for w in WEIRD:
                    if not isinstance(w, str):
                        continue
                    from urllib.parse import quote

                    q = "&".join(
                        f"{k}={quote(v.encode('utf-8', 'surrogatepass'))}"
                        for k, v in {
                            **{k: v for k, v in base.items() if k in names},
                            name: w,
                        }.items()
                    )
                    r = daemon.get(f"{path}?{q}")
                    n += 1
                    if r.status_code >= 500:
                        bad.append((path, q[:80], r.status_code, r.text[:200]))
        else:
            props = list((e.body or {}).get("properties", {}))
            base = {
                "scope": "user",
                "rel": "user/i-like-tea.md",
                "text": "x",
                "base": "x",
                "query": "x",
                "content": "x",
                "session": "s",
                "messages": [{"role": "user", "content": "x"}],
                "run": "x",
                "name": "x",
                "ids": ["x"],
            }
            for name in props:
                for w in WEIRD:
                    body = {**{k: v for k, v in base.items() if k in props}, name: w}
                    try:
                        r = daemon.ask(e.method, path, body)
                    except Exception as x:
                        bad.append((path, name, repr(w)[:40], repr(x)[:200]))
                        continue
                    n += 1
                    if r.status_code >= 500:
                        bad.append((path, name, repr(w)[:40], r.status_code, r.text[:200]))
            for raw in (b"[]", b"5", b"null", b"{", b"\xff", b'{"a":' + b"[" * 100000):
                try:
                    r = daemon.ask(e.method, path, raw)
                    n += 1
                except Exception as x:
                    print("RAWX", path, raw[:10], repr(x)[:100])
                    continue
                if r.status_code >= 500:
                    bad.append((path, raw[:10], r.status_code, r.text[:200]))
    print("requests", n)
    for b in bad:
        print("BAD", b)


def raw(port, data):
    s = socket.create_connection(("127.0.0.1", port), timeout=5)
    s.sendall(data)
    s.settimeout(5)
    out = b""
    try:
        while p := s.recv(65536):
            out += p
    except OSError:
        pass
    s.close()
    return out


def test_raw(daemon):
    H = f"Host: 127.0.0.1:{daemon.port}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n".encode()
    NH = f"Host: 127.0.0.1:{daemon.port}\r\nConnection: close\r\n\r\n".encode()
    for line in (
        b"GET /workspaces/x/\xff HTTP/1.1\r\n",
        b"GET /workspaces/%ff/overview HTTP/1.1\r\n",
        b"GET /workspaces/%00/overview HTTP/1.1\r\n",
        b"GET /workspaces/\xff/overview HTTP/1.1\r\n",
        b"GET //workspaces/x/overview HTTP/1.1\r\n",
        b"GET /workspaces//overview HTTP/1.1\r\n",
        b"GET /workspaces/..%2f..%2fetc/overview HTTP/1.1\r\n",
        b"GET http://evil/workspaces/x HTTP/1.1\r\n",
        b"OPTIONS * HTTP/1.1\r\n",
        b"GET /workspaces/" + b"%F0%9F" * 2000 + b"/overview HTTP/1.1\r\n",
        b"GET /mcp?surface=%ff HTTP/1.1\r\n",
        b"DELETE /mcp HTTP/1.1\r\n",
    ):
        o = raw(daemon.port, line + H)
        print(line[:50], o[:15], o[-160:] if b"500" in o[:15] or not o else b"")
    for line in (
        b"GET /%2e/workspace/overview HTTP/1.1\r\n",
        b"GET /assets/../workspace/overview HTTP/1.1\r\n",
        b"GET /health/ HTTP/1.1\r\n",
        b"GET /workspace/overview?/ HTTP/1.1\r\n",
        b"GET / HTTP/1.1\r\n",
        b"GET /assets/app.js%00 HTTP/1.1\r\n",
        b"GET /openapi.json HTTP/1.1\r\n",
        b"GET /mcp HTTP/1.1\r\n",
        b"GET /metrics HTTP/1.1\r\n",
        b"GET /capabilities HTTP/1.1\r\n",
    ):
        o = raw(daemon.port, line + NH)
        print("no token", line[:50], o[:15])
    # duplicate auth headers / host
    o = raw(daemon.port, b"GET /workspace/overview HTTP/1.1\r\nHost: evil\r\n" + H)
    print("two hosts", o[:15])
    o = raw(
        daemon.port,
        b"GET /workspace/overview HTTP/1.1\r\nOrigin: http://evil\r\nOrigin: http://127.0.0.1:%d\r\n"
        % daemon.port
        + H,
    )
    print("two origins", o[:15])
    o = raw(
        daemon.port,
        b"GET /workspace/overview HTTP/1.1\r\nOrigin: http://127.0.0.1:%d\r\nOrigin: http://evil\r\n"
        % daemon.port
        + H,
    )
    print("two origins", o[:15])
    o = raw(
        daemon.port,
        b"GET /workspace/overview HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer \xff\xfe\r\nConnection: close\r\n\r\n"
        % daemon.port,
    )
    print("weird token", o[:15])
    r = daemon.http.request("HEAD", "/events", headers={"Authorization": f"Bearer {TOKEN}"})
    print(r.status_code)
