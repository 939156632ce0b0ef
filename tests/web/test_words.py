"""What can be known about the page without a browser: its words, its size, and what it must not do."""

from __future__ import annotations

import json
import re
from pathlib import Path

import reverie

WEB = Path(reverie.__file__).parent / "web"
LIMIT = 300_000


def table(language: str) -> dict[str, object]:
    text = (WEB / "text" / f"{language}.js").read_text(encoding="utf-8")
    rows = re.findall(r'^  "([^"]+)": (".*"|\{.*\}),$', text, flags=re.MULTILINE)
    assert len(rows) == text.count("\n") - 4  # the comment, a blank line and the two brackets
    assert len({key for key, _ in rows}) == len(rows)
    return {
        key: json.loads(re.sub(r"\b(one|many):", r'"\1":', value) if value[0] == "{" else value)
        for key, value in rows
    }


def scripts() -> list[Path]:
    return sorted(WEB.rglob("*.js"))


def holes(text: object) -> set[str]:
    values = text.values() if isinstance(text, dict) else [text]
    return {name for value in values for name in re.findall(r"\{(\w+)\}", value)}


def test_english_and_chinese_have_the_same_words_with_the_same_holes():
    english, chinese = table("en"), table("zh")
    assert list(english) == list(chinese)
    for key, text in english.items():
        assert holes(text) == holes(chinese[key]), key
        assert chinese[key], key


def test_every_word_that_is_asked_for_is_there_and_none_is_left_over():
    known = set(table("en"))
    source = "\n".join(
        path.read_text(encoding="utf-8") for path in scripts() if "text" not in path.parts
    )
    asked = set(re.findall(r'\bt\("([^"]+)"', source)) | set(
        re.findall(r'"(key\.\w+|nav\.\w+|last\.\w+|job(?:\.\w+)?)"', source)
    )
    assert asked <= known
    families = set(re.findall(r'word\("([^"]+)"', source)) | set(
        re.findall(r"\bt\(`([a-z.]+)\.\$\{", source)
    )
    endings = set(re.findall(r"\bt\(`\$\{\w+\}\.(\w+)`", source))
    ternaries = set(re.findall(r'\? t\("([^"]+)"|: t\("([^"]+)"', source))
    used = asked | {item for pair in ternaries for item in pair}
    left = {
        key
        for key in known - used
        if not any(key.startswith(f"{family}.") for family in families)
        and key.rsplit(".", 1)[-1] not in endings
    }
    assert not left


def test_the_page_is_small_whole_and_loads_nothing_from_elsewhere():
    files = [path for path in WEB.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".html", ".js", ".css", ".svg"}
    assert sum(path.stat().st_size for path in files) < LIMIT
    for path in files:
        text = path.read_text(encoding="utf-8")
        addresses = set(re.findall(r"https?://[\w./-]+", text)) - {"http://www.w3.org/2000/svg"}
        assert not addresses, path
        for wanted in re.findall(r'from "(\.[^"]+)"', text):
            assert (path.parent / wanted).is_file(), f"{path}: {wanted}"


def test_no_text_is_ever_made_into_markup_and_no_style_or_script_stands_inline():
    forbidden = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser"
        r"|createContextualFragment|srcdoc|setAttribute\(\"style\""
    )
    for path in scripts():
        assert not forbidden.search(path.read_text(encoding="utf-8")), path
    page = (WEB / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=", page)
