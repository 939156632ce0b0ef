"""The document on context files, example by example, as written there (dialect `qwen`).

Where we differ on purpose, the test says so: `.git` may be a file, the walk stops at the root, names
are looked for folder by folder, and a saved fact leaves every other byte of the file alone.
"""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.context.hierarchy import from_json, to_json
from reverie.core.markdown.sections import append_fact, clean_fact
from reverie.dialect import QWEN
from reverie.errors import InvalidScope
from reverie.verbs.save import save_places, scope_question

HEADER = "## Qwen Added Memories"


@pytest.fixture
def home(private_home):
    folder = private_home / ".qwen"
    folder.mkdir()
    return folder


@pytest.fixture
def app(private_home):
    """Make /home/user/projects/myapp of the document."""
    root = private_home / "projects" / "myapp"
    (root / ".git").mkdir(parents=True)
    return root


@pytest.fixture
def qwen(open_memory, home, app):
    def opened(folder=app, **options):
        return open_memory(folder, dialect="qwen", **options)

    return opened


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# --- names ----------------------------------------------------------------------------------------


def test_the_documents_names_and_header():
    assert QWEN.config_dir == ".qwen"
    assert QWEN.context_names == ("QWEN.md", "AGENTS.md")
    assert QWEN.section == HEADER


def test_the_documents_places_are_all_loaded(qwen, home, app):
    for path in (
        home / "QWEN.md",
        home / "AGENTS.md",
        app / "QWEN.md",
        app / ".qwen" / "QWEN.md",
        app / "AGENTS.md",
    ):
        put(path, path.name)
    assert [item.shown for item in qwen().context().files] == [
        "../../.qwen/QWEN.md",
        "../../.qwen/AGENTS.md",
        "QWEN.md",
        ".qwen/QWEN.md",
        "AGENTS.md",
    ]


# --- saving ---------------------------------------------------------------------------------------


def document_algorithm(current: str, fact: str) -> str:
    """The document's own computeNewContent, said in Python."""
    text = re.sub(r"^(-+\s*)+", "", fact.strip()).strip()
    item = f"- {text}"
    at = current.find(HEADER)
    if at == -1:
        if not current or current.endswith(("\n\n", "\r\n\r\n")):
            separator = ""
        elif current.endswith("\n"):
            separator = "\n"
        else:
            separator = "\n\n"
        return f"{current}{separator}{HEADER}\n{item}\n"
    start = at + len(HEADER)
    end = current.find("\n## ", start)
    end = len(current) if end == -1 else end
    before = current[:start].rstrip()
    section = current[start:end].rstrip() + f"\n{item}"
    return f"{before}\n{section.lstrip()}\n{current[end:]}".rstrip() + "\n"


def test_a_global_fact_is_saved_as_shown(qwen, home):
    qwen().save("User prefers TypeScript for new projects", scope="global")
    assert (home / "QWEN.md").read_text(encoding="utf-8") == (
        "## Qwen Added Memories\n- User prefers TypeScript for new projects\n"
    )


def test_a_project_fact_is_saved_as_shown(qwen, app):
    qwen().save("API uses OAuth2 with client credentials flow", scope="project")
    assert (app / "QWEN.md").read_text(encoding="utf-8") == (
        "## Qwen Added Memories\n- API uses OAuth2 with client credentials flow\n"
    )


def test_without_a_scope_the_question_is_the_documents(qwen, app, private_home):
    memory = qwen()
    fact = "Database credentials in 1Password vault"
    with pytest.raises(InvalidScope):
        memory.save(fact)
    places = save_places(memory.verb_context, fact)
    assert scope_question(fact, places, user_home=str(private_home)) == (
        "Choose where to save this memory:\n"
        "\n"
        '"Database credentials in 1Password vault"\n'
        "\n"
        "Options:\n"
        "- Global: ~/.qwen/QWEN.md (shared across all projects)\n"
        "- Project: ~/projects/myapp/QWEN.md (current project only)"
    )


@pytest.mark.parametrize("fact", ["F", "- - dashes first", "  spaced  ", "中文事实"])
@pytest.mark.parametrize(
    "before",
    [
        "",
        "intro",
        "intro\n",
        "intro\n\n",
        f"{HEADER}\n",
        f"{HEADER}\n- A\n",
        f"{HEADER}\n- A\n\n## Next\ntext",
        f"# P\n\n{HEADER}\n- A\n- B\n\n## Next\n\ntext\n\n### Sub\n",
    ],
)
def test_our_result_is_the_documents(before, fact):
    assert append_fact(before, clean_fact(fact), header=HEADER) == document_algorithm(before, fact)


