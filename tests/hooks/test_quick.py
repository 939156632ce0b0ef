"""Hooks as agents call them: recorded input, recorded answer, and nothing that can stop an agent."""

from __future__ import annotations

import html
import io
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reverie.client.quick import ShortPath
from reverie.core.showing.fence import strip_recall_blocks
from reverie.hooks import quick, shapes
from reverie.hooks.work import learn
from reverie.memory import Memory

DATA = Path(__file__).parents[1] / "data" / "agents"
EVENTS = [
    (agent, event)
    for agent in shapes.AGENTS
    for event in shapes.EVENTS
    if (DATA / agent / f"{event}.in.json").exists()
]


@pytest.fixture
def filled(project):
    """Put something into the memory of the project."""
    with Memory.open(project) as memory:
        memory.initialise()
        memory.remember("We deploy the billing gateway only on Tuesdays", kind="project")
        memory.layers.change_working("add", "Active Tasks", "Ship the invoice export")
        past = datetime.now(UTC).timestamp() - 60
        for item in memory.store.topics():
            os.utime(item.path, (past, past))
        memory.recall("deploy")
    return project


@pytest.fixture
def hook(monkeypatch, capfd, project):
    """Call a hook in this process and return what it answered."""

    def call(*arguments, payload=None, raw=None):
        data = json.dumps(payload).encode() if raw is None else raw
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        capfd.readouterr()
        assert quick.main(arguments) == 0
        said = capfd.readouterr()
        return json.loads(said.out), said.err

    return call


def recorded(agent, event, project, transcript="/nowhere"):
    text = (DATA / agent / f"{event}.in.json").read_text()
    text = text.replace("{project}", str(project)).replace("{transcript}", str(transcript))
    return json.loads(text)


def failures(project):
    with Memory.open(project) as memory:
        return [item.message for item in memory.doctor() if item.code == "hook_failed"]


@pytest.mark.parametrize(("agent", "event"), EVENTS)
def test_recorded_input_gives_the_recorded_answer(hook, filled, agent, event, tmp_path):
    transcript = tmp_path / "t.jsonl"
    transcript.write_text("")
    answer, _ = hook(event, "--agent", agent, payload=recorded(agent, event, filled, transcript))
    wanted = json.loads((DATA / agent / f"{event}.out.json").read_text())
    inner = answer.get("hookSpecificOutput", answer)
    key = "additional_context" if agent == "cursor" else "additionalContext"
    if event in ("session-start", "prompt") and wanted:
        context = inner.pop(key)
        assert "Tuesdays" in context
        assert not strip_recall_blocks(context).strip()
        wanted.get("hookSpecificOutput", wanted).pop(key)
    assert answer == wanted


def test_a_briefing_holds_working_memory_and_the_catalog_and_fits(hook, filled):
    payload = recorded("claude-code", "session-start", filled)
    answer, _ = hook("session-start", payload=payload)
    context = answer["hookSpecificOutput"]["additionalContext"]
    assert "Ship the invoice export" in context
    assert len(context) <= 10_000
    assert hook("SessionStart", payload={**payload, "source": "resume"})[0] == {}


def test_gemini_is_briefed_with_its_first_prompt_so_that_a_resumed_chat_keeps_what_was_said(
    hook, filled
):
    start = recorded("gemini", "session-start", filled)
    assert hook("session-start", "--agent", "gemini", payload=start)[0] == {}
    ask = recorded("gemini", "prompt", filled)
    first = hook("prompt", "--agent", "gemini", payload={**ask, "prompt": "hello"})[0]
    context = first["hookSpecificOutput"]["additionalContext"]
    assert "Ship the invoice export" in context
    assert "We deploy the billing gateway only on Tuesdays" in context
    resumed = {**start, "source": "resume"}
    assert hook("session-start", "--agent", "gemini", payload=resumed)[0] == {}
    assert hook("prompt", "--agent", "gemini", payload={**ask, "prompt": "hello"})[0] == {}


