"""One message in full: its tree and text, what it belongs to, and what can be done with it again."""

from __future__ import annotations

import asyncio
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSplitter,
    QStackedLayout,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.gui.code.code_editor import CodeEditor
from workbench.gui.kit.faults import FaultCard, Question
from workbench.gui.kit.icons import icon
from workbench.gui.kit.json_text import dump, parse
from workbench.gui.kit.lists import EmptyState, Strip, label, lead_focus, tool_button
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import duration
from workbench.gui.results.result_view import ResultView
from workbench.gui.servers.message_table import (
    Exchange,
    FrameFilter,
    FramesModel,
    FrameTable,
    exact_time,
    title,
    way_words,
)
from workbench.gui.servers.page import ServerPage
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole, size_words
from workbench.records import Fault, RawAnswer, ServerState

MESSAGE, ANSWER, COMPOSE = range(3)


class FrameDetail(QWidget):
    """Tabs: the message, its other half, and a sheet to write one."""

    whole_wanted = Signal(object)
    """Carries the Exchange whose text is to be shown by `show_text`."""
    copy_wanted = Signal(str)
    """message, pair or request."""
    replay_wanted = Signal()
    edit_wanted = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = context.theme
        self.row: Exchange | None = None
        self.text = ""  # of the message on screen, as it passed
        self._told = ForeignLabel("", elide=True)
        self.fault = FaultCard(context.theme)
        self.view = ResultView(context)
        self.compose = Compose(context.theme)
        self.tabs = QTabBar()
        self.replay = tool_button("reload", "Replay: send this request once more", context.theme)
        self.edit = tool_button("pencil", "Edit and replay", context.theme)
        self.copy = self._copy_button()
        self._lay_out(context.theme.unit)
        self.tabs.currentChanged.connect(self._switched)
        self.replay.clicked.connect(self.replay_wanted)
        self.edit.clicked.connect(self.edit_wanted)
        self.show_row(None)
        self._switched(MESSAGE)

    def show_row(self, row: Exchange | None) -> None:
        """Another message is chosen, or the same one has its other half now."""
        known = self.row is row
        self.row = row
        self._told.setText(self._words(row) if row else "Choose a message above, or write one.")
        asks = row is not None and row.request is not None
        own = asks and row is not None and row.request is not None and row.request.frame.direction == ">"
        notice = row is not None and row.frame.kind == "notice" and row.frame.direction == ">"
        for button in (self.replay, self.edit):
            button.setEnabled(bool(own or notice))
        self.copy.setEnabled(row is not None)
        half = row.partner if row else None
        self.tabs.setTabText(ANSWER, "Its request" if half and half is half.request else "Its answer")
        self.tabs.setTabEnabled(ANSWER, half is not None)
        if row is None:
            self.view.clear()
        elif not known and not self.compose.busy:
            self.fault.show_fault(None)
            self.tabs.setCurrentIndex(MESSAGE)
            self._switched(MESSAGE)

    def look(self, tab: int) -> None:
        self.tabs.setCurrentIndex(tab)
        self._switched(tab)

    def looked_at(self) -> Exchange | None:
        """The message whose text is wanted now."""
        if self.row is None or self.tabs.currentIndex() == COMPOSE:
            return None
        return self.row.partner if self.tabs.currentIndex() == ANSWER else self.row

    def show_text(self, text: str) -> None:
        """The whole message."""
        self.text = text
        self.view.show_json(text)

    def say(self, fault: Fault | None, tone: str = "danger") -> None:
        self.fault.show_fault(fault, tone=tone)

    def _switched(self, tab: int) -> None:
        composing = tab == COMPOSE
        self.compose.setVisible(composing)
        self.view.setVisible(not composing)
        self.setFocusProxy(self.compose if composing else self.view)
        if (wanted := self.looked_at()) is not None:
            self.whole_wanted.emit(wanted)

    def _words(self, row: Exchange) -> str:
        frame = row.frame
        parts = [title(row), way_words(frame.direction), exact_time(frame.at), size_words(frame.bytes)]
        if row.ms >= 0:
            parts.append(f"took {duration(row.ms)}")
        if frame.cut:
            parts.append("too long to keep: this is its beginning")
        return "  ·  ".join(parts)

    def _copy_button(self) -> QToolButton:
        button = tool_button("copy", "Copy", self._theme)
        menu = QMenu(button)
        for words, what in (
            ("Copy the message", "message"),
            ("Copy the request as one line of JSON-RPC", "request"),
            ("Copy the request and its answer", "pair"),
        ):
            entry = menu.addAction(icon("copy"), words)
            entry.setData(what)
        menu.triggered.connect(self._copy)
        button.setMenu(menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        return button

    def _copy(self, entry: QAction) -> None:
        self.copy_wanted.emit(str(entry.data()))

    def _lay_out(self, unit: int) -> None:
        for words in ("Message", "Its answer", "Write"):
            self.tabs.addTab(words)
        mark(self.tabs, kind="inline")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName("The message, its other half, or one to write")
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, unit * 2, 0)
        head.setSpacing(unit)
        head.addWidget(self.tabs)
        mark(self._told, role="muted")
        head.addWidget(self._told, 1)
        for button in (self.replay, self.edit, self.copy):
            head.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.fault)
        column.addWidget(self.view, 1)
        column.addWidget(self.compose, 1)


