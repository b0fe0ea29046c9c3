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
from workbench.records import Permission, Tool, Word

RESTORE: Final = "restore"  # kind of these rules
NEVER_ALWAYS: Final = frozenset({"SECRET", "URL_CREDENTIAL", "CARD", "SSN", "NATIONAL_ID", "BANK", "IBAN", "SEALED"})
"""Kinds that no rule releases permanently, because the access or identity that they prove cannot be withdrawn."""
_DOES = {
    Word.ALLOW: "{} may go to {} without asking",
    Word.ASK: "{} go to {} only after you are asked",
    Word.DENY: "{} never go to {}",
}
_FOR = {"session": ", in this session", "run": ", in this run"}


class ReleaseDecision(Struct, frozen=True):
    """Whether values of one kind in a call are released to a server."""

    what: Restoration
    word: Word
    rule: Permission | None = None  # the rule that decided, if any


def judge(
    found: Iterable[Restoration],
    rules: Sequence[Permission],
    tool: Tool,
    *,
    lost: bool = False,
) -> tuple[ReleaseDecision, ...]:
    """Decide about each restoration. `rules`: those in force. `lost`: the rules cannot be read, so each asks,
    because one of them may have denied."""
    mine = [one for one in rules if _is_about(one, tool)]
    return tuple(
        ReleaseDecision(one, Word.ASK) if lost else _decide(replace(one, tool=tool.name), mine, tool) for one in found
    )


def void(rule: Permission, tool: Tool) -> str:
    """Return why a rule that allows does not apply to the current tool; empty when it does."""
    if rule.word is not Word.ALLOW:
        return ""
    if rule.scope == "always" and (not rule.data or rule.data in NEVER_ALWAYS):
        return "such data is asked about each time"
    return "the tool's definition changed since" if rule.tool and rule.key != tool.hash else ""


def voided(rules: Iterable[Permission], tools: Iterable[Tool]) -> dict[str, str]:
    """Return why each void rule that allows no longer applies, by the id of the rule, if its tool is known."""
    known = {(tool.server, tool.name): tool for tool in tools}
    found = ((one, known.get((one.server, one.tool))) for one in rules if one.kind == RESTORE)
    return {one.id: why for one, tool in found if tool is not None and (why := void(one, tool))}


def offers(weighed: Iterable[ReleaseDecision], tool: Tool) -> tuple[Permission, ...]:
    """Return rules that would have answered in the user's place: one for each kind of data that may have one."""
    kinds = dict.fromkeys(one.what.kind for one in weighed if one.word is Word.ASK)
    made = (
        Permission("", RESTORE, Word.ALLOW, tool.server, tool.name, key=tool.hash, source="a decision", data=kind)
        for kind in kinds
        if kind not in NEVER_ALWAYS
    )
    return tuple(replace(one, label=sentence(one)) for one in made)


def sentence(rule: Permission) -> str:
    """Return what the rule does, as the user reads it."""
    what = _many(rule.data)
    place = f"{rule.server}.{rule.tool}" if rule.tool else f"any tool of {rule.server}"
    words = _DOES[rule.word].format(what, place)
    return f"{words[:1].upper()}{words[1:]}{_FOR.get(rule.scope, '')}."


def check(rule: Permission, tool: Tool | None) -> None:
    """Refuse a rule that would never apply."""
    if rule.data and rule.data not in BY_NAME:
        raise WorkbenchError(
            f"There is no kind of personal data {rule.data!r:.40}.", f"There are {', '.join(BY_NAME)}."
        )
    if not rule.data and rule.word is Word.ALLOW:
        raise WorkbenchError("Only single kinds of personal data can be allowed for good.", "Choose one kind.")
    if rule.data in NEVER_ALWAYS and rule.word is Word.ALLOW and rule.scope == "always":
        words = _many(rule.data)
        raise WorkbenchError(f"For {words} you are asked each time.", "Deny them for good, or leave it at asking.")
    if rule.tool and tool is None:
        raise WorkbenchError(f"There is no tool {rule.server}.{rule.tool}.", "Choose one of the list.")


def _decide(what: Restoration, rules: Sequence[Permission], tool: Tool) -> ReleaseDecision:
    fitting = [one for one in rules if one.data in ("", what.kind) and not void(one, tool)]
    if denied := [one for one in fitting if one.word is Word.DENY]:
        return ReleaseDecision(what, Word.DENY, denied[0])
    if not fitting:
        return ReleaseDecision(what, Word.ASK if what.foreign else Word.ALLOW)
    most = max(map(_specificity, fitting))
    top = [one for one in fitting if _specificity(one) == most]
    rule = next((one for one in top if one.word is Word.ASK), top[0])
    return ReleaseDecision(what, rule.word, rule)


def _specificity(rule: Permission) -> tuple[bool, bool]:
    return bool(rule.tool), bool(rule.data)


def _is_about(one: Permission, tool: Tool) -> bool:
    return one.kind == RESTORE and one.server == tool.server and one.tool in ("", tool.name)


def _many(kind: str) -> str:
    return plural(kind, 2).partition(" ")[2] if kind else "personal data"
