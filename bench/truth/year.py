"""A year in one run: the conversations of one project, day by day, with what hooks do at each step.

Rules
- The clock is the conversation's. Each prompt is recalled for, each conversation is learned from when it ends
  (by the functions that hooks call), and a dream is offered when a day is over, as the session's end does.
- Nothing waits: what is measured is processor time.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.truth.truth_sets import Row
from reverie.core.topics.smalltalk import scrubbed
from reverie.memory import Memory
from reverie.memory.afterwards import extracted
from reverie.types import Skipped

_FEW = 20  # prompts at each end whose time is compared


def replay(days: Sequence[Row], *, limit: int = 0) -> dict[str, object]:
    """Live through the conversations; return what memory looks like afterwards."""
    told = list(days)[: limit or len(days)]
    prompts = recalled = chars = dreams = 0
    spent: list[float] = []
    now = datetime(1970, 1, 1, tzinfo=UTC)
    with tempfile.TemporaryDirectory() as name:
        project, home = Path(name, "project"), Path(name, "home")
        Path(project, ".git").mkdir(parents=True)
        for number, row in enumerate(told):
            now = datetime.fromisoformat(row["at"])
            with Memory.open(project, home=home, clock=lambda: now) as memory:  # noqa: B023
                for message in row["messages"]:
                    if message["role"] != "user" or not scrubbed(message["content"]).strip():
                        continue
                    start = time.process_time()
                    block = memory.recall(scrubbed(message["content"])).block
                    spent.append(time.process_time() - start)
                    prompts += 1
                    recalled += bool(block)
                    chars += len(block)
                extracted(memory, row["messages"], session=row["id"])
                following = told[number + 1]["at"][:10] if number + 1 < len(told) else ""
                if row["at"][:10] != following:
                    dreams += not isinstance(memory.dream(), Skipped)
        with Memory.open(project, home=home, clock=lambda: now) as memory:
            topics = memory.verb_context.store.topics()
            entries = [entry for topic in topics for entry in topic.entries]
            heard = getattr(memory, "heard", None)
            waiting = len(heard()) if callable(heard) else "no shelf"
            problems = len(memory.doctor())
        files = [path for path in home.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
    first, last = sum(spent[:_FEW]), sum(spent[-_FEW:])
    return {
        "conversations": len(told),
        "from": told[0]["at"][:10],
        "to": told[-1]["at"][:10],
        "prompts": prompts,
        "prompts that got a memory": recalled,
        "characters a block has": round(chars / max(1, recalled)),
        "entries kept": len(entries),
        "of them superseded": sum("until" in entry.summary.lower() for entry in entries),
        "heard": waiting,
        "dreams": dreams,
        "problems that doctor sees": problems,
        "home in kilobytes": round(size / 1024),
        "processor time of the last prompts to the first": round(last / max(first, 1e-9), 2),
    }
