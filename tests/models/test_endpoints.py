"""Endpoints: which model is meant, and where its key comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

from reverie.config import ModelSettings
from reverie.errors import BadSetting, SettingNotAllowed
from reverie.models.endpoints import PROVIDERS, find_endpoints


def find(env=None, *, ring=None, **settings):
    keys = ring or {}
    return find_endpoints(ModelSettings(**settings), env or {}, keyring=keys.get)


def main(env=None, **options):
    found = find(env, **options)
    assert found is not None
    return found[0]


def test_no_name_means_no_model_even_with_keys_around():
    assert find() is None
    assert find({"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "GEMINI_API_KEY": "k"}) is None


def test_the_three_variables_of_openai_compatible_tools_are_a_configuration():
    env = {"OPENAI_MODEL": "qwen3", "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "https://h/v1"}
    found = main(env)
    assert (found.name, found.url, found.key, found.wire) == (
        "openai:qwen3", "https://h/v1", "k", "openai",
    )  # fmt: skip


@pytest.mark.parametrize("provider", [name for name in PROVIDERS if name != "compatible"])
def test_each_provider_takes_its_usual_key(provider):
    keys = PROVIDERS[provider].keys
    found = main({keys[0]: "secret"} if keys else {}, name=f"{provider}:m:7b")
    assert (found.model, found.key) == ("m:7b", "secret" if keys else "")
    assert found.wire == PROVIDERS[provider].wire


def test_any_endpoint_can_be_named():
    found = main({"MY_KEY": "k"}, name="some/model", url="https://h/v1", key_env="MY_KEY")
    assert (found.provider, found.model, found.url, found.key) == (
        "compatible", "some/model", "https://h/v1", "k",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("provider", "variable"),
    [
        ("openai", "OPENAI_BASE_URL"), ("anthropic", "ANTHROPIC_BASE_URL"),
        ("google", "GOOGLE_GEMINI_BASE_URL"), ("dashscope", "DASHSCOPE_BASE_URL"),
        ("ollama", "OLLAMA_BASE_URL"),
    ],
)  # fmt: skip
def test_a_provider_may_be_asked_at_another_address(provider, variable):
    keys = dict.fromkeys(PROVIDERS[provider].keys, "k")
    assert main({**keys, variable: "https://h/x"}, name=f"{provider}:m").url == "https://h/x"
    assert main(keys, name=f"{provider}:m", url="https://set/x").url == "https://set/x"


def test_the_key_may_be_in_a_keyring():
    assert main(name="anthropic:c", ring={"anthropic": "k2"}).key == "k2"


def test_side_questions_may_go_to_another_model():
    found = find({"OPENAI_API_KEY": "k"}, name="openai:large", fast="ollama:small")
    assert found is not None
    assert [item.name for item in found] == ["openai:large", "ollama:small"]


@pytest.mark.parametrize(
    ("name", "told"),
    [("openai:x", "OPENAI_API_KEY"), ("gpt-4o", "provider:model"), ("openai:", "missing")],
)
def test_what_is_missing_is_said(name, told):
    with pytest.raises(BadSetting, match=told):
        find(name=name)


def test_a_key_is_never_shown():
    assert "sk-1" not in repr(main({"OPENAI_API_KEY": "sk-1"}, name="openai:x"))


@pytest.mark.parametrize(
    "line", ['name = "openai:x"', 'url = "http://evil"', 'key_env = "AWS_KEY"']
)
def test_a_project_file_names_no_model(open_memory, project: Path, line):
    (project / ".reverie").mkdir()
    (project / ".reverie" / "config.toml").write_text(f"[model]\n{line}\n")
    for trusted in (None, True):
        open_memory().trust(trusted=trusted)
        assert open_memory().settings.model == ModelSettings()
    assert [item.code for item in open_memory().notices] == [SettingNotAllowed.code]
