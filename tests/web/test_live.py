"""Live: two pages in step, a reload in the middle of a task, and a daemon that goes and comes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from reverie.local.disk.locks import file_lock
from tests.daemon.processes import TOKEN

pytestmark = pytest.mark.slow


def test_two_pages_stay_in_step_whoever_writes(place, open_page):
    one, other = open_page(place, "#/memories"), open_page(place, "#/memories")
    one.locator("#line[data-open=true]").wait_for()
    other.locator("#line[data-open=true]").wait_for()
    one.keyboard.press("n")
    one.get_by_label("What should be remembered?").fill("The harbour opens at six")
    one.get_by_role("button", name="Remember it").click()
    other.locator("a.row", has_text="The harbour opens at six").wait_for()
    with place.memory() as memory:  # as the command line does
        memory.remember("The lighthouse is white", clean=True)
    one.locator("a.row", has_text="lighthouse").wait_for()
    other.locator("a.row", has_text="lighthouse").click()
    other.locator("#history").wait_for()
    place.ask("POST", "/workspace/memories/forget", {"query": "The lighthouse is white"})
    other.get_by_role("heading", name="This memory is not here").wait_for()
    one.get_by_text("1 memory", exact=True).wait_for()
    assert "remember" in one.locator("#said").inner_text()


def test_layers_and_trust_are_in_step_too(place, open_page):
    layers, context = open_page(place, "#/layers"), open_page(place, "#/context")
    context.locator("#line[data-open=true]").wait_for()
    layers.locator("#line[data-open=true]").wait_for()
    with place.memory() as memory:
        memory.layers.scaffold()
        memory.layers.change_working("add", "Active Tasks", "Split the solver")
    layers.locator(".layer", has_text="Split the solver").wait_for()
    place.ask("POST", "/workspace/trust", {"trusted": False})
    context.get_by_role("switch", checked=False).wait_for()


def test_a_reload_in_the_middle_of_a_task_loses_nothing(place, open_page):
    page = open_page(place, "#/activity")
    with place.memory() as memory:
        lock = Path(memory.workspace.state) / "write.lock"
    with file_lock(lock, wait=10, purpose="the test holds the task up"):
        page.keyboard.press("n")
        page.get_by_label("What should be remembered?").fill("The harbour opens at six")
        page.get_by_role("button", name="Remember it").click()
        page.locator("dialog .steps .now").wait_for()
        page.reload()
        page.locator(".tasks li", has_text="running").first.wait_for()
    page.locator(".tasks li", has_text="harbour").first.wait_for()
    page.goto(place.url + "/#/memories")
    page.locator("a.row", has_text="The harbour opens at six").wait_for()


def test_a_daemon_that_is_gone_is_said_so_and_the_page_goes_on_when_it_is_back(place, open_page):
    page = open_page(place, "#/memories")
    page.locator("#line[data-open=true]").wait_for()
    place.stop()
    # In the banner: a list that was on its way just then says it in its own place as well.
    page.locator("#banner").get_by_text("The daemon does not answer").wait_for()
    with place.memory() as memory:
        memory.remember("The ferry leaves at noon", clean=True)
    place.start()
    page.get_by_role("button", name="Try again").or_(page.locator("a.row")).first.click()
    page.goto(place.url + "/#/memories")
    page.locator("a.row", has_text="ferry").wait_for()
    page.locator("#line[data-open=true]").wait_for()
    assert page.locator(".banner").count() == 0


def test_a_token_that_is_no_longer_right_leads_back_to_the_form(place, open_page):
    page = open_page(place)
    page.evaluate("() => sessionStorage.setItem('reverie.token', 'old')")
    page.reload()
    page.get_by_text("This token is not right").wait_for()
    page.goto(f"{place.url}/#token={TOKEN}")
    page.locator("#title").wait_for()
    assert TOKEN not in page.url
