"""A tiny MCP server that asks back, without any SDK: `asking.py [MODE]`.

Each tool asks the client something and answers with what it was told, as JSON text.

(no mode)     protocol 2025-11-25, tasks declared
no_tasks      the same, without the tasks capability
odd_tasks     answers tasks in ways the protocol does not know
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time

MODE = sys.argv[1] if len(sys.argv) > 1 else ""
LOCK = threading.Lock()
COUNT = iter(range(1, 1_000_000))
waiting: dict[object, queue.Queue] = {}
cancelled: set[object] = set()
visits: list[str] = []
tasks: dict[str, dict] = {}
heard: list[str] = []

FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name", "minLength": 2},
        "seats": {"type": "integer", "minimum": 1, "maximum": 9, "default": 2},
        "meal": {"type": "string", "oneOf": [{"const": "f", "title": "Fish"}, {"const": "s", "title": "Soup"}]},
    },
    "required": ["name"],
}
PAGE = {"mode": "url", "message": "Please sign in.", "url": "https://inn.example/sign?x=1"}
WORDS = {"role": "user", "content": {"type": "text", "text": "Greet the guest."}}


def say(message: dict) -> None:
    with LOCK:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def ask(method: str, params: dict | None = None) -> dict:
    """The client's answer, result or error."""
    number = f"s{next(COUNT)}"
    waiting[number] = queue.Queue()
    say({"id": number, "method": method, "params": params or {}})
    answer = waiting[number].get()
    return answer.get("result", {"error": answer.get("error")})


def ask_form(number: object, given: dict) -> object:
    return ask("elicitation/create", {"mode": "form", "message": "Who comes?", "requestedSchema": FORM})


def ask_page(number: object, given: dict) -> object:
    answer = ask("elicitation/create", {**PAGE, "elicitationId": "page-1"})
    if given.get("complete") and answer.get("action") == "accept":
        say({"method": "notifications/elicitation/complete", "params": {"elicitationId": "page-1"}})
    return answer


