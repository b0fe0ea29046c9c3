"""The page Personal data in the centre: what was hidden, a project for the detector, marks, and kinds."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from workbench.events import Event, PrivacyChanged
from workbench.gui.kit.theme import mark
from workbench.gui.privacy.hidden_page import HiddenPage
from workbench.gui.privacy.kinds_page import KindsPage
from workbench.gui.privacy.marks_page import MarksPage
from workbench.gui.privacy.trial_page import TrialPage
from workbench.gui.shell.context import Context, Pane
from workbench.records import PrivacyRules

HIDDEN, TRY, MARKS, KINDS = "hidden", "try", "marks", "kinds"


class PrivacyPane(Pane):
    """`look` opens one of its pages."""

    shown = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.hidden, self.trial = HiddenPage(context), TrialPage(context)
        self.marks, self.kinds = MarksPage(context), KindsPage(context)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setAccessibleName("Pages about personal data")
        mark(self.tabs.tabBar(), kind="inline")
        self._pages = {HIDDEN: self.hidden, TRY: self.trial, MARKS: self.marks, KINDS: self.kinds}
        words = ("Hidden", "Try the detector", "Marks", "Kinds")
        for page, title in zip(self._pages.values(), words, strict=True):
            self.tabs.addTab(page, title)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.tabs)
        self.setFocusProxy(self.tabs)
        self.kinds.changed.connect(self.refresh)
        self.tabs.currentChanged.connect(self._turned)

    def look(self, page: str, session: str = "") -> None:
        """Open a page; `session`: whose values."""
        self.tabs.setCurrentWidget(self._pages[page])
        if page == HIDDEN:
            self.hidden.show_session(session)
        elif page == TRY:
            self.trial.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def hear(self, event: Event) -> None:
        self.hidden.hear(event)
        self.trial.hear(event)
        if isinstance(event, PrivacyChanged):
            self._show(event.rules)

    def refresh(self) -> None:
        self.hidden.refresh()
        self.context.tasks.run("read what is marked", self.context.api.privacy_rules(), self._show)

    def _show(self, rules: PrivacyRules) -> None:
        self.marks.show_rules(rules)
        self.kinds.show_rules(rules)
        self.trial.marks.learn(rules)

    def _turned(self) -> None:
        if self.tabs.currentWidget() is self.hidden:
            self.hidden.refresh()
