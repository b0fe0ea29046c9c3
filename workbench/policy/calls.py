"""Judges one tool call: how risky the tool is by its hints and its name, and whether this call may pass now.

Hints are claims, never proof: a tool that says "read only" and is called `delete_all` is judged by its name.
"""

from __future__ import annotations

from workbench.policy import bits
from workbench.policy.bits import contradicts
from workbench.policy.levels import at_least
from workbench.policy.own_calls import doubt, objection
from workbench.policy.tables import verbs
from workbench.quick_records import dataclass
from workbench.records import Origin, Risk, Tool, ToolCall, Verdict, Word

UNKNOWN = "unknown"  # why a script's call asks: nobody knows what the tool does
_ANYWAY = "Call it once more with your confirmation to do it anyway."


@dataclass(frozen=True, slots=True)
class CallVerdict:
    """Whether a call may pass; `confirm` means that a person may repeat it knowingly, `pause` that a run
    may ask a person about it now."""

    allow: bool
    confirm: bool
    risk: Risk
    reason: str = ""
    hint: str = ""
    pause: bool = False
    asks: str = ""  # with `confirm`: what the tool may do, as in `own_calls`, or UNKNOWN


def tool_risk(tool: Tool) -> Risk:
    """Low: reads. Medium: adds, or reads by name alone. High: may change or destroy, or contradicts its own name."""
    hints = tool.hints
    if hints.read_only:
        return Risk.HIGH if contradicts(tool) else Risk.LOW
    if hints.read_only is None and hints.destructive is None:
        return Risk.MEDIUM if verbs.reads(tool.name) and not verbs.destroys(tool.name) else Risk.HIGH
    if hints.destructive is False and "destructive" in tool.said:
        return Risk.MEDIUM
    return Risk.MEDIUM if hints.destructive is False and not verbs.destroys(tool.name) else Risk.HIGH


def outward(tool: Tool) -> bool:
    """Whether it can carry data to somebody outside."""
    return bits.sends(tool)


def destroys(tool: Tool) -> bool:
    """Whether it may take something away that does not come back, by its hints or its name."""
    return tool_risk(tool) is Risk.HIGH and bool(tool.hints.destructive or verbs.destroys(tool.name))


def check_call(
    call: ToolCall,
    tool: Tool,
    verdict: Verdict | None,
    approved: bool,
    word: Word | None = None,
    why: str = "",
) -> CallVerdict:
    """Whether this call may go to its server: by the verdict of its run, or by the user's own confirmation. `word` and
    `why`: what a rule of the user's says of exactly this call of a program, or `word` alone of their own call."""
    risk = tool_risk(tool)
    if verdict is not None:
        return _check_in_run(tool, verdict, approved, risk, word, why)
    if call.origin is Origin.PERSON:
        return _check_direct(call, tool, risk, word)
    reason = f"{_name(tool)} was called by an agent outside of an assessed program."
    return CallVerdict(False, False, risk, reason, "Call tools from a program given to execute_code.")


def _check_in_run(tool: Tool, verdict: Verdict, approved: bool, risk: Risk, word: Word | None, why: str) -> CallVerdict:
    name = _name(tool)
    judged = verdict.definitions.get(name)
    if judged is not None and judged != tool.hash:
        reason = f"The definition of {name} changed after this program was assessed."
        return CallVerdict(
            False, False, risk, reason, "Submit the program again; it will be assessed with the new definition."
        )
    if word is Word.DENY:
        return CallVerdict(False, False, risk, why, "Do without it; a person can change the rule.")
    if word is Word.ASK:
        return CallVerdict(False, False, risk, why, "A person must agree to this call.", pause=True)
    if word is Word.ALLOW:
        return CallVerdict(True, False, risk)
    seen = any(use.server == tool.server and use.tool == tool.name for use in verdict.tools)
    if not seen and (at_least(risk, Risk.MEDIUM) or (not approved and bits.private(tool))):
        reason = f"The program calls {name}, which could not be read from its text. {doubt(tool)}"
        return CallVerdict(
            False,
            False,
            risk,
            reason,
            "Import the tool by its name and call it directly, so that it can be assessed.",
            pause=True,
        )
    if at_least(risk, Risk.HIGH) and not approved:
        return CallVerdict(
            False,
            False,
            risk,
            f"Nobody approved a program that calls {name}. {doubt(tool)}",
            "Ask a person to approve it.",
            pause=True,
        )
    return CallVerdict(True, False, risk)


def _check_direct(call: ToolCall, tool: Tool, risk: Risk, word: Word | None) -> CallVerdict:
    """A call that the user makes by hand. `word`: ALLOW where they said before that such calls shall not ask. A call
    that a script makes asks about whatever is not known to be harmless: nobody pressed a button for it."""
    if call.confirmed or word is Word.ALLOW:
        return CallVerdict(True, False, risk)
    if (found := objection(tool)) is not None:
        return CallVerdict(False, True, risk, found.sentence, _ANYWAY, asks=found.what)
    if call.unattended and (at_least(risk, Risk.HIGH) or outward(tool)):
        return CallVerdict(False, True, risk, doubt(tool), _ANYWAY, asks=UNKNOWN)
    return CallVerdict(True, False, risk)


def _name(tool: Tool) -> str:
    return f"{tool.server}.{tool.name}"
