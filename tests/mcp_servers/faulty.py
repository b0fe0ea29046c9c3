"""A tiny MCP server without any SDK, so that it starts in milliseconds: `faulty.py MODE [NUMBER]`.

Each mode is a way in which real servers are well or badly behaved. Used as a test double by every room.

echo            echo, add, fail, progress, slow, image; answers everything in order
plain           like echo, but never answers a method it does not know (the ten-second probe)
modern          the 2026-07-28 era: server/discover, no handshake
invalid_tool    twenty tools: one without inputSchema.type, one whose inputSchema is a text
pages           NUMBER tools, fifty a page
endless_pages   every page has a next one
dies_at_start   says why on stderr and leaves with code 3
hangs_at_start  never answers
rubbish         prints text on stdout between good messages
only_rubbish    prints text on stdout and no message
crashes         leaves with code 7 in the middle of the call `crash`
never_answers   takes calls and stays silent
late            answers a call NUMBER milliseconds after it was cancelled
big             the tool `big` answers with `size` bytes
flood           NUMBER notifications before each answer
changing        the tool `grow` adds a tool and says so
turning         `helper` says in its description what stands in version.txt; `turn` writes it anew and says so
wrong_types     answers calls with the wrong types
duplicates      answers each call twice
stubborn        ignores the end of stdin and TERM
orphan          leaves a child behind that ignores TERM
closes_stdout   closes its stdout at the call `close`, and lives on
error           refuses every call as invalid params
refuses         answers the handshake with an error
odd_handshake   answers the handshake with something else
schema          answers that depart from the output schema
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

MODE = sys.argv[1] if len(sys.argv) > 1 else "echo"
NUMBER = int(sys.argv[2]) if len(sys.argv) > 2 else 0
LOCK = threading.Lock()
cancelled: set[object] = set()
let_go = threading.Event()  # what is slow ends at once


def say(message: dict) -> None:
    with LOCK:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def tool(
    name: str, description: str = "", required: tuple = (), output: dict | None = None, /, **properties: dict
) -> dict:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    found = {"name": name, "description": description or f"The tool {name}.", "inputSchema": schema}
    return {**found, "outputSchema": output} if output else found


TEXT, INTEGER = {"type": "string"}, {"type": "integer"}
TOTAL = {"type": "object", "properties": {"total": INTEGER}, "required": ["total"]}


def tools() -> list[object]:
    if MODE == "invalid_tool":
        listed: list = [tool(f"good_{number}", text=TEXT) for number in range(18)]
        return [
            {"name": "typeless", "inputSchema": {"properties": {"a": TEXT}}},
            *listed,
            {"name": "bad", "inputSchema": "x"},
        ]
    if MODE in ("pages", "endless_pages"):
        return [tool(f"tool_{number}", f"Does thing {number}.") for number in range(NUMBER or 120)]
    if MODE == "changing":
        return [tool("grow"), *(tool(f"grown_{number}") for number in range(NUMBER))]
    if MODE == "turning":
        return [tool("turn", "", (), None, to=TEXT), *([] if said_version() == "gone" else [helper()])]
    if MODE == "schema":
        return [tool("wrong_total", "", (), TOTAL), tool("right_total", "", (), TOTAL)]
    return [
        tool("echo", "Say it again. And nothing else.", ("text",), text=TEXT),
        tool("add", "Add two numbers.", ("a", "b"), TOTAL, a=INTEGER, b=INTEGER),
        tool("fail", "Always fails."),
        tool("progress", "Says how far it is.", steps=INTEGER, pause=INTEGER),
        tool("slow", "Takes a second unless cancelled or let go.", ms=INTEGER),
        tool("let_go", "Ends every call of slow."),
        tool("image"),
        tool("big", size=INTEGER),
        tool("environment", name=TEXT),
        tool("was_cancelled"),
        tool("crash"),
        tool("close"),
        tool("odd-name.with/marks"),
    ]


def said_version() -> str:
    try:
        with open("version.txt", encoding="utf-8") as file:
            return file.read()
    except OSError:
        return "1"


def helper() -> dict:
    return tool("helper", f"Helps with things. Version {said_version()}.", ("text",), None, text=TEXT)


def text(words: str, **more: object) -> dict:
    return {"content": [{"type": "text", "text": words}], **more}


def call(number: object, name: str, given: dict, meta: dict) -> dict | None:
    global NUMBER
    if name == "echo":
        return text(given["text"]) if "text" in given else text("text: field required", isError=True)
    if name == "add":
        total = given["a"] + given["b"]
        return text(str(total), structuredContent={"total": total})
    if name == "fail":
        return text("It cannot be done.", isError=True)
    if name == "progress":
        for step in range(given.get("steps", 3)):
            time.sleep(given.get("pause", 0) / 1000)
            token = meta.get("progressToken")
            params = {
                "progressToken": token,
                "progress": step + 1,
                "total": given.get("steps", 3),
                "message": f"step {step + 1}",
            }
            say({"method": "notifications/progress", "params": params})
        return text("done")
    if name == "slow":
        until = time.monotonic() + given.get("ms", 1000) / 1000
        while time.monotonic() < until and number not in cancelled and not let_go.is_set():
            time.sleep(0.01)
        return text("slow")
    if name == "let_go":
        let_go.set()
        return text("let go")
    if name == "image":
        return {"content": [{"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}]}
    if name == "big":
        return text("x" * given.get("size", 10_000_000))
    if name == "environment":
        return text(os.environ.get(given.get("name", ""), "(not set)"))
    if name == "was_cancelled":
        return text(str(len(cancelled)))
    if name == "crash":
        print("about to crash", file=sys.stderr, flush=True)
        os._exit(7)
    if name == "close":
        os.close(1)
        return None
    if name == "grow":
        NUMBER += 1
        say({"method": "notifications/tools/list_changed"})
        return text("grown")
    if name == "turn":
        with open("version.txt", "w", encoding="utf-8") as file:
            file.write(given["to"])
        say({"method": "notifications/tools/list_changed"})
        return text("turned")
    if name in ("wrong_total", "right_total"):
        total = "many" if name == "wrong_total" else 1
        return text("1", structuredContent={"total": total})
    return text(f"{name} {json.dumps(given)}")


def answer_call(number: object, params: dict) -> None:
    name, given, meta = params.get("name", ""), params.get("arguments") or {}, params.get("_meta") or {}
    if MODE == "never_answers":
        return
    if MODE == "late":
        while number not in cancelled:
            time.sleep(0.01)
        time.sleep(NUMBER / 1000)
    if MODE == "error":
        say({"id": number, "error": {"code": -32602, "message": "Invalid arguments"}})
        return
    if MODE == "wrong_types":
        odd = {
            "content": ["bare", {"type": "text", "text": 5}, {"type": "unheard_of"}, 7],
            "structuredContent": [1, None],
        }
        say({"id": number, "result": odd})
        return
    for step in range(NUMBER if MODE == "flood" else 0):
        say({"method": "notifications/message", "params": {"level": "info", "data": f"noise {step}"}})
        say({"method": "notifications/tools/list_changed"})
    result = call(number, name, given, meta)
    for _ in range(2 if MODE == "duplicates" else 1):
        if result is not None:
            say({"id": number, "result": result})


def listing(params: dict) -> dict:
    listed = tools()
    if MODE not in ("pages", "endless_pages"):
        return {"tools": listed}
    start = int(params.get("cursor") or 0)
    page = {"tools": listed[start % len(listed) : start % len(listed) + 50]}
    return {**page, "nextCursor": str(start + 50)} if MODE == "endless_pages" or start + 50 < len(listed) else page


def result_of(method: str, params: dict) -> dict | None:
    about = {"name": f"faulty-{MODE}", "version": "1.2.3"}
    if MODE == "modern":
        if method == "server/discover":
            meta = {"io.modelcontextprotocol/serverInfo": about}
            found = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "resultType": "complete"}
            return {**found, "ttlMs": 0, "cacheScope": "private", "_meta": meta}
        if method == "initialize":
            return None
    if method == "initialize" and MODE in ("refuses", "odd_handshake"):
        return {"hello": "world"} if MODE == "odd_handshake" else None
    if method == "initialize":
        version = min(params["protocolVersion"], "2025-06-18")
        capabilities = {"tools": {"listChanged": True}}
        return {
            "protocolVersion": version,
            "capabilities": capabilities,
            "serverInfo": about,
            "instructions": "For tests.",
        }
    if method == "tools/list":
        return listing(params)
    return {} if method == "ping" else None


def take(message: dict) -> None:
    number, method, params = message.get("id"), message.get("method"), message.get("params") or {}
    if method == "notifications/cancelled":
        cancelled.add(params.get("requestId"))
    if number is None or MODE in ("hangs_at_start", "only_rubbish"):
        return
    if MODE == "rubbish":
        print("Server is running! (a line for humans)", flush=True)
    if method == "tools/call":
        threading.Thread(target=answer_call, args=(number, params), daemon=True).start()
    elif (result := result_of(method, params)) is not None:
        say({"id": number, "result": result})
    elif MODE != "plain":
        say({"id": number, "error": {"code": -32601, "message": f"Method not found: {method}"}})


def main() -> None:
    if MODE == "dies_at_start":
        print("Error: API_KEY is not set", file=sys.stderr, flush=True)
        sys.exit(3)
    if MODE == "only_rubbish":
        print("Welcome!\nListening on port 3000", flush=True)
    if MODE == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if MODE == "orphan":
        code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(300)"
        subprocess.Popen([sys.executable, "-S", "-c", code])
    for line in sys.stdin:
        if line.strip():
            take(json.loads(line))
    if MODE == "stubborn":
        time.sleep(300)


if __name__ == "__main__":
    main()
