#!/usr/bin/env python
"""Secret rules from public lists: take their facts over, collect their samples, measure the scanner.

    secret_rules.py build LIST...              write src/reverie/core/secrets/families.py anew
    secret_rules.py corpus LIST... --to FILE   collect the samples of the lists, one JSON a line
    secret_rules.py measure FILE [--clean DIR...] [--show]
    secret_rules.py docs                       write the list of rules in docs/secrets.md anew

A LIST is a checkout of gitleaks, trufflehog, noseyparker, kingfisher, secretlint, detect-secrets,
CredSweeper, semgrep-rules, sarif-pattern-matcher, pyWhat, trivy, sonar-text, kics or osv-scalibr; it
is known by what lies in it. Only the first four have facts to take over; of the others, only samples are
collected.

What is taken over are facts: how the tokens of a service begin, which characters
follow, and how many. The patterns are written here. Nothing of a list is copied into the repository, and
a corpus stays where it was written: its samples look like real keys.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import re._constants as sre
import re._parser as parser
import string
import sys
import time
import tomllib
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
TABLE: Final = ROOT / "src/reverie/core/secrets/families.py"
sys.path.insert(0, str(ROOT / "src"))

CLASSES: Final = {  # from the narrowest: name, characters
    "0-9": string.digits,
    "0-9a-f": string.digits + "abcdef",
    "0-9A-F": string.digits + "ABCDEF",
    "0-9A-Fa-f": string.hexdigits,
    "0-9a-z": string.digits + string.ascii_lowercase,
    "0-9A-Z": string.digits + string.ascii_uppercase,
    "0-9A-Za-z": string.digits + string.ascii_letters,
    "0-9A-Za-z_-": string.digits + string.ascii_letters + "_-",
    "0-9A-Za-z+/=": string.digits + string.ascii_letters + "+/=",
    "0-9A-Za-z+/=_-": string.digits + string.ascii_letters + "+/=_-",
    "0-9A-Za-z.+/=_~-": string.digits + string.ascii_letters + ".+/=_~-",
}
MOST_PREFIXES: Final = 24
LARGEST: Final = 4_000_000  # bytes; larger files are data
_WIDTH: Final = 108
SOURCES: Final = {
    "gitleaks": "gitleaks (MIT)",
    "trufflehog": "trufflehog (AGPL-3.0; facts only)",
    "noseyparker": "noseyparker (Apache-2.0)",
    "kingfisher": "kingfisher (Apache-2.0)",
    "secretlint": "secretlint (MIT)",
    "credsweeper": "CredSweeper (MIT)",
    "detect-secrets": "detect-secrets (Apache-2.0)",
}


@dataclass(frozen=True, slots=True)
class Listed:
    """A rule of a public list."""

    source: str
    id: str
    pattern: str
    words: tuple[str, ...] = ()
    """Names of the service that stand near the value."""
    samples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """A text of a list's own tests, and the secret in it if the list says which it is."""

    source: str
    rule: str
    text: str
    secret: str = ""
    leaks: bool = True


# --- reading the lists -----------------------------------------------------------------------------


def rules_of(checkout: Path) -> Iterator[Listed]:
    """Yield the rules of a list."""
    match kind_of(checkout):
        case "gitleaks":
            config = tomllib.loads((checkout / "config/gitleaks.toml").read_text("utf-8"))
            for rule in config["rules"]:
                if "regex" in rule:
                    yield Listed(
                        "gitleaks", rule["id"], rule["regex"], tuple(rule.get("keywords", ()))
                    )
        case "trufflehog":
            yield from _trufflehog(checkout)
        case "noseyparker" | "kingfisher" as source:
            yield from _yaml_rules(checkout, source)
        case _:
            return


def samples_of(checkout: Path) -> Iterator[Sample]:
    """Yield the samples of a list; for one that keeps none as text, draw them from its patterns."""
    match kind_of(checkout):
        case "gitleaks":
            for rule in rules_of(checkout):
                yield from drawn(rule, 3)
        case "trufflehog":
            yield from _go_samples(checkout)
        case "noseyparker" | "kingfisher" as source:
            for rule in _yaml_rules(checkout, source):
                for text in rule.samples:
                    yield Sample(source, rule.id, text, _search(rule.pattern, text))
        case "secretlint":
            yield from _snapshots(checkout)
        case "credsweeper":
            yield from _lines(checkout)
        case "detect-secrets":
            yield from _payloads(checkout)
        case "semgrep-rules":
            yield from _annotated(checkout)
        case "sarif-pattern-matcher":
            yield from _reported(checkout)
        case "pywhat":
            yield from _identified(checkout)
        case "trivy":
            yield from _named_files(checkout)
        case "sonar-text":
            yield from _specified(checkout)
        case "osv-scalibr":
            yield from _constants(checkout)
        case "kics":
            yield from _expected_lines(checkout)


