"""What a few files add is stored beside the words: it answers as the files do, and outlives nothing."""

from __future__ import annotations

import os
import zlib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core.topics.scoring import Tables
from reverie.local.recall import counting, word_file, word_news
from reverie.local.recall.quick import quick_recall
from reverie.local.recall.word_builder import Builder
from reverie.local.recall.word_index import RecallIndex
from reverie.types import Kind
from tests.examples import examples
from tests.linear import LINEAR, growth
from tests.local.recall.test_word_index import OLD, age, flipped, found, opened, scanned, write

TEA = ("tea", "", "green\n\n- with quokka", Kind.USER)


def with_news(folder: Path) -> Path:
    """Store the words of one topic, and beside them what a second and a longer first add."""
    write(folder / "user", "a", TEA)
    index = opened(folder)
    index.refresh()
    index.save()
    write(
        folder / "user",
        "a",
        ("tea", "", "green\n\n- with quokka\n- and lemon", Kind.USER),
        at=OLD + 9,
    )
    write(folder / "user", "b", ("deploy", "", "Tuesday", Kind.PROJECT), at=OLD + 9)
    stored(folder)
    return folder / f"words{word_news.ENDING}"


def stored(folder: Path) -> RecallIndex:
    index = opened(folder)
    index.refresh()
    index.save(thorough=False)
    return index


def nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def counted(*given: object, **named: object) -> None:
        raise AssertionError(f"{given} was read")

    monkeypatch.setattr(counting, "counted", counted)


def test_what_a_few_files_add_is_stored_beside_the_words_and_not_read_again(tmp_path, monkeypatch):
    assert with_news(tmp_path).exists()
    before = (tmp_path / "words").stat()
    write(tmp_path / "project", "c", ("tabs", "", "lemon", Kind.PROJECT))
    stored(tmp_path)
    assert (tmp_path / "words").stat().st_ino == before.st_ino
    expected = [scanned(tmp_path, query) for query in ("tea lemon", "deploy", "Tuesday")]
    nothing_is_read(monkeypatch)
    index = opened(tmp_path)
    assert [found(index, query) for query in ("tea lemon", "deploy", "Tuesday")] == expected
    assert index.changed
    assert not index.is_worth_storing(thorough=False)


def test_a_statement_that_is_put_above_another_is_stored_beside_the_words(open_memory):
    with open_memory() as memory:
        memory.remember("The harbour report goes to Mara on every second Friday")
        age(memory)
        memory.recall("report")
        folder = Path(memory.workspace.state, "recall")
    [words] = folder.glob("*.words")
    before = words.stat().st_ino
    with open_memory() as memory:
        memory.recall("report")
        told = memory.remember("The harbour report goes to Tobias on every second Friday")
        [topic] = memory.store.topics()
        assert told.path == topic.path
    assert words.stat().st_ino == before
    assert [path for path in folder.glob("*.since") if b"Tobias" in path.read_bytes()]


def test_a_line_that_is_gone_from_a_file_is_in_nothing_that_is_stored(tmp_path):
    news = with_news(tmp_path)
    write(tmp_path / "user", "a", ("tea", "", "green", Kind.USER), at=OLD + 20)
    stored(tmp_path)
    assert not news.exists()
    assert b"quokka" not in (tmp_path / "words").read_bytes()


def test_a_file_that_is_gone_is_in_nothing_that_is_stored(tmp_path):
    news = with_news(tmp_path)
    (tmp_path / "user" / "b.md").unlink()
    stored(tmp_path)
    assert b"Tuesday" not in news.read_bytes()
    (tmp_path / "user" / "a.md").unlink()
    stored(tmp_path)
    assert not news.exists()
    assert b"quokka" not in (tmp_path / "words").read_bytes()


def test_what_was_forgotten_is_not_beside_the_words_either(open_memory):
    with open_memory() as memory:
        memory.remember("I prefer green tea")
        age(memory)
        memory.recall("tea")
        folder = Path(memory.workspace.state, "recall")
    with open_memory() as memory:
        memory.remember("The codename of the merger is Bluefin Harbour")
        memory.recall("codename")
    assert [path for path in folder.glob("*.since") if b"Bluefin" in path.read_bytes()]
    with open_memory() as memory:
        assert memory.forget("codename of the merger", erase=True).removed_entries
    assert not any(b"luefin" in path.read_bytes() for path in folder.iterdir())


