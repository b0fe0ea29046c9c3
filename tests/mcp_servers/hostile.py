"""A small MCP server that tries to hold up whoever connects to it, without any SDK: `hostile.py MODE`.

`doubling`: a list of 2 KB whose schema stands for billions of parts. `broad`: tool names and descriptions of 10 MB.
`many`: an answer of 3,000,000 empty lists. `deep`: an answer nested too deep to be read. `no_object`: an error that is
no object. `rows`: lists inside lists. In each mode `echo` answers at once.
"""

from __future__ import annotations

import json
import sys

MODE = sys.argv[1]
TEXT = {"type": "string"}


def say(request: object, result: dict) -> None:
    write(json.dumps({"jsonrpc": "2.0", "id": request, "result": result}))


def write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def doubling() -> dict:
    parts = {f"d{at}": {"allOf": [{"$ref": f"#/$defs/d{at + 1}"}] * 2} for at in range(30)} | {"d30": TEXT}
    return {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": parts}


def rows() -> dict:
    parts = {f"d{at}": {"type": "array", "prefixItems": [{"$ref": f"#/$defs/d{at + 1}"}] * 10} for at in range(12)}
    return {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": parts | {"d12": TEXT}}


def tools() -> list[dict]:
    schema = {"doubling": doubling, "rows": rows}.get(MODE, lambda: {"type": "object"})()
    annotations = {"readOnlyHint": True, "openWorldHint": False}
    found = [
        {
            "name": "odd",
            "description": "Answers \x1b[31moddly\x07 \u202eylddo\u2066.",
            "inputSchema": schema,
            "annotations": annotations,
        },
        {"name": "echo", "description": "Answers ok.", "inputSchema": {"type": "object"}, "annotations": annotations},
    ]
    if MODE == "broad":
        words = "word and an address@example.org " * 300_000
        found.append({"name": "n" * 10_000_000, "description": "Long name.", "inputSchema": {"type": "object"}})
        found.append({"name": "wordy", "description": words, "inputSchema": {"type": "object"}})
        shape = {"type": "object", "properties": {"a": {"type": "string", "description": words}}}
        found.append({"name": "deeper", "description": "Long inside.", "inputSchema": shape})
    return found


def call(request: object, name: str) -> None:
    if name == "odd" and MODE == "many":
        empty = "[]," * 3_000_000
        write(
            f'{{"jsonrpc":"2.0","id":{json.dumps(request)},"result":{{"content":[],"structuredContent":{{"a":[{empty}[]]}}}}}}'
        )
    elif name == "odd" and MODE == "values":
        values = "1," * 900_000
        write(
            f'{{"jsonrpc":"2.0","id":{json.dumps(request)},"result":{{"content":[],"structuredContent":{{"a":[{values}1]}}}}}}'
        )
    elif name == "odd" and MODE == "lists":
        values = "[]," * 290_000
        write(
            f'{{"jsonrpc":"2.0","id":{json.dumps(request)},"result":{{"content":[],"structuredContent":{{"a":[{values}1]}}}}}}'
        )
    elif name == "odd" and MODE == "texts":
        values = '"x",' * 900_000
        write(
            f'{{"jsonrpc":"2.0","id":{json.dumps(request)},"result":{{"content":[],"structuredContent":{{"a":[{values}1]}}}}}}'
        )
    elif name == "odd" and MODE == "deep":
        deep = "[" * 200_000 + "]" * 200_000
        write(
            f'{{"jsonrpc":"2.0","id":{json.dumps(request)},"result":{{"content":[],"structuredContent":{{"a":{deep}}}}}}}'
        )
    elif name == "odd" and MODE == "no_object":
        write(json.dumps({"jsonrpc": "2.0", "id": request, "error": ["no", "object"]}))
    else:
        say(request, {"content": [{"type": "text", "text": "ok"}]})


for line in sys.stdin:
    message = json.loads(line)
    method, request = message.get("method"), message.get("id")
    if request is None:
        continue
    if method == "initialize":
        version = message["params"]["protocolVersion"]
        info = {"name": "hostile", "version": "1"}
        say(request, {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info})
    elif method == "tools/list":
        say(request, {"tools": tools()})
    elif method == "tools/call":
        call(request, message["params"]["name"])
    elif method == "ping":
        say(request, {})
    else:
        write(json.dumps({"jsonrpc": "2.0", "id": request, "error": {"code": -32601, "message": "no"}}))
