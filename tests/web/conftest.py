"""A browser for each module, a daemon as a process of its own, and pages that must not misbehave."""

from __future__ import annotations

import importlib.util
import json
import shutil
import socket
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reverie.memory import Memory
from tests.conftest import NO_MODEL
from tests.daemon.processes import TOKEN, Process

ROOT = Path(__file__).parents[2]
TIMEOUT = 20_000
FLAGS = [
    "--no-sandbox", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run", "--disable-quic", "--disable-gpu", "--disable-dev-shm-usage",
]  # fmt: skip


def chromium() -> str:
    """Find the browser; `make test` has installed it."""
    spec = importlib.util.spec_from_file_location("browser", ROOT / "scripts" / "browser.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.find()
    if found is None:
        pytest.fail(module.HELP)
    return found


@pytest.fixture(scope="module")  # longer, its event loop would be in the way of other tests
def browser() -> Iterator[object]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield running
        running.close()


class Place:
    """A project, a home and the daemon that serves them; it can be stopped and started again."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "base"
        self.project = root / "project"
        (self.project / ".git").mkdir(parents=True)
        self._port = 0
        self.daemon: Process | None = None

    def start(self) -> None:
        """Start the daemon, after the first time at the same port."""
        if not self._port:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                self._port = probe.getsockname()[1]
        env = {
            **NO_MODEL,
            "REVERIE_SERVER_TOKEN": TOKEN,
            "HOME": str(self.root),
            "REVERIE_HOME": "",
        }
        self.daemon = Process(self.project, self.home, "--port", str(self._port), env=env)

    def stop(self) -> None:
        if self.daemon is not None:
            self.daemon.__exit__()
            self.daemon = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def memory(self) -> Memory:
        return Memory.open(self.project, home=self.home)

    def ask(self, method: str, path: str, body: object = None) -> object:
        """Ask the daemon without the page."""
        request = urllib.request.Request(  # noqa: S310  # our own daemon
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as response:  # noqa: S310
            return json.loads(response.read())


@pytest.fixture(scope="module")
def shared_place() -> Iterator[Place]:
    """A daemon for the tests of one module."""
    root = Path(tempfile.mkdtemp(prefix="reverie-web-"))
    place = Place(root)
    place.start()
    yield place
    place.stop()
    shutil.rmtree(root, ignore_errors=True)


@pytest.fixture
def place(shared_place: Place) -> Place:
    """The module's daemon with an empty memory."""
    with shared_place.memory() as memory:
        for topic in memory.store.topics():
            Path(topic.path).unlink()
        memory.store.notice_edits()
        memory.store.rebuild_catalogs()
    shared_place.ask("POST", "/workspace/trust", {"trusted": None})
    for path in shared_place.project.glob("*.md"):
        path.unlink()
    return shared_place


@pytest.fixture
def open_page(browser) -> Iterator[Callable[..., object]]:
    """Return a function that opens the page signed in; scripts, dialogs and the policy are watched."""
    contexts = []
    troubles: list[str] = []

    def opener(place: Place, hash_: str = "#/overview", *, token: str = TOKEN, **options: object):
        context = browser.new_context(locale=options.pop("locale", "en-GB"), **options)
        context.set_default_timeout(TIMEOUT)
        contexts.append(context)
        page = context.new_page()
        page.on(
            "dialog", lambda dialog: (troubles.append(f"dialog {dialog.message}"), dialog.dismiss())
        )
        page.on("pageerror", lambda error: troubles.append(f"error {error}"))
        page.on("console", lambda message: note(message.text))
        page.on("request", lambda sent: watch(sent.url, place.url))
        if token:
            page.goto(f"{place.url}/#token={token}&{hash_.removeprefix('#')}")
            page.locator("#title").wait_for()
        else:
            page.goto(f"{place.url}/{hash_}")
        return page

    def note(text: str) -> None:
        if "Content Security Policy" in text or "TrustedHTML" in text or "Trusted" in text:
            troubles.append(text)

    def watch(url: str, own: str) -> None:
        if not url.startswith((own, "data:", "blob:")):
            troubles.append(f"asked for {url}")
        if TOKEN in url:
            troubles.append("the token was sent in an address")

    yield opener
    for context in contexts:
        context.close()
    assert not troubles
