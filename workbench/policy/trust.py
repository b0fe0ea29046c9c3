"""What a person's trust and rules make of a tool and of one call. Pure: the room `permissions` keeps what is said.

A server's hints are claims. Those that make a tool harmless count when a person believes the server, or said the same
of the tool; those that make it dangerous always count. A rule that denies stands above all; of the others the one that
says most decides: about arguments before about a tool, about a tool before about a server, and asking before allowing.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import replace

from workbench.policy import bits
from workbench.policy.calls import tool_risk
from workbench.policy.levels import at_least
from workbench.policy.matching import Resolve, holds, says_something
from workbench.policy.touching import touches
from workbench.quick_records import dataclass
from workbench.records import Hints, JsonObject, Permission, Risk, Tool, ToolBits, Trust, Word

OWN = ("private", "outsiders", "sends")
HINTS = ("read_only", "destructive", "idempotent", "open_world")
_SAYS = {"server": 0, "tool": 1, "arguments": 2}  # the rules that this file knows, by how much they say
LOST = "What you allow and forbid cannot be read, so everything asks."


@dataclass(frozen=True, slots=True)
class Judged:
    """What the person's rules say of one call."""

    word: Word | None  # None: no rule speaks of it, so its risk decides
    permission: Permission | None = None  # the rule that decided
    why: str = ""  # one sentence
    depends: bool = False  # only for a judgement without arguments: the real ones may be judged otherwise


NO_RULE = Judged(None)


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What is certain about calls of a tool before their arguments are known."""

    decision: Word | None  # None: its risk decides
    text: str = ""  # one sentence
    hint: str = ""
    depends: bool = False  # the real arguments may be judged otherwise


def effective(tool: Tool, trust: Trust, believed: bool = False) -> Tool:
    """The tool as policy takes it: hints as far as they are believed, a person's word in place of them, and guesses for
    the three own bits. `believed`: also without a word in `trust`, such as for the built-in server."""
    claims = tool.claimed or tool.hints
    said = counting(trust.bits.get(tool.server, {}).get(tool.name, ToolBits()), tool)
    spoken = tuple(name for name in (*HINTS, *OWN) if getattr(said, name) is not None)
    hints = _said(claims if believed or tool.server in trust.believed else doubted(claims), said)
    plain = replace(tool, hints=hints, claimed=claims, said=spoken, private=None, outsiders=None, sends=None)
    return replace(
        plain,
        private=bits.guess_private(plain) if said.private is None else said.private,
        outsiders=bits.suspect_outsiders(plain) if said.outsiders is None else said.outsiders,
        sends=bits.suspect_sends(plain) if said.sends is None else said.sends,
        guessed=tuple(name for name in OWN if name not in spoken),
    )


def _said(hints: Hints, said: ToolBits) -> Hints:
    """A person's word in place of a hint."""
    return Hints(
        read_only=hints.read_only if said.read_only is None else said.read_only,
        destructive=hints.destructive if said.destructive is None else said.destructive,
        idempotent=hints.idempotent if said.idempotent is None else said.idempotent,
        open_world=hints.open_world if said.open_world is None else said.open_world,
    )


def doubted(claims: Hints) -> Hints:
    """What is left of the hints of a server nobody believes: those that speak against it."""
    return Hints(
        read_only=False if claims.read_only is False else None,
        destructive=claims.destructive or None,
        idempotent=None,
        open_world=claims.open_world or None,
    )


def counting(said: ToolBits, tool: Tool) -> ToolBits:
    """What was said of this definition; of another one only what makes it stricter."""
    if said.key == tool.hash:
        return said
    return ToolBits(
        read_only=False if said.read_only is False else None,
        destructive=said.destructive or None,
        idempotent=False if said.idempotent is False else None,
        open_world=said.open_world or None,
        private=said.private or None,
        outsiders=said.outsiders or None,
        sends=said.sends or None,
    )


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
) -> Judged:
    """What the person's rules say of this call of an effective tool. `arguments`: the real ones, with personal data
    restored, or None before they are known (then `depends` says that the real ones may change the word). A word of None
    leaves it to risk and settings; ALLOW settles the risk of the call itself and nothing about where its arguments came
    from; ASK wants a person whatever the risk; DENY is final. `why` is a sentence for the person and the audit."""
    if trust.lost:
        return Judged(Word.ASK, None, LOST)
    mine = [one for one in permissions if _speaks_of(one, tool) and _lives(one, session, run, now)]
    fitting = [one for one in mine if _fits(one, tool, arguments, workspace, resolve)]
    depends = arguments is None and any(one.where for one in mine)
    if denied := [one for one in fitting if one.word is Word.DENY]:
        return _judged(denied, Word.DENY, depends=False)
    counted = [one for one in fitting if one.word is not Word.ALLOW or not void(one, tool)]
    if not counted:
        return Judged(None, depends=depends)
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
    if permission.kind == "server" and bits.asks_anywhere(tool):
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
    return at_least(tool_risk(tool), Risk.HIGH) or bits.sends(tool)


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


def _judged(rules: Sequence[Permission], word: Word, depends: bool) -> Judged:
    verbs = {Word.ALLOW: "Allowed by", Word.ASK: "Asks because of", Word.DENY: "Denied by"}
    rule = rules[0]
    return Judged(word, rule, f"{verbs[word]} your rule: {rule.label or rule.id}", depends)