def test_what_an_agent_puts_before_a_prompt_is_not_what_is_asked(hook, filled):
    with Memory.open(filled) as memory:
        memory.remember("The invoice export needs Node 22", scope="project")
    start = hook("session-start", payload=recorded("claude-code", "session-start", filled))[0]
    added = html.escape(start["hookSpecificOutput"]["additionalContext"], quote=False)
    prompt = f"<hook_context>{added}</hook_context>\n\nwhich Node does the invoice export need?"
    payload = {"session_id": "other", "cwd": str(filled), "prompt": prompt}
    said = hook("prompt", "--agent", "claude-code", payload=payload)[0]
    context = said["hookSpecificOutput"]["additionalContext"]
    assert "Node 22" in context
    assert "Tuesdays" not in context
    alone = {**payload, "prompt": f"<hook_context>{added}</hook_context>"}
    assert hook("prompt", "--agent", "claude-code", payload=alone)[0] == {}


def test_a_resumed_chat_is_briefed_where_the_agent_does_not_keep_the_briefing(hook, filled):
    payload = {**recorded("qwen", "session-start", filled), "source": "resume"}
    said = hook("session-start", "--agent", "qwen", payload=payload)[0]
    assert "Tuesdays" in said["hookSpecificOutput"]["additionalContext"]


def test_no_memory_comes_twice_into_one_conversation(hook, filled):
    start = recorded("claude-code", "session-start", filled)
    said = hook("session-start", payload=start)[0]["hookSpecificOutput"]["additionalContext"]
    assert said.count("Tuesdays") == 1
    ask = {**recorded("claude-code", "prompt", filled), "prompt_id": "1"}
    assert hook("prompt", payload=ask)[0] == {}
    with Memory.open(filled) as memory:
        memory.remember("The billing gateway listens on port 8443", scope="project")
    later = hook("prompt", payload={**ask, "prompt_id": "2"})[0]["hookSpecificOutput"]
    assert "8443" in later["additionalContext"]
    assert "Tuesdays" not in later["additionalContext"]
    hook("session-start", payload={**start, "source": "compact"})
    assert hook("prompt", payload={**ask, "prompt_id": "3"})[0] == {}


@pytest.mark.parametrize("agent", ["claude-code", "codex", "qwen"])
def test_after_a_compaction_what_the_new_briefing_told_is_not_told_again(
    hook, filled, agent, tmp_path
):
    """What goes on in the background of a compaction may end after the session has begun anew."""
    with Memory.open(filled) as memory:
        memory.remember("The billing gateway listens on port 8443", scope="project")
    start = recorded(agent, "session-start", filled)
    ask = {**recorded(agent, "prompt", filled), "prompt_id": "1", "session_id": start["session_id"]}
    talk = tmp_path / "talk.jsonl"
    talk.write_text("", encoding="utf-8")
    compact = {
        **recorded(agent, "pre-compact", filled, talk),
        "session_id": start["session_id"],
    }
    asked = ("--agent", agent)
    assert "8443" in str(hook("session-start", *asked, payload=start))
    assert hook("prompt", *asked, payload=ask)[0] == {}
    work = quick.Call()
    work.event, work.agent, work.payload = "pre-compact", agent, compact
    hook("session-start", *asked, payload={**start, "source": "compact"})
    learn(work)
    assert hook("prompt", *asked, payload={**ask, "prompt_id": "2"})[0] == {}


def test_a_compaction_that_did_not_come_about_tells_nothing_twice(hook, filled, monkeypatch):
    monkeypatch.setattr("reverie.hooks.background.detach", lambda _: None)
    start = recorded("qwen", "session-start", filled)
    ask = {**recorded("qwen", "prompt", filled), "session_id": start["session_id"]}
    compact = {**recorded("qwen", "pre-compact", filled), "session_id": start["session_id"]}
    hook("session-start", "--agent", "qwen", payload=start)
    hook("pre-compact", "--agent", "qwen", payload=compact)
    assert hook("prompt", "--agent", "qwen", payload={**ask, "prompt_id": "1"})[0] == {}