def test_an_edit_that_keeps_time_and_size_is_seen_while_what_was_stored_is_young(tmp_path):
    write(tmp_path / "user", "a", TEA)
    stored(tmp_path)
    now = int(datetime.now(UTC).timestamp())
    write(tmp_path / "user", "b", ("tea", "", "Tuesday", Kind.USER), at=now)
    stored(tmp_path)
    news = tmp_path / f"words{word_news.ENDING}"
    path = tmp_path / "user" / "b.md"
    before = path.stat()
    path.write_text(path.read_text().replace("Tuesday", "parsley"))
    os.utime(path, (now, now))
    # As if the clock of the file system had not moved: what is stored has the times of the new text.
    said, changed = news.read_bytes()[len(b"reverie-since 1\n") + 4 :], str(path.stat().st_ctime_ns)
    said = said.replace(str(before.st_ctime_ns).encode(), changed.encode())
    news.write_bytes(b"reverie-since 1\n" + zlib.crc32(said).to_bytes(4, "little") + said)
    assert found(opened(tmp_path), "tea Tuesday") == scanned(tmp_path, "tea Tuesday")
    again = stored(tmp_path)  # it was read while it was young: the next one compares it, too
    assert "0/b.md" in opened_news(tmp_path, again).young


def opened_news(folder: Path, index: RecallIndex) -> word_news.News:
    news = word_news.News(str(folder / "words"), index.key)
    news.load()
    return news


def test_what_is_to_be_stored_beside_the_words_is_small(tmp_path, monkeypatch):
    write(tmp_path / "user", "a", TEA)
    stored(tmp_path)
    monkeypatch.setattr(word_news, "MOST_BYTES", 300)
    write(tmp_path / "user", "b", ("deploy", "", "Tuesday " * 99, Kind.PROJECT))
    stored(tmp_path)
    assert not (tmp_path / f"words{word_news.ENDING}").exists()
    again = opened(tmp_path)
    again.refresh()
    assert not again.changed


def test_a_hook_stores_nothing_again_where_all_is_stored_beside_the_words(open_memory, project):
    with open_memory() as memory:
        memory.remember("We deploy only on Tuesdays. Why: the rota changes", kind="project")
        age(memory)
        memory.recall("deploy")
        state = memory.workspace.state
    with open_memory() as memory:
        memory.remember("I prefer green tea", kind="user")
    quick = quick_recall("green tea", state=state, project=str(project), started=0.0)
    assert quick is not None
    assert "green tea" in quick.block
    assert quick.index is None


def test_whichever_byte_of_it_is_damaged_the_answers_are_those_of_the_topics(tmp_path_factory):
    folder = tmp_path_factory.mktemp("memory")
    news = with_news(folder)
    whole = news.read_bytes()
    queries = ("green tea lemon", "deploy", "Tuesday")
    expected = [scanned(folder, query) for query in queries]

    @given(st.integers(0, len(whole) - 1))
    @settings(max_examples=examples(100), deadline=None)
    def check(at: int) -> None:
        news.write_bytes(flipped(whole, at))
        index = opened(folder)
        assert [found(index, query) for query in queries] == expected

    check()


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
))  # fmt: skip
def test_bytes_that_mean_harm_are_news_or_none(tmp_path_factory, items):
    from reverie.client import plainjson

    folder = tmp_path_factory.mktemp("news")
    said = plainjson.dumps({"key": "k", "items": items}).encode()
    path = folder / f"words{word_news.ENDING}"
    path.write_bytes(b"reverie-since 1\n" + zlib.crc32(said).to_bytes(4, "little") + said)
    news = word_news.News(str(folder / "words"), "k")
    news.load()
    assert not any(item.doc for item in news.items.values())


@pytest.mark.slow
def test_all_topics_of_a_memory_are_put_in_their_own_place_in_time_that_grows_with_them():
    def stored_topics(size: int) -> word_file.WordFile:
        maker = Builder(key="k", profile={})
        for number in range(size):
            counts = {
                f"w{number * 7 % 997}": [0, 0, 1],
                f"own{number}": [0, 0, 1],
                "tea": [0, 1, 1],
            }
            maker.add(f"0/{number}.md", (1, 1, number, 1), b"\0\0\0\0", age=0.0, lengths=[1, 1, 1],
                      listed="user\tx", counts=counts)  # fmt: skip
        return word_file.WordFile(maker.build(Tables(frozenset(), {}, {"use": 0}, (0.01,))))

    def ask(words: word_file.WordFile) -> None:
        assert len(words.terms_of(range(words.size))) > words.size

    grown = growth(ask, stored_topics, sizes=(500, 4_000))  # type: ignore[arg-type]
    assert max(grown) < LINEAR


def test_the_terms_of_many_documents_are_those_of_each(tmp_path):
    for number in range(30):
        write(
            tmp_path / "user",
            f"t{number}",
            (f"tea w{number % 7}", f"x{number}", "green", Kind.USER),
        )
    stored(tmp_path)
    words = word_file.load(str(tmp_path / "words"))
    assert words is not None
    for some in (range(30), range(3, 21)):
        each = {term for number in some for term in words.terms_of([number])}
        assert words.terms_of(some) == [term for term, _ in words.all_postings() if term in each]
