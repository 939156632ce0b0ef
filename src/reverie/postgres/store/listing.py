"""The topics of a place as they were read last, so that what did not change is not read again.

Rules
- A listing holds as long as the revision of its place stands. Whoever writes holds the place, so it
  knows what the next revision is made of and need not list everything anew.
- What is listed anew is parsed only where its text changed.
- What is made of a listing (the order of its topics, the lines of the catalog, by what a topic is found)
  follows it: only what differs is made anew.
- A process keeps so many topics and no more, over all places: what was used longest ago is let go, and
  listed anew when it is wanted.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from reverie.core.topics.candidates import Candidates
from reverie.core.topics.catalog import Listing as CatalogListing
from reverie.core.topics.catalog import heading_of
from reverie.core.topics.topic import by_age, is_topic_path, newest_first, parse_topic, why_no_topic
from reverie.postgres.database import MINE
from reverie.postgres.place import pack
from reverie.types import Problem, Scope, Topic

if TYPE_CHECKING:
    from collections.abc import Collection

    from reverie.config import CatalogSettings
    from reverie.postgres.database import Asked, Connection, Database
    from reverie.postgres.place import Place

FEW: Final = 100
"""So many topics are looked at one by one sooner than they are sorted by what they hold."""
MOST_KEPT: Final = 50_000
"""So many topics are kept listed by a process, which takes some 8 KB for each."""
BELOW: Final = "path >= %(low)s AND path < %(high)s"

_Item: TypeAlias = "tuple[str, datetime, Topic | Problem]"
"""A file: its text's hash, since when it has that text, and what it was read as."""


@dataclass(frozen=True)
class Puts:
    """What a write puts into files."""

    texts: Mapping[str, str | None]
    """The new text of each file; none: it is removed."""
    asked: Sequence[Asked]
    """The questions that tell what was written; reading them is what waits for the server."""

    @cached_property
    def written(self) -> dict[str, tuple[str, datetime]]:
        """The hash and time of each file that was written."""
        return {path: (key, at) for asked in self.asked for path, key, at in asked.fetchall()}


class Listing(NamedTuple):
    """The files of a memory folder at a revision."""

    revision: int
    items: Mapping[str, _Item]
    useless: Mapping[str, Problem]
    """What is no topic, each with the reason."""
    mark: object
    """Tells this listing from every other one."""
    since: object = None
    """The mark of the listing that a write made this one of."""
    touched: Sequence[str] = ()
    """What that write touched."""

    @property
    def problems(self) -> list[Problem]:
        """What is no topic, each with the reason."""
        return list(self.useless.values())


_NOTHING: Final = Listing(-1, {}, {}, object())


class _Catalogued:
    """What a catalog lists of one folder, following its listings; one that was never kept is no matter."""

    def __init__(self, settings: CatalogSettings) -> None:
        self.settings = settings
        self._followed = _NOTHING
        self._listing = CatalogListing(settings)

    def follow(self, listing: Listing) -> CatalogListing:
        """Return the catalog's listing of these files."""
        gone, fresh = _difference(self._followed, listing)
        for topic in gone:
            self._listing.remove(heading_of(topic))
        self._listing.add([heading_of(topic) for topic in fresh])
        self._followed = listing
        return self._listing


class _Kept:
    """A listing, and what is made of it when somebody asks."""

    def __init__(self, listing: Listing, before: _Kept | None = None) -> None:
        self.listing = listing
        self._topics: list[Topic] | None = None
        self._candidates: Candidates | None = None
        if before is None or (before._candidates is None and before._topics is None):
            return
        gone, fresh = _difference(before.listing, listing)
        if before._topics is not None and len(gone) + len(fresh) <= FEW:
            self._topics = list(before._topics)
            for topic in gone:
                del self._topics[bisect_left(self._topics, by_age(topic), key=by_age)]
            for topic in fresh:
                insort(self._topics, topic, key=by_age)
        if before._candidates is not None:
            self._candidates = before._candidates
            for topic in gone:
                self._candidates.drop(topic.path)
            for topic in fresh:
                self._candidates.put(topic)

    @property
    def topics(self) -> list[Topic]:
        """The topics, newest first."""
        if self._topics is None:
            self._topics = newest_first(_topics_of(self.listing.items.values()))
        return self._topics

    def concerned(self, statement: str) -> list[Topic]:
        """Return the topics that a new statement may concern, newest first."""
        if len(self.listing.items) <= FEW:
            return self.topics
        if self._candidates is None:
            self._candidates = Candidates(_topics_of(self.listing.items.values()))
        return newest_first(self._candidates.concerned(statement))


