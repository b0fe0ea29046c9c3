"""Cards about personal data beside a text: the value of a token, and why a text was masked or not."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QPushButton, QVBoxLayout, QWidget
from shiboken6 import isValid

from workbench.errors import WorkbenchError
from workbench.gui.kit.layouts import column, row, to_top
from workbench.gui.kit.lists import label, push_button
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import clock, kind_label
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import ShowPrivacy
from workbench.records import MaskingExplanation, MaskingRemedy, Place, PrivacyMark, PrivacyRules, Revealed
from workbench.records.common_types import count_of
from workbench.settings import Settings

HERE, EVERYWHERE = "project", "everywhere"  # scopes of marks
MASKED_NOW = {
    HERE: "Masked in this project from now on, wherever it occurs.",
    EVERYWHERE: "Masked from now on, wherever it occurs.",
}
PASSES_NOW = {
    HERE: "Models see this text in this project from now on. Undo it under Personal data > Marks.",
    EVERYWHERE: "Models see this text from now on. Undo it under Personal data > Marks.",
}
_MOST_NAMES = 3  # places named in one line


class FloatingCard(QFrame):
    """A card beside a place of a window. It closes with the widget that it is about, with Escape, and when the keyboard
    moves elsewhere."""

    def __init__(self, context: Context, parent: QWidget, *, held: bool) -> None:
        super().__init__(parent.window())
        self._before = parent  # what has the keyboard again afterwards
        self._context = context
        self.held = held  # it has the keyboard
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        mark(self, kind="reveal")
        self.hide()
        parent.installEventFilter(self)
        if held:
            QApplication.instance().focusChanged.connect(self._focus_changed)  # type: ignore[union-attr]  # it exists

    def first_button(self) -> QWidget:
        """What has the keyboard when the card opens."""
        return self

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Close together with the text box."""
        if event.type() == QEvent.Type.Hide:
            self.close()
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
            return
        super().keyPressEvent(event)

    def focusNextPrevChild(self, forwards: bool, /) -> bool:
        """Keep Tab among the card's buttons. In the order of the window's widgets they do not follow the card."""
        buttons = [one for one in self.findChildren(QPushButton) if one.isVisible() and one.isEnabled()]
        if not buttons:
            return False
        focused = QApplication.focusWidget()
        at = next((number for number, one in enumerate(buttons) if one is focused), -1 if forwards else 0)
        buttons[(at + (1 if forwards else -1)) % len(buttons)].setFocus(Qt.FocusReason.TabFocusReason)
        return True

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.held and self._before.isVisible():
            self._before.setFocus(Qt.FocusReason.PopupFocusReason)
        super().closeEvent(event)

    def _focus_changed(self, _: QWidget | None, now: QWidget | None) -> None:
        """Close when the keyboard moves elsewhere."""
        if now is not None and self.isVisible() and now is not self and not self.isAncestorOf(now):
            self._before = now
            self.close()

    def _place(self, beside: QRect) -> None:
        """Place the card below the text, or above it at the bottom of the window."""
        window, unit = self.window(), self._context.theme.unit
        needed = max(unit * 100, self.minimumSizeHint().width())
        self.setFixedWidth(min(needed, window.width() - unit * 2))
        self.adjustSize()
        corner = window.mapFromGlobal(beside.topLeft())
        left = max(unit, min(corner.x(), window.width() - self.width() - unit))
        below, above = corner.y() + beside.height() + unit, corner.y() - self.height() - unit
        self.move(QPoint(left, below if below + self.height() <= window.height() else max(unit, above)))
        self.show()
        self.raise_()
        if self.held:
            self.first_button().setFocus(Qt.FocusReason.PopupFocusReason)


