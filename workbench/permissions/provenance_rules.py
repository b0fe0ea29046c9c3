"""Judges a call by the sources of its real arguments: text that outsiders can write, or private data.

The analysis of a program cannot know the values; the broker sees them. Examples: an address from a web page, a number
from a customer record that would be sent outside, a deletion after untrusted text was read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from workbench.permissions import tool_annotations, tool_verbs
from workbench.permissions.argument_patterns import is_destination
from workbench.permissions.tool_annotations import facts_of
from workbench.records import CallDecision, Risk, Tool, ValueOrigin
from workbench.records.common_types import at_least

UNTRUSTED: Final = "untrusted"
PRIVATE: Final = "private"
DESTINATION: Final = "destination"  # rule: outsiders' text chose where a call goes
_RECEIVERS: Final = tool_verbs.DESTINATIONS - {
    "topic",
    "domain",
    "path",
    "host",
    "target",
    "destination",
    "webhook",
    "repo",
}
MOST_CALLS: Final = 10  # calls of one tool that such a program makes without approval; a loop may need more
LONGEST_VALUE: Final = 300  # characters; longer values are compared by their hash
_BOTH: Final = frozenset({UNTRUSTED, PRIVATE})
_KINDS: Final = {
    (False, False): frozenset[str](),
    (True, False): frozenset({UNTRUSTED}),
    (False, True): frozenset({PRIVATE}),
    (True, True): _BOTH,
}


class CallReason(Struct, frozen=True):
    """One reason to ask the user about a call, or to deny it."""

    rule: str  # name of the rule, such as "destination"
    risk: Risk
    text: str
    path: str = ""  # path of the argument that it is about
    value: str = ""
    decision: CallDecision = CallDecision.ASK
    hint: str = ""
    code: str = ""  # code of a denial, for programs
    places: tuple[str, ...] = ()  # all destinations of the call, for a reason about what it passes on
    by_outsiders: bool = False  # whether outsiders' text chose the destination

    @property
    def key(self) -> tuple[str, str, str]:
        """What an answer of the user applies to; a long value is represented by its hash."""
        short = len(self.value) <= LONGEST_VALUE
        return (
            self.rule,
            self.path,
            self.value if short else hashlib.sha256(self.value.encode("utf-8", "surrogatepass")).hexdigest(),
        )


def canonical(arguments: object) -> str:
    """Return the same text for equal arguments."""
    return json.dumps(arguments, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)


def kinds_of(tool: Tool) -> frozenset[str]:
    """Return the kinds of data in answers of this tool."""
    facts = facts_of(tool)
    return _KINDS[facts.outsiders, facts.private]


def trifecta(tool: Tool, read: frozenset[str]) -> bool:
    """Whether the session has read private data and untrusted text, and this tool can send data outside: what a
    prompt injection needs to steal data."""
    return read >= _BOTH and facts_of(tool).reaches_outside


def names_place(path: str) -> bool:
    """Whether an argument of this name is a destination."""
    return any(is_destination(name) for name in path.replace("[]", "").split("."))


def _names_receiver(path: str) -> bool:
    """Whether the value is only the address of a recipient, who learns nothing new from it."""
    return path.replace("[]", "").rpartition(".")[2].lower() in _RECEIVERS


def object_to(
    tool: Tool,
    origins: Sequence[ValueOrigin],
    read: frozenset[str],
    *,
    covered: bool,
    spared: bool = False,
    ruled: bool = False,
) -> tuple[CallReason, ...]:
    """Return the reasons why the user should see this call. `read`: kinds of data that the session has read.
    `covered`: the user approved a program that names this tool, and with it the data flows in its text. `spared`:
    the program ran without approval because it seemed to leave nothing to decide. `ruled`: a rule of the user names
    exactly what the call acts on and what it does; if the tool can neither send nor destroy, only the sources of its
    values speak against the call. A rule about a folder or a table leaves the choice to the text that was read."""
    chosen = any(UNTRUSTED in origin.kinds and names_place(origin.path) for origin in origins)
    about = _ValueRules(tool, read, covered, spared, chosen)
    found = [one for origin in origins for one in about.object_to(origin)]
    known = covered or (ruled and not facts_of(tool).sends and not facts_of(tool).destroys)
    if not known and UNTRUSTED in read and may_replace(tool):
        name = f"{tool.server}.{tool.name}"
        words = f"The program calls {name} after its session read text that outsiders can write"
        found.append(CallReason("destructive", Risk.HIGH, words))
    return tuple(found)


def may_replace(tool: Tool) -> bool:
    """Whether a call may destroy or change records that exist; adding to them is no harm of this kind."""
    risk = facts_of(tool).risk
    return at_least(risk, Risk.HIGH) or (risk is Risk.MEDIUM and tool_verbs.updates(tool.name))


def beyond_mild(tool: Tool, many: int, read: frozenset[str]) -> CallReason | None:
    """Return why the user should see this call of a program that seemed to leave nothing to decide. `many`: how
    often the run has called this tool."""
    if not at_least(facts_of(tool).risk, Risk.MEDIUM):
        return None
    name = f"{tool.server}.{tool.name}"
    if UNTRUSTED in read:
        words = f"The program was not approved and calls {name} after its session read text that outsiders can write"
        return CallReason("mild", Risk.MEDIUM, words)
    if many > MOST_CALLS:
        words = f"The program was not approved and calls {name} more than {MOST_CALLS} times"
        return CallReason("mild", Risk.MEDIUM, words)
    return None


class _ValueRules(Struct, frozen=True):
    """The rules about the source of one value of a call."""

    tool: Tool
    read: frozenset[str]
    covered: bool
    spared: bool
    chosen: bool  # whether outsiders' text chose a destination of the call

    def object_to(self, origin: ValueOrigin) -> Iterator[CallReason]:
        tool, facts, place = self.tool, facts_of(self.tool), names_place(origin.path)
        changes = facts.sends or at_least(facts.risk, Risk.MEDIUM)
        source = source_name(origin)
        argument = f"The argument {origin.path}" if origin.path else "An argument"
        if UNTRUSTED in origin.kinds:
            if place and (changes or (facts.reads_named_hosts and PRIVATE in self.read)):
                words = f"The destination ({origin.path}) comes from text that outsiders can write: {source}"
                yield CallReason(DESTINATION, Risk.HIGH, words, origin.path, origin.value, by_outsiders=True)
            elif changes and not self.covered:
                words = f"{argument} comes from text that outsiders can write: {source}"
                yield CallReason("content", Risk.HIGH, words, origin.path, origin.value)
        if PRIVATE in origin.kinds and not self.covered and (where := _leaves(tool, origin, spared=self.spared)):
            words = f"{argument} contains private data from {source}, {where}"
            risk = leak_risk(chosen=self.chosen)
            yield CallReason("private", risk, words, origin.path, origin.value, by_outsiders=self.chosen)


def source_name(origin: ValueOrigin) -> str:
    return f"{origin.server}.{origin.tool}" if origin.tool else "an earlier answer"


def leak_risk(*, chosen: bool) -> Risk:
    """The risk of private data that is sent outside: critical only where outsiders' text chose the destination."""
    return Risk.CRITICAL if chosen else Risk.HIGH


def _leaves(tool: Tool, origin: ValueOrigin, *, spared: bool) -> str:
    """Describe where this call sends a private value, if to somewhere that does not have it yet; the recipient of a
    message learns nothing from their own address."""
    facts, foreign = facts_of(tool), origin.server != tool.server
    if facts.reads_named_hosts or facts.sends:
        receiver = _names_receiver(origin.path) and "://" not in origin.value and not facts.reads_named_hosts
        return "" if receiver else "which the tool can send outside"
    if foreign and tool_annotations.reads_outside(tool):
        return "which the tool uses in a request to an external service"
    changes = at_least(facts.risk, Risk.MEDIUM)
    return f"which would be passed to a different server, {tool.server}" if spared and foreign and changes else ""
