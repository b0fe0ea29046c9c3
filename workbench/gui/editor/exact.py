"""Gets text in and out of QPlainTextEdit without a change, because what is shown must be what is sent.

`toPlainText` turns U+2028, U+2029, U+FDD0 and U+FDD1 into newlines and no-break spaces into spaces, so a line that was
a comment could come back as live code. Text is therefore read raw, and text that Qt would change is not let in as is.
"""

from __future__ import annotations

from PySide6.QtWidgets import QPlainTextEdit

from workbench.gui.plain_edit import PlainEdit

_TAKEN_FOR_BREAKS = {0x2028: "‹U+2028›", 0x2029: "‹U+2029›", 0xFDD0: "‹U+FDD0›", 0xFDD1: "‹U+FDD1›", 0x00: "‹U+0000›"}
_CHANGED = frozenset(map(chr, _TAKEN_FOR_BREAKS)) | {"\r"}


def survives(text: str) -> bool:
    """Whether the text comes out of a text widget as it went in."""
    return not any(letter in text for letter in _CHANGED) and not _halves(text)


def tamed(text: str) -> str:
    """The text with line ends made one kind, and with chips for what Qt would take for a line end."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    if any(letter in plain for letter in _CHANGED):
        plain = plain.translate(_TAKEN_FOR_BREAKS)
    return "".join(f"‹U+{ord(c):04X}›" if "\ud800" <= c <= "\udfff" else c for c in plain) if _halves(plain) else plain


def exact_text(edit: QPlainTextEdit) -> str:
    """What the widget shows: every line break it draws is a newline, every other character is itself."""
    if isinstance(edit, PlainEdit):
        return edit.text()
    raw = edit.document().toRawText()
    return raw.replace("\u2029", "\n").replace("\u2028", "\n")


def units(text: str, place: int) -> int:
    """A place in Python's counting as Qt counts, in UTF-16 units."""
    return place if text.isascii() else len(text[:place].encode("utf-16-le", "surrogatepass")) // 2


def code_points(text: str, place: int) -> int:
    """A place in Qt's counting as Python counts."""
    return place if text.isascii() else len(utf16_slice(text, 0, place))


def utf16_slice(text: str, start: int, end: int) -> str:
    """What stands between two places in Qt's counting."""
    if text.isascii():
        return text[start:end]
    return text.encode("utf-16-le", "surrogatepass")[start * 2 : end * 2].decode("utf-16-le", "replace")


def _halves(text: str) -> bool:
    """Whether there are surrogates alone, which no encoding takes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
