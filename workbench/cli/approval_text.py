"""What the user sees before a decision, as lines of text. The facts are those of the window's dialogs."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from textwrap import wrap

from workbench.records import (
    Effect,
    EffectKind,
    Finding,
    Flow,
    HeldCall,
    Origin,
    RequestGroup,
    Risk,
    Run,
    ValueOrigin,
    Verdict,
)
from workbench.records.common_types import count_of, duration_text
from workbench.records.stated_facts import KIND_TEXTS, StatedEffect, likeness_sentence, state_facts

_ORDER = (Risk.LOW, Risk.MEDIUM, Risk.HIGH, Risk.CRITICAL)
_MOST = 200  # maximum rows of one group
_LONGEST_VALUE = 300  # characters of a value in a row of a group
_NAMES = 12  # maximum names in one row


def program_facts(run: Run, code: str, width: int) -> list[str]:
    """The facts about a program that waits or has waited: summary, author, effects, isolation, and all of its code."""
    verdict, proposal = run.verdict, run.proposal
    lines = wrap(verdict.sentence if verdict else "This program has not been assessed yet.", width)
    mine = proposal.origin is Origin.PERSON
    rows = [
        ("Risk", _risk(verdict) if verdict else "not assessed"),
        ("From", "you" if mine else f"the agent “{proposal.author}”"),
        ("Purpose", "" if mine or not proposal.purpose else f"“{proposal.purpose}” (its author's claim)"),
        ("Language", "" if proposal.language == "python" else proposal.language),
        ("Continues", f"the REPL session “{proposal.state}”" if proposal.state else ""),
        ("Runs in", " ".join(filter(None, (run.level, f"({run.backend})" if run.backend else "")))),
        ("Isolation", run.isolation),
    ]
    lines += ["", *_rows(rows, width)]
    if verdict is not None:
        lines += [*_bounds(verdict, width), *_likeness(run, width), *verdict_facts(verdict, width)]
    return [*lines, *code_lines(code, verdict.findings if verdict else ())]


def verdict_facts(verdict: Verdict, width: int) -> list[str]:
    """The effects of a program, by group."""
    lines: list[str] = []
    titles = {
        EffectKind.WILL: "Will happen",
        EffectKind.REFUSED: "The sandbox will refuse",
        EffectKind.MAY: "May happen",
    }
    facts = state_facts(verdict)
    for kind, title in titles.items():
        shown = [one for one in facts.effects if one.effect.kind is kind]
        lines += _group(title, [row for one in shown for row in _effect_rows(one)], width)
    lines += _group("Further data flows", [_flow(flow) for flow in facts.flows], width)
    rows = [_at(finding.span.line, finding.message, finding.risk) for finding in facts.findings]
    lines += _group("Findings", rows, width)
    lines += _group("Not assessed", list(verdict.not_assessed), width)
    size = _rows(_size_rows(verdict), width)
    return [*lines, "", *size] if size else lines


def _effect_rows(one: StatedEffect) -> list[str]:
    """The effect, and what is known of its arguments."""
    effect = one.effect
    reasons = [finding.message for finding in one.findings if finding.rule in ("tool.path", "tool.address")]
    by_argument: dict[str, list[str]] = {}
    for flow in one.flows:
        argument = flow.sink[len(effect.subject) + 1 :] or "its arguments"
        source = f"{flow.source} (line {flow.line})" if flow.line else f"{flow.source} (earlier)"
        by_argument.setdefault(f"{argument}: {KIND_TEXTS.get(flow.kind, flow.kind)} of", []).append(source)
    flows = [f"{argument} {', '.join(sources)}" for argument, sources in by_argument.items()]
    said = "; ".join([*flows, *reasons])
    return [_at(effect.line, f"{effect.text}{_reversibility(effect)}{f' [{said}]' if said else ''}", effect.risk)]


def group_rows(group: RequestGroup, authors: Sequence[str]) -> list[str]:
    """One row for each program of a group, with the values in which it differs from the others."""
    lines = ["", "They differ in nothing." if not group.columns else "What differs"]
    for row, author in zip(group.rows, authors, strict=False):
        cells = []
        for at, (column, value) in enumerate(zip(group.columns, row.values, strict=False)):
            new = " (not where the last one that you allowed went)" if at < len(row.new) and row.new[at] else ""
            cells.append(f"{column.name or f'line {column.line}'} = {_one_line(value)}{new}")
        lines.append(f"  {row.run_id}  {_one_line(author)}{': ' if cells else ''}{', '.join(cells)}")
    return lines


def _one_line(text: str) -> str:
    """A value that cannot look like a further row."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST_VALUE else f"{flat[:_LONGEST_VALUE]}…"


def call_facts(held_call: HeldCall, arguments: str, width: int) -> list[str]:
    """The facts about a held call: tool, reason, arguments, and the sources of their values."""
    many, name = held_call.more + 1, f"{held_call.server}.{held_call.tool}"
    who = f"The program of “{held_call.author}”" if held_call.author else "A program"
    title = f"{who} wants to call {name}" + (f" {many} times." if many > 1 else ".")
    if held_call.is_answer:
        title = f"{who} has ended. Its answer waits."
    own = [] if not held_call.run_id and held_call.sentence else wrap(title, width)  # else a tool of another client
    lines = [*own, *(wrap(held_call.sentence, width) if held_call.sentence else [])]
    rows = [
        ("Risk", str(held_call.risk)),
        ("Program", f"{held_call.run_id} (mcp-workbench runs show {held_call.run_id})" if held_call.run_id else ""),
        (
            "Careful",
            "combines private data, text from outsiders and a way to send data out" if held_call.trifecta else "",
        ),
    ]
    lines += ["", *_rows(rows, width)]
    lines += _group("Why you are asked", list(held_call.why), width)
    if many > 1:
        lines += [
            "",
            f"Waiting calls (your answer applies to {len(held_call.list)} of {many})",
            *_indented(held_call.list),
        ]
    else:
        heading = "What the agent would read" if held_call.is_answer else held_call.heading or "What it would send"
        lines += ["", heading, *_indented(arguments.splitlines() or [arguments])]
    if held_call.origins:
        lines += ["", "Where its values came from"]
        for origin in held_call.origins[:_MOST]:
            lines += _origin(origin, held_call.run_id, width)
    return lines


