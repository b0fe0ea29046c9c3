"""Each thing is told once, the worst first."""

from __future__ import annotations

from workbench.analysis.interpreter.program_report import MAX_FINDINGS, NotedToolUse, ProgramReport
from workbench.records import EffectKind, Risk, Span, Tool

HERE, THERE = Span(1, 0, 1, 5), Span(2, 0, 2, 5)


def test_the_same_finding_is_told_once_with_its_worst_risk() -> None:
    report = ProgramReport()
    for risk in (Risk.LOW, Risk.HIGH, Risk.MEDIUM):
        report.add("r", risk, "Words", HERE)
    assert [finding.risk for finding in report.findings()] == [Risk.HIGH]


def test_findings_stand_worst_first_and_effects_in_order_of_lines() -> None:
    report = ProgramReport()
    report.add("a", Risk.LOW, "One", HERE, effect=EffectKind.WILL)
    report.add("b", Risk.HIGH, "Two", THERE, effect=EffectKind.MAY)
    report.add("c", Risk.HIGH, "No effect", HERE)
    assert [finding.message for finding in report.findings()] == ["No effect", "Two", "One"]
    assert [(effect.text, effect.line) for effect in report.effects()] == [("One", 1), ("Two", 2)]


def test_a_tool_seen_in_a_loop_once_stays_so() -> None:
    report = ProgramReport()
    tool = Tool("s", "t")
    report.add_use(NotedToolUse(tool, 3, Risk.MEDIUM, looped=True))
    report.add_use(NotedToolUse(tool, 3, Risk.LOW))
    (use,) = report.uses.values()
    assert (use.looped, use.risk) == (True, Risk.MEDIUM)


def test_too_many_findings_are_not_listed_but_said() -> None:
    report = ProgramReport()
    for number in range(MAX_FINDINGS + 5):
        report.add("r", Risk.LOW, "Words", Span(number))
    assert len(report.findings()) == MAX_FINDINGS
    assert any("More than" in words for words in report.not_assessed)


def test_a_fact_keeps_where_it_was_first_seen() -> None:
    report = ProgramReport()
    report.add_fact("out", HERE)
    report.add_fact("out", THERE)
    assert report.facts == {"out": HERE}
