"""What a person's trust and rules make of a tool and of one call. Pure: the room `permissions` keeps what is said.

A server's hints are claims. Those that make a tool harmless count when a person believes the server, or said the same
of the tool; those that make it dangerous always count. A rule that denies stands above all; of the others the one that
says most decides: about arguments before about a tool, about a tool before about a server, and asking before allowing.
"""

from __future__ import annotations

import os
import posixpath
import sys
import time
from collections.abc import Iterable, Sequence

from msgspec import Struct

from workbench.permissions import own_calls, release_rules, tool_annotations
from workbench.permissions import sealed_fields as sealing
from workbench.permissions.argument_patterns import Resolve, holds, says_something, touches
from workbench.permissions.own_calls import OWN
from workbench.permissions.release_rules import ReleaseDecision
from workbench.permissions.tool_annotations import tool_risk
from workbench.privacy.restorations import Restoration
from workbench.records import JsonObject, Permission, Risk, Tool, Trust, Verdict, Word
from workbench.records.risk_levels import at_least

_SAYS = {"server": 0, "tool": 1, "arguments": 2}  # the rules that this file knows, by how much they say
LOST = "What you allow and forbid cannot be read, so everything asks."


class RuleAnswer(Struct, frozen=True):
    """What the person's rules say of one call."""

    word: Word | None  # None: no rule speaks of it, so its risk decides
    permission: Permission | None = None  # the rule that decided
    why: str = ""  # one sentence
    depends: bool = False  # only for a judgement without arguments: the real ones may be judged otherwise


NO_RULE = RuleAnswer(None)


class Foreseen(Struct, frozen=True):
    """What is certain about calls of a tool before their arguments are known."""

    decision: Word | None  # None: its risk decides
    text: str = ""  # one sentence
    hint: str = ""
    depends: bool = False  # the real arguments may be judged otherwise


def judge(
    tool: Tool,
    arguments: JsonObject | None,
    permissions: Iterable[Permission],
    trust: Trust,
    *,
    session: str = "",
    run: str = "",
    now: float = 0.0,
    workspace: str = "",
    resolve: Resolve = posixpath.normpath,
) -> RuleAnswer:
    """What the person's rules say of this call of an effective tool. `arguments`: the real ones, with personal data
    restored, or None before they are known (then `depends` says that the real ones may change the word). A word of None
    leaves it to risk and settings; ALLOW settles the risk of the call itself and nothing about where its arguments came
    from; ASK wants a person whatever the risk; DENY is final. `why` is a sentence for the person and the audit."""
    if trust.lost:
        return RuleAnswer(Word.ASK, None, LOST)
    mine = [one for one in permissions if _speaks_of(one, tool) and _lives(one, session, run, now)]
    fitting = [one for one in mine if _fits(one, tool, arguments, workspace, resolve)]
    depends = arguments is None and any(one.where for one in mine)
    if denied := [one for one in fitting if one.word is Word.DENY]:
        return _judged(denied, Word.DENY, depends=False)
    counted = [one for one in fitting if one.word is not Word.ALLOW or not void(one, tool)]
    if not counted:
        return RuleAnswer(None, depends=depends)
    most = max(_SAYS[one.kind] for one in counted)
    top = [one for one in counted if _SAYS[one.kind] == most]
    asks = [one for one in top if one.word is Word.ASK]
    return _judged(asks or top, Word.ASK if asks else Word.ALLOW, depends)


def void(permission: Permission, tool: Tool) -> str:
    """Why an allow does not count for this tool as it is now; empty when it does. What asks or denies always counts."""
    if permission.word is not Word.ALLOW:
        return ""
    if permission.kind != "server" and permission.key != tool.hash:
        return "the tool's definition changed since"
    if permission.kind == "server" and tool_annotations.asks_anywhere(tool):
        return "a tool that asks wherever its arguments say is allowed by itself only"
    if not is_heavy(tool):
        return ""
    if permission.kind == "server":
        return "a tool of high risk, or one that can send something out, is allowed by itself only"
    narrow = permission.where and all(says_something(one.pattern) for one in permission.where)
    if not narrow and permission.scope == "always":
        return "a tool of high risk, or one that can send something out, is allowed for certain arguments only"
    return ""


def is_heavy(tool: Tool) -> bool:
    """Whether no rule may allow it as a whole for good: it may destroy, or carry something outside."""
    return at_least(tool_risk(tool), Risk.HIGH) or tool_annotations.sends(tool)


def _speaks_of(one: Permission, tool: Tool) -> bool:
    return one.kind in _SAYS and one.server == tool.server and (one.kind == "server" or one.tool == tool.name)


