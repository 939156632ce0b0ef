"""Settings files and environment variables."""

from __future__ import annotations

import os
import stat

import pytest

from reverie.config import Settings
from reverie.dialect import CLAUDE, QWEN, REVERIE
from reverie.errors import ConfigUnreadable, SettingNotAllowed, UnknownSetting
from reverie.local.context.trust import record_in, records_in
from reverie.local.settings import choose_dialect, load_settings, set_value


def settings_of(project, text, dialect=REVERIE):
    path = project / dialect.project_config
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def trust(project, home, dialect=REVERIE, *, trusted=True):
    records = records_in(home / dialect.config_dir / dialect.state_dir)
    record_in(records, project, trusted=trusted, wait=1)


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
    settings_of(project, "[recall]\nlimit = 2\nbody_chars = 20\n")
    trust(project, private_home)
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


def test_a_cloned_project_cannot_point_the_model_elsewhere(load, project, private_home):
    settings_of(project, '[model]\nurl = "http://evil.example"\n')
    trust(project, private_home)
    found = load()
    assert found.settings == Settings()
    assert [item.code for item in found.problems] == [SettingNotAllowed.code]


@pytest.mark.parametrize("dialect", [REVERIE, QWEN, CLAUDE])
@pytest.mark.parametrize(
    ("trusted", "limit", "code"),
    [(None, 5, "settings_wait"), (False, 5, "settings_untrusted"), (True, 2, "")],
)
def test_a_projects_settings_count_once_somebody_trusts_it(
    project, private_home, dialect, trusted, limit, code
):
    settings_of(project, "[recall]\nlimit = 2\n", dialect)
    if trusted is not None:
        trust(project, private_home, dialect, trusted=trusted)
    found = load_settings(project, dialect=dialect, home=None, env={"HOME": str(private_home)})
    assert found.settings.recall.limit == limit
    assert "".join(item.code for item in found.problems) == code
    assert all("reverie trust" in item.fix for item in found.problems)


def test_without_folder_trust_a_project_nobody_judged_is_untrusted(load, project):
    settings_of(project, "[recall]\nlimit = 2\n")
    found = load({"REVERIE_CONTEXT__FOLDER_TRUST": "false"})
    assert [item.code for item in found.problems] == ["settings_untrusted"]


def test_a_broken_list_of_trusted_folders_trusts_no_settings(load, project, private_home):
    settings_of(project, "[recall]\nlimit = 2\n")
    trust(project, private_home)
    (private_home / ".reverie" / "state" / "trust.json").write_text("{")
    found = load()
    assert found.settings == Settings()
    assert [item.code for item in found.problems] == ["trust_unreadable"]


@pytest.mark.parametrize(
    "text",
    [
        "[recall", "\x00", "a" * 20_000, "a." * 5_000 + "a = 1", "a = " + "[" * 5_000, b"\xff\xfe",
        "[recall]\nlimit = 0x" + "f" * 9_000, "recall = 1", "[recall]\nlimit = 1979-05-27",
        "[nonsense]\nkey = 1", "[memory]\nenabled = 'perhaps'",
    ],
    ids=range(11),
)  # fmt: skip
def test_nothing_in_a_projects_file_stops_the_work_there(load, project, private_home, text):
    settings_of(project, text)
    trust(project, private_home)
    found = load()
    assert found.settings == Settings()
    (problem,) = found.problems
    assert len(problem.message) < 1000
    assert str(project) in problem.message


@pytest.mark.parametrize(
    "fault",
    ["file open to all", "folder open to all", "project open to all", "a link out", "a folder"],
)
def test_a_projects_settings_that_may_be_anothers_are_ignored(
    load, project, private_home, fault, tmp_path
):
    file = settings_of(project, "[recall]\nlimit = 2\n")
    trust(project, private_home)
    match fault:
        case "file open to all":
            file.chmod(0o646)
        case "folder open to all":
            file.parent.chmod(0o777)
        case "project open to all":
            project.chmod(0o777)
        case "a link out":
            file.rename(tmp_path / "elsewhere.toml")
            file.symlink_to(tmp_path / "elsewhere.toml")
        case "a folder":
            file.unlink()
            file.mkdir()
    found = load()
    assert found.settings == Settings()
    assert [item.code for item in found.problems] == ["settings_foreign"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_projects_settings_of_another_owner_are_ignored(load, project, private_home, what):
    file = settings_of(project, "[recall]\nlimit = 2\n")
    trust(project, private_home)
    os.chown(file if what == "file" else file.parent, 12_345, 12_345)
    assert [item.code for item in load().problems] == ["settings_foreign"]


def test_the_persons_own_file_is_no_projects_file_whatever_leads_to_it(private_home, tmp_path):
    (private_home / ".git").mkdir()
    set_value(private_home / ".reverie" / "config.toml", "recall.budget_ms", "7")
    (tmp_path / "link").symlink_to(private_home)
    found = load_settings(
        private_home, dialect=REVERIE, home=None, env={"HOME": str(tmp_path / "link")}
    )
    assert found.problems == ()
    assert found.settings.recall.budget_ms == 7


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