@given(
    st.lists(
        st.sampled_from(["intro\n", "## Before\n\ntext\n\n", "# Title\n\n", "### Sub\n- x\n"]),
        max_size=3,
    ),
    st.lists(st.sampled_from(["- A\n", "- B\n", "- C\n  more\n"]), max_size=4),
    st.sampled_from(["", "\n## Next\n", "\n## Next\n- z\n\n## Last\ntext"]),
    st.text(alphabet="ab -–中", min_size=1).filter(clean_fact),
)
def test_our_result_is_the_documents_for_any_file_of_its_own_making(head, items, tail, fact):
    before = "".join(head)
    before += ("\n" if before else "") + f"{HEADER}\n" + "".join(items) + tail
    assert append_fact(before, clean_fact(fact), header=HEADER) == document_algorithm(before, fact)


FORMAT_EXAMPLE = """\
# Project Context

This is a Next.js application using TypeScript and Tailwind CSS.

## Architecture

- Frontend: React components in `src/components/`
- Backend: API routes in `src/pages/api/`
- Database: PostgreSQL with Prisma ORM

## Qwen Added Memories

- User prefers functional components over class components
- Always use `const` instead of `let` when possible
- API endpoints should return JSON with snake_case keys
- Tests use Vitest instead of Jest
"""


def test_the_format_example_grows_by_one_line(qwen, app):
    """The document's sketch would also drop the blank line under the heading; we keep it."""
    path = put(app / "QWEN.md", FORMAT_EXAMPLE)
    qwen().save("Deploys on Fridays are fine", scope="project")
    after = path.read_text(encoding="utf-8")
    assert after == FORMAT_EXAMPLE + "- Deploys on Fridays are fine\n"
    squeezed = after.replace(f"{HEADER}\n\n", f"{HEADER}\n")
    assert squeezed == document_algorithm(FORMAT_EXAMPLE, "Deploys on Fridays are fine")


# --- loading --------------------------------------------------------------------------------------


def test_the_load_order_example(qwen, home, app):
    for folder in (home, app, app / "src", app / "src" / "components"):
        put(folder / "QWEN.md", str(folder))
    context = qwen(app / "src" / "components").context()
    assert [item.path for item in context.files] == [
        str(home / "QWEN.md"),
        str(app / "QWEN.md"),
        str(app / "src" / "QWEN.md"),
        str(app / "src" / "components" / "QWEN.md"),
    ]


def test_the_concatenation_example(open_memory, private_home, home):
    app = private_home / "app"
    (app / ".git").mkdir(parents=True)
    put(home / "QWEN.md", "# Global Context\n- User works with TypeScript\n")
    put(app / "QWEN.md", "\n# Project Context\n- Next.js application\n\n")
    put(app / "src" / "QWEN.md", "# Source Directory\n- Components use Tailwind")
    context = open_memory(app, dialect="qwen").context(include=["src"])
    assert context.text == (
        "--- Context from: ../.qwen/QWEN.md ---\n"
        "# Global Context\n"
        "- User works with TypeScript\n"
        "--- End of Context from: ../.qwen/QWEN.md ---\n"
        "\n"
        "--- Context from: QWEN.md ---\n"
        "# Project Context\n"
        "- Next.js application\n"
        "--- End of Context from: QWEN.md ---\n"
        "\n"
        "--- Context from: src/QWEN.md ---\n"
        "# Source Directory\n"
        "- Components use Tailwind\n"
        "--- End of Context from: src/QWEN.md ---"
    )


# --- imports --------------------------------------------------------------------------------------


def test_the_import_syntax_examples(qwen, app, private_home):
    put(private_home / ".config" / "coding-standards.md", "# Standards")
    put(app / "path" / "to" / "file.md", "# File")
    put(app / "docs" / "api-guide.md", "# Guide")
    put(
        app / "sub" / "QWEN.md",
        "<!-- @import: ../path/to/file.md -->\n"
        "<!-- @import: ../docs/api-guide.md -->\n"
        "<!-- @import: ~/.config/coding-standards.md -->\n",
    )
    memory = qwen(app / "sub", settings={"context.import_roots": ["~/.config"]})
    assert memory.context().text == (
        "--- Context from: QWEN.md ---\n"
        '<imported from="../path/to/file.md">\n# File\n</imported>\n'
        '<imported from="../docs/api-guide.md">\n# Guide\n</imported>\n'
        '<imported from="~/.config/coding-standards.md">\n# Standards\n</imported>\n'
        "--- End of Context from: QWEN.md ---"
    )


@pytest.mark.parametrize(
    ("format", "body"),
    [
        ("tree", '<imported from="docs/setup.md">\n# Setup Guide\n...\n</imported>'),
        ("flat", "# Setup Guide\n..."),
    ],
)
def test_the_format_examples(qwen, app, format, body):
    put(app / "docs" / "setup.md", "# Setup Guide\n...\n")
    put(app / "QWEN.md", "<!-- @import: docs/setup.md -->\n")
    text = qwen().context(format=format).text
    assert text == f"--- Context from: QWEN.md ---\n{body}\n--- End of Context from: QWEN.md ---"