def test_where_no_start_follows_a_compaction_what_was_told_may_be_told_again(
    hook, filled, monkeypatch
):
    monkeypatch.setattr("reverie.hooks.background.detach", lambda _: None)
    ask = recorded("cursor", "prompt", filled)
    asked = ("--agent", "cursor")
    compact = {**recorded("cursor", "pre-compact", filled), **_session(ask)}
    first = hook("prompt", *asked, payload={**ask, "generation_id": "1"})[0]
    assert "Tuesdays" in str(first)
    assert "Tuesdays" not in str(hook("prompt", *asked, payload={**ask, "generation_id": "2"})[0])
    hook("pre-compact", *asked, payload=compact)
    assert "Tuesdays" in str(hook("prompt", *asked, payload={**ask, "generation_id": "3"})[0])


def _session(payload):
    names = ("session_id", "conversation_id")
    return {name: payload[name] for name in names if name in payload}


def test_a_prompt_that_briefs_has_the_time_of_a_start(hook, filled, monkeypatch):
    limits = []
    monkeypatch.setattr(quick, "set_timer", limits.append)
    ask = recorded("gemini", "prompt", filled)
    assert "Tuesdays" in str(hook("prompt", "--agent", "gemini", payload=ask)[0])
    assert max(limits) > quick.PROMPT_SECONDS
    limits.clear()
    later = {**ask, "timestamp": "2026-11-18T12:00:00Z", "prompt": "Who deploys the gateway?"}
    hook("prompt", "--agent", "gemini", payload=later)
    assert max(limits) <= quick.PROMPT_SECONDS


def test_work_that_cannot_be_started_does_not_cost_the_answer(hook, filled, monkeypatch):
    def refused(*_, **__):
        raise PermissionError("no")

    monkeypatch.setattr("reverie.hooks.background._spawned", refused)
    payload = recorded("claude-code", "prompt", filled)
    with Memory.open(filled) as memory:
        memory.remember("The billing gateway is deployed by Mara", scope="project")
    said = hook("prompt", payload=payload)[0]["hookSpecificOutput"]["additionalContext"]
    assert "Mara" in said


def test_a_home_that_cannot_be_written_still_briefs_and_recalls(hook, filled, private_home):
    home = private_home / ".reverie"
    shutil.rmtree(home / "state" / "recall")
    with read_only(home):
        start = hook("session-start", payload=recorded("claude-code", "session-start", filled))[0]
        assert "Tuesdays" in start["hookSpecificOutput"]["additionalContext"]
        said = hook("prompt", payload=recorded("claude-code", "prompt", filled))[0]
        assert "Tuesdays" in said["hookSpecificOutput"]["additionalContext"]


@contextmanager
def read_only(folder):
    """Make a folder read-only, for the owner of the system as well."""
    if os.geteuid() != 0:
        folders = [folder, *(item for item in folder.rglob("*") if item.is_dir())]
        modes = {item: item.stat().st_mode for item in folders}
        for item in folders:
            item.chmod(0o500)
        yield
        for item, mode in modes.items():
            item.chmod(mode)
        return
    mounted = subprocess.run(["mount", "--bind", folder, folder], capture_output=True)
    if mounted.returncode:
        pytest.skip("this system lets nobody mount")
    try:
        words = ["mount", "-o", "remount,ro,bind", folder]
        subprocess.run(words, check=True, capture_output=True)
        yield
    finally:
        subprocess.run(["umount", folder], check=True, capture_output=True)


def test_a_compaction_that_is_announced_at_every_turn_starts_no_work(hook, filled, monkeypatch):
    monkeypatch.setattr("reverie.hooks.background.detach", pytest.fail)
    payload = recorded("gemini", "pre-compact", filled)
    assert hook("pre-compact", "--agent", "gemini", payload=payload)[0] == {}


