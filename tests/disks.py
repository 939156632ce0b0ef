"""Disks that are full or may not be written: real ones, small, in a mount namespace of their own.

The work is done by a process that mounts a little disk, fills or closes it, and asks the memory on it.
As root that needs no more; a normal user gets a user namespace, where the system allows one.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

READ_ONLY = "read_only"
FULL = "disk_full"
UNSHARE = ["unshare", "--mount", *(() if os.getuid() == 0 else ("--map-root-user",))]


@cache
def can_mount() -> bool:
    """Say whether a little disk can be mounted here."""
    if shutil.which("unshare") is None:
        return False
    command = [*UNSHARE, "mount", "-t", "tmpfs", "none", "/mnt"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def on_a_disk(place: Path, *arguments: object) -> Any:
    """Run `python -m tests.disks` with a little disk mounted at a folder; return what it says."""
    place.mkdir()
    command = [*UNSHARE, sys.executable, "-m", "tests.disks", str(place), *map(str, arguments)]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


# --- in the process that has the disk -------------------------------------------------------------


class Disk:
    """The mounted disk, with a memory on it."""

    def __init__(self, place: str, size: str) -> None:
        self.place = Path(place)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", place], check=True)
        self.project = self.place / "project"
        (self.project / ".git").mkdir(parents=True)
        (self.project / "memory").mkdir()
        (self.project / "AGENTS.md").write_text("# Rules\n\nUse tabs.\n")
        (self.project / "memory/fox.md").write_text("# Fox\n\nThe fox is red.\n")
        os.environ["HOME"] = str(self.place / "home")

    def open(self, **options: Any) -> Any:
        from reverie.memory import Memory
        from tests.damage import Letters

        home = self.place / "home/.reverie"
        return Memory.open(self.project, home=home, embedder=Letters(), **options)

    def fill(self, *, free: int = 0) -> None:
        """Leave so many bytes free."""
        ballast = self.place / "ballast"
        ballast.unlink(missing_ok=True)
        facts = os.statvfs(self.place)
        room = facts.f_bavail * facts.f_frsize - free
        with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
            while room > 0:
                room -= file.write(bytes(min(room, 65536)))

    def close(self, trouble: str) -> None:
        """Make the disk unusable for whoever writes."""
        if trouble == FULL:
            self.fill()
        else:
            subprocess.run(["mount", "-o", "remount,ro", str(self.place)], check=True)


def answers(memory: Any, topic: str) -> dict[str, Any]:
    """Ask everything that only reads."""
    from reverie.types import Scope

    run = memory.log()[-1].id
    layers = memory.layers
    return {
        "recall": [item.rel for item in memory.recall("where does the otter sleep").topics],
        "search": [hit.path for hit in memory.search("fox or otter", min_score=0).results],
        "get": memory.get("memory/fox.md").text,
        "stats": memory.stats().total_files,
        "context": memory.context().text,
        "log": [item.id for item in memory.log()],
        "diff": len(memory.diff(run)),
        "blame": len(memory.blame(topic)),
        "doctor": [item.code for item in memory.doctor() if item.code not in (READ_ONLY, FULL)],
        "verify": memory.verify().ok,
        "prompt": layers.prompt().text,
        "turns": [turn.seq for turn in layers.history.latest(9).turns],
        "topics": [item.rel for item in memory.store.topics(Scope.PROJECT)],
    }


def reading(disk: Disk, trouble: str) -> dict[str, Any]:
    """Ask before and after the disk is closed, with and without an index; then try to write."""
    from reverie.errors import ReverieError
    from reverie.types import TextPart, TurnMessage

    with disk.open() as memory:
        memory.remember("The otter sleeps in the harbour", kind="project")
        memory.layers.append([TurnMessage("user", (TextPart("my ferry leaves at nine"),))])
        topic = memory.store.topics()[0].path
        before = answers(memory, topic)
    if "no-index" in sys.argv:
        for name in ("index", "recall", "agents"):
            shutil.rmtree(disk.place / "home/.reverie/state" / name)
    disk.close(trouble)
    refused: dict[str, str] = {}
    with disk.open() as memory:
        after = answers(memory, topic)
        told = [notice.code for notice in memory.notices]
        writes = {
            "remember": lambda: memory.remember("A heron eats fish", kind="project"),
            "save": lambda: memory.save("Herons eat fish", scope="project"),
            "forget": lambda: memory.forget("otter"),
            "index": lambda: memory.index(rebuild=True),
            "append": lambda: memory.layers.append([TurnMessage("user", (TextPart("more"),))]),
        }
        for name, write in writes.items():
            try:
                write()
                refused[name] = ""
            except ReverieError as error:
                refused[name] = error.code
        again = answers(memory, topic)
    return {"before": before, "after": after, "again": again, "told": told, "refused": refused}


def writing(disk: Disk, step: int, most: int) -> dict[str, Any]:
    """Remember with a little more room each time: what is acknowledged is there, the rest is not."""
    from reverie.errors import ReverieError

    kept: list[str] = []
    codes: set[str] = set()
    with disk.open() as memory:
        memory.remember("The otter sleeps in the harbour", kind="project")
    for number, free in enumerate(range(0, most, step)):
        disk.fill(free=free)
        fact = f"Number {number} has {free} bytes to be kept in"
        try:
            with disk.open() as memory:
                if memory.remember(fact, kind="project"):
                    kept.append(fact)
                memory.search("otter")
        except ReverieError as error:
            codes.add(error.code)
        with disk.open() as memory:
            found = "\n".join(topic.text for topic in memory.store.topics())
            assert all(known in found for known in kept), (free, "lost")
            assert memory.search("otter", min_score=0).results, (free, "not found")
            assert memory.verify().ok or disk_is_full(memory), (free, memory.verify().problems)
    disk.fill(free=8 << 20)
    with disk.open() as memory:
        found = "\n".join(topic.text for topic in memory.store.topics())
        missing = [known for known in kept if known not in found]
        strays = [str(path) for path in disk.place.rglob("*reverie-tmp*")]
        return {
            "kept": len(kept),
            "codes": sorted(codes),
            "missing": missing,
            "sound": memory.verify().ok,
            "strays": strays,
        }


class FillingClock:
    """Fills the disk when it is looked at for the n-th time: every step of a write looks at it."""

    def __init__(self, disk: Disk, at: int) -> None:
        self.disk, self.at, self.looks = disk, at, 0

    def __call__(self) -> datetime:
        self.looks += 1
        if self.looks == self.at:
            self.disk.fill()
        return datetime.now(UTC)


def stopping(disk: Disk) -> list[dict[str, Any]]:
    """Fill the disk at every step of a write in turn; tell what was said, and what became of it."""
    from reverie.errors import ReverieError

    with disk.open() as memory:
        memory.remember("The otter sleeps in the harbour", kind="project")
    told: list[dict[str, Any]] = []
    looks = at = 1
    while looks >= at:
        fact = f"The heron of step {at} stands in the reeds"
        clock = FillingClock(disk, at)
        said: dict[str, Any] = {"at": at, "code": "", "message": "", "run": ""}
        try:
            with disk.open(clock=clock) as memory:
                said["run"] = memory.remember(fact, kind="project").run
        except ReverieError as error:
            said |= {"code": error.code, "message": str(error), "run": error.evidence.get("run")}
        disk.fill(free=8 << 20)
        with disk.open() as memory:
            said["there"] = any(fact in topic.text for topic in memory.store.topics())
            said["log"] = [(run.id, run.verb, run.status) for run in memory.log()][:1]
            assert memory.verify().ok, (said, memory.verify().problems)
        told.append(said)
        looks, at = clock.looks, at + 1
    return told


def disk_is_full(memory: Any) -> bool:
    return any(notice.code in (FULL, "run_parked") for notice in memory.notices)


def main() -> Iterator[Any]:
    place, what, *rest = sys.argv[1:]
    disk = Disk(place, "24m")
    if what == "reading":
        yield reading(disk, rest[0])
    elif what == "faces":
        from tests.diskfaces import faces

        yield faces(disk, rest[0])
    elif what == "stopping":
        yield stopping(disk)
    else:
        yield writing(disk, int(rest[0]), int(rest[1]))


if __name__ == "__main__":
    for said in main():
        sys.stdout.write(json.dumps(said) + "\n")
