"""The editor pane: programs in tabs that are stored as they are typed, and run from here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu, QTabWidget, QWidget

from workbench.errors import WorkbenchError
from workbench.events import RunChanged
from workbench.gui.code.colour_schemes import EditorAppearance
from workbench.gui.code.diff_view import DifferenceDialog
from workbench.gui.editor.drafts import Draft, Drafts, digest_of, new_key
from workbench.gui.editor.program_files import ProgramFiles
from workbench.gui.editor.program_pickers import ProgramPickers
from workbench.gui.editor.program_tab import PROGRAM_LANGUAGES, ProgramTab
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import EmptyState, push_button, tool_button
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.text import one_line, plain_tip
from workbench.gui.kit.wording import language_word
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole
from workbench.gui.shell.navigation import FollowRun, KeepSkill, ShowPlan
from workbench.gui.shell.tabs import TabbedPane, add_close_button
from workbench.records import Skill
from workbench.records.runs import ENDS
from workbench.records.skills import is_kept_with

_STARTING = "…"  # stands for the id of a run until the core returns it
_STATE = "editor"  # the REPL session of programs that keep their variables
_TITLE_LETTERS = 28
_UNTITLED = "Untitled"
_TAB_MENU = ("editor.save", "editor.save_as", "editor.rename", "", "editor.compare", "tab.move_left",
             "tab.move_right", "", "tab.close", "tab.reopen")  # fmt: skip
_TEXT_MENU = ("editor.line", "editor.comment", "editor.explain", "editor.compare", "front.start")


class EditorPane(TabbedPane):
    """Ctrl+Enter runs the tab in front; with Shift, it continues with the variables of the previous program."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._drafts = Drafts(context.paths.editor)
        self.appearance = EditorAppearance(context.theme, context.paths.editor / "looks", self)
        self._tabs = QTabWidget(self)
        self.tab_bar = self._tabs.tabBar()
        self._question = Notice(context.theme)
        self._restored = False  # from then on, the order of the tabs is stored
        self.files = ProgramFiles(context, self._question, self)
        self.files.opened.connect(self._open)
        self.files.changed.connect(self._show_titles)
        self.pickers = ProgramPickers(context, self.appearance, self, self.current_tab, self.tabs)
        self.pickers.opened.connect(self._open)
        self._build()
        self._bind()
        front = self._drafts.front()
        for draft in self._drafts.all():
            self._add(draft)
        for number, tab in enumerate(self.tabs()):
            if tab.key == front:
                self._tabs.setCurrentIndex(number)
        self._restored = True
        self._show_state()
        context.store.on(RunChanged, self._run_changed)
        context.store.linked.connect(self._core_linked)
        context.store.skills_changed.connect(self._skills_changed)

    def open_code(self, title: str, code: str, skill: str = "", language: str = "python") -> None:
        """Show a program in a tab of its own, or the tab that shows the same program already."""
        self._open(Draft(new_key(), title or _UNTITLED, code, skill, 0, language))

    def new_program(self) -> None:
        self._add(Draft(new_key(), self._unused_title(_UNTITLED), "")).editor.setFocus()

    def current_tab(self) -> ProgramTab | None:
        return self._tab(self._tabs.currentIndex())

    def tabs(self) -> list[ProgramTab]:
        return [tab for tab in map(self._tab, range(self._tabs.count())) if tab is not None]

    def has_text(self) -> bool:
        """Whether the tab in front contains text."""
        tab = self.current_tab()
        return tab is not None and bool(tab.text().strip())

    # running

    def run(self) -> None:
        """Start a run of the program in the front tab."""
        self._start("")

    def go_on(self) -> None:
        """Run the program in front with the variables of the last one that was run this way."""
        self._start(_STATE)

    def dry_run(self) -> None:
        """Run it with its side effects held back, and show the plan at the end."""
        self._start("", dry_run=True)

    def stop(self) -> None:
        """Stop the run of the program in front, also while it waits for approval."""
        tab = self.current_tab()
        if tab is not None and tab.run_id not in ("", _STARTING):
            self.context.tasks.run("stop a run", self.context.api.stop_run(tab.run_id))

    def _start(self, state: str, *, dry_run: bool = False) -> None:
        tab = self.current_tab()
        if tab is None or not self.has_text():
            return
        if tab.language not in PROGRAM_LANGUAGES:
            self.context.say(f"{language_word(tab.language)} cannot be run. Write programs in Python or TypeScript.")
            return
        if tab.run_id:
            self.context.say("This program is running already. Ctrl+. stops it.")
            return
        tab.keep()
        tab.show_fault(None)
        tab.set_run(_STARTING)
        self.context.tasks.run("run a program", self._submit(tab, state, dry_run=dry_run))

    async def _submit(self, tab: ProgramTab, state: str, *, dry_run: bool) -> None:
        api = self.context.api
        try:
            code, title, skill, language = tab.text(), tab.title, tab.skill, tab.language
            if dry_run:
                run = await api.dry_run(code, title, skill, language, tab.profile)
            else:
                run = await api.submit(code, title, skill, state, language, tab.profile)
        except WorkbenchError as fault:
            tab.set_run("")
            tab.show_fault(fault)
            return
        tab.set_run(run.id)
        self.context.go(FollowRun(run.id))
        if dry_run:
            self.context.go(ShowPlan(run.id))
        if self.context.store.runs.get(run.id, run).state in ENDS:  # its events may have come first
            tab.set_run("")

    def _run_changed(self, event: RunChanged) -> None:
        for tab in self.tabs():
            if tab.run_id == event.run.id and event.run.state in ENDS:
                tab.set_run("")

    def _core_linked(self) -> None:
        """A core that was restarted has no runs."""
        for tab in self.tabs():
            tab.set_run("")
            tab.assess()

    # skills

    def keep_as_skill(self) -> None:
        """Make a skill of the program in front, or the next version of its skill."""
        if (tab := self.current_tab()) is None or not tab.text().strip():
            return
        if tab.language != "python":
            tab.show_fault(
                WorkbenchError("Skills are programs in Python.", "Write it in Python to keep it as a skill.")
            )
        else:
            self.context.go(KeepSkill(tab.skill, tab.text()))

    def _skills_changed(self) -> None:
        """A program has no unsaved changes once a skill has the same code."""
        saved = {skill.sha for skill in self.context.store.skills}
        for tab in self.tabs():
            if not tab.file and tab.is_changed() and digest_of(tab.text()) in saved:
                tab.mark_saved(tab.text())
        self._show_titles()
        self._show_state()

    async def _save_skill(self, tab: ProgramTab) -> None:
        """Save the program as the draft of its skill's next version and show the difference to the current one."""
        text = tab.text()
        try:
            skill = (await self.context.api.skill_page(tab.skill)).skill
            (before,) = await fetch_whole(self.context.fetch, [skill.code])
            if text == before and skill.version:
                self.context.say(f"{skill.name} has no changes since version {skill.version}.")
                tab.mark_saved(text)
                self._show_titles()
                return
            draft = await self.context.api.draft_skill(skill.name, skill.description, text, skill.run_id)
        except WorkbenchError as fault:
            tab.show_fault(fault)
            return
        tab.mark_saved(text)
        self._show_titles()
        old, new = skill.version, skill.version + 1
        self.context.say(f"Saved as the draft of version {new} of {skill.name}.")
        self._show_draft(draft, before, text, f"version {old}" if old else "the draft before", new)

    def _show_draft(self, draft: Skill, before: str, text: str, old: str, version: int) -> None:
        sentence = f"{draft.name}: your text is saved as the draft of version {version}. Agents use it once it is kept."
        legend = f"− {old}   + draft of version {version}"
        title = f"Draft of version {version}"
        dialog = DifferenceDialog(self.context, sentence, before, text, self.window(), legend, title=title)

        def keep() -> None:
            dialog.run(self.context.tasks, "keep a skill", self._keep_draft(draft), closes=True)

        dialog.add_button(f"Keep version {version}", keep, "primary")
        dialog.open()

    async def _keep_draft(self, draft: Skill) -> None:
        skill = await self.context.api.keep_skill(draft.name, draft.sha)
        self.context.say(f"Kept {skill.name} as version {skill.version}. Agents find it from now on.")

    # tabs

    def keep(self) -> None:
        """Write every tab to disk now."""
        for tab in self.tabs():
            tab.keep()

    def close_tab(self, number: int) -> None:
        """Close a tab; its text is put aside and can be reopened."""
        tab = self._tab(number)
        if tab is None:
            return
        tab.keep()
        if tab.text().strip():
            self._drafts.put_away(tab.key)
            self.context.say(f"Closed {one_line(tab.title, _TITLE_LETTERS)}.", undo="tab.reopen")
            self.tab_closed.emit()
        self._drop(tab)

    def reopen(self) -> None:
        """Reopen the tab that was closed last."""
        draft = self._drafts.reopen()
        if draft is None:
            self.context.say("There is no closed tab to reopen.")
        else:
            self._add(replace(draft, title=draft.title if draft.file else self._unused_title(draft.title)))
            self._focus_front()

    def save(self) -> None:
        """Save to the tab's file; the program of a skill becomes the draft of its next version."""
        tab = self.current_tab()
        if tab is None:
            return
        if tab.skill and not tab.file and tab.language == "python":
            self.context.tasks.run("save a skill", self._save_skill(tab))
        else:
            self.files.save(tab)

    # in the text

    def open_find_bar(self) -> None:
        """Open the find bar of the tab in front."""
        if (tab := self.current_tab()) is not None:
            tab.find_bar.open_bar()

    def go_to_problem(self, step: int) -> None:
        """Go to the next problem and show its text, also in the status bar for screen readers."""
        if (tab := self.current_tab()) is not None:
            text = tab.editor.next_problem(step)
            self.context.say(one_line(text, 200) or "No problems in this program.")
            tab.editor.setFocus()
            if text:
                tab.completion.card.show_text(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if control and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if event.isAutoRepeat():
                return
            shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            alt = event.modifiers() & Qt.KeyboardModifier.AltModifier
            self._start(_STATE if shift and not alt else "", dry_run=bool(alt))
        elif control and event.key() == Qt.Key.Key_Period:  # the action for it is off while the run waits
            self.stop()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A middle click closes a tab."""
        if event.type() == QEvent.Type.MouseButtonRelease and isinstance(event, QMouseEvent):
            bar = self._tabs.tabBar()
            number = bar.tabAt(event.position().toPoint())
            if event.button() == Qt.MouseButton.MiddleButton and watched is bar and number >= 0:
                self.close_tab(number)
                return True
        return super().eventFilter(watched, event)

    def _add(self, draft: Draft) -> ProgramTab:
        tab = ProgramTab(self.context, self._drafts, draft, self.appearance)
        tab.run_changed.connect(self._show_state)
        tab.text_kept.connect(self._show_titles)
        tab.text_kept.connect(self._show_state)
        tab.editor.menu_actions = [self.context.commands[name] for name in _TEXT_MENU]
        number = self._tabs.addTab(tab, "")
        add_close_button(self.tab_bar, number, one_line(draft.title, _TITLE_LETTERS), self.context.theme)
        self._tabs.setCurrentIndex(number)
        self._show_titles()
        self._show_state()
        return tab

    def _unused_title(self, title: str) -> str:
        """The title, with a number if another tab has it."""
        titles = {tab.title for tab in self.tabs()}
        number, unused = 2, title
        while unused in titles:
            unused, number = f"{title} {number}", number + 1
        return unused

    def _show_titles(self) -> None:
        """A dot marks unsaved changes; files of the same name are told apart by their folders."""
        tabs = self.tabs()
        titles = [tab.title for tab in tabs]
        for number, tab in enumerate(tabs):
            title = one_line(tab.title, _TITLE_LETTERS)
            if tab.file and titles.count(tab.title) > 1:
                title = f"{title} ({one_line(tab.folder, _TITLE_LETTERS)})"
            self._tabs.setTabText(number, f"{'• ' * tab.is_changed()}{title}".replace("&", "&&"))
            where = tab.file or (f"The skill {tab.skill}" if tab.skill else "Not in a file yet.")
            self._tabs.setTabToolTip(number, plain_tip(where))
            tab.editor.setAccessibleName(f"Program {title}")

    def _keep_order(self) -> None:
        if self._restored:
            front = self.current_tab()
            self._drafts.keep_order([tab.key for tab in self.tabs()], front.key if front is not None else "")

    def _open(self, draft: Draft) -> None:
        """Show a file or program in a new tab, or the tab that shows it already."""
        for tab in self.tabs():
            same_program = not draft.file and (tab.text(), tab.skill) == (draft.code, draft.skill)
            if same_program or (draft.file and tab.file == draft.file):
                self._tabs.setCurrentWidget(tab)
                tab.editor.setFocus()
                return
        tab = self._add(replace(draft, title=draft.title if draft.file else self._unused_title(draft.title)))
        tab.keep()
        self._keep_order()
        tab.editor.setFocus()

    def _focus_front(self) -> None:
        if (tab := self.current_tab()) is not None:
            tab.editor.setFocus()

    def _drop(self, tab: ProgramTab) -> None:
        self._tabs.removeTab(self._tabs.indexOf(tab))
        tab.completion.close()
        tab.find_bar.close_bar()
        tab.hide()
        tab.deleteLater()
        self._drafts.forget(tab.key)
        self._keep_order()
        self._show_titles()
        self._show_state()
        self._focus_front()

    def _tab(self, number: int) -> ProgramTab | None:
        page = self._tabs.widget(number)
        return page if isinstance(page, ProgramTab) else None

    def _open_tab_menu(self, place: QPoint) -> None:
        number = self._tabs.tabBar().tabAt(place)
        if number < 0:
            return
        self._tabs.setCurrentIndex(number)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name in _TAB_MENU:
            menu.addAction(self.context.commands[name]) if name else menu.addSeparator()
        menu.popup(self._tabs.tabBar().mapToGlobal(place))

    def _on_tab(self, act: Callable[[ProgramTab], object]) -> Callable[[], None]:
        """A function that does something with the tab in front, if there is one."""

        def act_on_tab() -> None:
            if (tab := self.current_tab()) is not None:
                act(tab)

        return act_on_tab

    def _in_front(self, act: Callable[[], None]) -> None:
        """These actions work from anywhere in the window."""
        self.front_wanted.emit()
        act()

    def _bind(self) -> None:
        files, pickers, on_tab, zoom = self.files, self.pickers, self._on_tab, self.appearance.zoom
        actions: dict[str, Callable[[], None]] = {
            "new": partial(self._in_front, self.new_program),
            "open": partial(self._in_front, files.ask_open),
            "example": partial(self._in_front, pickers.pick_example),
            "save": self.save,
            "save_as": on_tab(files.ask_save),
            "rename": on_tab(files.ask_name),
            "replace": on_tab(lambda tab: tab.find_bar.open_bar(replacing=True)),
            "find_next": on_tab(lambda tab: tab.find_bar.go(1)),
            "find_previous": on_tab(lambda tab: tab.find_bar.go(-1)),
            "line": pickers.go_to_symbol,
            "comment": on_tab(lambda tab: tab.editor.toggle_comment()),
            "complete": on_tab(lambda tab: tab.completion.complete()),
            "call": on_tab(lambda tab: tab.completion.show_call()),
            "explain": on_tab(lambda tab: tab.completion.explain()),
            "problem": partial(self.go_to_problem, 1),
            "problem_before": partial(self.go_to_problem, -1),
            "problems": pickers.pick_problem,
            "compare": pickers.compare,
            "history": pickers.pick_run,
            "larger": partial(zoom, 1),
            "smaller": partial(zoom, -1),
            "usual": partial(zoom, 0),
            "scheme": pickers.pick_scheme,
        }
        for name, act in actions.items():
            self.context.commands.bind(f"editor.{name}", act)

    def _build(self) -> None:
        sentence = "Write a program, open a file, or start from an example. “Open as code” turns a call into a program."
        self._empty = EmptyState(self.context.theme, "code", "No program open", sentence)
        new = self._empty.offer(text="New program")
        new.clicked.connect(self.new_program)
        self._empty.offer(text="Open file…").clicked.connect(self.files.ask_open)
        self._empty.offer(text="Examples…").clicked.connect(self.pickers.pick_example)
        self._empty.setFocusProxy(new)
        self._tabs.setMovable(True)
        self._tabs.setDocumentMode(True)
        self._tabs.setAccessibleName("Programs")
        self._tabs.currentChanged.connect(self._show_state)
        self._tabs.currentChanged.connect(self._keep_order)
        bar = self.tab_bar
        bar.tabCloseRequested.connect(self.close_tab)
        bar.tabMoved.connect(self._keep_order)
        bar.installEventFilter(self)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        bar.customContextMenuRequested.connect(self._open_tab_menu)
        self._tabs.setCornerWidget(self._corner())
        column(self, self._tabs, self._empty, self._question)

    def _corner(self) -> QWidget:
        unit = self.context.theme.unit
        theme, tip = self.context.theme, "Run this program in the sandbox (Ctrl+Enter)"
        new = tool_button("plus", "New program", theme, self.new_program)
        self._keep = tool_button("bookmark", "Keep as a skill…", theme, self.keep_as_skill)
        self._run = push_button("Run", self.run, kind="primary", symbol="play", tone="on_accent", tip=tip)
        self._dry_run = tool_button("list", "Dry run", theme, self.dry_run)
        self._dry_run.setToolTip("Run it with its side effects held back, then choose among them (Ctrl+Alt+Enter)")
        self._stop = push_button("Stop", self.stop, symbol="stop", tone="danger", tip="Stop this run (Ctrl+.)")
        corner = QWidget()
        buttons = (new, self._keep, self._dry_run, self._run, self._stop)
        row(corner, *buttons, margins=(unit, unit // 2, unit * 2, unit // 2), spacing=unit)
        return corner

    def _show_state(self) -> None:
        tab = self.current_tab()
        running = tab is not None and bool(tab.run_id)
        self._run.setVisible(not running)
        self._dry_run.setVisible(not running)
        self._stop.setVisible(running)
        self._show_keep_button(tab)
        self._tabs.setVisible(tab is not None)
        self._empty.setVisible(tab is None)
        self.setFocusProxy(self._empty if tab is None else tab.editor)

    def _show_keep_button(self, tab: ProgramTab | None) -> None:
        """For a skill's program, the button says which version it would become."""
        name = tab.skill if tab is not None and not tab.file else ""
        skill = next((skill for skill in self.context.store.skills if skill.name == name), None)
        text = f"Keep version {skill.version + 1}…" if skill is not None else ""
        style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon if text else Qt.ToolButtonStyle.ToolButtonIconOnly
        self._keep.setText(text)
        self._keep.setToolButtonStyle(style)
        self._keep.setAccessibleName(text or "Keep as a skill…")
        unchanged = tab is not None and skill is not None and is_kept_with(skill, tab.text())
        self._keep.setEnabled(not unchanged)
        if skill is None:
            tip = "Keep as a skill…"
        elif unchanged:
            tip = f"Nothing has changed since version {skill.version}."
        else:
            tip = "Name, describe and keep this program; Ctrl+S saves a draft"
        self._keep.setToolTip(tip)
