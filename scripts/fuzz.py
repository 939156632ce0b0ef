"""Coverage-guided fuzzing: inputs that reach new code are kept and grown.

Needs `atheris`, which is not among the development tools (it exists for few versions of Python):

    pip install --target /tmp/atheris atheris
    PYTHONPATH=/tmp/atheris python scripts/fuzz.py rules CORPUS -max_total_time=600

The first argument says what is fuzzed: `rules` (every public rule of `core` that takes a text), `readers` (of
formats of others, with more than a text) or `verbs` (all that a person can type into, end to end, on files of
such texts; TMPDIR=/dev/shm spares the disk). CORPUS is a folder of inputs; what is found is added to it.
Further arguments are libFuzzer's. Stops at the first error that has no code of ours, and at an input that
takes more processor time than its length allows; the input is left in a file named `crash-...`.
"""

from __future__ import annotations

import inspect
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parents[1]))

with atheris.instrument_imports(include=["reverie"], exclude=["reverie.postgres"]):
    from reverie.memory import Memory
    from tests.torture import readers
    from tests.torture import test_fuzz as rules

_SPLIT = "\x1e"
_SECONDS, _SECONDS_PER_CHARACTER = 2.0, 0.002
"""Instrumented code is slow, and so is a machine with others on it: this finds what does not end."""
_HOME_LASTS = 400
"""Inputs after which the verbs get a new home: what one of them wrote, others read."""


def rule_or_reader(target: str) -> Callable[[int, str, str], None]:
    """Give a text to the rule or reader that a number names."""
    named = list(readers.READERS.items())

    def one_rule(number: int, text: str, other: str) -> None:
        name, rule, wanted = rules.RULES[number % len(rules.RULES)]
        values = [text, *(rules.second_value(item, other) for item in wanted[1:])]
        pairs = list(zip(wanted, values, strict=True))
        positional = [value for item, value in pairs if item.kind is not item.KEYWORD_ONLY]
        more = {item.name: value for item, value in pairs if item.kind is item.KEYWORD_ONLY}
        try:
            made = rule(*positional, **more)
            if inspect.isgenerator(made):
                list(made)
        except (*rules.REFUSES, rules.MAY_REFUSE.get(name, rules.ReverieError)):
            return

    def one_reader(number: int, text: str, other: str) -> None:
        name, read = named[number % len(named)]
        try:
            read(text, other)
        except (*rules.REFUSES, readers.MAY_RAISE.get(name, rules.ReverieError)):
            return

    return one_rule if target == "rules" else one_reader


class Verbs:
    """Types texts into the verb that a number names, in a home that others have typed into before."""

    def __init__(self) -> None:
        self._place: Path | None = None
        self._memory: Memory | None = None
        self._left = 0

    def __call__(self, number: int, text: str, other: str) -> None:
        """Type one text; the other is what stands in the files."""
        memory = self._opened()
        if other:
            for path in ("AGENTS.md", "memory/a.md"):
                Path(memory.workspace.base, path).write_text(other, encoding="utf-8")
        looks = [memory.context, memory.doctor, memory.prompt, lambda: memory.dream(force=True)]
        acts = [*rules.verbs(memory, text), *looks]
        try:
            acts[number % len(acts)]()
        except rules.REFUSES:
            return

    def _opened(self) -> Memory:
        if self._memory is None or self._left == 0:
            self._close()
            self._place = Path(tempfile.mkdtemp())
            project = self._place / "project"
            (project / ".git").mkdir(parents=True)
            (project / "memory").mkdir()
            self._memory = Memory.open(project, home=self._place / "home")
            self._left = _HOME_LASTS
        self._left -= 1
        return self._memory

    def _close(self) -> None:
        if self._memory is not None:
            self._memory.close()
        if self._place is not None:
            shutil.rmtree(self._place)


def main() -> None:
    """Fill an empty corpus with the fragments that mean something to some rule, and begin."""
    target = sys.argv.pop(1)
    act = Verbs() if target == "verbs" else rule_or_reader(target)
    count = {"rules": len(rules.RULES), "readers": len(readers.READERS), "verbs": 25}[target]
    folder = next((Path(item) for item in sys.argv[1:] if not item.startswith("-")), None)
    if folder is not None and not folder.exists():
        folder.mkdir(parents=True)
        for number in range(count):
            for at in range(number % 7, len(rules.FRAGMENTS), 7):
                text = "".join(rules.FRAGMENTS[at : at + 4])
                data = bytes([number]) + text.encode("utf-8", "replace")
                (folder / f"{number}-{at}").write_bytes(data)

    def one_input(data: bytes) -> None:
        if not data:
            return
        text, _, other = data[1:].decode("utf-8", "replace").partition(_SPLIT)
        began = time.process_time()
        act(data[0], text, other)
        took = time.process_time() - began
        if took > _SECONDS + _SECONDS_PER_CHARACTER * len(data):
            raise AssertionError(f"{took:.1f} s for {len(data)} bytes")

    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