def test_where_the_briefing_comes_with_a_prompt_a_daemon_that_hangs_leaves_time_for_it(
    hook, filled, private_home, monkeypatch
):
    waits = []
    exchange = quick.daemon.exchange
    monkeypatch.setattr(
        quick.daemon,
        "exchange",
        lambda *words, timeout: waits.append(timeout) or exchange(*words, timeout=0.05),
    )
    place = str(private_home / ".reverie" / "state" / "daemon.sock")
    with socket.socket(socket.AF_UNIX) as silent, ShortPath(place) as short:
        silent.bind(short)
        silent.listen()
        payload = recorded("gemini", "prompt", filled)
        said = hook("prompt", "--agent", "gemini", payload=payload)[0]
    assert "Tuesdays" in said["hookSpecificOutput"]["additionalContext"]
    assert waits
    assert sum(waits) < quick.PROMPT_SECONDS


def test_a_daemon_that_hangs_leaves_time_for_the_files_and_is_left_alone_for_a_while(
    hook, filled, private_home, monkeypatch
):
    monkeypatch.setattr(quick, "DAEMON_SECONDS", 0.05)
    asked = []
    exchange = quick.daemon.exchange
    monkeypatch.setattr(
        quick.daemon,
        "exchange",
        lambda *words, **more: asked.append(words) or exchange(*words, **more),
    )
    payload = recorded("claude-code", "prompt", filled)
    place = str(private_home / ".reverie" / "state" / "daemon.sock")
    with socket.socket(socket.AF_UNIX) as silent, ShortPath(place) as short:
        silent.bind(short)
        silent.listen()
        for _ in range(2):
            said = hook("prompt", payload=payload)[0]
            assert "Tuesdays" in said["hookSpecificOutput"]["additionalContext"]
    assert len(asked) == 1


def test_a_model_that_the_agents_environment_names_is_not_asked(hook, filled, monkeypatch):
    monkeypatch.setenv("OPENAI_MODEL", "theirs")
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    monkeypatch.setattr("reverie.models.endpoints.find_endpoints", _only_without_a_name)
    said = hook("prompt", payload=recorded("claude-code", "prompt", filled))[0]
    assert "Tuesdays" in said["hookSpecificOutput"]["additionalContext"]
    call = quick.Call()
    call.workspace = str(filled)
    from reverie.hooks.work import _opened

    with _opened(call) as memory:
        assert "OPENAI_MODEL" not in memory.env
        assert memory.verb_context.model_for("extract") is None


def _only_without_a_name(settings, env, **_):
    assert "OPENAI_MODEL" not in env


def test_a_briefing_says_in_one_line_that_a_projects_settings_wait(hook, filled):
    (filled / ".reverie").mkdir()
    (filled / ".reverie" / "config.toml").write_text("[recall]\nlimit = 0\n")
    payload = recorded("claude-code", "session-start", filled)
    context = hook("session-start", payload=payload)[0]["hookSpecificOutput"]["additionalContext"]
    (line,) = [line for line in context.splitlines() if "reverie trust" in line]
    assert ".reverie/config.toml" in line
    assert "Ship the invoice export" in context
    assert not strip_recall_blocks(context).strip()
    with Memory.open(filled) as memory:
        memory.trust(trusted=False)
    context = hook("session-start", payload=payload)[0]["hookSpecificOutput"]["additionalContext"]
    assert "reverie trust" not in context


def test_an_empty_memory_says_nothing(hook, project):
    for event in ("session-start", "prompt"):
        payload = recorded("claude-code", event, project)
        assert hook(event, payload=payload)[0] == {}
    assert not failures(project)


@pytest.mark.parametrize(
    "prompt",
    [
        "ok",
        "/clear",
        "",
        "<private>when do we deploy the billing gateway?</private>",
        "谢谢",
        None,
        3,
    ],
)
def test_a_prompt_that_asks_nothing_recalls_nothing(hook, filled, prompt):
    payload = {**recorded("claude-code", "prompt", filled), "prompt": prompt}
    assert hook("prompt", payload=payload)[0] == {}


def test_only_what_is_not_private_is_asked_for(hook, filled):
    payload = recorded("claude-code", "prompt", filled)
    payload["prompt"] = "my tea is cold <private>deploy billing gateway Tuesdays</private>"
    assert hook("prompt", payload=payload)[0] == {}