def _topics_of(items: Iterable[_Item]) -> Iterator[Topic]:
    return (item[2] for item in items if isinstance(item[2], Topic))


def _difference(before: Listing, after: Listing) -> tuple[list[Topic], list[Topic]]:
    """Return the topics that went or changed as they were, and those that came or changed as they are."""
    old, new = before.items, after.items
    if after.mark is before.mark:
        return [], []
    known = after.since is before.mark
    gone = (path for path in (after.touched if known else old) if path in old)
    fresh = (path for path in (after.touched if known else new) if path in new)
    return (
        list(_topics_of(old[path] for path in gone if new.get(path) is not old[path])),
        list(_topics_of(new[path] for path in fresh if old.get(path) is not new[path])),
    )


class Room:
    """How many topics a process keeps, over all places."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._guard = threading.Lock()
        self._inside: WeakKeyDictionary[Listings, int] = WeakKeyDictionary()
        """How many each place holds; the longest unused stand first."""

    def used(self, listings: Listings) -> None:
        """Note that what is listed of a place is used."""
        with self._guard:
            if listings in self._inside:
                self._inside[listings] = self._inside.pop(listings)

    def grew(self, listings: Listings, count: int) -> None:
        """Note how much is listed of a place, and let others go if that is too many topics now."""
        gone: list[Listings] = []
        with self._guard:
            self._inside.pop(listings, None)
            self._inside[listings] = count
            held = sum(self._inside.values())
            for other in list(self._inside):
                if held <= self._most or other is listings:
                    break
                held -= self._inside.pop(other, 0)
                gone.append(other)
        for other in gone:  # with nothing held here: they have guards of their own
            other.let_go()


_ROOM: Final = Room(MOST_KEPT)


class Listings:
    """What was listed last, by scope."""

    def __init__(self, place: Place, roots: Mapping[Scope, str]) -> None:
        self._place = place
        self._roots = roots
        self._listed: dict[Scope, _Kept] = {}
        self._catalogued: dict[Scope, _Catalogued] = {}
        self._left: dict[Scope, list[Problem]] = {}
        """What could not be used of a listing that was let go."""
        self._guard = threading.Lock()

    @property
    def problems(self) -> list[Problem]:
        """Files that the last listings could not use."""
        with self._guard:
            now = {scope: kept.listing.problems for scope, kept in self._listed.items()}
            return [one for found in {**self._left, **now}.values() for one in found]

    def project_of(self, scope: Scope) -> str:
        """Return the project whose revision a scope follows."""
        return self._place.project_of(f"{self._roots[scope]}/x")

    def topics(self, database: Database, scopes: Sequence[Scope]) -> list[Topic]:
        """Return the topics of some scopes as they are now, newest first."""
        most, *others = sorted((kept.topics for kept in self._now(database, scopes)), key=len)[::-1]
        found = list(most)
        few = [topic for topics in others for topic in topics]
        if len(few) > FEW:
            return newest_first([*found, *few])
        for topic in few:
            insort(found, topic, key=by_age)
        return found

    def concerned(self, database: Database, scopes: Sequence[Scope], statement: str) -> list[Topic]:
        """Return the topics of some scopes that a new statement may concern, newest first in each."""
        found = self._now(database, scopes)
        with self._guard:
            return [topic for kept in found for topic in kept.concerned(statement)]

    def _now(self, database: Database, scopes: Sequence[Scope]) -> list[_Kept]:
        rows = database.rows(self._place, f"SELECT project, revision FROM space WHERE {MINE}")
        revisions: dict[str, int] = dict(rows)
        found: list[_Kept] = []
        for scope in scopes:
            revision = revisions.get(self.project_of(scope), 0)
            with (
                self._guard
            ):  # never while the database is asked: who holds a connection may want it
                known = self._listed.get(scope)
            if known is None or known.listing.revision != revision:
                with database.reading(self._place) as db:
                    known = self.keep(scope, self.scan(db, scope, revision))
            found.append(known)
        _ROOM.used(self)
        return found

    def keep(self, scope: Scope, listing: Listing) -> _Kept:
        """Keep a listing for the next time."""
        with self._guard:
            kept = self._listed[scope] = _Kept(listing, self._listed.get(scope))
            count = sum(len(each.listing.items) for each in self._listed.values())
        _ROOM.grew(self, count)
        return kept

    def catalog_files(
        self,
        scope: Scope,
        listing: Listing,
        *,
        settings: CatalogSettings,
        read: Callable[[str], str | None],
        others: Collection[str],
    ) -> tuple[dict[str, str | None], tuple[str, ...]]:
        """Return what each catalog file of a scope should hold, whether its listing is kept later or not."""
        with self._guard:
            known = self._catalogued.get(scope)
            if known is None or known.settings != settings:
                known = self._catalogued[scope] = _Catalogued(settings)
            return known.follow(listing).files(read, others)

    def forget(self, scope: Scope) -> None:
        """List a scope anew the next time."""
        with self._guard:
            self._listed.pop(scope, None)

    def let_go(self) -> None:
        """Keep nothing: others need the room."""
        with self._guard:
            self._left = {scope: kept.listing.problems for scope, kept in self._listed.items()}
            self._listed.clear()
            self._catalogued.clear()

    def _known(self, scope: Scope) -> Listing:
        with self._guard:
            return self._listed[scope].listing if scope in self._listed else _NOTHING

    def scan(self, db: Connection, scope: Scope, revision: int) -> Listing:
        """List a memory folder; only what was not parsed before is fetched."""
        root, known = self._roots[scope], self._known(scope).items
        since = max((item[1] for item in known.values()), default=None)
        # What is newer than all that is known comes along; an old text that came back is asked for.
        rows = db.execute(
            "SELECT path, hash, at, CASE WHEN %(since)s::timestamptz IS NULL"
            f" OR at >= %(since)s THEN content END FROM file WHERE {MINE} AND {BELOW}"
            " ORDER BY path",
            {**self._place.values, **below(root), "since": since},
        ).fetchall()
        start = len(root) + 1
        listed = [row for row in rows if is_shown(row[0][start:])]
        fresh = {
            path: content
            for path, key, at, content in listed
            if known.get(path, ("",))[:2] != (key, at)
        }
        lacking = [path for path, content in fresh.items() if content is None]
        if lacking:
            fresh |= db.execute(
                f"SELECT path, content FROM file WHERE {MINE} AND path = ANY(%(paths)s)",
                {**self._place.values, "paths": lacking},
            )
        items: dict[str, _Item] = {}
        for path, key, at, _ in listed:
            content = fresh.get(path)
            if content is not None:
                items[path] = (key, at, parsed(bytes(content), path, path[start:], scope, at))
            elif path in known:
                items[path] = known[path]
        useless = {path: item[2] for path, item in items.items() if isinstance(item[2], Problem)}
        return Listing(revision, items, useless, object())

    def after(self, scope: Scope, revision: int, puts: Puts) -> Listing | None:
        """Return what a write makes of the listing; None unless it is known how it was before."""
        known = self._known(scope)
        if known.revision != revision:
            return None
        items, useless = dict(known.items), dict(known.useless)
        start, touched = len(self._roots[scope]) + 1, []
        for path, text in puts.texts.items():
            if not path.startswith(f"{self._roots[scope]}/") or not is_shown(path[start:]):
                continue
            touched.append(path)
            useless.pop(path, None)
            if text is None:
                items.pop(path, None)
                continue
            if path not in puts.written:
                return None
            key, at = puts.written[path]
            item = parsed(pack(text), path, path[start:], scope, at)
            items[path] = (key, at, item)
            if isinstance(item, Problem):
                useless[path] = item
        return Listing(revision, items, useless, object(), known.mark, touched)


def parsed(data: bytes, path: str, rel: str, scope: Scope, at: datetime) -> Topic | Problem:
    """Read a file of a memory folder."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return Problem("not_text", f"{path} is not UTF-8 text (byte {error.start})", path=path)
    topic = parse_topic(text, path=path, rel=rel, scope=scope, updated=at.astimezone(UTC))
    return topic or Problem("not_a_topic", why_no_topic(text), path=path)


def is_shown(rel: str) -> bool:
    """Say whether a file of a memory folder can be a topic."""
    hidden = rel.startswith(".") or "/." in rel
    return rel.endswith(".md") and not hidden and is_topic_path(rel)


def below(folder: str) -> dict[str, str]:
    """Return the values of `BELOW`."""
    return {"low": f"{folder}/", "high": f"{folder}0"}  # `0` is the character after `/`
