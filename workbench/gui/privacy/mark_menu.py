"""The menu of a text in which somebody can say what was missed and what is not personal; it becomes a mark for good."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu, QPlainTextEdit

from workbench.errors import WorkbenchError
from workbench.gui.context import Context
from workbench.gui.icons import icon
from workbench.records import PrivacyMark, PrivacyRules

OTHER = "CUSTOM"  # the kind of what is none of the others
_LONGEST = 400  # characters of a value


class MarkMenu(QObject):
    """Belongs to one text view, beside its own menu."""

    marked = Signal(object)
    """Carries the rules as they are now."""
    said = Signal(str)

    def __init__(self, edit: QPlainTextEdit, context: Context) -> None:
        super().__init__(edit)
        self._edit, self._context = edit, context
        self._kinds: tuple[tuple[str, str], ...] = ()
        edit.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        edit.customContextMenuRequested.connect(self._open)

    def chosen(self) -> str:
        """The selected text, on one line."""
        words = " ".join(self._edit.textCursor().selectedText().replace("\u2029", " ").split())
        return words if len(words) <= _LONGEST else ""

    def missed(self, kind: str = OTHER) -> None:
        """What is selected is hidden from now on."""
        self._mark(PrivacyMark(True, "value", self.chosen(), kind), "Hidden from now on, wherever it stands.")

    def harmless(self) -> None:
        """What is selected passes from now on."""
        self._mark(PrivacyMark(False, "value", self.chosen()), "Models see it from now on.")

    def fill(self, menu: QMenu) -> None:
        """The two marks, as far as something is selected."""
        some = bool(self.chosen())
        missed = menu.addMenu(icon("eye-off"), "This was missed: hide it as")
        missed.setEnabled(some)
        for kind, plural in self._kinds or ((OTHER, "something of yours"),):
            missed.addAction(plural, partial(self.missed, kind))
        harmless = menu.addAction(icon("eye"), "This is not personal", self.harmless)
        harmless.setEnabled(some)

    def learn(self, rules: PrivacyRules) -> None:
        """Which kinds there are."""
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
            self.said.emit(f"{fault.message} {fault.hint}".strip())
            return
        self.learn(rules)
        self.said.emit(words)
        self.marked.emit(rules)
