"""The files in `deploy/` are what they say: valid, without secrets, with commands that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from reverie import __version__
from reverie.cli.postgres import postgres

DEPLOY = Path(__file__).parents[2] / "deploy"
FILES = sorted(path.name for path in DEPLOY.iterdir() if path.suffix in (".yml", ".yaml"))


@pytest.mark.parametrize("name", FILES)
def test_every_command_in_a_deployment_exists(name: str):
    text = (DEPLOY / name).read_text(encoding="utf-8")
    documents = list(yaml.safe_load_all(text))
    assert all(isinstance(document, dict) for document in documents)
    commands = re.findall(r"reverie postgres ([a-z-]+)", text)
    assert {"migrate", "service-role"} <= set(commands)
    assert set(commands) <= set(postgres.commands)


@pytest.mark.parametrize("name", FILES)
def test_no_password_stands_in_a_deployment(name: str):
    text = (DEPLOY / name).read_text(encoding="utf-8")
    assert not re.search(r"postgresql://[^@\s]+:[^@\s]+@", text)
    for line in text.splitlines():
        if re.search(r"(PASSWORD|TOKEN): ", line):
            assert "${" in line, line


@pytest.mark.parametrize("name", FILES)
def test_every_image_has_a_version(name: str):
    text = (DEPLOY / name).read_text(encoding="utf-8")
    images = re.findall(r"image: (\S+)", text)
    assert images
    assert all(re.search(r":\d+\.\d+\.\d+", image) for image in images), images


@pytest.mark.parametrize("name", FILES)
def test_nothing_is_installed_by_a_name_that_may_be_anybodys(name: str):
    """Our package is in no public index, so its image is built from the clone."""
    text = (DEPLOY / name).read_text(encoding="utf-8")
    assert "pip install" not in text
    assert f"reverie:{__version__}" in text


def test_the_image_is_made_of_what_is_in_the_clone():
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    assert re.search(r"^FROM \S+:\d+\.\d+\.\d+", text, re.MULTILINE)
    copied = [line.split()[1:-1] for line in text.splitlines() if line.startswith("COPY")]
    assert all((DEPLOY.parent / name).exists() for names in copied for name in names)
    assert "--require-hashes" in text
    assert "USER 10001" in text
