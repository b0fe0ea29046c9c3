"""Reads server entries from pasted text: a JSON snippet, a command line, `claude mcp add …`, or an address."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any

from workbench.errors import WorkbenchError
from workbench.records import ServerConfig

_ADDRESS = re.compile(r"https?://\S+")
_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_TRANSPORTS = {"http": "http", "streamable-http": "http", "streamableHttp": "http", "sse": "sse", "stdio": "stdio"}
_FENCED = re.compile(r"```[ \t]*[a-z0-9]{0,12}\s(.*?)```", re.DOTALL)
_COMMENT = re.compile(r"^\s*//[^\n]*$|(?<=[\s,{\[])//[^\n]*$", re.MULTILINE)
_SERVER_KEY = re.compile(r'"(?:mcpServers|servers|command|url|serverUrl)"\s*:')
_ADDS_SERVER = re.compile(r"claude\s+mcp\s|\S+\s+--add-mcp\s")
_HINT = "Paste a JSON snippet, a command line such as npx -y …, claude mcp add …, or an address."


def read_pasted(text: str) -> tuple[ServerConfig, ...]:
    """The entries in the text; missing fields are empty. Raises WorkbenchError if there is no entry."""
    text = _strip_prose(text)
    if _ADDRESS.fullmatch(text):
        return (ServerConfig("", url=text),)
    if text.startswith(("{", '"')):
        return _json(text)
    text = text.replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and all(line.startswith("claude mcp add") for line in lines):
        return tuple(config for line in lines for config in read_pasted(line))
    try:
        words = shlex.split(text)
    except ValueError as fault:
        raise WorkbenchError(f"The command line cannot be read: {fault}.", _HINT) from fault
    if words[:3] == ["claude", "mcp", "add"]:
        return (_claude(words[3:]),)
    if words[:3] == ["claude", "mcp", "add-json"] and len(words) > 4:
        return (_entry(words[3], _load(words[4])),)
    if len(words) == 3 and words[1] == "--add-mcp":  # VS Code's command line
        return _json(words[2])
    return (_command("", words),)


def _strip_prose(text: str) -> str:
    """The snippet without the sentences and Markdown of a README around it."""
    fenced = _FENCED.search(text)
    text = (fenced[1] if fenced else text).strip().strip("`").strip().removeprefix("$ ").strip()
    begin, end = text.find("{"), text.rfind("}")
    if text.startswith('"') or _ADDS_SERVER.match(text) or not 0 <= begin < end or not _SERVER_KEY.search(text):
        return text
    return text[begin : end + 1]


def _json(text: str) -> tuple[ServerConfig, ...]:
    document = _load(text if text.startswith("{") else f"{{{text.rstrip(', ')}}}")
    for key in ("mcpServers", "servers", "mcp"):
        if isinstance(document.get(key), Mapping):
            document = document[key]
    if isinstance(document.get("servers"), Mapping):
        document = document["servers"]
    if any(key in document for key in ("command", "url", "serverUrl")):
        return (_entry(str(document.get("name", "")), document),)
    entries = [(name, entry) for name, entry in document.items() if isinstance(entry, Mapping)]
    if not entries:
        raise WorkbenchError("The snippet contains no server.", _HINT)
    return tuple(_entry(name, entry) for name, entry in entries)


def _load(text: str) -> dict[str, Any]:  # Any: JSON
    try:
        document = json.loads(re.sub(r",\s*([}\]])", r"\1", _COMMENT.sub("", text)))
    except (ValueError, RecursionError) as fault:
        raise WorkbenchError(f"The snippet cannot be read: {fault}.", _HINT) from fault
    if not isinstance(document, dict):
        raise WorkbenchError("The snippet contains no server.", _HINT)
    return document


def _entry(name: str, entry: Mapping[str, Any]) -> ServerConfig:  # Any: JSON
    args = entry.get("args")
    return ServerConfig(
        name,
        str(entry.get("command") or ""),
        tuple(str(arg) for arg in args) if isinstance(args, list) else (),
        _text_map(entry.get("env")),
        str(entry.get("cwd") or ""),
        str(entry.get("url") or entry.get("serverUrl") or ""),
        transport=_TRANSPORTS.get(str(entry.get("type") or ""), ""),
        headers=_text_map(entry.get("headers")),
        description=str(entry.get("description") or ""),
    )


def _text_map(value: object) -> dict[str, str]:
    return {str(name): str(text) for name, text in value.items()} if isinstance(value, Mapping) else {}


def _claude(words: list[str]) -> ServerConfig:
    """`claude mcp add [options] NAME -- COMMAND…`, or with an address in the place of the command."""
    transport, env, headers, plain = "", dict[str, str](), dict[str, str](), list[str]()
    while words:
        word = words.pop(0)
        if word == "--":
            plain += words
            break
        if word in ("-t", "--transport") and words:
            transport = _TRANSPORTS.get(words.pop(0), "")
        elif word in ("-s", "--scope") and words:
            words.pop(0)
        elif word in ("-e", "--env") and words:
            while words and (match := _ASSIGNED.fullmatch(words[0])):
                env[match[1]] = match[2]
                words.pop(0)
        elif word in ("-H", "--header") and words:
            header, _, value = words.pop(0).partition(":")
            headers[header.strip()] = value.strip()
        else:
            plain.append(word)
    if len(plain) < 2:
        raise WorkbenchError("The command line contains no name and command.", _HINT)
    if _ADDRESS.fullmatch(plain[1]):
        return ServerConfig(plain[0], url=plain[1], transport=transport, headers=headers)
    found = _command(plain[0], plain[1:])
    return ServerConfig(found.name, found.command, found.args, {**env, **found.env})


def _command(name: str, words: list[str]) -> ServerConfig:
    env: dict[str, str] = {}
    while words and (match := _ASSIGNED.fullmatch(words[0])):
        env[match[1]] = match[2]
        words = words[1:]
    if not words:
        raise WorkbenchError("The text contains no command.", _HINT)
    return ServerConfig(name or _guess_name(words), words[0], tuple(words[1:]), env)


def _guess_name(words: list[str]) -> str:
    """A name for `npx -y @scope/server-files@latest .`: files."""
    for word in words[1:]:
        if not word.startswith("-") and re.search(r"[A-Za-z]", word):
            last = re.sub(r"@[\w.^~-]+$", "", word).rsplit("/", 1)[-1]
            return re.sub(r"^(?:mcp-)?(?:server-)?|(?:-mcp)?(?:-server)?$", "", last)[:40] or last[:40]
    return ""
