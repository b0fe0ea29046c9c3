"""Without file-descriptor passing, a parent process relays all bytes in both directions and exits like its child."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CARRIED = """
import os, socket, sys
from workbench.sandbox.container.entry import _with_parent
channel = socket.socket(fileno=_with_parent())
{body}
"""


def child(body: str, given: bytes) -> subprocess.CompletedProcess[bytes]:
    code = CARRIED.format(body=body)
    return subprocess.run(
        [sys.executable, "-c", code], input=given, capture_output=True, timeout=60, check=False, cwd=ROOT
    )


def test_bytes_of_any_kind_and_number_come_back_as_they_went() -> None:
    given = bytes(range(256)) * 8_000
    echo = """
while data := channel.recv(65536):
    channel.sendall(data)
os._exit(7)
"""
    done = child(echo, given)
    assert (done.returncode, done.stdout == given, done.stderr) == (7, True, b"")


def test_what_is_printed_goes_beside_the_frames() -> None:
    done = child("os.write(1, b'print'); os.write(2, b'ed'); channel.sendall(b'frame'); os._exit(0)", b"")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"frame", b"printed")


@pytest.mark.parametrize(("body", "code"), [("os.kill(os.getpid(), 9)", 137), ("os._exit(3)", 3)])
def test_it_ends_as_the_child_ended(body: str, code: int) -> None:
    assert child(body, b"").returncode == code
