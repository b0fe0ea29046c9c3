"""The menu that adds a filter: each field with the words that occur in the audit, all by keys too."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from workbench.gui.audit.filters import Filter
from workbench.gui.text import one_line
from workbench.gui.words import risk_word
from workbench.records import Facet, Risk


class FilterMenu(QMenu):
    """Filled before it is shown."""

    chosen = Signal(object)
    """Carries one Filter."""
    asked = Signal(str)
    """A time is to be typed: `since:` or `until:`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Add a filter")
        self.fill(())

    def fill(self, facets: Sequence[Facet]) -> None:
        """With what occurs; times, risks and outcomes are always there."""
        self.clear()
        self._times()
        for name, field in (("&Who", "actor"), ("&Session", "session"), ("Ser&ver", "server"), ("&Tool", "tool")):
            menu = self.addMenu(name)
            for one in (facet for facet in facets if facet.field == field):
                words = f"{one_line(one.value, 60)}\t{one.entries:,}".replace("&", "&&")
                self._add(menu, words, Filter(field, one.value))
            menu.setEnabled(not menu.isEmpty())
        menu = self.addMenu("&Risk")
        for risk in Risk:
            self._add(menu, risk_word(risk).text, Filter("risk", str(risk)))
        menu = self.addMenu("&Outcome")
        self._add(menu, "It worked", Filter("outcome", "ok"))
        self._add(menu, "It did not work, or was refused", Filter("outcome", "failed"))

    def _times(self) -> None:
        menu = self.addMenu("T&ime")
        for words, value in (
            ("Last hour", "1h"),
            ("Today", "today"),
            ("Last 7 days", "7d"),
            ("Last 30 days", "30d"),
        ):
            self._add(menu, words, Filter("since", value))
        menu.addSeparator()
        for words, field in (
            ("Since a day or time…", "since:"),
            ("Until a day or time…", "until:"),
        ):
            menu.addAction(words).triggered.connect(partial(self._ask, field))

    def _add(self, menu: QMenu, words: str, one: Filter) -> None:
        menu.addAction(words).triggered.connect(partial(self._choose, one))

    def _choose(self, one: Filter, checked: bool = False) -> None:
        self.chosen.emit(one)

    def _ask(self, field: str, checked: bool = False) -> None:
        self.asked.emit(field)
