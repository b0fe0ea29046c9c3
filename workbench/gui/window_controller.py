"""Handles navigation requests from panes, does the window's own actions, and brings back what was open."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeAlias

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, QProcess, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QDialog,
    QFileDialog,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.events import SettingsChanged
from workbench.gui.audit.dashboard import Dashboard
from workbench.gui.files.file_tree import CHANGES
from workbench.gui.kit.notice import set_hint_actions
from workbench.gui.kit.text import one_line
from workbench.gui.main_window import APPLIED_SETTINGS, LEFT_PANES, OTHER_PANES, PANES, MainWindow
from workbench.gui.runs.decision_dialogs import DecisionDialogs
from workbench.gui.runs.requested_review import RequestedReview
from workbench.gui.servers.connect_agent import ConnectAgent
from workbench.gui.servers.doctor import MachineDialog
from workbench.gui.servers.trust_question import ask_trust
from workbench.gui.settings.isolation import IsolationDialog
from workbench.gui.settings.network import NetworkDialog
from workbench.gui.settings.paired_phones import PairedPhonesDialog
from workbench.gui.settings.permissions import PermissionsDialog
from workbench.gui.settings.repl_sessions import ReplSessionsDialog
from workbench.gui.settings.secrets import SecretsDialog
from workbench.gui.settings.tokens import show_tokens
from workbench.gui.shell import navigation as requests
from workbench.gui.shell.actions import PAGES
from workbench.gui.shell.context import Context
from workbench.gui.shell.help import Help
from workbench.gui.shell.palette import Palette
from workbench.gui.shell.setting_links import SettingLinks
from workbench.gui.skills.skill_commands import SkillCommands
from workbench.records import Outcome, SavedCall, Skill, SkillState
from workbench.settings import Settings

Action: TypeAlias = Callable[
    [], Coroutine[Any, Any, object] | None
]  # Any: what a coroutine yields concerns the loop alone


class WindowController(QObject):
    """Handles navigation requests of panes and does the window's own actions."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._context = window.context
        self._after_opening = ("", "", "")  # server, tool, and the action to trigger once that tool is open
        self._context.messages.requested.connect(self.handle)
        window.centre.welcome_closed.connect(self._welcome_closed)
        window.servers.found.counted.connect(self._show_found)
        window.servers.loaded.connect(self._show_found)
        self._show_found()
        self._decisions = DecisionDialogs(self._context, window)
        window.bridge.linked.connect(self._decisions.link)
        self._decisions.link(window.bridge.link)
        self._skill_commands = SkillCommands(self._context, window.skills.selected_name, window)
        window.skills.followed.connect(self._follow_skill)
        self._setting_links = SettingLinks(self._context)
        set_hint_actions(self._setting_links.find)
        self._context.store.on(SettingsChanged, self._settings_changed)
        self._requested_review = RequestedReview(self._context, window.tray.open_window, self)
        window.review_requested.connect(self._requested_review.open_first)
        self._bind()
        self._bring_back()

    def handle(self, request: requests.Request) -> None:
        """Show or do what a pane requested."""
        window, decisions = self._window, self._decisions
        match request:
            case requests.ShowTool(server, tool, follow, enter, then):
                if not follow or window.centre.currentWidget() is window.centre.tool:
                    self._after_opening = (server, tool, then)
                    self._show_tool(server, tool, enter=enter)
            case requests.ShowCall():
                self._show_call(request)
            case requests.SaveCall(call, outcome):
                self._save_call(call, outcome)
            case requests.ShowSavedCall(file):
                window.docks["calls"].come()
                window.calls.show_saved(file)
            case requests.ShowServer(server, page, item):
                window.centre.server.show_server(server, page, item)
                window.centre.show_page(window.centre.server)
            case requests.ConnectServers(servers, restart):
                self._run("connect servers", window.servers.connector.connect_servers(servers, restart=restart))
            case requests.DecideTrust(server):
                self._run(
                    "decide about a server",
                    ask_trust(self._context, server, QApplication.activeWindow() or window),
                )
            case requests.ShowCode():
                self._show_code(request)
            case requests.ShowRun(run_id):
                self._run("open run", self._show_run(run_id))
            case requests.FollowRun(run_id):
                self._run_started(run_id)
            case requests.RecordRun(run_id):
                self._run("record a run", self._skill_commands.record(run_id))
            case requests.ShowSkill(name, view):
                self._show_skill(name, view)
            case requests.KeepSkill():
                self._run("keep a skill", self._keep(request))
            case requests.ShowAsk(ask_id):
                decisions.show_elicitation(ask_id)
            case requests.ShowReview():
                decisions.show_request()
            case requests.ShowHeldCall(held_call_id):
                decisions.show_held_call(held_call_id)
            case requests.ShowPlan(run_id):
                decisions.show_plan(run_id)
            case requests.StartDryRun(run_id):
                decisions.start_dry_run(run_id)
            case requests.Search("palette", text):
                self.open_palette(text)
            case requests.Search(pane, text):
                self._search_in(pane, text)
            case requests.ShowPrivacy(page, session):
                window.centre.show_privacy(page, session)
            case requests.ShowSettings(name):
                window.centre.show_settings(name)
            case requests.ShowFile(path):
                window.centre.show_file(path)
            case requests.ShowChanges(name):
                window.centre.show_changes(name)
            case requests.DoAction(action):
                window.commands.do(action)

    # what was open before

    def _bring_back(self) -> None:
        """Forms, the open tool and the expanded servers, as the window was left."""
        window, session = self._window, self._window.session
        names = session.expanded
        tool = window.centre.tool
        tool.restore_drafts(session.forms())
        tool.form_changed.connect(self._keep_form)
        tool.opened.connect(self._tool_opened)
        window.centre.currentChanged.connect(self._select_tool_in_front)
        window.servers.expand(names)
        window.servers.expanded.connect(session.note_expanded)
        self._tabs_before, self._tool_before = session.tabs, session.open
        window.context.store.servers_loaded.connect(self._restore_tools)
        if window.context.store.servers:  # the core was faster
            self._restore_tools()

    def _keep_form(self, server: str, tool: str) -> None:
        self._window.session.note_form(server, tool, partial(self._window.centre.tool.draft, server, tool))

    def _restore_tools(self) -> None:
        """Once, when the tools are known: open the tabs of those that still exist."""
        store, centre, session = self._context.store, self._window.centre, self._window.session
        store.servers_loaded.disconnect(self._restore_tools)
        known = {(tool.server, tool.name) for tools in store.tools.values() for tool in tools}
        tabs = [key for key in self._tabs_before if key in known]
        centre.tool.tabs_changed.connect(self._keep_tabs)
        centre.tool.opened.connect(session.note_open)
        if tabs and not centre.tool.open_tools():
            front = self._tool_before if self._tool_before in tabs else tabs[0]
            centre.tool.restore(tabs, front)
            self._window.servers.show_tool(*front)
        self._keep_tabs()
        self._run("open the pages again", self._restore_pages())

    async def _restore_pages(self) -> None:
        """Open the pages again that were in the centre, except what no longer exists. What the user opened meanwhile
        stays in front."""
        centre, session = self._window.centre, self._window.session
        pages, front = session.pages
        skills: set[str] = set()
        if any(name == "skill" for name, _, _ in pages):
            with contextlib.suppress(WorkbenchError):
                skills = {skill.name for skill in await self._context.api.skills()}
        is_new = centre.count() == 0 or (centre.count() == 1 and centre.is_front("welcome"))
        exists: dict[str, Callable[[str], bool]] = {
            "server": lambda name: not name or name in self._context.store.servers,
            "tool": lambda _: bool(centre.tool.open_tools()),
            "editor": lambda _: centre.editor.current_tab() is not None,
            "privacy": lambda _: True,
            "files": lambda path: bool(path) and (self._context.paths.workspace / path).is_file(),
            "skill": lambda name: name in skills,
            "settings": lambda _: True,
        }
        for name, item, inner in pages or (("tool", "", ""),):
            if name in exists and exists[name](item):
                centre.reopen_page(name, item, inner)
        if not centre.count():
            centre.show_welcome()
        elif is_new:
            centre.bring_back(front or "tool")
        centre.pages_changed.connect(self._keep_pages)
        self._keep_pages()

    def _keep_pages(self) -> None:
        self._window.session.note_pages(self._window.centre.open_pages)

    def _keep_tabs(self) -> None:
        self._window.session.note_tabs(self._window.centre.tool.open_tools())

    # tools, programs, skills

    def _show_tool(self, server: str, tool: str, *, enter: bool = False, raise_list: bool = True) -> None:
        if raise_list:
            self._window.docks["servers"].raise_()
        self._window.servers.show_tool(server, tool)
        if tool:
            centre = self._window.centre
            centre.show_page(centre.tool).show_tool(server, tool, enter=enter)
        else:
            self._window.docks["servers"].come()

    def _select_tool_in_front(self) -> None:
        """The list of tools follows the tab in front, except while the user moves through the list."""
        servers, page = self._window.servers, self._window.centre.tool.page()
        if page is not None and self._window.centre.is_front("tool") and not servers.tree.hasFocus():
            servers.show_tool(page.tool.server, page.tool.name)

    def _tool_opened(self, server: str, tool: str) -> None:
        self._select_tool_in_front()
        if self._after_opening[:2] == (server, tool) and self._after_opening[2]:
            QTimer.singleShot(0, partial(self._window.commands.do, self._after_opening[2]))
            self._after_opening = ("", "", "")

    def _show_call(self, request: requests.ShowCall) -> None:
        self._show_tool(request.server, request.tool, raise_list=False)
        start = request.start and not request.withheld
        self._window.centre.tool.show_call(request.server, request.tool, request.arguments, start=start)
        if request.withheld:
            names = ", ".join(request.withheld)
            self._context.say(f"Secret arguments are not kept: fill in {one_line(names, 100)}.")

    def _save_call(self, call: SavedCall, outcome: Outcome | None) -> None:
        from workbench.gui.tools.save_call import SaveCallDialog

        SaveCallDialog(self._context, call, outcome, self._window).open()

    def _show_all_servers(self) -> None:
        centre = self._window.centre
        centre.server.show_all()
        centre.setCurrentWidget(centre.server)
        centre.take_keyboard()

    def _show_code(self, request: requests.ShowCode) -> None:
        editor = self._window.centre.show_page(self._window.centre.editor)
        editor.open_code(request.skill or request.purpose, request.code, request.skill, request.language)
        if request.start:
            editor.run()

    def _show_skill(self, name: str, view: str) -> None:
        if view == "code":
            self._run("open skill", self._edit_skill(name))
            return
        page = self._window.centre.show_page(self._window.centre.skill)
        self._window.skills.select(name)
        page.show_skill(name)
        if view == "versions":
            page.tabs.setCurrentWidget(page.versions)
        elif view == "test":
            page.test()
        elif view == "run":
            self._run("run a skill", self._skill_commands.run(name))

    async def _newest_skill(self, name: str) -> Skill:
        """A skill or its draft, because editing and keeping continue a draft."""
        page = await self._context.api.skill_page(name)
        return replace(page.draft, version=page.skill.version) if page.draft is not None else page.skill

    async def _edit_skill(self, name: str) -> None:
        skill = await self._newest_skill(name)
        self._show_code(requests.ShowCode(skill.code, skill=skill.name))

    def _follow_skill(self, name: str) -> None:
        if self._window.centre.is_front("skill"):
            self._window.centre.skill.show_skill(name)

    async def _keep(self, request: requests.KeepSkill) -> None:
        """The dialog starts with what the run or the skill is already called and described as."""
        from workbench.gui.skills.keep_skill import KeepDialog

        api, code = self._context.api, request.code
        run = await api.run(request.run_id) if request.run_id else None
        skill = None
        if request.name:
            try:
                skill = await self._newest_skill(request.name)
            except WorkbenchError:
                if not code:
                    raise
            else:
                skill, code = (replace(skill, code=code) if code else skill), ""
        dialog = KeepDialog(self._context, run, skill, self._window, code=code)
        dialog.kept.connect(self._skill_kept)
        dialog.open()

    def _skill_kept(self, skill: Skill) -> None:
        """Say whether agents find the skill, and show the list of skills."""
        kept = f"Kept {skill.name} as version {skill.version}: agents find it from now on."
        draft = f"Saved {skill.name} as a draft; agents do not see it."
        self._context.say(kept if skill.state is SkillState.KEPT else draft)
        self._window.docks["skills"].raise_()

    # runs

    async def _show_run(self, run_id: str) -> None:
        run = await self._context.api.run(run_id)
        if run.awaits_answer:
            self._decisions.show_run(run)
        else:
            self._window.output.show_run(run.id)
            self._window.docks["output"].come()

    def _show_found(self) -> None:
        self._window.centre.welcome.show_found(self._window.servers.found.new)

    # the window's own actions

    def _bind(self) -> None:
        """What each of the window's own actions does; rooms bind theirs where they are."""
        window, context, centre = self._window, self._context, self._window.centre
        actions: dict[str, Action] = {
            "palette.open": self.open_palette,
            "project.open": self._open_project,
            "window.close": self._close,
            "welcome.show": self._show_welcome,
            "editor.show": self._show_editor,
            "servers.all": self._show_all_servers,
            "servers.find": partial(self._search_in, "servers"),
            "audit.find": partial(self._search_in, "audit"),
            "files.changes": self._show_file_changes,
            "pane.centre": centre.take_keyboard,
            "pane.next": partial(self._cycle, 1),
            "pane.previous": partial(self._cycle, -1),
            "layout.room": window.give_room,
            "layout.reset": window.reset_layout,
            "theme.switch": self._switch_theme,
            "theme.system": partial(self._set_theme, "system"),
            "edit.select_all": partial(self._edit, "selectAll"),
            "result.find": self._find,
            "front.start": self._start_front,
            "editor.go_on": centre.go_on,
            "editor.dry_run": centre.dry_run,
            "run.keep": window.output.keep,
            "run.record": window.output.record,
            "ask.answer": self._decisions.show_elicitation,
            "held_call.decide": self._decisions.show_held_call,
            "agent.connect": partial(self._open, ConnectAgent),
            "agent.pause": self._toggle_pause,
            "core.again": window.bridge.keep,
            "core.sandbox": self._show_strength,
            "core.tokens": partial(show_tokens, context, window),
            "settings.open": centre.show_settings,
            "secrets.open": partial(self._open, SecretsDialog),
            "states.open": partial(self._open, ReplSessionsDialog),
            "network.open": partial(self._open, NetworkDialog),
            "permissions.open": partial(self._open, PermissionsDialog),
            "phones.open": partial(self._open, PairedPhonesDialog),
            "audit.dashboard": partial(self._open, Dashboard),
            "help.open": self._show_help,
            "help.docs": self._show_documentation,
            "help.machine": partial(self._open, MachineDialog),
            "help.report": self._report_problem,
            "help.about": self._show_about,
        }
        for entry in PANES:
            actions[f"pane.{entry.name}"] = window.docks[entry.name].come
        for slot in ("undo", "redo", "cut", "copy", "paste"):
            actions[f"edit.{slot}"] = partial(self._edit, slot)
        for page, name in PAGES.items():
            actions[name] = partial(centre.show_privacy, page)
        for name, act in actions.items():
            window.commands.bind(name, act)

    # dialogs and windows

    def open_palette(self, words: str = "") -> None:
        """Ask what to find or do, beginning with these words."""
        Palette(self._context, self._window, words).show()

    def _open(self, make: Callable[[Context, QWidget], QDialog]) -> None:
        make(self._context, self._window).open()

    async def _show_strength(self) -> None:
        status = await self._context.api.status()
        IsolationDialog(self._context, status, self._window).open()

    def _show_help(self) -> None:
        Help(self._context.theme, self._window).show()

    def _show_documentation(self) -> None:
        from workbench.gui.shell.documentation import Documentation

        Documentation(self._context.theme, self._window).show()

    def _show_about(self) -> None:
        from workbench.gui.shell.about import About

        About(self._context.theme, self._window).open()

    async def _report_problem(self) -> None:
        from workbench.gui.shell.about import ProblemReport

        settings: Settings | None = None
        with contextlib.suppress(WorkbenchError):  # a report is possible without a core
            settings = await self._context.api.settings()
        ProblemReport(self._context, settings, self._window.banners.faults(), self._window).open()

    def _open_project(self) -> None:
        dialog = QFileDialog(self._window, "Open project", str(self._context.paths.project.parent))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._start_window)
        dialog.open()

    def _start_window(self, folder: str) -> None:
        """A project has a window of its own, so that nothing here is closed."""
        if QProcess.startDetached(sys.executable, ["-m", "workbench", folder])[0]:
            self._context.say(f"Opening {folder}…")
        else:
            self._context.say("The window could not be started.")

    # panes

    def _search_in(self, pane: str, text: str | None = None) -> None:
        """Put the keyboard into the search of a pane; `text` replaces what is in it."""
        self._window.docks[pane].come()
        finder = self._window.servers.finder if pane == "servers" else self._window.audit.finder
        finder.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if text is None:
            finder.selectAll()
        else:
            finder.setText(text)

    def _cycle(self, step: int) -> None:
        """From pane to pane; hidden ones are passed over."""
        places = [*self._visible_panes(LEFT_PANES), self._window.centre, *self._visible_panes(OTHER_PANES)]
        focus = QApplication.focusWidget()
        here = next((at for at, place in enumerate(places) if focus and place.isAncestorOf(focus)), -step)
        target = places[(here + step) % len(places)]
        if target is self._window.centre:
            self._window.centre.take_keyboard()
        else:
            target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _visible_panes(self, names: tuple[str, ...]) -> list[QWidget]:
        docks = self._window.docks
        return [docks[name].pane for name in names if not docks[name].visibleRegion().isEmpty()]

    def _edit(self, slot: str) -> None:
        """Do it in the text or list that has the keyboard."""
        focus = QApplication.focusWidget()
        if isinstance(focus, QLineEdit | QPlainTextEdit | QTextEdit):
            getattr(focus, slot)()
        elif isinstance(focus, QAbstractItemView) and slot in ("copy", "selectAll"):
            key = Qt.Key.Key_C if slot == "copy" else Qt.Key.Key_A
            for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                QApplication.sendEvent(focus, QKeyEvent(kind, key, Qt.KeyboardModifier.ControlModifier))

    def _start_front(self) -> None:
        if not self._window.centre.start_front():
            self._context.say("Nothing here can run: choose a tool, or write a program.")

    def _run_started(self, run_id: str) -> None:
        """Show the output of a run. The keyboard comes along if the pane that has it is covered by that."""
        output, focus = self._window.docks["output"], self._window.focusWidget()
        self._window.output.show_run(run_id)
        output.show()
        output.raise_()
        behind = self._window.tabifiedDockWidgets(output)
        if focus is not None and any(dock.isAncestorOf(focus) for dock in behind):
            self._window.output.setFocus(Qt.FocusReason.OtherFocusReason)

    def _find(self) -> None:
        """Where the keyboard is: in the program, or in the answer of the tool."""
        if self._window.centre.is_front("editor"):
            self._window.centre.editor.open_find_bar()
        else:
            self._window.centre.tool.find_in_answer()

    def _show_file_changes(self) -> None:
        self._window.docks["files"].come()
        self._window.files.look(CHANGES)

    def _show_editor(self) -> None:
        editor = self._window.centre.show_page(self._window.centre.editor)
        if editor.current_tab() is None:
            editor.new_program()
        self._window.centre.take_keyboard()

    def _show_welcome(self) -> None:
        self._window.layout_file.welcome = True
        self._window.centre.show_welcome()

    def _welcome_closed(self) -> None:
        self._window.layout_file.welcome = False

    def _close(self) -> None:
        self._window.quit()

    def _toggle_pause(self) -> None:
        status = self._context.store.status
        self._run("pause agents", self._set_paused(not (status is not None and status.paused)))

    async def _set_paused(self, paused: bool) -> None:
        await self._context.api.change_setting("agent.paused", paused)
        self._context.say("Agents are paused." if paused else "Agents can work again.")

    # colours

    async def _switch_theme(self) -> None:
        await self._set_theme("light" if self._context.theme.dark else "dark")

    def _settings_changed(self, event: SettingsChanged) -> None:
        """Apply what another window, the page Settings or a file changed."""
        if names := APPLIED_SETTINGS.keys() & event.names:
            self._run("apply settings", self._apply_settings(names))

    async def _apply_settings(self, names: set[str]) -> None:
        self._window.apply_settings(await self._context.api.settings(), names)

    async def _set_theme(self, setting: str) -> None:
        self._context.theme.choose(setting)
        await self._context.api.change_setting("window.theme", setting)

    def _run(self, name: str, coro: Coroutine[Any, Any, object]) -> None:  # Any: as in Tasks.run
        self._context.tasks.run(name, coro)
