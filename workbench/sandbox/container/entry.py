"""The first lines that run in a container: put our own locks on top of the engine's, then be the runner.

Standard library and the files that lie beside it in the image only. The program's text has not arrived yet.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import select
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from workbench.sandbox.child_profile import BENCH, ENVIRONMENT, HOME, TEMP, ChildProfile
from workbench.sandbox.container.container_multiplexer import FAILED, ContainerMultiplexer, NobodyListens
from workbench.sandbox.inside import runner
from workbench.sandbox.locks import kernel_calls, landlock, lockdown

_CHANNEL = 3  # what the engine handed in
_CLOSED = {"proc", "sys", "app", "run", "dev"}  # folders of the container that no program needs
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_CHUNK = 1 << 18
_WARM = """
asyncio base64 bisect collections concurrent.futures contextlib csv dataclasses datetime decimal enum functools glob
hashlib heapq inspect io itertools json linecache logging math operator os pathlib pprint random re shutil statistics
string tempfile textwrap threading time traceback types typing uuid
"""


def main() -> NoReturn:
    words = json.loads(sys.argv[1])
    carried = ChildProfile.of(words["profile"]) if words.get("carried") else None
    channel = _with_parent(carried) if words["parent"] else _CHANNEL
    try:
        facts = _locked(ChildProfile.of(words["profile"]), channel, os.dup(2))
    except BaseException as fault:
        runner.report_broken(channel, fault, traceback.format_exc())
        os._exit(1)
    runner.live(facts)


def _locked(profile: ChildProfile, channel: int, output: int) -> dict[str, object]:
    os.makedirs(f"{TEMP}/home", exist_ok=True)
    for name in _WARM.split():
        importlib.import_module(name)
    runner.load_inside(Path(lockdown.__file__).parents[1] / "inside" / "modules")
    witness = lockdown.Witness()
    lockdown.set_limits(profile)
    kernel_calls.drop_capabilities()
    kernel_calls.gain_nothing()
    writable = [os.path.realpath(HOME), TEMP] + [f"{BENCH}/workspace"] * profile.writable
    version = landlock.restrict(_readable(), writable, _DEVICES)
    kernel_calls.die_with_parent(signal.SIGKILL)
    runner.settle(channel, output, witness.status, ENVIRONMENT)
    lockdown.close_the_door()
    facts = witness.facts(version)
    if not (facts["filtered"] and facts["powerless"]):
        raise OSError("the locks are not in force inside this container")
    return facts


def _readable() -> list[str]:
    return [f"/{name}" for name in os.listdir("/") if name not in _CLOSED and os.path.isdir(f"/{name}")]


def _with_parent(carried: ChildProfile | None = None) -> int:
    """Where no descriptor can be handed in: a parent carries bytes between stdin, stdout and the channel.

    It reads none of them, and ends as its child ended. The child's own stdout is stderr: frames never mix with prints.
    Where files are `carried`, it takes them in and out beside the frames, and what is printed too.
    """
    ours, theirs = socket.socketpair()
    reading, writing = os.pipe() if carried else (-1, 2)
    child = os.fork()
    if child:
        theirs.close()
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # not dumpable: the child cannot look into this process
        if carried:
            os.close(writing)
        os._exit(_stow(ContainerMultiplexer(ours, reading, carried), child) if carried else _carry_for(ours, child))
    ours.close()
    nothing = os.open("/dev/null", os.O_RDWR)
    os.dup2(nothing, 0)
    for target in (1, 2):
        os.dup2(writing, target)
    if carried:
        os.close(reading)
        os.close(writing)
    return theirs.detach()


def _carry_for(channel: socket.socket, child: int) -> int:
    _carry(channel)
    _, status = os.waitpid(child, 0)
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def _stow(stowing: ContainerMultiplexer, child: int) -> int:
    """The same where files are carried too; the child dies with this process."""
    try:
        stowing.carry()
        status, cpu, memory_mb = stowing.bury(child)
        stowing.finish(status, cpu, memory_mb)
    except BaseException as fault:
        if not isinstance(fault, NobodyListens):
            traceback.print_exc()
        return FAILED
    return 0


def _carry(channel: socket.socket) -> None:
    """Until the child has closed its end and everything it said is out."""
    for descriptor in (0, 1):
        os.set_blocking(descriptor, False)
    channel.setblocking(False)
    inward, outward = bytearray(), bytearray()
    hearing, speaking, told = True, True, False
    while speaking or outward:
        reading = [0] * (hearing and len(inward) < _CHUNK) + [channel.fileno()] * (speaking and len(outward) < _CHUNK)
        writing = [1] * bool(outward) + [channel.fileno()] * bool(inward)
        readable, writable, _ = select.select(reading, writing, [])
        if 0 in readable:
            hearing = _moved(lambda: os.read(0, _CHUNK), inward)
        if channel.fileno() in readable:
            speaking = _moved(lambda: channel.recv(_CHUNK), outward)
        if channel.fileno() in writable and not _sent(channel.send, inward):
            inward.clear()
        if not hearing and not inward and not told:
            told = True
            with contextlib.suppress(OSError):
                channel.shutdown(socket.SHUT_WR)  # whoever spoke to us is gone, and everything it said is handed on
        if 1 in writable and not _sent(lambda data: os.write(1, data), outward):
            return


def _moved(read: Callable[[], bytes], into: bytearray) -> bool:
    """False when there is nothing more to come."""
    try:
        data = read()
    except BlockingIOError:
        return True
    except OSError:
        return False
    into += data
    return bool(data)


def _sent(write: Callable[[bytes], int], waiting: bytearray) -> bool:
    """False when nobody takes it any more."""
    try:
        del waiting[: write(bytes(waiting[:_CHUNK]))]
    except BlockingIOError:
        return True
    except OSError:
        return False
    return True
