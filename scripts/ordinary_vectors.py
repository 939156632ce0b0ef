"""Make the vectors of ordinary prompts that come with the package, for the bundled sentence model.

    python scripts/ordinary_vectors.py

Run it after a change to `core/questions/ordinary.py`; `tests/models/test_background.py` says when.
"""

from __future__ import annotations

import numpy as np

from reverie.core.questions.ordinary import EVERYDAY, WORK
from reverie.models.background import PACKAGED, mark_of
from reverie.models.multilingual import MultilingualEmbedder


def main() -> None:
    """Write the file."""
    embedder = MultilingualEmbedder()
    made = {
        name: np.asarray(embedder.embed(texts), np.float32)
        for name, texts in (("work", WORK), ("everyday", EVERYDAY))
    }
    scale = np.float32(max(np.abs(rows).max() for rows in made.values()) / 127)
    small = {name: np.rint(rows / scale).astype(np.int8) for name, rows in made.items()}
    mark = np.array(mark_of(embedder.identity))
    np.savez_compressed(PACKAGED, mark=mark, scale=scale, **small)


if __name__ == "__main__":
    main()
