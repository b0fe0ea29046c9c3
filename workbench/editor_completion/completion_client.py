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


class Hints:
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
        self._turn = asyncio.Lock()
        self._rest: asyncio.TimerHandle | None = None
        self._closed = False
        self.locked = False  # whether the kernel denies the process access to other files

    @property
    def pid(self) -> int:
        """Process ID of the completion process; 0 if none is running."""
        return self._process.pid if self._process is not None else 0

    @api(name="complete_code")
    async def complete(self, code: str, line: int, column: int) -> tuple[Candidate, ...]:
        """Completions at a position in a Python program, most likely first. Columns count code points from 0."""
        told = await self._ask("complete", code, line, column)
        return tuple(Candidate(str(name), str(kind), int(typed)) for name, kind, typed in told)

    @api(name="call_shapes")
    async def shapes(self, code: str, line: int, column: int) -> tuple[CallShape, ...]:
        """Parameters of the function call at a position in a Python program."""
        told = await self._ask("shapes", code, line, column)
        return tuple(CallShape(str(n), tuple(map(str, p)), int(at), str(words)) for n, p, at, words in told)

    @api(name="explain_code")
    async def explain(self, code: str, line: int, column: int) -> Explanation:
        """Full name and documentation of the symbol at a position in a Python program."""
        name, words = await self._ask("explain", code, line, column)
        return Explanation(str(name), str(words))

    async def close(self) -> None:
        self._closed = True
        async with self._turn:
            await self._end()

    async def _ask(self, what: str, code: str, line: int, column: int) -> Any:  # Any: JSON
        if len(code) > LONGEST:
            raise WorkbenchError("This program is too long to be completed.", "Cut it into skills.")
        wish = {"what": what, "code": code, "line": line, "column": column}
        await self._refresh()
        async with self._turn:
            process = self._process or await self._start()
            try:
                async with asyncio.timeout(SECONDS):
                    answer = await _talk(process, wish)
            except (TimeoutError, OSError, ValueError, asyncio.CancelledError) as fault:
                await self._end()  # its late answer must not be taken for the answer to the next request
                if isinstance(fault, asyncio.CancelledError):
                    raise
                raise WorkbenchError("Completion gave up on this program.", "It starts anew by itself.") from fault
            self._rest_later()
        if "fault" in answer:
            raise WorkbenchError(f"Completion stumbled over this program: {answer['fault']}.")
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
                ready = await _heard(process)
        except BaseException as fault:
            await self._end()
            if isinstance(fault, TimeoutError | OSError | ValueError):
                raise WorkbenchError("Completion could not be started.", "Is jedi installed?") from fault
            raise
        self.locked = bool(ready.get("locked"))
        return process

    def _rest_later(self) -> None:
        if self._rest is not None:
            self._rest.cancel()
        self._rest = asyncio.get_running_loop().call_later(self._idle(), self._rest_now)

    def _rest_now(self) -> None:
        self._rest = None
        if not self._closed and not self._turn.locked():
            spawn("completion rests", self._end_in_turn())

    async def _end_in_turn(self) -> None:
        async with self._turn:
            if self._rest is None:  # no request came meanwhile
                await self._end()

    async def _end(self) -> None:
        process, self._process = self._process, None
        if self._rest is not None:
            self._rest.cancel()
            self._rest = None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        if process.stdin is not None:
            process.stdin.close()
            with contextlib.suppress(OSError):
                await process.stdin.wait_closed()


async def _talk(process: asyncio.subprocess.Process, wish: dict[str, Any]) -> dict[str, Any]:  # Any: JSON
    assert process.stdin is not None
    process.stdin.write(json.dumps(wish).encode() + b"\n")
    await process.stdin.drain()
    return await _heard(process)


async def _heard(process: asyncio.subprocess.Process) -> dict[str, Any]:  # Any: JSON
    assert process.stdout is not None
    line = await process.stdout.readline()
    told = json.loads(line)
    if not isinstance(told, dict):
        raise ValueError("no object")
    return told
