"""PII tokens in text boxes: finds them, draws them as chips, reveals their values, and marks personal data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeyEvent, QMouseEvent, QPainter, QPen, QTextBlock, QTextCursor
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from workbench.errors import WorkbenchError
from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import label
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import mark
from workbench.gui.shell.context import Context
from workbench.records import Place, PrivacyMark, PrivacyRules, Revealed

_TOKEN = re.compile(
    r"(?:\[|%5B)(?P<kind>[A-Z][A-Z_]{1,20})_[1-9]\d{0,6}\.[0-9a-z]{4}(?:\]|%5D)", re.IGNORECASE | re.ASCII
)


@dataclass(frozen=True, slots=True)
class TokenSpan:
    """A token in a text; start and end are in UTF-16 units, as in Qt."""

    start: int
    end: int
    token: str
    kind: str


def find_tokens(text: str) -> Iterator[TokenSpan]:
    """The tokens in a text, in order."""
    if "_" not in text:
        return
    plain = text.isascii()
    for match in _TOKEN.finditer(text):
        start = match.start() if plain else units(text[: match.start()])
        yield TokenSpan(start, start + len(match.group()), match.group(), match["kind"].upper())


def units(text: str) -> int:
    """Length of the text in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


_PLACES_SHOWN = 3  # places named in one line


class RevealCard(QFrame):
    """A card with the value of a token, its source and its uses. Only one is open at a time."""

    def __init__(self, context: Context, session: str, parent: QWidget, *, held: bool) -> None:
        super().__init__(parent.window())
        self._before = parent  # what has the keyboard again afterwards
        self._context, self._session, self.held = context, session, held
        self._token = ""
        self.revealed: Revealed | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        mark(self, kind="reveal")
        self.kind, self.value = label("", "badge"), ForeignLabel()
        mark(self.kind, tone="info")
        mark(self.value, role="mono")
        self.places, self.foot = ForeignLabel(), label("", "muted")
        mark(self.places, role="muted")
        self.copy = QPushButton("Copy")
        self.harmless = QPushButton("This is not personal")
        self._lay_out(context.theme.unit)
        self.hide()
        parent.installEventFilter(self)
        if held:
            QApplication.instance().focusChanged.connect(self._followed)  # type: ignore[union-attr]  # it is running
        self.copy.clicked.connect(self._copy)
        self.harmless.clicked.connect(self._let_pass)

    def look(self, token: str, beside: QRect) -> None:
        """Show the value of a token below this rectangle of the screen."""
        self._token = token
        self._context.tasks.run("look behind a token", self._ask(token, beside))

    async def _ask(self, token: str, beside: QRect) -> None:
        try:
            found = await self._context.api.reveal(self._session, token)
        except WorkbenchError as fault:
            self._fill("Not known", fault.message, fault.hint, "")
            self.copy.hide()
            self.harmless.hide()
        else:
            self.revealed = found
            seen = "Recorded in the audit, without the value."
            self._fill(found.kind, found.value, places_text(found.sources, found.went), seen)
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

    def _followed(self, _: QWidget | None, now: QWidget | None) -> None:
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
        self._context.tasks.run("copy a value", self._report_copy())

    async def _report_copy(self) -> None:
        """Copy the value; the audit records it as a copy."""
        found = await self._context.api.reveal(self._session, self._token, True)
        QGuiApplication.clipboard().setText(found.value)
        self._context.say("Value copied. Recorded in the audit.")
        self.close()

    def _let_pass(self) -> None:
        if self.revealed is not None:
            self._context.tasks.run("let a value pass", self._passing(self.revealed.value))

    async def _passing(self, value: str) -> None:
        await self._context.api.mark_privacy(PrivacyMark(False, "value", value))
        self._context.say("Models see this value from now on. Undo it under Personal data > Marks.")
        self.close()

    def _lay_out(self, unit: int) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 3,) * 4)
        column.setSpacing(unit)
        head = QHBoxLayout()
        head.setSpacing(unit * 2)
        head.addWidget(self.kind, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.value, 1)
        column.addLayout(head)
        column.addWidget(self.places)
        column.addWidget(self.foot)
        row = QHBoxLayout()
        for button in (self.copy, self.harmless):
            mark(button, kind="quiet")
            button.setVisible(self.held)
            row.addWidget(button)
        row.addStretch(1)
        column.addLayout(row)


REST_MS = 350  # that a mouse rests on a chip before somebody wants to know
_MOST = 400  # chips that are painted at once


