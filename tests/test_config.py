"""Settings: order, origins, types, and what a project may not touch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.config import (
    BOUNDS,
    PROJECT_MAY_SET,
    SettingsSource,
    coerce,
    describe,
    flatten,
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
    with pytest.raises(SettingNotAllowed, match="reverie config set"):
        resolve([SettingsSource("project file", {key: "x"}, restricted=True)])


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


@pytest.mark.parametrize("key", BOUNDS)
def test_a_number_outside_its_bounds_is_refused_with_the_bounds(key):
    low, high = BOUNDS[key]
    assert low <= resolve([]).value(key) <= high
    for inside in (low, high):
        assert coerce(key, inside) == inside
    for outside in (low - 0.001, low - 1, high + 1):
        with pytest.raises(BadSetting, match=key):
            coerce(key, outside)
    with pytest.raises(BadSetting, match=f"from {low:g} to {high:g}"):
        coerce(key, high + 1)
