"""The workspace as a tree model that requests a folder when it is expanded, or as a flat list of search results.

An index carries the number of its entry instead of a pointer, which could dangle.
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
_TOP = 0  # number of the invisible root
MOST_MATCHES = 2_000  # files that a search shows


@dataclass(slots=True)
class _Entry:
    """A file or folder, with the entries in it that are known."""

    info: FileInfo
    parent: int
    children: list[int] = field(default_factory=list)
    requested: bool = False  # the folder was read, or is being read


class FilesModel(QAbstractItemModel):
    """Files and folders; the key of a row is its path."""

    folder_needed = Signal(str)
    """Carries the path of a folder that was expanded."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries = {_TOP: _Entry(FileInfo("", 0, 0.0, "folder"), _TOP)}
        self._numbers = {"": _TOP}
        self._next = 1
        self.is_flat = False  # it shows search results

    # what Qt reads

    def rowCount(self, parent: Index = _ROOT) -> int:
        return len(self._entries[self._number(parent)].children)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 1

    def index(self, row: int, column: int, parent: Index = _ROOT) -> QModelIndex:
        children = self._entries[self._number(parent)].children
        return self.createIndex(row, 0, children[row]) if column == 0 and 0 <= row < len(children) else QModelIndex()

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]  # QObject.parent() is another method
        entry = self._entries.get(self._number(index))
        if not index.isValid() or entry is None or entry.parent == _TOP:
            return QModelIndex()
        return self._index_of(entry.parent)

    def hasChildren(self, parent: Index = _ROOT) -> bool:
        return (not self.is_flat and self._entries[self._number(parent)].info.kind == "folder") or not parent.isValid()

    def canFetchMore(self, parent: Index) -> bool:
        entry = self._entries[self._number(parent)]
        return not self.is_flat and entry.info.kind == "folder" and not entry.requested

    def fetchMore(self, parent: Index) -> None:
        entry = self._entries[self._number(parent)]
        entry.requested = True
        self.folder_needed.emit(entry.info.path)

    def data(self, index: Index, role: int = 0) -> object:
        if not index.isValid():
            return None
        return row_data(_row(self._entries[self._number(index)].info, with_folder=self.is_flat), role)

    # what the pane reads and changes

    def info(self, index: Index) -> FileInfo | None:
        return self._entries[self._number(index)].info if index.isValid() else None

    def find(self, path: str) -> QModelIndex:
        number = self._numbers.get(path)
        return self._index_of(number) if number else QModelIndex()

    def folders(self) -> list[str]:
        """The folders that were read, the workspace first."""
        return [entry.info.path for entry in self._entries.values() if entry.requested]

    def show_matches(self, matches: Sequence[FileInfo]) -> None:
        """Show search results as a flat list."""
        self._clear(flat=True)
        self._insert(_TOP, 0, matches[:MOST_MATCHES])

    def show_tree(self) -> None:
        """Show the tree; its folders are requested again."""
        self._clear(flat=False)
        self.fetchMore(QModelIndex())

    def set_folder(self, folder: str, infos: Sequence[FileInfo]) -> None:
        """Update the entries of a folder; rows of entries that stay are kept."""
        parent = self._numbers.get(folder)
        if parent is None or self.is_flat:
            return
        self._entries[parent].requested = True
        kept = {info.path: info for info in infos}
        self._drop(parent, kept)
        place = 0
        while place < len(infos):
            children = self._entries[parent].children
            if place < len(children) and self._entries[children[place]].info.path == infos[place].path:
                self._update_entry(children[place], infos[place])
                place += 1
                continue
            end = place
            here = self._entries[children[place]].info.path if place < len(children) else ""
            while end < len(infos) and infos[end].path != here:
                end += 1
            self._insert(parent, place, infos[place:end])
            place = end

    def _drop(self, parent: int, kept: dict[str, FileInfo]) -> None:
        """Remove entries that are gone or of a different kind, and all of them if their order changed."""
        children = self._entries[parent].children
        staying = [self._entries[number].info.path for number in children if self._stays(number, kept)]
        same = staying == [path for path in kept if path in set(staying)]
        end = len(children)
        while end > 0:
            if same and self._stays(children[end - 1], kept):
                end -= 1
                continue
            start = end - 1
            while start > 0 and not (same and self._stays(children[start - 1], kept)):
                start -= 1
            self.beginRemoveRows(self._index_of(parent), start, end - 1)
            for number in children[start:end]:
                self._remove(number)
            del children[start:end]
            self.endRemoveRows()
            end = start

    def _stays(self, number: int, kept: dict[str, FileInfo]) -> bool:
        info = self._entries[number].info
        return info.path in kept and kept[info.path].kind == info.kind

    def _update_entry(self, number: int, info: FileInfo) -> None:
        if self._entries[number].info != info:
            self._entries[number].info = info
            place = self._index_of(number)
            self.dataChanged.emit(place, place)

    def _insert(self, parent: int, place: int, infos: Sequence[FileInfo]) -> None:
        if not infos:
            return
        self.beginInsertRows(self._index_of(parent), place, place + len(infos) - 1)
        numbers = list(range(self._next, self._next + len(infos)))
        self._next += len(infos)
        for number, info in zip(numbers, infos, strict=True):
            self._entries[number] = _Entry(info, parent)
            self._numbers[info.path] = number
        self._entries[parent].children[place:place] = numbers
        self.endInsertRows()

    def _remove(self, number: int) -> None:
        entry = self._entries.pop(number)
        self._numbers.pop(entry.info.path, None)
        for child in entry.children:
            self._remove(child)

    def _clear(self, *, flat: bool) -> None:
        self.beginResetModel()
        self._entries = {_TOP: _Entry(FileInfo("", 0, 0.0, "folder"), _TOP, requested=flat)}
        self._numbers = {"": _TOP}
        self.is_flat = flat
        self.endResetModel()

    def _number(self, index: Index) -> int:
        return index.internalId() if index.isValid() else _TOP

    def _index_of(self, number: int) -> QModelIndex:
        if number == _TOP:
            return QModelIndex()
        return self.createIndex(self._entries[self._entries[number].parent].children.index(number), 0, number)


def _row(info: FileInfo, *, with_folder: bool) -> Row:
    """A file's name and size, and what is unusual about it."""
    folder, _, name = info.path.rpartition("/")
    badges: tuple[tuple[str, str], ...] = ()
    if info.kind in ("link", "odd"):
        badges = (("link" if info.kind == "link" else "special file", "muted"),)
    elif not info.plain:
        badges = (("hard link", "muted"),)
    elif info.warning:
        badges = (("may be executed", "warning"),)
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
        detail=one_line(folder, 200) if with_folder else "",
        tip=tip,
    )
