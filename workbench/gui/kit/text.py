"""The only sanitiser for foreign text: invisible characters are drawn as chips like ‹U+202E›.

Tool names, descriptions, results and agents' texts come from outside. Direction marks, zero-width letters, tag
characters and terminal codes can make text read differently from what a machine reads, so none reaches the screen.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import (
    QClipboard,
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import QLabel, QMenu, QSizePolicy, QWidget

from workbench.gui.kit.theme import mark

# A terminal's control sequences are one chip each, so that "ESC [ 3 1 m" reads as one thing.
_ANSI = r"\x1b\[[0-?]{0,32}[ -/]{0,8}[@-~]|\x9b[0-?]{0,32}[ -/]{0,8}[@-~]"
_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 and C1 controls; tab and newline stay
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners, fillers
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800"  # zero width, direction, separators, blank braille
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufdd0-\ufdef\ufffe\uffff"  # fillers, selectors, not characters
    "\ud800-\udfff"  # halves of surrogate pairs
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # shorthand, music, tag block, more selectors
)
_PATTERN = re.compile(f"(?P<ansi>{_ANSI})|(?P<crlf>\r\n)|(?P<hidden>[{_HIDDEN}])")
_EMOJI_GLUE = {"\u200d", "\ufe0f"}  # joiner and colour selector: allowed between two pictures


def visible(text: str) -> str:
    """The text with invisible characters drawn as chips; tabs and newlines stay, CR LF becomes a newline."""
    return _PATTERN.sub(_chip, text)


def one_line(text: str, limit: int = 300) -> str:
    """The text for a list or title: chips, no line breaks, shortened with an ellipsis."""
    flat = " ".join(visible(text[: limit * 4]).split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def has_hidden(text: str) -> bool:
    """Whether the text contains characters that would be drawn as chips."""
    return any(match.lastgroup != "crlf" and _chip(match) != match.group() for match in _PATTERN.finditer(text))


def _chip(match: re.Match[str]) -> str:
    if match.lastgroup == "crlf":
        return "\n"
    if match.lastgroup == "ansi":
        return f"‹ESC{match.group().removeprefix(chr(27)).replace(chr(0x9B), '[')}›"
    if match.group() in _EMOJI_GLUE and _between_pictures(match):
        return match.group()
    return f"‹U+{ord(match.group()):04X}›"


def _between_pictures(match: re.Match[str]) -> bool:
    """Joiners are kept only inside emoji; elsewhere they hide text."""
    before = match.string[match.start() - 1 : match.start()]
    if not before:
        return False
    return unicodedata.category(before) in {"So", "Sk"} or (match.group() == "\u200d" and before == "\ufe0f")


_LINE = 2_000  # characters that an elided label looks at
_BLOCK = 10_000  # characters that a label of several lines shows
_LONG = re.compile(r"\S{24,10000}")  # what may be too long for a narrow line
_VERY_LONG = re.compile(r"\S{60,10000}")  # and for any line
_BREAK_MARK = "\u200b"
_BREAK = re.compile(r"(?:[^._/@:=&?\-]{1,19}[._/@:=&?\-]|\S{20})(?=\S)")  # after which it may be broken


class ForeignLabel(QLabel):
    """A label for foreign text: never rich text, hidden characters as chips, selectable; `elide` cuts it to one line.

    A very long word is broken where a line ends; with `breaks`, for a narrow place, also a long one.
    """

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        *,
        role: str = "",
        elide: bool = False,
        breaks: bool = False,
    ) -> None:
        super().__init__(parent)
        if role:
            mark(self, role=role)
        self._elide = elide
        self._breaks = breaks
        self._full = ""
        self._elided = False
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setWordWrap(not elide)
        if elide:
            self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setText(text)

    def setText(self, text: str) -> None:
        self._full = " ".join(visible(text[:_LINE]).split()) if self._elide else visible(self._bounded(text))
        self.setAccessibleName(self._full[:400] or "Nothing yet")
        self._draw()

    def _bounded(self, text: str) -> str:
        """Shorten very long text: a label lays out all of it at once, which takes seconds for a megabyte."""
        rest = len(text) - _BLOCK
        return text if rest <= 0 else f"{text[:_BLOCK]}… ({rest:,} more characters)"

    def full_text(self) -> str:
        """The text before it was shortened to the label's width."""
        return self._full

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        return QSize(self.fontMetrics().averageCharWidth() * 4, hint.height()) if self._elide else hint

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._elide:
            self._draw()

    def copied_text(self) -> str:
        """The selected text without the marks where it may be broken."""
        return self.selectedText().replace(_BREAK_MARK, "")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.copied_text())
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        clipboard = QGuiApplication.clipboard()
        if self.hasSelectedText() and clipboard.supportsSelection():
            clipboard.setText(self.copied_text(), QClipboard.Mode.Selection)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy = menu.addAction("Copy", lambda: QGuiApplication.clipboard().setText(self.copied_text()))
        copy.setEnabled(self.hasSelectedText())
        menu.addAction("Copy all", lambda: QGuiApplication.clipboard().setText(self._full))
        menu.popup(event.globalPos())

    def _draw(self) -> None:
        if not self._elide:
            super().setText((_LONG if self._breaks else _VERY_LONG).sub(_breakable, self._full))
            return
        shown = self.fontMetrics().elidedText(self._full, Qt.TextElideMode.ElideRight, max(self.width(), 40))
        if shown != super().text():
            super().setText(shown)
        elided = shown != self._full
        if elided or self._elided:  # else the tooltip is the caller's
            self.setToolTip(plain_tip(self._full) if elided else "")
        self._elided = elided


