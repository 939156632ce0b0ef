"""The page's files: served without a token, cached by their tags, under a policy that trusts nothing."""

from __future__ import annotations

import re

from reverie.daemon.routes.page import assets


def test_the_page_needs_no_token_and_what_it_shows_does(daemon):
    page = daemon.get("/", token=None)
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "Reverie" in page.text
    for path in re.findall(r'(?:src|href)="(/assets/[^"]+)"', page.text):
        assert daemon.get(path, token=None).status_code == 200, path
    assert daemon.get("/workspace/overview", token=None).status_code == 401
    assert daemon.get("/assets/nothing.js", token=None).status_code == 401
    assert daemon.get("/assets/../app.py", token=None).status_code == 401


def test_every_file_comes_with_a_policy_under_which_no_text_can_run(daemon):
    for asset in assets():
        headers = daemon.get(asset.path, token=None).headers
        policy = dict(
            part.strip().partition(" ")[::2]
            for part in headers["content-security-policy"].split(";")
        )
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
        assert policy["img-src"] == "'self' data:"
        assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
        assert policy["require-trusted-types-for"] == "'script'"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


def test_a_file_that_is_known_already_is_not_sent_again(daemon):
    first = daemon.get("/assets/app.js", token=None)
    again = daemon.get(
        "/assets/app.js", token=None, headers={"If-None-Match": first.headers["etag"]}
    )
    assert (again.status_code, again.content) == (304, b"")
    other = daemon.get("/assets/app.js", token=None, headers={"If-None-Match": '"other"'})
    assert other.content == first.content


def test_a_page_of_another_site_gets_nothing(daemon):
    assert daemon.get("/", headers={"Origin": "https://evil.example"}).status_code == 403
    assert daemon.get("/", headers={"Host": "evil.example"}).status_code == 403
