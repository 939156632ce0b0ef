"""The wheel: what an installed package says about what it comes without."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from reverie.cli import measuring, run

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("words", [("bench", "start"), ("eval", "retrieval", "set")], ids=" ".join)
def test_without_a_clone_the_commands_say_what_to_do(words, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(measuring, "CLONE", tmp_path)
    assert run([*words, "--json"]) == 2
    told = capsys.readouterr()
    assert json.loads(told.out)["error"]["code"] == "not_installed"
    assert "a clone of Reverie" in told.err
    assert run([*words, "--help"]) == 0


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_nothing_else(tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        tops = {name.split("/")[0] for name in packed.namelist()}
        packed.extractall(tmp_path / "installed")
    assert {top for top in tops if not top.endswith(".dist-info")} == {"reverie"}
    told = subprocess.run(
        [sys.executable, "-P", "-m", "reverie", "bench", "start"],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "installed")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert told.returncode == 2
    assert told.stderr.endswith("[not_installed]\n")
