"""Imports put in place: a file's text with the texts it imports, within limits, for any graph of files.

Rules
- A file is expanded at most once in a chain, so cycles end; in two branches it may stand twice, but
  the limits on imports and bytes hold for the whole context, so diamonds cannot explode. In the flat
  format, where nothing shows what came from where, each file stands once in the whole context.
- Who imports decides what may be imported: the rule goes with each file, not with the whole chain.
- An import that is not expanded stays in the text as it was written, and a diagnostic says why.
- A text is looked through for secrets before anything else is done with it: what enters a prompt is
  scanned like what enters memory. The file stays as it is.
- A problem is told once, however many ways lead to it; what a limit left out is counted per file.
"""

from __future__ import annotations

import bisect
import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from reverie.core.context.imports import directives, is_url, outside_code_only, resolved
from reverie.core.markdown.sections import WHITESPACE
from reverie.core.showing.origin_lines import imported_block, without_tags
from reverie.types import ContextImport, Diagnostic
from reverie.types.context import Found, ImportRule, Refused

if TYPE_CHECKING:
    from reverie.config import ContextSettings
    from reverie.core.context.imports import Directive
    from reverie.ports import Reader
    from reverie.types import ImportFormat, SecretFinding

__all__ = ["Clean", "Expander", "Found", "ImportRule", "Refused"]

Clean: TypeAlias = "Callable[[str], tuple[str, Sequence[SecretFinding]]]"

# Of one file: a person writes tens of imports, hostile text a hundred thousand.
_MOST_CANDIDATES: Final = 10_000
_LINE_END: Final = re.compile(r"\r\n|\r|\n")


@dataclass(slots=True)
class _Source:
    """A file's text and its imports, found once."""

    path: str
    text: str
    imports: list[Directive]
    line_ends: list[int]

    def line(self, position: int) -> int:
        return bisect.bisect_right(self.line_ends, position) + 1