def test_a_sub_agent_gets_and_teaches_nothing(hook, filled):
    payload = {**recorded("claude-code", "prompt", filled), "agent_id": "a1"}
    assert hook("prompt", payload=payload)[0] == {}
    assert hook("SubagentStop", payload=recorded("claude-code", "stop", filled))[0] == {}


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'"x"',
        b"[" * 100_000,
        b'{"cwd": 3, "prompt": "deploy?"}',
    ],
)
def test_whatever_comes_in_the_answer_is_neutral_or_an_answer(hook, project, raw, monkeypatch):
    monkeypatch.chdir(project)
    assert hook("prompt", raw=raw)[0] == {}


@pytest.mark.parametrize(
    "arguments", [[], ["nothing"], ["prompt", "stop"], ["prompt", "--agent", "emacs"]]
)
def test_a_wrong_command_line_is_reported_and_does_not_stop_the_agent(hook, project, arguments):
    answer, error = hook(*arguments, payload={"cwd": str(project), "prompt": "deploy?"})
    assert answer == {}
    assert "reverie hook" in error
    assert failures(project)


@pytest.mark.parametrize(
    ("arguments", "raw", "code"),
    [
        (["nothing"], b"{}", "invalid_argument"),
        (["prompt"], b"{", "invalid_json"),
        (["prompt"], b"[]", "invalid_json"),
        (["prompt"], b"[" * 100_000, "invalid_json"),
        (["prompt"], b'{"cwd": "/gone/for/good", "prompt": "deploy when?"}', "path_not_found"),
    ],
)
def test_a_mistake_is_told_in_words_with_a_code(hook, project, monkeypatch, arguments, raw, code):
    monkeypatch.chdir(project)
    _, error = hook(*arguments, raw=raw)
    assert error.startswith("reverie hook")
    assert error.endswith(f" [{code}]\n")
    [told] = failures(project)
    for text in (error, told):
        assert "Error" not in text
    with Memory.open(project) as memory:
        [event] = [item for item in memory.events() if item["name"] == "hook.failed"]
    assert event["code"] == code
    assert re.search(r"^\w+ at .+\.py:\d+$", event["where"])


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (KeyError("cwd"), "an error of Reverie's own: 'cwd'; `reverie log --events` says where"),
        (TimeoutError("not done within 2.0 s"), "not done within 2.0 s"),
        (PermissionError(13, "Permission denied", "/etc/x"), "/etc/x: Permission denied"),
    ],
)
def test_the_class_of_an_error_is_kept_for_the_event_log(project, capfd, error, told):
    call = quick.Call()
    call.event = shapes.STOP
    quick.report(call, error)
    assert capfd.readouterr().err.startswith(f"reverie hook stop: {told} [")
    with Memory.open(project) as memory:
        [event] = memory.events()
    assert (event["error"], event["where"]) == (told, type(error).__name__)


def test_a_missing_folder_is_reported_by_the_doctor(hook, project):
    answer, _ = hook("prompt", payload={"cwd": str(project / "gone"), "prompt": "deploy when?"})
    assert answer == {}
    [told] = failures(project)
    assert "gone" in told


def test_bad_settings_are_reported_and_do_not_stop_the_agent(hook, filled, private_home):
    (private_home / ".reverie" / "config.toml").write_text("[recal]\nlimit = 1\n")
    answer, error = hook("prompt", payload=recorded("codex", "prompt", filled))
    assert answer == {}
    assert "recal" in error


def test_hooks_can_be_switched_off(hook, filled, private_home):
    (private_home / ".reverie" / "config.toml").write_text("[hooks]\nenabled = false\n")
    for event in ("session-start", "prompt"):
        assert hook(event, payload=recorded("claude-code", event, filled))[0] == {}


