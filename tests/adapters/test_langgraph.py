"""LangGraph's store contract, held against LangGraph's own in-memory store where both decide."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langgraph.store.base import GetOp, InvalidNamespaceError, ListNamespacesOp, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from reverie.adapters.langgraph import ReverieStore
from reverie.errors import InvalidArgument

pytestmark = pytest.mark.slow


@pytest.fixture
def store(memory):
    return ReverieStore(memory)


def keys(items):
    return sorted((item.namespace, item.key) for item in items)


def test_put_get_update_delete(store, clock):
    store.put(("users", "1"), "prefs", {"theme": "dark", "deep": {"list": [1, 2.5, None, "ä"]}})
    first = store.get(("users", "1"), "prefs")
    assert first.value == {"theme": "dark", "deep": {"list": [1, 2.5, None, "ä"]}}
    assert (first.key, first.namespace) == ("prefs", ("users", "1"))
    clock.advance(minutes=5)
    store.put(("users", "1"), "prefs", {"theme": "light"})
    second = store.get(("users", "1"), "prefs")
    assert second.value == {"theme": "light"}
    assert second.created_at == first.created_at
    assert second.updated_at - first.updated_at == timedelta(minutes=5)
    store.delete(("users", "1"), "prefs")
    assert store.get(("users", "1"), "prefs") is None
    store.delete(("users", "1"), "prefs")


def test_put_of_none_in_a_batch_deletes(store):
    store.put(("a",), "k", {"v": 1})
    store.batch([PutOp(("a",), "k", None)])
    assert store.get(("a",), "k") is None


def test_a_batch_reads_before_it_writes_and_the_last_put_counts(store, memory):
    store.put(("a",), "k", {"v": 1})
    results = store.batch(
        [
            PutOp(("a",), "k", {"v": 2}),
            GetOp(("a",), "k"),
            PutOp(("a",), "k", {"v": 3}),
            PutOp(("a",), "other", {"v": 4}),
            SearchOp(("a",)),
            ListNamespacesOp(),
        ]
    )
    assert results[0] is None
    assert results[1].value == {"v": 1}
    assert [item.value for item in results[4]] == [{"v": 1}]
    assert results[5] == [("a",)]
    assert store.get(("a",), "k").value == {"v": 3}
    assert len(memory.log()) == 2  # one run for the put before, one for the batch


def test_namespaces_are_isolated(store):
    store.put(("a",), "k", {"v": 1})
    store.put(("a", "b"), "k", {"v": 2})
    store.put(("ab",), "k", {"v": 3})
    assert store.get(("a",), "k").value == {"v": 1}
    assert keys(store.search(("a",))) == [(("a",), "k"), (("a", "b"), "k")]
    assert keys(store.search(("a", "b"))) == [(("a", "b"), "k")]
    assert store.get(("b",), "k") is None


@pytest.mark.parametrize("bad", [("a.b",), ("",), ("nul\x00",), ()])
def test_bad_namespaces_are_refused(store, bad):
    with pytest.raises(InvalidNamespaceError):
        store.put(bad, "k", {"v": 1})


@pytest.mark.parametrize("namespace", [("../..",), ("a", "..\\.."), ("/etc",), ("имя" * 200,)])
def test_hostile_labels_and_keys_stay_inside(store, memory, namespace):
    try:
        store.put(namespace, "../../key", {"v": 1})
    except InvalidNamespaceError:
        assert memory.log() == []
        return
    assert store.get(namespace, "../../key").value == {"v": 1}
    assert all("/stores/langgraph/" in path for run in memory.log() for path in run.paths)


FILTERS = [
    {"n": 2},
    {"n": {"$eq": 2}},
    {"n": {"$ne": 2}},
    {"n": {"$gt": 1}},
    {"n": {"$gte": 2, "$lt": 4}},
    {"n": {"$lte": 1}},
    {"tag": "x", "n": {"$gt": 0}},
    {"deep": {"a": 1}},
    {"deep": {"a": {"$gte": 1}}},
    {"list": [1, 2]},
    {"missing": None},
]


@pytest.mark.parametrize("filter_", FILTERS, ids=str)
def test_filters_choose_what_the_reference_store_chooses(store, filter_):
    other = InMemoryStore()
    for place in (store, other):
        for n in range(5):
            value = {"n": n, "tag": "xy"[n % 2], "deep": {"a": n % 3, "b": 0}, "list": [1, n]}
            place.put(("items",), f"k{n}", value)
    assert keys(store.search(("items",), filter=filter_)) == keys(
        other.search(("items",), filter=filter_)
    )


def test_an_unknown_operator_is_refused_and_a_missing_number_matches_nothing(store):
    store.put(("a",), "k", {"v": "text"})
    with pytest.raises(InvalidArgument):
        store.search(("a",), filter={"v": {"$regex": "t"}})
    assert store.search(("a",), filter={"none": {"$gt": 1}}) == []


def test_limit_and_offset(store):
    for n in range(7):
        store.put(("a",), f"k{n}", {"n": n})
    seen = [
        item.key for start in range(0, 7, 3) for item in store.search(("a",), limit=3, offset=start)
    ]
    assert sorted(seen) == [f"k{n}" for n in range(7)]


def test_a_query_puts_the_answer_first_with_a_score(store):
    store.put(("mem",), "1", {"text": "Ann drinks green tea"})
    store.put(("mem",), "2", {"text": "The build runs on Friday"})
    store.put(("mem",), "3", {"text": "週末はテニスをする"})
    found = store.search(("mem",), query="what tea does Ann like?")
    assert found[0].key == "1"
    assert found[0].score > 0
    assert len(found) == 3
    assert store.search(("mem",), query="テニス")[0].key == "3"


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    data=st.lists(
        st.tuples(st.lists(st.sampled_from("abc"), min_size=1, max_size=3), st.sampled_from("xyz")),
        max_size=6,
    ),
    prefix=st.lists(st.sampled_from([*"abc", "*"]), max_size=2),
    suffix=st.lists(st.sampled_from([*"abc", "*"]), max_size=2),
    depth=st.none() | st.integers(1, 3),
)
def test_namespaces_are_listed_as_the_reference_store_lists_them(
    open_memory, tmp_path_factory, data, prefix, suffix, depth
):
    store = ReverieStore(open_memory(home=tmp_path_factory.mktemp("home")))
    other = InMemoryStore()
    for place in (store, other):
        for namespace, key in data:
            place.put(tuple(namespace), key, {"v": 1})
    options = {"prefix": tuple(prefix) or None, "suffix": tuple(suffix) or None, "max_depth": depth}
    assert store.list_namespaces(**options) == other.list_namespaces(**options)


def test_the_asynchronous_methods_do_the_same(store):
    async def work():
        await store.aput(("a",), "k", {"v": 1})
        await asyncio.gather(*(store.aput(("a",), f"k{n}", {"v": n}) for n in range(8)))
        assert (await store.aget(("a",), "k")).value == {"v": 1}
        assert len(await store.asearch(("a",))) == 9
        assert await store.alist_namespaces() == [("a",)]
        await store.adelete(("a",), "k")
        assert await store.aget(("a",), "k") is None

    asyncio.run(work())


def test_a_time_to_live_is_refused(store):
    with pytest.raises(NotImplementedError):
        store.put(("a",), "k", {"v": 1}, ttl=5)


def test_another_process_sees_what_was_put(store, open_memory):
    store.put(("a",), "k", {"v": 1})
    assert ReverieStore(open_memory()).get(("a",), "k").value == {"v": 1}
