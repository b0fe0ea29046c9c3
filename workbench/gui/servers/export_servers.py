"""Writes servers of this project, or the workbench itself, to the settings of another MCP client."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.code.diff_view import DiffView
from workbench.gui.kit.controls import CalmCombo, TickBox
from workbench.gui.kit.dialogs import Dialog
from workbench.gui.kit.layouts import column, row, scroll_area
from workbench.gui.kit.lists import label, paragraph
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import mark
from workbench.gui.shell.context import Context
from workbench.records import ClientFile, ExportPreview, ExportReport, Fault


class ExportForm(QWidget):
    """Previews the change of one client's file; writes it, undoes it, or copies the entries."""

    written = Signal(object)
    """Carries one ExportReport."""

    def __init__(self, context: Context, parent: QWidget | None = None, *, with_workbench: bool = False) -> None:
        super().__init__(parent)
        self._context = context
        self._with_workbench = with_workbench
        self._names: tuple[str, ...] = ()
        self._files: tuple[ClientFile, ...] = ()
        self._request = 0  # number of the newest preview; answers to earlier ones are dropped
        self._preview: ExportPreview | None = None
        self._report: ExportReport | None = None
        self.clients = CalmCombo()
        self.clients.setAccessibleName("Client")
        self.file = ForeignLabel("", elide=True, role="muted")
        self.diff = DiffView(context.theme)
        self.diff.setAccessibleName("Changes in the file")
        self.notes = ForeignLabel(role="warning")
        self.message = ForeignLabel(role="success")
        self.fault = Notice(context.theme)
        self.copy = QPushButton("Copy entries")
        self.undo = QPushButton("Undo")
        self.write = QPushButton("Write to file")
        self._lay_out(context.theme.unit)
        context.tasks.run("files of other clients", self._read_files())

    def show_servers(self, names: tuple[str, ...]) -> None:
        """Set which servers of the project to write."""
        self._names = names
        self._load_preview()

    def _lay_out(self, unit: int) -> None:
        for button, kind, act in (
            (self.copy, "quiet", self._copy),
            (self.undo, "", self._undo),
            (self.write, "primary", self._write),
        ):
            mark(button, kind=kind)
            button.clicked.connect(act)
        self.clients.currentIndexChanged.connect(self._load_preview)
        self.diff.setMinimumHeight(unit * 30)
        self.write.setEnabled(False)
        for part in (self.notes, self.message, self.undo):
            part.hide()
        column(
            self,
            row(None, label("Client"), self.clients, spacing=unit * 2, grows=self.clients),
            *(self.file, self.diff, self.notes, self.fault, self.message),
            row(None, self.copy, None, self.undo, self.write, spacing=unit),
            spacing=unit * 2,
            grows=self.diff,
        )

    async def _read_files(self) -> None:
        """Installed clients come first."""
        try:
            files = await self._context.api.client_files()
        except WorkbenchError as fault:
            self.fault.show_fault(Fault(fault.message, fault.hint))
            return
        self._files = tuple(sorted(files, key=lambda file: not file.installed))
        self.clients.show_choices({number: self._title(file) for number, file in enumerate(self._files)})
        self._load_preview()

    def _title(self, file: ClientFile) -> str:
        if file.project:
            return f"{file.client} – this project only"
        same_client = [other for other in self._files if other.client == file.client and not other.project]
        where = f" ({one_line(file.file, 60)})" if len(same_client) > 1 else ""
        return file.client + where + ("" if file.installed else " – not installed")

    def _load_preview(self) -> None:
        self._request += 1
        self._forget_preview()
        if not (self._names or self._with_workbench):
            self.diff.show_diff("", "Tick a server to preview the change.")
        elif self._files:
            self._context.tasks.run("preview an export", self._read_preview(self._request))

    async def _read_preview(self, request: int) -> None:
        file = self._files[self.clients.currentIndex()]
        try:
            preview = await self._context.api.preview_export(file.id, self._names, self._with_workbench)
        except WorkbenchError as fault:
            if request == self._request:
                self.fault.show_fault(Fault(fault.message, fault.hint))
                self.diff.show_diff("", "The change cannot be previewed, so nothing can be written.")
            return
        if request == self._request:
            self._show(preview)

    def _forget_preview(self) -> None:
        """Show nothing of an earlier choice while a new one is read."""
        self._preview = None
        self._forget_report()
        self.file.setText("")
        self.diff.show_diff("", "Reading the file…")
        self.notes.hide()
        if self._files:  # otherwise it says why there are none
            self.fault.show_fault(None)
        self.copy.setEnabled(False)
        self.write.setEnabled(False)
        self.write.setText("Write to file")

    def _show(self, preview: ExportPreview) -> None:
        self._preview = preview
        self.copy.setEnabled(True)
        self.file.setText(preview.client.file)
        changes, blocked = bool(preview.diff), _write_obstacle(preview)
        self.diff.show_diff(preview.diff or preview.entries)
        self.notes.setText("\n".join(preview.notes))
        self.notes.setVisible(bool(preview.notes))
        self.fault.show_fault(blocked, tone="warning")
        self.write.setEnabled(blocked is None and changes)
        self.write.setText("Write to file" if changes or preview.blocked else "Already written")

    def _copy(self) -> None:
        if self._preview is not None:
            QGuiApplication.clipboard().setText(self._preview.entries)
            self._show_message("Copied.")

    def _write(self) -> None:
        if self._preview is not None:
            self.write.setEnabled(False)
            self._context.tasks.run("export servers", self._send(self._preview))

    async def _send(self, preview: ExportPreview) -> None:
        try:
            report = await self._context.api.export_servers(
                preview.client.id, self._names, self._with_workbench, preview.sha
            )
        except WorkbenchError as fault:
            self.fault.show_fault(Fault(fault.message, fault.hint))
            return
        self._report = report
        backup = f" The previous file was copied to {report.backup}." if report.backup else ""
        self._show_message(f"Written. Restart {report.client.client} if it is running.{backup}")
        self.undo.show()
        self.written.emit(report)

    def _undo(self) -> None:
        if self._report is not None:
            self._context.tasks.run("undo an export", self._restore(self._report))

    async def _restore(self, report: ExportReport) -> None:
        try:
            await self._context.api.undo_export(report.sha)
        except WorkbenchError as fault:
            self.fault.show_fault(Fault(fault.message, fault.hint))
            return
        self._load_preview()
        self._show_message("Undone. The file has its previous content.")

    def _show_message(self, text: str) -> None:
        self.message.setText(text)
        self.message.setVisible(bool(text))

    def _forget_report(self) -> None:
        self._report = None
        self.undo.hide()
        self._show_message("")


