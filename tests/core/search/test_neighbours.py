"""Who stands beside whom: in a file as far as its section, in a conversation across its turns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reverie.core.search.documents import ASKS, TURN
from reverie.core.search.neighbours import REACH, Located, candidate_of, locate
from reverie.types.ranking import ChunkRow, FileRow


class Table:
    """Rows in memory."""

    def __init__(self, files: Sequence[FileRow], chunks: Sequence[ChunkRow]) -> None:
        self._files = {file.id: file for file in files}
        self._chunks = {chunk.id: chunk for chunk in chunks}

    def chunks(self, ids: Iterable[int]) -> list[ChunkRow]:
        return [self._chunks[number] for number in sorted(set(ids)) if number in self._chunks]

    def files(self, ids: Sequence[int]) -> dict[int, FileRow]:
        return {number: self._files[number] for number in ids}

    def around(self, group: str, order: int, reach: int) -> list[FileRow]:
        own = sorted((f for f in self._files.values() if f.group == group), key=lambda f: f.order)
        at = [file.order for file in own].index(order)
        return own[max(at - reach, 0) : at + reach + 1]


def chunk(id_: int, file: int, place: int, **more: object) -> ChunkRow:
    facts = {"first": 1, "last": 1, "start": 0, "stop": 0, "crc": 0, "cid": b"", "speaker": "",
             "flags": 0, "day": 0}  # fmt: skip
    return ChunkRow(id_, file, place, **{**facts, **more})  # type: ignore[arg-type]


def file(id_: int, first: int, chunks: int, *, group: str = "", order: int = 0) -> FileRow:
    made = dict.fromkeys(FileRow._fields, 0)
    made.update(id=id_, first=first, chunks=chunks, group=group, order=order)
    return FileRow(**made)  # type: ignore[arg-type]


def places(found: Sequence[Located]) -> dict[int, tuple[str, int]]:
    return {item.chunk.id: (item.group, item.order) for item in found}


def test_in_a_file_the_chunks_within_reach_come_along_and_no_others() -> None:
    table = Table(
        [file(1, 10, 20), file(2, 30, 20)], [chunk(n, 1 + n // 30, n % 30) for n in range(10, 50)]
    )
    found = places(locate(table, [20], [20]))
    assert sorted(found) == list(range(20 - REACH, 20 + REACH + 1))
    assert {group for group, _ in found.values()} == {"1"}
    # The last chunk of a file and the first of the next are no neighbours, though their numbers are.
    assert sorted(places(locate(table, [29], [29]))) == [26, 27, 28, 29]
    # What was found and is not asked about brings nobody along.
    assert sorted(places(locate(table, [20], []))) == [20]


def test_the_walk_ends_where_the_section_ends() -> None:
    """Places leave a gap between sections, numbers do not."""
    own = [chunk(n, 1, n if n < 3 else n + 50) for n in range(6)]
    table = Table([file(1, 0, 6)], own)
    assert sorted(places(locate(table, [2], [2]))) == [0, 1, 2]
    assert sorted(places(locate(table, [3], [3]))) == [3, 4, 5]


def conversation(*sizes: int, group: str = "talk") -> Table:
    files, chunks, at = [], [], 0
    for order, size in enumerate(sizes):
        files.append(file(order, at, size, group=group, order=10 * order))
        chunks += [chunk(at + place, order, place) for place in range(size)]
        at += size
    return Table(files, chunks)


def test_in_a_conversation_the_turns_before_and_after_come_along() -> None:
    found = places(locate(conversation(1, 1, 1, 1, 1, 1, 1, 1, 1), [4], [4]))
    assert sorted(found) == [1, 2, 3, 4, 5, 6, 7]
    assert {group for group, _ in found.values()} == {"talk"}
    orders = [found[number][1] for number in sorted(found)]
    assert [order - orders[0] for order in orders] == list(range(7))


def test_a_turn_of_several_chunks_takes_as_many_places() -> None:
    found = places(locate(conversation(1, 3, 1), [4], [4]))
    assert sorted(found) == [1, 2, 3, 4]
    orders = [found[number][1] for number in sorted(found)]
    assert [order - orders[0] for order in orders] == [0, 1, 2, 3]


def test_turns_that_do_not_follow_each_other_are_out_of_reach() -> None:
    table = conversation(*[1] * 30)
    found = places(locate(table, [2, 25], [2, 25]))
    assert found[25][1] - found[2][1] > 2 * REACH
    assert found[3][1] - found[2][1] == 1
    assert found[25][1] - found[24][1] == 1


def test_what_ranking_is_told_of_a_chunk() -> None:
    row = chunk(7, 1, 3, speaker="Ann", flags=TURN | ASKS, day=20260501)
    said = candidate_of(
        Located(row, file(1, 0, 9), "talk", 3), 2, counts={"a": 1}, length=5, cosine=0.5
    )
    assert (said.key, said.group, said.order) == ("2:7", "2/talk", 3)
    assert (said.speaker, said.turn, said.asks, said.owner) == ("ann", True, True, False)
    assert said.date == (2026, 5, 1)


def test_of_an_assistant_and_its_person_turns_are_no_small_talk_and_the_persons_are_theirs() -> (
    None
):
    for speaker, owner in (("user", True), ("Human", True), ("assistant", False), ("tool", False)):
        row = chunk(1, 1, 0, speaker=speaker, flags=TURN)
        said = candidate_of(
            Located(row, file(1, 0, 1), "g", 0), 0, counts={}, length=5, cosine=None
        )
        assert (said.turn, said.owner) == (False, owner), speaker
        assert said.date is None
