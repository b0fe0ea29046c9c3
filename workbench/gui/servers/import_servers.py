"""One server found in another app: off until it is ticked, with its full command in view."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from workbench.gui.kit.controls import CalmCombo, TickBox
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.lists import EmptyState, label
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import mark
from workbench.gui.servers.server_card import command_line
from workbench.gui.shell.context import Context
from workbench.records import (
    Discovery,
    Fault,
    FoundServer,
    ImportChoice,
    ImportConflict,
    ImportReport,
    SecretStore,
    ServerState,
)

RENAME, REPLACE = range(2)


class FoundRow(QFrame):
    """Says what it would run; where its name is taken, a person says what becomes of that."""

    changed = Signal()
    """Ticked, unticked, or another name."""

    def __init__(self, context: Context, found: FoundServer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.found = found
        self.box = TickBox(context.theme, one_line(found.config.name, 60))
        self.box.setAccessibleName(f"Import {found.config.name} from {found.client}")
        self.name = QLineEdit(found.config.name)
        self.name.setAccessibleName("Name in this project")
        self.way = CalmCombo()
        self.way.addItems(["Import it under the name", "Replace the one here"])
        self.way.setMinimumContentsLength(24)
        self.way.setAccessibleName(f"What becomes of the name {found.config.name}")
        self.reveal = QPushButton("Show secrets")
        self.reveal.setCheckable(True)
        self.reveal.setAccessibleName(f"Show the secrets of {found.config.name}")
        mark(self.reveal, kind="link")
        self._secrets = ForeignLabel()
        self._clash = QWidget()
        self._taken = False
        self._lay_out(context.theme.unit)
        self._bind()

    def ticked(self) -> bool:
        return self.box.isChecked()

    def chosen_name(self) -> str:
        """The name it would get."""
        replaces = self._taken and self.way.currentIndex() == REPLACE
        return self.found.config.name if replaces or not self._taken else self.name.text().strip()

    def replaces(self) -> bool:
        return self._taken and self.way.currentIndex() == REPLACE

    def choice(self, *, keep_secrets: bool) -> ImportChoice:
        found = self.found
        keep = keep_secrets and bool(found.masked)
        return ImportChoice(found.key, found.sha, self.chosen_name(), replace=self.replaces(), keep_secrets=keep)

    def review(self, here: frozenset[str], before: frozenset[str]) -> None:
        """`here`: names of the project; `before`: those that servers ticked above will have."""
        own = self.found.config.name
        taken = own in here or own in before
        if taken and not self._taken:
            self.name.setText(_free(own, here | before))
        self._taken = taken
        self.way.setEnabled(own in here and own not in before)
        if own in before:
            self.way.setCurrentIndex(RENAME)
        self._clash.setVisible(taken and self.ticked())
        self.name.setVisible(self.way.currentIndex() == RENAME)

    def _bind(self) -> None:
        self.box.toggled.connect(self.changed)
        self.name.textEdited.connect(self.changed)
        self.way.currentIndexChanged.connect(self.changed)
        self.reveal.toggled.connect(self._show_secrets)

    def _lay_out(self, unit: int) -> None:
        head = QHBoxLayout()
        head.setSpacing(unit * 2)
        head.addWidget(self.box)
        for words, tone in self._badges():
            badge = label(words, "badge")
            mark(badge, tone=tone)
            head.addWidget(badge)
        head.addStretch()
        if self.found.masked:
            head.addWidget(self.reveal)
        inner = QVBoxLayout()
        inner.setContentsMargins(unit * 6, 0, 0, 0)
        inner.setSpacing(unit)
        inner.addWidget(self._words(command_line(self.found.config), "mono"))
        if self.found.config.cwd:
            inner.addWidget(self._words(f"In the folder {self.found.config.cwd}", "muted"))
        for note in self.found.notes:
            inner.addWidget(self._words(note, "warning"))
        mark(self._secrets, role="mono")
        self._secrets.hide()
        inner.addWidget(self._secrets)
        self._lay_out_clash(unit)
        inner.addWidget(self._clash)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, unit, 0, unit)
        column.setSpacing(unit)
        column.addLayout(head)
        column.addLayout(inner)

    def _lay_out_clash(self, unit: int) -> None:
        row = QHBoxLayout(self._clash)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(unit * 2)
        row.addWidget(self.way)
        row.addWidget(self.name, 1)
        self._clash.hide()

    def _badges(self) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        if self.found.standing is ImportConflict.HERE:
            found.append(("already here", "success"))
        if self.found.standing is ImportConflict.CLASH:
            found.append(("name is taken", "warning"))
        if self.found.config.disabled:
            found.append(("off there", "info"))
        return found

    def _words(self, text: str, role: str) -> QLabel:
        words = ForeignLabel(text)
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        mark(words, role=role)
        return words

    def _show_secrets(self, shown: bool) -> None:
        self.reveal.setText("Hide secrets" if shown else "Show secrets")
        if not shown:
            self._secrets.setText("")
            self._secrets.hide()
            return
        self._context.tasks.run("secrets", self._context.api.reveal_found_server(self.found.key), self._revealed)

    def _revealed(self, values: Mapping[str, str]) -> None:
        if self.reveal.isChecked():
            self._secrets.setText("\n".join(f"{place}: {value}" for place, value in values.items()))
            self._secrets.show()


def _free(name: str, taken: frozenset[str]) -> str:
    number = 2
    while f"{name}-{number}" in taken:
        number += 1
    return f"{name}-{number}"


APPS = "Claude Desktop, Claude Code, Cursor, VS Code, Windsurf, Cline, LM Studio, goose"


class ImportServers(QDialog):
    """The list and one button. It stays open, with everything ticked, when something did not go."""

    imported = Signal(object)
    """Carries one ImportReport."""
    connect_wanted = Signal(object)
    """Carries the names of the servers that came and are to be connected, after `imported`."""

    def __init__(self, context: Context, parent: QWidget | None = None, title: str = "") -> None:
        super().__init__(parent)
        self._context = context
        self.rows: list[FoundRow] = []
        self._here: frozenset[str] = frozenset()
        self.setWindowTitle(title or "Import servers from other apps")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.list = QWidget()
        self._column = QVBoxLayout(self.list)
        self.fault = FaultCard(context.theme)
        self.unread = ForeignLabel()
        self.keep = TickBox(context.theme)
        self.where = label("", "muted")
        self.all = QPushButton("Tick all that are new")
        self.go = QPushButton()
        self.start = QPushButton()
        self._lay_out(context.theme.unit)
        self._bind()
        self._review()
        self.look()

    def look(self) -> None:
        """Read the other apps' files again."""
        self._context.tasks.run("servers in other apps", self._load())

    async def _load(self) -> None:
        api = self._context.api
        self._take(await api.servers(), await api.found_servers())
        if any(row.found.masked for row in self.rows):  # a locked keyring may take its time
            self._take_store(await api.open_secrets())

    def _take_store(self, store: SecretStore) -> None:
        self.keep.setChecked(store.kind in ("keyring", "file"))
        self.keep.setEnabled(store.kind != "locked")
        self.where.setText(f"{store.sentence} {store.hint}".strip())

    def _take(self, states: tuple[ServerState, ...], discovery: Discovery) -> None:
        self._here = frozenset(state.config.name for state in states)
        self._fill(discovery.servers)
        faults = [f"{fault.message} {fault.hint}".strip() for fault in discovery.faults]
        self.unread.setText("\n".join(faults[:5]) + (f"\n… {len(faults) - 5}" if len(faults) > 5 else ""))
        self.unread.setVisible(bool(faults))
        self._stack.setCurrentIndex(1 if discovery.servers else 2)
        self._review()
        if self.rows:
            self.rows[0].box.setFocus()

    def _fill(self, servers: tuple[FoundServer, ...]) -> None:
        for row in self.rows:
            row.deleteLater()
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        self.rows = []
        heading = ""
        for found in servers:
            if (title := self._title(found)) != heading:
                heading = title
                section = ForeignLabel(title, elide=True)
                mark(section, role="section")
                self._column.addWidget(section)
            row = FoundRow(self._context, found, self.list)
            row.changed.connect(self._review)
            self.rows.append(row)
            self._column.addWidget(row)
        self._column.addStretch(1)

    def _title(self, found: FoundServer) -> str:
        where = f"for {found.project}" if found.project else found.file
        return f"{found.client} · {where}"

    # looks

    def _lay_out(self, unit: int) -> None:
        self.setMinimumSize(unit * 120, unit * 110)
        self.resize(unit * 180, unit * 160)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 6,) * 4)
        column.setSpacing(unit * 3)
        column.addWidget(label(self.windowTitle(), "heading"))
        intro = label(self._intro(), "muted")
        intro.setWordWrap(True)
        column.addWidget(intro)
        self._column.setContentsMargins(0, 0, unit * 3, 0)
        self._column.setSpacing(unit)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self.list)
        column.addWidget(self._stacked(area), 1)
        mark(self.unread, role="warning")
        self.unread.hide()
        column.addWidget(self.unread)
        column.addWidget(self.fault)
        self._lay_out_foot(column, unit)

    def _stacked(self, area: QScrollArea) -> QWidget:
        waiting = EmptyState(self._context.theme, "search", "Looking…", "Reading the settings of other apps.")
        none = EmptyState(
            self._context.theme,
            "download",
            "No servers in other apps",
            f"None was found in {APPS}.",
        )
        stacked = QWidget()
        self._stack = QStackedLayout(stacked)
        for page in (waiting, area, none):
            self._stack.addWidget(page)
        return stacked

    def _lay_out_foot(self, column: QVBoxLayout, unit: int) -> None:
        self.where.setWordWrap(True)
        self.where.setContentsMargins(unit * 6, 0, 0, 0)
        column.addWidget(self.keep)
        column.addWidget(self.where)
        row = QHBoxLayout()
        mark(self.all, kind="quiet")
        cancel = QPushButton("Cancel")
        cancel.clicked.connect(self.reject)
        mark(self.start, kind="primary")
        self.start.setDefault(True)
        row.addWidget(self.all)
        row.addStretch()
        row.addWidget(cancel)
        row.addWidget(self.go)
        row.addWidget(self.start)
        column.addLayout(row)

    def _bind(self) -> None:
        self.all.clicked.connect(self._tick_new)
        self.go.clicked.connect(self._start)
        self.start.clicked.connect(self._start_and_connect)

    # what a person does

    def _tick_new(self) -> None:
        for row in self.rows:
            if row.found.standing == "new":
                row.box.setChecked(True)

    def _intro(self) -> str:
        return "Ticked servers are copied into this project's .mcp.json. You are asked before one is started."

    def _ticked(self) -> list[FoundRow]:
        return [row for row in self.rows if row.ticked()]

    def _review(self) -> None:
        """Names that would meet are settled here, before anything is written."""
        before: set[str] = set()
        for row in self.rows:
            row.review(self._here, frozenset(before))
            if row.ticked():
                before.add(row.chosen_name())
        ticked = self._ticked()
        secrets = sum(len(row.found.masked) for row in ticked)
        many = f"Keep {secrets} secrets apart instead of writing them into .mcp.json"
        self.keep.setText("Keep 1 secret apart instead of writing it into .mcp.json" if secrets == 1 else many)
        self.keep.setVisible(secrets > 0)
        self.where.setVisible(secrets > 0)
        names = [row.chosen_name() for row in ticked]
        unclear = any(not name for name in names) or len(set(names)) < len(names)
        self._name_buttons(len(ticked))
        for button in (self.go, self.start):
            button.setEnabled(bool(ticked) and not unclear)
        self.all.setVisible(any(row.found.standing == "new" for row in self.rows))

    def _name_buttons(self, count: int) -> None:
        self.go.setText("Import 1 server" if count == 1 else f"Import {count} servers")
        self.start.setText("Import and connect")

    def _start(self) -> None:
        self._run(connect=False)

    def _start_and_connect(self) -> None:
        self._run(connect=True)

    def _run(self, *, connect: bool) -> None:
        for button in (self.go, self.start):
            button.setEnabled(False)
        keep = self.keep.isChecked() and self.keep.isEnabled()
        self._context.tasks.run("import servers", self._import(self._ticked(), keep, connect))

    async def _import(self, rows: list[FoundRow], keep: bool, connect: bool) -> None:
        try:
            report = await self._add(rows, keep)
        finally:
            self._review()
        if report.added:
            self.imported.emit(report)
        if report.added and connect:
            self.connect_wanted.emit(report.added)
        if not report.faults:
            self.accept()
            return
        words = "\n".join(f"{fault.message} {fault.hint}".strip() for fault in report.faults[:5])
        self.fault.show_fault(Fault(words))
        self.look()

    async def _add(self, rows: list[FoundRow], keep: bool) -> ImportReport:
        return await self._context.api.import_servers(tuple(row.choice(keep_secrets=keep) for row in rows))
