"""How often a tenant may ask: so many requests a minute of each daemon, and as many at once after a pause."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Final

from reverie.errors import RateLimited

_MINUTE: Final = 60.0
_MOST_TENANTS: Final = 10_000


class Rates:
    """What is left to each tenant that has a limit; it fills up again all the time."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._left: dict[str, tuple[float, float]] = {}
        """How many requests are left, and when that was so; the longest unused stand first."""

    def take(self, tenant: str, most: int) -> None:
        """Count a request, or raise when there were too many; what is refused is not counted."""
        now = self._now()
        left, then = self._left.pop(tenant, (float(most), now))
        left = min(left + (now - then) * most / _MINUTE, float(most))
        enough = left >= 1
        self._left[tenant] = (left - 1 if enough else left, now)
        while len(self._left) > _MOST_TENANTS:
            del self._left[next(iter(self._left))]
        if not enough:
            wait = math.ceil((1 - left) * _MINUTE / most)
            raise RateLimited(
                f"this tenant may send {most:,} requests a minute, and has sent them; nothing was done,"
                f" try again in {wait} s",
                quota="requests",
                retry_after=wait,
            )
