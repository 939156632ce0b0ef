"""`reverie bench`: what it shows."""

from __future__ import annotations

import json

import pytest

from reverie.cli import run
from reverie.cli.bench import _table
from reverie.cli.bench import search as bench


def test_figures_with_the_same_names_are_columns_of_one_table():
    figures = {"1,000": {"p50, ms": 1.23456, "MB": 2}, "10,000": {"p50, ms": 3.0, "MB": 4}}
    assert _table("search", figures).splitlines() == [
        "search",
        "",
        "|  | 1,000 | 10,000 |",
        "| --- | --- | --- |",
        "| p50, ms | 1.23 | 3 |",
        "| MB | 2 | 4 |",
    ]


def test_other_figures_are_lines_nested_by_their_names():
    shown = _table("context", {"files": 3, "x2": {"ratio": 1.5}, "x4": {"other": 1}})
    assert [line.split() for line in shown.splitlines()[1:]] == [
        ["files", "3"],
        ["x2.ratio", "1.5"],
        ["x4.other", "1"],
    ]


@pytest.mark.slow
def test_the_bench_of_search_compares_with_plain_full_text_search(capsys, monkeypatch):
    monkeypatch.setattr(bench, "_QUICK", (50,))
    monkeypatch.setattr(bench, "_ROUNDS", 1)
    assert run(["bench", "search", "--quick", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)["search"]["50 chunks"]
    assert {"index / FTS5", "query p95, ms", "query p95 / FTS5", "disk / FTS5"} <= set(figures)
    assert {"cold process / python with numpy", "memory of the cold process, MB"} <= set(figures)
    assert all(value > 0 for value in figures.values())
