"""Forget: what a request means, and what is left."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.erasing.receipts import read_receipt, receipt_for, traces
from reverie.core.topics import forget
from reverie.core.topics.topic import parse_topic
from reverie.core.wire import to_wire
from reverie.errors import InvalidInput
from reverie.types import Entry, Scope, Topic

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def topic(
    rel: str, body: str, *, kind: str = "user", name: str = "n", description: str = "d"
) -> Topic:
    text = f"---\nname: {name}\ndescription: {description}\ntype: {kind}\n---\n\n{body}\n"
    found = parse_topic(text, path=f"/m/{rel}", rel=rel, scope=Scope.USER)
    assert found is not None
    return found


TOPICS = [
    topic("user/a.md", "- prefers tabs\n- drinks green tea\n- deadline is 5 May"),
    topic("user/b.md", "Does not eat meat"),
    topic("user/c.md", "用户喜欢绿茶"),
    topic("project/d.md", "Deploys on Fridays at 17:00", kind="project"),
    topic("user/e.md", "Uses browser tabs a lot"),
    topic("user/f.md", "Lives in Berlin"),
    topic("user/g.md", "Berlin office has 3 rooms"),
    topic("user/h.md", "тестовый сервер в Москве"),
    topic("user/i.md", "寿司が好き"),
]


def meant(query: str, topics: list[Topic] = TOPICS) -> list[str]:
    return [item.entry.id for item in forget.choose(query, forget.all_candidates(topics))[0]]


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("forget that I like tabs", ["user/a.md:1"]),
        ("tabs", ["user/a.md:1", "user/e.md"]),
        ("forget everything about Berlin", ["user/f.md", "user/g.md"]),
        ("forget that I do not eat meat", ["user/b.md"]),
        ("forget I eat meat", []),
        ("the deadline is 6 May", []),
        ("the deadline is 5 May", ["user/a.md:3"]),
        ("忘记我喜欢绿茶", ["user/c.md"]),
        ("please forget my green tea habit", ["user/a.md:2"]),
        ("забудь про сервер в Москве", ["user/h.md"]),
        ("寿司のことを忘れて", ["user/i.md"]),
        ("forget about elephants", []),
        ("user/a.md:2", ["user/a.md:2"]),
        ("/m/user/a.md", ["user/a.md:1", "user/a.md:2", "user/a.md:3"]),
        ("user:user/b.md", ["user/b.md"]),
    ],
)
def test_a_request_means_these_entries(query: str, ids: list[str]) -> None:
    assert meant(query) == ids


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        ("Never touch the ledger.", "Never touch the ledger after midnight without Ines."),
        ("I like tea", "I like tea with milk and I hate coffee"),
        ("Wir testen freitags", "Wir testen freitags nur in Halle drei"),
        ("我喜欢绿茶", "我喜欢绿茶和咖啡"),
    ],
)
def test_who_repeats_a_statement_means_no_other_one(narrow: str, wide: str) -> None:
    topics = [topic("user/n.md", narrow), topic("user/w.md", wide)]
    for query in (narrow, narrow.lower().rstrip("."), f"forget that {narrow}"):
        assert meant(query, topics) == ["user/n.md"]
    assert meant(wide, topics) == ["user/w.md"]


def test_entries_that_came_near_are_shown_and_not_removed() -> None:
    chosen, near = forget.choose("forget that I like tabs", forget.all_candidates(TOPICS))
    assert [item.entry.summary for item in chosen] == ["prefers tabs"]
    assert "Uses browser tabs a lot" in [item.entry.summary for item in near]


def test_hundreds_of_topics_are_all_looked_at() -> None:
    many = [topic(f"user/{n}.md", f"fact number {n}x about things") for n in range(400)]
    assert meant("fact number 399x", many) == ["user/399.md"]


def deltas(topics: list[Topic], ids: list[str]):
    return forget.plan_removals(forget.by_id(forget.all_candidates(topics), ids), topics)


def test_one_entry_goes_and_its_siblings_stay() -> None:
    [delta] = deltas(TOPICS, ["user/a.md:2"])
    assert delta.after == TOPICS[0].text.replace("- drinks green tea\n", "")


def test_the_last_entry_takes_the_file_with_it() -> None:
    [delta] = deltas(TOPICS, ["user/b.md"])
    assert delta.after is None


def test_a_description_or_name_that_tells_the_removed_fact_is_rewritten() -> None:
    told = topic(
        "user/drinks.md",
        "- prefers tabs\n- likes tea",
        name="prefers tabs",
        description="prefers tabs",
    )
    [delta] = deltas([told], ["user/drinks.md:1"])
    assert (
        delta.after
        == "---\nname: likes tea\ndescription: likes tea\ntype: user\n---\n\n- likes tea\n"
    )


def test_a_description_of_several_entries_keeps_no_word_of_the_one_that_goes() -> None:
    told = topic(
        "user/drinks.md",
        "- Maria Gonzalez runs the bar\n- likes tea\n- opens at nine",
        name="Bar",
        description="Maria Gonzalez runs the bar - likes tea - opens at nine",
    )
    [delta] = deltas([told], ["user/drinks.md:1"])
    assert delta.after is not None
    assert "gonzalez" not in delta.after.lower()
    assert "description: likes tea" in delta.after


def test_further_keys_that_tell_the_removed_fact_go_and_others_stay() -> None:
    text = (
        "---\nname: Bar\ntags:\n  - gonzalez\n  - tea\ncolour: red\ntype: user\n---\n\n"
        "- Maria Gonzalez runs the bar\n- likes tea\n"
    )
    told = parse_topic(text, path="/m/user/a.md", rel="user/a.md", scope=Scope.USER)
    assert told is not None
    [delta] = deltas([told], ["user/a.md:1"])
    assert delta.after == "---\nname: likes tea\ncolour: red\ntype: user\n---\n\n- likes tea\n"


def test_links_follow_a_file_that_gets_another_name_and_let_go_of_one_that_is_gone() -> None:
    told = topic("user/prefers-tabs.md", "- prefers tabs\n- likes tea")
    lone = topic("user/vault.md", "The vault is below the stairs")
    other = topic(
        "user/see.md",
        "See [[prefers-tabs]], [it](user/prefers-tabs.md), [the room](vault.md) and [[user/vault]].",
    )
    found = deltas([told, lone, other], ["user/prefers-tabs.md:1", "user/vault.md"])
    new = next(item.path for item in found if item.before is None)
    rel = new.removeprefix("/m/")
    after = next(item.after for item in found if item.path == "/m/user/see.md")
    name = rel.removeprefix("user/").removesuffix(".md")
    assert after is not None
    assert after.endswith(f"See [[{name}]], [it]({rel}), the room and (forgotten).\n")


def test_a_telling_file_name_is_given_up() -> None:
    told = topic("user/prefers-tabs.md", "- prefers tabs\n- likes tea")
    gone, new = deltas([told], ["user/prefers-tabs.md:1"])
    assert (gone.path, gone.after) == ("/m/user/prefers-tabs.md", None)
    assert "tabs" not in new.path
    assert new.after is not None
    assert "likes tea" in new.after
    chosen = forget.by_id(forget.all_candidates([told]), ["user/prefers-tabs.md:1"])
    assert forget.told_paths(chosen) == ["/m/user/prefers-tabs.md"]


def test_the_wordings_to_erase_cover_summary_reason_and_use() -> None:
    one = topic("user/a.md", "- likes tea\n  Why: calms the nerves\n  How to apply: offer some")
    needles = forget.needles_of(forget.all_candidates([one]))
    assert {"likes tea", "calms the nerves", "offer some"} <= set(needles)


# --- receipts -------------------------------------------------------------------------------------


def receipt(*summaries: str, remaining: tuple[str, ...] = ()):
    entries = [Entry("x", summary) for summary in summaries]
    return receipt_for(entries, remaining=remaining, now=NOW, salt="s" * 32, erased=True)


@pytest.mark.parametrize(
    "fact",
    [
        "prefers tabs over spaces in every Python file of the team",
        "likes tea",
        "用户每天早上都喜欢喝一杯热的绿茶再开始工作",
        "喜欢绿茶",
        "ชอบดื่มชาเขียวทุกเช้า",
        "vegetarian",
    ],
)
def test_a_receipt_finds_traces_and_holds_no_words(fact: str) -> None:
    proof = receipt(fact)
    assert traces(f"before. {fact.upper()}! after", proof)
    assert not traces("something else entirely, 完全不同的内容", proof)
    assert not any(word in str(to_wire(proof)) for word in fact.split() if len(word) > 4)


def test_part_of_a_longer_fact_is_a_trace_too() -> None:
    proof = receipt("prefers tabs over spaces in every Python file of the team")
    assert traces("- [x](y.md) — prefers tabs over spaces in…", proof)


def test_phrases_that_other_memories_hold_rightly_are_no_traces() -> None:
    other = "the user always wants to know why a test failed"
    proof = receipt("the user always wants to have tea at five", remaining=(other,))
    assert not traces(other, proof)
    assert traces("wants to have tea at five", proof)


def test_a_fact_that_still_stands_elsewhere_is_reported() -> None:
    assert traces("likes tea", receipt("likes tea", remaining=("likes tea",)))


@given(st.lists(st.text(alphabet="ab 绿茶ท", min_size=1, max_size=40), min_size=1, max_size=3))
def test_a_receipt_survives_its_json_form(summaries: list[str]) -> None:
    proof = receipt(*summaries)
    assert read_receipt(to_wire(proof)) == proof  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "data", [{}, {"id": "x"}, {"id": "x", "at": "no", "salt": "", "entries": [], "shingles": {}}]
)
def test_what_is_no_receipt_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        read_receipt(data)