@dataclass(slots=True)
class _Frame:
    """A file being written out: how far we are, and what came out."""

    source: _Source
    written: str
    rule: ImportRule
    next: int = 0
    at: int = 0
    out: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Expander:
    """What one context has used up and found wrong so far."""

    reader: Reader
    settings: ContextSettings
    format: ImportFormat
    home: str
    clean: Clean = lambda text: (text, ())
    """Takes the secrets out of a text and says where they stood."""
    bytes_used: int = 0
    imports_used: int = 0
    depends: dict[str, None] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)
    """The real paths of all files whose text came out so far."""
    _sources: dict[str, _Source] = field(default_factory=dict)
    _files: dict[str, bool] = field(default_factory=dict)
    _told: dict[tuple[str, int, str, str], Diagnostic] = field(default_factory=dict)
    _over: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def expand(self, found: Found, *, rule: ImportRule) -> tuple[str, tuple[ContextImport, ...]]:
        """Return a file's trimmed text with its imports, and which they are, in order."""
        self.bytes_used += found.size
        self.shown.add(found.path)
        imports: list[ContextImport] = []
        stack = [_Frame(self._source(found), "", rule)]
        while True:
            frame = stack[-1]
            source = frame.source
            if frame.next < len(source.imports):
                item = source.imports[frame.next]
                frame.next += 1
                child = self._admit(stack, item)
                if child is None:
                    continue
                frame.out.append(without_tags(source.text[frame.at : item.span.start]))
                frame.at = item.span.end
                imports.append(ContextImport(child.path, source.line(item.span.start), len(stack)))
                nested = self.reader.rule_of(child.path, frame.rule)
                stack.append(_Frame(child, item.path, nested))
                continue
            frame.out.append(without_tags(source.text[frame.at :]))
            body = "".join(frame.out).strip(WHITESPACE)
            stack.pop()
            if not stack:
                if self.format == "flat" and imports:
                    # Side by side two texts may show what neither does: a name, and its password.
                    body = self._cleaned(found.path, without_tags(body))
                return body, tuple(imports)
            shown = imported_block(frame.written, body) if self.format == "tree" else body
            stack[-1].out.append(shown)

    def tell(self, path: str, line: int, reason: str, message: str, target: str = "") -> None:
        """Note a problem once."""
        self._told.setdefault(
            (path, line, reason, target), Diagnostic(path, line, reason, message, target)
        )

    def diagnostics(self) -> list[Diagnostic]:
        """Return what was found wrong, in order, limits last."""
        limits = {
            "too_deep": ("context.max_depth", f"nested deeper than {self.settings.max_depth}"),
            "too_many": ("context.max_imports", f"over {self.settings.max_imports:,} in all"),
            "too_much": (
                "context.max_total_bytes",
                f"over {self.settings.max_total_bytes:,} bytes",
            ),
        }
        over = []
        for (path, reason), places in self._over.items():
            count = len(set(places))
            setting, why = limits[reason]
            over.append(
                Diagnostic(
                    path,
                    min(places),
                    reason,
                    f"{count} import{'s' if count > 1 else ''} left as written: {why}; raise {setting},"
                    " or import less",
                )
            )
        return [*self._told.values(), *over]

    def _source(self, found: Found) -> _Source:
        if found.path not in self._sources:
            found = Found(found.path, self._cleaned(found.path, found.text), found.size)
            written = directives(found.text, limit=_MOST_CANDIDATES + 1)
            meant = [
                item
                for item in written[:_MOST_CANDIDATES]
                if item.explicit or self._exists(found, item)
            ]
            live = outside_code_only(found.text, meant) if meant else []
            ends = [match.end() for match in _LINE_END.finditer(found.text)] if written else []
            source = self._sources[found.path] = _Source(found.path, found.text, live, ends)
            if len(written) > _MOST_CANDIDATES:
                line = source.line(written[-1].span.start)
                message = f"only the first {_MOST_CANDIDATES:,} possible imports are looked at"
                self.tell(found.path, line, "too_many", message)
        return self._sources[found.path]

    def _cleaned(self, path: str, text: str) -> str:
        """Take the secrets out of a text, and tell it."""
        clean, findings = self.clean(text)
        for item in findings:
            self.tell(
                path,
                item.line,
                "secret",
                f"a value shaped like a secret ({item.rule}) was kept out of the prompt; better keep it"
                " in a vault or an environment variable. If it is not one:"
                f" `reverie config set secrets.allow {item.rule}`",
            )
        return clean

    def _exists(self, found: Found, item: Directive) -> bool:
        target = self._target(found.path, item)
        if target not in self._files:
            self._files[target] = self.reader.is_file(target)
        self.depends[target] = None
        return self._files[target]

    def _target(self, importer: str, item: Directive) -> str:
        return resolved(item.path, folder=posixpath.dirname(importer), home=self.home)

    def _admit(self, stack: Sequence[_Frame], item: Directive) -> _Source | None:
        """Return the file an import brings, or note why it brings none."""
        source, rule = stack[-1].source, stack[-1].rule
        line = source.line(item.span.start)
        if not item.path or "\x00" in item.path:
            self.tell(source.path, line, "bad_path", "the import names no file", item.path)
            return None
        if is_url(item.path):
            message = f"{item.path} is a network address; only files are imported"
            self.tell(source.path, line, "url", message, item.path)
            return None
        if len(stack) > self.settings.max_depth:
            self._over.setdefault((source.path, "too_deep"), []).append(line)
            return None
        if self.imports_used >= self.settings.max_imports:
            self._over.setdefault((source.path, "too_many"), []).append(line)
            return None
        target = self._target(source.path, item)
        self.depends[target] = None
        result = self.reader.refuses(target, rule) or self.reader.read(target, roots=rule.roots)
        if isinstance(result, Refused):
            self.tell(source.path, line, result.reason, result.message, target)
            return None
        if any(frame.source.path == result.path for frame in stack):
            message = f"{item.path} is already being imported: the imports form a cycle"
            self.tell(source.path, line, "cycle", message, target)
            return None
        if self.format == "flat" and result.path in self.shown:
            return None  # stands there already
        if self.bytes_used + result.size > self.settings.max_total_bytes:
            self._over.setdefault((source.path, "too_much"), []).append(line)
            return None
        self.imports_used += 1
        self.bytes_used += result.size
        self.shown.add(result.path)
        return self._source(result)
