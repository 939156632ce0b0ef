"""A daemon that says it is ready has loaded what its verbs need."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from reverie.postgres.place import Place
from tests.postgres.conftest import options_of
from tests.server import Server

_FIRST_VERBS = """
import json, sys
from reverie.daemon.shared.serve import load_verbs
from reverie.memory import Memory

load_verbs()
known = set(sys.modules)
with Memory.open("/", home=sys.argv[1], settings=json.loads(sys.argv[2])) as memory:
    for text in ("We deploy on Tuesdays.", "We deploy on Fridays, not on Tuesdays."):
        memory.remember(text)
        memory.search("when do we deploy")
        memory.recall("when do we deploy")
print(json.dumps(sorted(name for name in set(sys.modules) - known if name.startswith("reverie."))))
"""

pytestmark = pytest.mark.slow


def test_the_first_who_ask_wait_for_no_module(server: Server, place: Place, tmp_path: Path):
    arguments = [str(tmp_path), json.dumps(options_of(server, place))]
    done = subprocess.run(
        [sys.executable, "-c", _FIRST_VERBS, *arguments], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == []
