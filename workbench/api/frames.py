"""The protocol between clients and the core: frames of four bytes of length, then JSON, and its limits.

A client introduces itself with {"hello": {protocol, app, project, role}} and gets a hello back. Then it sends {"id",
"ask", "arguments"}, {"id", "fetch", "offset", "length"} or {"cancel": id}. It gets {"id", "value"} or {"id", "fault"}
for each request, {"events": […]} whenever something happened, and {"fault"} alone before it is disconnected.
"""

from __future__ import annotations

import asyncio
import struct
from typing import Any

from workbench.api.codec import Message, to_json, to_message
from workbench.errors import WorkbenchError
from workbench.records import JsonObject

PROTOCOL = 3  # increased when an old client and a new core would misunderstand each other
FRAME_CAP = 32 * 1024 * 1024  # bytes; long texts stay in the core, so a regular frame is far smaller
HELLO_CAP = 64 * 1024  # bytes of the first frame, from a client that has not introduced itself
SLICE = 256 * 1024  # characters of a long text in one frame
READ_AHEAD = 1024 * 1024  # bytes a stream reader may hold before it pauses the other side
BATCH_SECONDS = 0.05  # events are collected for this long
HELLO_SECONDS = 10.0  # how long either side waits for the other's hello

_LENGTH = struct.Struct(">I")


class OversizedFrame(WorkbenchError):
    """A frame longer than the cap: later frames on the stream cannot be found."""


def pack_frame(message: JsonObject, cap: int = FRAME_CAP) -> bytes:
    """Encode a message as one frame."""
    body = to_json(message)
    if len(body) > cap:
        raise OversizedFrame(f"A message of {len(body):,} bytes is longer than the protocol allows.")
    return _LENGTH.pack(len(body)) + body


async def read_frame(reader: asyncio.StreamReader, cap: int = FRAME_CAP) -> Message | None:
    """Read the next message; None when the other side has disconnected. Raises `WorkbenchError` for an invalid one."""
    try:
        (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
        if length > cap:
            raise OversizedFrame(f"A message of {length:,} bytes is longer than the protocol allows.")
        body = await reader.readexactly(length)
    except (asyncio.IncompleteReadError, OSError):
        return None
    return to_message(body)


def error_to_json(error: WorkbenchError) -> dict[str, str]:
    return {"message": error.message, "hint": error.hint}


def error_from_json(fault: Any) -> WorkbenchError:
    """Convert a fault from the other side. Any: a fault of whatever shape."""
    if type(fault) is not dict:
        return WorkbenchError("The core reported an error in an unknown format.")
    return WorkbenchError(str(fault.get("message", "")), str(fault.get("hint", "")))
