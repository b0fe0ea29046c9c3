"""Formats one tool call for other programs: a JSON-RPC message, curl, a pipe into a server, our own command line.

Shell words are quoted so that nothing in them is run; secrets become variables that the user sets first.
"""

from __future__ import annotations

import base64
import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import workbench
from workbench.errors import WorkbenchError
from workbench.records import JsonObject, JsonValue, ServerConfig, ServerState, Tool

LEGACY, MODERN = "2025-11-25", "2026-07-28"
CLIENT = {"name": "shell", "version": "1"}
WAIT = 5  # seconds that a pipe into a server stays open for the answer
FORMS = ("json-rpc", "curl", "command")


def call_text(form: str, state: ServerState, tool: Tool, arguments: JsonObject, project: Path) -> str:
    """Return the call in one of `FORMS`. For a server over stdio, `curl` is a pipe into a new server process."""
    if form == "json-rpc":
        return json.dumps(_message(tool, arguments), indent=2, ensure_ascii=False) + "\n"
    if form == "command":
        return _command(tool, arguments, project) + "\n"
    if form != "curl":
        raise WorkbenchError(f"There is no form {form!r:.60}.", f"Use {', '.join(FORMS)}.")
    if not state.config.remote:
        return _pipe(state.config, tool, arguments, project)
    if state.config.transport == "sse":
        return (
            "# This server uses the old SSE transport: its answer comes over a second connection, which a single curl\n"
            f"# command cannot keep open. This command makes the call:\n{_command(tool, arguments, project)}\n"
        )
    return _curl(state, tool, arguments)


def _message(tool: Tool, arguments: JsonObject, meta: JsonObject | None = None) -> dict[str, JsonValue]:
    params: dict[str, JsonValue] = {"name": tool.name, "arguments": dict(arguments)}
    if meta is not None:
        params["_meta"] = dict(meta)
    return {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}


def _hello() -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
    params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": CLIENT}
    first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    return first, {"jsonrpc": "2.0", "method": "notifications/initialized"}


def _command(tool: Tool, arguments: JsonObject, project: Path) -> str:
    names = " ".join(quoted(name) for name in (tool.server, tool.name))
    names = f"-- {names}" if tool.server.startswith("-") or tool.name.startswith("-") else names
    return f"mcp-workbench call --project {quoted(str(project))} --json {quoted(_line(dict(arguments)))} {names}"


def _curl(state: ServerState, tool: Tool, arguments: JsonObject) -> str:
    words = ShellCommand()
    config = state.config
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    given = [f"-H {quoted(f'{name}: {value}')}" for name, value in headers.items()]
    for name, value in config.headers.items():
        given.append(f"-H {quoted(f'{name}: ')}{words.shell_word_or_variable(name, value)}")
    if state.sign_in == "done":
        given.append(f'-H {quoted("Authorization: Bearer ")}"{words.add_variable("ACCESS_TOKEN")}"')
    post = f"curl -sS -X POST {words.shell_word(config.url)} " + " ".join(given)
    body = _modern(post, tool, arguments) if state.era == "modern" else _legacy(post, tool, arguments)
    return _preface(words) + body


def _modern(post: str, tool: Tool, arguments: JsonObject) -> str:
    """Return one request. It is enough, because each request contains the client and the protocol version."""
    prefix = "io.modelcontextprotocol/"
    meta = {f"{prefix}protocolVersion": MODERN, f"{prefix}clientInfo": CLIENT, f"{prefix}clientCapabilities": {}}
    told = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": _header_value(tool.name)}
    more = " ".join(f"-H {quoted(f'{name}: {value}')}" for name, value in told.items())
    return f"{post} {more} \\\n  --data-raw {quoted(_line(_message(tool, arguments, meta)))}\n"


def _legacy(post: str, tool: Tool, arguments: JsonObject) -> str:
    """Return three requests that start a session first.

    The session id comes in a header. A server without sessions sends none, and curl then omits the header."""
    first, then = _hello()
    number = "tr -d '\\r' | sed -n 's/^[Mm][Cc][Pp]-[Ss]ession-[Ii][Dd]: *//p'"
    more = f"-H \"Mcp-Session-Id: $session\" -H 'MCP-Protocol-Version: {LEGACY}'"
    return (
        f"session=$({post} -D - -o /dev/null \\\n  --data-raw {quoted(_line(first))} | {number})\n"
        f"{post} {more} \\\n  --data-raw {quoted(_line(then))}\n"
        f"{post} {more} \\\n  --data-raw {quoted(_line(_message(tool, arguments)))}\n"
    )