def kind_of(checkout: Path) -> str:
    """Tell which list a folder is a checkout of."""
    for name, mark in (
        ("gitleaks", "config/gitleaks.toml"),
        ("trufflehog", "pkg/detectors"),
        ("noseyparker", "crates/noseyparker"),
        ("kingfisher", "data/rules"),
        ("secretlint", "packages/@secretlint"),
        ("credsweeper", "tests/data/output.json"),
        ("detect-secrets", "detect_secrets/plugins"),
        ("semgrep-rules", "generic/secrets/security"),
        ("sarif-pattern-matcher", "src/Plugins/Tests.Security/TestData"),
        ("pywhat", "pywhat/Data/regex.json"),
        ("trivy", "pkg/fanal/secret/testdata"),
        ("sonar-text", "sonar-text-plugin/src/main/resources"),
        ("osv-scalibr", "veles/secrets"),
        ("kics", "assets/queries/common/passwords_and_secrets"),
    ):
        if (checkout / mark).exists():
            return name
    raise SystemExit(f"{checkout} is no list that this script knows")


def _trufflehog(checkout: Path) -> Iterator[Listed]:
    compile_ = re.compile(r"regexp\.MustCompile\((.*)\)\s*$", re.MULTILINE)
    for folder in sorted((checkout / "pkg/detectors").iterdir()):
        for file in sorted(folder.rglob("*.go")) if folder.is_dir() else ():
            if file.name.endswith("_test.go"):
                continue
            for number, match in enumerate(compile_.finditer(file.read_text("utf-8", "replace"))):
                words = re.search(r"PrefixRegex\(\[\]string\{([^}]*)\}", match[1])
                near = tuple(re.findall(r'"([^"]+)"', words[1])) if words else ()
                pattern = "".join(re.findall(r"`([^`]*)`", match[1]))
                if pattern:
                    yield Listed(
                        "trufflehog", f"{folder.name}-{number}", pattern, near or (folder.name,)
                    )


def _yaml_rules(checkout: Path, source: str) -> Iterator[Listed]:
    import yaml

    for file in sorted(checkout.rglob("*.y*ml")):
        if "rules" not in file.parts:
            continue
        try:
            document = yaml.safe_load(file.read_text("utf-8"))
        except (yaml.YAMLError, UnicodeDecodeError):
            continue
        for rule in document.get("rules", ()) if isinstance(document, dict) else ():
            if not isinstance(rule, dict) or "pattern" not in rule:
                continue
            # Names of buckets, accounts and clients are no secrets, and the lists say so.
            if "identifier" in (rule.get("categories") or ()) or rule.get("visible") is False:
                continue
            pattern = _without_comments(rule["pattern"])
            told = [text for text in rule.get("examples") or () if isinstance(text, str)]
            yield Listed(source, str(rule.get("id", file.stem)), pattern, (file.stem,), tuple(told))


def _without_comments(pattern: str) -> str:
    """Join a pattern that is written over several lines."""
    flags = re.match(r"\s*\(\?([a-z]+)\)", pattern)
    if flags is None or "x" not in flags[1]:
        return pattern.strip()
    rest = pattern[flags.end() :]
    lines = (re.sub(r"(?:^|(?<!\\)\s)\#.*$", "", line) for line in rest.splitlines())
    joined = re.sub(r"(?<!\\)\s+", "", "".join(lines))
    return f"(?i){joined}" if "i" in flags[1] else joined


def _go_samples(checkout: Path) -> Iterator[Sample]:
    case_ = re.compile(
        r"name:\s+\"(?P<name>[^\"]*)\",\s*input:\s+(?P<quote>[`\"])(?P<input>.*?)(?P=quote),\s*"
        r"want:\s+(?:\[\]string\{(?P<want>.*?)\}|nil),",
        re.DOTALL,
    )
    for file in sorted((checkout / "pkg/detectors").rglob("*_test.go")):
        for match in case_.finditer(file.read_text("utf-8", "replace")):
            want = re.findall(r"\"((?:[^\"\\]|\\.)*)\"", match["want"] or "")
            for secret in want[:1]:
                if len(secret) >= 8 and secret in match["input"]:
                    yield Sample("trufflehog", file.parent.name, match["input"], secret)


def _snapshots(checkout: Path) -> Iterator[Sample]:
    for output in sorted(checkout.glob("packages/@secretlint/*/test/snapshots/**/output.json")):
        if re.search(r"rule-(?:no-|pattern|filter|example|internal)", str(output)):
            continue  # folders, examples and what a user may set are no secrets
        told = json.loads(output.read_text("utf-8"))
        rule = output.relative_to(checkout / "packages/@secretlint").parts[0]
        for file in sorted(output.parent.glob("input*")):
            text = file.read_text("utf-8", "replace")
            messages = told.get("messages", []) if isinstance(told, dict) else []
            for message in messages:
                start, end = message["range"]
                yield Sample("secretlint", rule, text, text[start:end])


