"""The keys of the Review dialog: a table of them, and the answers that they give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QGridLayout, QWidget

from workbench.gui.kit.lists import label
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.runs.decision_dialog import DecisionDialog
from workbench.gui.runs.review_group import GroupPanel
from workbench.records.common_types import count_of

_KEYS: Final = (
    ("J  ↓", "Next request"),
    ("K  ↑", "Previous request"),
    ("A", "Allow; A or Return confirms. High risk: A, A, Return"),
    ("D", "Deny"),
    ("R", "Deny with a reason"),
    ("E", "Edit"),
    ("T", "Decide about the server for which it waits"),
    ("L  Esc", "Later: everything keeps waiting"),
    ("U", "Undo the last denial"),
    ("⇧D", "Deny all that are ticked in a group"),
    ("⇧A", "Allow all that are ticked; A or Return confirms"),
    ("?", "Show or hide these keys"),
)
_CONFIRM = "Press A or Return to allow. Any other key cancels."
_CONFIRM_RISKY = "High risk: read what is marked, then press A again."
_CONFIRM_LAST = "High risk: press Return to allow. Any other key cancels."
_DENY_MS = 300  # a key that was meant for the request before denies nothing


class KeyTable(QWidget):
    """The keys of the Review dialog."""

    def __init__(self, unit: int) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(unit * 3, unit * 2, unit * 2, unit * 2)
        grid.setHorizontalSpacing(unit * 3)
        grid.setVerticalSpacing(unit)
        grid.setColumnStretch(1, 1)
        for place, (keys, meaning) in enumerate(_KEYS):
            grid.addWidget(label(keys, "key"), place, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
            grid.addWidget(ForeignLabel(meaning, role="muted"), place, 1)


class KeyAnswers:
    """Answers requests by key. Denying takes one key; allowing takes a second one, for high risk a third."""

    def __init__(
        self, group: GroupPanel, page: Callable[[], DecisionDialog | None], say: Callable[[str], None]
    ) -> None:
        """`page` returns the page that is shown; `say` shows a sentence below it."""
        self._group = group
        self._page = page
        self._say = say
        self._presses = 0  # of A, for the request that is shown

    @property
    def is_allowing(self) -> bool:
        """Whether an approval was begun and waits for its last key."""
        return self._presses > 0

    def allow(self) -> None:
        """A: the first press leads to the button, the last one allows. High risk takes Return at the end."""
        page, group_button = self._page(), self._group.allow_button
        if group_button.hasFocus():
            _click(group_button)
        elif page is None:
            return
        elif page.is_over:
            self._say_unused(page)
        elif not page.allow_button.settled():
            self._presses = 0
            self._say("The request has just appeared. Read it, then press A.")
        elif page.obstacle():
            self._say(page.show_obstacle())
        else:
            self._press_allow(page)

    def _press_allow(self, page: DecisionDialog) -> None:
        if page.is_risky and self._presses == 0:
            page.show_obstacle()
            self._begin(_CONFIRM_RISKY)
        elif page.is_risky or self._presses == 0:
            page.allow_button.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self._begin(_CONFIRM_LAST if page.is_risky else _CONFIRM)
        else:
            self.cancel()
            page.allow()

    def _begin(self, sentence: str) -> None:
        self._presses += 1
        self._say(sentence)

    def cancel(self) -> None:
        """Cancel an approval that was begun."""
        if self._presses:
            self._presses = 0
            self._say("")
            page = self._page()
            if page is not None and page.allow_button.hasFocus():
                page.take_focus()

    def deny(self) -> None:
        """D: deny the request that is shown, unless it has just appeared."""
        page = self._page()
        if page is not None and page.is_over:
            self._say_unused(page)
        elif page is not None and page.seconds_open() * 1_000 >= _DENY_MS:
            _click(page.deny_button)

    def press(self, name: str) -> None:
        """Press a button of the page, if it has one."""
        _click(getattr(self._page(), name, None))

    def allow_group(self) -> None:
        """Shift+A: the first press leads to the button of the group."""
        group, button = self._group, self._group.allow_button
        if not group.isVisible():
            return
        if button.hasFocus():
            _click(button)
            return
        group.table.setFocus(Qt.FocusReason.OtherFocusReason)  # Return shall not press a button of the page
        if not button.settled():
            self._say("The programs have just appeared. Read them, then press ⇧A.")
        elif group.show_more():
            self._say("The table was scrolled. Read it, then press ⇧A again.")
        elif group.obstacle():
            self._say(group.obstacle())
        else:
            button.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self._say(f"Press A or Return to allow {count_of(len(group.ticked()), 'program')}. Escape cancels.")

    def cancel_group(self) -> bool:
        """Leave the button of the group. Returns whether it had the keyboard."""
        if not self._group.allow_button.hasFocus():
            return False
        self._say("")
        self._group.table.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def deny_group(self) -> None:
        """Shift+D: deny what is ticked, unless it has just appeared."""
        if self._group.isVisible() and self._group.seconds_shown() * 1_000 >= _DENY_MS:
            _click(self._group.deny_button)

    def _say_unused(self, page: DecisionDialog) -> None:
        """The key was meant for a request that had just ended."""
        page.parting = page.ending_sentence(unused=True)
        self._say(page.parting)


def _click(button: QAbstractButton | None) -> None:
    if button is not None and button.isVisible() and button.isEnabled():
        button.click()
