"""Recordings of skills as rows, and what came of a test as a text that is read from top to bottom."""

from __future__ import annotations

from workbench.gui.rows import Row
from workbench.gui.text import visible
from workbench.gui.words import duration
from workbench.records import CassetteInfo, SkillTest

_STATES = {
    "passed": ("check", "success", "Passed"),
    "changed": ("refresh", "warning", "Changed, but does the same"),
    "failed": ("cross", "danger", "Failed"),
    "error": ("alert", "danger", "Cannot be read"),
}


def cassette_row(info: CassetteInfo, test: SkillTest | None) -> Row:
    symbol, tone, word = _STATES[test.state] if test is not None else ("history", "muted", "Not tested yet")
    if info.fault:
        symbol, tone, word = _STATES["error"]
    calls = f"{info.calls} calls"
    took = duration(test.ms) if test is not None and test.ms else ""
    first = test.differences[0].words if test is not None and test.differences else info.fault
    return Row(
        key=info.name,
        title=visible(info.name),
        detail=visible(first or _called(info)),
        aside=" · ".join(part for part in (calls, took, info.recorded[:10]) if part),
        icon=symbol,
        tone=tone,
        badges=((word, tone),),
        mono=True,
        tip=visible(f"{info.name}: {word}"),
    )


def _called(info: CassetteInfo) -> str:
    if info.program:
        return "called by a program"
    return f"called with {info.arguments}"


def story(info: CassetteInfo, test: SkillTest | None) -> str:
    """What is recorded, then what a test found, one thing a paragraph."""
    lines = [*info.program.splitlines(), ""] if info.program else [f"called with  {info.arguments}"]
    lines.append(f"gives        {info.result}")
    lines.append(f"tools        {', '.join(info.tools) or 'none'}")
    if info.run_id:
        lines.append(f"recorded     {info.recorded} of run {info.run_id}")
    if info.fault:
        lines = [info.fault]
    if test is not None:
        lines += ["", f"{_STATES[test.state][2]} after {duration(test.ms)}."]
        for one in test.differences:
            lines += ["", f"{one.kind}: {one.words}"]
            if one.before or one.after:
                lines += [f"  - {one.before or 'nothing'}", f"  + {one.after or 'nothing'}"]
    return visible("\n".join(lines))
