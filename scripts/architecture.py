"""Draw the rings and rooms into docs/architecture.md, and count what the five ways cross.

python scripts/architecture.py            write the picture, from the table that tests/test_layers.py checks
python scripts/architecture.py --check    only say whether it is up to date
python scripts/architecture.py --ways     run the five ways in a temporary home; write what each crossed
"""

from __future__ import annotations

import ast
import asyncio
import re
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.test_layers import LARGE, RANKS, SOURCE, knots, packages, reached, rooms  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

PAGE = ROOT / "docs" / "architecture.md"


def about(path: Path) -> str:
    """The first line of what a folder or module says of itself."""
    place = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    said = ast.get_docstring(ast.parse(place.read_text(encoding="utf-8"))) or ""
    return said.splitlines()[0].removesuffix(".")


def held(folder: Path) -> int:
    """How many modules a folder holds, with those of its rooms."""
    return len([*folder.rglob("*.py")]) if folder.is_dir() else 1


def rings() -> str:
    """The rings, outermost first, as text."""
    lines = ["```text"]
    for names in reversed(RANKS):
        shown = [f"{name} ({held(SOURCE / name)})" for name in sorted(names) if exists(name)]
        if shown:
            lines.append("  ".join(shown))
    return "\n".join([*lines, "```"])


def exists(name: str) -> bool:
    """Tell whether there is a package or module of this name."""
    return (SOURCE / name).is_dir() or (SOURCE / name).with_suffix(".py").exists()


def reduced(graph: dict[str, set[str]]) -> Iterator[tuple[str, str]]:
    """The edges that do not follow from others."""
    for here, there in graph.items():
        for room in sorted(there):
            if not any(room in reached(graph, other) for other in there - {room}):
                yield here, room


def core() -> str:
    """The rooms of core as a graph: an arrow goes to the room that is imported from."""
    lines = ["```mermaid", "flowchart TD"]
    lines += [f"    {here} --> {there}" for here, there in reduced(rooms("core"))]
    return "\n".join([*lines, "```"])


def table() -> str:
    """Every room, with how many modules it holds and what it says of itself."""
    lines = ["| room | modules | what it holds |", "|---|---|---|"]
    for package in packages():
        folders = sorted(path.parent for path in (SOURCE / package).glob("*/__init__.py"))
        lines.append(_row(SOURCE / package))
        lines.extend(map(_row, folders))
    alone = sorted({name for names in RANKS for name in names} - set(packages()))
    lines.extend(_row(SOURCE / name) for name in alone if exists(name))
    return "\n".join(lines)


def _row(place: Path) -> str:
    name = place.relative_to(SOURCE).as_posix()
    bold = "**" if name in packages() else ""
    return f"| {bold}`{name}`{bold} | {held(place)} | {about(place)} |"


def knotted() -> str:
    """What is not untied yet."""
    lines = [
        f"- `{package}`: {', '.join(f'`{room}`' for room in sorted(knot))}"
        for package in packages()
        for knot in knots(package)
    ]
    lines += [f"- `{folder}` holds more than 18 modules: {why}." for folder, why in LARGE.items()]
    return "\n".join(lines)


PARTS: dict[str, Callable[[], str]] = {
    "rings": rings,
    "core": core,
    "rooms": table,
    "knots": knotted,
}


def put(text: str, name: str, part: str) -> str:
    """Replace one marked part of the page."""
    begin, end = f"<!-- {name}: scripts/architecture.py -->\n", f"\n<!-- end of {name} -->"
    assert begin in text, f"{PAGE.name} has no part {name}"
    assert end in text, f"{PAGE.name} does not end the part {name}"
    pattern = f"{re.escape(begin)}.*?{re.escape(end)}"
    return re.sub(pattern, lambda _: f"{begin}{part}{end}", text, count=1, flags=re.DOTALL)


# --- the five ways ---------------------------------------------------------------------------------


