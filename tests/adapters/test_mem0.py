"""The shape of mem0, for programs that switch."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie.adapters.mem0 import Memory
from reverie.adapters.records import Records
from reverie.errors import InvalidArgument, InvalidContent, TopicNotFound


@pytest.fixture
def mem0(memory):
    return Memory(memory)


def add(mem0, text, **ids):
    return mem0.add(text, **(ids or {"user_id": "ann"}))["results"][0]["id"]


def test_a_text_is_added_and_got_back(mem0):
    done = mem0.add("Loves science fiction.", user_id="ann", metadata={"category": "films"})
    (one,) = done["results"]
    assert (one["memory"], one["event"]) == ("Loves science fiction.", "ADD")
    found = mem0.get(one["id"])
    assert found["memory"] == "Loves science fiction."
    assert found["metadata"] == {"category": "films"}
    assert found["user_id"] == "ann"
    assert found["created_at"] == found["updated_at"]


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(min_size=1).filter(str.strip))
def test_any_text_comes_back_exactly(mem0, text):
    done = mem0.add(text, user_id="ann", run_id="r")["results"]
    if done:
        assert mem0.get(done[0]["id"])["memory"] == text
        mem0.delete(done[0]["id"])


def test_users_see_only_their_own(mem0):
    mine = add(mem0, "Ann likes tea.", user_id="ann")
    add(mem0, "Bob likes coffee.", user_id="bob")
    shared = add(mem0, "Ann asked the planner for a route.", user_id="ann", agent_id="planner")
    assert {item["id"] for item in mem0.get_all(user_id="ann")["results"]} == {mine, shared}
    assert [item["id"] for item in mem0.get_all(agent_id="planner")["results"]] == [shared]
    assert mem0.get_all(user_id="../ann")["results"] == []
    assert mem0.search("coffee", user_id="ann")["results"] == []


@pytest.mark.parametrize("method", ["get_all", "delete_all"])
def test_whose_memory_must_be_said(mem0, method):
    with pytest.raises(InvalidArgument):
        getattr(mem0, method)()
    with pytest.raises(InvalidArgument):
        mem0.add("text")
    with pytest.raises(InvalidArgument):
        mem0.search("text")


def test_search_ranks_and_filters(mem0):
    tea = add(mem0, "Drinks green tea every morning.")
    add(mem0, "Works as a carpenter.")
    mem0.add("Tea is bought at the market.", user_id="ann", metadata={"place": "market"})
    found = mem0.search("which tea in the morning?", user_id="ann")["results"]
    assert found[0]["id"] == tea
    assert found[0]["score"] > 0
    only = mem0.search("tea", filters={"user_id": "ann", "place": "market"})["results"]
    assert [item["memory"] for item in only] == ["Tea is bought at the market."]
    assert len(mem0.search("tea", user_id="ann", top_k=1)["results"]) == 1
    assert mem0.search("tea", user_id="ann", threshold=2.0)["results"] == []
    with pytest.raises(InvalidArgument):
        mem0.search("  ", user_id="ann")


def test_the_same_is_not_added_twice(mem0):
    add(mem0, "Likes tea.")
    assert mem0.add("likes  TEA.", user_id="ann")["results"] == []
    assert mem0.add("Likes tea.", user_id="bob")["results"] != []


def test_update_delete_and_history(mem0, clock):
    key = add(mem0, "Lives in Rome.")
    clock.advance(days=1)
    mem0.update(key, "Lives in Oslo.")
    assert mem0.get(key)["memory"] == "Lives in Oslo."
    assert mem0.get(key)["user_id"] == "ann"
    clock.advance(days=1)
    mem0.delete(key)
    assert mem0.get(key) is None
    told = [(item["event"], item["old_memory"], item["new_memory"]) for item in mem0.history(key)]
    assert told == [
        ("ADD", None, "Lives in Rome."),
        ("UPDATE", "Lives in Rome.", "Lives in Oslo."),
        ("DELETE", "Lives in Oslo.", None),
    ]


def test_what_is_not_there_is_said(mem0):
    assert mem0.get("../../etc/passwd") is None
    assert mem0.history("none") == []
    with pytest.raises(TopicNotFound):
        mem0.update("none", "x")
    with pytest.raises(TopicNotFound):
        mem0.delete("none")


def test_delete_all_takes_one_users_memories_in_one_run(mem0, memory):
    for text in ("one thing", "another thing"):
        add(mem0, text)
    kept = add(mem0, "of bob", user_id="bob")
    mem0.delete_all(user_id="ann")
    assert mem0.get_all(user_id="ann")["results"] == []
    assert mem0.get(kept)
    memory.undo(memory.log()[0].id)
    assert len(mem0.get_all(user_id="ann")["results"]) == 2


def test_messages_are_learned_from_or_kept_as_they_are(mem0, memory):
    said = [
        {
            "role": "user",
            "content": "Please remember that I always prefer window seats on flights.",
        },
        {"role": "assistant", "content": "Noted."},
    ]
    learned = mem0.add(said, user_id="ann")["results"]
    assert any("window seats" in item["memory"] for item in learned)
    assert memory.store.topics() == []
    raw = mem0.add(said, user_id="bob", infer=False)["results"]
    assert [item["memory"] for item in raw] == [item["content"] for item in said]
    assert {item["role"] for item in mem0.get_all(user_id="bob")["results"]} == {
        "user",
        "assistant",
    }


@pytest.mark.parametrize("bad", ["", "   ", [{"role": "user", "content": None}]])
def test_a_memory_that_says_nothing_is_refused(mem0, bad):
    with pytest.raises(InvalidContent):
        mem0.add(bad, user_id="ann", infer=False)


@pytest.mark.parametrize("edit", [{"memory": 5}, {"memory": None}, {"metadata": [1]}])
def test_an_edit_that_is_no_memory_any_more_hides_only_that_one(mem0, memory, edit):
    kept, broken = add(mem0, "Likes tea."), add(mem0, "Likes coffee.")
    records = Records(memory, "mem0")
    found = records.get(("memories",), broken)
    records.put([(("memories",), broken, {**found.value, **edit})])
    assert [item["id"] for item in mem0.get_all(user_id="ann")["results"]] == [kept]
    assert [item["id"] for item in mem0.search("coffee tea", user_id="ann")["results"]] == [kept]
    assert mem0.get(broken) is None
    assert mem0.add("Likes coffee.", user_id="ann")["results"]
    mem0.delete_all(user_id="ann")
    assert mem0.get(kept) is None
