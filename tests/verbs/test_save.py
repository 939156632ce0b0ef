"""Saving a fact: where it goes, when it is refused, and that nobody's text is lost."""

from __future__ import annotations

import stat
import threading

import pytest

from reverie.core.text.plain import digest
from reverie.errors import (
    BadSetting,
    ContentTooLarge,
    FileTooLarge,
    InvalidContent,
    InvalidScope,
    NotAFile,
    NotText,
    SecretRefused,
    StaleBase,
)
from reverie.types import RunInfo, Saved, Skipped

SECTION = "## Added Memories"


@pytest.fixture
def context_file(project):
    return project / "AGENTS.md"


def test_a_fact_goes_to_the_projects_root_wherever_we_stand(project, open_memory, context_file):
    (project / "src").mkdir()
    saved = open_memory(project / "src").save("API uses OAuth2", scope="project")
    assert isinstance(saved, Saved)
    assert saved.path == str(context_file)
    assert context_file.read_text(encoding="utf-8") == f"{SECTION}\n- API uses OAuth2\n"


def test_a_global_fact_goes_to_the_home_and_is_private(private_home, memory):
    memory.save("User prefers TypeScript", scope="global")
    path = private_home / ".reverie" / "AGENTS.md"
    assert path.read_text(encoding="utf-8") == f"{SECTION}\n- User prefers TypeScript\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_projects_file_is_shared_and_keeps_its_mode(memory, context_file):
    memory.save("one", scope="project")
    assert stat.S_IMODE(context_file.stat().st_mode) & 0o044
    context_file.chmod(0o664)
    memory.save("two", scope="project")
    assert stat.S_IMODE(context_file.stat().st_mode) == 0o664


def test_without_a_scope_nothing_is_written_and_both_places_are_named(memory, context_file):
    with pytest.raises(InvalidScope) as caught:
        memory.save("Database credentials in 1Password vault")
    assert caught.value.evidence["options"] == [
        {"scope": "global", "path": f"{memory.workspace.home}/AGENTS.md"},
        {"scope": "project", "path": str(context_file)},
    ]
    assert str(caught.value).startswith("Choose where to save this memory:\n\n")
    assert not context_file.exists()


def test_an_unknown_scope_is_refused(memory):
    with pytest.raises(InvalidScope):
        memory.save("x", scope="everywhere")


@pytest.mark.parametrize("fact", ["", "  \n", "- - -", "\ufeff", "a\x00b"])
def test_a_fact_that_says_nothing_is_refused(memory, fact):
    with pytest.raises(InvalidContent) as caught:
        memory.save(fact, scope="project")
    assert caught.value.evidence["parameter"] == "fact"


def test_a_fact_that_is_there_is_not_added_twice(memory, context_file):
    memory.save("User likes tabs", scope="project")
    before = context_file.read_bytes()
    outcome = memory.save("- user likes  tabs.", scope="project")
    assert isinstance(outcome, Skipped)
    assert outcome.reason == "duplicate"
    assert context_file.read_bytes() == before
    assert isinstance(memory.save("User likes Tabs", scope="project"), Saved)


def test_a_dry_run_shows_and_writes_nothing(memory, context_file):
    saved = memory.save("fact", scope="project", dry_run=True)
    assert (saved.run, saved.delta.before, saved.delta.after) == ("", None, f"{SECTION}\n- fact\n")
    assert not context_file.exists()


def test_a_save_can_be_undone(memory, context_file):
    context_file.write_bytes(b"\xef\xbb\xbf# P\r\n")
    memory.undo(memory.save("fact", scope="project").run)
    assert context_file.read_bytes() == b"\xef\xbb\xbf# P\r\n"


def test_other_names_and_dialects_have_their_own_file_and_section(open_memory, project):
    open_memory(dialect="qwen").save("fact", scope="project")
    assert (project / "QWEN.md").read_text(encoding="utf-8") == "## Qwen Added Memories\n- fact\n"
    open_memory(settings={"context.names": ["NOTES.md", "X.md"]}).save("fact", scope="project")
    assert (project / "NOTES.md").exists()


def test_a_name_that_leads_elsewhere_is_refused(open_memory):
    with pytest.raises(BadSetting):
        open_memory(settings={"context.names": ["../x.md"]}).save("fact", scope="project")


# --- nothing is lost ------------------------------------------------------------------------------


def test_a_file_that_is_no_text_is_kept(memory, context_file):
    context_file.write_bytes(b"\xff\xfe text")
    with pytest.raises(NotText):
        memory.save("fact", scope="project")
    assert context_file.read_bytes() == b"\xff\xfe text"


