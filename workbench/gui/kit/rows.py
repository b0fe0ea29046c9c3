"""List rows as frozen records, the delegate that paints them, and the list model that holds them."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from msgspec import Struct
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from workbench.gui.kit.icons import icon
from workbench.gui.kit.text import plain_tip
from workbench.gui.kit.theme import Theme

ROW = int(Qt.ItemDataRole.UserRole) + 1
"""The model role under which a Row lies."""
KEY = ROW + 1
"""The model role under which a row's key lies."""

Index = QModelIndex | QPersistentModelIndex
Badges = tuple[tuple[str, str], ...]


_BADGE_ICONS = {
    "destructive": "alert",
    "reads": "eye",
    "writes": "pencil",
    "reaches out": "globe",
    "blocked": "lock",
    "new": "plus",
    "removed": "minus",
}
_SEPARATORS = "/\\_-.,:;@?&="  # after which a line may end where it has no space
_TONE_ICONS = {"danger": "alert", "warning": "warning", "success": "check", "info": "info"}


class Row(Struct, frozen=True):
    """One list row: icon, title, badges, a quiet text at the right, and a second line."""

    key: str
    title: str
    detail: str = ""  # the second line
    aside: str = ""  # at the right, in a muted colour
    icon: str = ""
    tone: str = "muted"  # colour role of the icon
    aside_tone: str = "muted"
    badges: Badges = ()  # word and colour role
    section: bool = False  # a heading, which cannot be selected
    strong: bool = False
    mono: bool = False
    faded: bool = False
    wraps: bool = False  # the title has two lines; badges, the detail and what is at the right are in a third
    tip: str = ""
    spoken: str = ""  # what the icon says, for screen readers


def grouped(*groups: tuple[str, str, Sequence[Row]]) -> list[Row]:
    """Rows below headings with their number: key, title and rows of each group. A group without rows is left out."""
    rows: list[Row] = []
    for key, title, members in groups:
        if members:
            rows += [Row(f"section:{key}", title, aside=f"{len(members):,}", section=True), *members]
    return rows


def row_data(row: Row, role: int) -> object:
    """The data of a row for an item model's role."""
    if role == ROW:
        return row
    if role == KEY:
        return row.key
    if role == Qt.ItemDataRole.DisplayRole:
        return row.title
    if role == Qt.ItemDataRole.ToolTipRole:
        return plain_tip(row.tip) or None
    if role == Qt.ItemDataRole.AccessibleTextRole:
        words = (row.spoken, row.title, *(word for word, _ in row.badges), row.aside, row.detail)
        return ", ".join(word for word in words if word)
    return None


