"""Take the pictures of the page in docs/images again: every view, light and dark, made-up memory.

Usage: python scripts/screenshots.py [VIEW...]
"""

from __future__ import annotations

import os
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from browser import HELP, find  # noqa: E402
from playwright.sync_api import Page, sync_playwright  # noqa: E402

from reverie.memory import Memory  # noqa: E402
from reverie.types import TextPart, TurnMessage  # noqa: E402
from tests.daemon.processes import TOKEN, Process  # noqa: E402

FLAGS = [
    "--no-sandbox", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run", "--disable-quic", "--disable-gpu",
]  # fmt: skip
SIZE = {"width": 1200, "height": 800}
FACTS = (
    (40, "user", "I am Mara, I write Go and Python and live in Lisbon"),
    (38, "user", "I prefer short answers with one example. Why: I read them on my phone"),
    (33, "project", "We deploy only on Tuesdays. Why: the on-call rota changes on Wednesday"),
    (33, "project", "Use pnpm, never npm. Why: the lock file broke twice in March"),
    (29, "project", "The staging database is at https://db.staging.example.org/console"),
    (24, "user", "Never write comments that repeat the code"),
    (21, "project", "The harbour release is due on 14 June 2027. Why: the contract with the port ends"),
    (21, "project", "Latency dashboards are at https://grafana.example.org/d/harbour"),
    (14, "project", "Integration tests must use a real database. Why: a mocked one hid the failed migration"),
    (9, "user", "喜欢用中文讨论设计, 代码注释用英文"),
    (6, "project", "Tide tables come from the port authority every six hours"),
    (2, "project", "Feature flags live in flags.toml, one owner per flag"),
)  # fmt: skip


def seed(home: Path, project: Path) -> None:
    """Fill a memory as a few weeks of work would."""
    now = datetime.now(UTC)
    (project / ".git").mkdir(parents=True)
    (project / "docs").mkdir()
    (project / "REVERIE.md").write_text(
        "# Harbour\n\nA scheduler for tugboats.\n\n@./docs/style.md\n\n@./docs/terms.md\n\n@./docs/old.md\n"
    )
    (project / "docs" / "style.md").write_text(
        "# Style\n\nTabs in Go, four spaces in Python.\n\n@./names.md\n"
    )
    (project / "docs" / "names.md").write_text("Boats are named in lower case: `tug-7`.\n")
    (project / "docs" / "terms.md").write_text(
        "# Terms\n\n" + "A berth is where a ship lies. " * 12 + "\n"
    )
    for days, scope, text in FACTS:
        with Memory.open(
            project, home=home, clock=lambda at=now - timedelta(days=days): at
        ) as memory:
            memory.remember(text, scope=scope, clean=True)
    with Memory.open(project, home=home, clock=lambda: now - timedelta(days=1)) as memory:
        memory.layers.scaffold()
        memory.layers.change_working("add", "Active Tasks", "Berth planner: split the solver")
        memory.layers.change_working("add", "Current Priorities", "Harbour release before 14 June")
        for title, words in (
            ("Tides", "Tides decide when a deep ship may pass. See [[Berths]] and [[Pilots]]."),
            ("Berths", "A berth has a depth; see [[Depth]]."),
            ("Pilots", "Pilots board at the outer buoy. [[Tides]] matter to them."),
            ("Depth", "Measured at low water, see [[Tides]]."),
            ("Tugboats", "Two for every ship over 200 m, see [[Pilots]] and [[Berths]]."),
            ("Harbour map", "Start here: [[Tides]], [[Berths]], [[Tugboats]], [[Pilots]]."),
            ("Solver", "Integer program over [[Berths]] and [[Tugboats]]."),
        ):
            memory.layers.add_note(words, title=title, folder="zettel", tags=["harbour"])
        said = (
            ("When may I deploy?", "On Tuesdays only, because the rota changes on Wednesday."),
            ("And where are the dashboards?", "At grafana.example.org, under *harbour*."),
        )
        for asked, answered in said:
            memory.layers.append(
                [
                    TurnMessage("user", (TextPart(asked),)),
                    TurnMessage("assistant", (TextPart(answered),)),
                ],
                session="s-17",
                at=now - timedelta(days=1),
            )
        memory.recall("when may I deploy?")
        memory.extract(
            [{"role": "user", "content": "Remember: we always squash before merging"}],
            session="s-17",
        )
        memory.dream(force=True)


def shots(page: Page, base: str, view: str) -> None:
    """Go where a view is, and wait until it is drawn."""
    places = {
        "memory": "#/memories?q=Tuesdays",
        "search": "#/search?q=when+may+we+deploy",
        "notes": "#/layers/notes",
        "history": "#/layers/history",
    }
    page.goto(f"{base}/{places.get(view, f'#/{view}')}")
    page.locator("#title").wait_for()
    if view == "memory":
        page.locator("a.row").first.click()
        page.locator("#history").wait_for()
    if view == "activity":
        page.locator("li.run summary").first.click()
        page.locator(".diff").first.wait_for()
    if view == "dream":
        page.goto(f"{base}/#/overview")
    page.wait_for_function("() => !document.querySelector('.loading')")
    page.evaluate("() => scrollTo(0, 0)")


def squeeze(path: Path) -> None:
    """Make a picture small, where Pillow is at hand."""
    try:
        from PIL import Image
    except ImportError:
        return
    with Image.open(path) as picture:
        picture.convert("P", palette=Image.Palette.ADAPTIVE, colors=128).save(path, optimize=True)


def main() -> None:
    """Take all pictures, or those named."""
    browser_path = find()
    if browser_path is None:
        raise SystemExit(HELP)
    every = ["overview", "memories", "memory", "search", "context", "layers", "history", "notes",
             "activity", "settings"]  # fmt: skip
    wanted = sys.argv[1:] or every
    target = Path(os.environ.get("SHOTS", ROOT / "docs" / "images"))
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        home, project = Path(folder, "home"), Path(folder, "harbour")
        seed(home, project)
        browser = playwright.chromium.launch(executable_path=browser_path, args=FLAGS)
        with Process(project, home) as daemon:
            base = daemon.facts["url"]
            for theme in ("light", "dark"):
                page = browser.new_page(viewport=SIZE, color_scheme=theme)
                page.on("console", lambda message: print(message.text, file=sys.stderr))
                page.on("pageerror", lambda error: print(error, file=sys.stderr))
                page.goto(f"{base}/#token={TOKEN}")
                page.locator("#title").wait_for()
                for view in wanted:
                    shots(page, base, view)
                    path = target / f"{view}-{theme}.png"
                    page.screenshot(path=path)
                    squeeze(path)
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
