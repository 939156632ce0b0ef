"""Recall by stored words: the same answer as ranking every topic, whatever was written before."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie.core.text.plain import digest
from reverie.core.topics.relevance import rank
from reverie.core.topics.scoring import read_question
from reverie.memory import Memory
from reverie.postgres.engine import PostgresEngine
from reverie.postgres.place import Place
from reverie.postgres.search import words as stored
from reverie.types import Change, RunInfo
from tests.examples import examples
from tests.postgres.conftest import options_of
from tests.server import Server

pytestmark = pytest.mark.slow

WORDS = ["deploy", "tea", "green", "Tuesday", "tabs", "部署", "周二", "поезд", "café", "parser_config",
         "the", "make", "like", "best", "ขอบคุณ", "allergy", "v2.4.1", "\ud800"]  # fmt: skip
words = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
plain = words.map(lambda text: text.replace("\ud800", ""))
topic = st.one_of(
    st.none(),
    st.just("no topic at all"),
    st.builds(
        "---\nname: x {}\ndescription: {}\ntype: project\n---\n\n{}\n".format, plain, plain, plain
    ),
)
steps = st.lists(
    st.dictionaries(
        st.sampled_from([f"{root}/t{n}.md" for root in ("user", "project") for n in range(5)]),
        topic,
        min_size=1,
        max_size=6,
    ),
    min_size=1,
    max_size=3,
)


def engine_of(memory: Memory) -> PostgresEngine:
    assert isinstance(memory.engine, PostgresEngine)
    return memory.engine


def write(memory: Memory, texts: dict[str, str | None]) -> None:
    roots = {"user": memory.workspace.user_memory, "project": memory.workspace.project_memory}
    changes = []
    for name, text in texts.items():
        root, _, rel = name.partition("/")
        path = f"{roots[root]}/{rel}"
        before = memory.store.read(path)
        if text != before:
            changes.append(Change(path, text, None if before is None else digest(before)))
    memory.store.apply(changes, RunInfo("edit"))


def agrees(memory: Memory, query: str) -> int:
    """Compare both ways to the last bit; return how many topics were found."""
    topics = memory.store.topics()
    found, size = engine_of(memory).ranker.ranked(query)
    assert (found, size) == (rank(query, topics), len(topics))
    return len(found)


def note(title: str, body: str = "") -> str:
    return f"---\nname: {title}\ndescription: d\ntype: project\n---\n\n{body}\n"


@settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(changes=steps, queries=st.lists(words, min_size=1, max_size=3))
def test_stored_words_answer_like_the_topics_after_every_change(server, tmp_path, changes, queries):
    place = Place(server.tenant(), "ann", "web")
    options = options_of(server, place)
    with (
        Memory.open(tmp_path, home=tmp_path, settings=options) as memory,
        Memory.open(tmp_path, home=tmp_path, settings=options) as other,
    ):
        for number, texts in enumerate(changes):
            write(memory if number % 2 else other, texts)
            for query in queries:
                agrees(memory, query)
        for query in queries:
            agrees(other, query)


def test_many_topics_fill_many_buckets_and_leave_them(open_at: Callable[..., Memory], place: Place):
    memory = open_at(place)
    count = stored.BUCKET * 2 + 5
    body = "Deploys like the best tea " * 40
    write(memory, {f"project/t{n}.md": note(f"topic {n} of n{n % 7}", body) for n in range(count)})
    assert agrees(memory, "topic 17 about n3 deploys") > 0
    agrees(memory, "deploys like tea")  # what every topic holds finds none
    write(memory, {f"project/t{n}.md": None for n in range(0, count, 2)})
    assert agrees(memory, "topic 17 about n3 deploys") > 0
    write(
        memory, {f"project/u{n}.md": note(f"zebra{n} topic", "other") for n in range(0, count, 3)}
    )
    assert agrees(memory, "zebra18 topic") > 0
    write(memory, {f"project/{kind}{n}.md": None for n in range(count) for kind in "tu"})
    assert agrees(memory, "deploys") == 0
    with engine_of(memory).database.transaction(place) as db:
        assert db.execute("SELECT count(*) FROM posting").fetchone() == (0,)


def test_the_words_of_a_file_go_with_the_file_not_with_the_next_recall(
    open_at: Callable[..., Memory], place: Place
):
    memory = open_at(place)
    memory.remember("The launch code word is Zanzibar.", scope="project")
    memory.remember("The launch is on Tuesday.", scope="project")
    assert memory.recall("Zanzibar").topics
    with engine_of(memory).database.transaction(place) as db:
        assert stored.ask_postings(db, place, read_question("Zanzibar")).fetchall()
    memory.forget("Zanzibar", erase=True)
    with engine_of(memory).database.transaction(place) as db:
        assert not stored.ask_postings(db, place, read_question("Zanzibar")).fetchall()
    agrees(memory, "launch Tuesday")


def test_words_of_another_recipe_are_made_anew(
    open_at: Callable[..., Memory], place: Place, monkeypatch: pytest.MonkeyPatch
):
    memory = open_at(place)
    memory.remember("Deploys happen on Tuesdays.", scope="project")
    assert agrees(memory, "deploys") == 1
    with engine_of(memory).database.transaction(place) as db:
        db.execute("UPDATE posting SET counts = counts || counts")
    monkeypatch.setattr(stored, "RECIPE", "2/x")
    assert agrees(memory, "deploys") == 1


@pytest.mark.parametrize("why", ["read-only", "locked"])
def test_where_words_cannot_be_stored_the_topics_are_ranked(
    server: Server, open_at: Callable[..., Memory], place: Place, why: str,
    monkeypatch: pytest.MonkeyPatch,
):  # fmt: skip
    memory = open_at(place)
    memory.remember("Deploys happen on Tuesdays.", scope="project")
    monkeypatch.setattr("reverie.postgres.search.ranking._WAIT", 0.1)
    if why == "locked":
        with engine_of(open_at(place)).database.transaction(place) as db:
            db.execute("SELECT 1 FROM space FOR UPDATE")
            assert agrees(memory, "deploys") == 1
        return
    separator = "&" if "?" in server.app else "?"
    url = f"{server.app}{separator}options=-c%20default_transaction_read_only%3Don"
    assert agrees(open_at(place, **{"engine.url": url}), "deploys") == 1


def test_a_recall_dates_its_topics_as_the_files_are(open_at: Callable[..., Memory], place: Place):
    memory = open_at(place)
    before = datetime.now(UTC).replace(microsecond=0)
    memory.remember("Deploys happen on Tuesdays.", scope="project")
    (found,) = memory.recall("deploys").topics
    assert found.updated is not None
    assert before <= found.updated <= datetime.now(UTC)
