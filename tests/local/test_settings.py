"""Settings files and environment variables."""

from __future__ import annotations

import stat

import pytest

from reverie.dialect import QWEN, REVERIE
from reverie.errors import ConfigUnreadable, SettingNotAllowed, UnknownSetting
from reverie.local.settings import choose_dialect, load_settings, set_value


@pytest.fixture
def load(project, private_home):
    def loader(env=None, **options):
        everything = {"HOME": str(private_home), **(env or {})}
        return load_settings(project, dialect=REVERIE, home=None, env=everything, **options)

    return loader


def test_defaults_user_file_project_file_environment_and_arguments_in_this_order(
    load, project, private_home
):
    user = private_home / ".reverie" / "config.toml"
    user.parent.mkdir()
    user.write_text("[recall]\nlimit = 1\nbody_chars = 10\nbudget_ms = 1\n")
    (project / ".reverie").mkdir()
    (project / ".reverie" / "config.toml").write_text("[recall]\nlimit = 2\nbody_chars = 20\n")
    found = load({"REVERIE_RECALL__LIMIT": "3"}, arguments={"recall.stale_after_days": 9})
    recall = found.settings.recall
    assert (recall.limit, recall.body_chars, recall.budget_ms, recall.stale_after_days) == (
        3,
        20,
        1,
        9,
    )
    assert found.origin("recall.body_chars") == str(project / ".reverie" / "config.toml")
    assert found.origin("recall.budget_ms") == str(user)


def test_a_broken_settings_file_is_named_with_the_line_and_left_alone(load, private_home):
    user = private_home / ".reverie" / "config.toml"
    user.parent.mkdir()
    user.write_text("[recall\nlimit = 1\n")
    with pytest.raises(ConfigUnreadable, match=r"config\.toml.*line 1"):
        load()
    assert user.read_text() == "[recall\nlimit = 1\n"


def test_a_cloned_project_cannot_point_the_model_elsewhere(load, project):
    (project / ".reverie").mkdir()
    (project / ".reverie" / "config.toml").write_text('[model]\nurl = "http://evil.example"\n')
    with pytest.raises(SettingNotAllowed):
        load()


def test_a_mistyped_variable_is_an_error_not_a_silent_nothing(load):
    with pytest.raises(UnknownSetting, match=r"recall\.limit"):
        load({"REVERIE_RECALL__LIMITT": "3"})


def test_setting_a_value_keeps_comments_order_and_the_rest(private_home):
    path = private_home / ".reverie" / "config.toml"
    path.parent.mkdir()
    before = '# my settings\n[recall]\nlimit = 1  # few\nscoring = "bm25"\n'
    path.write_text(before)
    set_value(path, "recall.limit", "4")
    set_value(path, "context.names", "A.md,B.md")
    text = path.read_text()
    assert text.startswith('# my settings\n[recall]\nlimit = 4  # few\nscoring = "bm25"\n')
    assert 'names = ["A.md", "B.md"]' in text


def test_a_new_settings_file_is_private(private_home):
    path = private_home / ".reverie" / "config.toml"
    set_value(path, "recall.limit", "4")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_dialect_comes_from_the_argument_the_environment_or_the_file(private_home):
    env = {"HOME": str(private_home)}
    assert choose_dialect(None, home=None, env=env) is REVERIE
    assert choose_dialect(None, home=None, env={**env, "REVERIE_DIALECT": "qwen"}) is QWEN
    set_value(private_home / ".reverie" / "config.toml", "dialect", "qwen")
    assert choose_dialect(None, home=None, env=env) is QWEN
    assert choose_dialect("reverie", home=None, env=env) is REVERIE
