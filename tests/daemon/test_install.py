"""What a service is described by: each word of its command, whatever it holds, and nothing else."""

from __future__ import annotations

import configparser
import os
import plistlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.daemon.install import install, launchd_plist, systemd_unit
from reverie.errors import InvalidInput

WORDS = st.lists(
    st.text(
        st.characters(
            exclude_categories=("Cc", "Cs", "Zl", "Zp"), exclude_characters="\ufffe\uffff"
        )
        | st.sampled_from("%$\\\"'; #;|&<>{}-@"),
        max_size=12,
    ),
    max_size=4,
)


def read_back(unit: str) -> list[str]:
    """Take the command of a unit apart as systemd.syntax(7) and systemd.service(5) describe."""
    parser = configparser.RawConfigParser(
        delimiters=("=",), comment_prefixes=("#", ";"), strict=True
    )
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(unit)
    assert parser.sections() == ["Unit", "Service", "Install"]
    assert list(parser["Service"]) == [
        "ExecStart", "Restart", "TimeoutStopSec", "UMask", "NoNewPrivileges",
    ]  # fmt: skip
    line = parser["Service"]["ExecStart"]
    words = [
        re.sub(r"\\(.)", r"\1", quoted[1:-1]) if quoted.startswith('"') else quoted
        for quoted in re.findall(r'"(?:[^"\\]|\\.)*"|[^\s"]+', line)
    ]
    words = [word.replace("%%", "%") for word in words]
    return words[:1] + [word.replace("$$", "$") for word in words[1:]]


@given(WORDS)
def test_a_unit_says_the_command_and_nothing_else(words):
    assert read_back(systemd_unit(["/a $dir/100%/py", *words])) == ["/a $dir/100%/py", *words]


@given(WORDS)
def test_an_agent_of_launchd_says_the_command_and_nothing_else(words):
    text = launchd_plist(["/py", *words], log=Path("/a & b/<log>"))
    plist = plistlib.loads(text.encode())
    assert plist["ProgramArguments"] == ["/py", *words]
    assert plist["StandardErrorPath"] == "/a & b/<log>"


@pytest.mark.parametrize(
    "odd", ["\n", "\r", "\0", "\t", "\x1b[2J", "\x85", "\u2028", "\udcff", "\x7f", "\uffff"]
)
@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_what_a_description_cannot_carry_is_refused_and_nothing_is_written(
    private_home, odd, platform
):
    words = ["-C", f"/repo{odd}ExecStartPre=/bin/touch /tmp/x", "serve"]
    env = {"HOME": str(private_home)}
    with pytest.raises(InvalidInput, match="cannot carry") as caught:
        install(words, env=env, platform=platform, program="/py")
    assert str(caught.value).isprintable()
    with pytest.raises(InvalidInput):
        install(["serve"], env=env, platform=platform, program=f"/p{odd}y")
    assert not list(private_home.rglob("*reverie*"))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here")
@pytest.mark.parametrize("name", ["100% %h", "$HOME ${X}", 'a"b\\c', "it's; #1", "naïve 日本"])
def test_systemd_itself_finds_the_program_that_is_meant(private_home, name):
    """It names the program that it cannot find, as it read it."""
    program = f"/nowhere/{name}/py"
    if set(name) & set("\"'\\"):
        program = "/nowhere/py"  # it takes no quotes in a program's path; in arguments it does
    done = install(["-C", name], env={"HOME": str(private_home)}, platform="linux", program=program)
    checked = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", done.path],
        capture_output=True,
        text=True,
        env={**os.environ, "XDG_RUNTIME_DIR": str(private_home), "LC_ALL": "C.UTF-8"},
    )
    ours = [line for line in checked.stderr.splitlines() if "reverie" in line]
    assert [f"Command {program} is not executable" in line for line in ours] == [True]


@pytest.mark.slow
def test_a_repository_cannot_stand_in_for_a_module(tmp_path):
    """A folder full of modules of the standard library and of ours is where the commands run."""
    for name in ("json", "re", "click", "typing", "sqlite3", "subprocess", "yaml", "httpx2"):
        (tmp_path / f"{name}.py").write_text("print('HOSTILE'); raise SystemExit(66)\n")
    env = {k: v for k, v in os.environ.items() if k != "PYTHONSAFEPATH"}
    env |= {"HOME": str(tmp_path / "home"), "REVERIE_HOME": str(tmp_path / "home")}
    for words in (["config", "list"], ["remember", "We deploy on Mondays"], ["hook", "prompt"]):
        for path in ({}, {"PYTHONPATH": os.pathsep + str(tmp_path / "none")}):
            script = Path(sys.executable).with_name("reverie")
            done = subprocess.run(
                [script, *words],
                cwd=tmp_path, env={**env, **path}, input="{}", capture_output=True, text=True,
            )  # fmt: skip
            assert "HOSTILE" not in done.stdout + done.stderr, (words, path)
            assert done.returncode in (0, 1), done.stderr
    (tmp_path / "reverie").mkdir()
    (tmp_path / "reverie" / "__init__.py").write_text("print('HOSTILE')\n")
    done = subprocess.run(
        [sys.executable, "-P", "-m", "reverie", "--version"],
        cwd=tmp_path, env=env, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.startswith("reverie ")


def test_every_command_line_of_ours_leaves_the_current_folder_out():
    source = Path(__file__).parents[2] / "src" / "reverie"
    for path in source.rglob("*.py"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if "sys.executable," in line or "program, " in line:
                assert not re.search(r'(?:sys\.executable|program), "-[mc]"', line), (path, line)
