"""A tiny MCP server that offers resources, prompts and a log, without any SDK: `offering.py MODE [NUMBER]`.

plain           two resources, a template, two prompts; completes; logs; takes subscriptions
bad_entries     lists in which most entries are wrong
many            NUMBER resources, a thousand a page
endless         a resource list whose every page has a next one
odd             answers of wrong shapes
bare            declares resources and prompts, and knows none of their methods
silent          declares nothing and answers nothing but the handshake and tools

The tool `touch` says that a resource changed NUMBER times, `log` logs NUMBER lines, `grow` adds a resource and a prompt
and says so, `die` ends the process, `say` answers with what was asked so far.
"""

from __future__ import annotations

import json
import os
import sys
import time

MODE = sys.argv[1] if len(sys.argv) > 1 else "plain"
NUMBER = int(sys.argv[2]) if len(sys.argv) > 2 else 1
asked: list[list] = []
level = ""
extra = 0
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def say(message: dict) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def resources(params: dict) -> dict:
    if MODE == "bad_entries":
        return {"resources": [{"name": "no uri"}, 5, {"uri": "a://good", "name": "good"}, {"uri": ["x"]}]}
    if MODE in ("many", "endless"):
        start = int(params.get("cursor") or 0)
        total = NUMBER if MODE == "many" else 10**9
        page = [
            {"uri": f"a://file/{at}", "name": f"file {at}", "size": at} for at in range(start, min(start + 1000, total))
        ]
        return {"resources": page, **({"nextCursor": str(start + 1000)} if start + 1000 < total else {})}
    listed = [
        {"uri": "a://text", "name": "text", "title": "A text", "mimeType": "text/plain", "size": 5},
        {"uri": "a://picture", "name": "picture", "mimeType": "image/png"},
    ]
    return {"resources": listed + [{"uri": f"a://new/{at}", "name": f"new {at}"} for at in range(extra)]}


def prompts() -> dict:
    if MODE == "bad_entries":
        return {"prompts": [{"name": "good", "arguments": "none"}, {"name": ""}, {"title": "nameless"}]}
    arguments = [{"name": "who", "required": True}, {"name": "how"}]
    listed = [{"name": "greet", "title": "Greet", "arguments": arguments}, {"name": "plain"}]
    return {"prompts": listed + [{"name": f"new {at}"} for at in range(extra)]}


def read(uri: str) -> dict | None:
    contents = {
        "a://text": [{"uri": uri, "mimeType": "text/plain", "text": "hello"}],
        "a://mail": [{"uri": uri, "mimeType": "text/plain", "text": "Write to ines.novak@example.com"}],
        "a://picture": [{"uri": uri, "mimeType": "image/png", "blob": PICTURE}],
        "a://bytes": [{"uri": uri, "mimeType": "application/octet-stream", "blob": "AAEC"}],
        "a://huge": [{"uri": uri, "text": "x" * 5_000_000}],
        "a://parts": [{"uri": f"{uri}/{at}", "text": f"part {at}"} for at in range(3)],
    }
    if MODE == "odd":
        return {"contents": {"text": 7}}
    return {"contents": contents[uri]} if uri in contents else None


def get_prompt(params: dict) -> dict | None:
    given = params.get("arguments") or {}
    if MODE == "odd":
        return {"messages": "none"}
    if params.get("name") != "greet" or "who" not in given:
        return None
    words = {"type": "text", "text": f"Greet {given['who']} {given.get('how', 'kindly')}."}
    picture = {"type": "image", "data": PICTURE, "mimeType": "image/png"}
    messages = [{"role": "user", "content": words}, {"role": "assistant", "content": picture}]
    return {"description": "A greeting", "messages": messages}


def complete(params: dict) -> dict:
    typed = params["argument"]["value"]
    context = (params.get("context") or {}).get("arguments") or {}
    known = ["Anna", "Anton", "Berta", *(f"{key}={value}" for key, value in context.items())]
    return {"completion": {"values": [one for one in known if one.startswith(typed)], "total": len(known)}}


def work(name: str) -> str:
    global extra
    for _ in range(NUMBER if name == "touch" else 0):
        say({"method": "notifications/resources/updated", "params": {"uri": "a://text"}})
    for at in range(NUMBER if name == "log" else 0):
        params = {"level": "info", "logger": "test", "data": {"line": at} if at % 2 else f"line {at}"}
        say({"method": "notifications/message", "params": params})
    if name == "grow":
        extra += 1
        say({"method": "notifications/resources/list_changed"})
        say({"method": "notifications/prompts/list_changed"})
    if name == "die":
        os._exit(3)
    return json.dumps(asked)


def answer(method: str, params: dict) -> dict | None:
    global level
    if method == "initialize":
        parts = {"resources": {"subscribe": True, "listChanged": True}, "prompts": {"listChanged": True}}
        both = {"completions": {}, "logging": {}}
        capabilities = {"tools": {}, **({} if MODE == "silent" else {**parts, **({} if MODE == "bare" else both)})}
        about = {"name": f"offering-{MODE}", "version": "1"}
        return {"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": about}
    if method == "tools/list":
        schema = {"type": "object", "properties": {}}
        names = ("touch", "log", "grow", "die", "say")
        return {"tools": [{"name": name, "inputSchema": schema} for name in names]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": work(params["name"])}]}
    asked.append([method, params])
    if MODE in ("bare", "silent"):
        return None
    if method == "resources/list":
        return resources(params)
    if method == "resources/templates/list":
        template = {"uriTemplate": "a://{name}{?part}", "name": "anything"}
        return {"resourceTemplates": [template, {"uriTemplate": 5}] if MODE == "bad_entries" else [template]}
    if method == "prompts/list":
        return prompts()
    if method == "resources/read":
        if params["uri"] == "a://slow":
            time.sleep(30)
        return read(params["uri"])
    if method in ("resources/subscribe", "resources/unsubscribe"):
        return {} if read(params["uri"]) else None
    if method == "prompts/get":
        return get_prompt(params)
    if method == "completion/complete":
        return complete(params)
    if method == "logging/setLevel":
        level = params["level"]
        return {}
    return None


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        number, method, params = message.get("id"), message.get("method"), message.get("params") or {}
        if number is None:
            continue
        if MODE == "silent" and method not in ("initialize", "tools/list", "tools/call"):
            asked.append([method, params])
            if method == "server/discover":
                say({"id": number, "error": {"code": -32601, "message": "no"}})
            continue
        result = answer(method, params)
        if result is not None:
            say({"id": number, "result": result})
        else:
            known = method.split("/")[0] in ("resources", "prompts") and MODE != "bare"
            code = -32602 if known else -32601
            say({"id": number, "error": {"code": code, "message": f"no {method} {params.get('uri', '')}".strip()}})


if __name__ == "__main__":
    main()
