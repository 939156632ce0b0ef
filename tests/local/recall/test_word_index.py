"""The stored words give what reading every topic gives, and notice every change of a file."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import zlib
from datetime import UTC, datetime
from pathlib import Path

import numpy  # noqa: F401  # where it is loaded, columns are used
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core.text.plain import digest
from reverie.core.topics.catalog import catalog_files, sub_line
from reverie.core.topics.relevance import rank
from reverie.core.topics.scoring import Tables
from reverie.core.topics.topic import is_topic_path
from reverie.local.recall import current, word_file
from reverie.local.recall.quick import quick_recall
from reverie.local.recall.word_builder import Builder
from reverie.local.recall.word_bytes import Torn
from reverie.local.recall.word_index import MANY, RecallIndex
from reverie.local.store.listing import CATALOG
from reverie.local.store.look import Look
from reverie.memory import Memory
from reverie.types import Kind, Scope
from tests.conftest import NO_MODEL
from tests.examples import examples

WORDS = ["deploy", "tea", "green", "Tuesday", "tabs", "部署", "周二", "поезд", "café", "parser_config",
         "the", "make", "ขอบคุณ", "allergy", "v2.4.1"]  # fmt: skip
OLD = 1_700_000_000
text = st.lists(st.sampled_from(WORDS), min_size=0, max_size=6).map(" ".join)
topic = st.tuples(text, text, text, st.sampled_from(list(Kind)))


def write(root: Path, name: str, item: tuple[str, str, str, Kind], *, at: int = OLD) -> None:
    root.mkdir(parents=True, exist_ok=True)
    title, description, body, kind = item
    path = root / f"{name}.md"
    path.write_text(
        f"---\nname: x {title}\ndescription: {description}\ntype: {kind.value}\n---\n\n{body}\n",
        encoding="utf-8",
    )
    os.utime(path, (at, at))


def opened(folder: Path, **options: object) -> RecallIndex:
    roots = [str(folder / "user"), str(folder / "project")]
    return RecallIndex(
        str(folder / "words"), roots, key="k", age=lambda *_: None, limit=10**6, **options
    )


def scanned(folder: Path, query: str) -> list[tuple[str, float, frozenset[str]]]:
    """Rank the topics themselves, read anew."""
    from reverie.local.store.listing import markdown_files
    from reverie.local.store.managed import read_topic
    from reverie.types import Scope, Topic

    topics = []
    for scope, root in zip(Scope, ("user", "project"), strict=True):
        for rel, item, facts in markdown_files(folder / root):
            if is_topic_path(rel):
                seen = (
                    facts.st_mtime_ns,
                    facts.st_size,
                    facts.st_ino,
                    facts.st_ctime_ns,
                    item.is_symlink(),
                )
                read = read_topic(folder / root, scope, rel, seen, lambda *_: None, limit=10**6)
                if isinstance(read, Topic):
                    topics.append(read)
    return [(found.topic.path, found.score, found.matched) for found in rank(query, topics)]


def found(index: RecallIndex, query: str) -> list[tuple[str, float, frozenset[str]]]:
    return [(item.path, item.score, item.matched) for item in index.find(query)[0]]


@settings(max_examples=examples(60), deadline=None)
@given(
    first=st.lists(topic, max_size=8),
    second=st.lists(topic, max_size=4),
    gone=st.sets(st.integers(0, 7)),
    query=text,
)
@pytest.mark.slow
@pytest.mark.parametrize("thorough", [True, False], ids=["all anew", "beside"])
@pytest.mark.parametrize("many_rows", [0, current.MANY_ROWS], ids=["columns", "numbers"])
def test_stored_words_answer_like_the_topics_before_and_after_changes(
    tmp_path_factory, many_rows, thorough, first, second, gone, query
):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(current, "MANY_ROWS", many_rows)
        folder = tmp_path_factory.mktemp("memory")
        answers_before_and_after(folder, first, second, gone, query, thorough=thorough)


def answers_before_and_after(folder, first, second, gone, query, *, thorough):
    for number, item in enumerate(first):
        write(folder / ("user" if number % 2 else "project"), f"t{number}", item)
    index = opened(folder)
    assert found(index, query) == scanned(folder, query)
    index.save()
    assert found(opened(folder), query) == scanned(folder, query)
    for number, item in enumerate(second):  # some are changed, some are new
        write(folder / "project", f"t{number * 2}", item, at=OLD + 5)
    for number in gone:
        (folder / "user" / f"t{number}.md").unlink(missing_ok=True)
    later = opened(folder)
    assert found(later, query) == scanned(folder, query)
    later.save(thorough=thorough)
    assert found(opened(folder), query) == scanned(folder, query)
    assert found(index, query) == scanned(folder, query)  # a process that lived through it all


@pytest.mark.parametrize(
    "question",
    ["green tea", "deploy on Tuesday", "the parser_config of v2.4.1", "部署", "nothing here"],
)
def test_many_topics_are_ranked_by_columns_as_each_by_itself(tmp_path, monkeypatch, question):
    kinds = list(Kind)
    for number in range(2 * MANY):
        words = [WORDS[number * step % len(WORDS)] for step in (1, 3, 5, 7)]
        item = (words[0], words[1], " ".join(words[2:] * (number % 3)), kinds[number % 4])
        write(tmp_path / ("user" if number % 2 else "project"), f"t{number}", item)
    index = opened(tmp_path)
    index.refresh()
    index.save()
    later = opened(tmp_path)
    (tmp_path / "user" / "t1.md").unlink()
    write(tmp_path / "user", "t3", ("green", "", "tea deploy Tuesday", Kind.USER), at=OLD + 5)
    write(tmp_path / "project", "new", ("tea", "", "部署 parser_config", Kind.USER))
    plain = found(later, question)
    monkeypatch.setattr(current, "MANY_ROWS", 0)
    assert found(later, question) == plain == scanned(tmp_path, question)
    assert bool(plain) == (question != "nothing here")


def test_a_great_change_is_merged_in_memory_and_still_answers_the_same(tmp_path):
    for number in range(MANY + 20):
        write(tmp_path / "user", f"t{number}", (f"tea {number}", "", "green tea", Kind.USER))
    index = opened(tmp_path)
    assert found(index, "green tea") == scanned(tmp_path, "green tea")
    for number in range(MANY + 10):
        (tmp_path / "user" / f"t{number}.md").unlink()
    write(tmp_path / "user", "new", ("tea", "", "tabs", Kind.USER))
    assert found(index, "tabs tea") == scanned(tmp_path, "tabs tea")


def test_an_edit_that_keeps_time_and_size_is_seen_while_the_file_is_young(tmp_path):
    now = int(datetime.now(UTC).timestamp())
    write(tmp_path / "user", "a", ("tea", "", "green", Kind.USER), at=now)
    index = opened(tmp_path)
    assert found(index, "green")
    index.save()
    path = tmp_path / "user" / "a.md"
    path.write_text(path.read_text().replace("green", "black"))
    os.utime(path, (now, now))
    assert not found(opened(tmp_path), "green")


def test_a_file_dated_in_the_future_is_stored_and_its_edit_is_seen(tmp_path):
    write(tmp_path / "user", "a", ("tea", "", "green", Kind.USER), at=OLD * 2)
    index = opened(tmp_path)
    index.refresh()
    index.save()
    again = opened(tmp_path)
    again.refresh()
    assert not again.changed
    path = tmp_path / "user" / "a.md"
    path.write_text(path.read_text().replace("green", "black"))
    assert not found(opened(tmp_path), "green")


@pytest.mark.parametrize("damage", ["torn", "foreign", "empty", "flipped", "of another key"])
def test_a_file_that_cannot_be_used_counts_as_none(tmp_path, damage):
    write(tmp_path / "user", "a", ("tea", "", "green", Kind.USER))
    index = opened(tmp_path)
    index.refresh()
    index.save()
    words = tmp_path / "words"
    data = words.read_bytes()
    if damage == "of another key":
        other = RecallIndex(str(words), index.roots, key="other", age=lambda *_: None, limit=9**9)
        assert found(other, "green tea") == scanned(tmp_path, "green tea")
        return
    words.write_bytes({"torn": data[: len(data) // 2], "foreign": b"#!/bin/sh\n", "empty": b"",
                       "flipped": flipped(data, len(word_file.MAGIC) + 99)}[damage])  # fmt: skip
    assert word_file.load(str(words)) is None
    assert found(opened(tmp_path), "green tea") == scanned(tmp_path, "green tea")


def flipped(data: bytes, at: int) -> bytes:
    """Return the bytes with one bit that is another."""
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def test_whichever_byte_is_damaged_the_answers_are_those_of_the_topics(tmp_path_factory):
    folder = tmp_path_factory.mktemp("memory")
    whole = stored_words(folder)
    queries = ("green tea", "deploy 部署", "Tuesday")
    expected = [scanned(folder, query) for query in queries]

    @given(st.integers(0, len(whole) - 1))
    @settings(max_examples=examples(200), deadline=None)
    def check(at: int) -> None:
        (folder / "words").write_bytes(flipped(whole, at))
        index = opened(folder)
        assert [found(index, query) for query in queries] == expected
        assert len(index.docs()) == 2
        index.save()
        again = opened(folder)
        assert len(again.docs()) == 2
        assert not again.changed

    check()


def test_a_damaged_topic_is_read_from_its_file_by_whoever_asks_for_it_alone(tmp_path):
    whole = stored_words(tmp_path)
    at = whole.rindex(b"green")
    (tmp_path / "words").write_bytes(flipped(whole, at))
    index = opened(tmp_path)
    look = Look(str(tmp_path / "user"))
    [(rel, seen)] = [item for item in look.changes(-1)[1] if item[0] == "a.md"]
    known = index.known(0)(rel, seen)
    assert known is not None
    assert known[2]().text == (tmp_path / "user" / "a.md").read_text()
    assert index.is_worth_storing(thorough=False)
    index.refresh()
    index.save()
    assert (tmp_path / "words").read_bytes() != flipped(whole, at)


def test_a_young_file_is_stored_too_and_its_text_tells_whether_it_changed(tmp_path):
    now = int(datetime.now(UTC).timestamp())
    write(tmp_path / "user", "a", ("tea", "", "green", Kind.USER), at=now)
    write(tmp_path / "user", "b", ("tea", "", "tabs", Kind.USER))
    index = opened(tmp_path)
    index.refresh()
    index.save()
    again = opened(tmp_path)
    again.refresh()
    assert not again.changed  # nothing had to be read as a topic
    assert word_file.load(str(tmp_path / "words")).young
    os.utime(
        tmp_path / "user" / "a.md", (OLD, OLD)
    )  # another time: read, and old when it is stored
    later = opened(tmp_path)
    later.refresh()
    assert later.changed
    later.save()
    assert not word_file.load(str(tmp_path / "words")).young


def test_of_many_young_files_none_is_stored(tmp_path):
    now = int(datetime.now(UTC).timestamp())
    for number in range(word_file.FEW + 1):
        write(tmp_path / "user", f"t{number}", ("tea", "", "green", Kind.USER), at=now + 60)
    write(tmp_path / "user", "old", ("tea", "", "green", Kind.USER))
    for number in range(word_file.FEW + 1):
        os.utime(tmp_path / "user" / f"t{number}.md", (now, now))
    index = opened(tmp_path)
    index.refresh()
    index.save()
    assert list(word_file.load(str(tmp_path / "words")).marks) == ["0/old.md"]


def stored_words(folder: Path) -> bytes:
    write(folder / "user", "a", ("tea", "x", "green", Kind.USER))
    write(folder / "user", "b", ("deploy", "", "部署 Tuesday", Kind.PROJECT))
    index = opened(folder)
    index.refresh()
    index.save()
    return (folder / "words").read_bytes()


def sealed(data: bytes) -> bytes:
    """Put the right checksum on whatever tables these are, as somebody who means harm would."""
    start = len(word_file.MAGIC)
    lengths = data[start + 4 : start + word_file.HEAD_BYTES]
    size = sum(int.from_bytes(lengths[at : at + 8], "little") for at in (0, 8))
    tables = data[start + 4 : start + word_file.HEAD_BYTES + size]
    return data[:start] + zlib.crc32(tables).to_bytes(4, "little") + data[start + 4 :]


def test_bytes_that_mean_harm_are_a_file_or_none_and_never_more(tmp_path_factory):
    folder = tmp_path_factory.mktemp("words")
    whole = stored_words(folder)
    start = len(word_file.MAGIC) + 4
    assert sealed(whole) == whole

    @given(st.integers(start, len(whole) - 1), st.binary(min_size=1, max_size=9), st.booleans())
    @settings(max_examples=examples(400))
    def check(at: int, bad: bytes, cut: bool) -> None:
        data = sealed(whole[:at] + bad + (b"" if cut else whole[at + len(bad) :]))
        try:
            words = word_file.WordFile(data)
        except ValueError:
            return
        for term in ("tea", "green", "nosuch", ""):
            with contextlib.suppress(ValueError):
                words.numbers(words.rows(term))
        with contextlib.suppress(ValueError):
            list(words.all_postings())
        for number in range(words.size):
            with contextlib.suppress(ValueError):
                words.doc(number)

    check()


@given(st.binary(max_size=200))
def test_any_bytes_behind_our_name_and_checksum_are_refused(data):
    with pytest.raises(ValueError, match="word file"):
        word_file.WordFile(sealed(word_file.MAGIC + b"0000" + data))


@given(st.binary(max_size=60), st.lists(st.integers(0, 2**32 - 1), min_size=4, max_size=4))
def test_documents_and_postings_that_mean_harm_are_torn(doc, postings):
    maker = Builder(key="k", profile={})
    maker.add("0/a.md", (0, 0, 0, 0), doc, age=0.0, lengths=[0, 0, 0])
    maker.add_postings(b"t", postings)
    words = word_file.WordFile(maker.build(Tables(frozenset(), {}, {"use": 0}, (0.01,))))
    with contextlib.suppress(Torn):
        words.doc(0)
    with contextlib.suppress(Torn):
        assert words.numbers(words.rows("t"))[0] == 0


def said_by(words: word_file.WordFile) -> dict[str, object]:
    """Return all that a file says, by the names of the topics."""
    names = {mark[4]: name for name, mark in words.marks.items() if mark[4] >= 0}
    listed = words.catalog_lines()
    postings = {}
    for term, found in words.all_postings():
        flat = found.cast("I").tolist()
        assert flat == words.numbers(words.rows(term.decode()))
        postings[term] = {names[flat[at]]: flat[at + 1 : at + 4] for at in range(0, len(flat), 4)}
    topics = {
        name: (words.raw(at), words.lengths(at), words.age(at), listed[at])
        for at, name in names.items()
    }
    marks = {name: mark[:4] for name, mark in words.marks.items()}
    return {"topics": topics, "postings": postings, "marks": marks, "totals": words.totals}


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(topic, min_size=1, max_size=8), st.lists(topic, max_size=4))
def test_what_is_put_in_its_place_says_what_is_stored_when_all_is_read(
    tmp_path_factory, first, second
):
    folder = tmp_path_factory.mktemp("memory")
    for number, item in enumerate(first):
        write(folder / "user", f"t{number}", item)
    index = opened(folder)
    index.refresh()
    index.save()
    for number, item in enumerate(second):  # some are changed, some are new
        write(folder / "user", f"t{number * 2}", item, at=OLD + 5)
    patched = opened(folder)
    patched.refresh()
    patched.save()
    found = said_by(word_file.load(patched.path))
    Path(patched.path).unlink()
    whole = opened(folder)
    whole.refresh()
    whole.save()
    assert found == said_by(word_file.load(whole.path))


def test_names_of_any_bytes_and_any_mark_come_back_as_they_were():
    maker = Builder(key="k", profile={"roots": ["/a\udcff"]})
    mark = (-5, 2**40, 2**64 - 1, -7)
    maker.skip("0/odd\n\udcff.md", mark)
    doc = word_file.Doc(0, "a\udcff.md", "user", "n", "d", "", 0, "\ud800 text", "mem0")
    maker.add(
        "0/a\udcff.md", mark, doc.packed(), age=1.5, lengths=[1, 1, 1], counts={"t": [1, 0, 0]}
    )
    words = word_file.WordFile(
        maker.build(Tables(frozenset({"the"}), {"a": ("b",)}, {"use": 0}, (0.01,)))
    )
    assert words.marks == {"0/odd\n\udcff.md": (*mark, -1), "0/a\udcff.md": (*mark, 0)}
    assert (words.doc(0).rel, words.doc(0).text) == ("a\udcff.md", "\ud800 text")
    assert (words.numbers(words.rows("t")), words.numbers(words.rows("no"))) == ([0, 1, 0, 0], [])
    assert words.profile == {"roots": ["/a\udcff"]}


@given(st.sampled_from(["MEMORY.md", "memory.md", "Memory.md", "a.md", "b.MD", "memories.md"]))
def test_the_light_listing_leaves_out_what_is_no_topic_by_its_name(name):
    if name.endswith(".md"):
        assert (name.lower() != CATALOG) == is_topic_path(name)


def test_files_that_are_no_topics_are_read_once(tmp_path):
    root = tmp_path / "user"
    root.mkdir()
    (root / "note.md").write_text("no frontmatter")
    os.utime(root / "note.md", (OLD, OLD))
    index = opened(tmp_path)
    index.refresh()
    assert index.save()
    again = opened(tmp_path)
    again.refresh()
    assert not again.changed


def test_what_a_catalog_lists_of_a_topic_is_stored_under_this_number():
    """With another line goes another `LISTED`, for there are homes where the old ones are stored."""
    lines = [
        sub_line("user/a b.md", Kind.USER, "Te [x]`a`", "what <b> it\nsays " + "long " * 200),
        sub_line("other/c.md", Kind.PROJECT, "", ""),
    ]
    assert (word_file.LISTED, digest("\n".join(lines))[:12]) == ("1", "3919f47e9f43")


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b c", "pinned/d", "user/e", "e(f)"]), st.text(max_size=9),
            st.text(max_size=9), st.sampled_from(list(Kind)),
        ),
        min_size=1, max_size=8,
    )
)  # fmt: skip
def test_catalogs_made_from_what_is_stored_are_those_made_from_the_topics(tmp_path_factory, topics):
    folder = tmp_path_factory.mktemp("memory")
    settings_ = {"catalog.max_lines": 5}
    with Memory.open(folder, home=folder / "home", env=NO_MODEL, settings=settings_) as memory:
        root = Path(memory.workspace.memory_root(Scope.USER))
        for at, (name, title, about, kind) in enumerate(topics):
            path = root / f"{name}{at}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            head = json.dumps(title), json.dumps(about), kind.value
            path.write_text("---\nname: {}\ndescription: {}\ntype: {}\n---\n\nx\n".format(*head))
            os.utime(path, (OLD + at, OLD + at))
        memory.recall("x")
    with Memory.open(folder, home=folder / "home", env=NO_MODEL, settings=settings_) as memory:
        kept = memory.store.folders[Scope.USER]
        found = kept.catalogs(lambda _: None)
        assert found == catalog_files(
            kept.topics(), settings=memory.settings.catalog, read=lambda _: None
        )


# --- with a whole memory --------------------------------------------------------------------------


def age(memory, seconds=60):
    """Date the topics back, as if some time had passed since they were written."""
    past = datetime.now(UTC).timestamp() - seconds
    for item in memory.store.topics():
        os.utime(item.path, (past, past))


def test_a_quick_recall_gives_the_block_that_the_opened_memory_gives(open_memory, project):
    with open_memory() as memory:
        memory.remember("We deploy only on Tuesdays. Why: the rota changes", kind="project")
        memory.remember("I prefer green tea", kind="user")
        age(memory)
        state = memory.workspace.state
        assert quick_recall("deploy", state=state, project=str(project), started=0.0) is None
        memory.recall("deploy")
    quick = quick_recall("when do we deploy?", state=state, project=str(project), started=0.0)
    assert quick is not None
    assert "only on Tuesdays" in quick.block
    with open_memory() as memory:
        memory.clock = lambda: datetime.now(UTC)
        assert memory.recall("when do we deploy?").block == quick.block


@pytest.mark.parametrize("stored", [True, False])
def test_a_quick_recall_says_what_was_imported(open_memory, project, tmp_path, stored):
    source = tmp_path / "mem0.json"
    source.write_text('[{"id": "1", "memory": "I prefer green tea"}]', encoding="utf-8")
    with open_memory() as memory:
        memory.remember("I prefer short answers")
        age(memory)
        state = memory.workspace.state
        if stored:
            memory.import_(source)
            age(memory)
        memory.recall("tea")
    if not stored:  # the file is read by the hook itself
        with open_memory() as memory:
            memory.import_(source)
    quick = quick_recall("green tea", state=state, project=str(project), started=0.0)
    assert quick is not None
    assert "Imported from mem0 on " in quick.block
    with open_memory() as memory:
        memory.clock = lambda: datetime.now(UTC)
        assert memory.recall("green tea").block == quick.block
    short = quick_recall("short answers", state=state, project=str(project), started=0.0)
    assert short is not None
    assert "Imported" not in short.block


@pytest.mark.parametrize("change", ["user settings", "project settings", "trust"])
def test_a_quick_recall_is_not_made_on_settings_that_changed(open_memory, project, change):
    with open_memory() as memory:
        memory.remember("I prefer green tea")
        age(memory)
        memory.recall("tea")
        state = memory.workspace.state
    assert quick_recall("tea", state=state, project=str(project), started=0.0) is not None
    if change == "trust":
        open_memory().trust()
    elif change == "user settings":
        Path(state).parent.joinpath("config.toml").write_text("[recall]\nlimit = 1\n")
    else:
        (project / ".reverie").mkdir()
        (project / ".reverie" / "config.toml").write_text("[recall]\nlimit = 1\n")
    assert quick_recall("tea", state=state, project=str(project), started=0.0) is None
    with open_memory() as memory:
        memory.recall("tea")
    assert quick_recall("tea", state=state, project=str(project), started=0.0) is not None


def test_a_secret_written_by_hand_is_not_shown_and_a_clean_passage_is_looked_at_once(
    open_memory, project
):
    with open_memory() as memory:
        memory.remember("The staging deploy key lives in the vault")
        age(memory)
        [item] = memory.store.topics()
        leaked = "\n\nstaging token ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8" + "\n"
        Path(item.path).write_text(item.text + leaked)
        age(memory)
        memory.recall("staging deploy")
        state = memory.workspace.state
    quick = quick_recall("staging deploy", state=state, project=str(project), started=0.0)
    assert quick is not None
    assert "vault" in quick.block
    assert "ghp_" not in quick.block
    assert not (Path(state) / "recall" / "clean").exists()


def test_a_secret_in_a_name_or_a_description_is_not_shown_either(open_memory, project):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with open_memory() as memory:
        folder = Path(memory.workspace.project_memory, "project")
        folder.mkdir(parents=True)
        for rel, name, about in (("a.md", token, "staging"), ("b.md", "Key", f"staging {token}")):
            (folder / rel).write_text(
                f"---\nname: {name}\ndescription: {about}\ntype: project\n---\n\nThe staging deploy\n"
            )
        age(memory)
        found = memory.recall("staging deploy")
        state = memory.workspace.state
    assert len(found.topics) == 2
    assert "ghp_" not in found.block
    assert token not in str(found.topics)
    quick = quick_recall("staging deploy", state=state, project=str(project), started=0.0)
    assert quick is not None
    assert quick.block == found.block


def test_forgetting_leaves_nothing_in_the_stored_words(open_memory):
    with open_memory() as memory:
        memory.remember("The codename of the merger is Bluefin Harbour")
        memory.remember("I prefer green tea")
        age(memory)
        memory.recall("codename")
        folder = Path(memory.workspace.state, "recall")
    assert any(b"Bluefin" in path.read_bytes() for path in folder.iterdir())
    with open_memory() as other, open_memory() as memory:
        other.recall("codename")  # it still has the words in its hands when they are forgotten
        outcome = memory.forget("codename of the merger", erase=True)
        assert outcome.removed_entries
        assert memory.verify_forgotten(outcome.receipt).problems == ()
    assert not any(b"luefin" in path.read_bytes() for path in folder.iterdir())
    with open_memory() as memory:
        assert memory.verify_forgotten(outcome.receipt).problems == ()
        assert not memory.recall("codename").block
        assert memory.recall("green tea").block


def test_what_is_forgotten_before_it_was_stored_leaves_the_other_words_stored(open_memory):
    with open_memory() as memory:
        memory.remember("I prefer green tea")
        age(memory)
        memory.recall("tea")
    with open_memory() as memory:
        memory.recall("tea")
        memory.remember("The codename of the merger is Bluefin Harbour")
        memory.recall("codename")
        memory.forget("codename of the merger")
        folder = Path(memory.workspace.state, "recall")
        assert not list(folder.glob("*.words"))
    [words] = folder.glob("*.words")
    assert b"green tea" in words.read_bytes()
    assert b"luefin" not in words.read_bytes()


def test_only_our_own_files_are_thrown_away(tmp_path):
    own = tmp_path / "photos"
    own.mkdir()
    kept = [own / name for name in ("holiday.md", "words.txt", "cleaning.md")]
    ours = [
        own / name
        for name in ("0123.words", "0123.words.7.tmp", "0.words.since", "clean", "clean.1")
    ]
    for path in (*kept, *ours):
        path.write_text("x")
    (own / "a folder.words").mkdir()
    (tmp_path / word_file.FOLDER).symlink_to(own)
    word_file.purge(str(tmp_path))
    assert sorted(own.iterdir()) == sorted([*kept, own / "a folder.words"])


def test_a_quick_recall_is_made_where_an_agent_is_the_model(open_memory, project, private_home):
    config = private_home / ".reverie" / "config.toml"
    config.parent.mkdir()
    config.write_text('[model]\nname = "agent:claude-code"\n', encoding="utf-8")
    with open_memory() as memory:
        memory.remember("I prefer green tea")
        age(memory)
        memory.recall("tea")
        state = memory.workspace.state
    assert quick_recall("tea", state=state, project=str(project), started=0.0) is not None


def test_stored_words_are_loaded_once_for_all_who_use_them(tmp_path):
    stored_words(tmp_path)
    path = str(tmp_path / "words")
    one = word_file.load(path)
    assert one is not None
    assert word_file.load(path) is one
    write(tmp_path / "user", "c", ("tabs", "make", "parser_config", Kind.USER))
    stored_words(tmp_path)
    other = word_file.load(path)
    assert other is not None
    assert other is not one
    assert (one.size, other.size) == (2, 3)
    del one, other
    gc.collect()
    assert not [mark for mark in word_file._loaded if mark[0] == path]
