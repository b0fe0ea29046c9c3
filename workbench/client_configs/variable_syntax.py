"""Converts variable placeholders of other clients to ours (`${NAME}`, `${keyring:name}`) and back."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workbench.client_configs.client_table import ClientApp
from workbench.paths import home_folder

_ANY = re.compile(r"\$\{([^{}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OURS = re.compile(r"\$\{(?:keyring:([^{}]+)|([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?)\}")
_BARE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
_EDITORS_OWN = ("workspaceFolder", "workspaceFolderBasename", "workspaceRoot", "file", "fileDirname", "cwd")
# Written as values for clients without variables: they are the same wherever the client runs.
_WITHOUT = ("HOME", "USER")


def braced(value: Any) -> Any:  # Any: JSON
    """Replace `$NAME` by `${NAME}` in every text of a value."""
    if isinstance(value, str):
        return _BARE.sub(r"${\1}", value)
    if isinstance(value, list):
        return [braced(item) for item in value]
    return {key: braced(item) for key, item in value.items()} if isinstance(value, dict) else value


def to_ours(text: str, server: str, project: str) -> str:
    """Convert the placeholders in another client's text to ours; unknown placeholders stay unchanged."""

    def ours(match: re.Match[str]) -> str:
        word = match[1]
        kind, _, name = word.partition(":")
        if kind == "env" and _NAME.fullmatch(name):
            return f"${{{name}}}"
        if kind == "input" and name:
            return f"${{keyring:{server}/{name}}}"
        if kind in ("workspaceFolder", "workspaceRoot") and project:
            return project
        if word == "workspaceFolderBasename" and project:
            return Path(project).name
        return {"userHome": str(home_folder()), "pathSeparator": os.sep, "/": os.sep}.get(word, match[0])

    return _ANY.sub(ours, text)


def unknown(text: str) -> tuple[str, ...]:
    """Return the placeholders that we cannot fill: `${workspaceFolder}` outside a project, `${command:…}`."""
    found = _ANY.finditer(text)
    return tuple(match[0] for match in found if match[1] in _EDITORS_OWN or not _OURS.fullmatch(match[0]))


def to_theirs(text: str, client: ClientApp, tell: Callable[[str], None]) -> str:
    """Convert our placeholders to a client's syntax; `tell` receives a note for each unsupported one."""

    def theirs(match: re.Match[str]) -> str:
        secret, name, default = match[1], match[2], match[3]
        if secret is not None:
            return _secret(secret, client, tell)
        if client.variables == "${NAME}":
            return match[0]
        if client.variables:
            if default is not None:
                tell(f"{client.title} does not support defaults for variables: {match[0]} loses its default.")
            return client.variables.replace("NAME", name)
        return _filled(match[0], name, default, client, tell)

    return _OURS.sub(theirs, text)


def input_id(secret: str) -> str:
    """Return the id of a VS Code input for a secret."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", secret)


def _secret(secret: str, client: ClientApp, tell: Callable[[str], None]) -> str:
    if client.inputs:
        tell(f"{client.title} will ask for the secret {secret}: it is not written into the file.")
        return f"${{input:{input_id(secret)}}}"
    tell(f"Secrets are not written into files: replace <{secret}> with the secret {secret} by hand.")
    return f"<{secret}>"


def _filled(text: str, name: str, default: str | None, client: ClientApp, tell: Callable[[str], None]) -> str:
    if name in _WITHOUT and (value := os.environ.get(name)):
        return value
    if default is not None:
        tell(f"{client.title} does not support variables: {text} was replaced with its default.")
        return default
    tell(f"{client.title} does not support variables: replace {text} by hand.")
    return text
