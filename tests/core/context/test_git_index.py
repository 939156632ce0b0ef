"""What a git index lists, and that no bytes make it list more, fail or take long."""

from __future__ import annotations

import hashlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.context.git_index import is_git_internal, is_hidden, is_text_name, tracked_texts

HASHES = {20: hashlib.sha1, 32: hashlib.sha256}
FILE, LINK, MODULE, FOLDER = 0o100644, 0o120000, 0o160000, 0o040000


def entry(name, *, mode=FILE, flags=0, extended=0, version=2, hash_size=20, before=b""):
    """Write one file of an index."""
    facts = struct.pack(">10I", 1, 2, 3, 4, 5, 6, mode, 8, 9, 10)
    flags |= min(len(name), 0xFFF) | (0x4000 if extended else 0)
    data = facts + b"\xaa" * hash_size + struct.pack(">H", flags)
    data += struct.pack(">H", extended) if extended else b""
    if version == 4:
        same = 0
        while same < min(len(before), len(name)) and before[same] == name[same]:
            same += 1
        return data + varint(len(before) - same) + name[same:] + b"\0"
    data += name
    return data + b"\0" * (8 - len(data) % 8)


def varint(value):
    data = bytes([value & 0x7F])
    while value := value >> 7:
        value -= 1
        data = bytes([0x80 | (value & 0x7F)]) + data
    return data


def index(names=(), *, version=2, hash_size=20, extra=b"", count=None, signed=True, **options):
    """Write an index as git does."""
    parts, before = [], b""
    for name in names:
        parts.append(entry(name, version=version, hash_size=hash_size, before=before, **options))
        before = name
    count = len(parts) if count is None else count
    data = b"DIRC" + struct.pack(">II", version, count) + b"".join(parts) + extra
    return data + (HASHES[hash_size](data).digest() if signed else bytes(hash_size))


names = st.lists(
    st.builds(
        "{}{}".format,
        st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=80),
        st.sampled_from(["", ".md", ".txt", ".markdown", ".MD", ".py"]),
    ).map(str.encode),
    unique=True,
    max_size=20,
)  # fmt: skip


@given(names, st.sampled_from([2, 3, 4]), st.sampled_from([20, 32]), st.booleans())
def test_every_text_file_is_listed_in_every_version(names, version, hash_size, signed):
    data = index(sorted(names), version=version, hash_size=hash_size, signed=signed)
    wanted = {name for name in names if name.lower().endswith((b".md", b".txt", b".markdown"))}
    assert tracked_texts(data) == wanted


@pytest.mark.parametrize("version", [2, 4])
def test_long_names_are_read_to_their_end(version):
    name = b"a/" * 2040 + b"x.md"
    assert tracked_texts(index([name], version=version)) == {name}


@pytest.mark.parametrize(
    "options",
    [
        {"mode": LINK},
        {"mode": MODULE},
        {"flags": 0x8000},
        {"extended": 0x4000},
        {"extended": 0x2000},
    ],
)
def test_links_modules_and_files_git_does_not_look_at_are_not_listed(options):
    assert tracked_texts(index([b"a.md"], version=3, **options)) == frozenset()


def test_a_file_in_conflict_is_listed():
    assert tracked_texts(index([b"a.md"], flags=0x2000)) == {b"a.md"}


def test_an_index_that_is_not_the_whole_one_lists_nothing():
    assert tracked_texts(index([b"docs/"], mode=FOLDER)) is None
    for name in (b"link", b"sdir", b"zzzz"):
        assert tracked_texts(index([b"a.md"], extra=name + struct.pack(">I", 3) + b"abc")) is None
    fine = b"TREE" + struct.pack(">I", 3) + b"abc"
    assert tracked_texts(index([b"a.md"], extra=fine)) == {b"a.md"}
    assert tracked_texts(index([b"a.md"], extra=fine[:-1])) is None


def test_a_damaged_index_lists_nothing():
    data = bytearray(index([b"a.md", b"b.md"]))
    for place in range(len(data)):
        data[place] ^= 0x10
        assert tracked_texts(bytes(data)) is None
        data[place] ^= 0x10
    assert all(tracked_texts(bytes(data[:size])) is None for size in range(len(data)))


@given(st.binary(max_size=300), st.sampled_from([2, 3, 4, 5]), st.integers(0, 2**32 - 1))
def test_no_bytes_raise(body, version, count):
    data = b"DIRC" + struct.pack(">II", version, count) + body
    for whole in (body, data, data + HASHES[20](data).digest(), data + bytes(32)):
        assert tracked_texts(whole) is None or isinstance(tracked_texts(whole), frozenset)


def test_names_that_share_a_long_beginning_are_kept_up_to_a_bound():
    first = entry(b"a" * 4000 + b".md", version=4)
    again = entry(b"", version=4)[:-2] + varint(9) + b"%06d.md\0"
    many = b"".join(again % at for at in range(20_000))
    data = b"DIRC" + struct.pack(">II", 4, 20_001) + first + many
    assert tracked_texts(data + bytes(20)) is None  # 80 MB of names in 1.5 MB


@pytest.mark.parametrize(
    "rel", [".git/config", "a/.GIT/x.md", ".g\u200cit/a.md", "git~1/x.md", ".git./x.md"]
)
def test_git_itself_is_recognised_in_any_disguise(rel):
    assert is_git_internal(rel)


@pytest.mark.parametrize("rel", ["a.md", "gitlog/x.md", "a/.github/x.md", ".gitignore"])
def test_what_only_sounds_like_git_is_not(rel):
    assert not is_git_internal(rel)


def test_hidden_is_whatever_begins_with_a_dot_in_any_folder():
    assert all(map(is_hidden, [".env", "a/.b/c.md", "..x.md", "\u200b.env.md"]))
    assert not any(map(is_hidden, ["a.b/c.md", "a/b.", "x"]))


def test_text_is_told_by_its_name():
    assert all(map(is_text_name, ["a.md", "A.MD", "b.markdown", "c.txt"]))
    assert not any(map(is_text_name, ["md", "a.md.key", "id_rsa", "a.json", ".env"]))
