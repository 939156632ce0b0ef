"""What a write makes of a listing, without looking at the rest of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from reverie.core.topics.topic import newest_first
from reverie.postgres.place import Place
from reverie.postgres.store.listing import Listings, Puts, _difference
from reverie.types import Scope

ROOT = "/reverie/memory"
START = datetime(2026, 1, 1, tzinfo=UTC)
NAMES = st.sampled_from(["a.md", "b.md", "c.md", "d.md", "notes.txt", "MEMORY.md"])
TEXTS = st.one_of(
    st.none(),
    st.just("no topic at all"),
    st.integers(0, 9).map(
        lambda n: f"---\nname: n{n}\ndescription: d{n}\ntype: user\n---\n\nBody {n}.\n"
    ),
)


@given(st.lists(st.dictionaries(NAMES, TEXTS, max_size=3), max_size=8))
def test_a_listing_that_follows_writes_differs_by_what_they_touched(
    writes: list[dict[str, str | None]],
):
    listings = Listings(Place("t", "ann", "web"), dict.fromkeys(Scope, ROOT))
    held: dict[str, str] = {}
    listings.keep(Scope.USER, listings._known(Scope.USER)._replace(revision=0))
    for number, write in enumerate(writes):
        puts = Puts({f"{ROOT}/{name}": text for name, text in write.items()}, [])
        at = START + timedelta(seconds=number)
        # What the server would tell:
        puts.__dict__["written"] = dict.fromkeys(puts.texts, (f"{number}", at))
        before = listings._known(Scope.USER)
        after = listings.after(Scope.USER, number, puts)
        assert after is not None
        whole = _difference(before, after._replace(since=None))
        assert [sorted(part, key=str) for part in _difference(before, after)] == [
            sorted(part, key=str) for part in whole
        ]
        kept = listings.keep(Scope.USER, after._replace(revision=number + 1))
        held |= {name: text for name, text in write.items() if text is not None}
        held = {name: text for name, text in held.items() if write.get(name, text) is not None}
        shown = {name for name in held if name not in ("notes.txt", "MEMORY.md")}
        useless = {name for name in shown if held[name] == "no topic at all"}
        assert {topic.rel for topic in kept.topics} == shown - useless
        assert kept.topics == newest_first(kept.topics)
        assert {problem.path for problem in listings.problems} == {
            f"{ROOT}/{name}" for name in useless
        }
