"""Every message to an agent passes the egress filter, which applies the session's privacy settings."""

from __future__ import annotations

import ast
from pathlib import Path

SENDING = {"write", "writelines", "sendall", "sendto", "sock_sendall", "send_bytes", "print"}
CLIENTS = {"example_agent.py"}  # in the agent package, but a client and not the endpoint
# `admit` is for user clients; a hook program gets a decision about the call that it described itself.
HANDED_ON = {"process.py": {"_serve_agent", "serve_agent", "admit", "_serve_hook", "serve_hook"}, "core.py": {"serve"}}


def _calls(path: Path) -> list[tuple[str, ast.Call]]:
    """Each call in a file, with the name of the calling function."""
    nodes = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
    return [(_name(node.func), node) for node in nodes]


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(node))


def test_only_the_stream_writes_to_an_agent_and_only_what_left_through_the_edge(root: Path) -> None:
    files = [path for path in sorted((root / "workbench/agent").glob("*.py")) if path.name not in CLIENTS]
    sent = [(path.name, ast.unparse(call)) for path in files for name, call in _calls(path) if name in SENDING]
    assert [name for name, _ in sent] == ["message_stream.py"], "one place writes to an agent's connection"
    assert sent[0][1].startswith("writer.write(await encode("), "and what it writes is what the edge made"


def test_the_connection_of_an_agent_is_handed_to_that_stream_alone(root: Path) -> None:
    door = root / "workbench/agent/agent_connection.py"
    users = {name for name, call in _calls(door) if any(_mentions(part, "writer") for part in call.args)}
    assert users == {"messages"}
    (opened,) = [call for name, call in _calls(door) if name == "messages"]
    assert ast.unparse(opened.args[-1]) == "self.egress_filter.encode"
    assert sum(name == "EgressFilter" for name, _ in _calls(door)) == 1, "an agent has one egress filter"
    for name, allowed in HANDED_ON.items():
        found = {
            used
            for used, call in _calls(root / "workbench" / name)
            if any(isinstance(part, ast.Name) and part.id == "writer" for part in call.args)
        }
        assert found <= allowed, f"{name} hands an agent's connection to something else"


def test_over_http_only_refusals_and_what_left_through_the_edge_are_sent(root: Path) -> None:
    """An answer of the SDK is sent by `Leaving`, rebuilt. A refusal is text of the workbench and is sent before a
    session exists.
    """
    files = sorted((root / "workbench/agent/http").glob("*.py"))
    sent = {path.name for path in files for name, _ in _calls(path) if name in SENDING | {"send", "_send"}}
    assert sent == {"response_filter.py", "request_gate.py"}
    (asked,) = [call for name, call in _calls(files[0].parent / "http_agents.py") if name == "handle_request"]
    assert ast.unparse(asked.args[-1]) == "response_filter"


def test_the_edge_looks_at_every_part_of_a_message_that_is_not_the_protocols(root: Path) -> None:
    """An exception in the filter must be added here too, with a reason in both places."""
    from workbench.agent import egress_filter

    assert {"jsonrpc", "id", "method"} == egress_filter._FRAME
    assert {"progressToken", "requestId"} == egress_filter._OWN