class Watch:
    """Which functions of ours run, in this thread and in those started later."""

    def __init__(self) -> None:
        self.on = False
        self.functions: set[tuple[str, str]] = set()

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Note a call."""
        code = frame.f_code
        if self.on and event == "call" and code.co_filename.startswith(str(SOURCE)):
            module = Path(code.co_filename).relative_to(SOURCE).with_suffix("")
            self.functions.add((".".join(module.parts), code.co_qualname))

    def during(self, work: Callable[[], object]) -> tuple[int, list[str]]:
        """Count the functions a call runs, and list their modules; our client is not the way."""
        self.functions.clear()
        self.on = True
        try:
            work()
        finally:
            self.on = False
        inside = {
            (module, name) for module, name in self.functions if not module.startswith("client")
        }
        return len(inside), sorted({module for module, _ in inside})


def measured() -> dict[str, tuple[int, list[str]]]:
    """Run each way twice in a memory of a temporary home, and watch the second."""
    watch = Watch()
    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        with tempfile.TemporaryDirectory(prefix="ways-") as folder:
            return {**_in_process(Path(folder), watch), **_over_http(Path(folder), watch)}
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


def _in_process(folder: Path, watch: Watch) -> dict[str, tuple[int, list[str]]]:
    from reverie.memory import Memory

    project = folder / "project"
    project.mkdir()
    with Memory.open(project, home=folder / "home") as memory:
        ways: dict[str, Callable[[str], object]] = {
            "remember": lambda day: memory.remember(
                f"We deploy the shop on {day}, after the standup"
            ),
            "recall": lambda day: memory.recall(f"when do we deploy the shop, on {day}?"),
            "search": lambda day: memory.search(f"deploy {day}"),
        }
        found = {}
        for name, way in ways.items():
            way("Tuesday")
            found[name] = watch.during(lambda way=way: way("Thursday"))  # type: ignore[misc]
        twice(memory.workspace.project_memory, "card", "We pay the hosting by card every month")
        memory.dream(force=True)
        twice(memory.workspace.project_memory, "nine", "The shop opens at nine on weekdays")
        found["dream"] = watch.during(lambda: memory.dream(force=True))
        return found


def twice(root: str, name: str, said: str) -> None:
    """Write down a statement as two topics, for a dream to make one."""
    for number in (1, 2):
        path = Path(root) / "project" / f"{name}-{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"---\nname: {name} {number}\ntype: project\n---\n\n- {said}\n", encoding="utf-8"
        )


def _over_http(folder: Path, watch: Watch) -> dict[str, tuple[int, list[str]]]:
    from functools import partial

    from reverie.client import Client
    from reverie.daemon.host import Host
    from reverie.daemon.http.auth import gate_for
    from reverie.daemon.serve import listen, run, server_for
    from reverie.memory import Memory

    listener = listen("127.0.0.1", 0, (), or_any=False)
    port = listener.getsockname()[1]
    opener = partial(Memory.open, folder / "project", home=folder / "home")
    host = Host([opener], gate=gate_for("token", host="127.0.0.1", port=port))
    ready = threading.Event()
    server = server_for(host, ready=ready.set)
    thread = threading.Thread(target=lambda: asyncio.run(run(host, server, [listener])))
    thread.start()
    ready.wait()
    try:
        with Client(f"http://127.0.0.1:{port}", token="token") as client:  # noqa: S106
            client.wait(client.remember("The tests run on every push"))
            return {
                "task": watch.during(
                    lambda: client.wait(client.remember("The page is drawn by the daemon itself"))
                )
            }
    finally:
        server.should_exit = True
        thread.join()


def ways() -> str:
    """What the five ways cross, as a table."""
    lines = ["| way | functions | modules | rooms | which rooms |", "|---|---|---|---|---|"]
    found = measured()
    for name in ("remember", "recall", "search", "task", "dream"):
        functions, modules = found[name]
        crossed = sorted({_room(module) for module in modules}, key=_place)
        rooms_crossed = ", ".join(f"`{room}`" for room in crossed)
        lines.append(
            f"| {name} | {functions} | {len(modules)} | {len(crossed)} | {rooms_crossed} |"
        )
    return "\n".join(lines)


def _room(module: str) -> str:
    """The folder of a module; one that stands alone in a package is in the package's own room."""
    parts = [*module.split("."), "-"]
    return "/".join(parts[:2] if (SOURCE / parts[0] / parts[1]).is_dir() else parts[:1])


def _place(room: str) -> tuple[int, str]:
    package = room.split("/")[0]
    return -next(place for place, names in enumerate(RANKS) if package in names), room


def main() -> None:
    """Write the page's generated parts, or check them."""
    text = PAGE.read_text(encoding="utf-8")
    new = text
    for name, part in PARTS.items():
        new = put(new, name, part())
    if "--check" in sys.argv:
        sys.exit(
            "run scripts/architecture.py: docs/architecture.md would change" if new != text else 0
        )
    if "--ways" in sys.argv:
        new = put(new, "ways", ways())
    PAGE.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
