"""A memory that came with an import says so, until the person changes it."""

from __future__ import annotations

import json

import pytest

from reverie.core.showing.provenance import adopted, imported

IMPORT = ("i", "import", "from chatgpt", "2026-11-16T10:00:00+00:00", "", "a", "{}")
SAID = "chatgpt on 2026-11-16"


def run(name: str, origin: str, after: str | None, *, undoes: str = "", detail: str = "{}"):
    return (name, origin, "", "2026-11-20T10:00:00+00:00", undoes, after, detail)


FOREIGN = json.dumps(adopted({"note": 'x"adopted": true'}))


@pytest.mark.parametrize(
    ("arrivals", "key", "said"),
    [
        ([], "a", ""),
        ([IMPORT], "a", SAID),
        ([IMPORT], "edited by hand", ""),
        ([run("o", "owner", "b"), IMPORT], "b", ""),
        ([run("d", "system", "b"), IMPORT], "b", SAID),
        ([run("d", "agent", "b"), IMPORT], "b", SAID),
        ([run("d", "system", "c"), run("o", "owner", "b"), IMPORT], "c", ""),
        ([run("u", "owner", "a", undoes="o"), run("o", "owner", "b"), IMPORT], "a", SAID),
        ([run("u", "owner", "b", undoes="i"), IMPORT, run("o", "owner", "b")], "b", ""),
        (
            [run("v", "owner", "a", undoes="u"), run("u", "owner", None, undoes="i"), IMPORT],
            "a",
            SAID,
        ),
        ([run("f", "owner", "a", detail=FOREIGN), IMPORT], "a", SAID),
        ([run("f", "owner", "a", detail=FOREIGN)], "a", ""),
        (
            [run("u", "owner", "a", undoes="f"), run("f", "owner", None, detail=FOREIGN)],
            "a",
            "an export on 2026-11-20",
        ),
        ([run("o", "owner", "a", detail=json.dumps({"x": '"adopted": true'})), IMPORT], "a", ""),
    ],
)
def test_the_last_word_of_a_person_decides(arrivals, key, said):
    assert imported(arrivals, key) == said
