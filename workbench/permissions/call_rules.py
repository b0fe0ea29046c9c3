"""The user's rules about one tool at one moment (`ToolRules`), and their answer about a call.

A rule that denies overrides all others. Of the others the most specific one decides: one about arguments before one
about a tool, one about a tool before one about a server, and asking before allowing. `rules.py` stores the rules.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable

from msgspec import Struct
from msgspec.structs import replace

from workbench.permissions import own_calls, release_rules
from workbench.permissions import sealed_fields as sealing
from workbench.permissions.argument_patterns import holds, may_hold, says_something, touches
from workbench.permissions.own_calls import OWN
from workbench.permissions.release_rules import ReleaseDecision
from workbench.permissions.tool_annotations import facts_of
from workbench.permissions.tool_groups import DOES
from workbench.privacy.vault import Restoration
from workbench.records import CallDecision, JsonObject, Permission, Risk, Tool, Verdict
from workbench.records.common_types import at_least

# specificity of the kinds of rules about calls; the highest decides
_SPECIFICITY = {"server": 0, "tool": 1, "arguments": 2}
_VERBS = {CallDecision.ALLOW: "Allowed by", CallDecision.ASK: "Approval required by", CallDecision.DENY: "Denied by"}
LOST = "The rules for tools cannot be read, so every call needs approval."


ClientOf = Callable[[str], str]  # id of an agent session → the name that its client gave itself


def _no_client(session: str) -> str:
    return ""


class RuleAnswer(Struct, frozen=True):
    """The answer of the user's rules about one call."""

    decision: CallDecision | None  # None: no rule applies, so the risk decides
    permission: Permission | None = None  # the rule that decided, if any
    why: str = ""  # one sentence
    depends: bool = False  # only for a judgement without arguments: the real arguments may change the answer


NO_RULE = RuleAnswer(None)
REST = "*"  # among unknown arguments: there may be further ones, with any name


class KnownArguments(Struct, frozen=True):
    """The arguments of a call before it is made, as far as they are known."""

    values: JsonObject
    unknown: frozenset[str] = frozenset()  # names of arguments whose values are not known yet


class Foreseen(Struct, frozen=True):
    """What is certain about calls of a tool before their arguments are known."""

    decision: CallDecision | None  # None: the risk decides
    text: str = ""  # one sentence
    hint: str = ""
    depends: bool = False  # the real arguments may change the decision


def reason_void(permission: Permission, tool: Tool) -> str:
    """Return why a rule that allows does not apply to the current definition of the tool; empty when it does. Rules
    that ask or deny always apply."""
    if permission.word is not CallDecision.ALLOW:
        return ""
    if permission.kind != "server" and permission.key != tool.hash:
        return "the tool's definition has changed since the rule was made"
    if permission.kind == "server" and facts_of(tool).reads_named_hosts:
        return "a tool that contacts a host named in its arguments needs a rule of its own"
    if not is_heavy(tool):
        return ""
    if permission.kind == "server":
        return "a tool that is high-risk or can send data outside needs a rule of its own"
    narrow = permission.where and all(says_something(one.pattern) for one in permission.where)
    if not narrow and permission.scope == "always":
        return "a tool that is high-risk or can send data outside can be allowed only for certain arguments"
    return ""


def is_heavy(tool: Tool) -> bool:
    """Whether no permanent rule may allow the tool without conditions: it may destroy data, or send data outside."""
    facts = facts_of(tool)
    return facts.sends or at_least(facts.risk, Risk.HIGH)


def in_force(rule: Permission, session: str, run: str, now: float, client_of: ClientOf = _no_client) -> bool:
    """Whether a rule has not expired and applies to this session, run or client, or always."""
    if rule.expires and now >= rule.expires:
        return False
    if rule.scope == "always":
        return True
    mine = client_of(session) if rule.scope == "client" else session if rule.scope == "session" else run
    return bool(rule.session) and rule.session == mine


def _answer(rule: Permission, *, depends: bool = False) -> RuleAnswer:
    return RuleAnswer(rule.word, rule, f"{_VERBS[rule.word]} a rule: {rule.label or rule.id}", depends)


