"""Figures of the audit as charts, each with the table that says the same without a picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, timedelta

from msgspec import Struct
from PySide6.QtCore import QCoreApplication

from workbench.gui.text import one_line
from workbench.gui.words import amount, duration, risk_word, run_word
from workbench.records import Figures, Risk, RunState
from workbench.tokens import money

translate = QCoreApplication.translate

DAYS = 62  # bars of a day each; a longer time is told by months
SHOWN = 12  # servers or kinds drawn; the table has all


class Series(Struct, frozen=True):
    """One colour of a chart."""

    name: str
    role: str  # a colour of the theme
    values: tuple[float, ...]


class Chart(Struct, frozen=True):
    """What is drawn, and what it means in words."""

    key: str
    title: str
    headline: str
    sentence: str  # where there is nothing yet: how there will be something
    labels: tuple[str, ...] = ()
    series: tuple[Series, ...] = ()
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    stacked: bool = False
    counts: bool = True  # only whole numbers stand at the axis


def charts(figures: Figures) -> tuple[Chart, ...]:
    """In the order in which they stand."""
    make: Sequence[Callable[[Figures], Chart]] = (_tokens, _runs, _latency, _personal, _decisions)
    return tuple(one(figures) for one in make)


def _tokens(figures: Figures) -> Chart:
    times = _over_time(figures)
    saved = sum(max(0, day.direct - day.actual) for day in figures.days)
    title = translate("charts", "Tokens saved")
    if not figures.days:
        teach = translate("charts", "When an agent's program has run, this shows what direct calls would have cost.")
        return Chart("tokens", title, "–", teach)
    words = translate("charts", "{0} saved, worth {1}").format(amount(saved), money(saved, figures.cents_per_million))
    sentence = translate("charts", "Direct calls would have cost {0} tokens; programs cost {1}.").format(
        amount(figures.direct), amount(sum(day.actual for day in figures.days))
    )
    heads = tuple(translate("charts", word) for word in ("When", "Direct calls", "Programs", "Saved", "Worth"))
    rows = tuple(
        (name, f"{direct:,}", f"{actual:,}", f"{max(0, direct - actual):,}",
         money(max(0, direct - actual), figures.cents_per_million))
        for name, direct, actual in times
    )  # fmt: skip
    series = (
        Series(translate("charts", "Direct calls"), "faint", tuple(float(one[1]) for one in times)),
        Series(translate("charts", "Programs"), "accent", tuple(float(one[2]) for one in times)),
    )
    return Chart("tokens", title, words, sentence, tuple(one[0] for one in times), series, heads, rows)


def _runs(figures: Figures) -> Chart:
    title = translate("charts", "Runs by risk and outcome")
    if not figures.runs:
        teach = translate("charts", "No program ran in this time. Write one (Ctrl+E), or watch an agent ask.")
        return Chart("runs", title, "–", teach)
    numbers = {(run.risk, run.outcome): run.number for run in figures.runs}
    risks = [risk for risk in (*map(str, Risk), "") if any(run.risk == risk for run in figures.runs)]
    outcomes = [str(state) for state in RunState if any(run.outcome == state for run in figures.runs)]
    labels = tuple(risk_word(Risk(risk)).text if risk else translate("charts", "Not judged") for risk in risks)
    series = tuple(
        Series(
            run_word(RunState(outcome)).text,
            _tone(outcome),
            tuple(float(numbers.get((risk, outcome), 0)) for risk in risks),
        )
        for outcome in outcomes
    )
    heads = (translate("charts", "Risk"), *(one.name for one in series))
    rows = tuple(
        (label, *(f"{numbers.get((risk, outcome), 0):,}" for outcome in outcomes))
        for label, risk in zip(labels, risks, strict=True)
    )
    total = sum(numbers.values())
    done = sum(number for (_, outcome), number in numbers.items() if outcome == RunState.DONE)
    many = translate("charts", "{0:,} runs, {1:.0%} done").format(total, done / total)
    words = (
        many if total > 1 else translate("charts", "1 run, done") if done else translate("charts", "1 run, not done")
    )
    sentence = translate("charts", "They took {} on average.").format(duration(figures.average_ms))
    return Chart("runs", title, words, sentence, labels, series, heads, rows, stacked=True)


def _latency(figures: Figures) -> Chart:
    title = translate("charts", "Time to answer, by server")
    if not figures.servers:
        teach = translate("charts", "No tool was called in this time. Pick one in the list and press Ctrl+Return.")
        return Chart("latency", title, "–", teach)
    shown = figures.servers[:SHOWN]
    series = (
        Series(translate("charts", "Half within, ms"), "info", tuple(one.median_ms for one in shown)),
        Series(translate("charts", "95 % within, ms"), "warning", tuple(one.p95_ms for one in shown)),
    )
    heads = tuple(translate("charts", word) for word in ("Server", "Calls", "Failed", "Half within", "95 % within"))
    rows = tuple(
        (one_line(one.server, 60), f"{one.calls:,}", f"{one.failed:,}", duration(one.median_ms), duration(one.p95_ms))
        for one in figures.servers
    )
    calls, failed = (sum(getattr(one, name) for one in figures.servers) for name in ("calls", "failed"))
    words = translate("charts", "{0:,} calls, {1:.1%} failed").format(calls, failed / calls if calls else 0.0)
    labels = tuple(one_line(one.server, 14) for one in shown)
    sentence = translate("charts", "Failed calls count with the time they took.")
    return Chart("latency", title, words, sentence, labels, series, heads, rows, counts=False)


def _personal(figures: Figures) -> Chart:
    title = translate("charts", "Personal data kept from models")
    if not figures.hidden:
        teach = translate(
            "charts", "No value was replaced by a token in this time. Values in answers are found by kind."
        )
        return Chart("personal", title, "–", teach)
    shown = figures.hidden[:SHOWN]
    names = tuple(one.name.replace("_", " ").capitalize() for one in shown)
    series = (Series(translate("charts", "Values"), "success", tuple(float(one.number) for one in shown)),)
    given = Counter[str]()
    for one in figures.given:
        given[one.kind] += one.number
    heads = tuple(translate("charts", word) for word in ("Kind", "Values hidden", "Given back into calls"))
    rows = tuple(
        (one.name.replace("_", " ").capitalize(), f"{one.number:,}", f"{given[one.name]:,}") for one in figures.hidden
    )
    total = sum(one.number for one in figures.hidden)
    words = translate("charts", "{:,} values hidden").format(total)
    sentence = translate("charts", "{:,} times a value went back into a call.").format(sum(given.values()))
    return Chart("personal", title, words, sentence, names, series, heads, rows)


def _decisions(figures: Figures) -> Chart:
    title, review = translate("charts", "How you decide"), figures.review
    if not review.decided:
        teach = translate("charts", "No approval requests in this period.")
        return Chart("decisions", title, "–", teach)
    denied, read = review.decided - review.allowed, review.allowed - review.hasty
    words = translate("charts", "{0:.0%} allowed, half within {1:.1f} s").format(
        review.allowed / review.decided, review.median_seconds
    )
    sentence = translate("charts", "{} were allowed sooner than anybody can read.").format(review.hasty)
    labels = tuple(translate("charts", word) for word in ("Allowed", "Allowed unread", "Denied"))
    numbers = (read, review.hasty, denied)
    series = (Series(translate("charts", "Decisions"), "accent", tuple(map(float, numbers))),)
    heads = tuple(translate("charts", word) for word in ("Answer", "Decisions"))
    rows = tuple((label, f"{number:,}") for label, number in zip(labels, numbers, strict=True))
    median = (translate("charts", "Median time to decide"), f"{review.median_seconds:.1f} s")
    return Chart("decisions", title, words, sentence, labels, series, heads, (*rows, median))


def _over_time(figures: Figures) -> list[tuple[str, int, int]]:
    """Direct and actual tokens of each day, empty days too; of each month where there are too many days."""
    if not figures.days:
        return []
    days = {date.fromisoformat(one.day): one for one in figures.days}
    first, last = min(days), max(days)
    direct, actual = Counter[str](), Counter[str]()
    months = (last - first).days > DAYS
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        name, one = day.strftime("%b %Y" if months else "%d %b"), days.get(day)
        direct[name] += one.direct if one else 0
        actual[name] += one.actual if one else 0
    return [(name, direct[name], actual[name]) for name in direct]


def _tone(outcome: str) -> str:
    """Each outcome has a colour of its own here; its word stands in the legend and in the table."""
    own = {RunState.REFUSED: "warning", RunState.INTERRUPTED: "critical", RunState.STOPPED: "faint"}
    return own.get(RunState(outcome)) or run_word(RunState(outcome)).tone
