"""The dashboard: charts with the tables behind them, a time to choose, and sentences where nothing is yet."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from workbench.gui.audit.dashboard import MOST_DAYS, Dashboard, make_charts
from workbench.records import DayFigures, Figures

FOLDER = Path(__file__).resolve().parents[3] / "screenshots"


@pytest.fixture
def dashboard(window: Any, fake_core: Any, settled: Any) -> Any:
    fake_core.fill_figures()
    window.commands.do("audit.dashboard")
    settled()
    found = next(iter(window.findChildren(Dashboard)))
    yield found
    found.close()


def test_every_chart_has_a_table_that_says_the_same(dashboard: Any, settled: Any) -> None:
    assert list(dashboard.cards) == ["tokens", "runs", "latency", "personal", "decisions"]
    card = dashboard.cards["runs"]
    assert card.headline.text() == "72 runs, 78% done"
    card.as_table.click()
    assert card.table.isVisible()
    assert card.table.accessibleName() == "Runs by risk and outcome"
    model = card.table.model()
    heads = [model.headerData(at, Qt.Orientation.Horizontal) for at in range(model.columnCount())]
    assert heads == ["Risk", "Done", "Refused", "Failed", "Stopped"]
    assert [model.index(2, at).data() for at in range(5)] == ["High risk", "3", "6", "0", "0"]
    assert dashboard.cards["decisions"].headline.text() == "78% allowed, median 6.4 s"
    assert "worth $1.62" in dashboard.cards["tokens"].headline.text()


def test_another_time_is_asked_for(dashboard: Any, fake_core: Any, settled: Any) -> None:
    dashboard.period.setCurrentIndex(dashboard.period.findData("7d"))
    settled()
    since = [words[0] for name, words in fake_core.asked if name == "figures"][-1]
    assert abs(since - (time.time() - 7 * 86_400)) < 60
    dashboard.period.setCurrentIndex(dashboard.period.findData(""))
    settled()
    assert [words[0] for name, words in fake_core.asked if name == "figures"][-1] == 0.0


def test_where_nothing_happened_each_card_says_how_something_would(window: Any, fake_core: Any, settled: Any) -> None:
    window.commands.do("audit.dashboard")
    settled()
    found = next(iter(window.findChildren(Dashboard)))
    for card in found.cards.values():
        assert card.sentence.text().endswith(".")
        assert not card.as_table.isVisible()
    assert "Ctrl+E" in found.cards["runs"].sentence.text()
    found.close()


def test_the_report_of_the_chosen_time_is_made_and_saved(dashboard: Any, fake_core: Any, settled: Any) -> None:
    dashboard.report.menu().actions()[1].trigger()
    settled()
    assert [words[2] for name, words in fake_core.asked if name == "report"] == ["json"]
    dialog = next(iter(dashboard.findChildren(QFileDialog)))
    assert dialog.selectedFiles()[0].endswith("audit-report.json")
    dialog.close()
    assert dashboard.report.isEnabled()


def test_days_without_runs_are_shown_and_long_times_told_by_months() -> None:
    days = (DayFigures("2026-11-01", 1, 0, 100, 10), DayFigures("2026-11-04", 1, 0, 50, 5))
    tokens = make_charts(Figures(0.0, 0.0, days=days))[0]
    assert tokens.labels == ("01 Nov", "02 Nov", "03 Nov", "04 Nov")
    assert tokens.series[0].values == (100.0, 0.0, 0.0, 50.0)
    long = (replace(days[0], day="2026-08-01"), days[1])
    assert make_charts(Figures(0.0, 0.0, days=long))[0].labels == ("Aug 2026", "Sep 2026", "Oct 2026", "Nov 2026")
    assert MOST_DAYS == 62


@pytest.mark.parametrize(
    ("name", "colours", "width"), [("dark", "dark", 1200), ("light", "light", 1200), ("narrow", "light", 620)]
)
def test_the_dashboard_can_be_looked_at(
    dashboard: Any, window: Any, settled: Any, name: str, colours: str, width: int
) -> None:
    window.context.theme.choose(colours)
    dashboard.resize(width, 900)
    dashboard.cards["latency"].as_table.setChecked(name == "light")
    settled()
    FOLDER.mkdir(exist_ok=True)
    assert dashboard.grab().save(str(FOLDER / f"dashboard-{name}.png"))