class ToolRules(Struct, frozen=True):
    """The rules about one tool at one moment. Immutable."""

    tool: Tool
    rules: tuple[Permission, ...] = ()  # rules about its server that apply to the server's current entry
    lost: bool = False  # whether the rules could not be read
    workspace: str = ""
    client_of: ClientOf = _no_client

    def judge(
        self, arguments: JsonObject | None, session: str = "", run: str = "", now: float | None = None
    ) -> RuleAnswer:
        """Return the answer of the rules about a call. `arguments`: the real ones, with personal data restored, or
        None before they are known (then `depends` says whether the real ones may change the answer). A word of None
        leaves the call to its risk and the settings; ALLOW settles the risk of the call itself, but not the sources
        of its arguments; ASK asks the user whatever the risk is; DENY is final. Paths are resolved."""
        if self.lost:
            return RuleAnswer(CallDecision.ASK, None, LOST)
        if not self.rules:
            return self._by_trust(depends=False)
        tool, now = self.tool, time.time() if now is None else now
        specificity, depends = -1, False
        asking: Permission | None = None
        allowing: Permission | None = None
        for rule in self.rules:
            if rule.kind not in _SPECIFICITY or rule.server != tool.server:
                continue
            if rule.kind != "server" and rule.tool != tool.name:
                continue
            if (rule.scope != "always" or rule.expires) and not in_force(rule, session, run, now, self.client_of):
                continue
            depends = depends or (arguments is None and bool(rule.where))
            if not self._fits(rule, arguments):
                continue
            if rule.word is CallDecision.DENY:
                return _answer(rule)
            if rule.word is CallDecision.ALLOW and reason_void(rule, tool):
                continue
            if _SPECIFICITY[rule.kind] > specificity:
                specificity, asking, allowing = _SPECIFICITY[rule.kind], None, None
            elif _SPECIFICITY[rule.kind] < specificity:
                continue
            if rule.word is CallDecision.ASK:
                asking = asking or rule
            else:
                allowing = allowing or rule
        decisive = asking or allowing
        return self._by_trust(depends=depends) if decisive is None else _answer(decisive, depends=depends)

    def _by_trust(self, *, depends: bool) -> RuleAnswer:
        """Return the answer if no rule decides: what the user decided about the server's annotations."""
        tool, facts = self.tool, facts_of(self.tool)
        if not facts.unasked or facts.risk is Risk.LOW or tool.group is None:
            return RuleAnswer(None, depends=depends) if depends else NO_RULE
        why = f"You decided about {tool.server}: its tools that {DOES[tool.group]} run without asking."
        return RuleAnswer(CallDecision.ALLOW, None, why, depends)

    def with_rules(self, more: Iterable[Permission]) -> ToolRules:
        """Return the same rules and further ones."""
        return replace(self, rules=(*self.rules, *more)) if more else self

    def judge_known(self, known: KnownArguments, session: str = "") -> RuleAnswer:
        """Return the answer about a call whose arguments are known in part. `depends`: an unknown argument decides."""
        fitting, depends = [], False
        for rule in self.rules:
            if rule.word is CallDecision.ALLOW and rule.where and rule.tool == self.tool.name:
                holds = may_hold(rule.where, known.values, known.unknown, self.workspace, os.path.realpath, rule.others)
                depends = depends or holds is None
                fitting += [rule] if holds is not False else []
            else:
                fitting.append(rule)
        answer = replace(self, rules=tuple(fitting)).judge(None, session)
        return replace(answer, depends=depends)

    def _fits(self, rule: Permission, arguments: JsonObject | None) -> bool:
        if not rule.where:
            return rule.kind != "arguments"
        if arguments is None:
            return rule.word is CallDecision.ALLOW
        if rule.word is CallDecision.ALLOW:
            return holds(rule.where, arguments, self.workspace, os.path.realpath, rule.others)
        return touches(rule.where, arguments, self.workspace, os.path.realpath)

    def judge_release(
        self, found: Iterable[Restoration], session: str = "", run: str = ""
    ) -> tuple[ReleaseDecision, ...]:
        """Return which values of a call the user's rules release to this tool."""
        now = time.time()
        rules = [one for one in self.rules if in_force(one, session, run, now, self.client_of)]
        return release_rules.judge(found, rules, self.tool, lost=self.lost)

    @property
    def limits_release(self) -> bool:
        """Whether a rule denies this tool some kind of personal data, or asks about it each time."""
        return any(
            one.kind == release_rules.RESTORE
            and one.word is not CallDecision.ALLOW
            and one.tool in ("", self.tool.name)
            for one in self.rules
        )

    @property
    def looks_into_arguments(self) -> bool:
        return any(one.where and one.tool == self.tool.name for one in self.rules)

    @property
    def own_call_permission(self) -> Permission | None:
        """Return the rule that allows the user's own call of this tool without asking, if there is one."""
        return next((one for one in self.rules if own_calls.permits(one, self.tool)), None)

    def sealed_fields(self, named: str = "") -> tuple[str, ...]:
        """Return the fields of the tool's answers that programs get as tokens only; `named`: the setting."""
        return sealing.sealed_fields(self.tool, self.rules, named, lost=self.lost)


PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


def approval_basis(verdict: Verdict) -> tuple[str, ...]:
    """Return the basis of a rule made from the approval of this program: names, each with a hash or version."""
    definitions = sorted(f"{name} {sha}" for name, sha in verdict.definitions.items())
    return (f"rules {verdict.rules}", f"python {PYTHON}", *definitions)


def void_rules(rules: Iterable[Permission], tools: Iterable[Tool], analysis_version: str) -> dict[str, str]:
    """Return why each void rule that allows no longer applies, by the id of the rule. An unknown tool does not void
    a rule, because its server may only be stopped. `analysis_version`: version of the rules of the analysis."""
    allows = [one for one in rules if one.word is CallDecision.ALLOW]
    known = {f"{tool.server}.{tool.name}": tool for tool in tools} if allows else {}
    return {one.id: why for one in allows if (why := _changed(one, known, analysis_version))}


def _changed(rule: Permission, known: dict[str, Tool], analysis_version: str) -> str:
    if rule.kind == OWN and rule.tool:
        tool = known.get(f"{rule.server}.{rule.tool}")
        changed = tool is not None and tool.hash != rule.key
        return "the tool's definition has changed since the rule was made" if changed else ""
    if rule.kind in ("tool", "arguments"):
        tool = known.get(f"{rule.server}.{rule.tool}")
        return reason_void(rule, tool) if tool is not None else ""
    for name, _, sha in (one.rpartition(" ") for one in rule.about):
        if (name, sha) in (("rules", analysis_version), ("python", PYTHON)):
            continue
        if name in ("rules", "python"):
            return "the analysis of programs or the Python version has changed since the rule was made"
        if name in known and known[name].hash != sha:
            return f"the definition of {name} has changed since the rule was made"
    return ""