_PAUSE = 200
_FIRST = '{\n  "id": "new",\n  "method": "ping"\n}'


class Compose(QWidget):
    """`wanted` carries the text when it may be sent."""

    wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.busy = False
        self.editor = CodeEditor(theme, self, "json")
        self.editor.setAccessibleName("The message to send, as JSON")
        self.verdict = ForeignLabel("", elide=True)
        self.send = QPushButton("Send")
        self.send.setToolTip("Send it with a new id (Ctrl+Enter)")
        mark(self.send, kind="primary")
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE)
        self._pause.timeout.connect(self._check)
        self.editor.edited.connect(self._pause.start)
        self.send.clicked.connect(self.go)
        self._lay_out(theme.unit)
        self.show_text(_FIRST)

    def show_text(self, text: str) -> None:
        """Begin with this message, laid out to be read; its id is left out, a new one is given."""
        try:
            value = parse(text)
        except WorkbenchError:
            value = None
        if isinstance(value, dict):
            kept = {key: part for key, part in value.items() if key not in ("id", "jsonrpc")}
            text = dump({**({"id": "new"} if "id" in value else {}), **kept})
        self.editor.set_text(text)
        self._check()

    def go(self) -> None:
        """Send, if it is a message."""
        self._check()
        if self.send.isEnabled():
            self.wanted.emit(self.editor.text())

    def hold(self, busy: bool) -> None:
        """While one message is under way the next one waits."""
        self.busy = busy
        self._check()

    def _check(self) -> None:
        self._pause.stop()
        fault, words = self._judge(self.editor.text())
        self.send.setEnabled(not fault and not self.busy)
        mark(self.verdict, role="error" if fault else "muted")
        self.verdict.setText(fault or words)

    def _judge(self, text: str) -> tuple[str, str]:
        """What is wrong, or what it is."""
        try:
            value = parse(text)
        except WorkbenchError as fault:
            return fault.message, ""
        if not isinstance(value, dict):
            return "A message is one JSON object.", ""
        if not isinstance(value.get("method"), str) or not value["method"].strip():
            return "A message needs a method.", ""
        if value["method"].strip().casefold() == "tools/call":
            return "", "A tool call: it goes through policy, privacy and audit like every call."
        if "id" in value:
            return "", "A request: it gets a new id, and its answer appears above."
        return "", 'A notification: nothing comes back. Add "id" to make it a request.'

    def _lay_out(self, unit: int) -> None:
        foot = QHBoxLayout()
        foot.setContentsMargins(unit * 3, unit, unit * 2, unit)
        foot.setSpacing(unit * 2)
        foot.addWidget(self.verdict, 1)
        foot.addWidget(self.send)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.editor, 1)
        column.addLayout(foot)
        self.setFocusProxy(self.editor)


_BEAT = 300  # milliseconds between two looks for new messages while the page is seen
_PAGE = 1000  # a full page: there may be more