class RowDelegate(QStyledItemDelegate):
    """Paints Rows in lists, the server tree and the palette."""

    def __init__(self, theme: Theme, parent: QWidget | None = None, *, ground: bool = True) -> None:
        super().__init__(parent)
        self._theme = theme
        self._ground = ground  # whether it paints the background of rows; the tree paints its own

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row = index.data(ROW)
        unit = self._theme.unit
        line = QFontMetrics(self._theme.ui()).height()
        if isinstance(row, Row) and row.section:
            return QSize(0, line + unit * 3)
        if isinstance(row, Row) and row.wraps:
            return QSize(0, 3 * line + unit * 4)
        two = isinstance(row, Row) and bool(row.detail)
        return QSize(0, (2 * line + unit * 4) if two else (line + unit * 3))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW)
        if not isinstance(row, Row):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRect(option.rect)
        if self._ground and not row.section:
            paint_ground(painter, rect, option, self._theme)
        if row.section:
            self._paint_section(painter, rect, row)
        else:
            self._paint_row(painter, rect, row)
        painter.restore()

    def _paint_section(self, painter: QPainter, rect: QRect, row: Row) -> None:
        unit = self._theme.unit
        painter.setFont(self._theme.ui(-1, QFont.Weight.DemiBold))
        painter.setPen(self._theme.colour("muted"))
        inner = rect.adjusted(unit * 3, unit, -unit * 3, 0)
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, row.title)
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, row.aside)

    def _paint_row(self, painter: QPainter, rect: QRect, row: Row) -> None:
        unit = self._theme.unit
        line = QFontMetrics(self._theme.ui()).height()
        inner = rect.adjusted(unit * 2 if self._ground else unit, 0, -unit * 3, 0)
        top = inner.top() + (unit + unit // 2 if not row.detail else unit * 2 - 1)
        first = QRect(inner.left(), top, inner.width(), line)
        left = first.left()
        if row.icon:
            icon(row.icon, row.tone).paint(
                painter, QRect(left, first.top() + (line - unit * 4) // 2, unit * 4, unit * 4)
            )
            left += unit * 6
        second = QRect(left, first.bottom() + 1 + unit // 2, inner.right() - left, line)
        if row.wraps:
            self._paint_wrapped(painter, QRect(left, first.top(), inner.right() - left, line), row)
            return
        right = self._paint_aside(painter, first, row)
        self._paint_title(painter, QRect(left, first.top(), right - left, line), row)
        if row.detail:
            self._paint_detail(painter, second, row)

    def _paint_wrapped(self, painter: QPainter, line: QRect, row: Row) -> None:
        """Two lines of title, then the detail and what is at the right."""
        font, colour = self._theme.ui(), self._theme.colour("muted" if row.faded else "text")
        if row.strong:
            font.setWeight(QFont.Weight.DemiBold)
        start, rest = _break(row.title, QFontMetrics(font), line.width())
        self._write(painter, line, start, font, colour)
        if rest:
            line = line.translated(0, line.height())
            self._write(painter, line, rest, font, colour)
        line = line.translated(0, line.height())
        line.setRight(self._paint_aside(painter, line, row))
        self._paint_detail(painter, line, row)

    def _paint_aside(self, painter: QPainter, line: QRect, row: Row) -> int:
        """Returns where the room for the title ends."""
        if not row.aside:
            return line.right()
        font = self._theme.ui(-1)
        width = QFontMetrics(font).horizontalAdvance(row.aside)
        place = QRect(line.right() - width, line.top(), width + 1, line.height())
        self._write(painter, place, row.aside, font, self._theme.colour(row.aside_tone))
        return place.left() - self._theme.unit * 2

    def _paint_title(self, painter: QPainter, place: QRect, row: Row) -> None:
        font = self._theme.mono() if row.mono else self._theme.ui()
        if row.strong:
            font.setWeight(QFont.Weight.DemiBold)
        badge_font = self._theme.ui(-1, QFont.Weight.Medium)
        badges = () if row.detail else row.badges  # two-line rows carry them in the second line
        widths = [QFontMetrics(badge_font).horizontalAdvance(word) + self._theme.unit * 3 for word, _ in badges]
        title_width = QFontMetrics(font).horizontalAdvance(row.title) + 2
        gap, icon_width = self._theme.unit * 2, self._theme.unit * 5
        as_text = self._badges_as_text(place.width() - title_width - gap, badges, widths, icon_width)
        icons = badges[as_text:]
        room = place.width() - (gap if badges else 0) - sum(widths[:as_text]) - icon_width * len(icons)
        shown = min(title_width, max(place.width() // 3, room))
        colour = self._theme.colour("muted" if row.faded else "text")
        self._write(painter, QRect(place.left(), place.top(), shown, place.height()), row.title, font, colour)
        left = place.left() + shown + gap
        for (word, tone), width in zip(badges[:as_text], widths, strict=False):
            self._paint_badge(painter, QRect(left, place.top(), width - self._theme.unit, place.height()), word, tone)
            left += width
        side, left_over = self._theme.unit * 4, place.right() + 1 - left
        for number, (word, tone) in enumerate(reversed(icons[: max(0, left_over) // icon_width])):
            right = place.right() + 1 - icon_width * number
            box = QRect(right - side, place.center().y() - side // 2, side, side)
            icon(_BADGE_ICONS.get(word) or _TONE_ICONS.get(tone, "dot"), tone).paint(painter, box)

    def _badges_as_text(self, room: int, badges: Badges, widths: list[int], icon_width: int) -> int:
        """How many badges are painted as text; there is room for the others only as icons in the right column.

        A danger is always painted as text, even if the title has to be cut.
        """
        least = 1 if badges and badges[0][1] == "danger" else 0
        for number in range(len(badges), least, -1):
            if sum(widths[:number]) + icon_width * (len(badges) - number) <= room:
                return number
        return least

    def _paint_detail(self, painter: QPainter, line: QRect, row: Row) -> None:
        font = self._theme.ui(-1, QFont.Weight.Medium)
        left = line.left()
        for word, tone in row.badges:
            width = QFontMetrics(font).horizontalAdvance(word) + self._theme.unit * 2
            self._paint_badge(painter, QRect(left, line.top(), width, line.height()), word, tone)
            left += width + self._theme.unit * 2
        rest = QRect(left, line.top(), line.right() - left, line.height())
        self._write(painter, rest, row.detail, self._theme.ui(-1), self._theme.colour("muted"))

    def _paint_badge(self, painter: QPainter, place: QRect, word: str, tone: str) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.soft(tone))
        painter.drawRoundedRect(place, self._theme.unit, self._theme.unit)
        painter.setFont(self._theme.ui(-1, QFont.Weight.Medium))
        painter.setPen(self._theme.colour(tone))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, word)

    def _write(self, painter: QPainter, place: QRect, text: str, font: QFont, colour: QColor) -> None:
        painter.setFont(font)
        painter.setPen(colour)
        shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)


def _break(text: str, metrics: QFontMetrics, width: int) -> tuple[str, str]:
    """What of a text fits into a line, if possible up to the end of a word or of a part of a path, and the rest."""
    fits = len(metrics.elidedText(text, Qt.TextElideMode.ElideRight, width))
    if metrics.horizontalAdvance(text) <= width or fits >= len(text):
        return text, ""
    ends = (text.rfind(" ", 0, fits), max(text.rfind(mark, 0, fits - 1) + 1 for mark in _SEPARATORS))
    end = next((end for end in ends if end > fits // 2), max(1, fits - 1))
    return text[:end].rstrip(), text[end:].lstrip()


def paint_ground(painter: QPainter, rect: QRect, option: QStyleOptionViewItem, theme: Theme) -> None:
    """The rounded background of the selected row, with the keyboard focus, or of the row below the mouse."""
    state = option.state
    chosen = bool(state & QStyle.StateFlag.State_Selected)
    if not chosen and not state & QStyle.StateFlag.State_MouseOver:
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.colour("selected" if chosen else "hover"))
    painter.drawRoundedRect(rect.adjusted(theme.unit, 0, -theme.unit, -1), theme.unit, theme.unit)
    if chosen and state & QStyle.StateFlag.State_HasFocus:
        painter.setBrush(theme.colour("accent"))
        painter.drawRoundedRect(
            rect.left() + theme.unit, rect.top() + theme.unit, 2, rect.height() - 2 * theme.unit, 1, 1
        )


_ROOT = QModelIndex()


class RowsModel(QAbstractListModel):
    """List model of Rows that are identified by their keys."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Row] = []

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        return row_data(self._rows[index.row()], role)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if index.isValid() and self._rows[index.row()].section:
            return Qt.ItemFlag.ItemIsEnabled
        return super().flags(index)

    def find(self, key: str) -> QModelIndex:
        """The index of a key; invalid if it is not shown."""
        for place, row in enumerate(self._rows):
            if row.key == key:
                return self.index(place)
        return QModelIndex()

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show these rows with the fewest changes, so that selection and scroll position stay."""
        places = {row.key: place for place, row in enumerate(rows)}
        self._drop(places.keys())
        self._sort(places)
        known = {row.key for row in self._rows}
        place = 0
        while place < len(rows):
            wanted = rows[place]
            if place < len(self._rows) and self._rows[place].key == wanted.key:
                if self._rows[place] != wanted:
                    self._rows[place] = wanted
                    self.dataChanged.emit(self.index(place), self.index(place))
                place += 1
                continue
            end = place + 1
            while end < len(rows) and rows[end].key not in known:
                end += 1
            self.beginInsertRows(QModelIndex(), place, end - 1)
            self._rows[place:place] = rows[place:end]
            self.endInsertRows()
            place = end
        if len(self._rows) > place:  # several rows had the same key
            self.beginRemoveRows(QModelIndex(), place, len(self._rows) - 1)
            del self._rows[place:]
            self.endRemoveRows()

    def _drop(self, kept: Container[str]) -> None:
        end = len(self._rows)
        while end > 0:
            if self._rows[end - 1].key in kept:
                end -= 1
                continue
            start = end - 1
            while start > 0 and self._rows[start - 1].key not in kept:
                start -= 1
            self.beginRemoveRows(QModelIndex(), start, end - 1)
            del self._rows[start:end]
            self.endRemoveRows()
            end = start

    def _sort(self, places: Mapping[str, int]) -> None:
        """Bring the rows into the order of these places."""
        order = sorted(range(len(self._rows)), key=lambda row: places[self._rows[row].key])
        if order == [*range(len(order))]:
            return
        self.layoutAboutToBeChanged.emit()
        now = {before: after for after, before in enumerate(order)}
        self._rows = [self._rows[row] for row in order]
        moved = self.persistentIndexList()
        self.changePersistentIndexList(moved, [self.index(now[index.row()]) for index in moved])
        self.layoutChanged.emit()
