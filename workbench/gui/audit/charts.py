"""Figures of the audit as charts, each with the table that says the same without a picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, timedelta

from msgspec import Struct

from workbench.gui.text import one_line
from workbench.gui.words import amount, duration, risk_word, run_word
from workbench.records import Figures, Risk, RunState
from workbench.tokens import money

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
    title = "Tokens saved"
    if not figures.days:
        teach = "When an agent's program has run, this shows what direct calls would have cost."
        return Chart("tokens", title, "–", teach)
    words = f"{amount(saved)} saved, worth {money(saved, figures.cents_per_million)}"
    cost = amount(sum(day.actual for day in figures.days))
    sentence = f"Direct calls would have cost {amount(figures.direct)} tokens; programs cost {cost}."
    heads = ("When", "Direct calls", "Programs", "Saved", "Worth")
    rows = tuple(
        (name, f"{direct:,}", f"{actual:,}", f"{max(0, direct - actual):,}",
         money(max(0, direct - actual), figures.cents_per_million))
        for name, direct, actual in times
    )  # fmt: skip
    series = (
        Series("Direct calls", "faint", tuple(float(one[1]) for one in times)),
        Series("Programs", "accent", tuple(float(one[2]) for one in times)),
    )
    return Chart("tokens", title, words, sentence, tuple(one[0] for one in times), series, heads, rows)


def _runs(figures: Figures) -> Chart:
    title = "Runs by risk and outcome"
    if not figures.runs:
        teach = "No program ran in this time. Write one (Ctrl+E), or watch an agent ask."
        return Chart("runs", title, "–", teach)
    numbers = {(run.risk, run.outcome): run.number for run in figures.runs}
    risks = [risk for risk in (*map(str, Risk), "") if any(run.risk == risk for run in figures.runs)]
    outcomes = [str(state) for state in RunState if any(run.outcome == state for run in figures.runs)]
    labels = tuple(risk_word(Risk(risk)).text if risk else "Not judged" for risk in risks)
    series = tuple(
        Series(
            run_word(RunState(outcome)).text,
            _tone(outcome),
            tuple(float(numbers.get((risk, outcome), 0)) for risk in risks),
        )
        for outcome in outcomes
    )
    heads = ("Risk", *(one.name for one in series))
    rows = tuple(
        (label, *(f"{numbers.get((risk, outcome), 0):,}" for outcome in outcomes))
        for label, risk in zip(labels, risks, strict=True)
    )
    total = sum(numbers.values())
    done = sum(number for (_, outcome), number in numbers.items() if outcome == RunState.DONE)
    many = f"{total:,} runs, {done / total:.0%} done"
    words = many if total > 1 else "1 run, done" if done else "1 run, not done"
    sentence = f"They took {duration(figures.average_ms)} on average."
    return Chart("runs", title, words, sentence, labels, series, heads, rows, stacked=True)


def _latency(figures: Figures) -> Chart:
    title = "Time to answer, by server"
    if not figures.servers:
        teach = "No tool was called in this time. Pick one in the list and press Ctrl+Return."
        return Chart("latency", title, "–", teach)
    shown = figures.servers[:SHOWN]
    series = (
        Series("Half within, ms", "info", tuple(one.median_ms for one in shown)),
        Series("95 % within, ms", "warning", tuple(one.p95_ms for one in shown)),
    )
    heads = ("Server", "Calls", "Failed", "Half within", "95 % within")
    rows = tuple(
        (one_line(one.server, 60), f"{one.calls:,}", f"{one.failed:,}", duration(one.median_ms), duration(one.p95_ms))
        for one in figures.servers
    )
    calls, failed = (sum(getattr(one, name) for one in figures.servers) for name in ("calls", "failed"))
    words = f"{calls:,} calls, {failed / calls if calls else 0.0:.1%} failed"
    labels = tuple(one_line(one.server, 14) for one in shown)
    sentence = "Failed calls count with the time they took."
    return Chart("latency", title, words, sentence, labels, series, heads, rows, counts=False)


def _personal(figures: Figures) -> Chart:
    title = "Personal data kept from models"
    if not figures.hidden:
        teach = "No value was replaced by a token in this time. Values in answers are found by kind."
        return Chart("personal", title, "–", teach)
    shown = figures.hidden[:SHOWN]
    names = tuple(one.name.replace("_", " ").capitalize() for one in shown)
    series = (Series("Values", "success", tuple(float(one.number) for one in shown)),)
    given = Counter[str]()
    for one in figures.given:
        given[one.kind] += one.number
    heads = ("Kind", "Values hidden", "Given back into calls")
    rows = tuple(
        (one.name.replace("_", " ").capitalize(), f"{one.number:,}", f"{given[one.name]:,}") for one in figures.hidden
    )
    total = sum(one.number for one in figures.hidden)
    words = f"{total:,} values hidden"
    sentence = f"{sum(given.values()):,} times a value went back into a call."
    return Chart("personal", title, words, sentence, names, series, heads, rows)


def _decisions(figures: Figures) -> Chart:
    title, review = "How you decide", figures.review
    if not review.decided:
        teach = "No approval requests in this period."
        return Chart("decisions", title, "–", teach)
    denied, read = review.decided - review.allowed, review.allowed - review.hasty
    words = f"{review.allowed / review.decided:.0%} allowed, half within {review.median_seconds:.1f} s"
    sentence = f"{review.hasty} were allowed sooner than anybody can read."
    labels = ("Allowed", "Allowed unread", "Denied")
    numbers = (read, review.hasty, denied)
    series = (Series("Decisions", "accent", tuple(map(float, numbers))),)
    heads = ("Answer", "Decisions")
    rows = tuple((label, f"{number:,}") for label, number in zip(labels, numbers, strict=True))
    median = ("Median time to decide", f"{review.median_seconds:.1f} s")
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
