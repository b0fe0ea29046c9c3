"""Changes one server's entry in a TOML file with tomlkit and keeps every other line.

`config_export` reads the result again and compares it, so a layout that tomlkit gets wrong is left alone. It imports
this module where it needs it: tomlkit takes 7 ms of the core's start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AbstractTable, Comment, InlineTable, Item, Table, Whitespace

from workbench.errors import WorkbenchError

LARGEST = 256 << 10  # characters; tomlkit takes 10 s for a megabyte
_PASTE = "Copy the entry into it by hand."


def tables_text(path: Sequence[str], entries: Mapping[str, Any]) -> str:  # Any: TOML
    """Entries as tables."""
    nested: Mapping[str, Any] = entries
    for key in reversed(path):
        nested = {key: nested}
    return tomlkit.dumps(nested).strip()


def set_table(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:  # Any: TOML
    """The text with one server set; the keys that stay the same keep their lines, and so does everything else."""
    if len(text) > LARGEST:
        raise WorkbenchError(f"The file is larger than {LARGEST >> 10} KB.", "Copy the entry into it by hand.")
    try:
        document = tomlkit.parse(text)
        _set(document, path, value)
        return document.as_string()
    except (TOMLKitError, ValueError, RecursionError) as fault:
        raise WorkbenchError("The file is written in a way that cannot be changed safely.", _PASTE) from fault


def _set(document: tomlkit.TOMLDocument, path: Sequence[str], value: Mapping[str, Any]) -> None:  # Any: TOML
    servers: Any = document
    for key in path[:-1]:
        if key not in servers:
            servers[key] = tomlkit.table(is_super_table=True)
        servers = servers[key]
    server = servers.get(path[-1])
    if not isinstance(server, AbstractTable):
        servers[path[-1]] = _item(value, inline=isinstance(servers, InlineTable))
        return
    for key in [key for key in server if key not in value]:
        remarks = _remarks_after(server[key])
        del server[key]
        for remark in remarks:
            server.add(remark)
    for key, inner in value.items():
        if key not in server or tomlkit.item(server[key]).unwrap() != inner:
            server[key] = _item(inner, inline=isinstance(server, InlineTable))


def _item(value: Any, *, inline: bool) -> Item:  # Any: TOML
    if not (inline and isinstance(value, Mapping)):
        made: Item = tomlkit.item(value)
        return made
    table = tomlkit.inline_table()
    for key, inner in value.items():
        table[key] = _item(inner, inline=True)
    return table


def _remarks_after(item: object) -> list[Comment | Whitespace]:
    """What stands between a table and the next head counts as part of the table; it is about what follows."""
    found: list[Comment | Whitespace] = []
    for key, part in reversed(item.value.body) if isinstance(item, Table) else ():
        if key is not None or not isinstance(part, Comment | Whitespace):
            break
        found.insert(0, part)
    return found
