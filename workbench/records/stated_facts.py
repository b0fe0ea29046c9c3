"""Facts about requests as every client shows them: a verdict in which each fact occurs once, and common sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from workbench.records.common_types import rank
from workbench.records.held_calls import HeldCall
from workbench.records.runs import Effect, Finding, Flow, Likeness, Resemblance, Verdict

KIND_TEXTS: Final[Mapping[str, str]] = {"untrusted": "text from outsiders", "private": "private data"}
"""What the kinds of data flows and sources stand for."""


class StatedEffect(Struct, frozen=True):
    """An effect with what belongs to it. Its text already states the findings about data flows."""

    effect: Effect
    flows: tuple[Flow, ...] = ()  # into the arguments of this call
    findings: tuple[Finding, ...] = ()  # about this call, other than the effect itself


class StatedFacts(Struct, frozen=True):
    """All effects, flows and findings of a verdict, the worst first, each once."""

    effects: tuple[StatedEffect, ...]
    flows: tuple[Flow, ...]  # into nothing that is listed as an effect
    findings: tuple[Finding, ...]  # that no effect states


def state_facts(verdict: Verdict) -> StatedFacts:
    """Return the facts of a verdict. A part of its headline is about the effect with the same line and subject."""
    effects = sorted(verdict.effects, key=lambda one: (-rank(one.risk), one.line))
    flows, findings = list(dict.fromkeys(verdict.flows)), list(dict.fromkeys(verdict.findings))
    stated = []
    for effect in effects:
        mine = tuple(flow for flow in flows if _flows_into(flow, effect))
        about = tuple(finding for finding in findings if _is_about(finding, effect))
        flows = [flow for flow in flows if flow not in mine]
        findings = [finding for finding in findings if finding not in about]
        stated.append(StatedEffect(effect, mine, tuple(one for one in about if one.message != effect.text)))
    findings.sort(key=lambda one: (-rank(one.risk), one.span.line))
    return StatedFacts(tuple(stated), tuple(flows), tuple(findings))


def unstated_effects(verdict: Verdict) -> tuple[Effect, ...]:
    """Return the effects that the headline does not state, the worst first, each sentence once."""
    stated = {text for part in verdict.headline for text in part.states}
    effects = sorted(verdict.effects, key=lambda one: (-rank(one.risk), one.line))
    return tuple({one.text: one for one in reversed(effects) if one.text not in stated}.values())[::-1]


def call_sentence(held_call: HeldCall) -> str:
    """Return what a held call would do, in one sentence."""
    many = f" ({held_call.more + 1:,} calls)" if held_call.more else ""
    return held_call.sentence or f"Wants to call {held_call.server}.{held_call.tool}{many}."


def likeness_sentence(like: Resemblance, when: str) -> str:
    """Return how a program resembles one that the user allowed. `when`: such as "2 h ago"."""
    moved = any(change.destination for change in like.changes)
    return {
        Likeness.TEXT: f"You allowed exactly this program {when}.",
        Likeness.TREE: f"You allowed this program {when}: only spacing or comments changed.",
        Likeness.NEAR: f"Most of its lines are those of a program that you allowed {when}.",
        Likeness.VALUES: f"You allowed this program {when} with other values."
        + " It has a different destination now." * moved,
    }[like.likeness]


def _flows_into(flow: Flow, effect: Effect) -> bool:
    subject = effect.subject
    return (
        bool(subject)
        and flow.sink_line == effect.line
        and (flow.sink == subject or flow.sink.startswith(f"{subject}."))
    )


def _is_about(finding: Finding, effect: Effect) -> bool:
    """Return whether an effect states a finding: it is the same, or about the arguments of the same call."""
    if finding.span.line != effect.line:
        return False
    if finding.message == effect.text:
        return True
    about_call = effect.rule == "tool.call" and bool(effect.subject)
    return about_call and (
        (finding.rule.startswith("flow.") and finding.rule != "flow.unclear" and finding.subject == effect.subject)
        or (finding.rule in ("tool.sql", "tool.path", "tool.address") and effect.subject in finding.message)
    )
