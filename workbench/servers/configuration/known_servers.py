"""Catalogue of well-known servers as entries ready to be added; the data is in `resources/known_servers.json`."""

from __future__ import annotations

import functools
import json

from workbench.paths import resources
from workbench.records import KnownServer
from workbench.servers.configuration import server_entries

FILE = "known_servers.json"


@functools.cache
def known_servers() -> tuple[KnownServer, ...]:
    """In the order of the file, read as a project's own entries are. None is a server before somebody adds it."""
    listed = json.loads((resources() / FILE).read_text(encoding="utf-8"))["servers"]
    return tuple(
        KnownServer(
            title=one["title"],
            config=server_entries.read(one["name"], one["entry"], FILE),
            maker=one["maker"],
            page=one["page"],
            licence=one["licence"],
            needs=one["needs"],
        )
        for one in listed
    )
