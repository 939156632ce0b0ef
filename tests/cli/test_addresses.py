"""What gives access stands in the settings file and comes out nowhere, unless it is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reverie.cli import run
from tests.models import wire

WORD = "s3same-Opens"
EVERY = [
    ("search", "deploy"), ("search", "deploy", "--json"), ("stats",), ("stats", "--json"), ("doctor",),
    ("doctor", "--json"), ("config", "list"), ("config", "list", "--json"),
    ("remember", "We deploy on Mondays"), ("recall", "when do we deploy?", "--json"), ("log", "--json"),
    ("index",), ("status",),
]  # fmt: skip


@pytest.fixture
def cli(project, capsys):
    def call(*arguments):
        status = run(["-C", str(project), *arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


@pytest.fixture
def put(private_home):
    """Return what writes a setting by hand: `config set` takes no passwords."""
    path = private_home / ".reverie" / "config.toml"

    def write(*rows: tuple[str, str]) -> None:
        path.parent.mkdir(exist_ok=True)
        lines = [f"{key} = {json.dumps(value)}\n" for key, value in rows]
        path.write_text("".join(lines), encoding="utf-8")

    return write


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [
        (
            "engine.url",
            f"postgresql://ada:{WORD}@127.0.0.1:9/m",
            "postgresql://ada:***@127.0.0.1:9/m",
        ),
        ("embedder.url", f"https://{WORD}@models.example/v1", "https://***@models.example/v1"),
        ("model.url", f"https://h.example/v1?key={WORD}", "https://h.example/v1?key=***"),
    ],
)
def test_an_address_is_shown_without_what_gives_access(cli, put, key, value, shown):
    put((key, value))
    for command in (("config", "list"), ("config", "get", key)):
        for form in ((), ("--json",)):
            status, out, err = cli(*command, *form)
            assert status == 0, err
            assert WORD not in out + err
            assert shown in out
    assert cli("config", "get", key, "--reveal")[1].startswith(f"{key} = {value} ")
    assert json.loads(cli("config", "get", key, "--reveal", "--json")[1])["value"] == value


def test_a_value_that_is_no_text_is_not_repeated_if_it_is_an_address(cli, private_home):
    path = private_home / ".reverie" / "config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'[engine]\nurl = ["postgresql://ada:{WORD}@h/m"]\n')
    status, out, err = cli("recall", "x")
    assert status == 2
    assert "engine.url must be text" in err
    assert WORD not in out + err


def files_with(word: str, folder: Path) -> list[str]:
    return [
        path.name
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink() and word.encode() in path.read_bytes()
    ]


@pytest.mark.parametrize("answers", [True, False])
def test_no_command_and_no_file_tells_the_password_of_an_embedder(cli, put, private_home, answers):
    vectors = json.dumps({"embeddings": [[1.0, 0.5]]}).encode()
    with wire.serving() as server:
        server.script = [wire.raw(vectors) if answers else wire.status(500)]
        url = server.url.replace("://", f"://ada:{WORD}@") + f"?k={WORD}"
        put(("embedder.provider", "ollama"), ("embedder.url", url))
        said = [(words, *cli(*words)) for words in EVERY]
        assert server.headers  # it was asked
    for words, _, out, err in said:
        assert WORD not in out + err, words
    assert files_with(WORD, private_home) == ["config.toml"]


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://ada:{WORD}@127.0.0.1:9/m?connect_timeout=2",
        f"postgresql://ada:x@{WORD}@127.0.0.1:9/m",
        f"postgresql://ada:{WORD}/x@127.0.0.1:9/m",
        f"postgresql://ada:{WORD}?x@127.0.0.1:9/m",
        f"postgresql://ada:%zz{WORD}@127.0.0.1:9/m",
        f"postgresql://127.0.0.1:9/m?password={WORD}&nosuch=1",
        f"postgresql://127.0.0.1:{WORD}/m",
        f"host=127.0.0.1 port=9 password={WORD} {WORD}",
        f"ada:{WORD}@127.0.0.1",
    ],
)
@pytest.mark.slow
def test_no_error_about_a_database_tells_its_password(cli, put, url):
    pytest.importorskip("psycopg")
    put(("engine.url", url), ("engine.pool_wait_seconds", "0.2"))
    for words in (("recall", "x"), ("doctor",), ("stats", "--json"), ("config", "list")):
        _, out, err = cli(*words)
        assert WORD not in out + err, words
        assert "Traceback" not in err


@pytest.mark.parametrize(
    "url",
    [f"postgresql://a:{WORD}@h/m", f"postgresql://h/m?password={WORD}", f"host=h password={WORD}"],
)
def test_a_password_on_a_command_line_is_refused_in_every_form(cli, url):
    for words in (("serve", "--engine", url), ("postgres", "migrate", "--engine", url)):
        status, out, err = cli(*words)
        assert status != 0
        assert "PGPASSWORD" in err
        assert WORD not in out + err
