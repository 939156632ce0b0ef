"""Settings: order, origins, types, and what a project may not touch."""

from __future__ import annotations

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.config import (
    PROJECT_MAY_SET,
    Resolved,
    Settings,
    SettingsSource,
    check_key,
    coerce,
    describe,
    flatten,
    is_plain_name,
    keys,
    resolve,
)
from reverie.errors import BadSetting, ConfigError, SettingNotAllowed, UnknownSetting


def test_later_sources_win_and_each_value_knows_where_it_came_from():
    resolved = resolve(
        [
            SettingsSource("user file", {"recall.limit": 3, "search.max_results": 9}),
            SettingsSource("project file", {"recall.limit": 4}, restricted=True),
            SettingsSource("environment REVERIE_RECALL__LIMIT", {"recall.limit": "7"}),
        ]
    )
    assert resolved.settings.recall.limit == 7
    assert resolved.origin("recall.limit") == "environment REVERIE_RECALL__LIMIT"
    assert resolved.origin("search.max_results") == "user file"
    assert resolved.origin("search.min_score") == "default"


@pytest.mark.parametrize(
    ("key", "suggestion"),
    [
        ("recal.limit", "recall.limit"),
        ("limit", "recall.limit"),
        ("search.min-score", "search.min_score"),
    ],
)
def test_an_unknown_key_is_an_error_with_a_suggestion(key, suggestion):
    with pytest.raises(UnknownSetting, match=suggestion):
        resolve([SettingsSource("user file", {key: 1})])


