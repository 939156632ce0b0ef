"""A secret that somebody says: where it must not turn up, whatever the settings do about secrets."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from reverie.errors import SecretRefused
from reverie.testing import ScriptedModel

# Put together here, so that no scanner takes this file for a leak.
KEY = "sk_live" + "_51HxY2aBcDeFgHiJkLmNoPqRsTuVwXyZ"
SAID = f"{KEY} is the key of the billing account"
LATER = f"The billing account is opened with {KEY}, which Dana keeps"


def traces(home: Path) -> list[str]:
    """Return the files whose name or text has the key in it, however it is spelled."""
    wanted = KEY.split("_")[-1].casefold()[:16]

    def holds(data: str) -> bool:
        return wanted in re.sub(r"[^0-9a-z]", "", data.casefold())

    files = [path for path in home.rglob("*") if path.is_file()]
    return [
        str(path) for path in files if holds(str(path)) or holds(path.read_bytes().decode("latin1"))
    ]


@pytest.fixture
def redacting(open_memory):
    return open_memory(settings={"secrets.policy": "redact"})


@pytest.mark.parametrize("said", [SAID, LATER])
def test_a_redacted_memory_keeps_it_neither_in_its_text_nor_in_its_name(redacting, said):
    done = redacting.remember(said)
    assert done.action == "added"
    assert [item.rule for item in done.redactions]
    assert "billing account" in Path(done.path).read_text()
    redacting.close()
    assert traces(Path(redacting.workspace.home)) == []


def test_nor_does_a_memory_that_was_given_a_name(redacting):
    redacting.remember("Dana keeps the key", name=f"key {KEY}", why=f"it is {KEY}")
    redacting.close()
    assert traces(Path(redacting.workspace.home)) == []


def test_nor_does_what_was_learnt_from_a_conversation(redacting):
    done = redacting.extract(
        [{"role": "user", "content": f"Please remember that {LATER}"}], session="s"
    )
    assert [patch.action for patch in done.patches] == ["added"]
    redacting.close()
    assert traces(Path(redacting.workspace.home)) == []


def test_nor_does_a_note(redacting):
    redacting.layers.add_note(SAID)
    redacting.layers.add_note("a thought", title=f"{KEY} again")
    redacting.close()
    assert traces(Path(redacting.workspace.home)) == []


def test_nor_does_what_was_imported(redacting, tmp_path):
    source = tmp_path / "mem0.json"
    source.write_text(json.dumps({"results": [{"id": "1", "memory": SAID}]}))
    brought = redacting.import_(str(source), format="mem0")
    assert len(brought.files) == 1
    redacting.close()
    assert traces(Path(redacting.workspace.home)) == []


def test_what_is_refused_was_not_shown_to_a_model_either(open_memory):
    model = ScriptedModel()
    memory = open_memory(model=model)
    with pytest.raises(SecretRefused):
        memory.remember(SAID)
    assert model.calls == []
    memory.close()
    assert traces(Path(memory.workspace.home)) == []


def test_a_model_that_reads_a_conversation_does_not_see_it(open_memory):
    model = ScriptedModel({"memories": []})
    memory = open_memory(model=model)
    memory.extract([{"role": "user", "content": f"I like tea. Remember that {LATER}"}], session="s")
    assert model.calls
    shown = "".join(item.text for call in model.calls for item in call.messages)
    assert "I like tea" in shown
    assert KEY not in shown