def ask_many(number: object, given: dict) -> object:
    answers: list = [None] * given.get("times", 3)

    def one(place: int) -> None:
        answers[place] = ask_form(number, {})

    threads = [threading.Thread(target=one, args=(place,), daemon=True) for place in range(len(answers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def sample(number: object, given: dict) -> object:
    wish = {"messages": [WORDS], "systemPrompt": "You are an innkeeper.", "maxTokens": 100}
    return ask("sampling/createMessage", {**wish, **given.get("more", {})})


def list_roots(number: object, given: dict) -> object:
    return {**ask("roots/list"), "told": heard.count("notifications/roots/list_changed")}


def visit_first(number: object, given: dict) -> object:
    visits.append("x")
    if len(visits) > 1:
        return {"calls": len(visits)}
    raise PermissionError


def leave(number: object, given: dict) -> object:
    threading.Thread(target=ask_form, args=(number, {}), daemon=True).start()
    time.sleep(0.2)
    os._exit(5)


def work(number: object, given: dict) -> object:
    return {"worked": True}


TOOLS = {tool.__name__: tool for tool in (ask_form, ask_page, ask_many, sample, list_roots, visit_first, leave, work)}


def listed() -> list[dict]:
    schema = {"type": "object", "properties": {}}
    found = [{"name": name, "description": f"Does {name}.", "inputSchema": schema} for name in TOOLS]
    for name, support in (("long_work", "required"), ("long_ask", "optional"), ("long_fail", "required")):
        found.append({"name": name, "inputSchema": schema, "execution": {"taskSupport": support}})
    return found


# tasks


def begin(name: str, given: dict) -> dict:
    number = f"t{next(COUNT)}"
    tasks[number] = {"taskId": number, "status": "working", "createdAt": "2026-01-01T00:00:00Z", "ttl": 60_000,
                     "lastUpdatedAt": "2026-01-01T00:00:00Z", "pollInterval": 20, "statusMessage": "Begun"}  # fmt: skip
    threading.Thread(target=carry_out, args=(number, name, given), daemon=True).start()
    return {"task": tasks[number]}


def carry_out(number: str, name: str, given: dict) -> None:
    task = tasks[number]
    if name == "long_ask":
        task.update(status="input_required", statusMessage="Needs a name")
        meta = {"io.modelcontextprotocol/related-task": {"taskId": number}}
        answer = ask("elicitation/create", {"message": "Who comes?", "requestedSchema": FORM, "_meta": meta})
        task["payload"] = {"content": [{"type": "text", "text": json.dumps(answer)}]}
    else:
        for step in range(given.get("steps", 3)):
            if task["status"] == "cancelled":
                return
            task["statusMessage"] = f"Step {step + 1}"
            time.sleep(0.05)
        words = {"content": [{"type": "text", "text": name}], "isError": name == "long_fail"}
        task["payload"] = words
    if task["status"] != "cancelled":
        task["status"] = "failed" if name == "long_fail" else "completed"


def task_answer(method: str, params: dict) -> dict | None:
    if MODE == "odd_tasks":
        return {"task": "what?"}
    if method == "tasks/list":
        return {"tasks": [public(task) for task in tasks.values()]}
    task = tasks.get(params.get("taskId", ""))
    if task is None:
        return None
    if method == "tasks/cancel":
        task["status"] = "cancelled"
    if method == "tasks/result":
        while task["status"] in ("working", "input_required"):
            time.sleep(0.01)
        return task.get("payload")
    return public(task)


def public(task: dict) -> dict:
    return {key: value for key, value in task.items() if key != "payload"}


# the protocol


def answer_call(number: object, params: dict) -> None:
    name, given = params.get("name", ""), params.get("arguments") or {}
    if "task" in params and MODE == "odd_tasks":
        say({"id": number, "result": {"taskId": 7}})
        return
    if "task" in params:
        say({"id": number, "result": begin(name, given)})
        return
    if name not in TOOLS:
        say({"id": number, "error": {"code": -32601, "message": f"{name} must be called as a task"}})
        return
    try:
        words = json.dumps(TOOLS[name](number, given))
    except PermissionError:
        data = {"elicitations": [{**PAGE, "elicitationId": "page-2"}]}
        say({"id": number, "error": {"code": -32042, "message": "Sign in first", "data": data}})
        return
    say({"id": number, "result": {"content": [{"type": "text", "text": words}]}})


def welcome(params: dict) -> dict:
    kept = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
    capabilities = {"tools": {}} if MODE == "no_tasks" else {"tools": {}, "tasks": kept}
    about = {"name": "asking", "version": "1", "description": json.dumps(params.get("capabilities"))}
    return {
        "protocolVersion": min(params["protocolVersion"], "2025-11-25"),
        "capabilities": capabilities,
        "serverInfo": about,
        "instructions": json.dumps(params.get("capabilities")),
    }


def take(message: dict) -> None:
    number, method, params = message.get("id"), message.get("method"), message.get("params") or {}
    if method is None:
        waiting[number].put(message)
        return
    heard.append(method)
    if number is None:
        return
    if method == "initialize":
        say({"id": number, "result": welcome(params)})
    elif method == "tools/list":
        say({"id": number, "result": {"tools": listed()}})
    elif method == "tools/call":
        threading.Thread(target=answer_call, args=(number, params), daemon=True).start()
    elif method.startswith("tasks/"):
        threading.Thread(target=answer_task, args=(number, method, params), daemon=True).start()
    else:
        say({"id": number, "error": {"code": -32601, "message": f"Method not found: {method}"}})


def answer_task(number: object, method: str, params: dict) -> None:
    result = task_answer(method, params)
    if result is None:
        say({"id": number, "error": {"code": -32602, "message": "There is no such task"}})
    else:
        say({"id": number, "result": result})


if __name__ == "__main__":
    for line in sys.stdin:
        if line.strip():
            take(json.loads(line))
