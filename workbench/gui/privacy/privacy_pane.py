"""The page Personal data in the centre: masked values, a trial of the detector, marks, and kinds."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTabWidget, QWidget

from workbench.events import PrivacyChanged
from workbench.gui.kit.layouts import column
from workbench.gui.kit.theme import mark
from workbench.gui.privacy.kinds_page import KindsPage
from workbench.gui.privacy.marks_page import MarksPage
from workbench.gui.privacy.masked_page import MaskedPage
from workbench.gui.privacy.trial_page import TrialPage
from workbench.gui.shell.context import Context, Pane
from workbench.records import PrivacyRules

HIDDEN, TRY, MARKS, KINDS = "hidden", "try", "marks", "kinds"
"""The pages, by the names of `shell.navigation.ShowPrivacy`."""


class PrivacyPane(Pane):
    """Four pages as tabs; `look` opens one."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.masked, self.trial = MaskedPage(context), TrialPage(context)
        self.marks, self.kinds = MarksPage(context), KindsPage(context)
        self._pages = {HIDDEN: self.masked, TRY: self.trial, MARKS: self.marks, KINDS: self.kinds}
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setAccessibleName("Pages about personal data")
        mark(self.tabs.tabBar(), kind="inline")
        titles = ("Masked values", "Try the detector", "Marks", "Kinds")
        for page, title in zip(self._pages.values(), titles, strict=True):
            self.tabs.addTab(page, title)
        column(self, self.tabs)
        self.setFocusProxy(self.tabs)
        self.kinds.changed.connect(self._load)
        self.tabs.currentChanged.connect(self._tab_changed)
        context.store.linked.connect(self.reload)
        context.store.on(PrivacyChanged, self._rules_changed)
        self.reload()

    def look(self, page: str, session: str = "") -> None:
        """Open a page. `session`: whose masked values; empty for the session that was shown before."""
        self.tabs.setCurrentWidget(self._pages[page])
        if page == HIDDEN:
            self.masked.show_session(session)
            self.masked.rows.finder.setFocus(Qt.FocusReason.OtherFocusReason)
        elif page == TRY:
            self.trial.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def reload(self) -> None:
        self.masked.reload()
        self._load()

    def _load(self) -> None:
        self.context.tasks.run("privacy rules", self.context.api.privacy_rules(), self._show_rules)

    def _rules_changed(self, event: PrivacyChanged) -> None:
        self._show_rules(event.rules)
        self.trial.try_again()

    def _show_rules(self, rules: PrivacyRules) -> None:
        self.marks.show_rules(rules)
        self.kinds.show_rules(rules)
        self.trial.marks.learn(rules)

    def _tab_changed(self) -> None:
        if self.tabs.currentWidget() is self.masked:
            self.masked.reload()