def _write_obstacle(preview: ExportPreview) -> Fault | None:
    """Why the file cannot be written."""
    if preview.blocked is not None or preview.client.installed:
        return preview.blocked
    client = preview.client.client
    return Fault(f"{client} is not installed on this computer.", "Copy the entries and paste them into its settings.")


class ExportServers(Dialog):
    """Servers with check boxes at the left, the client and the change at the right."""

    def __init__(self, context: Context, selected: str = "", parent: QWidget | None = None) -> None:
        intro = "You see every changed line before it is written. A copy of the file is kept beside it."
        super().__init__(context.theme, "Export servers to another client", intro, parent)
        self._context = context
        self.boxes: dict[str, TickBox] = {}
        self.form = ExportForm(context)
        unit = context.theme.unit
        self.resize(unit * 200, unit * 140)
        both = row(None, self._make_list(selected), self.form, spacing=unit * 5)
        both.setStretch(0, 1)
        both.setStretch(1, 3)
        self.body.addLayout(both, 1)
        self.add_close()
        self._update()

    def _make_list(self, selected: str) -> QWidget:
        unit = self._context.theme.unit
        for name, state in self._context.store.servers.items():
            if not state.config.builtin:
                box = self.boxes[name] = TickBox(self._context.theme, one_line(name, 40))
                box.setAccessibleName(name)
                box.setChecked(name == selected)
                box.toggled.connect(self._update)
        empty = paragraph("This project has no servers. Add or import some first.", "muted")
        page = QWidget()
        column(page, *self.boxes.values(), *(() if self.boxes else (empty,)), None, spacing=unit * 2)
        area = scroll_area(page)
        area.setMinimumWidth(unit * 44)
        return area

    def _update(self) -> None:
        self.form.show_servers(tuple(name for name, box in self.boxes.items() if box.isChecked()))
