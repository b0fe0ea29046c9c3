"""The HTTP variant of `gui_server.py`: `gui_http_server.py TOOLS` prints its URL and serves until it is terminated.

Standard library only, one thread. Every answer is an event stream, so that notifications can precede it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys

from gui_server import messages

_STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


async def main(count: int) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                await _answer(reader, writer, count)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp", flush=True)
        await server.serve_forever()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, count: int) -> None:
    verb, *fields = (await reader.readuntil(b"\r\n\r\n")).decode("ascii").split("\r\n")
    told = dict(field.lower().split(": ", 1) for field in fields if ": " in field)
    body = await reader.readexactly(int(told.get("content-length", 0)))
    message = json.loads(body) if verb.startswith("POST") else {}
    if "id" not in message or "method" not in message:
        status = "202 Accepted" if message else "405 Method Not Allowed"
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode("ascii"))
        return
    writer.write(_STREAM)
    for told_now in messages(message, count):
        event = b"event: message\ndata: " + json.dumps(told_now).encode() + b"\n\n"
        writer.write(b"%x\r\n%s\r\n" % (len(event), event))
        await writer.drain()
    writer.write(b"0\r\n\r\n")
    await writer.drain()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10))
