"""`mcp-workbench serve`: copies bytes between an agent's pipes and the core's agent socket without reading them.

An agent starts this process for every session, so it imports almost nothing. Each direction has its own thread: an
agent that does not read must not keep the core from receiving what it sends.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections.abc import Sequence

from workbench.api.core_launcher import CoreLauncher
from workbench.api.core_lock import check_private
from workbench.errors import WorkbenchError
from workbench.paths import Paths

CHUNK = 256 * 1024
DRAIN_SECONDS = 5.0  # how long the core may still answer after the agent closed its input
RETRY_SECONDS = 0.02


def serve(paths: Paths, direct: Sequence[str] = ()) -> int:
    """Copy until the agent disconnects (returns 0) or the core has exited (1). `direct`: servers whose tools this
    agent sees one by one."""
    try:
        core = _connect_core(paths)
        if direct:
            import json

            core.sendall(json.dumps({"workbench": {"direct": direct}}, separators=(",", ":")).encode() + b"\n")
    except WorkbenchError as fault:
        print(f"mcp-workbench: {fault}", file=sys.stderr)
        return 1
    with core:
        left, done = threading.Event(), threading.Event()
        threading.Thread(target=_copy_in, args=(core, left, done), name="agent to core", daemon=True).start()
        agent_listens = _copy_out(core)
        done.set()
    if left.is_set() or not agent_listens:
        return 0
    print("mcp-workbench: The core has ended. Restart the agent's session to continue.", file=sys.stderr)
    return 1


def _connect_core(paths: Paths) -> socket.socket:
    starter = CoreLauncher(paths, agent=True)
    while True:
        check_private(paths.runtime)
        core = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            core.connect(os.fspath(paths.agent_socket))
            return core
        except OSError:
            core.close()
        for pause in starter.steps():
            time.sleep(pause)
        time.sleep(RETRY_SECONDS)


def _copy_in(core: socket.socket, left: threading.Event, done: threading.Event) -> None:
    """Copy from the agent to the core; after the agent's end of input the core has `DRAIN_SECONDS` to finish its
    answers."""
    try:
        while chunk := os.read(0, CHUNK):
            core.sendall(chunk)
        left.set()
        core.shutdown(socket.SHUT_WR)
        if not done.wait(DRAIN_SECONDS):
            core.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # the core has exited; the other direction reports it


def _copy_out(core: socket.socket) -> bool:
    """Copy from the core to the agent; False when the agent stopped reading."""
    while True:
        try:
            chunk = core.recv(CHUNK)
        except OSError:
            return True
        if not chunk:
            return True
        if not _write(chunk):
            return False


def _write(chunk: bytes) -> bool:
    view = memoryview(chunk)
    try:
        while view:
            view = view[os.write(1, view) :]
    except BrokenPipeError:
        return False
    return True
