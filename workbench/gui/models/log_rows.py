"""The lines of a server's log as a list: bounded, sifted by words and level, appended to without losing one's place."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from workbench.gui.rows import Row, row_data
from workbench.gui.text import one_line
from workbench.gui.words import Word, clock
from workbench.records import LogLine

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
KEPT = 5_000  # lines the window remembers
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


def level_word(level: str) -> Word:
    """Never by colour alone: the level's word, with an icon."""
    known = {
        "debug": Word("Debug", "terminal", "faint"),
        "info": Word("Info", "info", "info"),
        "notice": Word("Notice", "info", "success"),
        "warning": Word("Warning", "warning", "warning"),
        "error": Word("Error", "alert", "danger"),
        "critical": Word("Critical", "alert", "critical"),
        "alert": Word("Alert", "bolt", "critical"),
        "emergency": Word("Emergency", "bolt", "critical"),
    }
    return known.get(level, Word(one_line(level, 20) or "No level", "circle", "muted"))


class LogRows(QAbstractListModel):
    """Oldest first, as a log is read."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: list[LogLine] = []
        self._shown: list[LogLine] = []
        self._needle: tuple[str, ...] = ()
        self._lowest = 0  # index into LEVELS; lines below are not shown

    def append(self, lines: Sequence[LogLine]) -> None:
        """New lines below; what is over the limit goes at the top."""
        self._all += lines
        fitting = [line for line in lines if self._fits(line)]
        if len(self._all) > KEPT:
            del self._all[: len(self._all) - KEPT]
            self._drop(self._all[0].number)
        fitting = [line for line in fitting if line.number >= self._all[0].number] if self._all else []
        if fitting:
            self.beginInsertRows(QModelIndex(), len(self._shown), len(self._shown) + len(fitting) - 1)
            self._shown += fitting
            self.endInsertRows()

    def clear(self) -> None:
        self.beginResetModel()
        self._all, self._shown = [], []
        self.endResetModel()

    def sift(self, text: str, lowest: str) -> None:
        """Show lines that have all these words, from this level on; levels nobody knows are always shown."""
        needle = tuple(text.casefold().split())
        level = LEVELS.index(lowest) if lowest in LEVELS else 0
        if (needle, level) == (self._needle, self._lowest):
            return
        self.beginResetModel()
        self._needle, self._lowest = needle, level
        self._shown = [line for line in self._all if self._fits(line)]
        self.endResetModel()

    def total(self) -> int:
        return len(self._all)

    def line(self, index: Index) -> LogLine | None:
        return self._shown[index.row()] if index.isValid() and index.row() < len(self._shown) else None

    def text(self) -> str:
        """What is shown, a line each, for the clipboard."""
        return "\n".join(
            f"{clock(line.at)} {line.level or '-'} {line.logger or '-'} {line.text}" for line in self._shown
        )

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        line = self.line(index)
        return None if line is None else row_data(_row(line), role)

    def _drop(self, first: int) -> None:
        gone = next((at for at, line in enumerate(self._shown) if line.number >= first), len(self._shown))
        if gone:
            self.beginRemoveRows(QModelIndex(), 0, gone - 1)
            del self._shown[:gone]
            self.endRemoveRows()

    def _fits(self, line: LogLine) -> bool:
        if line.level in LEVELS and LEVELS.index(line.level) < self._lowest:
            return False
        if not self._needle:
            return True
        words = f"{line.level} {line.logger} {line.text}".casefold()
        return all(word in words for word in self._needle)


def _row(line: LogLine) -> Row:
    word = level_word(line.level)
    return Row(
        key=str(line.number),
        title=one_line(line.text, 400),
        aside=" · ".join(part for part in (one_line(line.logger, 40), clock(line.at)) if part),
        icon=word.icon,
        tone=word.tone,
        badges=((word.text, word.tone),),
    )
