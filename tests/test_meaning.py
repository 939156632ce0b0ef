"""Meaning arrives: forty questions of sixty memories through the public face at its defaults.

`reverie eval meaning` prints the figures. The floors are one or two questions below what was measured.
"""

from __future__ import annotations

import pytest

from bench.quality.meaning import SETS, evaluate_meaning

FLOORS = {
    "search": {"words": 15, "paraphrase": 9, "language": 4, "unanswerable": 4},
    "recall": {"words": 15, "paraphrase": 8, "language": 4, "unanswerable": 4},
}
MOST_IRRELEVANT = 0.5


@pytest.mark.slow
def test_questions_in_other_words_and_languages_are_answered_and_others_are_not():
    found = evaluate_meaning(SETS / "reported.json", embedder="multilingual")
    for face, floors in FLOORS.items():
        report = found[face]
        for kind, floor in floors.items():
            missed = [item.text for item in report.asked if item.kind == kind and not item.answered]
            assert report.answered(kind)[0] >= floor, (face, kind, missed)
        assert report.irrelevant <= MOST_IRRELEVANT, face
