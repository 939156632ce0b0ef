"""Token families that the library detect-secrets knows and our table does not restate.

Rules:

* The library is loaded only when a text holds the beginning of such a token: its import costs a
  quarter of a second, and nearly no text needs it.
* Only detectors that found nothing false in the measured corpora are used (docs/adr/0005). They see
  short pieces of the text, because some of the library's patterns are not linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from reverie.core.secret_rules import (
    ARTIFACTORY,
    CLOUDANT,
    MAILCHIMP,
    SOFTLAYER,
    SQUARE,
)
from reverie.core.secret_view import lower

if TYPE_CHECKING:
    from reverie.core.secret_rules import (
        Found,
        Rule,
    )


@dataclass(frozen=True, slots=True)
class _Detector:
    """A detector of the library: where it is, and what a text must hold for it to be asked."""

    rule: Rule
    path: str
    literals: tuple[str, ...]
    """One of them is in every text (compared in lower case) worth a look, and is quick to find."""
    hint: str


_DETECTORS: Final = (
    _Detector(
        ARTIFACTORY,
        "artifactory.ArtifactoryDetector",
        ("akc", "ap"),
        r"(?<![A-Za-z0-9])A(?:KC|P[0-9A-F])[A-Za-z0-9]{8}",
    ),
    _Detector(CLOUDANT, "cloudant.CloudantDetector", ("cloudant",), r"(?i)cloudant"),
    _Detector(MAILCHIMP, "mailchimp.MailchimpDetector", ("-us",), r"[0-9a-z]{8}-us\d"),
    _Detector(SOFTLAYER, "softlayer.SoftlayerDetector", ("softlayer",), r"(?i)softlayer"),
    _Detector(SQUARE, "square_oauth.SquareOAuthDetector", ("sq0csp-",), r"sq0csp-"),
)
_PIECE: Final = 400  # holds the longest of these tokens with its name on both sides of the middle


def library_tokens(text: str) -> Iterator[Found]:
    """Find tokens of the families that the library is asked about."""
    lowered = lower(text)
    for detector in _DETECTORS:
        if not any(literal in lowered for literal in detector.literals):
            continue
        done = 0
        for hint in re.finditer(detector.hint, text):
            if hint.start() < done:
                continue
            begin, done = max(0, hint.start() - _PIECE // 4), hint.start() + _PIECE
            # A piece overlaps the next by the longest token, so that none is cut in two.
            piece = text[begin : done + _PIECE // 2]
            for match in _loaded(detector.path).analyze_string(piece):
                value = match.strip(" \t\r\n\"'=:")
                if any(map(str.isdigit, value)):
                    for same in re.finditer(re.escape(value), piece):
                        yield begin + same.start(), begin + same.end(), detector.rule.id


@cache
def _loaded(path: str) -> Any:
    module, name = path.split(".")
    return getattr(import_module(f"detect_secrets.plugins.{module}"), name)()
