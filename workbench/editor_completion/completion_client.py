"""Client of the completion process: starts the process at the first request and ends it after a time without requests.

The core's event loop only passes JSON lines on. If jedi does not finish with a program in time, the process is killed
and the next request starts a new one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

from workbench.api.marker import api
from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.records import CallShape, Candidate, Explanation

ABOVE: Final = Path(__file__).resolve().parents[2]  # working directory from which the process can import us
SECONDS = 20.0  # for one answer: a long program is parsed completely once, maybe on a busy machine
STARTING = 60.0  # for the start: the disk cache may be cold, and stubs are read
LONGEST = 1_000_000  # characters of a program
_WORKER = "workbench.editor_completion.completion_worker"
_LINE = 64 << 20  # bytes of an answer
_TIDY = {"PYTHONDONTWRITEBYTECODE": "1", "LANG": "C.UTF-8", "PATH": os.defpath}


class CompletionRequests:
    """Completion requests of a core's clients. Requests are answered one after the other."""

    def __init__(
        self,
        generated: Path,
        cache: Path,
        refresh: Callable[[], Awaitable[None]],
        idle: Callable[[], float] = lambda: 600.0,
    ) -> None:
        self._generated = generated
        self._cache = cache
        self._refresh = refresh  # updates the generated functions
        self._idle = idle
        self._process: asyncio.subprocess.Process | None = None
        self._lock = asyncio.Lock()
        self._idle_timer: asyncio.TimerHandle | None = None
        self._closed = False
        self.locked = False  # whether the kernel denies the process access to other files

    @property
    def pid(self) -> int:
        """Process ID of the completion process; 0 if none is running."""
        return self._process.pid if self._process is not None else 0

    @api(name="complete_code")
    async def complete(self, code: str, line: int, column: int) -> tuple[Candidate, ...]:
        """Completions at a position in a Python program, most likely first. Columns count code points from 0."""
        answer = await self._ask("complete", code, line, column)
        return tuple(Candidate(str(name), str(kind), int(typed)) for name, kind, typed in answer)

    @api(name="call_shapes")
    async def shapes(self, code: str, line: int, column: int) -> tuple[CallShape, ...]:
        """Parameters of the function call at a position in a Python program."""
        answer = await self._ask("shapes", code, line, column)
        return tuple(CallShape(str(n), tuple(map(str, p)), int(at), str(words)) for n, p, at, words in answer)

    @api(name="explain_code")
    async def explain(self, code: str, line: int, column: int) -> Explanation:
        """Full name and documentation of the symbol at a position in a Python program."""
        name, words = await self._ask("explain", code, line, column)
        return Explanation(str(name), str(words))

    async def close(self) -> None:
        self._closed = True
        async with self._lock:
            await self._end()

    async def _ask(self, what: str, code: str, line: int, column: int) -> Any:  # Any: JSON
        if len(code) > LONGEST:
            raise WorkbenchError("This program is too long for completion.", "Move parts of it into skills.")
        request = {"what": what, "code": code, "line": line, "column": column}
        await self._refresh()
        async with self._lock:
            process = self._process or await self._start()
            try:
                async with asyncio.timeout(SECONDS):
                    answer = await _request(process, request)
            except (TimeoutError, OSError, ValueError, asyncio.CancelledError) as fault:
                await self._end()  # its late answer must not be taken for the answer to the next request
                if isinstance(fault, asyncio.CancelledError):
                    raise
                words = "Completion did not finish for this program."
                raise WorkbenchError(words, "It restarts automatically at the next request.") from fault
            self._schedule_stop()
        if "fault" in answer:
            raise WorkbenchError(f"Completion failed for this program: {answer['fault']}.")
        return answer["answer"]

    async def _start(self) -> asyncio.subprocess.Process:
        if self._closed:
            raise WorkbenchError("The core is closing.")
        for folder in (self._generated, self._cache):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        process = self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", _WORKER, str(self._generated), str(self._cache),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            cwd=ABOVE, env=_TIDY, limit=_LINE, start_new_session=True,
        )  # fmt: skip
        try:
            async with asyncio.timeout(STARTING):
                ready = await _read_answer(process)
        except BaseException as fault:
            await self._end()
            if isinstance(fault, TimeoutError | OSError | ValueError):
                raise WorkbenchError("Completion could not be started.", "Check that jedi is installed.") from fault
            raise
        self.locked = bool(ready.get("locked"))
        return process

    def _schedule_stop(self) -> None:
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        self._idle_timer = asyncio.get_running_loop().call_later(self._idle(), self._stop_idle)

    def _stop_idle(self) -> None:
        self._idle_timer = None
        if not self._closed and not self._lock.locked():
            spawn("completion rests", self._stop_if_idle())

    async def _stop_if_idle(self) -> None:
        async with self._lock:
            if self._idle_timer is None:  # no request came meanwhile
                await self._end()

    async def _end(self) -> None:
        process, self._process = self._process, None
        if self._idle_timer is not None:
            self._idle_timer.cancel()
            self._idle_timer = None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        if process.stdin is not None:
            process.stdin.close()
            with contextlib.suppress(OSError):
                await process.stdin.wait_closed()


async def _request(process: asyncio.subprocess.Process, request: dict[str, Any]) -> dict[str, Any]:  # Any: JSON
    assert process.stdin is not None
    process.stdin.write(json.dumps(request).encode() + b"\n")
    await process.stdin.drain()
    return await _read_answer(process)


async def _read_answer(process: asyncio.subprocess.Process) -> dict[str, Any]:  # Any: JSON
    assert process.stdout is not None
    line = await process.stdout.readline()
    answer = json.loads(line)
    if not isinstance(answer, dict):
        raise ValueError("no object")
    return answer
