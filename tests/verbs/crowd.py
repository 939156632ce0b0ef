"""What many do at once to the same memory; each returns what was refused. Run as a program, one of them.

The program does whatever each line of its input tells it to do, until there are no more.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

from reverie.errors import ReverieError
from reverie.memory import Memory
from reverie.types import Change, RunInfo, Scope, TextPart, TurnMessage

WORDS = [
    "apple",
    "berry",
    "cedar",
    "delta",
    "ember",
    "falcon",
    "garnet",
    "harbor",
    "indigo",
    "jasper",
]
Act = Callable[[Memory, str, int], object]


def save(memory: Memory, who: str, number: int) -> object:
    return memory.save(f"fact {number} of {who}", scope="project")


def remember(memory: Memory, who: str, number: int) -> object:
    return memory.remember(
        f"Note {number} of {who} is kept", name=f"note {number} of {who}", clean=True
    )


def remember_more(memory: Memory, who: str, number: int) -> object:
    """Say the same thing with more words, which updates one file."""
    return memory.remember(f"The shared garden gate opens at seven, says {who} {number}")


def forget(memory: Memory, who: str, number: int) -> object:
    """Take one entry of a file out, of which somebody else takes out another."""
    done = memory.forget(f"Sentence {WORDS[number]} of {who}", limit=1)
    assert len(done.removed_entries) == 1, done
    return done


def note(memory: Memory, who: str, number: int) -> object:
    return memory.layers.add_note(f"words {number} of {who}", title="the same title")


def note_map(memory: Memory, who: str, number: int) -> object:
    made = memory.layers.add_note(f"words {number} of {who}", title=f"{who} {number}")
    return memory.layers.map_notes("the map", [made.id])


def working(memory: Memory, who: str, number: int) -> object:
    return memory.layers.change_working("add", "context", f"{who} {number}")


def history(memory: Memory, who: str, number: int) -> object:
    said = [TurnMessage(role, (TextPart(f"{who} {number}"),)) for role in ("user", "assistant")]
    return memory.layers.append(said, session=who)


def import_(memory: Memory, who: str, number: int) -> object:
    """Bring a note under a name that everybody uses."""
    folder = Path(memory.workspace.base).parent / f"vault-{who}-{number}"
    folder.mkdir()
    (folder / "note.md").write_text(f"# Note\n\nfrom {who}, number {number}\n")
    return memory.import_(folder, format="markdown", shape="topics", scope="user")


def undo(memory: Memory, who: str, number: int) -> object:
    """Take back an own save, in a file that everybody writes to."""
    saved = memory.save(f"fact {number} of {who}", scope="project")
    return memory.undo(saved.run)  # type: ignore[union-attr]


def replace(memory: Memory, who: str, number: int) -> object:
    return memory.write_context(f"{who} {number}\n", scope="project", mode="replace")


def replace_edited(memory: Memory, who: str, number: int) -> object:
    text = f"{who} {number}\n"
    return memory.save("x", scope="project", modified_by_user=True, modified_content=text)


def archive(memory: Memory, who: str, number: int) -> object:
    memory.save(f"fact {number} of {who}", scope="project")
    return memory.archive_context()


def pin(memory: Memory, who: str, number: int) -> object:
    kept = memory.remember(f"Pin {number} of {who}", name=f"pin {number} of {who}", clean=True)
    rel = kept.path.removeprefix(f"{memory.workspace.memory_root(kept.scope)}/")
    memory.pin(kept.scope, rel)
    return memory.pin(kept.scope, f"pinned/{rel}", pinned=False)


def dream(memory: Memory, who: str, number: int) -> object:
    memory.remember(f"Dream {number} of {who}", clean=True)
    return memory.dream(force=True)


def extract(memory: Memory, who: str, number: int) -> object:
    said = [{"role": "user", "content": f"I prefer tabs over spaces in {who}{number} files."}]
    return memory.extract(said, session=f"{who}-{number}")


ACTS: dict[str, Act] = {
    act.__name__: act
    for act in (
        save, remember, remember_more, forget, note, note_map, working, history, import_, undo,
        replace, replace_edited, archive, pin, dream, extract,
    )
}  # fmt: skip


def prepare(memory: Memory, act: str, names: list[str], count: int) -> None:
    """Write what an act is about."""
    if act == "undo":
        memory.save("the first fact", scope="project")
    if act == "forget":
        lines = [
            f"- Sentence {WORDS[number]} of {who}\n" for who in names for number in range(count)
        ]
        head = "---\nname: many\ndescription: many sentences\ntype: user\n---\n\n"
        path = f"{memory.workspace.memory_root(Scope.USER)}/user/many.md"
        memory.store.apply([Change(path, head + "\n".join(lines), None)], RunInfo("test"))


def refused(act: str, memory: Memory, who: str, count: int) -> list[str]:
    """Do something several times; return what was refused."""
    told = []
    for number in range(count):
        try:
            ACTS[act](memory, who, number)
        except ReverieError as error:
            told.append(f"{type(error).__name__}: {error}")
    return told


if __name__ == "__main__":
    settings = {"memory.lock_wait_seconds": 300}
    for line in sys.stdin:
        name, project, home, person, times = json.loads(line)
        with Memory.open(project, home=home, settings=settings) as opened:
            print(json.dumps(refused(name, opened, person, times)), flush=True)