class RevealCard(FloatingCard):
    """A card with the value of a token, why it was masked, its source and its uses. Only one is open at a time."""

    shown = Signal(object)
    """Carries the Revealed, when the value is on screen."""

    def __init__(self, context: Context, session: str, parent: QWidget, *, held: bool) -> None:
        super().__init__(context, parent, held=held)
        self._session = session
        self._token = ""
        self._beside = QRect()
        self.revealed: Revealed | None = None
        self._lay_out(context.theme.unit)

    def look(self, token: str, beside: QRect) -> None:
        """Show the value of a token below this rectangle of the screen."""
        self._token, self._beside = token, beside
        self._context.tasks.run("reveal a token", self._ask(token, beside))

    def first_button(self) -> QWidget:
        return self if self.copy.isHidden() else self.copy

    async def _ask(self, token: str, beside: QRect) -> None:
        found: Revealed | WorkbenchError
        try:
            found = await self._context.api.reveal(self._session, token)
        except WorkbenchError as fault:
            found = fault
        if isValid(self):  # else it was closed meanwhile
            self._show(found)
            self._place(beside)

    def _show(self, found: Revealed | WorkbenchError) -> None:
        if isinstance(found, WorkbenchError):
            self._fill("Not known", found.message, "", found.hint, "")
            for button in (self.copy, self.why, self.harmless_here, self.harmless):
                button.hide()
            return
        self.revealed = found
        foot = "Recorded in the audit, without the value."
        self._fill(found.kind, found.value, found.why, places_text(found.sources, found.went), foot)
        self.shown.emit(found)

    def _fill(self, kind: str, value: str, reason: str, places: str, foot: str) -> None:
        self.kind.setText(kind)
        self.value.setText(value)
        for line, text in ((self.reason, reason), (self.places, places), (self.foot, foot)):
            line.setText(text)
            line.setVisible(bool(text))
        self.setAccessibleName(f"{kind}: {value}. {reason}"[:400])

    def _copy(self) -> None:
        """Ask for the value again, so that the audit records it as a copy."""
        reveal = self._context.api.reveal(self._session, self._token, True)
        self._context.tasks.run("copy a value", reveal, self._report_copy)

    def _report_copy(self, found: Revealed) -> None:
        QGuiApplication.clipboard().setText(found.value)
        self._context.say("Value copied. Recorded in the audit.")
        self.close()

    def _explain(self) -> None:
        card = ExplanationCard(self._context, self._session, self._before)
        self.close()
        card.explain(self._token, self._beside)

    def _mark_harmless(self, scope: str) -> None:
        if self.revealed is not None:
            mark_privacy = self._context.api.mark_privacy(PrivacyMark(False, "value", self.revealed.value, scope=scope))
            self._context.tasks.run("mark a value as not personal", mark_privacy, partial(self._report_mark, scope))

    def _report_mark(self, scope: str, _: PrivacyRules) -> None:
        self._context.say(PASSES_NOW[scope])
        self.close()

    def _lay_out(self, unit: int) -> None:
        self.kind, self.value = label("", "badge"), ForeignLabel()
        mark(self.kind, tone="info")
        mark(self.value, role="mono")
        self.reason, self.places, self.foot = ForeignLabel(), ForeignLabel(), label("", "muted")
        mark(self.places, role="muted")
        self.copy = push_button("Copy", self._copy, kind="quiet")
        self.why = push_button("Why was this masked?", self._explain, kind="quiet")
        self.harmless_here = push_button("Never mask here", lambda: self._mark_harmless(HERE), kind="quiet")
        self.harmless = push_button("Never mask anywhere", lambda: self._mark_harmless(EVERYWHERE), kind="quiet")
        self.harmless_here.setToolTip("Never mask this value in this project")
        for button in (self.copy, self.why, self.harmless_here, self.harmless):
            button.setVisible(self.held)
        head = row(None, self.kind, self.value, spacing=unit * 2, grows=self.value)
        to_top(head, self.kind)
        looks = row(None, self.copy, self.why, None, spacing=unit)
        marks = row(None, self.harmless_here, self.harmless, None, spacing=unit)
        column(self, head, self.reason, self.places, self.foot, looks, marks, margins=(unit * 3,) * 4, spacing=unit)


