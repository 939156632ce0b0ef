"""`reverie bench`: what it shows."""

from __future__ import annotations

import json

import pytest

from bench.speed import BENCHES, commands
from bench.speed import search as bench
from reverie.cli import run


@pytest.fixture
def benches(monkeypatch, tmp_path):
    """Add benches of a few lines to the table."""
    monkeypatch.syspath_prepend(tmp_path)

    def add(name, body):
        (tmp_path / f"bench_{name}.py").write_text(f"def run(*, quick):\n    {body}\n")
        monkeypatch.setitem(BENCHES, name, f"bench_{name}")

    return add


def test_figures_with_the_same_names_end_as_columns_of_one_table(benches, capsys):
    benches(
        "sizes", "yield '1,000', {'ms': 1.23456, 'MB': 2}; yield '10,000', {'ms': 3.0, 'MB': 4}"
    )
    assert run(["bench", "sizes"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert [line.split() for line in shown[:4]] == [
        ["1,000.ms", "1.23"],
        ["1,000.MB", "2"],
        ["10,000.ms", "3"],
        ["10,000.MB", "4"],
    ]
    assert shown[4:] == [
        "",
        "|  | 1,000 | 10,000 |",
        "| --- | --- | --- |",
        "| ms | 1.23 | 3 |",
        "| MB | 2 | 4 |",
        "",
    ]


def test_other_figures_are_lines_nested_by_their_names(benches, capsys):
    benches(
        "mixed", "yield 'files', 3; yield 'x2', {'ratio': {'p50': 1.5}}; yield 'x4', {'other': 1}"
    )
    assert run(["bench", "mixed"]) == 0
    shown = capsys.readouterr().out
    assert [line.split() for line in shown.splitlines()] == [
        ["files", "3"],
        ["x2.ratio.p50", "1.5"],
        ["x4.other", "1"],
    ]
    assert run(["bench", "mixed", "--json"]) == 0
    told = capsys.readouterr()
    assert list(json.loads(told.out)["mixed"]) == ["files", "x2", "x4"]
    assert shown in told.err


def test_a_bench_that_fails_has_shown_what_was_known(benches, tmp_path, capsys):
    benches("whole", "yield 'one', 1.5")
    benches("half", "yield 'first', 2; raise OSError('the disk went away')")
    written = tmp_path / "figures.json"
    assert run(["bench", "whole", "half", "--output", str(written)]) == 8
    assert capsys.readouterr().out.split() == ["one", "1.5", "first", "2"]
    assert json.loads(written.read_text()) == {"whole": {"one": 1.5}}


@pytest.mark.slow
def test_the_bench_of_search_compares_with_plain_full_text_search(capsys, monkeypatch):
    monkeypatch.setattr(bench, "_QUICK", (50,))
    monkeypatch.setattr(bench, "_ROUNDS", 1)
    assert run(["bench", "search", "--quick", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)["search"]["50 chunks"]
    assert {"index / FTS5", "query p95, ms", "query p95 / FTS5", "disk / FTS5"} <= set(figures)
    assert {"cold process / python with numpy", "memory of the cold process, MB"} <= set(figures)
    assert all(value > 0 for value in figures.values())


@pytest.mark.slow
def test_the_bench_of_commands_runs_each_in_a_process_of_its_own(capsys, monkeypatch):
    monkeypatch.setattr(commands, "_QUICK", (3, 6))
    assert run(["bench", "commands", "--quick", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)["commands"]
    assert list(figures) == ["3", "6"]
    assert set(figures["3"]) == {f"{name}_s" for name in commands._COMMANDS} == set(figures["6"])
    assert all(value > 0.01 for column in figures.values() for value in column.values())


def test_a_slope_is_the_power_by_which_a_time_grows() -> None:
    from bench.speed.growth import slope

    sizes = (100, 1000, 10_000)
    assert slope(dict.fromkeys(sizes, 7.0)) == pytest.approx(0.0)
    assert slope({size: 0.02 * size for size in sizes}) == pytest.approx(1.0)
    assert slope({size: 3 * size**0.5 for size in sizes}) == pytest.approx(0.5)


def test_the_picture_of_growth_is_xml_with_a_line_for_each_figure() -> None:
    from xml.etree import ElementTree as Tree

    from bench.speed.plot import draw

    figures = {
        "100": {"recall_ms": 1.0, "a<b_ms": 20.0},
        "1000": {"recall_ms": 1.5, "a<b_ms": 200.0},
        "slope": {"recall_ms": 0.18, "a<b_ms": 1.0},
    }
    picture = Tree.fromstring(draw(figures))  # noqa: S314  # our own
    name = "{http://www.w3.org/2000/svg}"
    assert len(picture.findall(f"{name}polyline")) == 2
    told = [item.text for item in picture.findall(f"{name}text")]
    assert "recall, slope 0.18" in told
    assert "a<b, slope 1.00" in told
