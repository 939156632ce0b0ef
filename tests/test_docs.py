"""Documentation that cannot drift: generated pages are current, and what exists is documented."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "reverie"
ROOMED = "core|local|postgres|verbs"  # the names of other packages are also those of settings and folders


@pytest.mark.slow
def test_the_reference_pages_are_what_the_code_says():
    done = subprocess.run(
        [sys.executable, "scripts/reference.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_picture_of_the_rooms_is_what_the_code_says():
    done = subprocess.run(
        [sys.executable, "scripts/architecture.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_the_table_of_agents_has_a_row_for_each_test_of_the_real_agents_and_no_other():
    page = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| (.+?) \| yes \| yes \| yes \| yes \|$", page, re.MULTILINE)
    tests = [
        name.replace("_", " ")
        for file in (ROOT / "tests" / "agents").glob("test_*.py")
        for name in re.findall(r"^def test_(\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert sorted(shown) == sorted(tests)
    assert f"{4 * len(tests)} of {4 * len(tests)} checks hold" in page


def test_every_file_and_module_that_the_documentation_names_exists():
    gone = []
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        for quoted in re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8")):
            if not all(place.exists() for place in named_places(quoted)):
                gone.append(f"{page.relative_to(ROOT)}: {quoted}")
    assert not gone


def named_places(quoted: str) -> list[Path]:
    """The files, folders and modules of ours that a piece of code in a page names."""
    places = [
        ROOT / name
        for name in re.findall(r"\b(?:src|tests|scripts|bench)/[\w/]+(?:\.[a-z]+)?", quoted)
    ]
    if bare := re.match(
        r"test_\w+\.py\b", quoted
    ):  # a page about tests names them without their folders
        places.append(next((ROOT / "tests").rglob(bare[0]), ROOT / "tests" / bare[0]))
    elif re.fullmatch(r"[\w/]+\.py", quoted) and not quoted.startswith(
        ("src", "tests", "scripts", "bench")
    ):
        places.append(SOURCE / quoted)
    if re.fullmatch(rf"(?:{ROOMED})/\w+", quoted) and not quoted.startswith("core/"):
        places.append(SOURCE / quoted)
    dotted = re.fullmatch(rf"(?:reverie\.)?({ROOMED})\.(\w+)(?:\.\w+)*", quoted)
    if dotted and quoted != "core.fsmonitor":  # git's
        package, module = dotted.groups()
        folder = SOURCE / package / module
        places.append(folder if folder.is_dir() else folder.with_suffix(".py"))
    return places


def test_every_link_in_the_documentation_leads_somewhere():
    broken = []
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        text = re.sub(r"`[^`\n]*`", "", text)
        for target in re.findall(r"\]\(([^)#\s]+)", text):
            if not re.match(r"[a-z]+:", target) and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert not broken


def test_every_link_to_a_section_finds_its_heading():
    lost = []
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        text = re.sub(r"`[^`\n]*`", "", page.read_text(encoding="utf-8"))
        for target, section in re.findall(r"\]\(([^)#\s:]*)#([^)\s]+)\)", text):
            there = (page.parent / target) if target else page
            if there.exists() and section not in sections(there):
                lost.append(f"{page.relative_to(ROOT)}: {target}#{section}")
    assert not lost


def sections(page: Path) -> set[str]:
    """The names by which the headings of a page can be linked to."""
    text = re.sub(
        r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    headings = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_what_the_examples_import_from_us_exists():
    missing = []
    for page in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]:
        text = page.read_text(encoding="utf-8")
        for name in re.findall(r"^from (reverie[\w.]*) import", text, flags=re.MULTILINE):
            place = ROOT / "src" / Path(*name.split("."))
            if not (place.is_dir() or place.with_suffix(".py").exists()):
                missing.append(f"{page.relative_to(ROOT)}: {name}")
    assert not missing


def test_the_readme_shows_both_commands():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make run" in readme
    assert "make test" in readme


def test_the_readme_links_every_page_of_the_documentation():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pages = [
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("docs/reference/*.md"),
        ROOT / "docs" / "adr" / "README.md",
    ]
    missing = [str(page.relative_to(ROOT)) for page in pages]
    assert [name for name in missing if f"]({name})" not in readme] == []
    assert len(readme.splitlines()) <= 120


def test_the_page_of_decisions_links_every_one():
    there = (ROOT / "docs" / "adr" / "README.md").read_text(encoding="utf-8")
    decisions = [page.name for page in ROOT.glob("docs/adr/0*.md")]
    assert [name for name in decisions if f"]({name})" not in there] == []


def test_the_python_of_the_readme_runs(project, monkeypatch, capsys):
    monkeypatch.chdir(project)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", readme, flags=re.DOTALL | re.MULTILINE)
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})  # noqa: S102  # our own page
    assert "short answers" in capsys.readouterr().out


def test_no_file_names_a_registry_or_a_machine():
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    for name in tracked:
        if name.endswith((".txt", ".toml", ".json", ".cfg")):
            text = (ROOT / name).read_text(encoding="utf-8")
            assert not re.search(
                r"(index-url|find-links|resolved\")", text.replace("no-emit-index-url", "")
            )
