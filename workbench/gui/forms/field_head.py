"""The line above a field's editor: its name, its kind, what is sent of it, and the small buttons that change that."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from workbench.gui.forms.brief import Brief
from workbench.gui.icons import icon
from workbench.gui.text import ForeignLabel, visible
from workbench.gui.theme import mark


class FieldHead(QWidget):
    """Says in words which of the three states a field is in: not sent, null, or a value."""

    null_wanted = Signal(bool)
    unset_wanted = Signal()
    fold_wanted = Signal(bool)
    """Carries whether the inner fields shall be hidden."""

    def __init__(self, brief: Brief, parent: QWidget | None = None, *, item: bool = False) -> None:
        super().__init__(parent)
        self._brief = brief
        self._item = item
        self._fold: QToolButton | None = None
        self._null: QToolButton | None = None
        self._unset: QToolButton | None = None
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(brief.theme.unit)
        self._build()

    def add_tool(self, button: QToolButton) -> None:
        """Put a button at the end of the line."""
        self._row.addWidget(button)

    def allow_fold(self, on: bool) -> None:
        """Offer to hide the fields inside, or stop offering it."""
        if self._fold is None and on:
            self._fold = self._button("chevron-down", "Fold {0}")
            self._fold.setCheckable(True)
            self._fold.clicked.connect(self.fold_wanted)
            self._row.insertWidget(0, self._fold)
        if self._fold is not None:
            self._fold.setVisible(on)

    def show_fold(self, folded: bool, summary: str) -> None:
        """Where the inner fields are hidden, one line tells what is in them."""
        if self._fold is not None:
            self._fold.setChecked(folded)
            self._fold.setIcon(icon("chevron-right" if folded else "chevron-down", "muted"))
        self._summary.setText(summary)
        self._summary.setVisible(folded)

    def show_state(self, *, sent: bool, null: bool) -> None:
        """What goes to the server of this field."""
        if self._null is not None:
            self._null.setChecked(null)
        if self._item or self._brief.required:
            self._state.setText("null is sent" if null else "")
        else:
            self._state.setText("null is sent" if null else "" if sent else "not sent")
        self._state.setVisible(bool(self._state.full_text()))
        if self._unset is not None:
            self._unset.setVisible(sent)

    def _build(self) -> None:
        brief = self._brief
        name = ForeignLabel(brief.name)
        name.setWordWrap(False)
        mark(name, role="muted" if self._item else "mono")
        kind = ForeignLabel(self._kind_words(), elide=True)
        mark(kind, role="muted")
        self._summary = ForeignLabel(elide=True)
        mark(self._summary, role="muted")
        self._summary.hide()
        self._state = ForeignLabel()
        self._state.setWordWrap(False)
        mark(self._state, role="faint")
        self._row.addWidget(name)
        self._row.addWidget(kind, 1)
        if brief.shape.deprecated:
            self._row.addWidget(self._deprecated())
        self._row.addWidget(self._summary, 2)
        self._row.addWidget(self._state)
        if brief.shape.nullable:
            self._add_null()
        if not self._item and not brief.required:
            self._add_unset()

    def _kind_words(self) -> str:
        words = self._brief.shape.type_word
        return f"{words} · required" if self._brief.required and not self._item else words

    def _deprecated(self) -> QWidget:
        badge = ForeignLabel("deprecated")
        badge.setWordWrap(False)
        badge.setToolTip("The server marks this as deprecated.")
        mark(badge, role="badge", tone="warning")
        return badge

    def _add_null(self) -> None:
        self._null = QToolButton(self)
        self._null.setText("null")
        self._null.setCheckable(True)
        self._null.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._null.setAccessibleName(f"Send null for {visible(self._brief.name)}")
        self._null.setToolTip("Send null instead of a value")
        self._null.clicked.connect(self.null_wanted)
        self._row.addWidget(self._null)

    def _add_unset(self) -> None:
        self._unset = self._button("x", "Do not send {0}")
        self._unset.setToolTip("Do not send this value")
        self._unset.clicked.connect(self.unset_wanted)
        policy = self._unset.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # so that nothing moves while one types
        self._unset.setSizePolicy(policy)
        self._row.addWidget(self._unset)

    def _button(self, symbol: str, name: str) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(icon(symbol, "muted"))
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(name.format(visible(self._brief.name)))
        button.setToolTip(button.accessibleName())
        return button