class TokenChips(QObject):
    """Draws the tokens in one text box as chips. Nothing is drawn without `session`, the session of the tokens."""

    def __init__(self, edit: QPlainTextEdit, context: Context, session: str = "") -> None:
        super().__init__(edit)
        self._edit, self._context = edit, context
        self.session = session
        self._over: tuple[int, TokenSpan] | None = None  # the place of the chip under the mouse
        self.card: RevealCard | None = None
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._rested)
        edit.viewport().setMouseTracking(True)
        edit.viewport().installEventFilter(self)
        edit.installEventFilter(self)
        context.theme.changed.connect(edit.viewport().update)

    def show_tokens_of(self, session: str) -> None:
        """Set the session of the tokens."""
        self.session = session
        self._leave()
        self._edit.viewport().update()

    def reveal_next(self) -> bool:
        """Reveal the token at the text cursor, or the next one: the way by keyboard."""
        found = self._next() if self.session else None
        if found is None:
            return False
        place, one = found
        cursor = QTextCursor(self._edit.document())
        cursor.setPosition(place + one.start)
        cursor.setPosition(place + one.end, QTextCursor.MoveMode.KeepAnchor)
        self._edit.setTextCursor(cursor)
        self._edit.ensureCursorVisible()
        self._show(place, one, held=True)
        return True

    def at(self, point: QPoint) -> tuple[int, TokenSpan] | None:
        """The token at a point of the text box, and the position of its block."""
        cursor = self._edit.cursorForPosition(point)
        block = cursor.block()
        for one in find_tokens(block.text()) if self.session else ():
            near = one.start <= cursor.positionInBlock() <= one.end
            if near and any(box.contains(point) for box in self._boxes(block.position(), one)):
                return block.position(), one
        return None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not self.session or not isValid(self._edit):
            return False
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return event.key() == Qt.Key.Key_F4 and not event.modifiers() and self.reveal_next()
        if watched is not self._edit.viewport():
            return False
        if event.type() == QEvent.Type.Paint:
            self._paint()
        elif isinstance(event, QMouseEvent):
            self._moved(event)
        elif event.type() in (QEvent.Type.Leave, QEvent.Type.Wheel):
            self._leave()
        return False

    def _moved(self, event: QMouseEvent) -> None:
        if event.type() == QEvent.Type.MouseButtonRelease and event.button() == Qt.MouseButton.LeftButton:
            if not self._edit.textCursor().hasSelection() and (found := self.at(event.position().toPoint())):
                self._show(*found, held=True)
        elif event.type() == QEvent.Type.MouseMove:
            found = self.at(event.position().toPoint())
            if found != self._over:
                self._leave()
                self._over = found
                self._edit.viewport().setCursor(
                    Qt.CursorShape.PointingHandCursor if found else Qt.CursorShape.IBeamCursor
                )
                if found is not None and not event.buttons():
                    self._rest.start()

    def _rested(self) -> None:
        if self._over is not None:
            self._show(*self._over, held=False)

    def _leave(self) -> None:
        self._rest.stop()
        self._over = None
        if (
            self.card is not None and isValid(self.card) and not self.card.held
        ):  # one that has the keyboard goes when that goes
            self._put_away()

    def _put_away(self) -> None:
        card, self.card = self.card, None
        if card is not None and isValid(card):
            card.close()

    def _show(self, place: int, one: TokenSpan, *, held: bool) -> None:
        self._rest.stop()
        self._put_away()
        boxes = self._boxes(place, one)
        box = boxes[-1] if boxes else QRect()
        self.card = RevealCard(self._context, self.session, self._edit, held=held)
        self.card.look(one.token, QRect(self._edit.viewport().mapToGlobal(box.topLeft()), box.size()))

    def _next(self) -> tuple[int, TokenSpan] | None:
        cursor = self._edit.textCursor()
        block, after = cursor.block(), cursor.selectionEnd() - cursor.block().position()
        first = block
        while block.isValid():
            for one in find_tokens(block.text()):
                if block != first or one.end > after or (one.start <= after < one.end):
                    return block.position(), one
            block = block.next()
        return self._first()

    def _first(self) -> tuple[int, TokenSpan] | None:
        """The next token; after the last one the first."""
        block = self._edit.document().begin()
        while block.isValid():
            for one in find_tokens(block.text()):
                return block.position(), one
            block = block.next()
        return None

    def _paint(self) -> None:
        painter = QPainter(self._edit.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._context.theme
        painter.setPen(QPen(theme.soft("info", 0.45), 1))
        painter.setBrush(theme.soft("info", 0.18))
        for place, one in self._visible():
            for box in self._boxes(place, one):
                painter.drawRoundedRect(QRectF(box).adjusted(-1.5, 0.5, 1.5, -0.5), theme.unit, theme.unit)
        painter.end()

    def _visible(self) -> list[tuple[int, TokenSpan]]:
        found: list[tuple[int, TokenSpan]] = []
        block: QTextBlock = self._edit.cursorForPosition(QPoint(0, 0)).block()
        last = self._edit.cursorForPosition(self._edit.viewport().rect().bottomRight()).block().blockNumber()
        while block.isValid() and block.blockNumber() <= last and len(found) < _MOST:
            found += [(block.position(), one) for one in find_tokens(block.text())]
            block = block.next()
        return found[:_MOST]

    def _boxes(self, place: int, one: TokenSpan) -> list[QRect]:
        """The rectangles of a token in the text box; two if the line wraps inside it."""
        cursor = QTextCursor(self._edit.document())
        cursor.setPosition(place + one.start)
        start = self._edit.cursorRect(cursor)
        cursor.setPosition(place + one.end)
        end = self._edit.cursorRect(cursor)
        if start.top() == end.top():
            return [QRect(start.left(), start.top(), end.left() - start.left(), start.height())]
        margin = int(self._edit.document().documentMargin())
        right = self._edit.viewport().width() - margin
        return [
            QRect(start.left(), start.top(), max(0, right - start.left()), start.height()),
            QRect(margin, end.top(), max(0, end.left() - margin), end.height()),
        ]


OTHER = "CUSTOM"  # the kind of what is none of the others
_LONGEST = 400  # characters of a value


class MarkMenu(QObject):
    """Adds entries to the context menu of a text box that mark the selected text as personal or not."""

    marked = Signal(object)
    """Carries the current rules."""

    def __init__(self, edit: QPlainTextEdit, context: Context) -> None:
        super().__init__(edit)
        self._edit, self._context = edit, context
        self._kinds: tuple[tuple[str, str], ...] = ()
        edit.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        edit.customContextMenuRequested.connect(self._open)

    def chosen(self) -> str:
        """The selected text in one line."""
        words = " ".join(self._edit.textCursor().selectedText().replace("\u2029", " ").split())
        return words if len(words) <= _LONGEST else ""

    def mark_missed(self, kind: str = OTHER) -> None:
        """Mask the selected text from now on."""
        self._mark(PrivacyMark(True, "value", self.chosen(), kind), "Masked from now on, wherever it occurs.")

    def mark_harmless(self) -> None:
        """No longer mask the selected text."""
        self._mark(PrivacyMark(False, "value", self.chosen()), "Models see this text from now on.")

    def fill(self, menu: QMenu) -> None:
        """The two entries; disabled without a selection."""
        some = bool(self.chosen())
        missed = menu.addMenu(icon("eye-off"), "Mask as")
        missed.setEnabled(some)
        for kind, plural in self._kinds or ((OTHER, "Custom"),):
            missed.addAction(plural, partial(self.mark_missed, kind))
        harmless = menu.addAction(icon("eye"), "This is not personal", self.mark_harmless)
        harmless.setEnabled(some)

    def learn(self, rules: PrivacyRules) -> None:
        """Load the kinds of personal data."""
        self._kinds = tuple((one.kind, one.plural[:1].upper() + one.plural[1:]) for one in rules.kinds)

    def _open(self, point: QPoint) -> None:
        place = self._edit.viewport().mapToGlobal(point)
        self._context.tasks.run("ask which kinds there are", self._context.api.privacy_rules(), self.learn)
        menu = self._edit.createStandardContextMenu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addSeparator()
        self.fill(menu)
        menu.popup(place)

    def _mark(self, mark: PrivacyMark, words: str) -> None:
        self._context.tasks.run("mark a value", self._ask(mark, words))

    async def _ask(self, mark: PrivacyMark, words: str) -> None:
        try:
            rules = await self._context.api.mark_privacy(mark)
        except WorkbenchError as fault:
            self._context.say(f"{fault.message} {fault.hint}".strip())
            return
        self.learn(rules)
        self._context.say(words)
        self.marked.emit(rules)


def places_text(sources: Sequence[str], went: Sequence[Place]) -> str:
    """`from crm · went to gmail.send`."""
    words = []
    if sources:
        words.append(f"from {', '.join(one_line(one, 40) for one in sources[:_PLACES_SHOWN])}")
    if went:
        names = list(dict.fromkeys(place_name(one) for one in went))
        words.append(f"went to {', '.join(names[:_PLACES_SHOWN])}")
    return " · ".join(words)


def place_name(place: Place) -> str:
    """The name of a tool with its server."""
    return one_line(f"{place.server}.{place.tool}" if place.tool else place.server, 80)
