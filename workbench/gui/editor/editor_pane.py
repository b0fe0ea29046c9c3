"""The editor pane: programs in tabs, run from here, nothing typed ever lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import methodcaller
from typing import Any, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QTabBar, QTabWidget, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import Event, RunChanged
from workbench.gui.code.colour_schemes import Looks
from workbench.gui.editor.drafts import Draft, Drafts, new_key
from workbench.gui.editor.opening_and_saving import Filing
from workbench.gui.editor.program_tab import LANGUAGES, Sheet, SheetDeeds
from workbench.gui.kit.faults import QuestionBar
from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import EmptyState, tool_button
from workbench.gui.kit.text import one_line, plain_tip
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import language_word
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.navigation import FollowRun, KeepProgram, ShowPlan
from workbench.records import Fault, Run

_SENDING = "…"  # the run has no id yet
_STATE = "editor"  # the kept state of programs that a person runs to go on with
_TITLE = 28  # letters of a title on its tab


class EditorPane(Pane):
    """Ctrl+Enter runs the tab one sees; with Shift, it goes on with the variables of the one before."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._drafts = Drafts(context.paths.editor)
        self.looks = Looks(context.theme, context.paths.editor / "looks", self)
        self._tabs = QTabWidget(self)
        self._ask = QuestionBar(context.theme)
        self._early: dict[str, Run] = {}  # runs that were heard of before their id was told
        self._whole = False  # every tab of before is there: from now on their order is kept
        self._build()
        self.filing = Filing(context, self._ask, self)
        self.filing.opened.connect(self._opened)
        self.filing.changed.connect(self._show_titles)
        self.deeds = SheetDeeds(context, self.looks, self, self.sheet, self._sheets)
        self.deeds.opened.connect(self._opened_text)
        front = self._drafts.front()
        for draft in self._drafts.all():
            self._add(draft)
        for number, sheet in enumerate(self._sheets()):
            if sheet.key == front:
                self._tabs.setCurrentIndex(number)
        self._whole = True
        self._show_state()

    def open_code(self, title: str, code: str, skill: str = "", language: str = "python") -> None:
        """Show a program in a tab of its own; one that shows the very same already comes to the front."""
        for number in range(self._tabs.count()):
            sheet = self._sheet(number)
            if sheet is not None and sheet.text() == code and sheet.skill == skill:
                self._tabs.setCurrentIndex(number)
                sheet.editor.setFocus()
                return
        sheet = self._add(Draft(new_key(), title or "Untitled", code, skill, 0, language))
        sheet.keep()
        self._keep_order()
        sheet.editor.setFocus()

    def new_program(self) -> None:
        self._add(Draft(new_key(), "Untitled", "")).editor.setFocus()

    def sheet(self) -> Sheet | None:
        """The tab one sees."""
        return self._sheet(self._tabs.currentIndex())

    def has_text(self) -> bool:
        """Whether there is a program in front that could be run."""
        sheet = self.sheet()
        return sheet is not None and bool(sheet.text().strip())

    def run(self) -> None:
        """Send the program off as a person's run."""
        self._send("")

    def go_on(self) -> None:
        """The same, with the variables of the last program that was run this way; they stay for the next."""
        self._send(_STATE)

    def dry_run(self) -> None:
        """Send it off with its side effects held back; its plan is shown when it is over."""
        self._send("", dry_run=True)

    def _send(self, state: str, *, dry_run: bool = False) -> None:
        sheet = self.sheet()
        if sheet is None or not self.has_text():
            return
        if sheet.language not in LANGUAGES:
            words = "{0} is not run; programs are written in Python or TypeScript."
            self.context.say(words.format(language_word(sheet.language)))
            return
        if sheet.run_id:
            self.context.say("This program is on its way already. Stop ends it.")
            return
        sheet.keep()
        sheet.fault.show_fault(None)
        sheet.run_id = _SENDING
        self._show_state()
        self.context.tasks.run("run a program", self._submit(sheet, state, dry_run=dry_run))

    def stop(self) -> None:
        sheet = self.sheet()
        if sheet is not None and sheet.run_id not in ("", _SENDING):
            self.context.tasks.run("stop a run", self.context.api.stop_run(sheet.run_id))

    def keep_as_skill(self) -> None:
        if (sheet := self.sheet()) is None or not sheet.text().strip():
            return
        if sheet.language != "python":
            words = "Skills are programs in Python."
            sheet.fault.show_fault(Fault(words, "Write it in Python to keep it as a skill."))
        else:
            self.context.go(KeepProgram(sheet.text(), sheet.skill))

    def keep(self) -> None:
        """Write every tab to disk now."""
        for number in range(self._tabs.count()):
            if (sheet := self._sheet(number)) is not None:
                sheet.keep()

    def hear(self, event: Event) -> None:
        if isinstance(event, RunChanged):
            for number in range(self._tabs.count()):
                sheet = self._sheet(number)
                if sheet is not None and sheet.run_id == event.run.id:
                    sheet.follow(event.run)
                elif sheet is not None and sheet.run_id == _SENDING:
                    self._early[event.run.id] = event.run

    def refresh(self) -> None:
        """The core came back: a run that it did not finish is over."""
        for number in range(self._tabs.count()):
            if (sheet := self._sheet(number)) is not None:
                sheet.run_id = ""
                sheet.assess()
        self._show_state()

    def close_tab(self, number: int) -> None:
        """What one changed is kept aside: a closed tab can be opened again."""
        sheet = self._sheet(number)
        if sheet is None:
            return
        sheet.keep()
        worth = bool(sheet.text().strip())
        if worth:
            self._drafts.put_away(sheet.key)
            words = "Closed {0}. Reopen the closed tab brings it back."
            self.context.say(words.format(one_line(sheet.title, _TITLE)))
        self._drop(sheet)

    def close_front(self) -> None:
        self.close_tab(self._tabs.currentIndex())

    def reopen(self) -> None:
        """The tab that was closed last, with its undo."""
        draft = self._drafts.fetch_back()
        if draft is None:
            self.context.say("No tab was closed lately.")
        else:
            self._add(draft).editor.setFocus()

    def step(self, by: int) -> None:
        """To the tab at the right or left, around the end."""
        if self._tabs.count():
            self._tabs.setCurrentIndex((self._tabs.currentIndex() + by) % self._tabs.count())
            self._focus_front()

    def move_tab(self, by: int) -> None:
        here = self._tabs.currentIndex()
        if 0 <= here + by < self._tabs.count():
            self._tabs.tabBar().moveTab(here, here + by)

    def open_file(self) -> None:
        self.filing.ask_open()

    def save(self) -> None:
        if (sheet := self.sheet()) is not None:
            self.filing.save(sheet)

    def save_as(self) -> None:
        if (sheet := self.sheet()) is not None:
            self.filing.save_as(sheet)

    def rename(self) -> None:
        if (sheet := self.sheet()) is not None:
            self.filing.ask_name(sheet)

    def seek(self, *, replacing: bool = False) -> None:
        """Find in the program in front."""
        if (sheet := self.sheet()) is not None:
            sheet.finder.open_bar(replacing=replacing)

    def find_on(self, step: int) -> None:
        if (sheet := self.sheet()) is not None:
            sheet.finder.go(step)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if control and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            alt = event.modifiers() & Qt.KeyboardModifier.AltModifier
            self._send(_STATE if shift and not alt else "", dry_run=bool(alt))
        else:
            super().keyPressEvent(event)

    async def _submit(self, sheet: Sheet, state: str, *, dry_run: bool = False) -> None:
        api = self.context.api
        try:
            code, title, skill, language = sheet.text(), sheet.title, sheet.skill, sheet.language
            if dry_run:
                run = await api.dry_run(code, title, skill, language, sheet.profile)
            else:
                run = await api.submit(code, title, skill, state, language, sheet.profile)
        except WorkbenchError as fault:
            sheet.run_id = ""
            sheet.fault.show_fault(Fault(fault.message, fault.hint))
        else:
            sheet.run_id = run.id
            self.context.go(FollowRun(run.id))
            if dry_run:
                self.context.go(ShowPlan(run.id))
            sheet.follow(self._early.get(run.id, run))
        self._early.clear()
        self._show_state()

    def _add(self, draft: Draft) -> Sheet:
        sheet = Sheet(self.context, self._drafts, draft, self.looks)
        sheet.settled.connect(self._show_state)
        sheet.kept.connect(self._show_titles)
        number = self._tabs.addTab(sheet, one_line(draft.title, _TITLE).replace("&", "&&"))
        close = tool_button("close", f"Close {one_line(draft.title, _TITLE)}", self.context.theme)
        close.setProperty("sheet", sheet.key)
        close.clicked.connect(self._close_clicked)
        self._tabs.tabBar().setTabButton(number, QTabBar.ButtonPosition.RightSide, close)
        self._tabs.setCurrentIndex(number)
        self._show_titles()
        self._show_state()
        return sheet

    def _show_titles(self) -> None:
        """A dot says that a program is not what was opened or saved; the tip says where it is."""
        for number in range(self._tabs.count()):
            if (sheet := self._sheet(number)) is None:
                continue
            dot = "• " if sheet.touched() else ""
            self._tabs.setTabText(number, dot + one_line(sheet.title, _TITLE).replace("&", "&&"))
            where = sheet.file or (f"the skill {sheet.skill}" if sheet.skill else "")
            self._tabs.setTabToolTip(number, plain_tip(where or "Kept here, in no file yet."))
            sheet.editor.setAccessibleName(f"Program {sheet.title}")

    def _keep_order(self, _from: int = 0, _to: int = 0) -> None:
        if self._whole:
            sheets = [sheet for sheet in map(self._sheet, range(self._tabs.count())) if sheet is not None]
            front = self.sheet()
            self._drafts.keep_order([sheet.key for sheet in sheets], front.key if front is not None else "")

    def _sheets(self) -> list[Sheet]:
        return [sheet for sheet in map(self._sheet, range(self._tabs.count())) if sheet is not None]

    def _opened(self, draft: Draft) -> None:
        """A file that is open already comes to the front."""
        for number, sheet in enumerate(self._sheets()):
            if draft.file and sheet.file == draft.file:
                self._tabs.setCurrentIndex(number)
                self._focus_front()
                return
        sheet = self._add(draft)
        sheet.keep()
        sheet.editor.setFocus()

    def _opened_text(self, title: str, code: str, language: str) -> None:
        self.open_code(title, code, "", language)

    def _focus_front(self) -> None:
        if (sheet := self.sheet()) is not None:
            sheet.editor.setFocus()

    def _close_clicked(self) -> None:
        button = self.sender()
        key = button.property("sheet") if button is not None else ""
        for number in range(self._tabs.count()):
            sheet = self._sheet(number)
            if sheet is not None and sheet.key == key:
                self.close_tab(number)
                return

    def _drop(self, sheet: Sheet) -> None:
        self._tabs.removeTab(self._tabs.indexOf(sheet))
        sheet.completing.end()
        sheet.finder.close_bar()
        sheet.hide()
        sheet.deleteLater()
        self._drafts.forget(sheet.key)
        self._keep_order()
        self._show_state()
        self._focus_front()

    def _sheet(self, number: int) -> Sheet | None:
        page = self._tabs.widget(number)
        return page if isinstance(page, Sheet) else None

    def _build(self) -> None:
        words = "Open a call as code, a skill, or start with an empty program."
        self._empty = EmptyState(self.context.theme, "code", "No program open", words)
        self._empty.offer(text="New program").clicked.connect(self.new_program)
        self._tabs.setMovable(True)
        self._tabs.setDocumentMode(True)
        self._tabs.setAccessibleName("Programs")
        self._tabs.currentChanged.connect(self._show_state)
        self._tabs.currentChanged.connect(self._keep_order)
        self._tabs.tabBar().tabMoved.connect(self._keep_order)
        self._tabs.setCornerWidget(self._corner())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._tabs, 1)
        layout.addWidget(self._empty, 1)
        layout.addWidget(self._ask)

    def _corner(self) -> QWidget:
        unit = self.context.theme.unit
        corner = QWidget()
        row = QHBoxLayout(corner)
        row.setContentsMargins(unit, unit // 2, unit * 2, unit // 2)
        row.setSpacing(unit)
        new = tool_button("plus", "New program", self.context.theme)
        new.clicked.connect(self.new_program)
        skill = tool_button("bookmark", "Keep as a skill", self.context.theme)
        skill.clicked.connect(self.keep_as_skill)
        self._run = QPushButton(icon("play", "on_accent"), "Run")
        self._run.setToolTip("Run this program in the sandbox (Ctrl+Enter)")
        mark(self._run, kind="primary")
        self._run.clicked.connect(self.run)
        self._dry_run = tool_button("list", "Dry run", self.context.theme)
        self._dry_run.setToolTip("Run it with its side effects held back, and choose among them (Ctrl+Alt+Enter)")
        self._dry_run.clicked.connect(self.dry_run)
        self._stop = QPushButton(icon("stop", "danger"), "Stop")
        self._stop.clicked.connect(self.stop)
        for button in (new, skill, self._dry_run, self._run, self._stop):
            row.addWidget(button)
        return corner

    def _show_state(self, _number: int = 0) -> None:
        sheet = self.sheet()
        running = sheet is not None and bool(sheet.run_id)
        self._run.setVisible(not running)
        self._dry_run.setVisible(not running)
        self._stop.setVisible(running)
        self._tabs.setVisible(self._tabs.count() > 0)
        self._empty.setVisible(self._tabs.count() == 0)
        self.setFocusProxy(self._empty if sheet is None else sheet.editor)


EDITOR_DEEDS: Final[Mapping[str, Callable[[Any], object]]] = {  # Any: an EditorPane, imported when it is first needed
    "editor.new": methodcaller("new_program"),
    "editor.open": methodcaller("open_file"),
    "editor.save": methodcaller("save"),
    "editor.save_as": methodcaller("save_as"),
    "editor.rename": methodcaller("rename"),
    "editor.close": methodcaller("close_front"),
    "editor.reopen": methodcaller("reopen"),
    "editor.next_tab": methodcaller("step", 1),
    "editor.previous_tab": methodcaller("step", -1),
    "editor.move_right": methodcaller("move_tab", 1),
    "editor.move_left": methodcaller("move_tab", -1),
    "editor.replace": methodcaller("seek", replacing=True),
    "editor.find_next": methodcaller("find_on", 1),
    "editor.find_previous": methodcaller("find_on", -1),
    "editor.line": lambda pane: pane.deeds.go_to(),
    "editor.comment": lambda pane: pane.deeds.comment(),
    "editor.complete": lambda pane: pane.deeds.propose(),
    "editor.call": lambda pane: pane.deeds.show_call(),
    "editor.explain": lambda pane: pane.deeds.explain(),
    "editor.problem": lambda pane: pane.deeds.problem(1),
    "editor.problem_before": lambda pane: pane.deeds.problem(-1),
    "editor.problems": lambda pane: pane.deeds.all_problems(),
    "editor.compare": lambda pane: pane.deeds.compare(),
    "editor.history": lambda pane: pane.deeds.earlier_runs(),
    "editor.larger": lambda pane: pane.looks.zoom(1),
    "editor.smaller": lambda pane: pane.looks.zoom(-1),
    "editor.usual": lambda pane: pane.looks.zoom(0),
    "editor.scheme": lambda pane: pane.deeds.choose_scheme(),
}
