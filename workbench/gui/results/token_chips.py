"""PII tokens in text boxes: finds them, draws them as chips, reveals their values, and marks personal data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

from msgspec import Struct
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeyEvent, QMouseEvent, QPainter, QPen, QTextBlock, QTextCursor
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QPlainTextEdit,
    QWidget,
)
from shiboken6 import isValid

from workbench.errors import WorkbenchError
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column, row, to_top
from workbench.gui.kit.lists import label, push_button
from workbench.gui.kit.plain_edit import units
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import mark
from workbench.gui.shell.context import Context
from workbench.records import Place, PrivacyMark, PrivacyRules, Revealed

_TOKEN = re.compile(
    r"(?:\[|%5B)(?P<kind>[A-Z][A-Z_]{1,20})_[1-9]\d{0,6}\.[0-9a-z]{4}(?:\]|%5D)", re.IGNORECASE | re.ASCII
)


class TokenSpan(Struct, frozen=True):
    """A token in a text; start and end are in UTF-16 units, as in Qt."""

    start: int
    end: int
    token: str
    kind: str


def find_tokens(text: str, offset: int = 0) -> Iterator[TokenSpan]:
    """The tokens in a text, in order; `offset` is added to their places."""
    for match in _TOKEN.finditer(text) if "_" in text else ():
        start = offset + units(text, match.start())
        yield TokenSpan(start, start + len(match.group()), match.group(), match["kind"].upper())


_MOST_NAMES = 3  # places named in one line


class RevealCard(QFrame):
    """A card with the value of a token, its source and its uses. Only one is open at a time."""

    def __init__(self, context: Context, session: str, parent: QWidget, *, held: bool) -> None:
        super().__init__(parent.window())
        self._before = parent  # what has the keyboard again afterwards
        self._context, self._session = context, session
        self.held = held  # it has the keyboard
        self._token = ""
        self.revealed: Revealed | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        mark(self, kind="reveal")
        self._lay_out(context.theme.unit)
        self.hide()
        parent.installEventFilter(self)
        if held:
            QApplication.instance().focusChanged.connect(self._focus_changed)  # type: ignore[union-attr]  # it exists

    def look(self, token: str, beside: QRect) -> None:
        """Show the value of a token below this rectangle of the screen."""
        self._token = token
        self._context.tasks.run("reveal a token", self._ask(token, beside))

    async def _ask(self, token: str, beside: QRect) -> None:
        try:
            self.revealed = found = await self._context.api.reveal(self._session, token)
        except WorkbenchError as fault:
            self._fill("Not known", fault.message, fault.hint, "")
            self.copy.hide()
            self.harmless.hide()
        else:
            foot = "Recorded in the audit, without the value."
            self._fill(found.kind, found.value, places_text(found.sources, found.went), foot)
        self._place(beside)

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

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.held and self._before.isVisible():
            self._before.setFocus(Qt.FocusReason.PopupFocusReason)
        super().closeEvent(event)

    def _focus_changed(self, _: QWidget | None, now: QWidget | None) -> None:
        """Close when the keyboard moves elsewhere."""
        if now is not None and self.isVisible() and now is not self and not self.isAncestorOf(now):
            self._before = now
            self.close()

    def _fill(self, kind: str, value: str, places: str, foot: str) -> None:
        self.kind.setText(kind)
        self.value.setText(value)
        self.places.setText(places)
        self.places.setVisible(bool(places))
        self.foot.setText(foot)
        self.foot.setVisible(bool(foot))
        self.setAccessibleName(f"{kind}: {value}"[:400])

    def _place(self, beside: QRect) -> None:
        """Place the card below the token, or above it at the bottom of the screen."""
        window, unit = self.window(), self._context.theme.unit
        self.setFixedWidth(min(unit * 90, window.width() - unit * 2))
        self.adjustSize()
        corner = window.mapFromGlobal(beside.topLeft())
        left = max(unit, min(corner.x(), window.width() - self.width() - unit))
        below, above = corner.y() + beside.height() + unit, corner.y() - self.height() - unit
        self.move(QPoint(left, below if below + self.height() <= window.height() else max(unit, above)))
        self.show()
        self.raise_()
        if self.held:
            (self.copy if not self.copy.isHidden() else self).setFocus(Qt.FocusReason.PopupFocusReason)

    def _copy(self) -> None:
        """Ask for the value again, so that the audit records it as a copy."""
        reveal = self._context.api.reveal(self._session, self._token, True)
        self._context.tasks.run("copy a value", reveal, self._report_copy)

    def _report_copy(self, found: Revealed) -> None:
        QGuiApplication.clipboard().setText(found.value)
        self._context.say("Value copied. Recorded in the audit.")
        self.close()

    def _mark_harmless(self) -> None:
        if self.revealed is not None:
            mark_privacy = self._context.api.mark_privacy(PrivacyMark(False, "value", self.revealed.value))
            self._context.tasks.run("mark a value as not personal", mark_privacy, self._report_mark)

    def _report_mark(self, _: PrivacyRules) -> None:
        self._context.say("Models see this value from now on. Undo it under Personal data > Marks.")
        self.close()

    def _lay_out(self, unit: int) -> None:
        self.kind, self.value = label("", "badge"), ForeignLabel()
        mark(self.kind, tone="info")
        mark(self.value, role="mono")
        self.places, self.foot = ForeignLabel(), label("", "muted")
        mark(self.places, role="muted")
        self.copy = push_button("Copy", self._copy, kind="quiet")
        self.harmless = push_button("This is not personal", self._mark_harmless, kind="quiet")
        for button in (self.copy, self.harmless):
            button.setVisible(self.held)
        head = row(None, self.kind, self.value, spacing=unit * 2, grows=self.value)
        to_top(head, self.kind)
        buttons = row(None, self.copy, self.harmless, None, spacing=unit)
        column(self, head, self.places, self.foot, buttons, margins=(unit * 3,) * 4, spacing=unit)


REST_MS = 350  # that the mouse rests on a chip before its value is shown
_MOST_PAINTED = 400  # chips


class TokenChips(QObject):
    """Draws the tokens in one text box as chips. Nothing is drawn without `session`, the session of the tokens."""

    def __init__(self, edit: QPlainTextEdit, context: Context, session: str = "") -> None:
        super().__init__(edit)
        self.edit, self._context = edit, context
        self.session = session
        self._hovered: TokenSpan | None = None
        self.card: RevealCard | None = None
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._show_hovered)
        edit.viewport().setMouseTracking(True)
        edit.viewport().installEventFilter(self)
        edit.installEventFilter(self)
        context.theme.changed.connect(edit.viewport().update)

    def show_tokens_of(self, session: str) -> None:
        """Set the session of the tokens."""
        self.session = session
        self._leave()
        self.edit.viewport().update()

    def reveal_next(self) -> bool:
        """Reveal the token at the text cursor, or the next one, after the last one the first: the way by keyboard."""
        cursor = self.edit.textCursor()
        later = (span for span in self._tokens(cursor.block()) if span.end > cursor.selectionEnd())
        span = next(later, None) or next(self._tokens(self.edit.document().begin()), None)
        if span is None or not self.session:
            return False
        cursor.setPosition(span.start)
        cursor.setPosition(span.end, QTextCursor.MoveMode.KeepAnchor)
        self.edit.setTextCursor(cursor)
        self.edit.ensureCursorVisible()
        self._show(span, held=True)
        return True

    def visible_boxes(self) -> list[QRect]:
        """The rectangles of the chips on screen."""
        return [box for span in self._visible_tokens() for box in self._boxes(span)]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not self.session or not isValid(self.edit):
            return False
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return event.key() == Qt.Key.Key_F4 and not event.modifiers() and self.reveal_next()
        if watched is not self.edit.viewport():
            return False
        if event.type() == QEvent.Type.Paint:
            self._paint()
        elif isinstance(event, QMouseEvent):
            self._handle_mouse(event)
        elif event.type() in (QEvent.Type.Leave, QEvent.Type.Wheel):
            self._leave()
        return False

    def _handle_mouse(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        if event.type() == QEvent.Type.MouseButtonRelease and event.button() == Qt.MouseButton.LeftButton:
            if not self.edit.textCursor().hasSelection() and (span := self._token_at(point)) is not None:
                self._show(span, held=True)
        elif event.type() == QEvent.Type.MouseMove and (span := self._token_at(point)) != self._hovered:
            self._leave()
            self._hovered = span
            shape = Qt.CursorShape.IBeamCursor if span is None else Qt.CursorShape.PointingHandCursor
            self.edit.viewport().setCursor(shape)
            if span is not None and not event.buttons():
                self._rest.start()

    def _show_hovered(self) -> None:
        if self._hovered is not None:
            self._show(self._hovered, held=False)

    def _leave(self) -> None:
        """The mouse is no longer on a chip; a card that has the keyboard stays."""
        self._rest.stop()
        self._hovered = None
        if self.card is not None and isValid(self.card) and not self.card.held:
            self._close_card()

    def _close_card(self) -> None:
        card, self.card = self.card, None
        if card is not None and isValid(card):
            card.close()

    def _show(self, span: TokenSpan, *, held: bool) -> None:
        self._rest.stop()
        self._close_card()
        box = self._boxes(span)[-1]
        self.card = RevealCard(self._context, self.session, self.edit, held=held)
        self.card.look(span.token, QRect(self.edit.viewport().mapToGlobal(box.topLeft()), box.size()))

    def _tokens(self, block: QTextBlock, last: int = -1) -> Iterator[TokenSpan]:
        """The tokens from one block of the document to another, or to the end."""
        while block.isValid() and (last < 0 or block.blockNumber() <= last):
            yield from find_tokens(block.text(), block.position())
            block = block.next()

    def _token_at(self, point: QPoint) -> TokenSpan | None:
        cursor = self.edit.cursorForPosition(point)
        spans = self._tokens(cursor.block(), cursor.blockNumber()) if self.session else ()
        near = (span for span in spans if span.start <= cursor.position() <= span.end)
        return next((span for span in near if any(box.contains(point) for box in self._boxes(span))), None)

    def _visible_tokens(self) -> Iterator[TokenSpan]:
        first = self.edit.cursorForPosition(QPoint(0, 0)).block()
        last = self.edit.cursorForPosition(self.edit.viewport().rect().bottomRight()).blockNumber()
        return islice(self._tokens(first, last), _MOST_PAINTED)

    def _paint(self) -> None:
        theme = self._context.theme
        painter = QPainter(self.edit.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.soft("info", 0.45), 1))
        painter.setBrush(theme.soft("info", 0.18))
        for box in self.visible_boxes():
            painter.drawRoundedRect(QRectF(box).adjusted(-1.5, 0.5, 1.5, -0.5), theme.unit, theme.unit)
        painter.end()

    def _boxes(self, span: TokenSpan) -> list[QRect]:
        """The rectangles of a token in the text box; two if the line wraps inside it."""
        cursor = QTextCursor(self.edit.document())
        cursor.setPosition(span.start)
        start = self.edit.cursorRect(cursor)
        cursor.setPosition(span.end)
        end = self.edit.cursorRect(cursor)
        if start.top() == end.top():
            return [QRect(start.left(), start.top(), end.left() - start.left(), start.height())]
        margin = int(self.edit.document().documentMargin())
        right = self.edit.viewport().width() - margin
        return [
            QRect(start.left(), start.top(), max(0, right - start.left()), start.height()),
            QRect(margin, end.top(), max(0, end.left() - margin), end.height()),
        ]


OTHER = "CUSTOM"  # the kind of what is none of the others
_LONGEST_VALUE = 400  # characters


class MarkMenu(QObject):
    """Adds entries to the context menu of a text box that mark the selected text as personal or not."""

    def __init__(self, edit: QPlainTextEdit, context: Context) -> None:
        super().__init__(edit)
        self._edit, self._context = edit, context
        self._kinds: tuple[tuple[str, str], ...] = ((OTHER, "Custom"),)
        edit.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        edit.customContextMenuRequested.connect(self._open)

    def chosen(self) -> str:
        """The selected text in one line."""
        text = " ".join(self._edit.textCursor().selectedText().split())
        return text if len(text) <= _LONGEST_VALUE else ""

    def mark_missed(self, kind: str = OTHER) -> None:
        """Mask the selected text from now on."""
        self._mark(PrivacyMark(True, "value", self.chosen(), kind), "Masked from now on, wherever it occurs.")

    def mark_harmless(self) -> None:
        """No longer mask the selected text."""
        self._mark(PrivacyMark(False, "value", self.chosen()), "Models see this text from now on.")

    def learn(self, rules: PrivacyRules) -> None:
        """Load the kinds of personal data."""
        self._kinds = tuple((one.kind, one.plural[:1].upper() + one.plural[1:]) for one in rules.kinds)

    def _open(self, point: QPoint) -> None:
        place = self._edit.viewport().mapToGlobal(point)
        self._context.tasks.run("ask which kinds there are", self._context.api.privacy_rules(), self.learn)
        menu = self._edit.createStandardContextMenu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addSeparator()
        missed = menu.addMenu(icon("eye-off"), "Mask as")
        for kind, plural in self._kinds:
            missed.addAction(plural, partial(self.mark_missed, kind))
        harmless = menu.addAction(icon("eye"), "This is not personal", self.mark_harmless)
        for entry in (missed, harmless):
            entry.setEnabled(bool(self.chosen()))
        menu.popup(place)

    def _mark(self, mark: PrivacyMark, text: str) -> None:
        self._context.tasks.run("mark a value", self._context.api.mark_privacy(mark), partial(self._report, text))

    def _report(self, text: str, rules: PrivacyRules) -> None:
        self.learn(rules)
        self._context.say(text)


def places_text(sources: Sequence[str], went: Sequence[Place]) -> str:
    """`from crm · went to gmail.send`."""
    origins = [one_line(source, 40) for source in sources]
    targets = dict.fromkeys(place_name(place) for place in went)
    parts = (("from", origins), ("went to", [*targets]))
    return " · ".join(f"{word} {', '.join(names[:_MOST_NAMES])}" for word, names in parts if names)


def place_name(place: Place) -> str:
    """The name of a tool with its server."""
    return one_line(f"{place.server}.{place.tool}" if place.tool else place.server, 80)
