"""An MCP server over pipes that says back whatever it is given: in its answer, its errors, its progress and its log."""

from __future__ import annotations

import json
import sys
from typing import Any

SAY = {
    "name": "say",
    "description": "Says it back.",
    "inputSchema": {
        "type": "object",
        "properties": {"text": {"type": "string"}, "fail": {"type": "boolean"}},
        "required": ["text"],
    },
    "annotations": {"readOnlyHint": True},
}


def send(**message: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def say(params: dict[str, Any]) -> dict[str, Any]:
    given = params["arguments"]
    text, token = given["text"], params.get("_meta", {}).get("progressToken")
    send(method="notifications/message", params={"level": "warning", "data": f"heard {text}"})
    if token is not None:
        send(method="notifications/progress", params={"progressToken": token, "progress": 1, "message": f"got {text}"})
    if given.get("fail"):
        return {"content": [{"type": "text", "text": f"{text} is not wanted."}], "isError": True}
    answer = {"text": text, "upper": text.upper(), "hex": text.encode().hex()}
    return {"content": [{"type": "text", "text": json.dumps(answer)}], "structuredContent": answer}


def main() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        match asked.get("method"):
            case "initialize":
                version = asked["params"]["protocolVersion"]
                about = {"capabilities": {"tools": {}, "logging": {}}, "serverInfo": {"name": "echo", "version": "1"}}
                send(id=asked["id"], result={"protocolVersion": version, **about})
            case "tools/list":
                send(id=asked["id"], result={"tools": [SAY]})
            case "tools/call":
                send(id=asked["id"], result=say(asked["params"]))
            case _ if "id" in asked:
                send(id=asked["id"], result={})


if __name__ == "__main__":
    main()
