"""Lists and trees of rows, the empty state that replaces them, and the strip above a pane."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QPushButton,
    QStackedLayout,
    QStackedWidget,
    QStyle,
    QStyleOptionViewItem,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from workbench.gui.kit.icons import icon, pixmap
from workbench.gui.kit.rows import KEY, RowDelegate, paint_ground
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import Theme, mark

Index = QModelIndex | QPersistentModelIndex
_HELD = ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)


_UPWARDS = (
    QAbstractItemView.CursorAction.MoveUp,
    QAbstractItemView.CursorAction.MovePageUp,
    QAbstractItemView.CursorAction.MoveEnd,
)


class RowsView(QListView):
    """List of Rows. Return or a double click opens a row; arrows and clicks select."""

    chosen = Signal(str)
    """Carries the key of the row."""
    selection_changed = Signal()
    """`key()` answers something else now. Qt's `currentChanged` comes before the row is selected when it is clicked."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setItemDelegate(RowDelegate(theme, self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setMouseTracking(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        mark(self, kind="rows")
        self.doubleClicked.connect(self._choose)
        theme.changed.connect(self.doItemsLayout)

    def key(self) -> str:
        """The key of the selected row."""
        index = self.currentIndex()
        return str(index.data(KEY)) if index.isValid() and self.selectionModel().isSelected(index) else ""

    def selected_keys(self) -> list[str]:
        """The keys of all selected rows, from top to bottom."""
        indexes = sorted(self.selectionModel().selectedIndexes(), key=lambda index: index.row())
        return [str(index.data(KEY)) for index in indexes if index.flags() & Qt.ItemFlag.ItemIsSelectable]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self._select_current()
            self._choose(self.currentIndex())
        elif not (plain and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self._select_current()):
            super().keyPressEvent(event)

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Arrow keys skip headings."""
        found = super().moveCursor(action, modifiers)
        step = -1 if action in _UPWARDS else 1
        index = found
        while index.isValid() and not index.flags() & Qt.ItemFlag.ItemIsSelectable:
            index = self.model().index(index.row() + step, 0)
        return index if index.isValid() else self.currentIndex()

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        self.selection_changed.emit()

    def choose_first(self, *, opened: bool) -> bool:
        """Select the first row that is not a heading, unless one is selected; `opened` also opens it."""
        model = self.model()
        rows = (model.index(row, 0) for row in range(model.rowCount()))
        first = next((index for index in rows if index.flags() & Qt.ItemFlag.ItemIsSelectable), QModelIndex())
        if not self.key() and first.isValid():
            self.setCurrentIndex(first)
            self._select_current()
        if opened and self.key():
            self._choose(self.currentIndex())
        return bool(self.key())

    def _select_current(self) -> bool:
        """Select the current row. False if one was selected: Qt starts on the first row without selecting it."""
        index = self.currentIndex()
        if not index.isValid() or not index.flags() & Qt.ItemFlag.ItemIsSelectable or self.key():
            return False
        self.setCurrentIndex(index)
        self.selectionModel().select(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        return True

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid() and index.flags() & Qt.ItemFlag.ItemIsSelectable:
            self.chosen.emit(str(index.data(KEY)))


class RowsTree(QTreeView):
    """Tree of Rows that paints backgrounds and arrows over the full width."""

    chosen = Signal(str)
    typed = Signal(str)
    """Letters that somebody types while the tree has the keyboard: they are meant for a filter."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAccessibleName(name)
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setIndentation(theme.unit * 5)
        self.setItemDelegate(RowDelegate(theme, self, ground=False))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setExpandsOnDoubleClick(False)
        self.setMouseTracking(True)
        mark(self, kind="rows")
        self.doubleClicked.connect(self._choose)
        theme.changed.connect(self._restyle)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self._choose(self.currentIndex())
            return
        super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Pass letters to the filter: Qt would search row by row through everything."""
        self.typed.emit(search)

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        place = QStyleOptionViewItem(option)
        selected = self.selectionModel().isSelected(index)
        state = option.state & ~QStyle.StateFlag.State_Selected
        if selected:
            state |= QStyle.StateFlag.State_Selected
        if self.hasFocus():
            state |= QStyle.StateFlag.State_HasFocus
        place.state = state
        if self._under_mouse(index):
            place.state |= QStyle.StateFlag.State_MouseOver
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_ground(
            painter, QRect(0, option.rect.top(), self.viewport().width(), option.rect.height()), place, self._theme
        )
        painter.restore()
        super().drawRow(painter, option, index)

    def drawBranches(self, painter: QPainter, rect: QRect, index: Index) -> None:
        if not index.model().hasChildren(index):
            return
        size = self._theme.unit * 3
        name = "chevron-down" if self.isExpanded(index) else "chevron-right"
        place = QRect(rect.right() - size - self._theme.unit // 2, rect.center().y() - size // 2 + 1, size, size)
        icon(name, "muted").paint(painter, place)

    def _under_mouse(self, index: Index) -> bool:
        place = self.viewport().mapFromGlobal(self.cursor().pos())
        return self.viewport().underMouse() and self.indexAt(place) == index

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            self.chosen.emit(str(index.data(KEY)))

    def _restyle(self) -> None:
        self.setIndentation(self._theme.unit * 5)
        self.doItemsLayout()


class EmptyState(QWidget):
    """Shown instead of an empty list: says what will be listed and how to get it."""

    def __init__(self, theme: Theme, symbol: str, title: str, sentence: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._symbol = symbol
        self._picture = QLabel(self)
        self._picture.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._title = paragraph("", "heading")
        self._sentence = paragraph("", "muted")
        for text in (self._title, self._sentence):
            text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(*(theme.unit * 6,) * 4)
        self._layout.setSpacing(theme.unit * 2)
        self._layout.addStretch(2)
        for widget in (self._picture, self._title, self._sentence):
            self._layout.addWidget(widget)
        self._layout.addStretch(3)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMinimumHeight(theme.unit * 14)  # what is not there must not make a window grow
        self.say(title, sentence)
        self._draw()
        theme.changed.connect(self._draw)

    def offer(self, action: QAction | None = None, text: str = "") -> QPushButton:
        """Add a button below the sentence."""
        button = QPushButton(text or (action.text() if action else ""), self)
        if action is not None:
            button.setIcon(action.icon())
            button.clicked.connect(action.trigger)
        self.setFocusProxy(button)
        self._layout.insertSpacing(self._layout.count() - 1, self._theme.unit)
        self._layout.insertWidget(self._layout.count() - 1, button, alignment=Qt.AlignmentFlag.AlignHCenter)
        return button

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where it is low, the text has priority over the picture and the button over the margins."""
        super().resizeEvent(event)
        unit = self._theme.unit
        self._layout.setContentsMargins(unit * 6, unit * 2, unit * 6, unit * 2)
        needed = self._layout.totalHeightForWidth(self.width()) - (0 if self._picture.isHidden() else unit * 9)
        roomy = self.height() >= max(unit * 40, needed + unit * 17)
        self._picture.setVisible(roomy)
        if roomy:
            self._layout.setContentsMargins(*(unit * 6,) * 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Show that it has the keyboard: it is where Tab stops while its list is empty."""
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(self._theme.colour("accent"))
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -2, -2), self._theme.unit, self._theme.unit)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def say(self, title: str, sentence: str) -> None:
        self._title.setText(title)
        self._sentence.setText(sentence)
        self.setAccessibleName(title)
        self.setAccessibleDescription(sentence)

    def _draw(self) -> None:
        self._picture.setPixmap(pixmap(self._symbol, "faint", self._theme.unit * 7, self.devicePixelRatioF()))


def lead_focus(pane: QWidget, stack: QStackedLayout | QStackedWidget) -> None:
    """Make the current page of a stack the focus proxy of the pane, also after it changes."""

    def follow() -> None:
        if (page := stack.currentWidget()) is not None:
            pane.setFocusProxy(page)

    stack.currentChanged.connect(follow)
    follow()


class Strip(QFrame):
    """The row of controls above a pane."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        mark(self, kind="strip")
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(theme.unit * 2, theme.unit + 2, theme.unit * 2, theme.unit + 2)
        self.row.setSpacing(theme.unit)


def label(text: str, role: str = "", parent: QWidget | None = None) -> QLabel:
    """A plain-text label: it never interprets markup, because foreign names are formatted into it."""
    made = QLabel(parent)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setText(text)
    if role:
        mark(made, role=role)
    return made


def paragraph(text: str, role: str = "") -> ForeignLabel:
    """A label that wraps and never makes its window wide, for foreign text too."""
    return ForeignLabel(text, role=role)


def open_menu(view: QAbstractItemView, actions: Sequence[QAction | None], place: QPoint) -> None:
    """Open the context menu of a row at a place of its view; None is a separator, and without actions there is none."""
    if actions:
        menu = QMenu(view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for action in actions:
            if action is None:
                menu.addSeparator()
            else:
                menu.addAction(action)
        menu.popup(view.viewport().mapToGlobal(place))


def search_box(placeholder: str, name: str) -> QLineEdit:
    """A filter field with a clear button."""
    box = QLineEdit()
    box.setPlaceholderText(placeholder)
    box.setAccessibleName(name)
    box.setClearButtonEnabled(True)
    box.addAction(icon("search", "muted"), QLineEdit.ActionPosition.LeadingPosition)
    mark(box, kind="search")
    return box


class _Leading(QObject):
    """Keys of a filter field: Down enters the list, Return opens the first row, Escape clears."""

    def __init__(self, finder: QLineEdit, view: RowsView, search_now: Callable[[], None] | None) -> None:
        super().__init__(finder)
        self._finder = finder
        self._view = view
        self._search_now = search_now
        finder.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress or event.modifiers() & _HELD:
            return False
        if self._search_now is not None and event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._search_now()
        match event.key():
            case Qt.Key.Key_Down if self._view.isVisible():
                self._view.setFocus(Qt.FocusReason.OtherFocusReason)
                return self._view.choose_first(opened=False)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if self._view.isVisible():
                return self._view.choose_first(opened=True)
            case Qt.Key.Key_Escape if self._finder.text():
                self._finder.clear()
                return True
        return False


def lead_into(finder: QLineEdit, view: RowsView, search_now: Callable[[], None] | None = None) -> None:
    """Connect a filter field to its list by keyboard. `search_now` shows the matches of what was typed last."""
    _Leading(finder, view, search_now)


def push_button(
    text: str,
    act: Callable[..., object] | None = None,
    *,
    kind: str = "",
    symbol: str = "",
    tone: str = "muted",
    tip: str = "",
    checkable: bool = False,
) -> QPushButton:
    """A button with a text; `act` follows a click. `tone` is the colour of its icon."""
    button = QPushButton(text)
    if symbol:
        button.setIcon(icon(symbol, tone))
    if kind:
        mark(button, kind=kind)
    button.setToolTip(tip)
    button.setCheckable(checkable)
    if act is not None:
        button.clicked.connect(act)
    return button


class _IconButton(QToolButton):
    """A button whose icon is as high as its text would be."""

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            side = self.fontMetrics().height()
            self.setIconSize(QSize(side, side))


def tool_button(symbol: str, name: str, theme: Theme, act: Callable[..., object] | None = None) -> QToolButton:
    """A small flat button with an icon and an accessible name; `act` follows a click."""
    button = _IconButton()
    button.setIcon(icon(symbol))
    button.setIconSize(QSize(theme.unit * 4, theme.unit * 4))
    button.setAccessibleName(name)
    button.setToolTip(name)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    if act is not None:
        button.clicked.connect(act)
    return button


def action_button(action: QAction, theme: Theme) -> QToolButton:
    """A flat button for an action of the table."""
    button = tool_button("", action.text(), theme)
    button.setDefaultAction(action)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
    button.setAccessibleName(action.text())
    return button
