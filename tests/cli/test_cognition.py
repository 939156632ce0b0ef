"""The command line about background jobs: what was undone, and how to have it read again."""

from __future__ import annotations

import json

import pytest

from reverie.cli import run as cli


@pytest.fixture
def run(project, capsys):
    def call(*arguments, status=0):
        capsys.readouterr()
        assert cli(["-C", str(project), *arguments]) == status
        return capsys.readouterr().out

    return call


def test_an_undone_job_is_told_and_read_again_on_demand(run):
    run("init")
    run("history", "append", "--user", "I prefer tabs over spaces.", "--assistant", "Noted.")
    (first,) = json.loads(run("cognition", "run", "semantic", "--json"))
    run("undo", first["run"])

    told = run("cognition", "status")
    assert f"run {first['run']} was undone; turns 1 to 1 are not read again unless" in told
    again = "reverie cognition run semantic_memory.extract --again"
    assert again in told
    assert again in run("cognition", "run", "semantic")
    (row,) = [
        item for item in json.loads(run("cognition", "status", "--json"))["jobs"] if item["undone"]
    ]
    assert (row["job"], row["undone"][0]["run"]) == ("semantic_memory.extract", first["run"])

    (redone,) = json.loads(run("cognition", "run", "semantic", "--again", "--json"))
    assert (redone["status"], redone["turns"]) == ("done", 1)
    assert "was undone" not in run("cognition", "status")
    assert "no run of semantic_memory.extract was undone" in run(
        "cognition", "run", "semantic", "--again"
    )


def test_again_needs_a_job(run):
    run("cognition", "run", "--again", status=2)
