"""The dialog that imports servers from other MCP clients, or adds the servers of a pasted configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QLineEdit, QPushButton, QStackedWidget, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import CalmCombo, TickBox
from workbench.gui.kit.dialogs import Dialog
from workbench.gui.kit.layouts import column, row, scroll_area
from workbench.gui.kit.lists import EmptyState, label, paragraph
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
    ServerConfig,
)
from workbench.records.common_types import count_of

RENAME, REPLACE = range(2)


class FoundRow(QFrame):
    """A server with a check box and its full command. A taken name is changed, or replaces the existing server."""

    changed = Signal()
    """It was ticked or unticked, or its name changed."""

    def __init__(self, context: Context, found: FoundServer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.found = found
        self.box = TickBox(context.theme, one_line(found.config.name, 60))
        self.box.setAccessibleName(f"Import {found.config.name} from {found.client}")
        self.name = QLineEdit(found.config.name)
        self.name.setAccessibleName(f"New name of {found.config.name}")
        self.conflict = CalmCombo()
        self.conflict.addItems(["Import with the name", "Replace the existing server"])
        self.conflict.setMinimumContentsLength(24)
        self.conflict.setAccessibleName(f"Conflict of the name {found.config.name}")
        self.reveal = QPushButton("Show secrets")
        self.reveal.setCheckable(True)
        self.reveal.setAccessibleName(f"Show the secrets of {found.config.name}")
        mark(self.reveal, kind="link")
        self._secrets = ForeignLabel(role="mono")
        self._conflict_row = QWidget()
        self._name_taken = False
        self._lay_out(context.theme.unit)
        self._connect_signals()

    def ticked(self) -> bool:
        return self.box.isChecked()

    def chosen_name(self) -> str:
        """The name that the server gets in this project."""
        own_name = self.replaces() or not self._name_taken
        return self.found.config.name if own_name else self.name.text().strip()

    def replaces(self) -> bool:
        return self._name_taken and self.conflict.currentIndex() == REPLACE

    def choice(self, *, separate_secrets: bool) -> ImportChoice:
        found = self.found
        separate = separate_secrets and bool(found.masked)
        return ImportChoice(found.key, found.sha, self.chosen_name(), replace=self.replaces(), keep_secrets=separate)

    def check_name(self, existing: frozenset[str], above: frozenset[str]) -> None:
        """Show the conflict row if the name is taken in the project or by a ticked server above."""
        own = self.found.config.name
        taken = own in existing or own in above
        if taken and not self._name_taken:
            self.name.setText(_free_name(own, existing | above))
        self._name_taken = taken
        self.conflict.setEnabled(own in existing and own not in above)
        if own in above:
            self.conflict.setCurrentIndex(RENAME)
        self._conflict_row.setVisible(taken and self.ticked())
        self.name.setVisible(self.conflict.currentIndex() == RENAME)

    def _connect_signals(self) -> None:
        self.box.toggled.connect(self.changed)
        self.name.textEdited.connect(self.changed)
        self.conflict.currentIndexChanged.connect(self.changed)
        self.reveal.toggled.connect(self._show_secrets)

    def _lay_out(self, unit: int) -> None:
        badges = [label(text, "badge") for text, _ in self._badges()]
        for badge, (_, tone) in zip(badges, self._badges(), strict=True):
            mark(badge, tone=tone)
        if not self.found.masked:
            self.reveal.hide()
        self._secrets.hide()
        self._conflict_row.hide()
        row(self._conflict_row, self.conflict, self.name, spacing=unit * 2, grows=self.name)
        config = self.found.config
        facts = [ForeignLabel(command_line(config), role="mono")]
        facts += [ForeignLabel(f"Working folder: {config.cwd}", role="muted")] if config.cwd else []
        facts += [ForeignLabel(note, role="warning") for note in self.found.notes]
        parts = (*facts, self._secrets, self._conflict_row)
        column(
            self,
            row(None, self.box, *badges, None, self.reveal, spacing=unit * 2),
            column(None, *parts, margins=(unit * 6, 0, 0, 0), spacing=unit),
            margins=(0, unit, 0, unit),
            spacing=unit,
        )

    def _badges(self) -> list[tuple[str, str]]:
        badges: list[tuple[str, str]] = []
        if self.found.standing is ImportConflict.HERE:
            badges.append(("already in this project", "success"))
        if self.found.standing is ImportConflict.CLASH:
            badges.append(("name is taken", "warning"))
        if self.found.config.disabled:
            badges.append((f"disabled in {one_line(self.found.client, 30)}", "info"))
        return badges

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


def _free_name(name: str, taken: frozenset[str]) -> str:
    number = 2
    while f"{name}-{number}" in taken:
        number += 1
    return f"{name}-{number}"


CLIENTS = "Claude Desktop, Claude Code, Cursor, VS Code, Windsurf, Cline, LM Studio, goose"


class ImportServers(Dialog):
    """Lists servers of other clients, unticked. Stays open, with everything ticked, if an import fails."""

    verb = "Import"  # of the buttons
    imported = Signal(object)
    """Carries one ImportReport."""
    connect_wanted = Signal(object)
    """Carries the names of imported servers that are to be connected; emitted after `imported`."""

    def __init__(self, context: Context, parent: QWidget | None = None, title: str = "", intro: str = "") -> None:
        intro = intro or "Ticked servers are copied to this project's .mcp.json. You see the full command of each one."
        super().__init__(context.theme, title or "Import servers from other clients", intro, parent)
        self._context = context
        self.found_rows: list[FoundRow] = []
        self._list = QWidget()
        unit = context.theme.unit
        self._column = column(self._list, margins=(0, 0, unit * 3, 0), spacing=unit)
        self.unread = ForeignLabel(role="warning")
        self.separate_secrets = TickBox(context.theme)
        self.store = paragraph("", "muted")
        self._lay_out(unit)
        self.all_new = self.add_button("Tick all new", self._tick_new, "quiet", left=True)
        self.add_button("Cancel", self.reject)
        self.add = self.add_button("", partial(self._start, connect=False))
        connect = partial(self._start, connect=True)
        self.add_and_connect = self.add_button(f"{self.verb} and connect", connect, "primary", default=True)
        self._update()
        self.load()

    def load(self) -> None:
        """Read the settings of the other clients again."""
        self._context.tasks.run("servers in other clients", self._load())

    async def _load(self) -> None:
        try:
            self._show(await self._context.api.found_servers())
            if any(server_row.found.masked for server_row in self.found_rows):  # a locked keyring may take a while
                self._show_store(await self._context.api.open_secrets())
        except WorkbenchError as fault:
            self.show_fault(fault)
            self._searching.say("The search failed", "The reason is below.")
            self._again.show()

    def _search_again(self) -> None:
        self.show_fault(None)
        self._show_searching()
        self.load()

    def _show_searching(self) -> None:
        self._searching.say("Searching…", "Reading the settings of other clients.")
        self._again.hide()

    def _existing(self) -> dict[str, ServerConfig]:
        return {name: state.config for name, state in self._context.store.servers.items()}

    def _show_store(self, store: SecretStore) -> None:
        self.separate_secrets.setChecked(store.kind in ("keyring", "file"))
        self.separate_secrets.setEnabled(store.kind != "locked")
        self.store.setText(f"{store.sentence} {store.hint}".strip())

    def _show(self, discovery: Discovery) -> None:
        self._fill(discovery.servers)
        faults = [f"{fault.message} {fault.hint}".strip() for fault in discovery.faults]
        more = (f"… and {len(faults) - 5} more",) if len(faults) > 5 else ()
        self.unread.setText("\n".join((*faults[:5], *more)))
        self.unread.setVisible(bool(faults))
        self._stack.setCurrentIndex(1 if discovery.servers else 2)
        self._update()
        if self.found_rows:
            self.found_rows[0].box.setFocus()

    def _fill(self, servers: tuple[FoundServer, ...]) -> None:
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self.found_rows = []
        title = ""
        for found in servers:
            if self._source(found) != title:
                title = self._source(found)
                self._column.addWidget(ForeignLabel(title, elide=True, role="section"))
            server_row = FoundRow(self._context, found, self._list)
            server_row.changed.connect(self._update)
            self.found_rows.append(server_row)
            self._column.addWidget(server_row)
        self._column.addStretch(1)

    def _source(self, found: FoundServer) -> str:
        """The client and the file or project where a server was found."""
        place = f"project {found.project}" if found.project else found.file
        return f"{found.client} · {place}" if place else found.client

    def _lay_out(self, unit: int) -> None:
        self.setMinimumSize(unit * 120, unit * 110)
        self.resize(unit * 180, unit * 160)
        theme = self._context.theme
        self._stack = QStackedWidget()
        self._searching = EmptyState(theme, "search", "", "")
        self._again = self._searching.offer(text="Search again")
        self._again.clicked.connect(self._search_again)
        self._show_searching()
        self._stack.addWidget(self._searching)
        self._stack.addWidget(scroll_area(self._list))
        self._stack.addWidget(EmptyState(theme, "download", "No servers in other clients", f"Searched {CLIENTS}."))
        self.unread.hide()
        self.store.setContentsMargins(unit * 6, 0, 0, 0)
        self.body.addWidget(self._stack, 1)
        for part in (self.unread, self.separate_secrets, self.store):
            self.body.addWidget(part)

    # what the user does

    def _tick_new(self) -> None:
        for server_row in self.found_rows:
            if server_row.found.standing is ImportConflict.NEW:
                server_row.box.setChecked(True)

    def _ticked(self) -> list[FoundRow]:
        return [server_row for server_row in self.found_rows if server_row.ticked()]

    def _update(self) -> None:
        """Resolve equal names before anything is written, and update texts and buttons."""
        existing, above = frozenset(self._existing()), set[str]()
        for server_row in self.found_rows:
            server_row.check_name(existing, frozenset(above))
            if server_row.ticked():
                above.add(server_row.chosen_name())
        ticked = self._ticked()
        secrets = sum(len(server_row.found.masked) for server_row in ticked)
        what = count_of(secrets, "secret") if secrets else "secrets"
        self.separate_secrets.setText(f"Store {what} separately, not in .mcp.json")
        self.separate_secrets.setVisible(secrets > 0)
        self.store.setVisible(secrets > 0)
        self.add.setText(f"{self.verb} {count_of(len(ticked), 'server')}")
        self.all_new.setVisible(any(server_row.found.standing is ImportConflict.NEW for server_row in self.found_rows))
        self.update_buttons()

    def update_buttons(self) -> None:
        names = [server_row.chosen_name() for server_row in self._ticked()]
        valid = bool(names) and all(names) and len(set(names)) == len(names)
        for button in (self.add, self.add_and_connect):
            button.setEnabled(valid)

    def _start(self, *, connect: bool) -> None:
        separate = self.separate_secrets.isChecked() and self.separate_secrets.isEnabled()
        self.run(self._context.tasks, "import servers", self._import(self._ticked(), separate, connect))

    async def _import(self, rows: list[FoundRow], separate_secrets: bool, connect: bool) -> None:
        report = await self._write(rows, separate_secrets)
        if report.added:
            self.imported.emit(report)
        if report.added and connect:
            self.connect_wanted.emit(report.added)
        if not report.faults:
            self.accept()
            return
        self.show_fault(Fault("\n".join(f"{fault.message} {fault.hint}".strip() for fault in report.faults[:5])))
        self.load()

    async def _write(self, rows: list[FoundRow], separate_secrets: bool) -> ImportReport:
        choices = tuple(server_row.choice(separate_secrets=separate_secrets) for server_row in rows)
        return await self._context.api.import_servers(choices)


class PastedServers(ImportServers):
    """The same list with the servers of a pasted configuration. New servers are ticked."""

    verb = "Add"

    def __init__(self, context: Context, configs: Sequence[ServerConfig], parent: QWidget | None = None) -> None:
        self._configs = tuple(configs)
        intro = "Ticked servers are written to this project's .mcp.json. You see the full command before they start."
        super().__init__(context, parent, f"Add {count_of(len(configs), 'server')}", intro)
        self.separate_secrets.setChecked(True)

    async def _load(self) -> None:
        existing = self._existing()
        self._show(Discovery(tuple(_pasted(at, config, existing) for at, config in enumerate(self._configs))))
        self._tick_new()
        for server_row in self.found_rows:
            valid = bool(server_row.found.config.command or server_row.found.config.url)
            server_row.box.setEnabled(valid)
            server_row.box.setChecked(server_row.ticked() and valid)
        self._update()
        self.add_and_connect.setFocus()

    def _update(self) -> None:
        super()._update()
        self.separate_secrets.show()  # the window does not know which values of the paste are secrets

    async def _write(self, rows: list[FoundRow], separate_secrets: bool) -> ImportReport:
        added, faults = list[str](), list[Fault]()
        for server_row in rows:
            name = server_row.chosen_name()
            config = replace(server_row.found.config, name=name)
            try:
                await self._context.api.edit_server(name if server_row.replaces() else "", config, separate_secrets)
            except WorkbenchError as fault:
                faults.append(Fault(f"{name}: {fault.message}", fault.hint))
            else:
                added.append(name)
        return ImportReport(tuple(added), 0, tuple(faults))


def _pasted(number: int, config: ServerConfig, existing: Mapping[str, ServerConfig]) -> FoundServer:
    named = replace(config, name=config.name or "server")
    other = existing.get(named.name)
    conflict = ImportConflict.NEW if other is None else ImportConflict.CLASH
    if other is not None and (other.command, other.args, other.url) == (named.command, named.args, named.url):
        conflict = ImportConflict.HERE
    valid = bool(named.command or named.url)
    notes = () if valid else ("This entry has neither a command nor an address and cannot be added.",)
    return FoundServer(str(number), "Pasted configuration", "", named, "", conflict, notes=notes)
