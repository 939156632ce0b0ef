"""Ten thousand memories: the list draws what is in sight, jumps anywhere, and filters at once."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

COUNT = 10_000
KINDS = ("user", "feedback", "project", "reference")


@pytest.fixture(scope="module")
def many(shared_place):
    """Written as files, as another agent would have left them."""
    with shared_place.memory() as memory:
        root = memory.workspace.project_memory
    for kind in KINDS:
        Path(root, kind).mkdir(parents=True, exist_ok=True)
    for number in range(COUNT):
        kind = KINDS[number % 4]
        text = (
            f"---\nname: Memory {number:05d}\ndescription: about buoy {number}\ntype: {kind}\n---\n\n"
            f"Buoy {number} is painted in colour {number % 97}.\n"
        )
        Path(root, kind, f"m-{number:05d}.md").write_text(text)
    return shared_place


def test_ten_thousand_memories_scroll_and_filter_smoothly(many, open_page):
    page = open_page(many, "#/memories?order=name")
    page.get_by_text("10,000 memories").wait_for(timeout=60_000)
    page.locator("a.row", has_text="Memory 00000").wait_for()
    assert page.locator(".slot").count() < 40
    for share in (0.5, 0.25, 0.9):
        page.evaluate("(share) => scrollTo(0, document.body.scrollHeight * share)", share)
    page.evaluate("() => scrollTo(0, document.body.scrollHeight)")
    page.locator("a.row", has_text="Memory 09999").wait_for()
    assert page.locator(".slot").count() < 40
    most = page.evaluate(
        """async () => {
          let most = 0;
          for (let step = 0; step < 60; step += 1) {
            scrollBy(0, -700);
            await new Promise(requestAnimationFrame);
            await new Promise(requestAnimationFrame);
            most = Math.max(most, document.querySelectorAll(".slot").length);
          }
          return most;
        }"""
    )
    assert most < 40
    page.get_by_role("searchbox").fill("buoy 7777")
    page.get_by_text("1 memory", exact=True).wait_for()
    page.locator("a.row", has_text="Memory 07777").click()
    page.locator("#body", has_text="Buoy 7777 is painted").wait_for()


def test_the_overview_of_ten_thousand_says_why_health_is_not_checked(many, open_page):
    page = open_page(many)
    page.locator("a.figure strong", has_text="10,000").wait_for(timeout=60_000)
    page.get_by_text("With 10,000 memories the check takes a while").wait_for()
