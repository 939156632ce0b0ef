"""Write `src/reverie/mcp/lists.json`: what the MCP server lists, made from its tools and prompts.

The server answers with this file before it imports anything else; a test holds it to the tools.

    python scripts/mcp_lists.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reverie.mcp import answers
from reverie.mcp.more import SURFACES

PLACE = Path(__file__).parents[1] / "src" / "reverie" / "mcp" / "lists.json"


def lists() -> dict[str, Any]:
    """Return what the file should say."""
    return {
        "tools": {
            name: [answers.described(tool) for tool in tools] for name, tools in SURFACES.items()
        },
        "instructions": answers.INSTRUCTIONS,
        "prompts": answers.prompt_list(),
        "resourceTemplates": answers.template_list(),
        "slow": {tool.name: tool.title for tool in SURFACES["full"] if tool.slow},
    }


def text() -> str:
    """Return the file."""
    return json.dumps(lists(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PLACE.write_text(text(), encoding="utf-8")
