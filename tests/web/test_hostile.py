"""A memory full of hostile HTML and Markdown stays words: nothing runs, loads, moves or turns round."""

from __future__ import annotations

import pytest

from reverie.core.text.plain import digest

pytestmark = pytest.mark.slow

HOSTILE = """---
name: <img src=x onerror=alert(1)> \u202egnp.exe
description: "<script>alert('description')</script>"
type: project
---

<script>window.broken = 1; alert("script")</script>
<img src="http://evil.example/x.png" onerror="alert('img')">
<svg onload="alert('svg')"><animate onbegin="alert(2)" attributeName="x"/></svg>
<iframe srcdoc="<script>parent.broken = 1</script>"></iframe>
<a href="javascript:alert('a')">plain</a> <style>body { display: none }</style>

[click me](javascript:alert('md')) [data](data:text/html,<script>alert(3)</script>)
[tab](java\tscript:alert(4)) [file](file:///etc/passwd) [good](https://example.org/a_(b))
![picture](http://evil.example/pixel.png) <javascript:alert(5)>
[[<img src=x onerror=alert(6)>]] `<script>alert(7)</script>` **<b onclick=alert(8)>bold</b>**

| <img src=x onerror=alert(9)> | b |
|---|---|
| [x](vbscript:msgbox(1)) | \u2067turned\u2069 |

> [nested](javascript:alert(10))

- [ ] <details open ontoggle=alert(11)>
"""
HUGE = "word " * 40_000 + "[" * 20_000 + "*" * 20_000 + "`" * 20_001


def test_nothing_in_a_memory_runs_loads_or_leads_astray(place, open_page):
    with place.memory() as memory:
        memory.remember("A placeholder about hostility", name="hostile", clean=True)
        (topic,) = memory.store.topics()
        memory.edit(topic.scope, topic.rel, HOSTILE, base=digest(topic.text))
        memory.layers.add_note(
            HOSTILE.partition("---\n\n")[2], title="<img src=x onerror=alert(12)>"
        )
    page = open_page(place, "#/memories")
    row = page.locator("a.row")
    row.wait_for()
    assert "<img src=x onerror=alert(1)>" in row.inner_text()
    assert "⟨U+202E⟩" in row.inner_text()
    row.click()
    body = page.locator("#body")
    body.wait_for()
    text = body.inner_text()
    assert '<script>window.broken = 1; alert("script")</script>' in text
    assert "⟨U+2067⟩turned⟨U+2069⟩" in text
    assert body.locator("script, img, svg, iframe, style, details").count() == 0
    links = body.locator("a").evaluate_all("(all) => all.map((a) => [a.protocol, a.rel, a.target])")
    assert links
    assert {tuple(item) for item in links} <= {
        ("https:", "noopener noreferrer", "_blank"),
        ("http:", "noopener noreferrer", "_blank"),
    }
    assert (
        body.get_by_role("link", name="good").get_attribute("href") == "https://example.org/a_(b)"
    )
    page.locator("li.run summary").first.click()
    page.locator(".diff .added").first.wait_for()
    page.get_by_role("main").get_by_role("button", name="Forget", exact=True).click()
    page.locator(".pick").first.wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Edit", exact=True).click()
    page.locator(".pane").wait_for()
    for place_ in ("#/search?q=hostile+script+alert", "#/activity", "#/layers/notes", "#/overview"):
        page.goto(f"{place.url}/{place_}")
        page.locator("#title").wait_for()
        page.wait_for_function("() => !document.querySelector('.loading')")
    assert page.evaluate("() => window.broken") is None
    assert page.evaluate("() => getComputedStyle(document.body).display") != "none"


def test_huge_lines_and_endless_marks_do_not_stop_the_page(place, open_page):
    with place.memory() as memory:
        memory.remember("A placeholder about size", name="huge", clean=True)
        (topic,) = memory.store.topics()
        text = f"{topic.text}\n{HUGE}\n\n" + "> " * 5000 + "deep\n\n" + "- " * 3000 + "deep\n"
        memory.edit(topic.scope, topic.rel, text, base=digest(topic.text))
    page = open_page(place, "#/memories")
    page.locator("a.row").click()
    page.locator("#history").wait_for()
    page.evaluate("() => new Promise(requestAnimationFrame)")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_the_policy_itself_refuses_what_the_page_never_does(place, open_page, browser):
    page = browser.new_page()  # not watched: here the policy is meant to be broken
    page.goto(place.url)
    refused = page.evaluate(
        """() => {
          const box = document.createElement("div");
          try { box.innerHTML = "<b>x</b>"; return false; } catch { return true; }
        }"""
    )
    assert refused
    ran = page.evaluate(
        """() => new Promise((resolve) => {
          document.addEventListener("securitypolicyviolation", () => resolve(false));
          const image = new Image();
          image.onload = () => resolve(true);
          image.src = "http://127.0.0.1:9/x.png";
        })"""
    )
    assert ran is False
    page.close()