@pytest.mark.parametrize(
    "key", ["model.url", "embedder.url", "secrets.policy", "daemon.host", "dialect"]
)
def test_a_project_file_may_not_redirect_anything(key):
    found = resolve(
        [SettingsSource("project file", {key: "x", "recall.limit": 3}, restricted=True)]
    )
    assert found.settings == resolve([SettingsSource("", {"recall.limit": 3})]).settings
    (problem,) = found.problems
    assert problem.code == SettingNotAllowed.code
    assert "reverie config set" in problem.message


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("recal.limit", 1, "unknown_setting"), ("recall", 1, "unknown_setting"),
        ("\x1b[31m\n", 1, "unknown_setting"), ("recall.limit", "many", "bad_setting"),
        pytest.param("recall.limit", 10**5000, "bad_setting", id="endless"),
        ("search.max_results", 0, "bad_setting"),
        ("context.names", ["state/token"], "bad_setting"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_projects_file_is_told_and_stops_nothing(key, value, code):
    found = resolve([SettingsSource("project file", {key: value}, restricted=True)])
    assert found.settings == Settings()
    assert [item.code for item in found.problems] == [code]
    assert found.problems[0].message.isprintable()
    assert len(found.problems[0].message) < 500


def test_a_project_with_many_mistakes_costs_little_and_is_told_briefly():
    values = {f"no.such{number}": 1 for number in range(100_000)}
    found = resolve([SettingsSource("project file", values, restricted=True)])
    assert len(found.problems) == 21
    assert "too many mistakes" in found.problems[-1].message


@pytest.mark.parametrize(
    "key", ["memory.enabled", "recall.enabled", "extract.enabled", "dream.enabled"]
)
def test_a_project_may_switch_off_and_never_on(key):
    off = SettingsSource("project file", {key: False}, restricted=True)
    assert resolve([off]).value(key) is False
    on = SettingsSource("project file", {key: True}, restricted=True)
    found = resolve([SettingsSource("user file", {key: False}), on])
    assert found.value(key) is False
    assert found.problems[0].code == SettingNotAllowed.code
    assert resolve([on]).problems == ()


def test_a_project_names_files_in_its_own_folders_only():
    mine = SettingsSource("user file", {"context.names": "MINE.md"})
    theirs = SettingsSource("project file", {"context.names": ["THEIRS.md"]}, restricted=True)
    found = resolve([mine, theirs])
    assert found.settings.context.names == ("MINE.md",)
    assert found.settings.context.project_names == ("THEIRS.md",)
    assert found.origin("context.project_names") == "project file"
    later = resolve([mine, theirs, SettingsSource("argument", {"context.names": "LAST.md"})])
    assert later.settings.context.names == ("LAST.md",)
    assert later.settings.context.project_names == ()


hostile_names = st.text(max_size=20) | st.builds(
    "{}{}{}".format,
    st.sampled_from(
        ["", ".", "..", "/", "./", "../", "~/", "a/", "A\\", "\0", "\n", "state/", "\u202e"]
    ),
    st.text(max_size=8),
    st.sampled_from([".md", ".MD", ".txt", "", ".json", "/", ".md/..", ".md\0"]),
)


@given(hostile_names)
def test_no_name_that_passes_leads_out_of_its_folder_or_to_a_hidden_file(name):
    if is_plain_name(name):
        assert "/" not in name
        assert not name.startswith(".")
        assert name.lower().endswith((".md", ".markdown", ".txt"))
        assert posixpath.normpath(posixpath.join("/folder", name)) == f"/folder/{name}"


def test_every_number_that_a_project_may_set_has_bounds():
    for key in PROJECT_MAY_SET:
        default = Resolved(Settings(), {}).value(key)
        if isinstance(default, int | float) and not isinstance(default, bool):
            with pytest.raises(BadSetting, match="from"):
                coerce(key, 2**53 - 1)


@pytest.mark.parametrize(
    ("key", "raw"),
    [
        ("search.chunk_tokens", 0), ("search.chunk_tokens", 10**9), ("search.max_results", 0),
        ("search.min_score", 1.01), ("extract.max_slice_messages", 0), ("daemon.port", 65_536),
        ("recall.limit", 101), ("memory.max_file_bytes", 0), ("engine.pool", 0),
    ],
)  # fmt: skip
def test_a_number_that_would_do_harm_is_refused_with_its_bounds(key, raw):
    with pytest.raises(BadSetting, match=r"a number from [0-9.,]+ to [0-9.,]+"):
        coerce(key, raw)


def test_every_default_is_within_its_bounds():
    for key in keys():
        value = Resolved(Settings(), {}).value(key)
        assert coerce(key, value) == value


def test_what_a_project_may_set_exists():
    assert set(keys()) >= PROJECT_MAY_SET


@pytest.mark.parametrize(
    ("key", "raw"),
    [
        ("recall.limit", "three"), ("recall.limit", 2.5), ("recall.limit", True), ("recall.limit", -1),
        ("memory.enabled", "perhaps"), ("memory.enabled", 3), ("recall.scoring", "magic"),
        ("search.min_score", "nan"), ("search.min_score", float("inf")), ("context.names", 3),
        ("context.names", [1]), ("model.name", 3),
    ],
)  # fmt: skip
def test_a_value_of_the_wrong_type_names_the_key_the_value_and_the_place(key, raw):
    with pytest.raises(BadSetting) as caught:
        coerce(key, raw, "config.toml")
    assert key in str(caught.value)
    assert "config.toml" in str(caught.value)


def test_text_from_the_environment_is_read_as_the_settings_type():
    assert coerce("memory.enabled", "off") is False
    assert coerce("recall.limit", "5") == 5
    assert coerce("search.min_score", "0.5") == 0.5
    assert coerce("context.names", "A.md, B.md") == ("A.md", "B.md")


def test_every_setting_is_described():
    assert [key for key in keys() if not describe(key)] == []


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text())


@given(st.sampled_from(sorted(keys())), scalars)
def test_any_value_is_taken_or_refused_by_name(key, raw):
    try:
        value = coerce(key, raw)
    except ConfigError as error:
        assert key in str(error)
    else:
        assert coerce(key, value) == value


def test_nested_tables_become_dotted_keys():
    assert flatten({"a": {"b": {"c": 1}}, "d": 2}) == {"a.b.c": 1, "d": 2}


def test_tables_nested_without_end_are_flattened_to_something_unknown():
    tree: dict[str, object] = {}
    inner = tree
    for _ in range(100_000):
        inner["a"] = inner = {}
    (key,) = flatten(tree)
    with pytest.raises(UnknownSetting):
        check_key(key)
