"""Any JSON as text: for shapes no other editor knows, and for values that another editor would change."""

from __future__ import annotations

from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.editor.exact import tamed
from workbench.gui.forms.brief import Brief
from workbench.gui.forms.check import PathFault
from workbench.gui.forms.editor import Editor
from workbench.gui.forms.growing_text import GrowingText
from workbench.gui.forms.json_text import dump_to_edit, parse
from workbench.gui.theme import mark
from workbench.records import JsonValue


class RawEditor(Editor):
    """A JSON text box that says where the text stops being JSON."""

    def __init__(self, brief: Brief, parent: QWidget | None = None, *, tall: bool = False) -> None:
        super().__init__(brief, parent)
        self._known: tuple[str, JsonValue, str] | None = None
        self._edit = GrowingText(least=2, most=14)
        if tall:
            self._edit.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._edit.setFont(brief.theme.mono())
        self._edit.setAccessibleName(f"{brief.name} as JSON")
        self._edit.setPlaceholderText('any JSON, for example "text"')
        mark(self._edit, kind="code")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._edit)
        self.setFocusProxy(self._edit)
        self._edit.textChanged.connect(self.changed)

    def read(self) -> JsonValue:
        """The value; a text that is no JSON is itself, and `own_faults` says so."""
        text, value, fault = self._parsed()
        return text if fault else value

    def _parsed(self) -> tuple[str, JsonValue, str]:
        """The text, its value and what is wrong with it: parsed once for each change, as 10 MB take half a second."""
        text = self._edit.text()
        if self._known is None or self._known[0] is not text:
            try:
                self._known = (text, parse(text), "")
            except WorkbenchError as fault:
                self._known = (text, None, fault.message)
        return self._known

    def write(self, value: JsonValue) -> bool:
        self.show_text(dump_to_edit(value))
        return True

    def show_text(self, text: str) -> None:
        """Show a text as it is, JSON or not."""
        self._edit.setPlainText(tamed(text))

    def text(self) -> str:
        """The text as it is, JSON or not."""
        return self._edit.text()

    def clear(self) -> None:
        self._edit.clear()

    def own_faults(self) -> tuple[PathFault, ...]:
        fault = self._parsed()[2]
        return (((), fault),) if fault else ()
