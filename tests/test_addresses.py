"""How an address of a setting is shown: its secrets never."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.config.addresses import shown_address


@pytest.mark.parametrize(
    "address",
    [
        "",
        "http://127.0.0.1:11434",
        "https://api.openai.com/v1",
        "https://Models.Example:8443/openai/deployments/gpt-4o?api-version=2024-10-21",
        "http://[::1]:8000/v1",
        "postgresql:///memory",
        "postgresql://db.example/memory?sslmode=require",
        "postgresql://ada@db.example:5432/memory",
        "postgresql://one:5432,two:5433/memory?target_session_attrs=any",
        "localhost:11434",
        "db.example/memory",
        "host=db user=ada dbname=memory",
    ],
)
def test_an_address_without_secrets_is_shown_as_it_is(address):
    assert shown_address(address) == address


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://ada:s3same@db/m", "postgresql://ada:***@db/m"),
        ("postgres://ada:p%40ss@db/m", "postgres://ada:***@db/m"),
        ("POSTGRESQL://ada:s3same@db/m", "POSTGRESQL://ada:***@db/m"),
        ("postgresql+psycopg://ada:s3same@db/m", "postgresql+psycopg://ada:***@db/m"),
        ("postgresql://ada:s3@same@db/m", "postgresql://ada:***@db/m"),
        ("postgresql://ada:s3/s@me@db/m", "postgresql://ada:***@db/m"),
        ("postgresql://ada:s3?same@db/m", "postgresql://ada:***@db/m"),
        ("postgresql://ada:s3#same@db/m", "postgresql://ada:***@db/m"),
        ("postgresql://ada:s3same", "postgresql://***"),
        ("postgresql://db/m?user=ada&password=s3same", "postgresql://db/m?user=ada&password=***"),
        ("postgresql://db/m?PassWord=s3same", "postgresql://db/m?PassWord=***"),
        ("postgresql://db/m?sslpassword=s3same", "postgresql://db/m?sslpassword=***"),
        ("https://s3same@h/v1", "https://***@h/v1"),
        ("https://ada:s3same@h/v1", "https://***@h/v1"),
        ("https://h/v1?api_key=s3same&api-version=1", "https://h/v1?api_key=***&api-version=1"),
        ("https://h/v1?s3same", "https://h/v1?***"),
        ("https://h/v1#s3same", "https://h/v1#***"),
        ("https://h/sk-s3same-s3same/v1", "https://h/***/v1"),
        ("https://h/Zm9vYmFyQmF6cXV4MTIzNDU2Nzg5/v1", "https://h/***/v1"),
        ("host=db password=s3same user=ada", "host=db password=*** user=ada"),
        (r"host=db password='s3 \'same' user=ada", "host=db password=*** user=ada"),
        ("host=db password=s3 same user=ada", "***"),
        ("ada:s3same@db", "***"),
    ],
)
def test_what_gives_access_is_hidden(address, shown):
    assert shown_address(address) == shown


SECRET = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=0, max_size=12).map(
    lambda text: f"QXZ{text}QXZ"
)


@given(SECRET, st.sampled_from(["postgresql", "https", "http", "postgres"]))
def test_no_password_is_shown_whatever_it_holds(secret, scheme):
    for address in (
        f"{scheme}://ada:{secret}@host.example/place",
        f"{scheme}://ada:{secret}@host.example:5432/place?sslmode=require",
    ):
        assert "QXZ" not in shown_address(address)


@given(
    st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="&#"), max_size=9)
)
def test_no_unknown_parameter_is_shown(value):
    for name in ("password", "sslpassword", "key", "token", "anything"):
        shown = shown_address(f"https://h/v1?{name}=QXZ{value}QXZ&sslmode=require")
        assert "QXZ" not in shown
        assert shown.endswith("&sslmode=require")


@given(st.text(max_size=60))
def test_any_text_can_be_shown_and_stays_hidden(text):
    once = shown_address(text)
    assert shown_address(once) == once or "***" in once


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["@", ":", "?", "a=", "'", "\\", "/a1B", " ", "[", "&", "a=' "])
def test_the_time_grows_with_the_length(piece):
    def cost(length: int) -> float:
        text = "https://" + piece * length
        begun = time.process_time()
        for one in (text, piece * length):
            shown_address(one)
        return time.process_time() - begun

    cost(1_000)
    assert cost(200_000) < 60 * max(cost(10_000), 0.002)
