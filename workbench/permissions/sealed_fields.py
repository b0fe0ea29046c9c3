"""Finds answers that programs get with PII tokens only: complete answers or single fields, named by rules or settings.

A field is a path such as `customers[].email`, with `*` for any name; a single name matches at any depth.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from workbench.errors import WorkbenchError
from workbench.privacy.sealed_values import WHOLE
from workbench.records import CallDecision, Permission, Tool

SEALED: Final = "sealed"  # kind of these rules
LONGEST: Final = 200  # characters of a field's path
MOST: Final = 200  # names in a setting that are used
_PATH = re.compile(r"[^\s:.\[\]]{1,80}(?:\[\])?(?:\.[^\s:.\[\]]{1,80}(?:\[\])?){0,10}")


def sealed_fields(tool: Tool, rules: Iterable[Permission], named: str = "", *, lost: bool = False) -> tuple[str, ...]:
    """Return sealed paths in this tool's answers; WHOLE: the complete answer; empty: none. `named`: the setting,
    such as `crm.list_customers mail.read_mail:body`. `lost`: the rules cannot be read, and one of them may have
    sealed the tool."""
    if lost:
        return WHOLE
    if not rules and not named:
        return ()
    mine = [
        one.data for one in rules if one.kind == SEALED and one.server == tool.server and one.tool in ("", tool.name)
    ]
    mine += [path for name in named.split()[:MOST] for path in _named(name, tool)]
    return WHOLE if "" in mine else tuple(dict.fromkeys(mine))


def sentence(rule: Permission) -> str:
    """Return what the rule does, as the user reads it."""
    place = f"{rule.server}.{rule.tool}" if rule.tool else f"any tool of {rule.server}"
    what = f"“{rule.data}”" if rule.data else "all personal data"
    return f"Programs get only tokens for {what} in answers of {place}."


def check(rule: Permission, tool: Tool | None) -> None:
    """Refuse a rule that would seal nothing."""
    if rule.word is not CallDecision.DENY or rule.scope != "always":
        raise WorkbenchError("A rule that seals values must deny them to programs until you revoke it.")
    if rule.data and (len(rule.data) > LONGEST or not _PATH.fullmatch(rule.data)):
        hint = "Examples: email, customers[].email, *.phone."
        raise WorkbenchError(f"{rule.data!r:.60} is not the path of a field.", hint)
    if rule.tool and tool is None:
        raise WorkbenchError(f"There is no tool {rule.server}.{rule.tool}.", "Choose a tool from the list.")


def _named(name: str, tool: Tool) -> tuple[str, ...]:
    place, _, path = name.partition(":")
    return (path,) if place in (tool.server, f"{tool.server}.{tool.name}") else ()
