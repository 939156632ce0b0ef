"""Draw what `reverie bench growth` measured: `python -m bench.speed.plot FIGURES.json PICTURE.svg`.

Both axes are logarithmic, so that a straight line is a power and its steepness the slope.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

_WIDTH, _HEIGHT = 760, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 250, 24, 50
# Told apart also by who does not see all colours (Okabe and Ito), and by their dashes.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#000000")
_DASHES = ("", "6 3", "2 2", "8 3 2 3")


def draw(figures: Mapping[str, Mapping[str, float]]) -> str:
    """Return the picture; `figures` are by size, and by name; those under `slope` go into the legend."""
    sizes = sorted(int(size) for size in figures if size.isdigit())
    names = list(figures[str(sizes[0])])
    times = [figures[str(size)][name] for size in sizes for name in names]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))

    def x(size: float) -> float:
        share = math.log(size / sizes[0]) / max(math.log(sizes[-1] / sizes[0]), 1e-9)
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y(taken: float) -> float:
        share = (math.log10(max(taken, 10.0**low)) - low) / max(high - low, 1)
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)

    def lines() -> Iterator[str]:
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"'
            ' font-family="sans-serif" font-size="12">'
        )
        yield "<title>Processor time against the number of topics</title>"
        yield f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>'
        for power in range(low, high + 1):
            at = y(10.0**power)
            yield f'<path d="M{_LEFT} {at:.1f}H{_WIDTH - _RIGHT}" stroke="#ddd"/>'
            yield f'<text x="{_LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{10.0**power:g} ms</text>'
        for size in sizes:
            yield f'<path d="M{x(size):.1f} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="#ddd"/>'
            yield f'<text x="{x(size):.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{size:,}</text>'
        middle = (_LEFT + _WIDTH - _RIGHT) / 2
        yield f'<text x="{middle:.0f}" y="{_HEIGHT - 10}" text-anchor="middle">topics</text>'
        for number, name in enumerate(names):
            colour, dash = _COLOURS[number % len(_COLOURS)], _DASHES[number % len(_DASHES)]
            path = " ".join(f"{x(size):.1f},{y(figures[str(size)][name]):.1f}" for size in sizes)
            look = f'stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}" fill="none"'
            yield f'<polyline points="{path}" {look}/>'
            at = _TOP + 10 + 22 * number
            yield f'<path d="M{_WIDTH - _RIGHT + 14} {at}h26" {look}/>'
            shown = name.removesuffix("_ms").replace("_", " ")
            grows = figures.get("slope", {}).get(name)
            told = f"{shown}, slope {grows:.2f}" if grows is not None else shown
            yield f'<text x="{_WIDTH - _RIGHT + 46}" y="{at + 4}">{escape(told)}</text>'
        yield "</svg>"

    return "\n".join(lines()) + "\n"


def main(arguments: list[str]) -> None:
    """Draw what a bench wrote down."""
    source, target = arguments
    figures = json.loads(Path(source).read_text("utf-8"))
    Path(target).write_text(draw(figures.get("growth", figures)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
