"""Records: values as Markdown files, exact and confined."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie.adapters.logs import Log
from reverie.adapters.records import Records, file_name, from_text, ranked, to_text
from reverie.errors import ContentTooLarge, InvalidContent, SecretRefused
from tests.examples import examples

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False)
    | st.text(st.characters(), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
HOSTILE = [
    "../../etc/passwd",
    "/etc/passwd",
    "..",
    ".",
    "",
    "a/b\\c",
    "nul\x00byte",
    "line\nbreak\r\n# heading",
    "```json\n{}\n```",
    "k" * 5000,
    "記憶" * 500,
    "ا" * 300,
    "\ud800",
    "CON",
    "ключ",
    ".hidden",
    "-rf",
]


@given(JSON)
def test_every_json_value_comes_back_exactly(value):
    text = to_text("a title", value)
    assert from_text(text) == value
    assert from_text(text.replace("\n", "\r\n")) == value
    text.encode("utf-8")


@given(st.lists(st.text(max_size=30), min_size=1, max_size=4))
def test_a_file_name_is_plain_whatever_the_key(parts):
    name = file_name(*parts)
    assert "/" not in name
    assert not name.startswith((".", "-"))
    assert len(name.encode("utf-8", "surrogatepass")) < 200


@given(st.text(max_size=20), st.text(max_size=20))
def test_different_keys_have_different_files(one, other):
    assert (file_name("ns", one) == file_name("ns", other)) == (one == other)
    assert file_name(one, other) != file_name(one + other)


@pytest.mark.parametrize("key", HOSTILE)
def test_hostile_keys_stay_in_the_folder_and_come_back(memory, key):
    records = Records(memory, "test")
    records.put([(("ns", key), key, {"is": key})])
    folder = Path(memory.layers.root, "stores", "test").resolve()
    files = [item for item in Path(memory.workspace.home).rglob("*.md") if "stores" in item.parts]
    assert len(files) == 1
    assert folder in files[0].resolve().parents
    (found,) = records.all()
    assert (found.namespace, found.key, found.value) == (("ns", key), key, {"is": key})


@settings(
    max_examples=examples(30),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)
@given(JSON)
def test_a_put_value_is_got_back_through_the_disk(memory, value):
    records = Records(memory, "test")
    records.put([(("n",), "k", {"v": value})])
    assert records.get(("n",), "k").value == {"v": value}


def test_one_put_is_one_run_that_can_be_undone(memory):
    records = Records(memory, "test")
    applied = records.put([(("n",), "a", {"x": 1}), (("n",), "b", {"x": 2})])
    assert [run.id for run in memory.log()] == [applied.run]
    assert memory.log()[0].client == "adapter:test"
    assert memory.log()[0].origin == "agent"
    memory.undo(applied.run)
    assert records.all() == []


def test_an_update_keeps_when_it_was_created(memory, clock):
    records = Records(memory, "test")
    records.put([(("n",), "a", {"x": 1})])
    began = clock.now
    clock.advance(hours=1)
    records.put([(("n",), "a", {"x": 2})])
    found = records.get(("n",), "a")
    assert (found.created, found.updated, found.value) == (began, clock.now, {"x": 2})


def test_putting_none_removes_and_removing_twice_is_fine(memory):
    records = Records(memory, "test")
    records.put([(("n",), "a", {"x": 1})])
    records.put([(("n",), "a", None)])
    assert records.put([(("n",), "a", None)]).run == ""
    assert records.get(("n",), "a") is None


@pytest.mark.parametrize("value", [(1, 2), {1: "a"}, b"x", {1, 2}, object()])
def test_what_json_cannot_give_back_is_refused(memory, value):
    with pytest.raises(InvalidContent):
        Records(memory, "test").put([(("n",), "a", {"v": value})])
    assert memory.log() == []


def test_a_value_that_contains_itself_is_refused(memory):
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(InvalidContent, match="levels deep"):
        Records(memory, "test").put([(("n",), "a", {"v": loop})])


def test_a_value_over_the_limit_is_refused(open_memory):
    memory = open_memory(settings={"memory.max_file_bytes": 1000})
    with pytest.raises(ContentTooLarge):
        Records(memory, "test").put([(("n",), "a", {"v": "x" * 2000})])


def test_a_secret_is_refused_as_everywhere(memory):
    with pytest.raises(SecretRefused):
        Records(memory, "test").put(
            [
                (
                    ("n",),
                    "a",
                    {"v": "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzz9f3Qk2Lp"},
                )
            ]
        )


def test_a_person_can_edit_the_block_and_break_only_their_file(memory):
    records = Records(memory, "test")
    records.put([(("n",), "a", {"x": 1}), (("n",), "b", {"x": 2})])
    edited, broken = (Path(records.path(("n",), key)) for key in "ab")
    edited.write_text(edited.read_text().replace('"x": 1', '"x": 42'))
    broken.write_text("# no block\n")
    assert [item.value for item in records.all()] == [{"x": 42}]
    assert "no JSON block" in records.unreadable[0]
    records.put([(("n",), "b", {"x": 3})])
    assert records.get(("n",), "b").value == {"x": 3}


@pytest.mark.parametrize(
    "edit",
    [
        {"namespace": "n"},
        {"namespace": [{"a": 1}]},
        {"key": 3},
        {"value": "a text"},
        {"value": [1]},
        {"created": 3},
        {"updated": "yesterday"},
    ],
)
def test_an_edit_that_breaks_the_shape_hides_only_that_value(memory, edit):
    records = Records(memory, "test")
    records.put([(("n",), "a", {"x": 1}), (("n",), "b", {"x": 2})])
    path = Path(records.path(("n",), "a"))
    path.write_text(to_text("a", {**from_text(path.read_text()), **edit}))
    assert [item.key for item in records.all()] == ["b"]
    assert str(path) in records.unreadable[0]
    assert records.get(("n",), "a") is None
    path.write_text("```json\n" + "[" * 200_000 + "\n```\n")
    assert [item.key for item in records.all()] == ["b"]


def test_a_date_without_a_zone_is_taken_as_utc(memory):
    records = Records(memory, "test")
    records.put([(("n",), "a", {"x": 1})])
    path = Path(records.path(("n",), "a"))
    path.write_text(to_text("a", {**from_text(path.read_text()), "created": "2024-01-01"}))
    found = records.get(("n",), "a")
    assert found.created < found.updated


def test_a_key_that_is_a_secret_names_no_file(open_memory):
    memory = open_memory(settings={"secrets.policy": "redact"})
    token = "ghp_" + "a1B2c3D4e5" * 3 + "a1B2c3"
    records = Records(memory, "test")
    records.put([((token,), token, {"x": 1})])
    assert records.get((token,), token).value == {"x": 1}
    Log(memory, "test", token).add([{"x": 1}])
    for path in Path(memory.workspace.home).rglob("*"):
        assert "a1B2c3D4e5" not in str(path)
        assert not path.is_file() or b"a1B2c3D4e5" not in path.read_bytes()


def test_writers_at_once_lose_nothing(memory):
    records = Records(memory, "test")

    def put(number: int) -> None:
        for turn in range(5):
            records.put(
                [(("n",), f"{number}-{turn}", {"v": turn}), (("n",), "shared", {"v": number})]
            )

    threads = [threading.Thread(target=put, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(records.all()) == 21


def test_ranking_finds_words_in_any_script(memory):
    records = Records(memory, "test")
    texts = {"ja": "毎朝コーヒーを飲む", "ru": "Пьёт кофе по утрам", "en": "Plays tennis on Sunday"}
    records.put([((), key, {"text": text}) for key, text in texts.items()])
    everything = records.all()
    assert ranked("コーヒー", everything)[0][0].key == "ja"
    assert ranked("кофе", everything)[0][0].key == "ru"
    assert ranked("tennis", everything)[0][0].key == "en"


def test_the_file_is_readable(memory):
    records = Records(memory, "test")
    records.put([(("users", "ann"), "prefs", {"theme": "dark"})])
    text = Path(records.path(("users", "ann"), "prefs")).read_text()
    assert text.startswith("# users / ann / prefs\n\n```json\n")
    assert json.loads(text.split("```json\n")[1].split("```")[0])["value"] == {"theme": "dark"}
