"""The one way out, against servers on loopback that want more than they should get."""

from __future__ import annotations

import json
import logging
import traceback
from dataclasses import replace

import pytest

from reverie.config import EmbedderSettings
from reverie.core.asking.answers import IDS_SCHEMA
from reverie.errors import BadSetting, EmbedderFailed, ModelError, ModelTimeout
from reverie.models import embedders
from reverie.models.chat import ChatModel
from reverie.models.embedders import HttpEmbedder, open_embedder
from reverie.models.endpoints import Endpoint
from reverie.models.outbound import MAX_ANSWER
from reverie.ports import ChatMessage
from tests.models import wire

pytestmark = [
    pytest.mark.slow,  # the libraries of the providers take seconds to load
    pytest.mark.filterwarnings("ignore:invalid escape:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:invalid escape:SyntaxWarning"),
    pytest.mark.filterwarnings('ignore:"?.{0,40} is an invalid escape:SyntaxWarning'),
]

KEY = "sk-very-secret-0123456789"
TEXT = "the words of a person"


class Way:
    """One of the ways by which text leaves the machine."""

    def __init__(self, name: str, path: str = "") -> None:
        self.name = name
        self.path = path

    def ask(self, url: str, key: str = KEY, seconds: float = 20.0) -> object:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.name


class Chat(Way):
    def ask(self, url: str, key: str = KEY, seconds: float = 20.0) -> object:
        endpoint = Endpoint("compatible", "tiny", self.name, f"{url}{self.path}", key)  # type: ignore[arg-type]
        asked = [ChatMessage("user", TEXT)]
        return ChatModel(endpoint).ask(asked, schema=IDS_SCHEMA, seconds=seconds).value


class Embed(Way):
    def ask(self, url: str, key: str = KEY, seconds: float = 30.0) -> object:  # noqa: ARG002  # its own
        return HttpEmbedder(f"{url}{self.path}", "tiny", kind=self.name, key=key).embed([TEXT])


CHATS = [Chat("openai", "/v1"), Chat("anthropic"), Chat("google")]
EMBEDS = [Embed("openai", "/v1"), Embed("ollama")]
WAYS = pytest.mark.parametrize("way", [*CHATS, *EMBEDS], ids=lambda w: f"{type(w).__name__}-{w}")
GOOD = {"openai": wire.openai, "anthropic": wire.anthropic, "google": wire.google}


def good(way: Way):
    if isinstance(way, Chat):
        return GOOD[way.name]('{"ids": []}')
    data = [{"index": 0, "embedding": [1.0, 2.0]}]
    return wire.raw(json.dumps({"data": data, "embeddings": [[1.0, 2.0]]}).encode())


@pytest.fixture
def server():
    with wire.serving() as endpoint:
        yield endpoint


@pytest.fixture
def other():
    with wire.serving("127.0.0.2") as endpoint:
        endpoint.script = [wire.status(404)]
        yield endpoint


@pytest.fixture
def clean(monkeypatch):
    for name in ("http", "https", "all", "no"):
        monkeypatch.delenv(f"{name}_proxy", raising=False)
        monkeypatch.delenv(f"{name}_PROXY".upper(), raising=False)
    return monkeypatch


@WAYS
def test_the_key_arrives_once_and_where_it_belongs(server, way):
    server.script = [good(way)]
    way.ask(server.url)
    carried = [name for name, value in server.headers[0].items() if KEY in value]
    assert len(carried) == 1
    assert KEY not in "".join(server.paths)
    assert server.headers[0]["accept-encoding"] == "identity"


@WAYS
@pytest.mark.parametrize("code", [300, 301, 302, 303, 304, 307, 308])
def test_no_redirect_is_followed_and_the_error_says_where_it_led(server, other, way, code):
    server.script = [wire.redirect(f"{other.url}/v1?token=abc", code)]
    with pytest.raises(ModelError, match=r"redirect to 127\.0\.0\.2") as caught:
        way.ask(server.url)
    assert other.seen == repr(([], [], [], []))
    assert len(server.requests) == 1
    assert "token" not in str(caught.value)


