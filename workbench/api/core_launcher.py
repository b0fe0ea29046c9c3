"""Starts a core process for a client. Two clients may do so at the same time: the core's lock decides, and the
losing client connects to the core of the other."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.paths import Paths

COMMAND = (sys.executable, "-m", "workbench")
START_SECONDS = 30.0  # how long a core may take until its sockets answer
ANOTHER_RUNS = 75  # exit code of a core that found the lock taken (EX_TEMPFAIL)
POLL_SECONDS = 0.01
PAUSE_SECONDS = 0.2  # before the next attempt when the lock was taken but no core answered
LOG_LINES = 8  # lines of the log that an error shows

# processes from `launch_ahead` that no client has used yet, by socket
_launched: dict[Path, subprocess.Popen[bytes]] = {}


class CoreLauncher:
    """Starts a core until one answers, for at most `START_SECONDS`."""

    def __init__(self, paths: Paths, *, agent: bool = False) -> None:
        self._paths = paths
        self._agent = agent
        self._deadline = time.monotonic() + START_SECONDS
        self._not_before = 0.0

    def steps(self) -> Iterator[float]:
        """Start a core; yields seconds to wait, so that both threads and asyncio tasks can use it."""
        self._check_time()
        if (pause := self._not_before - time.monotonic()) > 0:
            yield pause
        process = _launched.pop(self._paths.user_socket, None) or launch(self._paths, agent=self._agent)
        try:
            while process.poll() is None:
                self._check_time()
                yield POLL_SECONDS
            self._judge(process)
        finally:
            process.kill()
            process.wait()
            if process.stderr:
                process.stderr.close()

    def _judge(self, process: subprocess.Popen[bytes]) -> None:
        words = process.stderr.read().decode("utf-8", "replace").strip() if process.stderr else ""
        if process.returncode == ANOTHER_RUNS:
            self._not_before = time.monotonic() + PAUSE_SECONDS
        elif process.returncode != 0:
            raise _failure(words, self._paths)

    def _check_time(self) -> None:
        if time.monotonic() > self._deadline:
            raise _failure("The core was started but does not answer.", self._paths)


def launch_ahead(paths: Paths) -> None:
    """Launch the core while the client itself is still loading; the next `CoreLauncher` takes the process over."""
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(str(paths.user_socket))
    except OSError:
        _launched[paths.user_socket] = launch(paths)


def reap_launched(paths: Paths) -> Iterator[float]:
    """Reap the process of `launch_ahead` if its core was reached without a `CoreLauncher`; yields seconds to wait."""
    process = _launched.pop(paths.user_socket, None)
    while process is not None and process.poll() is None:
        yield POLL_SECONDS
    if process is not None and process.stderr:
        process.stderr.close()


def launch(paths: Paths, *, agent: bool = False) -> subprocess.Popen[bytes]:
    """Launch a detached core, for an agent or for the user; the returned process ends once the core listens, or
    cannot.

    It starts in the folder above this package, because Python looks for modules in the current folder: in an untrusted
    project, a `json.py` there would be executed.
    """
    return subprocess.Popen(
        [*COMMAND, "core", "--detached", *(["--agent"] if agent else []), "--project", str(paths.project)],
        cwd=Path(__file__).resolve().parents[2],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def _failure(words: str, paths: Paths) -> WorkbenchError:
    """Return the error of a core that did not start: the first line is the message, the rest the hint; without
    output, the log's last lines."""
    sentence, _, hint = words.partition("\n")
    if not sentence or sentence.startswith("Traceback"):
        tail = (words or _tail(paths.core_log)).splitlines()[-LOG_LINES:]
        return WorkbenchError("The core could not be started.", "\n".join([*tail, f"Its log: {paths.core_log}"]))
    return WorkbenchError(sentence, hint.strip() or f"Its log: {paths.core_log}")


def _tail(log: Path) -> str:
    try:
        return log.read_text(encoding="utf-8", errors="replace")[-4000:]
    except OSError:
        return ""
