"""Starts a core process for a client. Two clients may do so at once: the core's lock decides, the loser connects."""

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
PAUSE_SECONDS = 0.2  # before trying again when the lock was taken but no core answered
LOG_LINES = 8  # of the log that an error shows

_launched: dict[Path, subprocess.Popen[bytes]] = {}  # by socket: launched ahead, and not yet needed


class CoreLauncher:
    """Starts a core until one answers, up to `START_SECONDS`."""

    def __init__(self, paths: Paths, *, agent: bool = False) -> None:
        self._paths = paths
        self._agent = agent
        self._deadline = time.monotonic() + START_SECONDS
        self._not_before = 0.0

    def steps(self) -> Iterator[float]:
        """Start a core; yields seconds to wait, so that threads and asyncio tasks can use it."""
        self._check_time()
        if (pause := self._not_before - time.monotonic()) > 0:
            yield pause
        process = _launched.pop(self._paths.person_socket, None) or launch(self._paths, agent=self._agent)
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
    """Launch the core while the client itself still loads; the next `Starter` takes it over."""
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(str(paths.person_socket))
    except OSError:
        _launched[paths.person_socket] = launch(paths)


def reap_launched(paths: Paths) -> Iterator[float]:
    """Reap the process of `launch_ahead` after its core was reached without a `Starter`; yields seconds to wait."""
    process = _launched.pop(paths.person_socket, None)
    while process is not None and process.poll() is None:
        yield POLL_SECONDS
    if process is not None and process.stderr:
        process.stderr.close()


def launch(paths: Paths, *, agent: bool = False) -> subprocess.Popen[bytes]:
    """Launch a detached core, for an agent or for the user; the process returned ends once the core listens, or cannot.

    It starts in the folder above this package, because Python looks for modules where it starts: in a project that a
    stranger wrote, their `json.py` would run.
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
    """The first line is the sentence, the rest the hint; without words, the log has to do."""
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
