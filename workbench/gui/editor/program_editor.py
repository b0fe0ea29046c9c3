"""The editor of a tab: what every code view can, and zoom, schemes of colours, and undo that outlives a crash."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QContextMenuEvent, QFont, QKeyEvent, QKeySequence, QWheelEvent
from PySide6.QtWidgets import QWidget

from workbench.gui.editor.code_editor import CodeEditor
from workbench.gui.editor.looks import Looks
from workbench.gui.editor.past import Past
from workbench.gui.editor.schemes import Scheme
from workbench.gui.theme import Theme


class ProgramEditor(CodeEditor):
    """Escape, then Tab leaves it; Ctrl+Tab goes to the next tab."""

    def __init__(self, theme: Theme, looks: Looks, parent: QWidget | None = None) -> None:
        self._looks = looks
        super().__init__(theme, parent)
        self.past = Past(self)
        self._leaves = False  # the next Tab moves the keyboard on
        looks.changed.connect(self._dress)

    def wanted_scheme(self) -> Scheme:
        return self._looks.scheme()

    def wanted_font(self) -> QFont:
        return self.theme.mono(self._looks.steps)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        tab = event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
        if tab and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()  # whoever holds the tabs goes to the next one
            return
        if tab and self._leaves:
            self._leaves = False
            self.focusNextPrevChild(event.key() == Qt.Key.Key_Tab)
            return
        self._leaves = event.key() == Qt.Key.Key_Escape
        if event.matches(QKeySequence.StandardKey.Undo):
            self.undo()
            return
        super().keyPressEvent(event)

    def undo(self) -> None:
        """Take the last step back; Qt does not say while it does so, so every road to it leads through here."""
        self.past.undoing = True
        try:
            super().undo()
        finally:
            self.past.undoing = False

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.createStandardContextMenu(event.pos())
        for action in menu.actions():
            if action.objectName() == "edit-undo":
                action.triggered.disconnect()
                action.triggered.connect(self.undo)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            turned = event.angleDelta().y()
            if turned:
                self._looks.zoom(1 if turned > 0 else -1)
            event.accept()
            return
        super().wheelEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "past"):
            self.ensureCursorVisible()
