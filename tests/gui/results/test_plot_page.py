"""Numbers of a result as a plot: what can be drawn is found, and drawing it needs no more than it says."""

from __future__ import annotations

import math
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from workbench.gui.kit.plotting import whole_places
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.results.charts import MOST_POINTS, chart_of, drawable
from workbench.gui.results.contents import PLOT, of_json
from workbench.gui.results.plot_page import PlotPage


def test_numbers_are_found_in_every_usual_shape() -> None:
    rows = [{"id": at, "name": f"n{at}", "total": at * 1.5, "ok": True} for at in range(5)]
    chart = chart_of(rows)
    assert chart is not None
    assert [(one.name, one.values) for one in chart.series] == [("total", (0.0, 1.5, 3.0, 4.5, 6.0))]
    assert chart.labels == ("n0", "n1", "n2", "n3", "n4")
    assert chart.bars
    assert chart_of({"items": rows}) == chart
    assert chart_of({"a": 1, "b": 2, "c": 0}).labels == ("a", "b", "c")
    assert chart_of([3, 1, 2]).series[0].values == (3.0, 1.0, 2.0)
    assert chart_of([[0, 1], [2, 4], [3, 3]]).places == (0.0, 2.0, 3.0)
    assert [one.name for one in chart_of({"x": [1, 2, 3], "y": [3, 4, 5]}).series] == ["x", "y"]


@pytest.mark.parametrize(
    "value",
    [None, 3, "text", [], [1], [1, 2], ["a", "b", "c"], {}, {"a": 1}, [{"id": 1}, {"id": 2}, {"id": 3}],
     [True, False, True], {"a": 1, "b": "x", "c": 3}, [{"name": "a"}, {"name": "b"}, {"name": "c"}]],
)  # fmt: skip
def test_what_is_no_row_of_numbers_is_not_drawn(value: Any) -> None:
    assert not drawable(value)


def test_odd_numbers_are_gaps() -> None:
    chart = chart_of([{"v": 1, "n": "a"}, {"v": 10**400, "n": "b"}, {"v": 2, "n": "c"}, *[{"v": 3, "n": "d"}] * 7])
    assert chart is not None
    assert math.isnan(chart.series[0].values[1])
    assert "1 to 3" in chart.sentence()


def test_more_than_can_be_drawn_is_said() -> None:
    chart = chart_of([1] * (MOST_POINTS + 5))
    assert chart is not None
    assert "5 more are not drawn" in chart.sentence()


def test_a_plot_is_one_of_the_views() -> None:
    assert (
        PLOT
        in of_json('[{"month": "May", "sales": 3}, {"month": "June", "sales": 5}, {"month": "July", "sales": 4}]').views
    )
    assert PLOT not in of_json('{"a": "b"}').views


def drawn(theme: Any, qtbot: Any, value: Any) -> PlotPage:
    page = PlotPage(theme)
    qtbot.addWidget(page)
    page.resize(500, 300)
    page.show()
    chart = chart_of(value)
    assert chart is not None
    page.show_chart(chart)
    return page


def test_it_is_drawn_moved_and_described(theme: Any, qtbot: Any) -> None:
    page = drawn(theme, qtbot, [{"n": n, "one": 1 + at, "two": 4} for at, n in enumerate(("<b>x</b>", "b", "c"))])
    assert page.bars()
    bars = next(button for button in page.findChildren(QPushButton) if button.text() == "Bars")
    qtbot.mouseClick(bars, Qt.MouseButton.LeftButton)
    assert not page.bars()
    before = page.plot.getViewBox().viewRange()
    qtbot.keyClick(page, Qt.Key.Key_Plus)
    qtbot.keyClick(page, Qt.Key.Key_Left)
    assert page.plot.getViewBox().viewRange() != before
    assert "one: 1 to 3" in page.plot.accessibleDescription()
    assert not page.grab().isNull()
    theme.choose("light")
    assert page.plot.backgroundBrush().color() == theme.colour("surface")


def test_the_axis_of_positive_numbers_starts_at_zero(theme: Any, qtbot: Any) -> None:
    page = drawn(theme, qtbot, [{"n": name, "v": 100 + at} for at, name in enumerate("abc")])
    assert page.plot.getViewBox().viewRange()[1][0] == 0
    page = drawn(theme, qtbot, [{"n": name, "v": at - 1} for at, name in enumerate("abc")])
    assert page.plot.getViewBox().viewRange()[1][0] < -1


def test_names_without_an_order_get_bars_and_dates_get_lines() -> None:
    assert chart_of([{"region": name, "v": 1} for name in "abcd"]).bars
    assert not chart_of([{"day": f"2026-01-0{day}", "v": day} for day in range(1, 6)]).bars


def test_columns_are_chosen_and_others_of_another_scale_wait(theme: Any, qtbot: Any) -> None:
    rows = [{"month": name, "revenue": 500_000 + at, "orders": 700 + at} for at, name in enumerate("abc")]
    page = drawn(theme, qtbot, rows)
    assert page.columns() == ("revenue",)
    caption = page.strip.findChild(ForeignLabel)
    assert caption.full_text() == "3 values. revenue: 500,000 to 500,002."
    menu = next(button for button in page.findChildren(QPushButton) if button.text() == "Columns").menu()
    assert [(action.text(), action.isChecked()) for action in menu.actions()] == [("revenue", True), ("orders", False)]
    menu.actions()[1].trigger()
    menu.actions()[0].trigger()
    assert page.columns() == ("orders",)
    assert caption.full_text() == page.plot.accessibleDescription() == "3 values. orders: 700 to 702."
    assert page.plot.getViewBox().viewRange()[1][1] < 1_000
    menu.actions()[1].trigger()  # nothing is left to draw
    assert page.columns() == ()


@pytest.mark.parametrize(
    ("highest", "places"),
    [(0, [0]), (1, [0, 1]), (3, [0, 1, 2, 3]), (7, [0, 2, 4, 6]), (48, [0, 10, 20, 30, 40]), (101, [0, 50, 100])],
)
def test_an_axis_that_counts_has_whole_numbers_from_nothing_on(highest: float, places: list[int]) -> None:
    assert [at for at, _ in whole_places(highest)[0]] == places
