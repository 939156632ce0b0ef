"""Semantic memory: what is learnt is listed once, and a changed value keeps its past."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from reverie.core.layers.semantic import Learnt, place_of, plan_semantic, statement, statements
from reverie.core.layers.tree import FACTS, PREFERENCES, PROJECTS, SEMANTIC, scaffold
from reverie.types import Kind, Patch, StatementForm

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
FILES = {
    rel: text
    for rel, text in scaffold("x", core_limit=1, working_limit=1).items()
    if rel in SEMANTIC
}


def learnt(
    summary: str,
    kind: Kind = Kind.PROJECT,
    form: StatementForm = "decision",
    *,
    turn: int = 1,
    imported: bool = False,
    why: str = "",
) -> Learnt:
    return Learnt(
        Patch(kind, summary, why=why, form=form),
        f"turn-{turn}",
        NOW + timedelta(days=turn - 1),
        imported,
    )


def listed(files: dict[str, str], rel: str) -> list[str]:
    return [item.text for item in statements(files[rel], rel)]


@pytest.mark.parametrize(
    ("kind", "form", "place"),
    [
        (Kind.USER, "identity", (FACTS, "Confirmed Facts")),
        (Kind.USER, "preference", (PREFERENCES, "User Preferences")),
        (Kind.FEEDBACK, "correction", (PREFERENCES, "Collaboration Preferences")),
        (Kind.PROJECT, "deadline", (PROJECTS, "Active Projects")),
        (Kind.PROJECT, "decision", (PROJECTS, "Durable Project Knowledge")),
        (Kind.REFERENCE, "resource", (FACTS, "Confirmed Facts")),
    ],
)
def test_each_kind_has_its_place(kind: Kind, form: StatementForm, place: tuple[str, str]) -> None:
    assert place_of(Patch(kind, "x", form=form)) == place


def test_a_new_statement_is_listed_with_its_reason_and_its_evidence() -> None:
    done = plan_semantic(
        FILES, [learnt("We deploy on Tuesdays", why="the rota changes on Wednesday")]
    )

    assert done.files == {
        PROJECTS: FILES[PROJECTS].replace(
            "## Durable Project Knowledge\n\n- None",
            "## Durable Project Knowledge\n\n- We deploy on Tuesdays\n  Why: the rota changes on Wednesday",
        )
    }
    assert done.added == ("We deploy on Tuesdays",)
    assert done.evidence == {"We deploy on Tuesdays": ("turn-1",)}


def test_what_is_said_again_only_adds_evidence() -> None:
    first = plan_semantic(FILES, [learnt("We deploy on Tuesdays")])
    files = {**FILES, **first.files}

    again = plan_semantic(
        files, [learnt("we deploy on Tuesdays.", turn=2), learnt("We deploy on Tuesdays", turn=3)]
    )

    assert again.files == {}
    assert again.evidence == {"We deploy on Tuesdays": ("turn-2", "turn-3")}
    assert again.summary == "2 known"


def test_a_changed_value_supersedes_with_its_date_and_keeps_the_past() -> None:
    files = dict(FILES)
    for turn, text in enumerate(("The release is on 2026-06-01", "The release is on 2026-07-01",
                                 "The release is on 2026-08-01"), 1):  # fmt: skip
        done = plan_semantic(files, [learnt(text, turn=turn, why="told so" if turn == 1 else "")])
        files.update(done.files)

    assert listed(files, PROJECTS) == [
        "The release is on 2026-08-01\n"
        "Until 2026-05-03: The release is on 2026-07-01\n"
        "Until 2026-05-02: The release is on 2026-06-01 (Why: told so)"
    ]
    assert done.superseded == (("The release is on 2026-07-01", "The release is on 2026-08-01"),)


def test_within_one_run_the_last_word_counts() -> None:
    done = plan_semantic(
        FILES,
        [learnt("The limit is 10 requests", turn=1), learnt("The limit is 20 requests", turn=2)],
    )

    assert [statement(item) for item in statements(done.files[PROJECTS], PROJECTS)] == [
        "The limit is 20 requests"
    ]


def test_what_was_imported_takes_the_place_of_nothing() -> None:
    files = {**FILES, **plan_semantic(FILES, [learnt("The limit is 20 requests")]).files}

    done = plan_semantic(files, [learnt("The limit is 5 requests", turn=9, imported=True)])

    assert done.files == {}
    assert done.dropped[0].what == "The limit is 5 requests (turn-9)"
    assert "20 requests" in done.dropped[0].reason


def test_different_things_stand_side_by_side_and_a_persons_text_stays() -> None:
    mine = (
        "# Facts\n\nMy own words.\n\n## Confirmed Facts\n\n- Ana lives in Lisbon <!-- checked -->\n"
    )

    done = plan_semantic(
        {**FILES, FACTS: mine}, [learnt("Ben lives in Porto", Kind.USER, "identity")]
    )

    assert done.files[FACTS] == mine + "- Ben lives in Porto\n"


def test_running_again_changes_nothing() -> None:
    said = [learnt("用户喜欢简洁的回答", Kind.FEEDBACK, "preference"), learnt("The port is 8080", turn=2),
            learnt("The port is 9090", turn=3)]  # fmt: skip
    files = {**FILES, **plan_semantic(FILES, said).files}

    again = plan_semantic(files, said[-1:])

    assert again.files == {}