def _lines(checkout: Path) -> Iterator[Sample]:
    """Yield what a list found in its own samples: a line, and the value in it."""
    for item in json.loads((checkout / "tests/data/output.json").read_text("utf-8")):
        for line in item["line_data_list"]:
            if "PEM" in item["rule"]:
                continue  # single lines of a block
            if item.get("severity") in ("critical", "high", "medium") and line.get("value"):
                yield Sample("credsweeper", item["rule"], line["line"], line["value"])


def _payloads(checkout: Path) -> Iterator[Sample]:
    import ast

    for file in sorted((checkout / "tests/plugins").glob("*_test.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.Tuple) or len(node.elts) < 2:
                continue
            try:
                text, flag = ast.literal_eval(node.elts[0]), ast.literal_eval(node.elts[1])
            except ValueError:
                continue
            if isinstance(text, str) and isinstance(flag, bool) and flag:
                yield Sample("detect-secrets", file.stem.removesuffix("_test"), text)


def _annotated(checkout: Path) -> Iterator[Sample]:
    """Yield the lines that the rules' own tests say are to be found."""
    for folder in ("security", "gitleaks"):
        for file in sorted((checkout / "generic/secrets" / folder).iterdir()):
            if file.suffix in (".yaml", ".yml"):
                continue
            lines = file.read_text("utf-8", "replace").splitlines()
            for number, line in enumerate(lines[:-1]):
                if told := re.search(r"ruleid:\s*([\w.-]+)", line):
                    yield Sample(f"semgrep-rules/{folder}", told[1], lines[number + 1])


def _reported(checkout: Path) -> Iterator[Sample]:
    """Yield what the expected reports point at, with the two lines before it."""
    root = checkout / "src/Plugins/Tests.Security/TestData/SecurePlaintextSecrets"
    for report in sorted(root.rglob("*.sarif")):
        told = json.loads(report.read_text("utf-8-sig"))
        for result in (one for run in told.get("runs", ()) for one in run.get("results") or ()):
            place = result["locations"][0]["physicalLocation"]
            region, name = place.get("region", {}), place["artifactLocation"].get("uri", "")
            secret = region.get("snippet", {}).get("text", "")
            for file in root.rglob(Path(name).name) if secret else ():
                if file.suffix == ".sarif":
                    continue
                lines = file.read_text("utf-8-sig", "replace").splitlines()
                first, last = region["startLine"], region.get("endLine", region["startLine"])
                text = "\n".join(lines[max(0, first - 3) : last])
                if secret in text:
                    yield Sample("sarif-pattern-matcher", result.get("ruleId", ""), text, secret)


def _identified(checkout: Path) -> Iterator[Sample]:
    """Yield the examples of what lets one in, each behind the name of what it is."""
    for entry in json.loads((checkout / "pywhat/Data/regex.json").read_text("utf-8")):
        if {"API Keys", "Credentials"} & set(entry.get("Tags") or ()):
            for value in (entry.get("Examples") or {}).get("Valid") or ():
                yield Sample("pywhat", entry["Name"], f"{entry['Name']}: {value}", value)


def _named_files(checkout: Path) -> Iterator[Sample]:
    """Yield the files that are named for a rule."""
    source = checkout / "pkg/fanal/secret"
    known = set(re.findall(r'ID:\s+"([\w-]+)"', (source / "builtin-rules.go").read_text("utf-8")))
    for file in sorted((source / "testdata").iterdir()):
        if file.stem in known:
            yield Sample("trivy", file.stem, file.read_text("utf-8", "replace"))


def _specified(checkout: Path) -> Iterator[Sample]:
    """Yield the examples of the specifications: a text, and what is to be found in it."""
    import yaml

    for file in sorted((checkout / "sonar-text-plugin/src/main/resources").rglob("*.yaml")):
        try:
            document = yaml.safe_load(file.read_text("utf-8"))
        except yaml.YAMLError:
            continue  # a template that another program fills in
        provider = (document.get("provider") if isinstance(document, dict) else None) or {}
        for rule in provider.get("rules") or ():
            for example in rule.get("examples") or ():
                if example.get("containsSecret") and (match := example.get("match")):
                    yield Sample("sonar-text", str(rule.get("id")), example["text"], str(match))


def _constants(checkout: Path) -> Iterator[Sample]:
    """Yield the constants that tests of detectors name keys, each behind the name of its detector."""
    named = re.compile(
        r"(\w*(?:key|token|secret|pat|cred|password)\w*)\s*:?=\s*([\"`])([^\"`\s]{16,400})\2",
        re.IGNORECASE,
    )
    for file in sorted((checkout / "veles/secrets").rglob("detector_test.go")):
        for name, _, value in named.findall(file.read_text("utf-8")):
            if not re.search(r"(?i)invalid|wrong|bad|short|malformed|public|url|prefix|id$", name):
                service = file.parent.name
                yield Sample("osv-scalibr", service, f'{service} = "{value}"', value)


def _expected_lines(checkout: Path) -> Iterator[Sample]:
    """Yield the lines that are expected to be found, with the four before each."""
    folder = checkout / "assets/queries/common/passwords_and_secrets/test"
    for told in json.loads((folder / "positive_expected_result.json").read_text("utf-8")):
        file = folder / told.get("fileName", told.get("filename", ""))
        if file.is_file():
            lines = file.read_text("utf-8", "replace").splitlines()
            at = told["line"]
            text = "\n".join(lines[max(0, at - 5) : at])
            value = re.split(r"[=:]\s*", lines[at - 1], maxsplit=1)[-1].strip(" \"',;")
            yield Sample("kics", told.get("queryName", ""), text, value)


# --- facts -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Piece:
    """A literal, or a number of characters of a set."""

    literal: str = ""
    chars: frozenset[str] = frozenset()
    least: int = 0
    most: int = 0


Shape = tuple[Piece, ...]
_VISIBLE: Final = frozenset(chr(code) for code in range(0x21, 0x7F))
_TOO_MANY: Final = 64


def shapes_of(pattern: str) -> list[Shape]:
    """Return what the secret of a pattern is made of, one shape for each alternative."""
    tree = _parsed(pattern)
    if tree is None:
        return []
    found = _group(tree, 1)
    inner = tree if found is None else found
    return [_joined(shape) for shape in _expand(inner, ignore=_ignores_case(pattern))]


def _ignores_case(pattern: str) -> bool:
    return bool(re.search(r"\(\?[a-z]*i[a-z]*[):]", pattern))


def _parsed(pattern: str) -> Any:
    python = pattern.replace("[[:alnum:]]", "[A-Za-z0-9]").replace("[:alnum:]", "A-Za-z0-9")
    python = re.sub(r"\\z|\\Z", "$", python).replace("[[:word:]]", r"\w")
    python = re.sub(r"\(\?([a-z]+)\)", lambda m: "(?i)" if "i" in m[1] else "", python)
    if "(?i)" in python:
        python = "(?i)" + python.replace("(?i)", "")
    python = (
        python.replace("(?P<", "(?P<").replace("(?<", "(?P<") if "(?P<" not in python else python
    )
    python = python.replace("(?P<=", "(?<=").replace("(?P<!", "(?<!")
    try:
        return parser.parse(python)
    except (re.error, OverflowError, RecursionError):
        return None


def _group(tree: Any, number: int) -> Any:
    for op, value in tree:
        if op is sre.SUBPATTERN:
            if value[0] == number:
                return value[3]
            inner = _group(value[3], number)
        elif op is sre.BRANCH:
            inner = next(
                (got for one in value[1] if (got := _group(one, number)) is not None), None
            )
        elif op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            inner = _group(value[2], number)
        else:
            inner = None
        if inner is not None:
            return inner
    return None


def _expand(tree: Any, *, ignore: bool) -> list[Shape]:
    shapes: list[Shape] = [()]
    for op, value in tree:
        shapes = [one + two for one in shapes for two in _pieces(op, value, ignore=ignore)][
            :_TOO_MANY
        ]
    return shapes


def _pieces(op: Any, value: Any, *, ignore: bool) -> list[Shape]:
    if op is sre.LITERAL:
        return [(Piece(chr(value)),)]
    if op in (sre.IN, sre.ANY, sre.NOT_LITERAL):
        return [(Piece(chars=_chars(op, value, ignore=ignore), least=1, most=1),)]
    if op is sre.SUBPATTERN:
        return _expand(value[3], ignore=ignore)
    if op is sre.BRANCH:
        return [shape for one in value[1] for shape in _expand(one, ignore=ignore)][:_TOO_MANY]
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        return _repeated(value, ignore=ignore)
    return [()]  # assertions and places


def _repeated(value: Any, *, ignore: bool) -> list[Shape]:
    least, most, inner = value
    most = least + 100 if most is sre.MAXREPEAT else most
    bodies = _expand(inner, ignore=ignore)
    if len(bodies) == 1 and len(bodies[0]) == 1 and bodies[0][0].chars:
        piece = bodies[0][0]
        return [(Piece(chars=piece.chars, least=piece.least * least, most=piece.most * most),)]
    if most <= 1:
        return [*([()] if least == 0 else []), *bodies]
    everything = frozenset(
        char for body in bodies for piece in body for char in (piece.chars or piece.literal)
    )
    shortest = min(sum(p.least or len(p.literal) for p in body) for body in bodies)
    longest = max(sum(p.most or len(p.literal) for p in body) for body in bodies)
    return [(Piece(chars=everything, least=shortest * least, most=longest * most),)]


def _chars(op: Any, value: Any, *, ignore: bool) -> frozenset[str]:
    if op is sre.ANY:
        return _VISIBLE
    if op is sre.NOT_LITERAL:
        return _VISIBLE - {chr(value)}
    found: set[str] = set()
    negated = False
    for kind, what in value:
        if kind is sre.NEGATE:
            negated = True
        elif kind is sre.LITERAL:
            found.add(chr(what))
        elif kind is sre.RANGE:
            found.update(map(chr, range(what[0], what[1] + 1)))
        elif kind is sre.CATEGORY:
            found |= {
                sre.CATEGORY_DIGIT: set(string.digits),
                sre.CATEGORY_WORD: set(string.digits + string.ascii_letters + "_"),
                sre.CATEGORY_SPACE: {" "},
            }.get(what, set())
    if ignore:
        found |= {char.swapcase() for char in found}
    return _VISIBLE - found if negated else frozenset(found)


def _joined(shape: Shape) -> Shape:
    """Join letters to literals, and neighbouring runs of one set."""
    made: list[Piece] = []
    for piece in shape:
        last = made[-1] if made else None
        if last and piece.literal and last.literal:
            made[-1] = Piece(last.literal + piece.literal)
        elif last and piece.chars and piece.chars == last.chars:
            made[-1] = Piece(
                chars=piece.chars, least=last.least + piece.least, most=last.most + piece.most
            )
        else:
            made.append(piece)
    return tuple(made)


def class_of(chars: Iterable[str]) -> str:
    """Return the narrowest class of ours that holds the characters; empty if none does."""
    wanted = set(chars)
    return next((name for name, held in CLASSES.items() if wanted <= set(held)), "")


# --- samples ---------------------------------------------------------------------------------------

_AROUND: Final = ('{name}_token = "{value}"', "{name}: {value}", "export {NAME}_KEY={value}")


def drawn(rule: Listed, number: int) -> Iterator[Sample]:
    """Draw samples of a rule from its own pattern."""
    chance = random.Random(rule.id)
    shapes = shapes_of(rule.pattern)
    for at in range(number if shapes else 0):
        value = draw(chance.choice(shapes), chance)
        if len(value) < 8 or any(not char.isprintable() for char in value):
            continue
        name = rule.words[0] if rule.words else rule.id.split("-")[0]
        name = re.sub(r"\W+", "_", name).strip("_") or rule.id.split("-")[0]
        text = _AROUND[at % len(_AROUND)].format(name=name, NAME=name.upper(), value=value)
        yield Sample(rule.source, rule.id, text, value)


def draw(shape: Shape, chance: random.Random) -> str:
    """Draw a value of a shape."""
    made = []
    for piece in shape:
        if piece.literal:
            made.append(piece.literal)
        else:
            usual = sorted(piece.chars & set(string.ascii_letters + string.digits)) or sorted(
                piece.chars
            )
            size = chance.randint(piece.least, min(piece.most, piece.least + 8))
            made.append("".join(chance.choices(usual, k=size)) if usual else "")
    return "".join(made)


def _search(pattern: str, text: str) -> str:
    tree = _parsed(pattern)
    if tree is None:
        return ""
    try:
        found = re.search(_python(pattern), text)
    except (re.error, OverflowError):
        return ""
    if not found:
        return ""
    # Of a user and a password, the password: what looks least like a word.
    groups = [group for group in found.groups() if group]
    return max(groups, key=_oddness, default=found[0])


def _oddness(value: str) -> tuple[int, int]:
    kinds = sum(any(map(test, value)) for test in (str.isdigit, str.isupper, str.islower))
    return kinds, len(value)


def _python(pattern: str) -> str:
    python = re.sub(r"\(\?([a-z]+)\)", lambda m: "(?i)" if "i" in m[1] else "", pattern)
    if "(?i)" in python:
        python = "(?i)" + python.replace("(?i)", "")
    return re.sub(r"\(\?<([A-Za-z_])", r"(?P<\1", python).replace(r"\z", "$")


# --- the table -------------------------------------------------------------------------------------


Body = tuple[tuple[str, int, int], ...]
"""Literals, and classes with how many of them there are at least and at most."""


@dataclass(slots=True)
class Family:
    """Tokens that are known by how they begin."""

    id: str
    tokens: set[tuple[str, Body]] = field(default_factory=set)
    """How they begin, and what follows."""
    sources: set[str] = field(default_factory=set)


def facts(rules: Iterable[Listed]) -> tuple[list[Family], dict[str, set[tuple[str, int, int]]]]:
    """Return families of tokens with a beginning, and services whose values only have a length."""
    families: dict[str, Family] = {}
    services: dict[str, set[tuple[str, int, int]]] = defaultdict(set)
    for rule in rules:
        shapes = shapes_of(rule.pattern)
        for shape in shapes if len(shapes) <= MOST_PREFIXES else ():
            telling = _telling(shape)
            if telling:
                name = _family_name(rule)
                family = families.setdefault(name, Family(name))
                family.tokens.add(telling)
                family.sources.add(rule.source)
            elif plain := _plain(shape):
                for word in map(_service_name, rule.words):
                    if word:
                        services[word].add(plain)
    for word, length in _MORE.items():
        services[word].add(("0-9A-Za-z", length, length))
    begins = {_service_name(prefix) for family in families.values() for prefix, _ in family.tokens}
    return list(families.values()), {k: v for k, v in services.items() if k not in begins}


def _telling(shape: Shape) -> tuple[str, tuple[tuple[str, int, int], ...]] | None:
    """Return how a token begins and goes on, if its beginning gives it away."""
    if not shape or not shape[0].literal:
        return None
    prefix = shape[0].literal
    body: list[tuple[str, int, int]] = []
    for piece in shape[1:]:
        if piece.literal:
            body.append((piece.literal, 0, 0))
            continue
        name = class_of(piece.chars)
        if not name:
            return None
        body.append((name, piece.least, piece.most))
    opaque = sum(least for _, least, most in body if most)
    marked = bool(re.search(r"[_.:/-]", prefix)) or len(prefix) >= 6
    if not prefix.isascii() or " " in prefix or opaque < 12 or not re.search("[A-Za-z]", prefix):
        return None
    if "://" in prefix or prefix.startswith(("http", "www", "-----")) or "@" in prefix:
        return None
    return (prefix, tuple(body)) if len(prefix) >= (3 if marked else 4) else None


def _plain(shape: Shape) -> tuple[str, int, int] | None:
    """Return the characters and the length of a value that has no beginning of its own."""
    chars = frozenset(char for piece in shape for char in (piece.chars or piece.literal))
    name = class_of(chars)
    least = sum(piece.least or len(piece.literal) for piece in shape)
    most = sum(piece.most or len(piece.literal) for piece in shape)
    return (name, least, most) if name and least >= 16 and most <= 400 else None


def _family_name(rule: Listed) -> str:
    name = re.sub(r"(?:-\d+|\.\d+|\.v\d+)+$", "", rule.id.lower())
    name = re.sub(r"^(?:np|kingfisher)\.", "", name)
    return re.sub(r"[^a-z0-9]+", "-", name).strip("-")


# Services that others name by a word which is too short, or not at all.
_MORE: Final = {
    "npm": 36, "aws": 40, "jenkins": 36, "postmark": 36, "sonar": 40, "dsonar": 40, "fbapi": 32, "okta": 42,
    "wandb": 40, "runscope": 36, "ollama": 32, "mistral": 32, "cohere": 40, "together": 64, "deepgram": 40,
}  # fmt: skip
_USUAL: Final = frozenset(
    """api key token secret auth password access client user id app url www http test live data the com
    org net io dev host name code text web mail email note ip server service bot chat file files page pay
    push send sms tax team time tools track weather world news map maps geo apikey accesskey accesstoken
    secretkey abstract asia column linear general generic bearer basic string value body apitoken authtoken
    privatekey publickey credentials endpoint connection config account atlas""".split()  # noqa: SIM905
)


def _service_name(word: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "", word.lower())
    return "" if len(name) < 4 or name in _USUAL or name.isdigit() else name


_PUBLIC: Final = re.compile(
    r"pub(?:lish|lic|key|k_|-c-|$|_|-)|^(?:pk_live_|pk_test_|cus_|pi_|sub-c-)|client-id", re.I
)
_TOO_COMMON: Final = frozenset({"API_KEY", "account-", "master-", "git&", "secret_", "web_", "v2/"})


def rows_of(families: Iterable[Family]) -> list[tuple[str, str, str, str]]:
    """Return the rows of the table: id, prefixes, body, sources; what our own rules find is left out."""
    shapes: dict[tuple[str, str], list[Any]] = {}
    for family in families:
        for prefix, body in family.tokens:
            if _PUBLIC.search(f"{family.id} {prefix}") or _PUBLIC.search(prefix):
                continue
            if prefix in _TOO_COMMON or prefix.startswith(("eyJ", "ewo", "$")):
                continue
            kept = shapes.setdefault((prefix, _body(prefix, body)), [family.id, set(), body])
            kept[0] = min(kept[0], family.id, key=len)
            kept[1] |= family.sources
    rows: dict[tuple[str, str], tuple[set[str], set[str]]] = {}
    for (prefix, pattern), (name, sources, body) in sorted(shapes.items()):
        if not _is_ours(prefix, body):
            prefixes, told = rows.setdefault((_rule_id(name), pattern), (set(), set()))
            prefixes.add(prefix)
            told |= sources
    return [
        (name, " ".join(sorted(prefixes)), pattern, " ".join(sorted(told)))
        for (name, pattern), (prefixes, told) in sorted(rows.items())
    ]


def _is_telling(prefix: str) -> bool:
    """Tell whether a beginning is so telling that its token may be longer or shorter than they say."""
    return len(prefix) >= 5 and re.search(r"[_.:/~+-]", prefix) is not None


def _body(prefix: str, body: Sequence[tuple[str, int, int]]) -> str:
    single = len([piece for piece in body if piece[2]]) == 1 and len(body) == 1
    made = []
    for what, least, most in body:
        if not most:
            made.append(re.escape(what))
        elif most == least == 1:
            made.append(f"[{what}]")
        elif single and _is_telling(prefix):
            made.append(f"[{what}]{{{max(12, least * 3 // 4)},{most + 40}}}")
        else:
            made.append(f"[{what}]{{{least}}}" if least == most else f"[{what}]{{{least},{most}}}")
    return "".join(made)


def _is_ours(prefix: str, body: Sequence[tuple[str, int, int]]) -> bool:
    """Tell whether the rules written by hand find such tokens already."""
    from reverie.core.secrets.matching import compiled
    from reverie.core.secrets.rules import TOKEN_RULES

    chance = random.Random(prefix)
    for _ in range(20):
        value = prefix + "".join(
            "".join(
                chance.choices(
                    [char for char in CLASSES[what] if char.isalnum()], k=(least + most) // 2
                )
            )
            if most
            else what
            for what, least, most in body
        )
        spans = [match.span() for rule in TOKEN_RULES for match in compiled(rule).finditer(value)]
        if not any(start == 0 and end >= len(value) - 2 for start, end in spans):
            return False
    return True


_QUALIFIERS: Final = frozenset(
    """access account admin amazon api apikey app application bot browser client cloud cookie encryption
    fine grained insert key license live lived long mobile org organization password pat personal private
    refresh secret service session short test token upload user v2 deploy""".split()  # noqa: SIM905
)
_CALLED: Final = {
    "artifactoryreference": "artifactory", "clickuppersonal": "clickup", "cloudflareca": "cloudflare",
    "cloudflareglobal": "cloudflare", "frameio": "frame-io", "new-relic": "newrelic", "sendinblue": "brevo",
    "newrelicbrowser": "newrelic", "newrelicinsightsinsert": "newrelic", "newrelicinsightsquery": "newrelic",
    "newreliclicense": "newrelic", "newrelicmobileapp": "newrelic", "salesforcerefresh": "salesforce",
    "sourcegraphcody": "sourcegraph", "squareapp": "square", "trufflehogenterprise": "trufflehog",
    "adafruitio": "adafruit", "robinhoodcrypto": "robinhood", "iexapis": "iex-cloud",
}  # fmt: skip


def _rule_id(name: str) -> str:
    words = [word for word in name.split("-") if word not in _QUALIFIERS] or [name]
    name = "-".join(words)
    name = (
        re.sub(
            r"(?:personalaccesstoken|apikey|accesstoken|token|key|oauth2?|pat)(?:v\d)?$", "", name
        )
        or name
    )
    return f"{_CALLED.get(name, name)}-token"


_HEAD: Final = '''"""Families of tokens, and services without one: facts of public lists, one row each.

Written by `scripts/secret_rules.py build`; change what that takes over, or add a rule of our own to
`secret_rules`. Each row: the rule's id, how its tokens begin, what follows, and whose facts these are.
Their patterns are not used. The lists:
{lists}.
"""

# ruff: noqa: E501  # one row, one line

from __future__ import annotations

from typing import Final

FAMILIES: Final[tuple[tuple[str, str, str, str], ...]] = (
'''


def render(rows: Sequence[tuple[str, str, str, str]], services: dict[str, set[tuple[str, int, int]]],
           sources: Iterable[str]) -> str:  # fmt: skip
    """Write the table as a Python module."""
    lines = [_HEAD.format(lists=",\n".join(SOURCES[name] for name in sorted(set(sources))))]
    lines += [f"    ({a!r}, {b!r}, {c!r}, {d!r}),\n".replace("'", '"') for a, b, c, d in rows]
    lines.append(
        ")  # fmt: skip\n\n# Services whose keys have no beginning of their own, with how long they are.\n"
    )
    lines.append("SERVICES: Final[dict[str, tuple[tuple[int, int], ...]]] = {\n")
    line = "   "
    for name, kept in sorted(services.items()):
        spans = sorted({(least, most) for _, least, most in kept})
        entry = f' "{name}": ({", ".join(map(str, spans))},),'
        if len(line) + len(entry) > _WIDTH:
            lines.append(f"{line}\n")
            line = "   "
        line += entry
    lines.append(f"{line}\n")
    lines.append("}  # fmt: skip\n")
    return "".join(lines)


def build(lists: Sequence[Path]) -> None:
    """Write the table anew from the lists."""
    rules = [rule for checkout in lists for rule in rules_of(checkout)]
    families, services = facts(rules)
    rows = rows_of(families)
    TABLE.write_text(render(rows, services, (rule.source for rule in rules)), encoding="utf-8")
    print(f"{len(rules)} rules read: {len(rows)} rows of families, {len(services)} services")


# --- measuring -------------------------------------------------------------------------------------


def collect(lists: Sequence[Path], to: Path) -> None:
    """Write the samples of the lists, one JSON a line."""
    found = {(item.text, item.secret): item for checkout in lists for item in samples_of(checkout)}
    with to.open("w", encoding="utf-8") as out:
        for item in found.values():
            told = {
                "source": item.source,
                "rule": item.rule,
                "text": item.text,
                "secret": item.secret,
            }
            out.write(json.dumps(told, ensure_ascii=True) + "\n")
    print(f"{len(found)} samples in {to}")


def is_found(text: str, secret: str) -> bool:
    """Tell whether nothing worth having is left of the secret once the text is redacted."""
    from reverie.core.secrets.scanner import find

    matches = find(text)
    if not secret:
        return bool(matches)
    inner = re.search(r"://[^\s:/@]*:([^\s/]+)@", secret)  # of an address, the password
    secret = inner[1] if inner else secret
    at = text.find(secret)
    if at < 0:
        return bool(matches)
    covered = len(secret)
    while at >= 0:  # wherever it stands
        end = at + len(secret)
        here = sum(max(0, min(match.end, end) - max(match.start, at)) for match in matches)
        covered = min(covered, here)
        at = text.find(secret, end)
    # Of an address that is a key, only the key is cut out.
    return covered >= min(len(secret) * 0.6, 16)


def is_worth_finding(secret: str) -> bool:
    """Tell a secret from a word, a placeholder and a name, of which the lists' samples have many."""
    return (
        len(secret) >= 8
        and any(map(str.isdigit, secret))
        and any(map(str.isalpha, secret))
        and len(set(secret)) > 6
        and not re.search(r"(?i)x{5}|\*{4}|your|example|\$\{?[A-Za-z_]|client-id", secret)
    )


def measure(corpus: Path, clean: Sequence[Path], *, show: bool, every: int = 1) -> None:
    """Say how many samples are found, and how many findings clean text has."""
    found: dict[str, list[bool]] = defaultdict(list)
    for line in corpus.read_text("utf-8").splitlines():
        item = json.loads(line)
        hit = is_found(item["text"], item["secret"])
        found[item["source"]].append(hit)
        if is_worth_finding(item["secret"]):
            found[f"{item['source']}, drawn values only"].append(hit)
        if show and not hit and (is_worth_finding(item["secret"]) or not item["secret"]):
            print(
                f"missed {item['source']} {item['rule']}: {item['secret'][:60]!r} in {item['text'][:160]!r}"
            )
    hits = [hit for name, one in found.items() if "," not in name for hit in one]
    for source, one in sorted(found.items()):
        print(f"{source}: {sum(one)} of {len(one)} found, {sum(one) / len(one):.3f}")
    drawn_ = [hit for name, one in found.items() if "," in name for hit in one]
    print(
        f"recall {_share(hits)} of {len(hits)}; of drawn values {_share(drawn_)} of {len(drawn_)}"
    )
    if clean:
        wrong, size, seconds = alarms(clean, show=show, every=every)
        precision = sum(hits) / max(1, sum(hits) + wrong)
        print(f"{wrong} findings in {size:,} characters of clean text, in {seconds:.1f} s")
        print(f"precision {precision:.3f}")


def _share(hits: Sequence[bool]) -> str:
    return f"{sum(hits) / max(1, len(hits)):.3f}"


def _files(places: Sequence[Path]) -> list[Path]:
    found = (
        file
        for place in places
        for file in ([place] if place.is_file() else sorted(place.rglob("*")))
    )
    return [
        file
        for file in found
        if file.is_file() and not file.is_symlink() and file.stat().st_size <= LARGEST
    ]


def _text(file: Path) -> str:
    """Return the text of a file, nothing for one that holds none."""
    try:
        data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        return data.decode("utf-8")
    except (UnicodeDecodeError, OSError, EOFError, zlib.error):
        return ""


def alarms(places: Sequence[Path], *, show: bool, every: int = 1) -> tuple[int, int, float]:
    """Count the findings in files that hold no secrets."""
    from reverie.core.secrets.scanner import find

    wrong = size = 0
    begun = time.process_time()
    for file in _files(places)[::every]:
        text = _text(file)
        size += len(text)
        for match in find(text):
            wrong += 1
            if show:
                line = text[text.rfind("\n", 0, match.start) + 1 : match.end + 40].split("\n")[0]
                print(f"alarm {match.rule} {file}: {line[-160:]!r}")
    return wrong, size, time.process_time() - begun


def document() -> None:
    """Write the list of rules into the page about secrets."""
    from reverie.core.secrets.scanner import RULES

    page = ROOT / "docs/secrets.md"
    head, mark, _ = page.read_text("utf-8").partition("| rule | what it finds |\n|---|---|\n")
    rows = (f"| `{name}` | {what} |\n" for name, what in sorted(RULES.items()))
    page.write_text(head + mark + "".join(rows), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line."""
    top = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = top.add_subparsers(dest="command", required=True)
    for name in ("build", "corpus"):
        command = commands.add_parser(name)
        command.add_argument("lists", nargs="+", type=Path)
        if name == "corpus":
            command.add_argument("--to", type=Path, required=True)
    commands.add_parser("docs")
    command = commands.add_parser("measure")
    command.add_argument("corpus", type=Path)
    command.add_argument("--clean", nargs="*", type=Path, default=[])
    command.add_argument("--show", action="store_true")
    command.add_argument("--every", type=int, default=1, help="read every n-th clean file")
    given = top.parse_args(arguments)
    if given.command == "build":
        build(given.lists)
    elif given.command == "docs":
        document()
    elif given.command == "corpus":
        collect(given.lists, given.to)
    else:
        measure(given.corpus, given.clean, show=given.show, every=given.every)


if __name__ == "__main__":
    main()
