"""Sees one program through in a child that is used once: its text goes in, its end comes out, the child is ended."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

from workbench.sandbox.cells import Cell, Gone
from workbench.sandbox.ending import conclude
from workbench.sandbox.maker import Maker
from workbench.sandbox.program import Answer, Ending, Output, Program
from workbench.sandbox.watching import until_over

_LAST_WORDS = 1.0  # seconds a dying program may take to be gone


async def run_once(maker: Maker, cell: Cell, program: Program, answer: Answer, output: Output) -> Ending:
    """Its ending. A child that said its end is killed and told of at once; that it is gone, the caller waits for."""
    channel, limits = cell.channel, program.limits
    if cell.baggage is not None:
        await cell.baggage.bring()
    started = time.monotonic()
    channel.begin(program.code, limits, answer, output, program.network)
    full = await until_over(channel, program, started, cell.process)
    seconds = time.monotonic() - started
    reason, message = ("disk", full) if full and cell.baggage is None else await _collected(cell, output)
    last = channel.ended.result()
    gone = await _dead(maker, cell) if last is None else await _killed(maker, cell, last["memory_mb"])
    ending = conclude(channel, gone, limits, seconds, cell.last_words)
    return replace(ending, ok=False, reason=reason, message=message) if reason else ending


async def _collected(cell: Cell, output: Output) -> tuple[str, str]:
    """A program that ended by itself leaves its files; one that we had to end leaves nothing."""
    if cell.baggage is None or cell.channel.reason:
        return "", ""
    trouble = await cell.baggage.collect()
    if notes := cell.baggage.notes():
        output("stderr", notes)
    return trouble


async def _killed(maker: Maker, cell: Cell, memory_mb: float) -> Gone:
    """It said its end, so nothing more of it is needed; what it said before that is here."""
    maker.kill(cell)
    cell.take_rest()
    cell.channel.close()
    await cell.channel.closed()
    return Gone(memory_mb=memory_mb)


async def _dead(maker: Maker, cell: Cell) -> Gone:
    """How it died is all that there is to tell."""
    if cell.channel.reason:
        maker.kill(cell)
    await asyncio.wait([cell.gone], timeout=_LAST_WORDS)
    if not cell.channel.reason:
        await asyncio.wait([cell.silent], timeout=_LAST_WORDS)
    return await maker.finish(cell)
