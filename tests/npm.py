"""Packages of the npm registry that tests use: fetched once, checked against a hash, never committed."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from reverie.local.disk.locks import file_lock

CACHE = Path(__file__).resolve().parents[1] / ".cache"
SYSTEM_HOME = os.environ.get("HOME", "")
"""Where npm keeps its settings; each test has a home of its own."""


def package(name: str, *, integrity: str, folder: str) -> Path:
    """Return the folder of an unpacked package; without npm or its registry the test is skipped."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not here")
    cache = CACHE / folder
    cache.mkdir(parents=True, exist_ok=True)
    with file_lock(cache / "lock", wait=600):
        if not (cache / "package").exists():
            _fetch(name, integrity, cache)
    return cache / "package"


def _fetch(name: str, integrity: str, cache: Path) -> None:
    done = subprocess.run(
        ["npm", "pack", name, "--silent", "--pack-destination", str(cache)],
        cwd=cache,
        env={**os.environ, "HOME": SYSTEM_HOME},
        capture_output=True,
        text=True,
        timeout=600,
    )
    if done.returncode != 0:
        pytest.skip(f"the registry did not give us {name}: {done.stderr[-200:]}")
    archive = cache / done.stdout.strip().splitlines()[-1]
    assert base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode() == integrity
    with tarfile.open(archive) as tar:
        tar.extractall(cache, filter="data")
    archive.unlink()
