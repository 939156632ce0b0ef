"""Doctor, over the real store."""

from __future__ import annotations

import json
import re
import shlex
import string
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.cli import run
from reverie.core.claims.statement import statement_key
from reverie.memory import Memory
from tests.conftest import NO_MODEL


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

    with Memory.open(project, home=home, env=NO_MODEL) as memory:
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
    with Memory.open(project, home=home, env=NO_MODEL) as memory:
        lost = {
            text for text in before - told(memory) if not any(text in one for one in told(memory))
        }
        assert lost == set()


_POOL = json.loads(Path(__file__).parents[1].joinpath("data/doctor_memories.json").read_text())
_SAID = [*_POOL["fine"], *(text for pair in (*_POOL["conflicts"], *_POOL["same"]) for text in pair)]
_PAIRS = st.lists(st.sampled_from([*_POOL["conflicts"], *_POOL["same"]]), max_size=4)
_MEMORY = st.tuples(
    st.sampled_from(["user", "project", "feedback"]),
    st.sampled_from(["memories", "project"]),
    st.sampled_from(["", "because it was agreed", "ask Ines about it"]),
)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(
    pairs=_PAIRS,
    said=st.lists(st.sampled_from(_SAID), min_size=1, max_size=6, unique=True),
    places=st.lists(_MEMORY, min_size=14, max_size=14),
)
def test_fixes_run_blindly_lose_no_statement_and_are_not_printed_again(pairs, said, places):
    """A hand wrote these files; what a fix retires can be brought back, and is said elsewhere anyway."""
    statements = [*said, *(text for pair in pairs for text in pair)]
    with tempfile.TemporaryDirectory() as folder:
        home, project = Path(folder, "home"), Path(folder, "project")
        (project / ".git").mkdir(parents=True)
        with Memory.open(project, home=home, env=NO_MODEL) as memory:
            roots = {
                "memories": memory.workspace.user_memory,
                "project": memory.workspace.project_memory,
            }
        for number, (text, (kind, where, why)) in enumerate(zip(statements, places, strict=False)):
            file = Path(roots[where], kind, f"m{number}.md")
            file.parent.mkdir(parents=True, exist_ok=True)
            reason = f"\n\nWhy: {why}" if why else ""
            head = f"---\nname: m{number}\ndescription: d\ntype: {kind}\n---\n\n"
            file.write_text(f"{head}{text}{reason}\n", encoding="utf-8")
        for _ in range(3):  # a fix may uncover what another one was about
            with Memory.open(project, home=home, env=NO_MODEL) as memory:
                fixes = [item.fix for item in memory.doctor() if item.fix.startswith("reverie ")]
            for fix in dict.fromkeys(fixes):
                run(["--home", str(home), "-C", str(project), *shlex.split(fix)[1:]])
        with Memory.open(project, home=home, env=NO_MODEL) as memory:
            again = [item.fix for item in memory.doctor() if item.fix.startswith("reverie ")]
            assert again == []
            whole = " ".join(statement_key(topic.text) for topic in memory.store.topics())
            for text in statements:
                assert statement_key(text) in whole, text


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@given(
    pairs=_PAIRS,
    said=st.lists(st.sampled_from(_SAID), min_size=1, max_size=6, unique=True),
    places=st.lists(_MEMORY, min_size=14, max_size=14),
)
def test_the_doctor_and_dreams_agree_about_duplicates(pairs, said, places):
    """A dream leaves no duplicate on a shelf, and merges nothing that the doctor would not name."""
    statements = [*said, *(text for pair in pairs for text in pair)]
    with tempfile.TemporaryDirectory() as folder:
        home, project = Path(folder, "home"), Path(folder, "project")
        (project / ".git").mkdir(parents=True)
        with Memory.open(project, home=home, env=NO_MODEL) as memory:
            root = Path(memory.workspace.user_memory)
            for number, (text, (kind, _, why)) in enumerate(zip(statements, places, strict=False)):
                title = string.ascii_lowercase[
                    number
                ]  # a number in a title is a fact that a dream keeps
                file = root / kind / f"{title}.md"
                file.parent.mkdir(parents=True, exist_ok=True)
                reason = f"\n\nWhy: {why}" if why else ""
                head = f"---\nname: {title}\ndescription: d\ntype: {kind}\n---\n\n"
                file.write_text(f"{head}{text}{reason}\n", encoding="utf-8")
        with Memory.open(project, home=home, env=NO_MODEL) as memory:
            named = [item for item in memory.doctor() if item.code in ("duplicate", "conflict")]
            before = _held(memory)
            memory.dream(force=True)
            after = _held(memory)
            if not named:
                assert after == before
            again = [item for item in memory.doctor() if item.fix.startswith("reverie dream")]
            assert again == []
        # One shelf holds a statement once.
        assert all(count == 1 for count in after.values())


def _held(memory: Memory) -> Counter[tuple[str, str]]:
    return Counter(
        (topic.kind.value, statement_key(entry.summary))
        for topic in memory.store.topics()
        for entry in topic.entries
    )


def test_a_secret_that_is_erased_leaves_the_rest_of_its_memory(memory: Memory) -> None:
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    file = Path(memory.workspace.project_memory, "project", "key.md")
    file.parent.mkdir(parents=True, exist_ok=True)
    head = "---\nname: Key\ndescription: d\ntype: project\n---\n\n"
    file.write_text(f"{head}The old key was {token}, ask Anna for another\n", encoding="utf-8")
    [finding] = memory.doctor()
    assert "forget --erase --everywhere -" in finding.message
    memory.forget(token, erase=True, everywhere=True)
    assert memory.doctor() == []
    [topic] = memory.store.topics()
    assert topic.entries[0].summary == "The old key was [erased], ask Anna for another"


def test_whose_memory_somebody_said_it_is_is_not_doubted(memory: Memory) -> None:
    memory.remember("I prefer tabs in this repository", scope="project")
    memory.remember("The release train leaves at noon", scope="user")
    assert memory.doctor() == []
