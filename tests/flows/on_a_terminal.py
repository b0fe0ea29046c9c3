"""A process on a pseudo terminal that is its controlling one, and somebody who reads and types there."""

from __future__ import annotations

import asyncio
import fcntl
import os
import struct
import subprocess
import termios
from collections.abc import Sequence

HANG = 60.0  # seconds; only a guard against waiting for ever


class OnTerminal:
    """Read and typed at by a test. `code` is the exit code once `end` has returned."""

    def __init__(self, words: Sequence[str], **more: str) -> None:
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 110, 0, 0))
        self._process = subprocess.Popen(
            words, stdin=slave, stdout=slave, stderr=slave, start_new_session=True, env={**os.environ, **more},
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(slave)
        os.set_blocking(self._master, False)
        self.said = ""
        self._read = 0
        self.code = -1

    @property
    def pid(self) -> int:
        return self._process.pid

    def _take(self) -> bool:
        """Whether more may come."""
        try:
            data = os.read(self._master, 65_536)
        except BlockingIOError:
            return True
        except OSError:  # the other end is closed
            return False
        self.said += data.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(data)

    async def until(self, words: str) -> str:
        """What was said since the last time, up to these words."""
        async with asyncio.timeout(HANG):
            while (at := self.said.find(words, self._read)) < 0:
                assert self._take() or words in self.said[self._read :], f"it ended: {self.said[self._read :]}"
                await asyncio.sleep(0.02)
        found, self._read = self.said[self._read : at + len(words)], at + len(words)
        return found

    async def shows(self, words: str) -> None:
        """Wait until these words were on the screen at any time."""
        async with asyncio.timeout(HANG):
            while words not in self.said:
                assert self._take(), f"it ended: {self.said[self._read :]}"
                await asyncio.sleep(0.02)

    def press(self, keys: str) -> None:
        """Press keys, without Enter."""
        os.write(self._master, keys.encode())

    async def answer(self, question: str, typed: str) -> str:
        """Wait for the question, and type."""
        shown = await self.until(question)
        os.write(self._master, typed.encode() + b"\n")
        return shown

    async def end(self) -> str:
        """All that was said since the last time, until the process has ended."""
        async with asyncio.timeout(HANG):
            while self._take() and self._process.poll() is None:
                await asyncio.sleep(0.02)
            while self._process.poll() is None:
                await asyncio.sleep(0.02)
            while self._take() and await asyncio.sleep(0, result=len(self.said)) != len(self.said):
                pass
        self.code = self._process.returncode
        self._close()
        return self.said[self._read :]

    def kill(self) -> None:
        """End the process if a failed test left it."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._close()

    def _close(self) -> None:
        if self._master >= 0:
            os.close(self._master)
            self._master = -1
