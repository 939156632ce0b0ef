"""Coverage-guided fuzzing of every rule that reads text: inputs that reach new code are kept and grown.

Needs `atheris`, which is not among the development tools (it exists for few versions of Python):

    pip install --target /tmp/atheris atheris
    PYTHONPATH=/tmp/atheris python scripts/fuzz.py CORPUS -max_total_time=600

CORPUS is a folder of inputs; what is found is added to it. Further arguments are libFuzzer's. Stops at the
first error that has no code of ours; the input is left in a file named `crash-...`, an argument, too.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parents[1]))

with atheris.instrument_imports(include=["reverie.core"]):
    from tests.torture import test_fuzz as rules

_SPLIT = "\x1e"


def one_input(data: bytes) -> None:
    """Give a text to the rule that the first byte names; a second text stands behind a separator."""
    if not data:
        return
    name, rule, wanted = rules.RULES[data[0] % len(rules.RULES)]
    text, _, other = data[1:].decode("utf-8", "replace").partition(_SPLIT)
    values = [text, *(rules.second_value(item, other) for item in wanted[1:])]
    pairs = list(zip(wanted, values, strict=True))
    positional = [value for item, value in pairs if item.kind is not item.KEYWORD_ONLY]
    named = {item.name: value for item, value in pairs if item.kind is item.KEYWORD_ONLY}
    try:
        made = rule(*positional, **named)
        if inspect.isgenerator(made):
            list(made)
    except (*rules.REFUSES, rules.MAY_REFUSE.get(name, rules.ReverieError)):
        return


def main() -> None:
    """Fill an empty corpus with the fragments that mean something to some rule, and begin."""
    folder = next((Path(item) for item in sys.argv[1:] if not item.startswith("-")), None)
    if folder is not None and not folder.exists():
        folder.mkdir(parents=True)
        for number in range(len(rules.RULES)):
            for at in range(number % 7, len(rules.FRAGMENTS), 7):
                text = "".join(rules.FRAGMENTS[at : at + 4])
                data = bytes([number]) + text.encode("utf-8", "replace")
                (folder / f"{number}-{at}").write_bytes(data)
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