class ProtocolPage(ServerPage):
    """Filter above, messages in the middle, the chosen one below."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(context, commands, state, parent)
        self.model = FramesModel(context.theme, self)
        self.sieve = FrameFilter(context.theme)
        self.table = FrameTable(context, self.model)
        self.detail = FrameDetail(context)
        self._empty = EmptyState(context.theme, "list", "", "")
        self._told = label("", "muted")
        self._follow = QPushButton("Auto-scroll")
        self._reading = asyncio.Lock()
        self._found: frozenset[float] = frozenset()  # where the core found the words
        self._beat = QTimer(self, interval=_BEAT)
        self._lay_out()
        self._bind()
        self._fill()

    def look(self, *, seen: bool) -> None:
        if seen:
            self._poll()
            self._beat.start()
        else:
            self._beat.stop()

    def show_state(self, state: ServerState) -> None:
        super().show_state(state)
        self._fill()

    def run(self) -> bool:
        """Ctrl+Enter: send what is written, or the chosen request once more."""
        if self.detail.tabs.currentIndex() == COMPOSE:
            self.detail.compose.go()
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
                    await self._take(frames[-1].at)
                    self.model.add(frames)
                full = len(frames) >= _PAGE
        self.sieve.offer_methods(self.model.methods() if self.model.rowCount() else [])
        self._fill()

    async def _take(self, until: float) -> None:
        """While somebody searches, the core looks through the whole of what is new."""
        if words := self.sieve.finder.text().strip():
            fresh = await self.context.api.search_frames(self.server, words, self.model.last)
            self._found |= {at for at in fresh if at <= until}
            self.model.widen(self._found)

    def _sift(self) -> None:
        words = self.sieve.finder.text().strip()
        self._found = frozenset()
        self._apply()
        if words:
            self.context.tasks.run("search messages", self._search(words))

    async def _search(self, words: str) -> None:
        """What stands far down in a long message is found by the core."""
        found = await self.context.api.search_frames(self.server, words, 0.0)
        if words == self.sieve.finder.text().strip() and found:
            self._found = frozenset(found)
            self._apply()

    def _apply(self) -> None:
        chosen = self.model.row_at(self.table.currentIndex())
        self.model.sift(self.sieve.sieve(self._found))
        if chosen is not None and (place := self.model.find(chosen)).isValid():
            self.table.setCurrentIndex(place)
        self.table.keep_up()
        self._fill()

    # the chosen message

    def _chosen(self) -> None:
        self.detail.show_row(self.model.row_at(self.table.currentIndex()))

    def _show_whole(self, row: Exchange) -> None:
        self.context.tasks.run("read a message", self._whole(row), lambda text: self._present(row, text))

    def _present(self, row: Exchange, text: str) -> None:
        if row is self.detail.looked_at():
            self.detail.show_text(text)

    async def _whole(self, row: Exchange) -> str:
        frame = row.frame
        if frame.direction == "·":
            return frame.text
        text = await self.context.api.frame(self.server, frame.at)
        return (await fetch_whole(self.context.fetch, [text]))[0]

    def _copy(self, what: str) -> None:
        if self.detail.row is not None:
            self.context.tasks.run("copy a message", self._copied(self.detail.row, what), self._to_clipboard)

    async def _copied(self, row: Exchange, what: str) -> str:
        if what == "message":
            return await self._whole(row)
        request = row.request or row
        if what == "request":
            return _one_line(await self._whole(request))
        halves = [request, *([request.partner] if request.partner else [])]
        return "\n".join([_one_line(await self._whole(half)) for half in halves])

    def _to_clipboard(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)

    # sending

    def _replay(self) -> None:
        self.context.tasks.run("replay a message", self._replayed())

    async def _replayed(self) -> None:
        if self.detail.row is not None:
            await self._send(await self._whole(self.detail.row.request or self.detail.row))

    def _edit(self) -> None:
        row = self.detail.row
        if row is not None:
            self.context.tasks.run("edit a message", self._whole(row.request or row), self._compose)

    def _compose(self, text: str) -> None:
        self.detail.compose.show_text(text)
        self.detail.look(COMPOSE)
        self.detail.compose.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _wanted(self, text: str) -> None:
        self.context.tasks.run("send a message", self._send(text))

    async def _send(self, text: str) -> None:
        self.detail.compose.hold(True)
        try:
            answer = await self.context.api.send_raw(self.server, text, False)
            if answer.needs_confirmation and await self._sure(answer):
                answer = await self.context.api.send_raw(self.server, text, True)
            await self._show_answer(answer)
        except WorkbenchError as fault:
            self.detail.say(Fault(fault.message, fault.hint))
        finally:
            self.detail.compose.hold(False)

    async def _sure(self, answer: RawAnswer) -> bool:
        words = answer.fault.message if answer.fault else ""
        question = Question(self.context.theme, "Call this tool?", words, self.window())
        return await question.ask("Call it", danger=True)

    async def _show_answer(self, answer: RawAnswer) -> None:
        """The request that just went out is chosen, with its answer beside it."""
        await self._read()
        sent = self.model.newest(
            lambda row: row.frame.at >= answer.at and row.frame.direction == ">" and row.method == answer.method
        )
        if sent is not None and (place := self.model.find(sent)).isValid():
            self.table.setCurrentIndex(place)
            if self.detail.tabs.currentIndex() != COMPOSE and sent.partner is not None:
                self.detail.look(1)
        self.detail.say(answer.fault, tone="warning" if answer.needs_confirmation else "danger")

    # keeping

    def _clear(self) -> None:
        self.model.clear()
        self._chosen()
        self._fill()

    def _save(self) -> None:
        dialog = QFileDialog(self.window(), "Save the messages", "", "JSON Lines (*.jsonl)")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("jsonl")
        dialog.selectFile(f"{self.server}.jsonl".replace("/", "-"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.save_to)
        dialog.open()

    def save_to(self, file: str) -> None:
        """Every kept message of the server, whole, one a line."""
        self.context.tasks.run("save messages", self._saved(Path(file)))

    async def _saved(self, file: Path) -> None:
        text = await self.context.api.transcript(self.server)
        whole = (await fetch_whole(self.context.fetch, [text]))[0]
        try:
            await asyncio.to_thread(file.write_text, whole, "utf-8")
        except OSError as fault:
            raise WorkbenchError(
                f"{file.name} cannot be written: {fault.strerror}.", "Choose another place."
            ) from fault

    # looks

    def _fill(self) -> None:
        shown, total = self.model.rowCount(), self.model.total
        words = "{0:,} of {1:,} messages" if shown != total else "{1:,} messages"
        gone = f", {self.model.gone:,} older ones dropped" if self.model.gone else ""
        self._told.setText(words.format(shown, total) + gone)
        if total:
            self._empty.say("No message fits", "Clear the filter to see all of them.")
        else:
            self._empty.say(
                "No messages yet",
                "Connect the server: every message that crosses its pipe appears here as it passes.",
            )
        self._stack.setCurrentWidget(self.table if shown else self._empty)

    def _lay_out(self) -> None:
        table = QWidget()
        self._stack = QStackedLayout(table)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.table)
        upper = QWidget()
        column = QVBoxLayout(upper)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.sieve)
        column.addWidget(table, 1)
        column.addWidget(self._foot())
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(upper)
        split.addWidget(self.detail)
        split.setChildrenCollapsible(False)
        split.setSizes([self.context.theme.unit * 90, self.context.theme.unit * 70])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(split)
        lead_focus(self, self._stack)

    def _foot(self) -> Strip:
        theme = self.context.theme
        foot = Strip(theme)
        foot.row.addWidget(self._told, 1)
        self._follow.setCheckable(True)
        self._follow.setChecked(True)
        mark(self._follow, kind="chip")
        foot.row.addWidget(self._follow)
        for symbol, words, deed in (
            ("pencil", "Write a message", self._write),
            ("save", "Save all messages as JSON Lines…", self._save),
            ("trash", "Clear the view", self._clear),
        ):
            button = tool_button(symbol, words, theme)
            button.clicked.connect(deed)
            foot.row.addWidget(button)
        return foot

    def _write(self) -> None:
        self.detail.look(COMPOSE)
        self.detail.compose.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _bind(self) -> None:
        self._beat.timeout.connect(self._poll)
        self.sieve.changed.connect(self._sift)
        self.model.rowsInserted.connect(self.table.keep_up)
        self.table.selectionModel().currentRowChanged.connect(self._chosen)
        self.model.modelReset.connect(self._chosen)
        self.model.dataChanged.connect(self._chosen)
        self.table.followed.connect(self._follow.setChecked)
        self._follow.toggled.connect(self.table.follow)
        self.detail.whole_wanted.connect(self._show_whole)
        self.detail.copy_wanted.connect(self._copy)
        self.detail.replay_wanted.connect(self._replay)
        self.detail.edit_wanted.connect(self._edit)
        self.detail.compose.wanted.connect(self._wanted)


def _one_line(text: str) -> str:
    """A message as one line of JSON-RPC; what is no JSON stays as it is."""
    try:
        return dump(parse(text), indent=None)
    except WorkbenchError:
        return text
