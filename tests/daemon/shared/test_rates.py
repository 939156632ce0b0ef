"""A tenant may ask so often a minute."""

from __future__ import annotations

import pytest

from reverie.daemon.shared.rates import Rates
from reverie.errors import RateLimited


def test_what_was_used_up_comes_back_with_time_and_never_more_than_that() -> None:
    now = 0.0
    rates = Rates(lambda: now)
    for _ in range(6):
        rates.take("acme", 6)
    with pytest.raises(RateLimited) as refused:
        rates.take("acme", 6)
    assert refused.value.evidence["retry_after"] == 10
    rates.take("other", 1)

    now = 10.0
    rates.take("acme", 6)
    with pytest.raises(RateLimited):
        rates.take("acme", 6)
    now = 10_000.0
    for _ in range(6):
        rates.take("acme", 6)
    with pytest.raises(RateLimited):
        rates.take("acme", 6)