@WAYS
@pytest.mark.parametrize(
    "location",
    [
        "/elsewhere",
        "",
        "//127.0.0.2/x",
        "http://[",
        "\x85\xff://",
        "http://user:pw@h/",
        "ftp://h:99999/",
    ],
)
def test_a_redirect_to_anywhere_is_an_error_in_plain_words(server, way, location):
    server.script = [wire.redirect(location)]
    with pytest.raises(ModelError, match="redirect") as caught:
        way.ask(server.url)
    assert "pw" not in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(server.requests) == 1


@WAYS
@pytest.mark.parametrize("act", [wire.flood, wire.bomb(), wire.bomb(2), wire.flood_of_headers])
def test_a_flood_is_cut_off_and_not_asked_for_again(server, way, act):
    server.script = [act]
    with pytest.raises(ModelError):
        way.ask(server.url)
    assert (
        server.sent < MAX_ANSWER + 32 * 1024 * 1024
    )  # the limit, and what the system keeps under way
    if (
        act is not wire.flood_of_headers
    ):  # a broken connection may be tried again, a refusal may not
        assert len(server.requests) == 1


@pytest.mark.parametrize("way", CHATS, ids=repr)
@pytest.mark.parametrize(
    "act",
    [wire.dribble, wire.dribble_headers, wire.flood_of_hints, wire.hang],
    ids=lambda a: a.__name__,
)
def test_a_model_that_takes_its_time_is_left_at_the_deadline(server, way, act):
    server.script = [act]
    with pytest.raises(ModelTimeout):
        way.ask(server.url, seconds=0.5)


@pytest.mark.parametrize("way", EMBEDS, ids=repr)
@pytest.mark.parametrize(
    "act",
    [wire.dribble, wire.dribble_headers, wire.flood_of_hints, wire.hang],
    ids=lambda a: a.__name__,
)
def test_an_embedder_that_takes_its_time_is_left_at_the_deadline(server, monkeypatch, way, act):
    monkeypatch.setattr(embedders, "_TIMEOUT", 0.5)
    server.script = [act]
    with pytest.raises(EmbedderFailed, match=r"within 0\.5 seconds"):
        way.ask(server.url)


@WAYS
@pytest.mark.parametrize(
    "act",
    [
        wire.raw(b"[" * 500_000),
        wire.raw(b'{"data":' * 100_000),
        wire.raw(b'{"data": [{"index": 0, "embedding": [1' + b"0" * 400 + b"]}]}"),
        wire.raw(b'{"data": [{"index": 0, "embedding": [1' + b"0" * 5000 + b"]}]}"),
        wire.raw(b'{"data": [{"index": 0, "embedding": []}], "embeddings": [[]]}'),
        wire.raw(b'{"embeddings": [["\\ud800"]], "data": [{"index": {}, "embedding": 1}]}'),
        wire.raw(b"\x1f\x8b garbage", content_encoding="br"),
        wire.raw(b"{}", content_length="9000"),
        wire.raw(b"{}", content_length="-1"),
        wire.raw(b"{}", transfer_encoding="chunked"),
        wire.raw(b""),
        wire.raw(b"null"),
        wire.drop,
        wire.status(418),
    ],
)  # fmt: skip
def test_whatever_comes_back_is_an_error_of_ours(server, way, act):
    server.script = [act]
    with pytest.raises(ModelError):
        way.ask(server.url)


