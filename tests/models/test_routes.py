"""Routes: what an address says about where text may go."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.errors import BadSetting
from reverie.models.routes import is_local, is_loopback, route_to


def route(address: str, **options):
    return route_to(address, setting="model.url", **options)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.0.0.2", "127.1", "2130706433", "0x7f.0.0.1", "0x7f000001", "0177.0.0.1",
        "localhost", "LOCALHOST", "localhost.", "a.localhost", "::1", "0:0:0:0:0:0:0:1",
        "::ffff:127.0.0.1", "0.0.0.0", "::", "127.255.255.254",  # noqa: S104
    ],
)  # fmt: skip
def test_this_machine_is_known_however_it_is_written(host):
    assert is_loopback(host)
    assert is_local(host)


@pytest.mark.parametrize(
    "host",
    [
        "192.168.1.5", "10.1.2.3", "172.16.0.1", "172.31.255.255", "169.254.1.1", "100.64.0.1",
        "::ffff:10.0.0.1", "fd00::1", "fe80::1", "fe80::1%eth0", "gpu-box", "ollama", "box.local",
        "localhost.localdomain", "box.lan", "model.internal", "host.docker.internal", "nas.home.arpa",
    ],
)  # fmt: skip
def test_the_own_network_is_local_and_not_this_machine(host):
    assert is_local(host)
    assert not is_loopback(host)


@pytest.mark.parametrize(
    "host",
    [
        "models.example", "8.8.8.8", "172.32.0.1", "11.0.0.1", "2001:db8::1", "128.0.0.1",
        "127.0.0.1.example", "localhost.example", "notlocal", "mylocalhost.example", "1.2.3.4.5",
        "127.0.0.256", "08.8.8.8",
    ],
)  # fmt: skip
def test_everything_else_is_elsewhere(host):
    assert not is_loopback(host)
    assert not is_local(host) or "." not in host


@pytest.mark.parametrize(
    "address",
    [
        "", "h", "file:///etc/passwd", "ftp://h/", "http://", "https:///v1", "http://h:99999/", "http://[::1",
        "http://h:port/", "http://a b/", "http://h\r\nx: y/", "http://h\u202e.example/",
        "javascript:alert(1)",
        "http://ada:QXZ@:80/", "unix:///x?QXZ",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_without_its_secrets(address):
    with pytest.raises(BadSetting) as caught:
        route(address)
    assert "QXZ" not in str(caught.value)


def test_a_route_is_its_host_and_holds_the_rest_apart():
    found = route("https://ada:s%40me@Models.Example:8443/v1/?key=QXZ&a=b", path="/embeddings")
    assert (found.scheme, found.host, found.port) == ("https", "models.example", 8443)
    assert found.url == "https://Models.Example:8443/v1/embeddings"
    assert found.query == (("key", "QXZ"), ("a", "b"))
    assert base64.b64decode(found.secrets["Authorization"].removeprefix("Basic ")) == b"ada:s@me"
    assert "QXZ" not in repr(found)
    assert "Basic" not in repr(found)
    assert route("http://127.0.0.1", key="k", header="x-api-key").secrets == {"x-api-key": "k"}
    assert route("http://[::1]:8000/v1").name == "[::1]:8000"
    with pytest.raises(BadSetting, match="only one"):
        route("https://ada:x@h", key="k")


@given(st.text(max_size=40), st.text(max_size=10))
def test_any_text_is_a_route_or_a_setting_that_is_wrong(text, key):
    for address in (text, f"https://{text}", f"http://h/{text}"):
        try:
            found = route(address, key=key)
        except BadSetting:
            continue
        assert found.url.startswith((f"{found.scheme}://",))
        assert "@" not in found.url.split("/")[2]
