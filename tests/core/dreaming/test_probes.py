"""Probes: what could be recalled before must be recalled after."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.config import RecallSettings
from reverie.core.dreaming import probes as rules
from reverie.core.dreaming.probes import lost_probes, probes_for
from reverie.core.text.words import query_terms, terms
from reverie.core.topics.relevance import rank
from reverie.core.topics.topic import parse_topic
from reverie.types import EntryRef, Scope

SETTINGS = RecallSettings()


def topic(rel, body, *, description="a note"):
    text = f"---\nname: {rel}\ndescription: {description}\ntype: project\n---\n\n{body}\n"
    return parse_topic(text, path=f"/m/{rel}", rel=rel, scope=Scope.PROJECT)


def ref(text):
    return EntryRef("/m/a.md", "a.md", text)


def test_questions_come_from_different_words_of_an_entry():
    text = "The billing service retries failed payments with exponential backoff for three days"
    found = probes_for([ref(text)], count=3)
    assert len(found) == 3
    assert len({probe.question for probe in found}) == 3
    assert all(set(probe.question.split()) <= probe.evidence for probe in found)


def test_a_short_entry_gives_one_question():
    assert len(probes_for([ref("Use tabs")], count=3)) == 1
    assert len(probes_for([ref("Use tabs"), ref("Use tabs")], count=3)) == 1


@pytest.mark.parametrize("rivals", [200, 1])
def test_evidence_that_is_gone_is_noticed_and_evidence_that_moved_is_not_missed(
    monkeypatch, rivals
):
    monkeypatch.setattr(rules, "MAX_RIVALS", rivals)
    kafka = topic("a.md", "Kafka keeps events for 30 days")
    other = topic("b.md", "Tabs in Go files")
    probes = probes_for([ref("Kafka keeps events for 30 days")], count=3)
    before = [kafka, other]
    assert lost_probes(probes, before, [other], settings=SETTINGS) == probes
    changed = topic("a.md", "Kafka keeps events for 14 days")
    assert lost_probes(probes, before, [changed, other], settings=SETTINGS) == probes
    moved = topic("b.md", "Tabs in Go files\n\nKafka keeps events for 30 days")
    assert lost_probes(probes, before, [moved], settings=SETTINGS) == []


def test_what_could_not_be_recalled_before_is_not_asked_of_the_plan():
    probes = probes_for([ref("Kafka keeps events for 30 days")], count=3)
    assert lost_probes(probes, [topic("b.md", "Tabs")], [], settings=SETTINGS) == []


LINES = ["Kafka keeps events for 30 days", "Events are kept by Kafka", "Tabs in Go files", "Go to Rome",
         "Days in Rome: 30", "数据库在罗马"]  # fmt: skip


@given(
    st.lists(st.lists(st.sampled_from(LINES), min_size=1, max_size=3), min_size=1, max_size=6),
    st.sampled_from(LINES),
)
def test_counting_beforehand_ranks_the_same(bodies, question):
    topics = [topic(f"{n}.md", "\n\n".join(body)) for n, body in enumerate(bodies)]
    assert rank(question, topics, counts=rules._counting()) == rank(question, topics)


@given(st.lists(st.sampled_from(LINES), min_size=3, max_size=9), st.sampled_from(LINES))
def test_of_many_rivals_those_with_the_most_words_in_common_are_asked(lines, line):
    topics = [topic(f"{n}.md", text) for n, text in enumerate(lines)]
    probe = probes_for([ref(line)], count=1)[0]
    shared = [len(set(query_terms(probe.question)) & set(terms(item.text))) for item in topics]
    order = sorted(range(len(topics)), key=lambda n: (-shared[n], n))
    whole = {n for n, item in enumerate(topics) if probe.evidence <= set(terms(item.text))}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "MAX_RIVALS", 2)
        found = rules._Asked(topics, SETTINGS, rules._counting())._rivals(probe)
    wanted = sorted({n for n in order[:2] if shared[n]} | whole)
    assert [item.rel for item in found] == [topics[n].rel for n in wanted]