def code_lines(code: str, findings: Iterable[Finding]) -> list[str]:
    """The exact program with line numbers. Lines with findings are marked."""
    marked = {finding.span.line for finding in findings if finding.risk is not Risk.LOW}
    shown = code.split("\n")
    if shown and not shown[-1]:
        shown.pop()
    digits = len(str(len(shown)))
    title = f"The program, {count_of(len(shown), 'line')}"
    rows = [f"{'!' if number in marked else ' '} {number:>{digits}}  {text}" for number, text in enumerate(shown, 1)]
    return ["", title, *rows]


def time_left(deadline: float) -> str:
    """The remaining time."""
    return duration_text(deadline - time.time())


def _bounds(verdict: Verdict, width: int) -> list[str]:
    parts = [*verdict.asks, *verdict.allowed]
    if verdict.required:
        parts.append(f"May call only {_names(verdict.required)}.")
    if verdict.profile is not None and verdict.profile.name != "write_restricted":
        parts.append(f"Runs with the profile {verdict.profile.name}: {verdict.profile.sentence}")
    return _group("Why you are asked", parts, width)


def _likeness(run: Run, width: int) -> list[str]:
    if (like := run.like) is None:
        return []
    sentence = likeness_sentence(like, _ago(like.at))
    changes = [
        f"line {change.line}: {change.before} → {change.after}{' (a different destination)' * change.destination}"
        for change in like.changes
    ]
    return _group("Seen before", [sentence, *changes], width)


def _ago(at: float) -> str:
    seconds = time.time() - at
    if seconds < 60:
        return "just now"
    size, unit = next(pair for pair in ((86_400, "d"), (3_600, "h"), (60, "min")) if seconds >= pair[0])
    return f"{int(seconds // size)} {unit} ago"


def _flow(flow: Flow) -> str:
    start = f"line {flow.line} {flow.source}" if flow.line else f"earlier: {flow.source}"
    return f"{start} → line {flow.sink_line} {flow.sink} ({KIND_TEXTS.get(flow.kind, flow.kind)})"


def _origin(origin: ValueOrigin, run_id: str, width: int) -> list[str]:
    where = "an earlier answer that is no longer stored"
    if origin.tool:
        when = "in this run" if origin.run_id == run_id else "in an earlier run"
        where = f"the answer of {origin.server}.{origin.tool}, {when}"
    kinds = ", ".join(KIND_TEXTS.get(kind, kind) for kind in origin.kinds)
    lines = [f"  {origin.path} = {origin.value:.200}", *_wrapped(f"from {where} ({kinds})", width, "    ")]
    if origin.around:
        lines += [f"    | {line}" for line in origin.around.replace("\x02", "»").replace("\x03", "«").splitlines()]
    return lines


def _size_rows(verdict: Verdict) -> list[tuple[str, str]]:
    code = count_of(verdict.lines, "line")
    forks = "1 branch or loop" if verdict.forks == 1 else f"{verdict.forks:,} branches and loops"
    return [
        ("Known at run time only", count_of(verdict.impact.unnamed, "target") if verdict.impact.unnamed else ""),
        ("Length", f"{code}, {forks}" if verdict.lines and verdict.forks else code if verdict.lines else ""),
    ]


def _risk(verdict: Verdict) -> str:
    """Return the risk; a program that waits only for a decision about a server is unverified."""
    if not verdict.waits_for_trust:
        return str(verdict.risk)
    server = verdict.waits_for_trust[0]
    return f"unverified: you have not decided about {server}. `mcp-workbench servers trust {server}` asks you once."


def _reversibility(effect: Effect) -> str:
    if effect.kind is EffectKind.REFUSED:
        return ""  # nothing happens
    if effect.risk is Risk.LOW and effect.reversible:
        return " (changes nothing)"
    return {True: " (can be undone)", False: " (cannot be undone)", None: ""}[effect.reversible]


def _at(line: int, text: str, risk: Risk) -> str:
    mark = "" if risk is Risk.LOW else f"{risk}: "
    return f"line {line}: {mark}{text}" if line > 0 else f"{mark}{text}"


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return ", ".join(names[:_NAMES]) + more


def _group(title: str, sentences: Sequence[str], width: int) -> list[str]:
    if not sentences:
        return []
    more = f" (the first {_MOST} of {len(sentences)})" if len(sentences) > _MOST else ""
    rows = [line for sentence in sentences[:_MOST] for line in _wrapped(sentence, width, "    ", "  • ")]
    return ["", f"{title}{more}", *rows]


def _rows(rows: Sequence[tuple[str, str]], width: int) -> list[str]:
    filled = [(title, text) for title, text in rows if text]
    wide = max((len(title) for title, _ in filled), default=0) + 2
    return [
        line for title, text in filled for line in _wrapped(text, width, " " * (wide + 2), f"  {title.ljust(wide)}")
    ]


def _wrapped(text: str, width: int, indent: str, first: str | None = None) -> list[str]:
    return wrap(
        " ".join(text.split()),
        width,
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]
