"""The commands of search: what they print, as text and as JSON, and how they end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reverie.cli import run
from reverie.core.showing.fence import strip_recall_blocks


@pytest.fixture
def filled(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (project / "memory").mkdir()
    (project / "MEMORY.md").write_text(
        "# Memory\n\n## Auth\n\nDecided to use JWT with 15-minute expiry for the API.\n",
        encoding="utf-8",
    )
    (project / "memory/people.md").write_text("# People\n\nAlice leads design.\n", encoding="utf-8")
    monkeypatch.chdir(project)
    return project


def test_search_prints_path_lines_and_text(filled, capsys):
    assert run(["search", "API", "authentication", "with", "JWT"]) == 0
    output = capsys.readouterr().out
    assert output.startswith("MEMORY.md:1-5")
    assert "15-minute expiry" in output
    assert "expiry" not in strip_recall_blocks(output)  # an agent reads it as data


def test_search_prints_a_memory_once(filled, capsys):
    assert run(["remember", "The parser lives in src/parse.rs"]) == 0
    capsys.readouterr()
    assert run(["search", "where is the parser?"]) == 0
    output = capsys.readouterr().out
    assert output.count("The parser lives in src/parse.rs") == 1
    assert "description:" not in output


def test_search_as_json_has_the_documents_shape(filled, capsys):
    assert run(["search", "who leads design?", "--max-results", "1", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["results"][0]["path"] == "memory/people.md"
    assert answer["results"][0]["lines"] == "1-3"
    assert answer["method"] == "hybrid"
    assert answer["stats"] == {"totalFiles": 2, "totalChunks": 2}


def test_nothing_found_says_what_was_searched(filled, capsys):
    assert run(["search", "zeppelin maintenance"]) == 0
    assert "nothing found (hybrid, 2 chunks of 2 files)" in capsys.readouterr().out


def test_get_reads_lines_and_a_missing_file_ends_with_four(filled, capsys):
    assert run(["get", "MEMORY.md", "--lines", "3-5"]) == 0
    assert capsys.readouterr().out.startswith("## Auth\n\nDecided")
    assert run(["get", "memory/nothing.md"]) == 4
    assert run(["get", "/etc/passwd"]) == 3
    assert run(["get", "MEMORY.md", "--lines", "9-1"]) == 2


def test_what_search_prints_can_be_given_to_get(filled, capsys):
    assert run(["search", "API authentication with JWT", "--max-results", "1"]) == 0
    named, _, shown = capsys.readouterr().out.partition("\n")
    assert run(["get", named.split("  ")[0]]) == 0
    assert capsys.readouterr().out.strip() in shown
    assert run(["get", "MEMORY.md:3"]) == 0
    assert capsys.readouterr().out == "## Auth\n"
    assert run(["get", "MEMORY.md:3", "--lines", "4"]) == 2
    assert "twice" in capsys.readouterr().err


def test_stats_and_index_count(filled, capsys):
    assert run(["stats", "--json"]) == 0
    stats = json.loads(capsys.readouterr().out)
    assert (stats["totalFiles"], stats["totalChunks"], stats["sources"]) == (2, 2, ["memory"])
    assert stats["lastIndexed"]
    assert run(["index", "--rebuild", "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["files"], done["rebuilt"]) == (2, True)


def test_an_index_that_is_up_to_date_says_so_instead_of_counting_nothing(filled, capsys):
    run(["index"])
    assert capsys.readouterr().out.startswith("2 files read")
    run(["index"])
    assert capsys.readouterr().out == "up to date: no file changed\n"


def test_a_path_named_with_index_is_searched_until_it_is_removed(filled, tmp_path, capsys):
    page = tmp_path / "wiki" / "page.md"
    page.parent.mkdir()
    page.write_text("The otter swims in the river.\n", encoding="utf-8")
    assert run(["index", str(page.parent), "--dry-run"]) == 0
    capsys.readouterr()
    assert run(["search", "otter", "--source", "custom", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"] == []
    assert run(["index", str(page.parent)]) == 0
    capsys.readouterr()
    run(["search", "otter", "--source", "custom", "--json"])
    assert json.loads(capsys.readouterr().out)["results"][0]["path"] == str(page)
    assert run(["index", str(page.parent), "--remove"]) == 0
    capsys.readouterr()
    run(["search", "otter", "--json"])
    assert json.loads(capsys.readouterr().out)["results"] == []
    assert run(["index", str(tmp_path / "nowhere")]) == 4
    assert run(["index", "--remove"]) == 2


def test_eval_retrieval_measures_a_folder_and_names_a_bad_one(tmp_path, capsys):
    data = tmp_path / "tiny"
    data.mkdir()
    docs = [{"id": str(n), "scope": "all", "text": f"note {n} about topic{n}"} for n in range(8)]
    queries = [
        {"id": f"q{n}", "scope": "all", "text": f"what is topic{n}?", "cat": "a", "gold": [str(n)]}
        for n in range(8)
    ]
    (data / "docs.jsonl").write_text("\n".join(map(json.dumps, docs)), encoding="utf-8")
    (data / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)), encoding="utf-8")
    assert run(["eval", "retrieval", str(data), "--json"]) == 0
    (report,) = json.loads(capsys.readouterr().out)["reports"]
    assert report["methods"]["reverie"]["recall@5"]["mean"] == 100.0
    assert set(report["methods"]) == {
        "reverie",
        "reverie, min_score 0",
        "bm25",
        "bm25 + vectors",
        "grep",
    }
    assert run(["eval", "retrieval", str(data)]) == 0
    assert "| reverie |" in capsys.readouterr().out
    (data / "docs.jsonl").write_text("{", encoding="utf-8")
    assert run(["eval", "retrieval", str(data)]) == 2
    assert "docs.jsonl, line 1" in capsys.readouterr().err


def test_the_command_line_takes_as_many_results_as_the_document_says(filled, capsys):
    assert run(["search", "x", "--max-results", "20"]) == 0
    assert run(["search", "x", "--max-results", "21"]) == 2
    assert "1<=x<=20" in capsys.readouterr().err
