"""Renders the compliance report as one printable HTML file without scripts or external resources; escapes all text."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from datetime import datetime

from workbench import tokens
from workbench.audit.compliance_report import HIGH, summary
from workbench.records import Execution, Incident, Report

SHOWN = 200  # rows of a list of runs; the JSON report contains all
_LINE = 300  # characters of one cell
_STYLE = """
:root { color-scheme: light dark; --ink: #1b1c21; --quiet: #565b67; --line: #d8dae2; --ground: #fff; --soft: #f4f5f8;
  --bad: #bd2630; --good: #16704a; --bar: #4a59d6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e9ed; --quiet: #a0a4b0; --line: #383b46; --ground: #16171c;
  --soft: #1e2027; --bad: #ff7b7e; --good: #5bc994; --bar: #93a0ff; } }
body { font: 14px/1.5 Inter, system-ui, sans-serif; color: var(--ink); background: var(--ground); max-width: 68rem;
  margin: 2rem auto; padding: 0 1.5rem; }
h1 { font-size: 1.7rem; margin: 0 0 .2rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
p.quiet, td.quiet { color: var(--quiet); } p { max-width: 46rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: .8rem; margin: 1.4rem 0; }
.facts div { background: var(--soft); border-radius: 8px; padding: .7rem .9rem; }
.facts b { display: block; font-size: 1.35rem; font-weight: 600; } .facts span { color: var(--quiet); }
table { border-collapse: collapse; width: 100%; font-size: .92em; }
th { text-align: left; font-weight: 600; color: var(--quiet); border-bottom: 1px solid var(--line); }
th, td { padding: .3rem .7rem .3rem 0; vertical-align: top; overflow-wrap: anywhere; }
td { border-bottom: 1px solid var(--line); } .n { text-align: right; white-space: nowrap; }
code { font: .9em/1.4 "JetBrains Mono", ui-monospace, monospace; }
.bad { color: var(--bad); } .good { color: var(--good); }
@media print { body { margin: 0; max-width: none; font-size: 10pt; } h2 { break-after: avoid; }
  tr { break-inside: avoid; } thead { display: table-header-group; } }
"""

Row = Sequence[object]


def as_html(report: Report) -> str:
    """The report as one HTML page."""
    since = _day(report.figures.since) if report.figures.since > 0 else "the beginning"
    title = f"Audit report from {since} to {_day(report.figures.until)}"
    parts = (
        f"<h1>{_safe(title)}</h1>",
        f'<p class="quiet">Created {_time(report.made)} by MCP Workbench {_safe(report.version)} from the audit of the '
        f"project {_safe(report.project)}. Times are in the time zone of that computer.</p>",
        _facts(report),
        _chain(report),
        _runs(report),
        _decisions(report),
        _foretold(report),
        _calls(report),
        _personal(report),
        _incidents("Violations", report.incidents, "Nothing was refused, blocked or unexpected."),
        _executions("High-risk executions", (run for run in report.executions if run.risk in HIGH)),
        _executions("Unsuccessful executions", (run for run in report.executions if not run.success)),
        _incidents("Changes to rules, trust and approvals", report.permissions, "There were none."),
        _list("Rules that no longer apply", report.void, "All rules still apply."),
        _list("Tool definitions used to assess programs", report.definitions, "There were none."),
        _list("Run profiles used", report.profiles, "There were none."),
        _executions("All executions", report.executions),
    )
    head = f'<meta charset="utf-8"><title>{_safe(title)}</title><style>{_STYLE}</style>'
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    safety = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    body = "\n".join(parts)
    return f'<!doctype html>\n<html lang="en"><head>{safety}{head}</head><body>\n{body}\n</body></html>\n'


def _facts(report: Report) -> str:
    figures, first = report.figures, summary(report)
    rate = first["approvalRate"]
    saved = sum(max(0, day.direct - day.actual) for day in figures.days)
    facts = (
        (f"{first['totalExecutions']:,}", "executions"),
        (f"{sum(one.number for one in figures.violations):,}", "violations"),
        (f"{rate:.0%}" if rate is not None else "–", "of requests allowed"),
        (f"{figures.average_ms / 1000:.1f} s", "average duration"),
        (f"{figures.tokens:,}", "model tokens used"),
        (f"{saved:,}", f"model tokens saved, worth {tokens.money(saved, figures.cents_per_million)}"),
        (f"{figures.entries:,}", "audit entries"),
    )
    cells = "".join(f"<div><b>{_safe(number)}</b><span>{_safe(words)}</span></div>" for number, words in facts)
    return f'<div class="facts">{cells}</div>'


def _chain(report: Report) -> str:
    chain = report.chain
    if chain.whole:
        words = (
            f'<span class="good">Unbroken</span>: {chain.entries:,} entries, each linked to the previous by SHA-256.'
        )
    else:
        words = f'<span class="bad">Broken at entry {chain.broken_at}</span>: {_safe(chain.reason)}.'
    return f"<h2>Hash chain</h2><p>{words}<br>Head: <code>{_safe(chain.head)}</code></p>"


def _runs(report: Report) -> str:
    figures = report.figures
    outcomes = sorted({run.outcome for run in figures.runs})
    numbers = {(run.risk, run.outcome): run.number for run in figures.runs}
    levels = [
        risk for risk in ("low", "medium", "high", "critical", "") if any(run.risk == risk for run in figures.runs)
    ]
    rows = [
        (risk or "not judged", *(numbers.get((risk, outcome), 0) for outcome in outcomes),
         sum(numbers.get((risk, outcome), 0) for outcome in outcomes))
        for risk in levels
    ]  # fmt: skip
    return _table("Executions by risk and outcome", ("Risk", *outcomes, "all"), rows, "No program ran.")


def _decisions(report: Report) -> str:
    review, figures = report.figures.review, report.figures
    rows: list[Row] = [
        ("Decisions made individually", review.decided),
        ("Allowed", review.allowed),
        ("Median time to decide", f"{review.median_seconds:.1f} s"),
        ("Allowed too soon to have been read", review.hasty),
        *((f"Allowed by {one.name}", one.number) for one in figures.deciders),
    ]
    return _table("Decisions", ("", ""), rows if review.decided else [], "No approval was requested.")


def _foretold(report: Report) -> str:
    one, figures = report.figures.foretold, report.figures
    rows = (("Predicted and observed", one.seen), ("Predicted, not observed", one.unseen),
            ("Observed but not predicted", one.unforeseen),
            ("Observed, prediction not possible", one.unread))  # fmt: skip
    flows = [(flow.name, flow.number) for flow in figures.flows]
    return (
        _table("Predicted and observed effects", ("", ""), rows, "")
        + _table(
            "Data flows in programs", ("Flow", "programs"), flows, "No program passed data from one tool to another."
        )
        + _list(
            "Sessions with private data, untrusted content and a way to send data", figures.trifecta, "There were none."
        )
    )


def _calls(report: Report) -> str:
    servers = [
        (one.server, f"{one.calls:,}", one.failed, f"{one.median_ms:.0f}", f"{one.p95_ms:.0f}")
        for one in report.figures.servers
    ]
    tools = [(one.server, one.tool, one.risk, one.calls, one.failed, one.refused) for one in report.figures.tools]
    return _table(
        "Calls by server",
        ("Server", "calls", "failed", "median ms", "95th percentile ms"),
        servers,
        "No tool was called.",
    ) + _table("Calls by tool and class", ("Server", "Tool", "Class", "calls", "failed", "refused"), tools, "")


def _personal(report: Report) -> str:
    figures = report.figures
    made = [(one.name.lower().replace("_", " "), one.number) for one in figures.hidden]
    whom = [(one.name, one.number) for one in figures.hidden_for]
    given = [(one.kind, one.source, one.to, one.number) for one in figures.given]
    return (
        _table("Personal data replaced by tokens", ("Kind", "values"), made, "No personal data was found.")
        + _table("Values replaced by tokens, by agent", ("Agent", "values"), whom, "")
        + _table("Values unmasked in calls", ("Kind", "from", "to", "values"), given, "No values were unmasked.")
    )


def _executions(title: str, runs: Iterable[Execution]) -> str:
    every = list(runs)
    rows = [
        (_time(run.at), run.actor, run.risk, run.outcome, run.decided_by or ("automatic" if run.approved else "–"),
         f"{run.ms:,.0f}", f"{run.tokens:,}", run.code_hash[:16], "; ".join(run.violations) or run.error)
        for run in every[:SHOWN]
    ]  # fmt: skip
    more = f'<p class="quiet">The JSON report lists {len(every) - SHOWN:,} more.</p>' if len(every) > SHOWN else ""
    heads = ("When", "Agent", "Risk", "Outcome", "Allowed by", "ms", "tokens", "Code, SHA-256", "What went wrong")
    return _table(title, heads, rows, "There were none.") + more


def _incidents(title: str, incidents: Sequence[Incident], none: str) -> str:
    rows = [(_time(one.at), one.seq, one.kind, one.actor, one.summary) for one in incidents]
    return _table(title, ("When", "Entry", "Kind", "Who", "What"), rows, none)


def _list(title: str, lines: Sequence[str], none: str) -> str:
    items = "".join(f"<li><code>{_safe(line)}</code></li>" for line in lines)
    return f"<h2>{_safe(title)}</h2>" + (f"<ul>{items}</ul>" if lines else f'<p class="quiet">{_safe(none)}</p>')


def _table(title: str, heads: Sequence[str], rows: Sequence[Row], none: str) -> str:
    """A heading and a table. Without rows, the sentence `none` replaces the table; empty without both."""
    if not rows:
        return f'<h2>{_safe(title)}</h2><p class="quiet">{_safe(none)}</p>' if none else ""
    numeric = [all(isinstance(row[at], int) for row in rows) for at in range(len(heads))]
    first = "".join(_table_cell("th", head, numeric[at]) for at, head in enumerate(heads))
    lines = "".join(
        f"<tr>{''.join(_table_cell('td', value, numeric[at]) for at, value in enumerate(row))}</tr>" for row in rows
    )
    return f"<h2>{_safe(title)}</h2><table><thead><tr>{first}</tr></thead><tbody>{lines}</tbody></table>"


def _table_cell(name: str, value: object, number: bool) -> str:
    text = f"{value:,}" if isinstance(value, int) else str(value)
    cut = text if len(text) <= _LINE else f"{text[:_LINE]} …"
    side = ' class="n"' if number else ""
    return f"<{name}{side}>{_safe(cut)}</{name}>"


def _safe(text: object) -> str:
    """Escape markup, and show unprintable characters, such as direction overrides, by their code."""
    plain = "".join(sign if sign.isprintable() or sign in "\n\t" else f"‹U+{ord(sign):04X}›" for sign in str(text))
    return html.escape(plain)


def _time(at: float) -> str:
    return _local(at).strftime("%Y-%m-%d %H:%M:%S")


def _day(at: float) -> str:
    return _local(at).strftime("%Y-%m-%d %H:%M")


def _local(at: float) -> datetime:
    try:
        return datetime.fromtimestamp(at)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0)