class LinkedLabel(ForeignLabel):
    """Foreign text with parts that are links: by a click, or with Tab and Enter. It looks like plain text; the part
    under the mouse is underlined."""

    part_chosen = Signal(int)
    """Carries the number of a part."""

    def __init__(self, text: str = "", parent: QWidget | None = None, *, role: str = "") -> None:
        self._parts: tuple[tuple[str, str], ...] = ()
        self._hovered = ""
        super().__init__(text, parent, role=role)
        self.linkActivated.connect(lambda number: self.part_chosen.emit(int(number)))
        self.linkHovered.connect(self._hover)

    def show_parts(self, parts: Sequence[tuple[str, str]]) -> None:
        """Show texts one after the other, each with the tooltip of its link; one without a tooltip is no link."""
        text = "".join(text for text, _ in parts)
        linked = any(tip for _, tip in parts) and len(text) <= _BLOCK
        self._parts, self._hovered = (tuple(parts) if linked else ()), ""
        flags = Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        if linked:
            flags |= Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        self.setTextInteractionFlags(flags)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if linked else Qt.FocusPolicy.ClickFocus)
        self.setTextFormat(Qt.TextFormat.RichText if linked else Qt.TextFormat.PlainText)
        self.setToolTip("")
        super().setText(text)

    def setText(self, text: str) -> None:
        self.show_parts(((text, ""),))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange and self._parts:
            self._draw()  # links have the colour of the text, which belongs to the theme

    def _hover(self, number: str) -> None:
        self._hovered = number
        self.setToolTip(plain_tip(self._parts[int(number)][1]) if number else "")
        if not self.hasSelectedText():
            self._draw()

    def _draw(self) -> None:
        if not self._parts:
            super()._draw()
            return
        colour = self.palette().color(QPalette.ColorRole.WindowText).name()
        texts = (self._rich_text(number, colour) for number in range(len(self._parts)))
        QLabel.setText(self, f"<p style='white-space:pre-wrap; margin:0'>{''.join(texts)}</p>")

    def _rich_text(self, number: int, colour: str) -> str:
        text, tip = self._parts[number]
        shown = html.escape(_VERY_LONG.sub(_breakable, visible(text)))
        line = "underline" if self._hovered == str(number) else "none"
        return f"<a href='{number}' style='color:{colour}; text-decoration:{line}'>{shown}</a>" if tip else shown


def _breakable(match: re.Match[str]) -> str:
    return _BREAK.sub(lambda part: f"{part.group()}{_BREAK_MARK}", match.group())


LONGEST = 1_000
"""Characters that a description shows."""


def wrapping_label(text: str = "", longest: int = LONGEST) -> ForeignLabel:
    """A label for a long text of a server: it takes the width that there is, and shows the beginning."""
    label = ForeignLabel(beginning(text, longest))
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    return label


def show_text(label: ForeignLabel, text: str) -> None:
    """Set the text of a label and hide it if there is none."""
    label.setText(beginning(text))
    label.setVisible(bool(text))


def beginning(text: str, longest: int = LONGEST) -> str:
    """A text up to this length, with an ellipsis where it is cut."""
    return text if len(text) <= longest else f"{text[:longest]}…"


def plain_tip(text: str) -> str:
    """A tooltip that shows foreign text literally and wraps it; its invisible characters are drawn as chips."""
    return f"<p style='white-space:pre-wrap'>{html.escape(visible(text[:2000]))}</p>" if text else ""
