"""Hooks from the command line: installed, removed, ruled, and asked of a real core in its own process."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys

import pytest

from workbench.paths import home_folder

CALL = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "session_id": "s", "cwd": "/srv/x"}


def asked(line: list[str] | str, command: str, timeout: float = 60) -> dict[str, str]:
    """Run a hook as a client does; returns what it decides."""
    words = shlex.split(line) if isinstance(line, str) else line
    payload = json.dumps({**CALL, "tool_input": {"command": command}})
    done = subprocess.run(words, input=payload, capture_output=True, text=True, timeout=timeout, check=True)
    return json.loads(done.stdout)["hookSpecificOutput"] if done.stdout.strip() else {}


@pytest.fixture
def installed(command, project):
    """The command line in the settings of Claude Code."""
    file = home_folder() / ".claude" / "settings.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('{"model": "x"}\n')
    code, _, err = command("connect", "--hooks", "claude-code")
    assert (code, file.read_text()) == (0, '{"model": "x"}\n'), "without --write nothing is written"
    assert "+" in err
    assert f"The hooks ask the workbench's project {project.project}" in err
    assert command("connect", "--hooks", "claude-code", "--write", "--absent", "deny")[0] == 0
    yield json.loads(file.read_text())["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    assert command("connect", "--hooks", "claude-code", "--remove")[0] == 0
    assert json.loads(file.read_text()) == {"model": "x"}


def test_clients_are_listed_with_their_state(command, project, installed):
    code, out, _ = command("connect", "--hooks")
    assert code == 0
    rows = {line.split()[0]: line for line in out.splitlines()}
    assert set(rows) == {"claude-code", "codex", "cursor", "vscode"}
    assert "installed, without a core: deny" in rows["claude-code"]
    assert "not installed" in rows["cursor"]
    assert rows["claude-code"].endswith(str(project.project))
    assert command("connect", "--hooks", "clippy")[0] == 2
    assert command("connect", "claude-code", "--absent", "deny")[0] != 0


def test_a_rule_from_the_command_line_decides_in_the_installed_hook(command, project, installed):
    code, out, _ = command("connect", "--hooks", "claude-code", "--deny", "git push *", "--allow", "git pull *")
    assert (code, len(out.splitlines())) == (0, 2)
    assert "claude-code may never run commands that begin with “git push”." in out
    assert asked(installed, "ls && git push")["permissionDecision"] == "deny"
    assert asked(installed, "git pull")["permissionDecision"] == "allow"
    assert asked(installed, "git status") == {}
    slower = [sys.executable, "-m", "workbench", "hook", "claude-code", "--project", str(project.project)]
    assert asked(slower, "git push -f")["permissionDecision"] == "deny"
    code, out, _ = command("audit", "query", "--kind", "hook.denied", "--json")
    assert code == 0
    assert "git push" in out


def test_what_a_client_with_hooks_starts_cannot_answer_for_the_user(command, project, installed):
    payload = json.dumps({**CALL, "tool_input": {"command": "git reset --hard"}}).encode()
    with subprocess.Popen(shlex.split(installed), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as hook:
        hook.stdin.write(payload)
        hook.stdin.close()
        waiting = []
        while not waiting:
            waiting = json.loads(command("calls", "list", "--json")[1])
        (held,) = waiting
        workbench = [sys.executable, "-m", "workbench"]
        text = "import sys, asyncio; from pathlib import Path; from workbench.api.client import connect;" \
               " from workbench.paths import paths_of; from workbench.records import HeldCallAnswer\n" \
               "async def go():\n" \
               "    c = await connect(paths_of(Path(sys.argv[1])), False, role='window')\n" \
               "    try:\n        await c.api.answer_held_call(HeldCallAnswer(sys.argv[2], True))\n" \
               "    finally:\n        await c.close()\n" \
               "asyncio.run(go())"  # fmt: skip
        answering = [sys.executable, "-c", text, str(project.project), held["id"]]
        agent = subprocess.run(answering, capture_output=True, text=True)
        assert agent.returncode != 0
        assert "agent must not answer for its user" in agent.stderr
        rules = [
            *workbench,
            "connect",
            "--hooks",
            "claude-code",
            "--allow",
            "make *",
            "--project",
            str(project.project),
        ]
        refused = subprocess.run(rules, capture_output=True, text=True)
        assert refused.returncode != 0
        assert "agent must not answer" in refused.stderr
        assert hook.poll() is None
        hook.kill()
        hook.wait()
    while json.loads(command("calls", "list", "--json")[1]):
        continue
