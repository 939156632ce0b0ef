"""Reverie itself, at its defaults: files in `memory/`, or turns where the documents are such."""

from __future__ import annotations

from pathlib import Path


class Peer:
    """One project."""

    def __init__(self, folder: Path) -> None:
        from reverie.memory import Memory

        self._folder = folder
        (folder / "project" / ".git").mkdir(parents=True, exist_ok=True)
        self._memory = Memory.open(folder / "project", home=folder / "home")
        self._names = folder / "names.json"

    def add(self, docs: list[dict[str, str]]) -> None:
        """Lay the documents out and index them."""
        import json

        from bench.quality.dataset import Dataset, Doc, lay_out

        made = tuple(Doc(doc["id"], "all", doc["text"], doc.get("ts") or "") for doc in docs)
        layout = lay_out(
            Dataset("peers", made, ()),
            project=self._folder / "project",
            home=self._folder / "home",
        )
        self._names.write_text(json.dumps(layout.paths), encoding="utf-8")
        self._memory.index()

    def search(self, text: str, k: int) -> list[str]:
        """Return the ids of the best documents."""
        import json

        paths = json.loads(self._names.read_text(encoding="utf-8"))
        hits = self._memory.search(text, max_results=k).results
        places = [place for hit in hits for place in (hit, *hit.passages)]
        places.sort(key=lambda place: -place.score)
        return list(dict.fromkeys(paths[place.path] for place in places if place.path in paths))[:k]

    def close(self) -> None:
        """End."""
        self._memory.close()
