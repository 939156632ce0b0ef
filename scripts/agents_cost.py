"""What Reverie adds to a whole run of an agent: processor time, as a ratio to a run without it.

`python scripts/agents_cost.py [--rounds 8] AGENT...`, after `make test-agents` has installed the agents.
Three homes take turns with one prompt each, so that noise hits all of them: plain, with a server and hooks
that do nothing (a shell script that offers the same tools), and with Reverie and its resident. The second
one is what the agent itself does with any server and hooks, so it is the floor.

Counted is the agent with everything that it starts and waits for; what goes on behind it is shown apart.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

from reverie.lab.drivers import DRIVERS
from reverie.lab.stage import Stage
from reverie.lab.trial import FACT, FIRST, remove_stage
from reverie.mcp.wire import lists_of

PROGRAMS = Path(__file__).resolve().parents[1] / ".lab" / "agents" / "node_modules" / ".bin"
VARIANTS = ("plain", "nothing", "reverie")
ALL_CHILDREN = r"""
import ctypes, json, os, sys, time
ctypes.CDLL(None).prctl(36, 1)  # whoever loses its parent becomes our child
began, ended = time.monotonic(), 0.0
agent = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
waited = behind = 0.0
code = 0
while True:
    try:
        found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
    except ChildProcessError:
        break
    with open(f"/proc/{found.si_pid}/comm") as file:
        name = file.read()
    pid, status, used = os.wait4(found.si_pid, 0)
    if name.startswith("python"):
        behind += used.ru_utime + used.ru_stime
    else:
        waited += used.ru_utime + used.ru_stime
    if pid == agent:
        ended, code = time.monotonic() - began, os.waitstatus_to_exitcode(status)
with open(sys.argv[1], "w") as file:
    json.dump({"waited": waited, "behind": behind, "clock": ended}, file)
sys.exit(code)
"""
NOTHING = r"""#!/bin/sh
[ "$1" = mcp ] || { echo '{}'; exit 0; }
while read -r line; do
  id=${line#*\"id\":} id=${id%%[,\}]*}
  case $line in
    *'"method":"initialize"'*) said=$(cat "$0.greeting") ;;
    *'"method":"tools/list"'*) said=$(cat "$0.tools") ;;
    *'"method":"tools/call"'*) said='{"content":[{"type":"text","text":"{}"}]}' ;;
    *'"method":"resources/list"'*) said='{"resources":[]}' ;;
    *'"method":"prompts/list"'*) said='{"prompts":[]}' ;;
    *'"method":"resources/templates/list"'*) said='{"resourceTemplates":[]}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$said"
done
"""
VERSION = "2025-06-18"


def main() -> int:
    """Measure each agent that was named."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("agents", nargs="+", choices=sorted(DRIVERS))
    parser.add_argument("--rounds", type=int, default=8)
    chosen = parser.parse_args()
    for agent in chosen.agents:
        root = Path(tempfile.mkdtemp(prefix="reverie-cost-")).resolve()
        try:
            _show(agent, _measured(agent, root, chosen.rounds))
        finally:
            remove_stage(root)
    return 0


def _measured(agent: str, root: Path, rounds: int) -> dict[str, list[dict[str, float]]]:
    env = {**os.environ, "PATH": f"{PROGRAMS}:{os.environ['PATH']}"}
    count = root / "count.py"
    count.write_text(ALL_CHILDREN, encoding="utf-8")
    program = {"nothing": [str(_nothing(root))]}
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in VARIANTS}
    stages = {}
    for name in VARIANTS:
        stages[name] = Stage(agent, root / name, env=env, program=program.get(name, ()))
        stages[name].__enter__()
    try:
        for name in VARIANTS[1:]:
            stages[name].install()
        stages["reverie"].remember(FACT)
        for (
            stage
        ) in stages.values():  # agents and the resident make their files when they start first
            stage.ask(FIRST)
        stages["reverie"].learns("Thursdays")
        for _ in range(rounds):
            for name, stage in stages.items():
                told = root / f"{name}.told"
                before = [sys.executable, "-I", "-S", str(count), str(told)]
                ran, _ = stage.ask(FIRST, before=before)
                if ran.code:
                    raise SystemExit(f"{agent} ended with {ran.code}: {ran.err[-500:]}")
                runs[name].append(json.loads(told.read_text(encoding="utf-8")))
    finally:
        for stage in stages.values():
            stage.__exit__(None, None, None)
    return runs


def _nothing(root: Path) -> Path:
    """Make the program that answers everything and does nothing."""
    script = root / "nothing.sh"
    script.write_text(NOTHING, encoding="utf-8")
    script.chmod(0o755)
    lists = lists_of("default")
    greeting = {
        "protocolVersion": VERSION,
        "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
        "serverInfo": {"name": "nothing", "version": "1"},
        "instructions": lists["instructions"],
    }
    for name, value in (("greeting", greeting), ("tools", {"tools": lists["tools"]})):
        Path(f"{script}.{name}").write_text(json.dumps(value), encoding="utf-8")
    return script


def _show(agent: str, runs: dict[str, list[dict[str, float]]]) -> None:
    print(f"{agent}: medians of {len(runs['plain'])}, load {os.getloadavg()[0]:.0f}")
    plain = {
        key: statistics.median(run[key] for run in runs["plain"]) for key in ("waited", "clock")
    }
    for name in VARIANTS:
        waited, clock, behind = (
            statistics.median(run[key] for run in runs[name])
            for key in ("waited", "clock", "behind")
        )
        print(
            f"  {name:<8} processor {waited:6.3f} s ({waited / plain['waited']:.2f})"
            f"   clock {clock:6.2f} s ({clock / plain['clock']:.2f})   behind {behind:.3f} s",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
