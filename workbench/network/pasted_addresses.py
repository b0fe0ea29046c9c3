"""Finds the host in an address that the user pasted."""

from __future__ import annotations

import re
from collections.abc import Collection

from workbench.errors import WorkbenchError

_SPOKEN = {"https": "tls", "http": "http"}
_PLACE = re.compile(r"(\[[^\]]*\]|[^:]*)(?::([0-9]{1,5}))?\Z")


def host_in(text: str, protocols: Collection[str]) -> tuple[str, tuple[int, ...]]:
    """Host and, where it is named, port. What is neither a host nor such an address comes back as it was."""
    scheme, mark, rest = text.strip().rpartition("://")
    host = re.split(r"[/?#]", rest, maxsplit=1)[0]
    found = _PLACE.match(host)
    if found is None or "@" in host or "\\" in rest or (mark and scheme.lower() not in _SPOKEN):
        return text, ()
    spoken = _SPOKEN.get(scheme.lower(), "")
    if mark and not {spoken, scheme.lower()} & set(protocols):
        words = f"{text.strip()!r:.80} speaks {'plain HTTP' if spoken == 'http' else 'TLS'}, which is not chosen."
        raise WorkbenchError(words, "Choose it, or write the host alone.")
    return found[1], (int(found[2]),) if found[2] else ()
