"""A tiny MCP server that lets one person's data out at every place where a server can, without any SDK:
`planting.py NAME MAIL`. Its definitions name nobody until its records were read; then it offers one tool more, whose
definition does.
"""

from __future__ import annotations

import base64
import json
import os
import struct
import sys
import zlib

NAME, MAIL = sys.argv[1:3]
RECORD = {"customer": {"name": NAME, "email": MAIL, "city": "Genoa"}}
WHO = f"{NAME} <{MAIL}>"
READ: list[bool] = []  # whether its records were read


def say(message: dict) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(words: str, **more: object) -> dict:
    return {"content": [{"type": "text", "text": words}], **more}


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def picture() -> str:
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"\0\xff"))
    data = b"\x89PNG\r\n\x1a\n" + head + chunk(b"tEXt", b"Author\0" + WHO.encode()) + pixels + chunk(b"IEND", b"")
    return base64.b64encode(data).decode()


def many() -> dict:
    rows = [{"number": at, "name": f"{NAME} {at:05}", "email": f"{at:05}.{MAIL}"} for at in range(2_000)]
    return text(json.dumps({"customers": rows}), structuredContent={"customers": rows})


def attached() -> dict:
    blob = base64.b64encode(json.dumps(RECORD).encode()).decode()
    link = {"type": "resource_link", "uri": f"crm://x?email={MAIL}", "name": "letter", "description": f"By {WHO}."}
    inner = [{"uri": f"crm://{MAIL}", "text": json.dumps(RECORD)}, {"uri": "crm://file", "blob": blob}]
    return {"content": [{"type": "resource", "resource": one} for one in inner] + [link]}


def speak(meta: dict) -> dict:
    params = {"progressToken": meta.get("progressToken"), "progress": 1, "message": f"writing to {WHO}"}
    say({"method": "notifications/progress", "params": params})
    for data in (f"log of {WHO}", {"customer": RECORD}):
        say({"method": "notifications/message", "params": {"level": "error", "logger": MAIL, "data": data}})
    print(f"stderr of {WHO}", file=sys.stderr, flush=True)
    return text("spoken")


def work(name: str, given: dict, meta: dict) -> dict | None:
    match name:
        case "record":
            if not READ:
                READ.append(True)
                say({"method": "notifications/tools/list_changed"})
            return text(json.dumps(RECORD), structuredContent=RECORD)
        case "many":
            return many()
        case "fails":
            return text(f"{WHO} may not do this.", isError=True)
        case "attached":
            return attached()
        case "picture":
            return {"content": [{"type": "image", "data": picture(), "mimeType": "image/png"}]}
        case "speaks":
            return speak(meta)
        case "dies":
            print(f"panic at {WHO}", file=sys.stderr, flush=True)
            os._exit(3)
    return None


def answer(method: str, params: dict) -> dict | None:
    if method == "initialize":
        capabilities = {"tools": {"listChanged": True}, "logging": {}}
        about = {"name": "planting", "version": "1"}
        instructions = f"Ask {WHO}."
        both = {"capabilities": capabilities, "serverInfo": about, "instructions": instructions}
        return {"protocolVersion": "2025-06-18", **both}
    if method == "tools/list":
        names = ("record", "many", "fails", "refuses", "attached", "picture", "speaks", "dies")
        schema = {"type": "object", "properties": {"id": {"type": "string", "description": "Of the record."}}}
        tools = [{"name": name, "description": "A tool of records.", "inputSchema": schema} for name in names]
        about = {"id": {"type": "string", "description": f"As {WHO} has it."}}
        later = {"name": "about", "description": f"The record tool that {WHO} made.",
                 "inputSchema": {"type": "object", "properties": about}}  # fmt: skip
        return {"tools": [*tools, *([later] if READ else [])]}
    if method == "tools/call":
        return work(params["name"], params.get("arguments") or {}, params.get("_meta") or {})
    return None


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if (number := message.get("id")) is None:
            continue
        result = answer(message.get("method"), message.get("params") or {})
        if result is not None:
            say({"id": number, "result": result})
        else:
            say({"id": number, "error": {"code": -32602, "message": f"Not for {WHO}.", "data": RECORD}})


if __name__ == "__main__":
    main()
