"""Every view and every action of the page, in a browser, against a daemon of its own."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from tests.daemon.processes import TOKEN

pytestmark = pytest.mark.slow


def remember(place, *texts: str, **more: object) -> None:
    with place.memory() as memory:
        for text in texts:
            memory.remember(text, clean=True, **more)


def toast(page, words: str | re.Pattern[str]) -> None:
    page.locator(".toast", has_text=words).wait_for()


def open_memory(page, words: str) -> None:
    page.goto(page.url.partition("#")[0] + "#/memories")
    page.get_by_role("searchbox").fill(words)
    page.locator("a.row", has_text=words).first.click()
    page.locator("#history").wait_for()


# --- the token --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "title"),
    [("#/toString", "Overview"), ("#/memory/user/%E0%A4", "This memory is not here")],
)
def test_an_address_of_somebodys_own_making_leads_to_a_view(place, open_page, address, title):
    page = open_page(place, address)
    assert page.locator("#title").inner_text() == title


def test_the_token_leaves_the_address_at_once_and_a_reload_keeps_it(place, open_page):
    page = open_page(place)
    assert TOKEN not in page.url
    assert page.evaluate("() => history.length") <= 2
    assert page.evaluate("() => localStorage.getItem('reverie.token')") is None
    page.reload()
    page.locator("#title").wait_for()


def test_without_a_token_or_with_a_wrong_one_there_is_a_form(place, open_page):
    page = open_page(place, token="")
    field = page.get_by_label("Token")
    field.fill("wrong")
    page.get_by_role("button", name="Open my memory").click()
    page.get_by_text("This token is not right").wait_for()
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_label("Keep me signed in").check()
    page.get_by_role("button", name="Open my memory").click()
    page.locator("#title").wait_for()
    assert page.evaluate("() => localStorage.getItem('reverie.token')") == TOKEN
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Token").wait_for()
    assert page.evaluate("() => localStorage.getItem('reverie.token')") is None


# --- views ------------------------------------------------------------------------------------


def test_the_overview_of_an_empty_memory_invites_and_of_a_full_one_counts(place, open_page):
    page = open_page(place)
    page.get_by_role("heading", name="Nothing is remembered yet.").wait_for()
    remember(place, "We deploy only on Tuesdays", "The wiki is at https://wiki.example.org/start")
    page.locator("a.figure strong", has_text="2").first.wait_for()
    assert "now 2" in page.locator("svg.plot").get_attribute("aria-label")
    page.get_by_text("Nothing is off.").wait_for()
    page.get_by_role("link", name="Reference").click()
    page.locator("a.row").wait_for()
    assert page.locator("a.row").count() == 1


def test_the_growth_of_the_first_day_can_be_seen(place, open_page):
    """Not a line straight up at the edge: today has a width, and the days before it have a date."""
    remember(place, "We deploy only on Tuesdays", "The wiki is at https://wiki.example.org/start")
    page = open_page(place)
    first, last = page.locator("svg.plot .axis").all_text_contents()[-2:]
    assert first < last == datetime.now(UTC).date().isoformat()
    filled = """(node) => {
        const { x, y, width, height } = node.getBBox();
        return [0.1, 0.5, 0.9, 0.99].map((share) =>
            node.isPointInFill(new DOMPoint(x + share * width, y + height / 2)));
    }"""
    assert page.locator("svg.plot .area.project").evaluate(filled) == [False, False, True, True]


def test_memories_are_filtered_and_one_shows_its_reason_and_where_it_came_from(place, open_page):
    remember(place, "Pilots board only on **Mondays**. Why: the rota changes on Wednesday")
    remember(place, "I prefer short answers", scope="user")
    page = open_page(place, "#/memories")
    page.get_by_text("2 memories", exact=True).wait_for()
    page.get_by_label("Scope").select_option("user")
    page.get_by_text("1 memory", exact=True).wait_for()
    page.get_by_label("Scope").select_option("")
    page.get_by_role("searchbox").fill("nothing like it")
    page.get_by_text("No memory fits.").wait_for()
    page.get_by_role("searchbox").fill("mondays")
    page.locator("a.row").click()
    body = page.locator("#body")
    assert body.locator("strong").inner_text() == "Mondays"
    assert "rota changes" in body.inner_text()
    assert "Came with remember" in body.inner_text()
    page.locator("li.run summary").click()
    page.locator(".diff .added", has_text="Mondays").first.wait_for()


def test_editing_previews_saves_and_can_be_undone(place, open_page):
    remember(place, "The ferry leaves on Thursdays")
    page = open_page(place)
    open_memory(page, "ferry")
    page.get_by_role("button", name="Edit", exact=True).click()
    area = page.get_by_role("textbox", name="Text of the memory")
    before, _, _ = area.input_value().rpartition("Thursdays")
    area.fill(f"{before}*Fridays*\n")
    assert page.locator(".pane em").inner_text() == "Fridays"
    page.get_by_role("button", name="Changes", exact=True).click()
    assert page.locator(".pane .added").count() == 1
    page.get_by_role("button", name="Save", exact=True).click()
    page.locator("#body em", has_text="Fridays").wait_for()
    page.locator(".toast").get_by_role("button", name="Undo").click()
    page.locator("#body", has_text="Thursdays").wait_for()
    page.locator("li.run").nth(2).wait_for()


def test_an_edit_of_what_changed_meanwhile_is_a_conflict_to_decide(place, open_page):
    remember(place, "We deploy only on Tuesdays")
    page = open_page(place)
    open_memory(page, "Tuesdays")
    page.get_by_role("button", name="Edit", exact=True).click()
    area = page.get_by_role("textbox", name="Text of the memory")
    area.fill(area.input_value() + "\nMine.\n")
    with place.memory() as memory:
        (topic,) = memory.store.topics()
        from reverie.core.text.plain import digest

        memory.edit(topic.scope, topic.rel, topic.text + "\nTheirs.\n", base=digest(topic.text))
    page.get_by_text("Somebody changed this while you were writing").wait_for()
    assert page.locator(".failure .added", has_text="Theirs.").count() == 1
    assert "Mine." in area.input_value()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Somebody changed this while you were writing").wait_for()
    page.get_by_role("button", name="Write mine over it").click()
    page.locator("#body", has_text="Mine.").wait_for()


def test_a_memory_is_pinned_and_let_go(place, open_page):
    remember(place, "We deploy only on Tuesdays")
    page = open_page(place)
    open_memory(page, "Tuesdays")
    page.get_by_role("button", name="Pin", exact=True).click()
    page.get_by_role("button", name="Unpin").wait_for()
    assert "/pinned/" in page.url
    page.get_by_role("button", name="Unpin").click()
    page.get_by_role("button", name="Pin", exact=True).wait_for()


def test_search_marks_the_words_and_explains_the_score(place, open_page):
    remember(place, "We deploy only on Tuesdays", "The printer is on floor three")
    page = open_page(place, "#/search")
    page.get_by_role("searchbox").fill("when do we deploy")
    page.keyboard.press("Enter")
    hit = page.locator(".hit").first
    hit.locator("mark", has_text="deploy").first.wait_for()
    assert hit.inner_text().count("only on Tuesdays") == 1, "neither as title nor as name again"
    hit.get_by_text("Why this score?").click()
    assert re.search(r"\d+ %", hit.locator("dl").inner_text())
    hit.locator("button.path").click()
    page.locator("dialog .here mark").first.wait_for()
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(
        state="hidden"
    )  # until then nothing behind it can be typed into
    page.get_by_role("searchbox").fill("xyzzy plugh")
    page.keyboard.press("Enter")
    page.get_by_text("Nothing answers that.").wait_for()


def test_the_context_is_a_tree_with_a_switch_for_trust(place, open_page):
    (place.project / "style.md").write_text("Two spaces.\n")
    (place.project / "REVERIE.md").write_text("# Rules\n\n@./style.md\n\n@./gone.md\n")
    page = open_page(place, "#/context")
    page.locator(".tree .tree ul, .tree ul .leaf", has_text="style.md").first.wait_for()
    page.get_by_text("there is no file").wait_for()
    switch = page.get_by_role("switch")
    assert switch.get_attribute("aria-checked") == "true"
    switch.click()
    page.get_by_role("switch", checked=False).wait_for()
    page.get_by_text("No context file is loaded").wait_for()
    page.get_by_role("switch").click()
    page.get_by_role("switch", checked=True).wait_for()


def test_core_and_working_memory_are_edited_history_and_notes_are_shown(place, open_page):
    with place.memory() as memory:
        memory.layers.scaffold()
        memory.layers.add_note("Bread needs time.", title="Bread")
        memory.layers.add_note("See [[Bread]].", title="Dough")
    said = [{"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "*Good* day."}]
    place.ask("POST", "/workspace/history", {"messages": said})
    page = open_page(place, "#/layers")
    page.get_by_role("button", name="Edit: working/WORKING_MEMORY.md").click()
    area = page.get_by_role("textbox", name="working/WORKING_MEMORY.md")
    area.fill(area.input_value() + "\nThe planner is half done.\n")
    page.get_by_role("button", name="Save", exact=True).click()
    page.locator(".layer", has_text="The planner is half done.").wait_for()
    page.get_by_role("link", name="History").click()
    page.locator(".turn em", has_text="Good").first.wait_for()
    page.get_by_role("link", name="Notes").click()
    page.locator("svg.graph .edge").first.wait_for()
    page.locator("svg.graph").get_by_role("button", name="Dough").first.focus()
    page.keyboard.press("Enter")
    page.locator("dialog button.wiki", has_text="Bread").click()
    page.locator("dialog", has_text="Bread needs time.").wait_for()
    page.get_by_role("button", name="File it").click()
    page.locator("svg.graph .folder-zettel").first.wait_for()


def test_settings_say_where_a_value_came_from(place, open_page):
    page = open_page(place, "#/settings")
    page.get_by_role("searchbox").fill("recall.limit")
    row = page.locator(".settings > div")
    row.get_by_text("recall.limit", exact=True).wait_for()
    assert "default" in row.first.inner_text()


# --- actions ----------------------------------------------------------------------------------


def test_remembering_something_shows_it(place, open_page):
    page = open_page(place, "#/memories")
    page.keyboard.press("n")
    page.get_by_label("What should be remembered?").fill("The harbour opens at six")
    page.get_by_role("button", name="Remember it").click()
    toast(page, "harbour")
    page.locator("a.row", has_text="The harbour opens at six").wait_for()


def test_a_secret_is_refused_with_the_reason(place, open_page):
    page = open_page(place)
    page.keyboard.press("n")
    secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    page.get_by_label("What should be remembered?").fill(f"The token is {secret}")
    page.get_by_role("button", name="Remember it").click()
    page.locator("dialog .failure", has_text="secret").wait_for()
    assert secret.lower()[4:] not in page.locator("dialog .failure").inner_text().lower()
    assert secret in page.get_by_label("What should be remembered?").input_value()


def test_forgetting_shows_what_goes_then_retires_it_with_a_receipt_and_undo(place, open_page):
    remember(place, "We deploy only on Tuesdays", "The printer is on floor three")
    page = open_page(place, "#/memories")
    page.get_by_role("button", name="Forget").click()
    page.get_by_role("searchbox", name="What should be forgotten?").fill("printer floor")
    page.get_by_role("button", name="Preview").click()
    page.locator("dialog .pick", has_text="printer").first.wait_for()
    page.get_by_text("Show as a diff").click()
    page.locator("dialog .diff .removed", has_text="printer").first.wait_for()
    page.get_by_role("button", name="Forget, can be undone").click()
    page.locator("dialog", has_text="Receipt").get_by_text("retired").wait_for()
    page.get_by_text("1 memory", exact=True).wait_for()
    page.locator("dialog").get_by_role("button", name="Undo").click()
    page.get_by_text("2 memories", exact=True).wait_for()


def test_erasing_asks_twice_and_leaves_a_receipt_without_undo(place, open_page):
    remember(place, "We deploy only on Tuesdays")
    page = open_page(place)
    open_memory(page, "Tuesdays")
    page.get_by_role("main").get_by_role("button", name="Forget").click()
    page.get_by_role("button", name="Erase for good…").click()
    page.get_by_text("This cannot be undone").wait_for()
    page.get_by_role("button", name="Erase for good", exact=True).click()
    page.locator("dialog", has_text="no trace").wait_for()
    assert page.locator("dialog").get_by_role("button", name="Undo").count() == 0


def test_a_dream_shows_its_plan_runs_and_can_be_undone(place, open_page):
    remember(place, "We deploy only on Tuesdays")
    with place.memory() as memory:
        (topic,) = memory.store.topics()
        from reverie.core.text.plain import digest

        twin = topic.text.rstrip("\n") + "\n\nWe deploy only on Tuesdays\n"
        memory.edit(topic.scope, topic.rel, twin, base=digest(topic.text))
    page = open_page(place)
    page.get_by_role("button", name="Dream").click()
    page.locator("dialog .ops li").first.wait_for()
    page.locator("dialog .diff .removed").first.wait_for()
    page.get_by_role("button", name="Dream now").click()
    page.locator("dialog .done", has_text="Done.").first.wait_for()
    page.locator("dialog").get_by_role("button", name="Undo").click()
    toast(page, "Taken back")
    with place.memory() as memory:
        assert memory.store.topics()[0].text == twin


def test_activity_lists_runs_and_takes_one_back(place, open_page):
    remember(place, "The printer is on floor three")
    page = open_page(place, "#/activity")
    row = page.locator("li.run", has_text="printer").first
    row.locator("summary").click()
    row.locator(".diff .added").first.wait_for()
    row.get_by_role("button", name="Undo").click()
    toast(page, "Taken back")
    page.locator("li.run", has_text="undo").first.wait_for()
    page.locator(".feed li", has_text="undone").first.wait_for()
    with place.memory() as memory:
        assert not memory.store.topics()


# --- comfort ----------------------------------------------------------------------------------


def test_the_page_speaks_chinese_and_remembers_it(place, open_page):
    page = open_page(place, locale="zh-CN")
    assert page.locator("#title").inner_text() == "概览"
    page.get_by_role("button", name="English").click()
    assert page.locator("#title").inner_text() == "Overview"
    page.reload()
    page.locator("#title", has_text="Overview").wait_for()
    assert page.evaluate("() => document.documentElement.lang") == "en"


def test_light_and_dark_follow_the_system_or_the_switch(place, open_page):
    page = open_page(place, color_scheme="dark")
    shade = "() => getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(shade)
    page.get_by_role("button", name="Theme: system").click()
    light = page.evaluate(shade)
    assert light != dark
    page.get_by_role("button", name="Theme: light").click()
    assert page.evaluate(shade) == dark


def test_everything_is_reached_by_keys(place, open_page):
    remember(place, "We deploy only on Tuesdays", "The printer is on floor three")
    page = open_page(place)
    page.keyboard.press("?")
    page.get_by_role("dialog").get_by_text("This list").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("m")
    page.locator("a.row").nth(1).wait_for()
    assert page.evaluate("() => document.activeElement.id") == "title"
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate("() => document.activeElement.dataset.at") == "1"
    page.keyboard.press("Enter")
    page.locator("#history").wait_for()
    page.keyboard.press("/")
    page.get_by_role("searchbox", name="Search").wait_for()
    page.wait_for_function("() => document.activeElement.type === 'search'")
    page.goto(place.url + "/#/settings")
    page.locator("#title", has_text="Settings").wait_for()
    first = "() => document.querySelector('a, button, input, select, [tabindex]').focus()"
    page.evaluate(first)
    assert "Skip" in page.evaluate("() => document.activeElement.textContent")
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.id") == "main"


def test_a_narrow_screen_needs_no_scrolling_sideways(place, open_page):
    remember(place, "https://example.org/" + "a-very-long-address-without-any-space/" * 12)
    page = open_page(place, viewport={"width": 360, "height": 700})
    for view in ("overview", "memories", "context", "layers", "activity", "settings"):
        page.goto(f"{place.url}/#/{view}")
        page.locator(f".view-{view} #title").wait_for()
        page.wait_for_function("() => !document.querySelector('.loading')")
        wide = page.evaluate(
            """() => [...document.querySelectorAll("main *")]
                .filter((node) => node.getBoundingClientRect().right > innerWidth + 1)
                .filter((node) => !node.closest(".table, .diff, pre, svg"))
                .map((node) => node.outerHTML.slice(0, 200)).slice(0, 3)"""
        )
        assert not wide, view
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), view
        here = page.locator("nav [aria-current]").bounding_box()
        assert here is not None
        assert (here["x"] >= 0, here["x"] + here["width"] <= 360) == (True, True), view
    page.goto(f"{place.url}/#/activity")
    page.locator("li.run summary").first.click()
    diff, card = (page.locator(name).first.bounding_box() for name in (".diff", ".runs"))
    assert diff["width"] > 0.95 * card["width"]


def test_on_a_narrow_screen_what_is_to_be_forgotten_can_be_read(place, open_page):
    remember(place, "The printer is on the third floor, next to the kitchen")
    page = open_page(place, viewport={"width": 360, "height": 700})
    page.get_by_role("button", name="Forget").click()
    page.get_by_role("searchbox", name="What should be forgotten?").fill("printer floor")
    page.keyboard.press("Enter")
    text = page.locator("dialog .pick span").first
    text.wait_for()
    assert text.evaluate("(node) => node.scrollHeight <= node.clientHeight")


# --- what was heard ---------------------------------------------------------------------------


def test_what_was_heard_is_kept_dropped_and_brought_back(place, open_page):
    said = ["Our parser lives in src/parse.rs.", "Our mill runs on water."]
    with place.memory() as memory:
        memory.extract([{"role": "user", "content": " ".join(said)}], session="s1")
    page = open_page(place)
    card = page.locator("section[aria-labelledby=heard]")
    card.locator("li", has_text="parser").get_by_role("button", name="Keep").click()
    toast(page, "Kept.")
    card.locator("li", has_text="mill").get_by_role("button", name="Drop").click()
    toast(page, "Dropped")
    card.wait_for(state="hidden")
    with place.memory() as memory:
        assert [entry.summary for topic in memory.store.topics() for entry in topic.entries] == [
            "Our parser lives in src/parse.rs"
        ]
        assert memory.heard() == []
    page.locator(".toast", has_text="Dropped").get_by_role("button", name="Undo").click()
    card.locator("li", has_text="mill").wait_for()


def test_on_a_phone_every_view_is_in_sight_and_nothing_is_wider_than_the_screen(place, open_page):
    with place.memory() as memory:
        said = "The lexer lives in baobab/lex.rs."
        memory.extract([{"role": "user", "content": said}], session="s1")
    page = open_page(place, viewport={"width": 390, "height": 844})
    heard = page.locator(".heard li", has_text="lexer")
    heard.get_by_role("button", name="Keep").wait_for()
    right = page.evaluate(
        "Math.max(...[...document.querySelectorAll('nav a')].map(a => a.getBoundingClientRect().right))"
    )
    assert right <= 390
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    with place.memory() as memory:  # others have the same memory
        memory.drop_heard(*(item.id for item in memory.heard()))