def test_an_edit_counts_at_the_next_prompt(hook, filled):
    payload = recorded("claude-code", "prompt", filled)
    assert "Tuesdays" in json.dumps(hook("prompt", payload=payload)[0])
    with Memory.open(filled) as memory:
        [topic] = memory.store.topics()
        memory.engine.ranker.keep = False
    Path(topic.path).write_text(topic.text.replace("Tuesdays", "Thursdays"))
    said = json.dumps(hook("prompt", payload=payload)[0])
    assert "Thursdays" in said
    assert "only on Tuesdays" not in said


def test_more_memories_than_an_agent_takes_are_left_out_whole(hook, project, private_home):
    with Memory.open(project) as memory:
        for number in range(5):
            memory.remember(
                f"Deploy rule {number}: " + f"gate{number} " * 190,
                clean=True,
                name=f"Rule {number}",
            )
        memory.recall("deploy rule")
    config = private_home / ".reverie" / "config.toml"
    config.write_text("[hooks]\ncontext_chars = 4000\n")
    answer, _ = hook(
        "prompt", payload={"cwd": str(project), "prompt": "which deploy rule is there?"}
    )
    context = answer["hookSpecificOutput"]["additionalContext"]
    assert 1000 < len(context) <= 4000
    assert not strip_recall_blocks(context).strip()


def test_a_hook_imports_nothing_heavy(filled):
    heavy = ("click", "dataclasses", "typing", "pathlib", "yaml", "markdown_it", "numpy", "tomllib",
             "sqlite3", "inspect", "subprocess", "reverie.types", "reverie.config",
             "reverie.memory")  # fmt: skip
    script = (
        "import sys, os\nfrom reverie.hooks.quick import main\nmain(sys.argv[1:])\n"
        f"os.write(2, repr([name for name in {heavy!r} if name in sys.modules]).encode())"
    )
    payload = json.dumps(recorded("claude-code", "prompt", filled)).encode()
    command = [sys.executable, "-S", "-c", script, "prompt"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(2):  # the first one looks through the passages for secrets
        done = subprocess.run(command, input=payload, capture_output=True, check=True, env=env)
    assert b"Tuesdays" in done.stdout
    assert done.stderr == b"[]"


def test_until_a_memory_is_needed_a_hook_imports_next_to_nothing(filled):
    script = (
        "import sys, os\nbefore = set(sys.modules)\n"
        "from reverie.hooks.quick import main\nmain(sys.argv[1:])\n"
        "os.write(2, ' '.join(sorted(set(sys.modules) - before)).encode())"
    )
    payload = json.dumps({"cwd": str(filled), "prompt": "ok, thanks!"}).encode()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-S", "-c", script, "prompt"]
    done = subprocess.run(command, input=payload, capture_output=True, check=True, env=env)
    loaded = done.stderr.decode().split()
    assert not {"re", "json", "enum", "typing", "socket", "signal"} & set(loaded)
    assert len(loaded) < 20


def test_the_command_answers_in_time_when_the_memory_cannot(filled):
    """A reader that never writes its input: the hook must not wait for it for ever."""
    script = (
        "from reverie.hooks import quick\nquick.PROMPT_SECONDS = 0.2\n"
        "import sys\nsys.exit(quick.main(['prompt', '--agent', 'cursor']))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, cwd=filled,
    )  # fmt: skip
    assert process.stdout is not None
    assert json.loads(process.stdout.readline()) == {"continue": True}  # its input is still open
    process.communicate()
    assert process.returncode == 0
    assert any("not done within" in told for told in failures(filled))


@pytest.mark.parametrize("half", ["datetime", "reverie.local.disk.appending"])
def test_a_hook_whose_time_is_over_in_the_middle_of_an_import_says_only_that(
    half, monkeypatch, capfd, private_home
):
    call = quick.Call()
    call.event = shapes.PROMPT
    monkeypatch.setitem(sys.modules, half, None)  # as Python has it while the import has not ended
    quick.report(call, TimeoutError("not done within 2.0 s"))
    said = capfd.readouterr().err
    assert said == f"reverie hook {shapes.PROMPT}: not done within 2.0 s [hook_timeout]\n"
