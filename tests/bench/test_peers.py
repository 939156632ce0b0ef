"""Peers side by side: what is read, run and counted; the peers themselves are tried by running the bench."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.peers.known import PEERS, Peer
from bench.peers.measure import Row, measure, read, table

BY_NAME = {peer.name: peer for peer in PEERS}
ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "set"
    made.mkdir()
    docs = [
        {
            "id": "a/1",
            "scope": "a",
            "text": "The invoices are archived on the volume called magpie.",
        },
        {"id": "a/2", "scope": "a", "text": "The staging server listens on port 8471."},
        {"id": "b/1", "scope": "b", "text": "The invoices of the other person are on heron."},
    ]
    asked = [
        {"id": "q1", "scope": "a", "text": "Where are the invoices archived?", "gold": ["a/1"]},
        {"id": "q2", "scope": "a", "text": "Which port has staging?", "gold": ["a/2", "a/1"]},
        {"id": "q3", "scope": "b", "text": "Where are the invoices?", "gold": ["b/1"]},
        {"id": "q4", "scope": "b", "text": "Who knows?", "gold": ["nobody"]},
    ]
    for name, rows in (("docs", docs), ("queries", asked)):
        (made / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return made


def test_questions_are_spread_over_the_scopes_that_are_read(folder):
    assert read(folder, scopes=0, questions=0).sizes == (3, 3)
    assert read(folder, scopes=1, questions=0).sizes == (2, 2)
    assert read(folder, scopes=0, questions=2).sizes == (3, 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["grep", "sqlite fts5", "reverie, static vectors"])
def test_a_peer_is_filled_in_one_process_and_asked_in_another(folder, tmp_path, monkeypatch, name):
    monkeypatch.setattr("bench.peers.measure.environment", _environment)
    data = read(folder, scopes=0, questions=0)
    row = measure(BY_NAME[name], data, work=tmp_path / "work", python="", seconds=300)
    assert row.failed == ""
    assert row.recall10 >= 66
    assert row.first_seconds > 0
    assert row.megabytes >= 0
    assert name in table([row], data)


@pytest.mark.slow
def test_a_peer_that_does_not_run_is_a_row_that_says_so(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("bench.peers.measure.environment", _environment)
    data = read(folder, scopes=0, questions=0)
    row = measure(Peer("nobody", "nobody"), data, work=tmp_path / "work", python="", seconds=300)
    assert "nobody" in row.failed
    assert "did not run" in table([row], data)
    assert row == Row("nobody", "set", failed=row.failed)


def test_every_peer_has_an_adapter_and_pinned_packages():
    for peer in PEERS:
        assert (ROOT / "bench" / "peers" / "adapters" / f"{peer.adapter}.py").is_file()
        assert all("==" in package for package in peer.packages)


def _environment(peer: Peer, home: Path) -> dict[str, str]:
    """Stand in for the real one, which fetches the model that these peers do not need."""
    import os

    home.mkdir(parents=True)
    return {**os.environ, "HOME": str(home), "PYTHONPATH": str(ROOT), **dict(peer.settings)}
