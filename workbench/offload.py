"""Decides from measured costs whether work on a text or value runs on the event loop or on a worker thread.

A worker thread costs about 0.1 ms, and while it runs Python code, each system call of the event loop waits up to 5 ms
for the interpreter lock. So short work runs on the loop. Work that is expected to take longer than `LOOP_BUDGET_MS`
would delay every other client, so it runs on a thread.

Two kinds of work are not decided here. Work that may wait for a disk, a keyring or another process always runs on a
thread, whatever its size. JSON parsing (`_SLOW_PARSE` in `servers/sdk_adapter/stdio_transport.py`) holds the
interpreter lock on any thread, and very long work runs in a process (`audit/chain_verification.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Final, ParamSpec, TypeVar

LOOP_BUDGET_MS: Final = 10.0  # half of the longest gap of the event loop that `benchmarks/privacy_speed.py` accepts

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


class WorkKind:
    """A kind of work with its measured cost in milliseconds per 1,000 characters.

    Some constants count other units, such as list entries; their comments say which.
    """

    __slots__ = ("limit",)

    def __init__(self, ms_per_thousand: float) -> None:
        self.limit = round(1000 * LOOP_BUDGET_MS / ms_per_thousand)  # the largest size that runs on the loop

    async def run(
        self, size: int, function: Callable[_Parameters, _Result], *args: _Parameters.args, **kwargs: _Parameters.kwargs
    ) -> _Result:
        """Call the function on the loop or, above the limit, on a worker thread."""
        if size > self.limit:
            return await asyncio.to_thread(function, *args, **kwargs)
        return function(*args, **kwargs)


# Milliseconds per 1,000 units, measured on one 3 GHz core with the texts of `benchmarks/privacy_speed.py`.
MASKING: Final = WorkKind(2.5)  # a text without known values: 1.8 to 2.6
MASKING_PREVIEW: Final = WorkKind(5)  # register, mask and unmask one text: 4.3
REGISTRATION: Final = WorkKind(0.5)  # searching an answer for personal data: JSON 0.2 to 0.3, prose 0.9
ANSWER_INDEXING: Final = WorkKind(0.02)  # keeping an answer: 0.012 to 0.018
TOKEN_SEARCH: Final = WorkKind(0.1)  # PII tokens in arguments: none 0.05, many 0.15
# converting a server's answer to an `Outcome`, including counting its model tokens: 0.23 to 0.33
ANSWER_CONVERSION: Final = WorkKind(0.25)
PROGRAM_READING: Final = WorkKind(12.5)  # usual programs 0.6; a crafted program of 800 characters can take 20 ms
SOURCE_SEARCH: Final = WorkKind(2.5)  # searching earlier answers for a program's literals: 0.8, more where many match
SOURCE_INDEXING: Final = WorkKind(0.5)  # adding answers to the provenance index: 0.2 to 0.8
LIST_PARSING: Final = WorkKind(1.4)  # unit: entries of a server's list of resources or prompts
SEARCH_INDEXING: Final = WorkKind(50)  # unit: entries of the search index


def value_size(value: object, most: int) -> int:
    """Approximate number of characters in a JSON value. Counting stops above `most`."""
    total, waiting = 0, [value]
    while waiting and total <= most:
        part = waiting.pop()
        if isinstance(part, str):
            total += len(part) + 8
        elif isinstance(part, list):
            waiting += part
            total += 8
        elif isinstance(part, dict | Mapping):
            waiting += part.values()
            total += 8
        else:
            total += 16
    return total
