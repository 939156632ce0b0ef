"""The names people may import."""

from __future__ import annotations

import reverie
from reverie.errors import ReverieError, all_errors


def test_every_public_name_can_be_imported():
    assert set(reverie.__all__) == {"__version__", "AsyncMemory", "Memory", "ReverieError"}
    for name in reverie.__all__:
        assert getattr(reverie, name)


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(reverie, "Mermory")


def test_every_error_has_a_code_a_status_an_exit_code_and_a_meaning():
    for error in all_errors():
        assert error.code == error.code.lower()
        assert 400 <= error.status < 600
        assert 0 < error.exit_code < 128
        assert str(error()) == error.meaning() == (error.__doc__ or "").strip().splitlines()[0]
        assert error.fix


def test_codes_are_unique():
    codes = [error.code for error in all_errors() if error is not ReverieError]
    assert len(codes) == len(set(codes))