def test_the_nested_example(qwen, app):
    put(app / "QWEN.md", "# Project Context\n\n<!-- @import: docs/architecture.md -->\n")
    put(app / "docs" / "architecture.md", "# Architecture\n\n<!-- @import: api/endpoints.md -->\n")
    put(app / "docs" / "api" / "endpoints.md", "# API Endpoints\n...\n")
    assert qwen().context().text == (
        "--- Context from: QWEN.md ---\n"
        "# Project Context\n\n"
        '<imported from="docs/architecture.md">\n'
        "# Architecture\n\n"
        '<imported from="api/endpoints.md">\n# API Endpoints\n...\n</imported>\n'
        "</imported>\n"
        "--- End of Context from: QWEN.md ---"
    )


def test_the_import_organisation_example(qwen, app):
    for name in ("architecture", "api-reference", "deployment"):
        put(app / "docs" / f"{name}.md", f"# {name}")
    put(
        app / "QWEN.md",
        "# Project Context\n\n"
        "<!-- @import: docs/architecture.md -->\n"
        "<!-- @import: docs/api-reference.md -->\n"
        "<!-- @import: docs/deployment.md -->\n\n"
        "## Qwen Added Memories\n- (Dynamic content here)\n",
    )
    context = qwen().context()
    assert [item.line for item in context.files[0].imports] == [3, 4, 5]
    assert context.diagnostics == ()


def test_the_loop_example(qwen, app):
    put(app / "QWEN.md", "<!-- @import: A.md -->")
    put(app / "A.md", "A\n<!-- @import: B.md -->")
    put(app / "B.md", "B\n<!-- @import: A.md -->")
    context = qwen().context()
    assert [item.path for item in context.files[0].imports] == [
        str(app / "A.md"),
        str(app / "B.md"),
    ]
    assert [(item.path, item.line, item.reason) for item in context.diagnostics] == [
        (str(app / "B.md"), 2, "cycle")
    ]


# --- configuration --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "loaded"),
    [
        (["CONTEXT.md"], ["CONTEXT.md"]),
        (["QWEN.md", "AGENTS.md", "CONTEXT.md"], ["QWEN.md", "AGENTS.md", "CONTEXT.md"]),
    ],
)
def test_the_custom_filename_examples(qwen, app, names, loaded):
    for name in ("QWEN.md", "AGENTS.md", "CONTEXT.md"):
        put(app / name, name)
    context = qwen(settings={"context.names": names}).context()
    assert [item.shown for item in context.files] == loaded


def test_without_folder_trust_only_global_memory_and_include_folders_load(
    qwen, app, home, tmp_path
):
    put(home / "QWEN.md", "mine")
    put(app / "QWEN.md", "project")
    put(tmp_path / "additional" / "QWEN.md", "additional")
    context = qwen().context(include=[str(tmp_path / "additional")], trusted=False)
    assert [item.source.value for item in context.files] == ["global", "include"]


# --- programs -------------------------------------------------------------------------------------


def test_the_programmatic_example(qwen, app, tmp_path):
    put(app / "QWEN.md", "project")
    put(tmp_path / "additional" / "QWEN.md", "additional")
    context = qwen().context(include=[str(tmp_path / "additional")], trusted=True, format="tree")
    assert f"Loaded {context.file_count} memory files" == "Loaded 2 memory files"
    assert "project" in context.text


def test_the_same_context_is_restored_from_a_checkpoint(qwen, app):
    path = put(app / "QWEN.md", "as it was\n@./gone.md")
    context = qwen().context()
    checkpoint = json.dumps(to_json(context))
    path.write_text("changed since", encoding="utf-8")
    assert from_json(json.loads(checkpoint)) == context


def test_the_extension_example(qwen, app, tmp_path):
    put(app / "QWEN.md", "project")
    first = put(tmp_path / "extension" / "context.md", "one")
    second = put(tmp_path / "another" / "docs.md", "two")
    context = qwen().context(extensions=[str(first), str(second)])
    assert [item.path for item in context.files] == [str(app / "QWEN.md"), str(first), str(second)]


def test_the_archive_example(qwen, app, clock):
    put(app / "QWEN.md", "# Old\n")
    qwen().archive_context()
    day = f"{clock():%Y%m%d}"
    assert (app / ".qwen" / "archive" / f"QWEN-{day}.md").read_text(encoding="utf-8") == "# Old\n"
    assert (app / "QWEN.md").read_text(encoding="utf-8") == (
        f"# Project Context\n\n<!-- @import: .qwen/archive/QWEN-{day}.md -->\n\n## Current Context\n"
    )
