"""No serious finding of axe in any view or dialog, by day and by night."""

from __future__ import annotations

import pytest

from reverie.core.text.plain import digest
from tests.npm import package

pytestmark = pytest.mark.slow

PACKAGE = "axe-core@4.14.0"
INTEGRITY = (
    "9WTZxEjsZ7b13TH8JPmbV2z8CHbl80/2hm3XPEG4JgNdQLK81IBRXmSxHfMAOkSqQeRxT/0dwNDz2GOm3zzpcQ=="
)
LONG = "The tide table of the harbour is made anew every day, and it is long. " * 60
# What scrolls is a stop for the keyboard once its size is known, and that is told when it was drawn.
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
VIEWS = ["overview", "memories", "search?q=harbour", "context", "layers", "layers/history",
         "layers/notes", "activity", "settings"]  # fmt: skip


@pytest.fixture(scope="module")
def axe() -> str:
    """The scanner from the registry."""
    folder = package(PACKAGE, integrity=INTEGRITY, folder="axe")
    return (folder / "axe.min.js").read_text(encoding="utf-8")


def findings(page, script: str) -> list[str]:
    """Run axe over the page as it stands; evaluation is the debugger's, not the page's policy."""
    if page.evaluate("() => typeof window.axe") != "object":
        page.evaluate(script)
    found = page.evaluate(
        "() => axe.run(document, { resultTypes: ['violations'], iframes: false })"
    )
    return [
        f"{item['id']} ({item['impact']}): {node['html'][:160]} {node['failureSummary'][:200]}"
        for item in found["violations"]
        if item["impact"] in ("serious", "critical")
        for node in item["nodes"][:3]
    ]


def extend(memory, words: str, more: str) -> None:
    (topic,) = [item for item in memory.store.topics() if words in item.text]
    text = topic.text.rstrip("\n") + f"\n\n{more}\n"
    memory.edit(topic.scope, topic.rel, text, base=digest(topic.text))


def fill(place) -> None:
    (place.project / "style.md").write_text("Two spaces.\n")
    (place.project / "REVERIE.md").write_text("# Rules\n\n@./style.md\n\n@./gone.md\n")
    with place.memory() as memory:
        memory.layers.scaffold()
        memory.remember("I prefer short answers", scope="user", clean=True)
        extend(memory, "short answers", "I prefer short answers")  # so that there is a dream
        memory.remember("The harbour opens at six. Why: the tide", clean=True)
        extend(memory, "harbour", f"- {LONG}\n- {LONG.upper()}")
        memory.layers.add_note("Bread needs time.", title="Bread")
        memory.layers.add_note("See [[Bread]].", title="Dough")
    said = [{"role": "user", "content": "Hello?"}, {"role": "assistant", "content": LONG}]
    place.ask("POST", "/workspace/history", {"messages": said})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_view_or_dialog_has_a_serious_finding(place, open_page, axe, scheme):
    fill(place)
    page = open_page(place, color_scheme=scheme)
    trouble: dict[str, list[str]] = {}

    def scan(name: str) -> None:
        page.wait_for_function("() => !document.querySelector('.loading')")
        page.evaluate(DRAWN)
        if found := findings(page, axe):
            trouble[name] = found

    for number in range(8):  # so many events that their list scrolls
        place.ask("POST", "/workspace/memory/remember", {"content": f"Step {number} of the tour"})
    for view in VIEWS:
        page.goto(f"{place.url}/#/{view}")
        page.locator(f".view-{view.partition('/')[0].partition('?')[0]} #title").wait_for()
        if view == "activity":
            page.wait_for_function(
                "() => [...document.querySelectorAll('.feed')].some((node) =>"
                " node.scrollHeight > node.clientHeight)"
            )
        scan(view)
    page.goto(f"{place.url}/#/memories")
    page.locator("a.row", has_text="harbour").click()
    page.locator("li.run summary").first.click()
    page.locator(".diff").first.wait_for()
    scan("memory")
    page.get_by_role("button", name="Edit", exact=True).click()
    page.locator("textarea").fill("---\ntype: user\n---\nchanged")
    page.get_by_role("button", name="Changes", exact=True).click()
    scan("editor")
    page.goto(f"{place.url}/#/overview")
    page.locator(".view-overview #title").wait_for()
    for key in ("?", "n"):
        page.keyboard.press(key)
        page.locator("dialog").wait_for()
        scan(f"dialog {key}")
        page.keyboard.press("Escape")
        page.locator("dialog").wait_for(state="detached")
    page.get_by_role("button", name="Forget").click()
    page.get_by_role("searchbox", name="What should be forgotten?").fill("harbour six")
    page.keyboard.press("Enter")
    page.locator(".pick").first.wait_for()
    scan("forget")
    page.get_by_text("Show as a diff").click()
    page.locator("dialog .diff .removed").first.wait_for()
    page.get_by_role("button", name="Erase for good…").click()
    page.locator("dialog .warn").wait_for()
    scan("forget for good")
    page.locator("dialog footer").get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Forget, can be undone").click()
    page.locator("dialog", has_text="Receipt").get_by_text("retired").wait_for()
    scan("receipt")
    page.get_by_role("button", name="Close").first.click()
    page.locator("dialog").wait_for(state="detached")
    page.get_by_role("button", name="Dream").click()
    page.locator("dialog .ops li").first.wait_for()
    scan("dream plan")
    page.get_by_role("button", name="Dream now").click()
    page.locator("dialog .done", has_text="Done.").first.wait_for()
    scan("dream done")
    page.get_by_role("button", name="Close").first.click()
    page.locator("dialog").wait_for(state="detached")
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Token").wait_for()
    scan("sign-in")
    assert not trouble
