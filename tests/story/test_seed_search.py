"""The search document, as told: its files, its query, its shapes."""

from __future__ import annotations

import json

import pytest

from reverie.cli import run


@pytest.fixture
def ask(project, capsys):
    def call(*arguments):
        assert run(["-C", str(project), "--json", *arguments]) == 0
        return json.loads(capsys.readouterr().out)

    return call


@pytest.fixture(autouse=True)
def notes(project):
    (project / "memory").mkdir()
    (project / "memory" / "architecture.md").write_text(
        "# Decisions\n\n## Auth\nDecided to use JWT with 15-minute expiry and refresh tokens.\n\n"
        "## Database\nPostgreSQL 16, because of pgvector.\n"
    )
    (project / "MEMORY.md").write_text("# Main\n\n我们决定每周二发布版本。\n")


def test_the_documents_own_query_finds_the_decision_and_get_reads_around_it(ask):
    found = ask("search", "API authentication decisions", "--max-results", "5")
    assert set(found) >= {"query", "results", "totalFound", "method", "stats"}
    hit = found["results"][0]
    assert hit["path"] == "memory/architecture.md"
    assert "JWT with 15-minute expiry" in hit["text"]
    assert hit["score"] >= 0.35
    assert hit["source"] == "memory"
    assert "15-minute expiry" in json.dumps(ask("get", hit["path"], "--lines", hit["lines"]))
    assert found["stats"] == {"totalFiles": 2, "totalChunks": 3}


@pytest.mark.parametrize(
    "asked",
    ["API authentication", "API authentication decisions", "how do we authenticate API calls"],
)
def test_the_decision_is_found_in_other_words_beside_one_of_its_like(ask, project, asked):
    """No word of the question stands anywhere: `auth` is what says nearly the same."""
    with (project / "MEMORY.md").open("a") as file:
        file.write("\n## Decision: Auth Strategy\nDecided on JWT with refresh tokens.\n")
    assert "memory/architecture.md" in [hit["path"] for hit in ask("search", asked)["results"]]


def test_a_question_about_something_else_finds_nothing(ask):
    found = ask("search", "banana bread recipe")
    assert found["results"] == []


def test_a_chinese_question_finds_the_chinese_line(ask):
    found = ask("search", "什么时候发布")
    assert found["results"][0]["path"] == "MEMORY.md"


def test_a_new_line_is_found_at_once(ask, project):
    ask("search", "JWT")
    with (project / "MEMORY.md").open("a") as file:
        file.write("\n## Decision: cache\nWe keep sessions in Valkey.\n")
    assert "Valkey" in ask("search", "where are sessions kept? Valkey")["results"][0]["text"]


def test_daily_notes_fade_only_when_asked_to(ask, project, monkeypatch):
    for day in ("2019-03-04", "2099-03-04"):
        (project / "memory" / f"{day}.md").write_text(
            "The brewery tour starts at the north gate.\n"
        )
    both = ask("search", "brewery tour north gate")
    monkeypatch.setenv("REVERIE_SEARCH__HALF_LIFE_DAYS", "30")
    found = ask("search", "brewery tour north gate")
    assert found["results"][0]["path"] == "memory/2099-03-04.md"
    assert both["totalFound"] == 2
    assert found["totalFound"] == 1  # seven years are some ninety half-lives