def _pipe(config: ServerConfig, tool: Tool, arguments: JsonObject, project: Path) -> str:
    words = ShellCommand()
    lines = " \\\n  ".join(quoted(_line(message)) for message in (*_hello(), _message(tool, arguments)))
    env = {name: words.shell_word_or_variable(name, value) for name, value in config.env.items()}
    if config.builtin:
        env["PYTHONPATH"] = quoted(str(Path(workbench.__file__).resolve().parent.parent))
    start = [quoted("env"), *(f"{quoted(name)}={value}" for name, value in env.items())] if env else []
    start += [words.shell_word(part) for part in (config.command, *config.args)]
    folder = words.shell_word(f"{project}/{config.cwd}" if config.cwd and not config.cwd.startswith(("/", "~")) else
                        config.cwd or str(project))  # fmt: skip
    about = "# curl cannot reach a server over stdio. This starts a new process of the server and sends it the call.\n"
    pipe = f"{{ printf '%s\\n' {lines}; sleep {WAIT}; }} \\\n  | (cd {folder} && exec {' '.join(start)})\n"
    return about + _preface(words) + pipe


def _preface(words: ShellCommand) -> str:
    return f"# Set first: {', '.join(words.needed)}\n" if words.needed else ""


def _header_value(text: str) -> str:
    """Return a name as a header value as the protocol requires: plain if that is safe, else marked base64."""
    if all(" " <= c <= "~" for c in text) and text == text.strip() and not text.startswith("=?base64?"):
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'replace')).decode('ascii')}?="


def _line(value: Mapping[str, JsonValue]) -> str:
    """Return JSON on one line. Lone surrogates, which no shell can pass on, become escapes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


REFERENCE = re.compile(r"\$\{(?:keyring:(?P<stored>[^}]*)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?)\}")
TELLING = re.compile(
    r"auth|token|secret|passw|credential|cookie|session|bearer|api.?key|(^|[_-])(key|pat)($|[_-])", re.I
)


class ShellCommand:
    """Makes shell words and collects the variables that they need."""

    def __init__(self) -> None:
        self.needed: dict[str, None] = {}  # in order of use

    def shell_word(self, text: str) -> str:
        """Return a text with references such as `${NAME}` and `${keyring:name}` as one shell word."""
        parts, at = [], 0
        for match in REFERENCE.finditer(text):
            parts.append(text[at : match.start()])
            at = match.end()
            if match["default"] is not None:
                parts.append(_Variable(f"${{{match['name']}:-{_bare(match['default'])}}}"))
            else:
                parts.append(self.add_variable(match["name"] or match["stored"]))
        parts.append(text[at:])
        return "".join(f'"{part}"' if isinstance(part, _Variable) else quoted(part) for part in parts if part) or "''"

    def shell_word_or_variable(self, name: str, text: str) -> str:
        """Return a text as a shell word, like `shell_word`. A text whose name suggests a secret is replaced by a
        variable."""
        if TELLING.search(name) and not REFERENCE.search(text):
            return f'"{self.add_variable(name)}"'
        return self.shell_word(text)

    def add_variable(self, name: str) -> _Variable:
        """Return a variable that the user must set first."""
        clean = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").upper() or "VALUE"
        clean = f"_{clean}" if clean[0].isdigit() else clean
        self.needed[clean] = None
        return _Variable(f"${clean}")


class _Variable(str):
    """A part of a word that the shell expands."""

    __slots__ = ()


def quoted(text: str) -> str:
    """Return one word for any POSIX shell. No shell can pass on a NUL, so it is removed."""
    return shlex.quote(text.replace("\0", ""))


def _bare(text: str) -> str:
    """Return a default value inside `"${NAME:-…}"`, with special characters of the shell escaped."""
    return re.sub(r'([\\"$`}])', r"\\\1", text)
