"""Rules about the calls that other clients make with their own tools, which reach this core through hooks.

A rule is about one client and one kind of call: a command, a file that is read or edited, a host, or a tool of an MCP
server. Every command of a script is a subject of its own: a rule that denies applies when it fits one of them, rules
that allow must together cover all that are not low. `data` is the highest risk that a rule allows.
"""

from __future__ import annotations

import fnmatch
import time
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.records import CallDecision, Permission, Predicate, Risk, Tool
from workbench.records.common_types import at_least

HOOK: Final = "hook"  # kind of these rules
KEYS: Final = {"shell": "command", "edit": "path", "read": "path", "fetch": "host", "mcp": "tool"}
_DOES = {"shell": "run {}", "edit": "edit {}", "read": "read {}", "fetch": "download from {}", "mcp": "call {}"}
_LONGEST = 500


class RuleSubject(Struct, frozen=True):
    """One thing that a call does, as rules compare it."""

    text: str
    inner: tuple[str, ...] = ()  # commands that this one starts
    risk: Risk = Risk.LOW
    exact: bool = False  # only a rule about exactly this text may allow it
    never: bool = False  # no rule may allow it


class ClientRuleAnswer(Struct, frozen=True):
    """The answer of the rules about one call. None: no rule applies, so the risk decides."""

    decision: CallDecision | None = None
    rule: Permission | None = None
    used: tuple[Permission, ...] = ()  # all rules that decided; several may allow the commands of one script


def judge(rules: Iterable[Permission], client: str, kind: str, subjects: Sequence[RuleSubject], session: str
) -> ClientRuleAnswer:  # fmt: skip
    """Return the answer of the rules about a call of this client."""
    now = time.time()
    mine = [one for one in rules if one.kind == HOOK and one.server in (client, "*") and one.tool == kind and
            _in_force(one, session, now)]  # fmt: skip
    for decision in (CallDecision.DENY, CallDecision.ASK):
        for rule in mine:
            if rule.word is decision and any(_touches(rule, one) for one in subjects):
                return ClientRuleAnswer(decision, rule, (rule,))
    allowing = [one for one in mine if one.word is CallDecision.ALLOW]
    covered = [next((rule for rule in allowing if _allows(rule, one)), None) for one in subjects]
    left_over = any(rule is None and one.risk is not Risk.LOW for rule, one in zip(covered, subjects, strict=True))
    used = tuple({rule.id: rule for rule in covered if rule is not None}.values())
    return ClientRuleAnswer() if not used or left_over else ClientRuleAnswer(CallDecision.ALLOW, used[0], used)


def offer(client: str, kind: str, pattern: str, risk: Risk, session: str = "") -> Permission:
    """Return a rule that would allow such a call; it lasts for a session of the client if one is given."""
    rule = Permission(
        "", HOOK, CallDecision.ALLOW, client, kind, (Predicate(KEYS[kind], pattern),), source="a decision",
        data=risk.value, scope="session" if session else "always", session=session,
    )  # fmt: skip
    return replace(rule, label=sentence(rule))


def sentence(rule: Permission) -> str:
    """Return what the rule does, as the user reads it."""
    pattern = rule.where[0].pattern if rule.where else ""
    begins = pattern.removesuffix(" *")
    what = f"commands that begin with “{begins}”" if rule.tool == "shell" and begins != pattern else f"“{pattern}”"
    deed = _DOES.get(rule.tool, "use {}").format(what)
    client = "Every client" if rule.server == "*" else rule.server
    limit = f", up to {rule.data} risk" if rule.data and rule.tool == "shell" and begins != pattern else ""
    when = ", in this session" if rule.scope != "always" else ""
    verbs = {CallDecision.ALLOW: "may {} without asking", CallDecision.ASK: "may {} only after you are asked",
             CallDecision.DENY: "may never {}"}  # fmt: skip
    return f"{client} {verbs[rule.word].format(deed)}{limit if rule.word is CallDecision.ALLOW else ''}{when}."


def check(rule: Permission, _: Tool | None) -> None:
    """Refuse a rule that would never apply."""
    valid = rule.tool in KEYS and len(rule.where) == 1 and rule.where[0].path == KEYS[rule.tool]
    if not rule.server or not valid or not rule.where[0].pattern.strip() or len(rule.where[0].pattern) > _LONGEST:
        raise WorkbenchError(
            "A rule about a client's own calls needs the client, a kind of call and one pattern.",
            "Example: the command “npm test *”.",
        )
    if rule.word is CallDecision.ALLOW and not rule.where[0].pattern.strip(" *?/"):
        raise WorkbenchError("A rule cannot allow everything.", "Name a command, a folder, a host or a tool.")
    if rule.data and rule.data not in (one.value for one in Risk):
        raise WorkbenchError(f"There is no risk {rule.data!r:.20}.", "Use low, medium or high.")


def _in_force(rule: Permission, session: str, now: float) -> bool:
    if rule.expires and now >= rule.expires:
        return False
    return rule.scope == "always" or (bool(session) and rule.session == session)


def _touches(rule: Permission, subject: RuleSubject) -> bool:
    pattern = rule.where[0].pattern
    return any(_fits(pattern, text) or fnmatch.fnmatchcase(text, pattern) for text in (subject.text, *subject.inner))


def _allows(rule: Permission, subject: RuleSubject) -> bool:
    pattern = rule.where[0].pattern
    if subject.never or not at_least(Risk(rule.data or Risk.MEDIUM.value), subject.risk):
        return False
    return pattern == subject.text if subject.exact else _fits(pattern, subject.text)


def _fits(pattern: str, text: str) -> bool:
    """Whether a text is the pattern, or begins with it if the pattern ends with ` *` or `/*`."""
    if pattern == text:
        return True
    if pattern.endswith(" *"):
        return text == pattern[:-2] or text.startswith(pattern[:-1])
    return pattern.endswith(("/*", ".*")) and text.startswith(pattern[:-1])
