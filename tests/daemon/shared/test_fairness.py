"""Threads that tenants share: a crowd of one does not keep another waiting, nor out."""

from __future__ import annotations

import asyncio
import threading

import pytest

from reverie.daemon.shared.fairness import FairWorkers
from reverie.errors import EngineUnavailable, TenantBusy

WAIT = 30.0


async def until(workers: FairWorkers, tenant: str, *, inside: int) -> None:
    async with asyncio.timeout(WAIT):
        while workers._inside[tenant] < inside:  # noqa: ASYNC110  # the next turn of the loop
            await asyncio.sleep(0)


def test_a_crowd_of_one_tenant_leaves_threads_to_others():
    async def main() -> str:
        workers = FairWorkers("verb", size=4, most=100)
        gate = threading.Event()
        crowd = [
            asyncio.ensure_future(workers.share("crowd").run(lambda: gate.wait(WAIT)))
            for _ in range(20)
        ]
        await until(workers, "crowd", inside=20)
        async with asyncio.timeout(WAIT):
            answer = await workers.share("single").run(lambda: "answered")
        assert not any(one.done() for one in crowd)
        gate.set()
        assert await asyncio.gather(*crowd) == [True] * 20
        workers.stop()
        return answer

    assert asyncio.run(main()) == "answered"


def test_a_full_room_lets_in_who_has_less_than_its_share():
    async def main() -> None:
        workers = FairWorkers("verb", size=2, most=6)
        gate = threading.Event()
        crowd = [
            asyncio.ensure_future(workers.share("crowd").run(lambda: gate.wait(WAIT)))
            for _ in range(6)
        ]
        await until(workers, "crowd", inside=6)
        with pytest.raises(TenantBusy, match="6 calls of this tenant"):
            await workers.share("crowd").run(lambda: None)
        others = [
            asyncio.ensure_future(workers.share(f"t{n}").run(lambda: gate.wait(WAIT)))
            for n in range(6)
        ]
        await until(workers, "t5", inside=1)
        with pytest.raises(EngineUnavailable):
            await workers.share("one too many").run(lambda: None)
        assert workers.refused == 2
        gate.set()
        await asyncio.gather(*crowd, *others)
        workers.stop()

    asyncio.run(main())


def test_work_that_fails_frees_its_thread():
    async def main() -> int:
        workers = FairWorkers("verb", size=2, most=6)
        for _ in range(5):
            with pytest.raises(ZeroDivisionError):
                await workers.share("t").run(lambda: 1 / 0)
        found = await workers.share("t").run(lambda: 7)
        workers.stop()
        return found

    assert asyncio.run(main()) == 7


def test_threads_that_look_at_the_same_moment_leave_some_to_others():
    """Whichever thread comes first to its work: what the others took counts already."""

    async def main() -> None:
        workers = FairWorkers("verb", size=4, most=100)
        workers._started = 4  # the threads are us
        crowd = [asyncio.ensure_future(workers.share("crowd").run(int)) for _ in range(4)]
        await until(workers, "crowd", inside=4)
        taken = [workers._take() for _ in range(4)]
        assert taken.index(None) == 3
        single = asyncio.ensure_future(workers.share("single").run(int))
        await until(workers, "single", inside=1)
        assert workers._take()
        workers._finished(taken[0])
        assert workers._take()
        for one in (*crowd, single):
            one.cancel()
        await asyncio.gather(*crowd, single, return_exceptions=True)

    asyncio.run(main())
