"""Doctor, over the real store."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from reverie.cli import run
from reverie.core.topics.statement import statement_key
from reverie.memory import Memory


def test_findings_come_worst_first_with_a_fix_each(memory: Memory) -> None:
    memory.remember("We deploy only on Tuesdays")
    memory.remember("We deploy only on Fridays")
    Path(memory.workspace.project_memory, "loose.md").write_text("no frontmatter\n")
    found = memory.doctor()
    assert [item.code for item in found] == ["not_a_topic", "conflict"]
    assert all(item.fix for item in found)


def test_the_fix_of_a_finding_works(memory: Memory) -> None:
    memory.remember("We deploy only on Tuesdays")
    memory.remember("We deploy only on Fridays")
    [finding] = memory.doctor()
    memory.forget(ids=[finding.fix.split()[-1]])
    assert memory.doctor() == []
    assert len(memory.store.topics()) == 1


def test_a_tidy_memory_needs_nothing(memory: Memory) -> None:
    memory.remember("I like tea")
    assert memory.doctor() == []


_UNDATED = re.compile(r"\AUntil \S+: |\s*\(20\d\d-\d\d-\d\d\)|2\d{3}-\d\d-\d\d|tomorrow")
"""What a dream adds to a statement, or makes of a day that it does not name."""


def test_every_fix_can_be_run_blindly_and_loses_nothing(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    texts = {
        "memories/user/a.md": (
            "user",
            "- I like green tea\n  Why: it calms\n- Standup is tomorrow",
        ),
        "memories/user/b.md": ("user", "I like green tea!"),
        "memories/user/c.md": ("user", "i like green tea\n\nWhy: the taste"),
        "memories/user/d.md": ("project", "The release is frozen until 2020-01-01"),
        "memories/user/e.md": ("user", f"The old key was {token}, ask Anna for another"),
        "memories/user/f.md": ("user", "The limit is 100"),
        "memories/user/g.md": ("user", "The limit is 200"),
    }
    home = tmp_path / "home"
    for rel, (kind, body) in texts.items():
        file = home / rel
        file.parent.mkdir(parents=True, exist_ok=True)
        text = f"---\nname: {file.stem}\ndescription: d\ntype: {kind}\n---\n\n{body}\n"
        file.write_text(text, encoding="utf-8")

    def told(memory):
        return {
            statement_key(part)
            for topic in memory.store.topics()
            for entry in topic.entries
            for field in (entry.summary, *entry.why.split("; "), entry.how)
            if (
                part := re.sub(
                    r"\AUntil \S+: |\s*\(20\d\d-\d\d-\d\d\)|2\d{3}-\d\d-\d\d|tomorrow", "", field
                )
            )
        }

    with Memory.open(project, home=home, env={}) as memory:
        before = told(memory)
        fixes = [item.fix for item in memory.doctor()]
    codes = {fix.split()[1] for fix in fixes if fix.startswith("reverie ")}
    assert {"forget", "move", "dream"} <= codes, fixes
    for fix in fixes:
        words = shlex.split(fix)
        if words[0] == "reverie":
            run(["--home", str(home), "-C", str(project), *words[1:]])
        else:
            assert words[0] == "${EDITOR:-vi}"
    with Memory.open(project, home=home, env={}) as memory:
        lost = {
            text for text in before - told(memory) if not any(text in one for one in told(memory))
        }
        assert lost == set()