def test_a_folder_in_the_way_is_told(memory, context_file):
    context_file.mkdir()
    with pytest.raises(NotAFile):
        memory.save("fact", scope="project")


def test_a_file_over_the_limit_is_kept(open_memory, context_file):
    memory = open_memory(settings={"memory.max_file_bytes": 100})
    context_file.write_text("x" * 101, encoding="utf-8")
    with pytest.raises(FileTooLarge):
        memory.save("fact", scope="project")
    context_file.write_text("x" * 90, encoding="utf-8")
    with pytest.raises(ContentTooLarge):
        memory.save("fact", scope="project")
    assert context_file.read_text(encoding="utf-8") == "x" * 90


def test_a_secret_is_not_written(memory, context_file):
    with pytest.raises(SecretRefused):
        memory.save("key AKIAIOSFODNN7EXAMPLD and aws_secret wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEX",
                    scope="project")  # fmt: skip
    assert not context_file.exists()


def test_facts_saved_at_once_are_all_there(open_memory, context_file):
    facts = [f"fact number {at}" for at in range(8)]
    memories = [open_memory() for _ in facts]

    def work(memory, fact):
        for _ in range(20):
            try:
                memory.save(fact, scope="project")
            except StaleBase:  # somebody else was first twice in a row: as the message says, again
                continue
            return

    threads = [
        threading.Thread(target=work, args=pair) for pair in zip(memories, facts, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    lines = context_file.read_text(encoding="utf-8").splitlines()
    assert sorted(lines[1:]) == sorted(f"- {fact}" for fact in facts)


class MovingStore:
    """A store whose file is changed by somebody else right before the first write."""

    def __init__(self, store, change, times):
        self.store, self.change, self.times = store, change, times

    def read(self, path):
        return self.store.read(path)

    def writing(self, purpose):
        return self.store.writing(purpose)

    def apply(self, changes, run: RunInfo):
        if self.times:
            self.times -= 1
            self.change()
        return self.store.apply(changes, run)


def test_a_file_that_moves_on_meanwhile_is_planned_again(memory, context_file):
    context_file.write_text("a\n", encoding="utf-8")

    def edit():
        context_file.write_text(context_file.read_text(encoding="utf-8") + "b\n", encoding="utf-8")

    memory.store = MovingStore(memory.store, edit, 1)
    memory.save("fact", scope="project")
    assert context_file.read_text(encoding="utf-8") == f"a\nb\n\n{SECTION}\n- fact\n"
    memory.store.times = 3
    memory.save("another", scope="project")
    text = context_file.read_text(encoding="utf-8")
    assert (text.count("b\n"), text.count("- another\n")) == (4, 1)


def test_an_editor_that_never_stops_saving_is_told_of_at_last(memory, context_file):
    context_file.write_text("a\n", encoding="utf-8")

    def edit():
        context_file.write_text(context_file.read_text(encoding="utf-8") + "b\n", encoding="utf-8")

    memory.store = MovingStore(memory.store, edit, 10_000)
    with pytest.raises(StaleBase):
        memory.save("another", scope="project")


# --- edited by a person ---------------------------------------------------------------------------


def test_edited_text_is_kept_byte_for_byte(memory, context_file):
    content = "# Mine\r\n\r\n\r\n## Kept\n\n# hash line\n\n- fact, reworded"
    memory.save("fact", scope="project", modified_by_user=True, modified_content=content)
    assert context_file.read_bytes() == content.encode()


def test_edited_text_counts_only_when_the_person_edited(memory, context_file):
    memory.save("fact", scope="project", modified_by_user=False, modified_content="other")
    assert context_file.read_text(encoding="utf-8") == f"{SECTION}\n- fact\n"


def test_the_scope_may_stand_in_the_first_line_of_edited_text(memory, context_file):
    memory.save("fact", modified_by_user=True, modified_content="scope: project\n# Mine\n")
    assert context_file.read_text(encoding="utf-8") == "# Mine\n"
    with pytest.raises(InvalidScope):
        memory.save("fact", modified_by_user=True, modified_content="# Mine\n")


def test_an_edit_of_an_older_text_is_refused(memory, context_file):
    context_file.write_text("newer\n", encoding="utf-8")
    for base in (digest("older\n"), ""):
        with pytest.raises(StaleBase):
            memory.save(
                "fact", scope="project", modified_by_user=True, modified_content="mine", base=base
            )
    assert context_file.read_text(encoding="utf-8") == "newer\n"
