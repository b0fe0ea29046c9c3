"""Rules about the release of personal data: which kinds may be sent to which server or tool in place of PII tokens.

The server that supplied a value may get it again. For every other server the user is asked, unless a rule says
otherwise. A rule that denies overrides all others; of these the most specific one decides: about a tool before about
its server, about one kind before about all, asking before allowing. Some kinds are asked about each time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.privacy.detectors.kinds import BY_NAME, plural
from workbench.privacy.vault import Restoration
from workbench.records import CallDecision, Permission, Tool

RESTORE: Final = "restore"  # kind of these rules
NEVER_ALWAYS: Final = frozenset({"SECRET", "URL_CREDENTIAL", "CARD", "SSN", "NATIONAL_ID", "BANK", "IBAN", "SEALED"})
"""Kinds that no rule releases permanently, because the access or identity that they prove cannot be withdrawn."""
_DOES = {
    CallDecision.ALLOW: "{} may be sent to {} without asking",
    CallDecision.ASK: "{} may be sent to {} only after you are asked",
    CallDecision.DENY: "{} may never be sent to {}",
}
_FOR = {"session": ", in this session", "run": ", in this run"}


class ReleaseDecision(Struct, frozen=True):
    """Whether values of one kind in a call are released to a server."""

    restoration: Restoration
    decision: CallDecision
    rule: Permission | None = None  # the rule that decided, if any


def judge(
    restorations: Iterable[Restoration],
    rules: Sequence[Permission],
    tool: Tool,
    *,
    lost: bool = False,
) -> tuple[ReleaseDecision, ...]:
    """Decide about each restoration. `rules`: those in force. `lost`: the rules cannot be read, so each asks,
    because one of them may have denied."""
    mine = [one for one in rules if _is_about(one, tool)]
    return tuple(
        ReleaseDecision(one, CallDecision.ASK) if lost else _decide(replace(one, tool=tool.name), mine, tool)
        for one in restorations
    )


def reason_void(rule: Permission, tool: Tool) -> str:
    """Return why a rule that allows does not apply to the current tool; empty when it does."""
    if rule.word is not CallDecision.ALLOW:
        return ""
    if rule.scope == "always" and (not rule.data or rule.data in NEVER_ALWAYS):
        return "this kind of data needs approval each time"
    changed = rule.tool and rule.key != tool.hash
    return "the tool's definition has changed since the rule was made" if changed else ""


def void_rules(rules: Iterable[Permission], tools: Iterable[Tool]) -> dict[str, str]:
    """Return why each void rule that allows no longer applies, by the id of the rule, if its tool is known."""
    known = {(tool.server, tool.name): tool for tool in tools}
    found = ((one, known.get((one.server, one.tool))) for one in rules if one.kind == RESTORE)
    return {one.id: why for one, tool in found if tool is not None and (why := reason_void(one, tool))}


def offered_rules(decisions: Iterable[ReleaseDecision], tool: Tool) -> tuple[Permission, ...]:
    """Return rules that would have answered in the user's place: one for each kind of data that may have one."""
    kinds = dict.fromkeys(one.restoration.kind for one in decisions if one.decision is CallDecision.ASK)
    made = (
        Permission(
            "", RESTORE, CallDecision.ALLOW, tool.server, tool.name, key=tool.hash, source="a decision", data=kind
        )
        for kind in kinds
        if kind not in NEVER_ALWAYS
    )
    return tuple(replace(one, label=sentence(one)) for one in made)


def sentence(rule: Permission) -> str:
    """Return what the rule does, as the user reads it."""
    what = _data_phrase(rule.data)
    place = f"{rule.server}.{rule.tool}" if rule.tool else f"any tool of {rule.server}"
    words = _DOES[rule.word].format(what, place)
    return f"{words[:1].upper()}{words[1:]}{_FOR.get(rule.scope, '')}."


def check(rule: Permission, tool: Tool | None) -> None:
    """Refuse a rule that would never apply."""
    if rule.data and rule.data not in BY_NAME:
        raise WorkbenchError(
            f"There is no kind of personal data {rule.data!r:.40}.", f"Choose one of {', '.join(BY_NAME)}."
        )
    if not rule.data and rule.word is CallDecision.ALLOW:
        raise WorkbenchError("A rule that allows personal data must name one kind.", "Choose one kind.")
    if rule.data in NEVER_ALWAYS and rule.word is CallDecision.ALLOW and rule.scope == "always":
        words = _data_phrase(rule.data)
        raise WorkbenchError(f"A rule cannot allow {words} permanently.", "Choose a rule that asks or denies.")
    if rule.tool and tool is None:
        raise WorkbenchError(f"There is no tool {rule.server}.{rule.tool}.", "Choose a tool from the list.")


def _decide(what: Restoration, rules: Sequence[Permission], tool: Tool) -> ReleaseDecision:
    fitting = [one for one in rules if one.data in ("", what.kind) and not reason_void(one, tool)]
    if denied := [one for one in fitting if one.word is CallDecision.DENY]:
        return ReleaseDecision(what, CallDecision.DENY, denied[0])
    if not fitting:
        return ReleaseDecision(what, CallDecision.ASK if what.foreign else CallDecision.ALLOW)
    most = max(map(_specificity, fitting))
    top = [one for one in fitting if _specificity(one) == most]
    rule = next((one for one in top if one.word is CallDecision.ASK), top[0])
    return ReleaseDecision(what, rule.word, rule)


def _specificity(rule: Permission) -> tuple[bool, bool]:
    return bool(rule.tool), bool(rule.data)


def _is_about(one: Permission, tool: Tool) -> bool:
    return one.kind == RESTORE and one.server == tool.server and one.tool in ("", tool.name)


def _data_phrase(kind: str) -> str:
    return plural(kind, 2).partition(" ")[2] if kind else "personal data"
