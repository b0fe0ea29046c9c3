"""The workspace as a tree that asks for a folder when it is opened, or as a list of what a filter found.

An index carries the number of its entry: no pointers, so nothing dangles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Signal

from workbench.gui.kit.rows import Row, row_data
from workbench.gui.kit.text import one_line
from workbench.gui.kit.wording import ago
from workbench.gui.shell.long_text import size_words
from workbench.records import FileInfo

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_TOP = 0  # the number of what stands above all
MOST_FOUND = 2_000  # files that a filter shows


@dataclass(slots=True)
class _Entry:
    """One file or folder, and what is in it as far as that is known."""

    info: FileInfo
    above: int
    inside: list[int] = field(default_factory=list)
    asked: bool = False  # its folder was read, or is being read


class FilesModel(QAbstractItemModel):
    """Keys are paths."""

    wants = Signal(str)
    """The path of a folder that somebody opened."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries = {_TOP: _Entry(FileInfo("", 0, 0.0, "folder"), _TOP)}
        self._numbers = {"": _TOP}
        self._next = 1
        self.flat = False  # it shows what a filter found

    # what Qt asks

    def rowCount(self, parent: Index = _ROOT) -> int:
        return len(self._entries[self._number(parent)].inside)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 1

    def index(self, row: int, column: int, parent: Index = _ROOT) -> QModelIndex:
        inside = self._entries[self._number(parent)].inside
        return self.createIndex(row, 0, inside[row]) if column == 0 and 0 <= row < len(inside) else QModelIndex()

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]  # QObject.parent() is another method
        entry = self._entries.get(self._number(index))
        if not index.isValid() or entry is None or entry.above == _TOP:
            return QModelIndex()
        return self._place(entry.above)

    def hasChildren(self, parent: Index = _ROOT) -> bool:
        return (not self.flat and self._entries[self._number(parent)].info.kind == "folder") or not parent.isValid()

    def canFetchMore(self, parent: Index) -> bool:
        entry = self._entries[self._number(parent)]
        return not self.flat and entry.info.kind == "folder" and not entry.asked

    def fetchMore(self, parent: Index) -> None:
        entry = self._entries[self._number(parent)]
        entry.asked = True
        self.wants.emit(entry.info.path)

    def data(self, index: Index, role: int = 0) -> object:
        if not index.isValid():
            return None
        return row_data(_row(self._entries[self._number(index)].info, whole=self.flat), role)

    # what the pane asks

    def info(self, index: Index) -> FileInfo | None:
        return self._entries[self._number(index)].info if index.isValid() else None

    def find(self, path: str) -> QModelIndex:
        number = self._numbers.get(path)
        return self._place(number) if number else QModelIndex()

    def folders(self) -> list[str]:
        """Those that were read, the top first."""
        return [entry.info.path for entry in self._entries.values() if entry.asked]

    def show_found(self, found: Sequence[FileInfo]) -> None:
        """Become this list."""
        self._begin_anew(flat=True)
        self._insert(_TOP, 0, found[:MOST_FOUND])

    def show_tree(self) -> None:
        """Become the tree again; its folders are asked for anew."""
        self._begin_anew(flat=False)
        self.fetchMore(QModelIndex())

    def fill(self, folder: str, infos: Sequence[FileInfo]) -> None:
        """What is in a folder now: what left goes, what is new comes, what is there stays where it is."""
        above = self._numbers.get(folder)
        if above is None or self.flat:
            return
        self._entries[above].asked = True
        kept = {info.path: info for info in infos}
        self._drop(above, kept)
        place = 0
        while place < len(infos):
            inside = self._entries[above].inside
            if place < len(inside) and self._entries[inside[place]].info.path == infos[place].path:
                self._renew(inside[place], infos[place])
                place += 1
                continue
            end = place
            here = self._entries[inside[place]].info.path if place < len(inside) else ""
            while end < len(infos) and infos[end].path != here:
                end += 1
            self._insert(above, place, infos[place:end])
            place = end

    def _drop(self, above: int, kept: dict[str, FileInfo]) -> None:
        """What changed its kind goes, too. What stands in another order comes again."""
        inside = self._entries[above].inside
        left = [self._entries[one].info.path for one in inside if self._stays(one, kept)]
        staying = set(left)
        same = left == [path for path in kept if path in staying]
        end = len(inside)
        while end > 0:
            if same and self._stays(inside[end - 1], kept):
                end -= 1
                continue
            start = end - 1
            while start > 0 and not (same and self._stays(inside[start - 1], kept)):
                start -= 1
            self.beginRemoveRows(self._place(above), start, end - 1)
            for number in inside[start:end]:
                self._forget(number)
            del inside[start:end]
            self.endRemoveRows()
            end = start

    def _stays(self, number: int, kept: dict[str, FileInfo]) -> bool:
        info = self._entries[number].info
        return info.path in kept and kept[info.path].kind == info.kind

    def _renew(self, number: int, info: FileInfo) -> None:
        if self._entries[number].info != info:
            self._entries[number].info = info
            place = self._place(number)
            self.dataChanged.emit(place, place)

    def _insert(self, above: int, place: int, infos: Sequence[FileInfo]) -> None:
        if not infos:
            return
        self.beginInsertRows(self._place(above), place, place + len(infos) - 1)
        numbers = list(range(self._next, self._next + len(infos)))
        self._next += len(infos)
        for number, info in zip(numbers, infos, strict=True):
            self._entries[number] = _Entry(info, above)
            self._numbers[info.path] = number
        self._entries[above].inside[place:place] = numbers
        self.endInsertRows()

    def _forget(self, number: int) -> None:
        entry = self._entries.pop(number)
        self._numbers.pop(entry.info.path, None)
        for inner in entry.inside:
            self._forget(inner)

    def _begin_anew(self, *, flat: bool) -> None:
        self.beginResetModel()
        self._entries = {_TOP: _Entry(FileInfo("", 0, 0.0, "folder"), _TOP, asked=flat)}
        self._numbers = {"": _TOP}
        self.flat = flat
        self.endResetModel()

    def _number(self, index: Index) -> int:
        return index.internalId() if index.isValid() else _TOP

    def _place(self, number: int) -> QModelIndex:
        if number == _TOP:
            return QModelIndex()
        return self.createIndex(self._entries[self._entries[number].above].inside.index(number), 0, number)


def _row(info: FileInfo, *, whole: bool) -> Row:
    """A file's line: its name, how large it is, and what is odd about it."""
    folder, _, name = info.path.rpartition("/")
    badges: tuple[tuple[str, str], ...] = ()
    if info.kind in ("link", "odd"):
        badges = (("link" if info.kind == "link" else "no file", "muted"),)
    elif not info.plain:
        badges = (("second name", "muted"),)
    elif info.warning:
        badges = (("may be run", "warning"),)
    is_folder = info.kind == "folder"
    lines = (info.path, f"⚠ {info.warning}" if info.warning else "", ago(info.changed) if info.changed else "")
    tip = "\n".join(filter(None, lines))
    return Row(
        info.path,
        one_line(name, 200),
        aside="" if is_folder else size_words(info.size),
        icon="folder" if is_folder else "link" if info.kind == "link" else "file",
        tone="accent" if is_folder else "warning" if info.warning else "muted",
        badges=badges,
        faded=info.kind in ("link", "odd"),
        detail=one_line(folder, 200) if whole else "",
        tip=tip,
    )
