"""What real agents said to our hooks and wrote into their transcripts, kept as fixtures of the fast tests.

`REVERIE_RECORD=1 make test-agents` writes `tests/data/agents/<agent>/real` again. Paths of the machine are
replaced, and what an agent says to itself at length (system prompts, tools) is cut; the words of the
person, of the assistant and of our own blocks are whole.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data" / "agents"
HOME, PROJECT = "/home/ada", "/home/ada/project"
LONG = 400
OURS = "reverie-memory"


def recorder(program: str, folder: Path) -> Path:
    """Return a program that stands in for Reverie and keeps what goes in and out of its hooks."""
    kept = folder / "recorded"
    kept.mkdir()
    script = folder / "reverie"
    script.write_text(
        f"""#!/bin/sh
if [ "$1" = hook ]; then
  base={kept}/$(printf %03d $(ls {kept} | grep -c 'in.json$'))-$2
  cat > $base.in.json
  {program} "$@" < $base.in.json | tee $base.out.json
else
  exec {program} "$@"
fi
""",
        encoding="utf-8",
    )
    script.chmod(0o755)
    return script


def keep(agent: str, version: str, *, recorded: Path, home: Path, project: Path) -> None:
    """Write the fixtures of one agent."""
    target = DATA / agent / "real"
    target.mkdir(parents=True, exist_ok=True)
    for old in target.iterdir():
        old.unlink()
    transcript = ""
    for file in sorted(recorded.glob("*.in.json")):
        text = file.read_text(encoding="utf-8")
        transcript = json.loads(text).get("transcript_path") or transcript
        told = small(json.loads(plain(text, home, project)))
        shown = json.dumps(told, ensure_ascii=False, indent=2)
        (target / file.name).write_text(f"{shown}\n", encoding="utf-8")
    lines = plain(Path(transcript).read_text(encoding="utf-8"), home, project).splitlines()
    kept = [json.dumps(small(json.loads(line)), ensure_ascii=False) for line in lines if line]
    (target / "transcript.jsonl").write_text("\n".join(kept) + "\n", encoding="utf-8")
    (target / "version.txt").write_text(version + "\n", encoding="utf-8")


def small(value: Any) -> Any:
    """Cut long texts that are neither of a person nor ours."""
    if isinstance(value, dict):
        return {key: small(item) for key, item in value.items()}
    if isinstance(value, list):
        return [small(item) for item in value]
    if isinstance(value, str) and len(value) > LONG and OURS not in value:
        return value[: LONG // 2] + "… (cut) …" + value[-LONG // 4 :]
    return value


def plain(text: str, home: Path, project: Path) -> str:
    """Leave no path of this machine in a text; agents write dashes for what is no letter, too."""
    for path, name in ((project, PROJECT), (home, HOME), (home.parent, "/opt/lab")):
        text = text.replace(str(path), name)
        dashed = "".join(char if char.isascii() and char.isalnum() else "-" for char in str(path))
        text = text.replace(dashed, name.replace("/", "-"))
    return text
