"""PII tokens in text boxes: finds them, draws them as chips, reveals their values, and explains and marks personal
data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import islice

from msgspec import Struct
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPen, QTextBlock, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit
from shiboken6 import isValid

from workbench.gui.kit.icons import icon
from workbench.gui.kit.plain_edit import PlainEdit, units
from workbench.gui.results.masking_cards import (
    EVERYWHERE,
    HERE,
    MASKED_NOW,
    PASSES_NOW,
    ExplanationCard,
    RevealCard,
)
from workbench.gui.shell.context import Context
from workbench.records import PrivacyMark, PrivacyRules

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
        span = self._select(self._next_token()) if self.session else None
        if span is None:
            return False
        self._show(span, held=True)
        return True

    def select_next(self) -> bool:
        """Select the token at the text cursor, or the next one, after the last one the first."""
        return bool(self.session) and self._select(self._next_token()) is not None

    def select_at(self, point: QPoint) -> None:
        """Select the token at a point of the viewport."""
        self._select(self._token_at(point))

    def _next_token(self) -> TokenSpan | None:
        cursor = self.edit.textCursor()
        later = (span for span in self._tokens(cursor.block()) if span.end > cursor.selectionEnd())
        return next(later, None) or next(self._tokens(self.edit.document().begin()), None)

    def _select(self, span: TokenSpan | None) -> TokenSpan | None:
        if span is not None:
            cursor = self.edit.textCursor()
            cursor.setPosition(span.start)
            cursor.setPosition(span.end, QTextCursor.MoveMode.KeepAnchor)
            self.edit.setTextCursor(cursor)
            self.edit.ensureCursorVisible()
        return span

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
_AROUND = 2_000  # characters before and after a text that the detectors read with it


class MarkMenu(QObject):
    """Adds entries to the context menu of a text box: why the selected text or token is masked or not, and marks that
    mask it always or never. Shift+F4 explains, too."""

    def __init__(self, edit: PlainEdit, context: Context, chips: TokenChips | None = None) -> None:
        """`chips`: of the same text box, if it may contain tokens."""
        super().__init__(edit)
        self._edit, self._context, self._chips = edit, context, chips
        self._kinds: tuple[tuple[str, str], ...] = ((OTHER, "Custom"),)
        self.card: ExplanationCard | None = None
        edit.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        edit.customContextMenuRequested.connect(self._open)
        edit.installEventFilter(self)

    def chosen(self) -> str:
        """The selected text in one line."""
        text = " ".join(self._edit.selected_text(self._edit.textCursor()).split())
        return text if len(text) <= _LONGEST_VALUE else ""

    def mark_missed(self, kind: str = OTHER, scope: str = EVERYWHERE) -> None:
        """Mask the selected text from now on."""
        self._mark(PrivacyMark(True, "value", self.chosen(), kind, scope=scope), MASKED_NOW[scope])

    def mark_harmless(self, scope: str = EVERYWHERE) -> None:
        """No longer mask the selected text, or the value of the selected token."""
        if self._selects_token():
            request = self._context.api.never_mask_token(self._session(), self.chosen(), scope)
            self._context.tasks.run("mark a value", request, partial(self._report, PASSES_NOW[scope]))
        else:
            self._mark(PrivacyMark(False, "value", self.chosen(), scope=scope), PASSES_NOW[scope])

    def explain(self) -> bool:
        """Explain the selected text, else the token at the text cursor or the next one."""
        if not self.chosen() and (self._chips is None or not self._chips.select_next()):
            self._context.say("Select the text to explain first.")
            return False
        cursor = self._edit.textCursor()
        start, end = cursor.selectionStart(), cursor.selectionEnd()
        last = self._edit.document().characterCount() - 1
        before = self._edit.selected_text(self._edit.cursor_over(max(0, start - _AROUND), start))
        after = self._edit.selected_text(self._edit.cursor_over(end, min(last, end + _AROUND)))
        text = self._edit.selected_text(cursor)
        box = self._edit.cursorRect(self._edit.cursor_over(start, start))
        self.card = ExplanationCard(self._context, self._session(), self._edit)
        place = QRect(self._edit.viewport().mapToGlobal(box.topLeft()), box.size())
        self.card.explain(text, place, before + text + after, len(before))
        return True

    def learn(self, rules: PrivacyRules) -> None:
        """Load the kinds of personal data."""
        self._kinds = tuple((one.kind, one.plural[:1].upper() + one.plural[1:]) for one in rules.kinds)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress or event.key() != Qt.Key.Key_F4:
            return False
        if event.modifiers() != Qt.KeyboardModifier.ShiftModifier:
            return False
        self.explain()
        return True

    def _session(self) -> str:
        return self._chips.session if self._chips is not None else ""

    def _selects_token(self) -> bool:
        text = self.chosen()
        return bool(self._session()) and any(one.token == text for one in find_tokens(text))

    def _open(self, point: QPoint) -> None:
        place = self._edit.viewport().mapToGlobal(point)
        if not self.chosen() and self._chips is not None:
            self._chips.select_at(point)
        self._context.tasks.run("ask which kinds there are", self._context.api.privacy_rules(), self.learn)
        menu = self._edit.createStandardContextMenu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addSeparator()
        is_token = self._selects_token()
        question = "Why was this masked?" if is_token else "Is this masked, and why?"
        entries = [menu.addAction(icon("help"), f"{question}\tShift+F4", self.explain)]
        for scope, place_name in ((HERE, "in this project"), (EVERYWHERE, "everywhere")):
            missed = menu.addMenu(icon("eye-off"), f"Mask {place_name} as")
            missed.setEnabled(bool(self.chosen()) and not is_token)
            for kind, plural in self._kinds:
                missed.addAction(plural, partial(self.mark_missed, kind, scope))
        for scope, place_name in ((HERE, "in this project"), (EVERYWHERE, "anywhere")):
            entries.append(menu.addAction(icon("eye"), f"Never mask {place_name}", partial(self.mark_harmless, scope)))
        for entry in entries:
            entry.setEnabled(bool(self.chosen()))
        menu.popup(place)

    def _mark(self, mark: PrivacyMark, text: str) -> None:
        self._context.tasks.run("mark a value", self._context.api.mark_privacy(mark), partial(self._report, text))

    def _report(self, text: str, rules: PrivacyRules) -> None:
        self.learn(rules)
        self._context.say(text)
