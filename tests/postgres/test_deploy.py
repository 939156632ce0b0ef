"""The files in `deploy/` are what they say: valid, without secrets, with commands that exist."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml

from reverie import __version__
from reverie.cli.postgres import postgres
from reverie.postgres.store.listing import MOST_KEPT
from tests.server import Server

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


def test_a_daemon_has_room_for_what_it_keeps_and_no_end_of_it():
    """Topics that are listed, at 8 KB each, beside 400 MB for everything else; measured: 340."""
    compose = yaml.safe_load((DEPLOY / "docker-compose.yml").read_text(encoding="utf-8"))
    parts = yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8"))
    (deployment,) = [part for part in parts if part["kind"] == "Deployment"]
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert compose["services"]["reverie"]["mem_limit"] == "1g"
    assert container["resources"]["limits"]["memory"] == "1Gi"
    assert MOST_KEPT * 8192 + 400 * 1024**2 < 1024**3


def test_the_image_is_made_of_what_is_in_the_clone():
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    assert re.search(r"^FROM \S+:\d+\.\d+\.\d+", text, re.MULTILINE)
    assert "--no-deps" in text.partition("--require-hashes")[2]
    copied = [line.split()[1:-1] for line in text.splitlines() if line.startswith("COPY")]
    assert all((DEPLOY.parent / name).exists() for names in copied for name in names)
    assert "--require-hashes" in text
    assert "USER 10001" in text


def _pins(name: str) -> dict[str, str]:
    """Read a lock file: each package with its version and condition, and the hashes."""
    text = (DEPLOY.parent / "requirements" / name).read_text(encoding="utf-8")
    packages = re.split(r"^(?=[A-Za-z0-9])", text, flags=re.MULTILINE)[1:]
    return {
        package.splitlines()[0].rstrip(" \\"): "".join(re.findall(r"--hash=\S+", package))
        for package in packages
    }


def test_the_image_has_the_versions_that_are_tested():
    """What the service needs beyond a laptop is pinned, too, and to what the tests ran with."""
    service, tested = _pins("service.txt"), _pins("dev.txt")
    names = {pin.partition("==")[0] for pin in service}
    assert {"psycopg", "psycopg-binary", "psycopg-pool", "alembic"} <= names
    assert _pins("runtime.txt").items() <= service.items()
    beyond = service.items() - _pins("runtime.txt").items()
    assert beyond <= tested.items()
    assert all(service.values())


Step = tuple[Sequence[str], Mapping[str, str]]
"""A command, and the variables it runs with."""


def _compose() -> tuple[list[Step], Step]:
    """Return what `docker compose up` runs once, and the daemon."""
    text = (DEPLOY / "docker-compose.yml").read_text(encoding="utf-8")
    services = yaml.safe_load(re.sub(r"\$\{(\w+):\?\}", r"secret of \1", text))["services"]
    once, daemon = services["migrate"], services["reverie"]
    ready = services["database"]["healthcheck"]["test"][1:]
    return [
        (ready, {}),
        ([*once["entrypoint"], *once["command"]], once["environment"]),
    ], (daemon["command"], daemon["environment"])


def _kubernetes() -> tuple[list[Step], Step]:
    """Return what the job runs, and the daemon, with the secret that the manifest describes."""
    text = (DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8")
    parts = {part["kind"]: part for part in yaml.safe_load_all(text)}
    told = dict(re.findall(r"--from-literal=([a-z-]+)=(\S+)", text))

    def step(kind: str) -> Step:
        (container,) = parts[kind]["spec"]["template"]["spec"]["containers"]
        env = {
            one["name"]: one.get("value") or told[one["valueFrom"]["secretKeyRef"]["key"]]
            for one in container["env"]
        }
        return [*container["command"], *container.get("args", ())], env

    return [step("Job")], step("Deployment")


@pytest.fixture
def database(server: Server) -> Iterator[Server]:
    """The database as the image of PostgreSQL makes it: an owner of that name, who may do everything."""
    with server.as_owner() as db:
        db.execute("CREATE ROLE reverie_owner LOGIN SUPERUSER")
        db.execute("CREATE DATABASE reverie OWNER reverie_owner")
    yield server
    with server.as_owner() as db:
        db.execute("DROP DATABASE reverie WITH (FORCE)")
        db.execute("DROP ROLE reverie_owner")
        db.execute("DROP ROLE IF EXISTS reverie_service")


@pytest.mark.slow
@pytest.mark.parametrize("steps", [_compose, _kubernetes])
def test_the_commands_of_a_deployment_work_one_after_the_other(
    steps: Any, database: Server, tmp_path: Path
):
    """Two daemons on what was migrated; what one is told the other one knows."""
    here = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "PGHOST": str(database.folder),
        "REVERIE_EMBEDDER__PROVIDER": "none",
    }

    def ready(step: Step) -> tuple[list[str], dict[str, str]]:
        """Lead to the database of this test: no name of another machine is known here."""
        words = [word.replace("0.0.0.0", "127.0.0.1") for word in step[0]]  # noqa: S104  # led away
        words = [word.replace("4170", "0") for word in words]
        words = [word.replace("/tmp/reverie", str(tmp_path / "home")) for word in words]
        if words[0] == "pg_isready":
            words[0] = database.tool("pg_isready")
        env = {
            name: re.sub(r"@[\w.]+/(\w+)", rf"@/\1?host={database.folder}", str(value))
            for name, value in step[1].items()
        }
        return words, {**here, **env}

    once, daemon = steps()
    for step in once:
        words, env = ready(step)
        subprocess.run(words, env=env, check=True, cwd=tmp_path, stdout=subprocess.DEVNULL)
    owner = f"postgresql://reverie_owner@/reverie?host={database.folder}"
    create = "reverie postgres token create --tenant acme --user ann --project web --json"
    made = subprocess.run(
        shlex.split(create), env={**here, "REVERIE_OWNER_ENGINE": owner}, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    headers = {"Authorization": f"Bearer {json.loads(made.stdout)['value']}"}
    words, env = ready(daemon)
    urls = []
    with ExitStack() as running:
        for _ in range(2):
            process = running.enter_context(
                subprocess.Popen(words, env=env, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
            )
            running.callback(process.terminate)
            assert process.stdout
            urls.append(json.loads(process.stdout.readline())["url"])
        http = running.enter_context(httpx2.Client(headers=headers, timeout=60.0, trust_env=False))
        assert [http.get(f"{url}/health").status_code for url in urls] == [200, 200]
        said = {"content": "Deploys happen on Tuesdays."}
        assert http.post(f"{urls[0]}/workspace/remember", json=said).status_code == 200
        found = http.post(f"{urls[1]}/workspace/recall", json={"query": "When are deploys?"})
        assert "Tuesdays" in found.json()["block"]
