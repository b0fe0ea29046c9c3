"""The page of protocol messages: the table, the selected message, and an editor to send one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMenu, QPushButton, QStackedWidget, QTabBar, QToolButton, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.code.code_editor import CodeEditor
from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.kit.icons import icon
from workbench.gui.kit.json_text import dump, parse
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import EmptyState, Strip, action_button, label, lead_focus, tool_button
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import duration
from workbench.gui.results.result_view import ResultView
from workbench.gui.servers.message_table import (
    FilterStrip,
    MessageRow,
    MessagesModel,
    MessagesTable,
    direction_text,
    exact_time,
    size_text,
    title,
)
from workbench.gui.servers.server_page import ServerPage
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole
from workbench.records import Fault, RawAnswer, ServerState
from workbench.records.common_types import count_of

MESSAGE, ANSWER, COMPOSE = range(3)


class MessageDetail(QWidget):
    """Tabs with the selected message, the other half of its pair, and an editor."""

    def __init__(self, context: Context, server: str) -> None:
        super().__init__()
        self._context = context
        self._server = server
        self.row: MessageRow | None = None
        self.text = ""  # full text of the message on screen
        self.summary = ForeignLabel("", elide=True, role="muted")
        self.fault = Notice(context.theme)
        self.view = ResultView(context)
        self.message_editor = MessageEditor(context.theme)
        self.tabs = QTabBar()
        self._pages = QStackedWidget()
        self.replay = QAction(icon("reload"), "Send again", self)
        self.edit = QAction(icon("pencil"), "Edit and send", self)
        self.copy_actions = [
            self._copy_action("Copy message", self.full_text),
            self._copy_action("Copy request as one line of JSON-RPC", self._request_line),
            self._copy_action("Copy request and answer", self._pair_lines),
        ]
        self._lay_out(context.theme)
        self.tabs.currentChanged.connect(self._switch)
        self.edit.triggered.connect(self._edit)
        self.show_row(None)
        self._switch(MESSAGE)

    def show_row(self, row: MessageRow | None) -> None:
        """Show a message; the same message again if its answer arrived."""
        known = self.row is row
        self.row = row
        self.summary.setText(_describe(row) if row else "Select a message, or write one.")
        request = row.request if row is not None else None
        own_request = request is not None and request.frame.direction == ">"
        own_notice = row is not None and row.frame.kind == "notice" and row.frame.direction == ">"
        for action in (self.replay, self.edit):
            action.setEnabled(own_request or own_notice)
        for action in self.copy_actions:
            action.setEnabled(row is not None)
        self._copy.setEnabled(row is not None)
        partner = row.partner if row else None
        self.tabs.setTabText(ANSWER, "Request" if partner and partner is partner.request else "Answer")
        self.tabs.setTabEnabled(ANSWER, partner is not None)
        if row is None:
            self.view.clear()
        elif not known and not self.message_editor.busy:
            self.fault.show_fault(None)
            self.show_tab(MESSAGE)

    def show_tab(self, tab: int) -> None:
        self.tabs.setCurrentIndex(tab)
        self._switch(tab)

    def write(self) -> None:
        """Bring the editor to the front and focus it."""
        self.show_tab(COMPOSE)
        self.message_editor.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    async def full_text(self, row: MessageRow) -> str:
        if row.frame.direction == "·":
            return row.frame.text
        text = await self._context.api.frame(self._server, row.frame.at)
        return (await fetch_whole(self._context.fetch, [text]))[0]

    async def _request_line(self, row: MessageRow) -> str:
        return _one_line(await self.full_text(row.request or row))

    async def _pair_lines(self, row: MessageRow) -> str:
        request = row.request or row
        pair = [request, *([request.partner] if request.partner else [])]
        return "\n".join([_one_line(await self.full_text(message)) for message in pair])

    def _shown_message(self) -> MessageRow | None:
        """The message of the current tab."""
        if self.row is None or self.tabs.currentIndex() == COMPOSE:
            return None
        return self.row.partner if self.tabs.currentIndex() == ANSWER else self.row

    def _switch(self, tab: int) -> None:
        page = self.message_editor if tab == COMPOSE else self.view
        self._pages.setCurrentWidget(page)
        self.setFocusProxy(page)
        if (message := self._shown_message()) is not None:
            self._context.tasks.run("read a message", self.full_text(message), partial(self._show_text, message))

    def _show_text(self, message: MessageRow, text: str) -> None:
        if message is self._shown_message():
            self.text = text
            self.view.show_json(text)

    def _edit(self) -> None:
        if self.row is not None:
            text = self.full_text(self.row.request or self.row)
            self._context.tasks.run("edit a message", text, self._edit_text)

    def _edit_text(self, text: str) -> None:
        self.message_editor.show_text(text)
        self.write()

    def _copy_action(self, text: str, read: Callable[[MessageRow], Awaitable[str]]) -> QAction:
        action = QAction(icon("copy"), text, self)
        action.triggered.connect(partial(self._start_copy, read))
        return action

    def _start_copy(self, read: Callable[[MessageRow], Awaitable[str]], _checked: bool = False) -> None:
        if self.row is not None:
            self._context.tasks.run("copy a message", self._copy_text(read(self.row)))

    async def _copy_text(self, text: Awaitable[str]) -> None:
        QGuiApplication.clipboard().setText(await text)
        self._context.say("Copied.")

    def _lay_out(self, theme: Theme) -> None:
        for text in ("Message", "Answer", "Write"):
            self.tabs.addTab(text)
        mark(self.tabs, kind="inline")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName("Message, answer or editor")
        self._copy = tool_button("copy", "Copy", theme)
        menu = QMenu(self._copy)
        menu.addActions(self.copy_actions)
        self._copy.setMenu(menu)
        self._copy.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        buttons = (action_button(self.replay, theme), action_button(self.edit, theme), self._copy)
        margins = (0, 0, theme.unit * 2, 0)
        head = row(None, self.tabs, self.summary, *buttons, margins=margins, spacing=theme.unit, grows=self.summary)
        self._pages.addWidget(self.view)
        self._pages.addWidget(self.message_editor)
        column(self, head, self.fault, self._pages, grows=self._pages)


def _describe(row: MessageRow) -> str:
    frame = row.frame
    parts = [title(row), direction_text(frame.direction), exact_time(frame.at), size_text(frame)]
    parts += [f"took {duration(row.ms)}"] if row.ms >= 0 else []
    parts += ["truncated: too long to keep"] if frame.cut else []
    return "  ·  ".join(part for part in parts if part)


_CHECK_MS = 200  # after the last key
_TEMPLATE = '{\n  "id": "new",\n  "method": "ping"\n}'


class MessageEditor(QWidget):
    """An editor for a raw message, checked while the user types."""

    submitted = Signal(str)
    """Carries a valid message."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.busy = False
        self.editor = CodeEditor(theme, self, "json")
        self.editor.setAccessibleName("Message to send, as JSON")
        self.verdict = ForeignLabel("", elide=True)
        self.send = QPushButton("Send")
        self.send.setToolTip("Send with a new id (Ctrl+Enter)")
        mark(self.send, kind="primary")
        self._pause = QTimer(self, singleShot=True, interval=_CHECK_MS)
        self._pause.timeout.connect(self._check)
        self.editor.edited.connect(self._pause.start)
        self.send.clicked.connect(self.submit)
        self._lay_out(theme.unit)
        self.show_text(_TEMPLATE)

    def show_text(self, text: str) -> None:
        """Start with this message, indented. The core assigns a new id."""
        try:
            value = parse(text)
        except WorkbenchError:
            value = None
        if isinstance(value, dict):
            kept = {key: part for key, part in value.items() if key not in ("id", "jsonrpc")}
            text = dump({**({"id": "new"} if "id" in value else {}), **kept})
        self.editor.set_text(text)
        self._check()

    def submit(self) -> None:
        """Send the text if it is a valid message."""
        self._check()
        if self.send.isEnabled():
            self.submitted.emit(self.editor.text())

    def set_busy(self, busy: bool) -> None:
        """Only one message is sent at a time."""
        self.busy = busy
        self._check()

    def _check(self) -> None:
        self._pause.stop()
        fault, description = self._check_text(self.editor.text())
        self.send.setEnabled(not fault and not self.busy)
        mark(self.verdict, role="error" if fault else "muted")
        self.verdict.setText(fault or description)

    def _check_text(self, text: str) -> tuple[str, str]:
        """The error in the text, or what kind of message it is."""
        try:
            value = parse(text)
        except WorkbenchError as fault:
            return fault.message, ""
        if not isinstance(value, dict):
            return "A message is one JSON object.", ""
        if not isinstance(value.get("method"), str) or not value["method"].strip():
            return "A message needs a method.", ""
        if value["method"].strip().casefold() == "tools/call":
            return "", "Tool call. It is checked and recorded like every other call."
        if "id" in value:
            return "", "Request. It gets a new id, and its answer appears in the table."
        return "", 'Notification without an answer. Add "id" to make it a request.'

    def _lay_out(self, unit: int) -> None:
        margins = (unit * 3, unit, unit * 2, unit)
        foot = row(None, self.verdict, self.send, margins=margins, spacing=unit * 2, grows=self.verdict)
        column(self, self.editor, foot, grows=self.editor)
        self.setFocusProxy(self.editor)


