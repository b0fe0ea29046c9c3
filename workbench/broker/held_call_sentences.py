"""The sentence of a held call: who would pass what to whom, with the tools and lines that the values came from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.broker.comparable_text import argument_leaves
from workbench.permissions.provenance_rules import DESTINATION, UNTRUSTED, CallReason, names_place
from workbench.records import JsonObject, Tool, ValueOrigin, Verdict

_SHOWN_VALUES = 3  # destinations, or other arguments, in a sentence
_LONGEST_VALUE = 60  # characters of one value in a sentence
_WHAT = {
    "private": "private data from {}",
    "content": "text of outsiders from {}",
    "derived": "what may be derived from private data",
}


def held_call_sentence(
    author: str,
    tool: Tool,
    arguments: JsonObject,
    reasons: Sequence[CallReason],
    origins: Sequence[ValueOrigin],
    run_id: str,
    verdict: Verdict | None,
) -> str:
    """Return one sentence about a call that waits: `claude wants to call mail.send_email: private data from
    crm.get_contact (line 2) would go to records@collect-data.example.`"""
    name = f"{tool.server}.{tool.name}"
    head = f"{author} {'want' if author == 'you' else 'wants'} to call {name}{_line(verdict, tool.server, tool.name)}"

    def source(reason: CallReason, kind: str) -> str:
        found = [one for one in origins if one.path == reason.path and (not kind or kind in one.kinds)]
        named = [_source(one, run_id, verdict) for one in found]
        return _listed(dict.fromkeys(named)) or "an earlier answer"

    leaves = [(path, value) for path, value in argument_leaves(dict(arguments)) if value]
    places = [value for path, value in leaves if names_place(path)]
    what = [_WHAT[one.rule].format(source(one, "")) for one in reasons if one.rule in _WHAT]
    chosen = next((source(one, UNTRUSTED) for one in reasons if one.rule == DESTINATION), "")
    named_by = f", which text of outsiders from {chosen} names" if chosen else ""
    if what and places:
        return f"{head}: {_listed(dict.fromkeys(what))} would go to {_values(places)}{named_by}."
    if what:
        return f"{head}: {_listed(dict.fromkeys(what))} would go to {tool.server}."
    if places:
        return f"{head}: to {_values(places)}{named_by}."
    given = [f"{path} {_short(value)}" for path, value in leaves[:_SHOWN_VALUES]]
    return f"{head}: {', '.join(given)}." if given else f"{head}."


def _source(origin: ValueOrigin, run_id: str, verdict: Verdict | None) -> str:
    if not origin.tool:
        return "an earlier answer"
    here = verdict if origin.run_id == run_id else None
    return f"{origin.server}.{origin.tool}{_line(here, origin.server, origin.tool)}"


def _line(verdict: Verdict | None, server: str, tool: str) -> str:
    """Return where the program uses a tool, if it does so in one line only."""
    lines = {one.line for one in verdict.tools if (one.server, one.tool) == (server, tool)} if verdict else set[int]()
    return f" (line {lines.pop()})" if len(lines) == 1 else ""


def _values(values: Sequence[str]) -> str:
    shown = [_short(one) for one in dict.fromkeys(values)]
    more = len(shown) - _SHOWN_VALUES
    return ", ".join(shown[:_SHOWN_VALUES]) + (f" and {more} more" if more > 0 else "")


def _short(value: str) -> str:
    bare = " ".join(value.split())
    return bare if len(bare) <= _LONGEST_VALUE else f"{bare[:_LONGEST_VALUE]}…"


def _listed(parts: Iterable[str]) -> str:
    every = list(parts)
    return every[0] if len(every) == 1 else f"{', '.join(every[:-1])} and {every[-1]}" if every else ""