class ExplanationCard(FloatingCard):
    """Why a token or a text was masked or not, who received it, and buttons for what can be done about it."""

    def __init__(self, context: Context, session: str, parent: QWidget) -> None:
        super().__init__(context, parent, held=True)
        self._session = session
        self._text = ""
        self.explanation: MaskingExplanation | None = None
        unit = context.theme.unit
        self.state, self.subject = label("", "badge"), ForeignLabel(elide=True)
        mark(self.subject, role="mono")
        self.reason, self.details, self.places = ForeignLabel(), ForeignLabel(), ForeignLabel()
        for line in (self.details, self.places):
            mark(line, role="muted")
        self.remedies: list[QPushButton] = []
        self._buttons = QVBoxLayout()
        self._buttons.setSpacing(unit)
        head = row(None, self.state, self.subject, spacing=unit * 2, grows=self.subject)
        parts = (head, self.reason, self.details, self.places, self._buttons)
        column(self, *parts, margins=(unit * 3,) * 4, spacing=unit * 2)

    def explain(self, text: str, beside: QRect, around: str = "", start: int = 0) -> None:
        """Explain a token, or a text at `start` in the text around it, below this rectangle of the screen."""
        self._text = text
        self._context.tasks.run("explain masking", self._ask(text, beside, around, start))

    def first_button(self) -> QWidget:
        """The first remedy if it masks more; else the card, so that no key unmasks by mistake."""
        masked = self.explanation is None or self.explanation.masked
        return self if masked or not self.remedies else self.remedies[0]

    async def _ask(self, text: str, beside: QRect, around: str, start: int) -> None:
        found: MaskingExplanation | WorkbenchError
        try:
            found = await self._context.api.explain_masking(self._session, text, around, start)
        except WorkbenchError as fault:
            found = fault
        if isValid(self):  # else it was closed meanwhile
            self._show(found)
            self._place(beside)

    def _show(self, found: MaskingExplanation | WorkbenchError) -> None:
        if isinstance(found, WorkbenchError):
            self._fill("Not known", found.message, found.hint, "")
            return
        self.explanation = found
        state = f"Masked · {kind_label(found.kind)}" if found.masked else "Not masked"
        mark(self.state, tone="info" if found.masked else "warning")
        self._fill(state, found.reason, " ".join(found.details), _uses_text(found))
        self._add_buttons(found.remedies)

    def _fill(self, state: str, reason: str, details: str, places: str) -> None:
        self.state.setText(state)
        self.subject.setText(one_line(self._text, 200))
        for line, text in ((self.reason, reason), (self.details, details), (self.places, places)):
            line.setText(text)
            line.setVisible(bool(text))
        self.setAccessibleName(f"{state}: {reason} {details}"[:400])

    def _add_buttons(self, remedies: Sequence[MaskingRemedy]) -> None:
        unit = self._context.theme.unit
        for at in range(0, len(remedies), 2):
            line = [push_button(one.text, partial(self._act, one)) for one in remedies[at : at + 2]]
            self.remedies += line
            self._buttons.addLayout(row(None, *line, None, spacing=unit))

    def _act(self, remedy: MaskingRemedy, _clicked: bool = False) -> None:
        if remedy.action == "strictness":
            self._context.go(ShowPrivacy("kinds"))
            self.close()
        else:
            self._context.tasks.run("change what is masked", self._send(remedy))

    async def _send(self, remedy: MaskingRemedy) -> None:
        try:
            await self._request(remedy)
        except WorkbenchError as fault:
            self.details.setText(f"{fault.message} {fault.hint}".strip())
            self.details.show()
            return
        self._context.say(
            _DONE.get(remedy.action) or (MASKED_NOW if remedy.action == "hide" else PASSES_NOW)[remedy.scope]
        )
        self.close()

    def _request(self, remedy: MaskingRemedy) -> Coroutine[Any, Any, PrivacyRules | Settings]:  # Any: a coroutine's
        api, found = self._context.api, self.explanation
        if remedy.action == "unmark":
            return api.unmark_privacy(remedy.mark)
        if remedy.action == "enable":
            return api.change_setting("privacy.enabled", True)
        if remedy.action in ("kind", "threshold"):
            return api.set_privacy_kind(remedy.kind, True, remedy.threshold)
        if found is not None and found.token:
            return api.never_mask_token(self._session, found.token, remedy.scope)
        return api.mark_privacy(
            PrivacyMark(remedy.action == "hide", "value", self._text, remedy.kind, scope=remedy.scope)
        )


_DONE = {
    "unmark": "Mark removed.",
    "enable": "Masking is on.",
    "kind": "This kind is masked from now on.",
    "threshold": "The threshold is lower from now on.",
}


def _uses_text(found: MaskingExplanation) -> str:
    """`From crm.list_contacts at 10:32. Went to mail.send. Read by claude-code, 2 times.`"""
    came = [f"{place_name(place)} at {clock(place.at)}" if place.at else place_name(place) for place in found.came]
    came += [one_line(name, 40) for name in found.sources if name not in {place.server for place in found.came}]
    went = [*dict.fromkeys(map(place_name, found.went))]
    readers = [f"{one_line(name, 40)}, {count_of(found.times, 'time')}" for name in found.readers]
    parts = (("From", came), ("Went to", went), ("Read by", readers))
    return " ".join(f"{word} {', '.join(names[:_MOST_NAMES])}." for word, names in parts if names)


def places_text(sources: Sequence[str], went: Sequence[Place]) -> str:
    """`from crm · went to gmail.send`."""
    origins = [one_line(source, 40) for source in sources]
    targets = dict.fromkeys(place_name(place) for place in went)
    parts = (("from", origins), ("went to", [*targets]))
    return " · ".join(f"{word} {', '.join(names[:_MOST_NAMES])}" for word, names in parts if names)


def place_name(place: Place) -> str:
    """The name of a tool with its server."""
    return one_line(f"{place.server}.{place.tool}" if place.tool else place.server, 80)