_POLL_MS = 300  # between two readings of new messages while the page is seen
_WIDE = 240  # letters of width from which table and message are side by side
_PAGE = 1_000  # messages that the core returns at once


class ProtocolPage(ServerPage):
    """Filter and table above, the selected message below."""

    def __init__(self, context: Context, state: ServerState) -> None:
        super().__init__(context, state)
        self.model = MessagesModel(context.theme, self)
        self.filter_strip = FilterStrip(context.theme)
        self.table = MessagesTable(context.theme, self.model)
        self.detail = MessageDetail(context, self.server)
        self.empty = EmptyState(context.theme, "list", "", "")
        self._clear_filter = self.empty.offer(text="Clear the filter")
        self._clear_filter.clicked.connect(self.filter_strip.clear)
        self.totals = label("", "muted")
        self.auto_scroll = QPushButton("Auto-scroll")
        self._reading = asyncio.Lock()
        self._found: frozenset[float] = frozenset()  # times of the messages in which the core found the words
        self._timer = QTimer(self, interval=_POLL_MS)
        self._lay_out()
        self._connect_signals()
        self._update_stack()

    def set_seen(self, *, seen: bool) -> None:
        if seen:
            self._poll()
            self._timer.start()
        else:
            self._timer.stop()

    def run(self) -> bool:
        """Ctrl+Enter: send the message in the editor, or the selected request again."""
        if self.detail.tabs.currentIndex() == COMPOSE:
            self.detail.message_editor.submit()
        elif self.detail.replay.isEnabled():
            self._replay()
        else:
            return False
        return True

    # reading

    def _poll(self) -> None:
        if not self._reading.locked():
            self.context.tasks.run("read messages", self._read())

    async def _read(self) -> None:
        full = True
        async with self._reading:
            while full:
                frames = await self.context.api.frames(self.server, self.model.last)
                if frames:
                    await self._search_new(frames[-1].at)
                    self.model.add(frames)
                full = len(frames) >= _PAGE
        self.filter_strip.offer_methods(self.model.methods() if self.model.rowCount() else [])
        self._update_stack()

    async def _search_new(self, until: float) -> None:
        """While a filter is set, let the core search the full text of new messages."""
        if text := self.filter_strip.finder.text().strip():
            fresh = await self.context.api.search_frames(self.server, text, self.model.last)
            self._found |= {at for at in fresh if at <= until}
            self.model.add_found(self._found)

    def _filter_changed(self) -> None:
        text = self.filter_strip.finder.text().strip()
        self._found = frozenset()
        self._apply()
        if text:
            self.context.tasks.run("search messages", self._search(text))

    async def _search(self, text: str) -> None:
        """The core searches full messages; the window only their beginnings."""
        found = await self.context.api.search_frames(self.server, text, 0.0)
        if text == self.filter_strip.finder.text().strip() and found:
            self._found = frozenset(found)
            self._apply()

    def _apply(self) -> None:
        self.model.set_filter(self.filter_strip.message_filter(self._found))
        self.table.scroll_to_newest()
        self._update_stack()

    def _show_selected(self) -> None:
        self.detail.show_row(self.model.record(self.table.currentIndex()))

    # sending

    def _replay(self) -> None:
        if self.detail.row is not None:
            self.context.tasks.run("send a message again", self._send_again(self.detail.row))

    async def _send_again(self, row: MessageRow) -> None:
        await self._send(await self.detail.full_text(row.request or row))

    def _submit(self, text: str) -> None:
        self.context.tasks.run("send a message", self._send(text))

    async def _send(self, text: str) -> None:
        self.detail.message_editor.set_busy(True)
        try:
            answer = await self.context.api.send_raw(self.server, text, False)
            if answer.needs_confirmation and await self._confirm(answer):
                answer = await self.context.api.send_raw(self.server, text, True)
            await self._show_answer(answer)
        except WorkbenchError as fault:
            self.detail.fault.show_fault(Fault(fault.message, fault.hint))
        finally:
            self.detail.message_editor.set_busy(False)

    async def _confirm(self, answer: RawAnswer) -> bool:
        reason = answer.fault.message if answer.fault else ""
        return await self.context.ask("Call this tool?", reason, "Call", danger=True, parent=self.window())

    async def _show_answer(self, answer: RawAnswer) -> None:
        """Select the request that was sent, and show its answer."""
        await self._read()
        sent = self.model.newest(
            lambda row: row.frame.at >= answer.at and row.frame.direction == ">" and row.method == answer.method
        )
        composing = self.detail.tabs.currentIndex() == COMPOSE
        if sent is not None and self.table.select(sent.key) and sent.partner is not None and not composing:
            self.detail.show_tab(ANSWER)
        self.detail.fault.show_fault(answer.fault, tone="warning" if answer.needs_confirmation else "danger")

    # clearing and saving

    def _clear(self) -> None:
        self.model.clear()
        self._update_stack()

    def _save(self) -> None:
        dialog = QFileDialog(self.window(), "Save messages", "", "JSON Lines (*.jsonl)")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("jsonl")
        dialog.selectFile(f"{self.server}.jsonl".replace("/", "-"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.save_to)
        dialog.open()

    def save_to(self, file: str) -> None:
        """Write every kept message in full, one per line."""
        self.context.tasks.run("save messages", self._write(Path(file)))

    async def _write(self, file: Path) -> None:
        text = await self.context.api.transcript(self.server)
        transcript = (await fetch_whole(self.context.fetch, [text]))[0]
        try:
            await asyncio.to_thread(file.write_text, transcript, "utf-8")
        except OSError as fault:
            raise WorkbenchError(
                f"{file.name} cannot be written: {fault.strerror}.", "Choose a different folder."
            ) from fault

    # display

    def _update_stack(self) -> None:
        shown, total = self.model.rowCount(), self.model.total()
        shown_of = f"{shown:,} of " if shown != total else ""
        dropped = f", {self.model.dropped:,} older ones dropped" if self.model.dropped else ""
        self.totals.setText(f"{shown_of}{count_of(total, 'message')}{dropped}")
        self._clear_filter.setVisible(bool(total))
        if total:
            self.empty.say("No matches", "Clear the filter to see all messages.")
        else:
            self.empty.say("No messages yet", "Connect the server to see every message in both directions.")
        self._stack.setCurrentWidget(self.table if shown else self.empty)

    def _lay_out(self) -> None:
        self._stack = QStackedWidget()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.table)
        self.auto_scroll.setCheckable(True)
        self.auto_scroll.setChecked(True)
        mark(self.auto_scroll, kind="chip")
        foot = Strip(self.context.theme)
        foot.row.addWidget(self.totals, 1)
        foot.row.addWidget(self.auto_scroll)
        for symbol, text, act in (
            ("pencil", "Write message", self.detail.write),
            ("save", "Save messages as JSON Lines…", self._save),
            ("trash", "Clear", self._clear),
        ):
            button = tool_button(symbol, text, self.context.theme)
            button.clicked.connect(act)
            foot.row.addWidget(button)
        upper = QWidget()
        column(upper, self.filter_strip, self._stack, foot, grows=self._stack)
        column(self, AdaptiveSplit(_WIDE, (9, 7), upper, self.detail))
        lead_focus(self, self._stack)

    def _connect_signals(self) -> None:
        self._timer.timeout.connect(self._poll)
        self.filter_strip.changed.connect(self._filter_changed)
        self.model.rowsInserted.connect(self.table.scroll_to_newest)
        self.table.selectionModel().currentRowChanged.connect(self._show_selected)
        self.model.layoutChanged.connect(self._show_selected)
        self.model.dataChanged.connect(self._show_selected)
        self.table.set_menu(lambda _row: [*self.detail.copy_actions, self.detail.replay, self.detail.edit])
        self.table.auto_scroll_changed.connect(self.auto_scroll.setChecked)
        self.auto_scroll.toggled.connect(self.table.set_auto_scroll)
        self.detail.replay.triggered.connect(self._replay)
        self.detail.message_editor.submitted.connect(self._submit)


def _one_line(text: str) -> str:
    """A message on one line. Text that is not JSON stays as it is."""
    try:
        return dump(parse(text), indent=None)
    except WorkbenchError:
        return text