def _lives(one: Permission, session: str, run: str, now: float) -> bool:
    if one.expires and now >= one.expires:
        return False
    return one.scope == "always" or (bool(one.session) and one.session == (session if one.scope == "session" else run))


def _fits(one: Permission, tool: Tool, arguments: JsonObject | None, workspace: str, resolve: Resolve) -> bool:
    if not one.where:
        return one.kind != "arguments"
    if arguments is None:
        return one.word is Word.ALLOW
    matched = holds if one.word is Word.ALLOW else touches
    return matched(one.where, arguments, workspace, resolve)


def _judged(rules: Sequence[Permission], word: Word, depends: bool) -> RuleAnswer:
    verbs = {Word.ALLOW: "Allowed by", Word.ASK: "Asks because of", Word.DENY: "Denied by"}
    rule = rules[0]
    return RuleAnswer(word, rule, f"{verbs[word]} your rule: {rule.label or rule.id}", depends)


class ToolRules(Struct, frozen=True):
    """The rules about one tool, as they stood at one moment. Never changes."""

    tool: Tool
    rules: tuple[Permission, ...] = ()  # of its server, as far as they count for the server's entry
    lost: bool = False  # the rules cannot be read
    workspace: str = ""

    def judge(self, arguments: JsonObject | None, session: str = "", run: str = "") -> RuleAnswer:
        """What the rules say of a call; see `policy.trust.judge`. Paths are followed to where they really lead."""
        if not self.rules and not self.lost:
            return NO_RULE
        lost = Trust(lost=self.lost)  # the tool is weighed already
        return judge(
            self.tool, arguments, self.rules, lost, session=session, run=run, now=time.time(),
            workspace=self.workspace, resolve=os.path.realpath,
        )  # fmt: skip

    def judge_release(
        self, found: Iterable[Restoration], session: str = "", run: str = ""
    ) -> tuple[ReleaseDecision, ...]:
        """What the user lets become of values that a call would give to this tool."""
        rules, lost = self.rules, self.lost
        return release_rules.judge(found, rules, self.tool, lost=lost, session=session, run=run, now=time.time())

    @property
    def limits_release(self) -> bool:
        """Whether a rule denies this tool some kind of personal data, or asks about it each time."""
        return any(
            one.kind == release_rules.RESTORE and one.word is not Word.ALLOW and one.tool in ("", self.tool.name)
            for one in self.rules
        )

    @property
    def looks_into_arguments(self) -> bool:
        return any(one.where and one.tool == self.tool.name for one in self.rules)

    @property
    def own_call_permission(self) -> Permission | None:
        """What lets the user's own call of this tool go without a question, if anything does."""
        return next((one for one in self.rules if own_calls.permits(one, self.tool)), None)

    def sealed_fields(self, named: str = "") -> tuple[str, ...]:
        """Which fields of its answers programs get as tokens only; `named`: what the settings say."""
        return sealing.sealed_fields(self.tool, self.rules, named, lost=self.lost)


PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


def approval_basis(verdict: Verdict) -> tuple[str, ...]:
    """What a pinned approval of this program stands and falls with: one name and its hash or version each."""
    definitions = sorted(f"{name} {sha}" for name, sha in verdict.definitions.items())
    return (f"rules {verdict.rules}", f"python {PYTHON}", *definitions)


def voided(rules: Iterable[Permission], tools: Iterable[Tool], analysis_version: str) -> dict[str, str]:
    """Why each allow that is void counts no more, by the id of the rule. A tool that is not known now says nothing
    about a rule, because its server may only be stopped. `analysis_version`: of the rules that programs are read by."""
    allows = [one for one in rules if one.word is Word.ALLOW]
    known = {f"{tool.server}.{tool.name}": tool for tool in tools} if allows else {}
    return {one.id: why for one in allows if (why := _changed(one, known, analysis_version))}


def _changed(rule: Permission, known: dict[str, Tool], analysis_version: str) -> str:
    if rule.kind == OWN and rule.tool:
        tool = known.get(f"{rule.server}.{rule.tool}")
        return "the tool's definition changed since" if tool is not None and tool.hash != rule.key else ""
    if rule.kind in ("tool", "arguments"):
        tool = known.get(f"{rule.server}.{rule.tool}")
        return void(rule, tool) if tool is not None else ""
    for name, _, sha in (one.rpartition(" ") for one in rule.about):
        if (name, sha) in (("rules", analysis_version), ("python", PYTHON)):
            continue
        if name in ("rules", "python"):
            return "programs are judged in another way since"
        if name in known and known[name].hash != sha:
            return f"the definition of {name} changed since"
    return ""
