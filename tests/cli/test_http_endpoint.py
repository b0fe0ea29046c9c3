"""`serve --http` holds the door open as long as the command runs, and tells programs what opens it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import pytest


def listen_to_the_keyboard() -> None:
    """Tests that a shell began in the background ignore Ctrl+C, and so would their children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def asked(door, **headers) -> int:
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode()
    accepts = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(door["url"], body, {**accepts, **headers})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as fault:
        with fault:
            return fault.code


def test_the_door_is_open_for_whoever_has_the_token_until_the_command_ends(project, command):
    words = [
        sys.executable,
        "-m",
        "workbench",
        "serve",
        "--http",
        "--port",
        "0",
        "--json",
        "--project",
        str(project.project),
    ]
    child = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, preexec_fn=listen_to_the_keyboard)
    printed = [child.stdout.readline() for _ in range(4)]
    door = json.loads("".join(printed))
    assert asked(door) == 401
    assert asked(door, Authorization=f"Bearer {door['token']}") == 200
    assert door["url"] in command("status")[1]
    os.kill(child.pid, signal.SIGINT)
    child.communicate(timeout=60)
    assert child.returncode == 0
    assert door["url"] not in command("status")[1]
    with pytest.raises(OSError):
        asked(door)


def test_options_of_the_door_need_the_door(command):
    code, out, err = command("serve", "--port", "1")
    assert (code, out) == (1, "")
    assert "need --http" in err
