"""Chooses another app and shows what would be written into its file; used wherever servers leave the project."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.code.diff_view import DiffView
from workbench.gui.kit.controls import CalmCombo, TickBox
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.lists import label
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import mark
from workbench.gui.shell.context import Context
from workbench.records import ClientFile, ExportPreview, ExportReport, Fault, ServerState


class ExportForm(QWidget):
    """One app at a time: preview, write, take back, or copy to paste by hand."""

    written = Signal(object)
    """Carries one ExportReport."""

    def __init__(self, context: Context, parent: QWidget | None = None, *, itself: bool = False) -> None:
        super().__init__(parent)
        self._context = context
        self._itself = itself
        self._names: tuple[str, ...] = ()
        self._files: tuple[ClientFile, ...] = ()
        self._preview: ExportPreview | None = None
        self._report: ExportReport | None = None
        self.apps = CalmCombo()
        self.apps.setAccessibleName("App to write to")
        self.file = ForeignLabel("", elide=True)
        self.diff = DiffView(context.theme)
        self.diff.setAccessibleName("Lines that change in the file")
        self.notes = ForeignLabel()
        self.said = ForeignLabel()
        self.fault = FaultCard(context.theme)
        self.copy = QPushButton("Copy the entries")
        self.back = QPushButton("Take it back")
        self.write = QPushButton("Write into the file")
        self._lay_out(context.theme.unit)
        self._bind()
        context.tasks.run("files of other apps", context.api.client_files(), self._take_files)

    def show_servers(self, names: tuple[str, ...]) -> None:
        """Which servers of the project are meant."""
        self._names = names
        self._look()

    def _lay_out(self, unit: int) -> None:
        head = QHBoxLayout()
        head.setSpacing(unit * 2)
        head.addWidget(label("App"))
        head.addWidget(self.apps, 1)
        mark(self.file, role="muted")
        mark(self.notes, role="warning")
        mark(self.said, role="success")
        self.diff.setMinimumHeight(unit * 30)
        for words in (self.notes, self.said):
            words.hide()
        foot = QHBoxLayout()
        mark(self.copy, kind="quiet")
        mark(self.write, kind="primary")
        self.write.setEnabled(False)
        self.back.hide()
        foot.addWidget(self.copy)
        foot.addStretch()
        foot.addWidget(self.back)
        foot.addWidget(self.write)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(unit * 2)
        column.addLayout(head)
        column.addWidget(self.file)
        column.addWidget(self.diff, 1)
        for part in (self.notes, self.fault, self.said):
            column.addWidget(part)
        column.addLayout(foot)

    def _bind(self) -> None:
        self.apps.currentIndexChanged.connect(self._look)
        self.copy.clicked.connect(self._copy)
        self.write.clicked.connect(self._write)
        self.back.clicked.connect(self._take_back)

    def _take_files(self, files: tuple[ClientFile, ...]) -> None:
        """Apps that are here come first."""
        self._files = tuple(sorted(files, key=lambda file: not file.installed))
        self.apps.blockSignals(True)
        self.apps.clear()
        for file in self._files:
            self.apps.addItem(self._title(file))
        self.apps.blockSignals(False)
        self._look()

    def _title(self, file: ClientFile) -> str:
        if file.project:
            return f"{file.client} – for this project alone"
        twins = [other for other in self._files if other.client == file.client and not other.project]
        where = f" ({one_line(file.file, 60)})" if len(twins) > 1 else ""
        return file.client + where + ("" if file.installed else " – not found here")

    def _look(self) -> None:
        at = self.apps.currentIndex()
        if not 0 <= at < len(self._files) or not (self._names or self._itself):
            self._show(None)
            return
        self._forget_report()
        asked = self._context.api.preview_export(self._files[at].id, self._names, self._itself)
        self._context.tasks.run("preview", asked, self._show)

    def _show(self, preview: ExportPreview | None) -> None:
        self._preview = preview
        self.copy.setEnabled(preview is not None)
        if preview is None:
            self.write.setEnabled(False)
            self.diff.show_diff("", "Tick a server to see what would be written.")
            return
        self.file.setText(preview.client.file)
        changes = bool(preview.diff)
        self.diff.show_diff(preview.diff or preview.entries)
        self.notes.setText("\n".join(preview.notes))
        self.notes.setVisible(bool(preview.notes))
        self.fault.show_fault(self._trouble(preview), tone="warning")
        self.write.setEnabled(preview.blocked is None and preview.client.installed and changes)
        self.write.setText("Write into the file" if changes or preview.blocked else "It is there already")

    def _trouble(self, preview: ExportPreview) -> Fault | None:
        if preview.blocked is not None:
            return preview.blocked
        if not preview.client.installed:
            return Fault(
                f"{preview.client.client} was not found on this computer.",
                "Copy the entries and paste them where you use it.",
            )
        return None

    def _copy(self) -> None:
        if self._preview is not None:
            QGuiApplication.clipboard().setText(self._preview.entries)
            self._say("Copied.")

    def _write(self) -> None:
        if self._preview is not None:
            self.write.setEnabled(False)
            self._context.tasks.run("write servers", self._send(self._preview))

    async def _send(self, preview: ExportPreview) -> None:
        try:
            report = await self._context.api.export_servers(preview.client.id, self._names, self._itself, preview.sha)
        except WorkbenchError as fault:
            self.fault.show_fault(Fault(fault.message, fault.hint))
            return
        self._report = report
        kept = f" The file as it was lies in {report.backup}." if report.backup else ""
        self._say(f"Written. Start {report.client.client} again if it runs." + kept)
        self.back.show()
        self.written.emit(report)

    def _take_back(self) -> None:
        if self._report is not None:
            self._context.tasks.run("take back", self._undo(self._report))

    async def _undo(self, report: ExportReport) -> None:
        try:
            await self._context.api.undo_export(report.sha)
        except WorkbenchError as fault:
            self.fault.show_fault(Fault(fault.message, fault.hint))
            return
        self._look()
        self._say("The file is as it was before.")

    def _say(self, words: str) -> None:
        self.said.setText(words)
        self.said.setVisible(bool(words))

    def _forget_report(self) -> None:
        self._report = None
        self.back.hide()
        self._say("")


class ExportServers(QDialog):
    """Servers on the left, the app and the change on the right."""

    def __init__(self, context: Context, chosen: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._chosen = chosen
        self.setWindowTitle("Write servers to another app")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.boxes: dict[str, TickBox] = {}
        self.form = ExportForm(context)
        self._list = QVBoxLayout()
        self._lay_out(context.theme.unit)
        context.tasks.run("servers", context.api.servers(), self._take)

    def _lay_out(self, unit: int) -> None:
        self.resize(unit * 200, unit * 140)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 6,) * 4)
        column.setSpacing(unit * 3)
        column.addWidget(label(self.windowTitle(), "heading"))
        words = label(
            "You see every line that changes before it is written. A copy of the file is kept beside it.",
            "muted",
        )
        words.setWordWrap(True)
        column.addWidget(words)
        row = QHBoxLayout()
        row.setSpacing(unit * 5)
        row.addWidget(self._servers(unit), 1)
        row.addWidget(self.form, 3)
        column.addLayout(row, 1)
        foot = QHBoxLayout()
        foot.addStretch()
        close = QPushButton("Close")
        close.clicked.connect(self.accept)
        foot.addWidget(close)
        column.addLayout(foot)

    def _servers(self, unit: int) -> QWidget:
        inner = QWidget()
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(unit * 2)
        outer = QVBoxLayout(inner)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addLayout(self._list)
        outer.addStretch()
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setMinimumWidth(unit * 44)
        area.setWidget(inner)
        return area

    def _take(self, states: tuple[ServerState, ...]) -> None:
        for state in states:
            if state.config.builtin:
                continue
            name = state.config.name
            box = TickBox(self._context.theme, one_line(name, 40))
            box.setAccessibleName(name)
            box.setChecked(name == self._chosen)
            box.toggled.connect(self._changed)
            self.boxes[name] = box
            self._list.addWidget(box)
        if not self.boxes:
            empty = label("This project has no servers of its own yet: add or import some first.", "muted")
            empty.setWordWrap(True)
            self._list.addWidget(empty)
        self._changed()

    def _changed(self) -> None:
        self.form.show_servers(tuple(name for name, box in self.boxes.items() if box.isChecked()))