@WAYS
def test_no_proxy_sees_what_is_meant_for_this_machine(server, other, clean, way):
    for name in ("http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        clean.setenv(name, other.url)
    server.script = [good(way)]
    way.ask(server.url)
    way.ask(server.url.replace("127.0.0.1", "localhost"))
    assert other.seen == repr(([], [], [], []))


@WAYS
def test_a_proxy_learns_the_host_and_no_more(server, clean, way):
    clean.setenv("HTTPS_PROXY", server.url.replace("://", "://ada:proxy-word@"))
    with pytest.raises(ModelError) as caught:
        way.ask("https://models.example")
    assert server.connects
    assert all(seen.startswith("models.example:443 ") for seen in server.connects)
    assert KEY not in server.seen
    assert TEXT not in server.seen
    assert "proxy-word" not in "".join(traceback.format_exception(caught.value))


def test_a_proxy_is_used_for_hosts_elsewhere_and_not_for_those_named_in_no_proxy(server, clean):
    clean.setenv("http_proxy", server.url)
    way = EMBEDS[1]
    server.script = [good(way)]
    way.ask("http://models.example", key="")
    assert server.paths == ["http://models.example/api/embed"]
    clean.setenv("no_proxy", "models.example")
    with pytest.raises(EmbedderFailed, match="cannot be reached"):
        way.ask("http://models.example", key="")
    assert len(server.paths) == 1


@pytest.mark.parametrize(
    "proxy", ["socks5://127.0.0.1:1", "gopher://x", "http://[", "http://h:port"]
)
def test_a_proxy_that_cannot_be_used_is_told_and_not_passed_by(clean, proxy):
    clean.setenv("https_proxy", proxy)
    with pytest.raises(EmbedderFailed):
        EMBEDS[0].ask("https://models.example")


@WAYS
def test_nothing_but_the_settings_adds_credentials(server, clean, tmp_path, way):
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine 127.0.0.1 login ada password of-the-netrc\n")
    netrc.chmod(0o600)
    clean.setenv("NETRC", str(netrc))
    clean.setenv("HOME", str(tmp_path))
    for name in (
        "OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY", "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN", "GOOGLE_API_KEY", "GEMINI_API_KEY",
    ):  # fmt: skip
        clean.setenv(name, "of-the-environment")
    for name in ("ANTHROPIC_CUSTOM_HEADERS", "OPENAI_CUSTOM_HEADERS"):
        clean.setenv(name, "x-secret: of-the-environment")
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL"):
        clean.setenv(name, "http://127.0.0.2:9/")
    server.script = [good(way)]
    way.ask(server.url, key="")
    assert "of-the" not in server.seen
    assert "authorization" not in server.headers[0]


@WAYS
def test_what_an_address_carries_goes_on_the_wire_and_nowhere_else(server, way, caplog):
    caplog.set_level(logging.DEBUG)
    server.script = [good(way)]
    address = server.url.replace("://", "://ada:s%40same-word@")
    clone = type(way)(way.name, f"{way.path}?token=s3same-word&api-version=7")
    clone.ask(address, key="")
    assert server.headers[0]["authorization"].startswith("Basic ")
    assert "token=s3same-word" in server.paths[0]
    assert "api-version=7" in server.paths[0]
    assert server.paths[0].startswith(f"{way.path}/")
    server.script = [wire.status(401)]
    with pytest.raises(ModelError) as caught:
        clone.ask(address, key="")
    told = "".join(traceback.format_exception(caught.value)) + caplog.text
    assert "same-word" not in told


@WAYS
@pytest.mark.parametrize(
    "act",
    [wire.status(401), wire.status(500), wire.drop, wire.raw(b"{"), wire.redirect("http://h/")],
)
def test_the_key_is_in_no_log_and_no_error(server, way, act, caplog):
    caplog.set_level(logging.DEBUG)
    server.script = [act]
    with pytest.raises(ModelError) as caught:
        way.ask(server.url)
    chain = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert KEY not in "".join(chain.format()).replace(
        f"key = '{KEY}'", ""
    )  # the test's own variable
    assert KEY not in caplog.text
    assert KEY not in repr(caught.value.evidence)


def test_the_libraries_never_hold_the_key(server):
    from reverie.models.chat import _client, _wire_model

    for way in CHATS:
        endpoint = Endpoint("compatible", "tiny", way.name, server.url, KEY)  # type: ignore[arg-type]
        model = _wire_model(endpoint, _client(endpoint, 1.0))
        held = vars(model.client) if hasattr(model, "client") else vars(model)
        assert KEY not in repr(held)
        assert KEY not in repr(endpoint)
        assert KEY not in repr(endpoint.route())


@pytest.mark.parametrize("host", ["models.example", "192.168.1.5:8000", "gpu-box", "[fd00::1]"])
def test_without_tls_a_key_stays_on_this_machine(host):
    for address, key in ((f"http://{host}/v1", KEY), (f"http://ada:{KEY}@{host}/v1", "")):
        with pytest.raises(EmbedderFailed, match=r"plain_http") as caught:
            HttpEmbedder(address, "m", kind="openai", key=key)
        assert KEY not in str(caught.value)
        endpoint = Endpoint("compatible", "m", "openai", address, key)
        with pytest.raises(BadSetting, match=r"plain_http"):
            ChatModel(endpoint)
        ChatModel(replace(endpoint, plain_http=True))
        HttpEmbedder(address, "m", kind="openai", key=key, plain_http=True)
    ChatModel(Endpoint("compatible", "m", "openai", f"http://{host}/v1"))


def test_the_setting_allows_a_key_without_tls():
    settings = EmbedderSettings("openai", "m", "http://gpu-box/v1", "K", plain_http=True)
    assert open_embedder(settings, {"K": KEY}) is not None
    with pytest.raises(EmbedderFailed, match="plain_http"):
        open_embedder(replace(settings, plain_http=False), {"K": KEY})


@pytest.mark.parametrize("key", ["line\nbreak", "schlüssel", "nul\0", "tab\tbed", "\x7f"])
def test_a_key_that_no_header_can_carry_is_refused_without_being_repeated(server, key):
    for make in (
        lambda: HttpEmbedder(server.url, "m", kind="openai", key=key),
        lambda: ChatModel(Endpoint("compatible", "m", "openai", server.url, key)),
    ):
        with pytest.raises((EmbedderFailed, BadSetting), match="no header can carry") as caught:
            make()
        assert key not in str(caught.value)


def test_a_key_with_a_line_break_at_its_end_is_the_key(server):
    server.script = [good(EMBEDS[0])]
    EMBEDS[0].ask(server.url, key=f"{KEY}\n")
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_a_certificate_that_nobody_vouches_for_is_refused(server, tmp_path):
    import ssl
    import subprocess

    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-keyout", "k.pem", "-out", "c.pem", "-addext", "subjectAltName=DNS:localhost"],
        cwd=tmp_path, capture_output=True, check=False,
    )  # fmt: skip
    if made.returncode != 0:
        pytest.skip("openssl cannot make a certificate here")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "c.pem", tmp_path / "k.pem")
    with wire.serving(tls=context) as secured:
        for way in (*CHATS, *EMBEDS):
            with pytest.raises(ModelError):
                way.ask(f"https://localhost:{secured.port}")
        assert secured.seen == repr(([], [], [], []))


@pytest.mark.parametrize("answers", [True, False])
def test_after_all_verbs_no_file_of_a_memory_and_no_log_has_the_key(
    open_memory, server, private_home, clean, caplog, answers
):
    caplog.set_level(logging.DEBUG)
    clean.setenv("OPENAI_API_KEY", KEY)
    server.script = [wire.openai('{"ids": []}') if answers else wire.status(500)]
    memory = open_memory(
        settings={
            "model.name": "openai:tiny", "model.url": f"{server.url}/v1?token=QXZ-{KEY}",
            "embedder.provider": "openai", "embedder.url": f"{server.url}/v1?token=QXZ-{KEY}",
        }
    )  # fmt: skip
    outcomes = [memory.remember("I prefer tabs over spaces"), memory.recall("tabs", wait=True)]
    said = [{"role": "user", "content": "I prefer dark mode in all editors.", "id": "t1"}]
    outcomes += [memory.extract(said, session="s"), memory.search("tabs"), memory.dream(force=True)]
    outcomes += [memory.stats(), memory.doctor(), memory.usage(), memory.forget("dark mode")]
    assert KEY in server.seen
    assert KEY not in repr(outcomes) + repr(memory.settings) + caplog.text
    for path in private_home.rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path
