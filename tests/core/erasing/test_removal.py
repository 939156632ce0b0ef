"""Removal: what is left of files, and by what the removed entries are known."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.erasing import removal
from reverie.core.erasing.receipts import read_receipt, receipt_for, traces
from reverie.core.topics import forget
from reverie.core.topics.titles import slug
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
    topic("user/a.md", "- prefers tabs\n- drinks green tea\n- speaks Dutch"),
    topic("user/b.md", "Lives in Berlin"),
]


def deltas(topics: list[Topic], ids: list[str]):
    return removal.plan_removals(forget.by_id(forget.all_candidates(topics), ids), topics)


def test_one_entry_goes_and_its_siblings_stay() -> None:
    [delta] = deltas(TOPICS, ["user/a.md:2"])
    assert delta.after == TOPICS[0].text.replace("- drinks green tea\n", "")


def test_what_goes_is_told_by_no_name_although_the_rest_has_all_of_its_words() -> None:
    both = topic(
        "user/quokka-beats-quokka.md",
        "- quokka beats quokka\n- quokka beats baobab",
        name="quokka beats quokka",
        description="quokka beats quokka - quokka beats baobab",
    )
    [old, new] = deltas([both], ["user/quokka-beats-quokka.md:1"])
    assert (old.path, old.after) == (both.path, None)
    assert "quokka-beats-quokka" not in new.path
    assert new.after is not None
    assert "quokka beats quokka" not in new.after


def test_what_is_left_keeps_a_name_that_begins_as_what_goes() -> None:
    both = topic("user/tea.md", "- Tea at four, never later\n- Tea at five", name="Tea at")
    [delta] = deltas([both], ["user/tea.md:1"])
    assert delta.after == both.text.replace("- Tea at four, never later\n", "")


def test_a_link_to_the_file_itself_keeps_no_word_of_what_goes() -> None:
    both = topic("user/baobab.md", "- baobab\n- Look at [[user/baobab]] first", name="baobab")
    [old, new] = deltas([both], ["user/baobab.md:1"])
    assert (old.path, old.after) == (both.path, None)
    assert new.after is not None
    assert "baobab" not in f"{new.path}{new.after}"


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
    assert removal.told_paths(chosen) == ["/m/user/prefers-tabs.md"]


def test_the_wordings_to_erase_cover_summary_reason_and_use() -> None:
    one = topic("user/a.md", "- likes tea\n  Why: calms the nerves\n  How to apply: offer some")
    needles = removal.needles_of(forget.all_candidates([one]))
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


@given(
    st.sampled_from(
        ["McAllister", "PayPal", "DeShawn", "GitHub", "iPhone", "eBay", "OpenSSL", "Kraken"]
    ),
    st.sampled_from(
        ["signs the travel forms", "handles our refunds", "is owned by the night shift"]
    ),
    st.booleans(),
)
def test_no_name_of_a_file_tells_a_word_whatever_capitals_it_has(name, rest, first):
    said, other = f"{name} {rest}", f"Winifred {rest}"
    both = (said, other) if first else (other, said)
    one = topic(f"project/{slug(said)}.md", "\n\n".join(both), name=said, description=said)
    entry = next(entry for entry in one.entries if entry.summary == said)
    left = [delta for delta in deltas([one], [entry.id]) if delta.after is not None]
    assert left
    for delta in left:
        assert name.lower() not in f"{delta.path} {delta.after}".lower()
        assert other in (delta.after or "")


@given(st.booleans(), st.sampled_from(["", "Ask Bo first. "]))
def test_what_is_left_alone_no_longer_says_that_others_are_older(changed, how):
    note = "Said on 2026-05-09; what else stands here is older (2026-05-01)."
    note += " Where the two disagree, this holds." if changed else ""
    one = topic(
        "project/a.md", f"Mollie does refunds.\n\nHow to apply: {how}{note}\n\nPayPal does refunds."
    )
    entry = next(entry for entry in one.entries if entry.summary.startswith("PayPal"))
    [delta] = [delta for delta in deltas([one], [entry.id]) if delta.after is not None]
    assert "older" not in (delta.after or "")
    assert "Mollie does refunds." in (delta.after or "")
    assert (how.strip() in (delta.after or "")) is True
