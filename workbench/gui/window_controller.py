"""Opens the dialogs that stand on no pane: a new one is a line in the table here, and the window stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from operator import methodcaller
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.audit.dashboard import Dashboard
from workbench.gui.editor.editor_pane import EDITOR_DEEDS
from workbench.gui.files.file_tree import CHANGES
from workbench.gui.kit.text import one_line
from workbench.gui.main_window import MainWindow
from workbench.gui.runs.decision_dialogs import ApprovalDialogs, AskDialogs, HeldCallDialogs, Plans
from workbench.gui.servers.connect_agent import ConnectAgent
from workbench.gui.servers.machine_dialog import MachineDialog
from workbench.gui.settings.isolation import StrengthDialog
from workbench.gui.settings.network import show_network
from workbench.gui.settings.permissions import show_permissions
from workbench.gui.settings.repl_sessions import StatesDialog
from workbench.gui.settings.secrets import SecretsDialog
from workbench.gui.settings.tokens import show_tokens
from workbench.gui.shell.actions import PAGES
from workbench.gui.shell.context import Context
from workbench.gui.shell.help import Help
from workbench.gui.shell.navigation import (
    ConnectServers,
    DoAction,
    FilterServers,
    FindAnything,
    FollowRun,
    KeepProgram,
    KeepRun,
    KeepSkill,
    RecordRun,
    Request,
    SaveCall,
    ShowAsk,
    ShowCall,
    ShowChanges,
    ShowCode,
    ShowFile,
    ShowHeldCall,
    ShowPlan,
    ShowPrivacy,
    ShowRun,
    ShowServer,
    ShowSkill,
    ShowSkillPage,
    ShowTool,
    StartDryRun,
)
from workbench.gui.shell.palette import Palette
from workbench.gui.skills.skill_commands import SkillDeeds
from workbench.gui.tools.call_panel import TOOL_DEEDS
from workbench.records import Outcome, Run, RunState, SavedCall, Skill, SkillState

if TYPE_CHECKING:
    from workbench.gui.editor.editor_pane import EditorPane
    from workbench.gui.tools.call_panel import CallPanel


class Openings(QObject):
    """Belongs to one window."""

    chosen = Signal(object)  # Request: what was chosen in the palette

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._context = window.context
        for name, opens in self._table().items():
            window.commands.bind(name, opens)

    def _table(self) -> dict[str, Callable[..., Any]]:
        """Any: plain functions and coroutine functions, as `Commands.bind` takes both."""
        window, context = self._window, self._context
        return {
            "palette.open": self.open_palette,
            "agent.connect": partial(self._open, ConnectAgent),
            "core.sandbox": self._show_strength,
            "core.tokens": partial(show_tokens, context, window),
            "secrets.open": partial(self._open, SecretsDialog),
            "states.open": partial(self._open, StatesDialog),
            "network.open": partial(show_network, context, window, window.bridge),
            "permissions.open": partial(show_permissions, context, window, window.bridge),
            "audit.dashboard": partial(self._open, Dashboard),
            "help.open": self._help,
            "help.machine": self._check_machine,
        }

    def open_palette(self, words: str = "") -> None:
        """Ask what to find or do, beginning with these words."""
        palette = Palette(self._context, self._window.commands, self._window, words)
        self._window.bridge.heard.connect(palette.hear)
        self._window.bridge.linked.connect(palette.link)
        palette.accepted.connect(partial(self._follow, palette))
        palette.open()

    def _follow(self, palette: Palette) -> None:
        if palette.wish is not None:
            self._context.go(palette.wish)

    def _open(self, make: Callable[[Context, QWidget], Any]) -> None:
        """Any: a dialog that hears events."""
        dialog = make(self._context, self._window)
        self._window.bridge.heard.connect(dialog.hear)
        dialog.open()

    async def _show_strength(self) -> None:
        status = await self._context.api.status()
        StrengthDialog(self._context, status, self._window).open()

    def _help(self) -> None:
        Help(self._context.theme, self._window).show()

    def _check_machine(self) -> None:
        MachineDialog(self._context, self._window).open()


BEFORE = ("servers", "skills", "calls", "files")  # left of the centre
AFTER = ("runs", "output", "audit")  # right of it and below


class PaneRound(QObject):
    """Belongs to one window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        bind = window.commands.bind
        for name in (*BEFORE, *AFTER):
            bind(f"pane.{name}", partial(self._go_to, name))
        bind("pane.centre", window.centre.take_keyboard)
        bind("pane.next", partial(self._cycle, 1))
        bind("pane.previous", partial(self._cycle, -1))
        bind("servers.find", partial(self.search, "servers"))
        bind("audit.find", partial(self.search, "audit"))

    def search(self, name: str) -> None:
        """Put the keyboard into the search of a pane."""
        self._window.docks[name].come()
        pane = self._window.servers if name == "servers" else self._window.audit
        pane.finder.setFocus(Qt.FocusReason.ShortcutFocusReason)
        pane.finder.selectAll()

    def _go_to(self, name: str) -> None:
        self._window.docks[name].come()

    def _cycle(self, step: int) -> None:
        """From pane to pane; hidden ones are passed over."""
        places = [*self._seen(BEFORE), self._window.centre, *self._seen(AFTER)]
        focus = QApplication.focusWidget()
        here = next((at for at, place in enumerate(places) if focus and place.isAncestorOf(focus)), -step)
        target = places[(here + step) % len(places)]
        if target is self._window.centre:
            self._window.centre.take_keyboard()
        else:
            target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _seen(self, names: tuple[str, ...]) -> list[QWidget]:
        docks = self._window.docks
        return [docks[name].pane for name in names if not docks[name].visibleRegion().isEmpty()]


class Wiring(QObject):
    """Belongs to one window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._context = window.context
        self._context.messages.requested.connect(self.grant)
        window.centre.welcome_closed.connect(self._welcome_closed)
        window.servers.found.counted.connect(self._show_found)
        window.servers.loaded.connect(self._show_found)
        self._show_found()
        self._asks = AskDialogs(self._context, window.asks, window)
        window.bridge.heard.connect(self._asks.hear)
        window.bridge.linked.connect(self._asks.link)
        self._asks.link(window.bridge.link)
        self._approvals = ApprovalDialogs(self._context, window)
        self._approvals.allowed.connect(self._run_started)
        self._plans = Plans(self._context, window)
        self._plans.refused.connect(self._approvals.show_refusal)
        self._plans.decided.connect(self._approvals.put_away)
        for part in (self._approvals, self._plans):
            window.bridge.heard.connect(part.hear)
            window.bridge.linked.connect(part.link)
        self._held_calls = HeldCallDialogs(self._context, window.held_calls, window)
        window.bridge.heard.connect(self._held_calls.hear)
        window.bridge.linked.connect(self._held_calls.link)
        self._openings = Openings(window)
        self._round = PaneRound(window)
        self._skill_deeds = SkillDeeds(self._context, window.commands, window.skills.chosen_name, window)
        window.skills.followed.connect(self._follow_skill)
        self._bind()
        self._bring_back()

    def grant(self, wish: Request) -> None:
        """See to one wish."""
        match wish:
            case ShowTool(server, tool, follow, enter):
                if not follow or self._window.centre.currentWidget() is self._window.centre.tool:
                    self._show_tool(server, tool, enter=enter)
            case ShowCall():
                self._show_call(wish)
            case SaveCall(call, outcome):
                self._save_call(call, outcome)
            case ShowServer():
                self._show_server(wish)
            case ConnectServers(servers):
                self._run("connect servers", self._window.servers.connect_servers(servers))
            case ShowCode():
                self._show_code(wish)
            case ShowRun(run_id):
                self._run("open run", self._show_run(run_id))
            case ShowSkill(name):
                self._run("open skill", self._show_skill(name))
            case ShowSkillPage(name, run, test):
                self._show_skill_page(name, run=run, test=test)
            case RecordRun(run_id):
                self._run("record a run", self._record_run(run_id))
            case KeepRun(run_id):
                self._run("keep as skill", self._keep_run(run_id))
            case KeepSkill(name):
                self._run("keep skill", self._keep_skill(name))
            case ShowAsk(ask_id):
                self._asks.show(ask_id)
            case ShowHeldCall(held_call_id):
                self._held_calls.show(held_call_id)
            case ShowPlan(run_id):
                self._plans.show(run_id)
            case StartDryRun(run_id):
                self._plans.dry_run(run_id)
            case FindAnything(words):
                self._openings.open_palette(words)
            case FilterServers(words):
                self._round.search("servers")
                self._window.servers.finder.setText(words)
            case ShowPrivacy(page, session):
                self._window.centre.show_privacy(page, session)
            case ShowFile(path):
                self._window.centre.files.show_file(path)
            case ShowChanges(name):
                self._window.centre.files.show_changes(name)
            case DoAction(action):
                self._window.commands.do(action)
            case FollowRun(run_id):
                self._run_started(run_id)
            case KeepProgram(code, skill):
                self._keep_program(code, skill)

    # what was open before

    def _bring_back(self) -> None:
        """Forms, the open tool and the expanded servers, as the window was left."""
        window, session = self._window, self._window.session
        was, forms, names = session.open, session.forms(), session.expanded
        tool = window.centre.tool
        tool.bring_back(forms)
        tool.form_changed.connect(self._keep_form)
        tool.opened.connect(session.note_open)
        window.servers.expand(names)
        window.servers.expanded.connect(session.note_expanded)
        if was[1]:
            self._was_open = was
            window.servers.loaded.connect(self._open_again)
            if window.servers.model.rowCount():  # the core was faster
                self._open_again()

    def _keep_form(self, server: str, tool: str) -> None:
        self._window.session.note_form(server, tool, partial(self._window.centre.tool.draft, server, tool))

    def _open_again(self) -> None:
        self._window.servers.loaded.disconnect(self._open_again)
        self._run("open the tool that was open", self._opened_again(*self._was_open))

    async def _opened_again(self, server: str, tool: str) -> None:
        centre = self._window.centre
        front = centre.currentWidget()
        if await centre.tool.bring_back_tool(server, tool):
            centre.name_tool(tool)
            self._window.servers.show_tool(server, tool)
            if centre.currentWidget() is front is centre.welcome:
                centre.setCurrentWidget(centre.tool)

    # tools, programs, skills

    def _show_tool(self, server: str, tool: str, *, enter: bool = False) -> None:
        self._window.docks["servers"].raise_()
        self._window.servers.show_tool(server, tool)
        if tool:
            centre = self._window.centre
            centre.setCurrentWidget(centre.tool)
            centre.tool.show_tool(server, tool, enter=enter)
            centre.name_tool(tool)
        else:
            self._window.docks["servers"].come()

    def _show_call(self, wish: ShowCall) -> None:
        self._show_tool(wish.server, wish.tool)
        start = wish.start and not wish.withheld
        self._window.centre.tool.show_call(wish.server, wish.tool, wish.arguments, start=start)
        if wish.withheld:
            names = ", ".join(wish.withheld)
            self._context.say(f"Secret arguments are not kept: fill in {one_line(names, 100)}.")

    def _save_call(self, call: SavedCall, outcome: Outcome | None) -> None:
        from workbench.gui.tools.save_call import SaveCallDialog

        dialog = SaveCallDialog(self._context, call, outcome, self._window)
        dialog.kept.connect(self._call_kept)
        dialog.open()

    def _call_kept(self, call: SavedCall) -> None:
        self._context.say(f"Saved as {call.file}.")
        self._window.calls.look(0)
        self._window.docks["calls"].raise_()

    def _show_server(self, wish: ShowServer) -> None:
        centre = self._window.centre
        centre.server.show_server(wish.server, wish.page, wish.item)
        centre.setCurrentWidget(centre.server)

    def _show_all_servers(self) -> None:
        centre = self._window.centre
        centre.server.show_all()
        centre.setCurrentWidget(centre.server)
        centre.take_keyboard()

    def _show_code(self, wish: ShowCode) -> None:
        centre = self._window.centre
        centre.setCurrentWidget(centre.editor)
        centre.editor.open_code(wish.skill or wish.purpose, wish.code, wish.skill, wish.language)
        if wish.start:
            centre.editor.run()

    def _edit_skill(self, name: str) -> None:
        self._run("open skill", self._show_skill(name))

    async def _show_skill(self, name: str) -> None:
        skill = await self._context.api.skill(name)
        self._show_code(ShowCode(skill.code, skill=skill.name))

    def _show_skill_page(self, name: str, *, run: bool = False, test: bool = False) -> None:
        page = self._window.centre.skill
        self._window.centre.setCurrentWidget(page)
        self._window.skills.select(name)
        page.show_skill(name)
        if test:
            page.tabs.setCurrentWidget(page.tests)
            page.tests.test()
        if run:
            self._run("run a skill", self._skill_deeds.run(name))

    def _follow_skill(self, name: str) -> None:
        if self._window.centre.skill_in_front:
            self._window.centre.skill.show_skill(name)

    async def _record_run(self, run_id: str) -> None:
        await self._skill_deeds.record(run_id)

    def _keep_program(self, code: str, skill: str) -> None:
        """A program of a skill becomes its next version; the dialog knows its name and texts already."""
        if skill:
            self._run("keep a skill", self._keep_edited(skill, code))
        else:
            self._keep(code=code)

    async def _keep_edited(self, name: str, code: str) -> None:
        try:
            skill = await self._context.api.skill(name)
        except WorkbenchError:  # it is gone since
            self._keep(code=code)
        else:
            self._keep(skill=replace(skill, code=code))

    async def _keep_run(self, run_id: str) -> None:
        self._keep(run=await self._context.api.run(run_id))

    async def _keep_skill(self, name: str) -> None:
        self._keep(skill=await self._context.api.skill(name))

    def _keep(self, *, run: Run | None = None, skill: Skill | None = None, code: str = "") -> None:
        from workbench.gui.skills.keep_skill import KeepDialog

        dialog = KeepDialog(self._context, run, skill, self._window, code=code)
        dialog.kept.connect(self._kept)
        dialog.open()

    def _kept(self, skill: Skill) -> None:
        """Show where it went."""
        kept = f"Kept {skill.name} as version {skill.version}: agents find it from now on."
        draft = f"Saved {skill.name} as a draft; agents do not see it."
        self._context.say(kept if skill.state is SkillState.KEPT else draft)
        self._window.docks["skills"].raise_()

    # runs

    async def _show_run(self, run_id: str) -> None:
        run = await self._context.api.run(run_id)
        if run.state is RunState.WAITING:
            self._approvals.show(run)
        else:
            self._window.output.show_run(run.id)
            self._window.docks["output"].come()

    def _show_found(self) -> None:
        servers = self._window.servers
        self._window.centre.welcome.found.show_found(servers.found.new, servers.model.states())

    # the window's own actions

    def _bind(self) -> None:
        window, bind = self._window, self._window.commands.bind
        bind("ask.answer", self._asks.show)
        bind("held_call.decide", self._held_calls.show)
        bind("agent.example", self._context.api.start_example_agent)
        bind("editor.go_on", window.centre.go_on)
        bind("editor.dry_run", window.centre.dry_run)
        bind("run.keep", window.output.keep)
        bind("run.record", window.output.record)
        bind("core.again", window.bridge.keep)
        bind("window.close", self._close)
        bind("front.start", self._start_front)
        bind("servers.all", self._show_all_servers)
        bind("editor.show", self._show_editor)
        for page, name in PAGES.items():
            bind(name, partial(window.centre.show_privacy, page))
        for name, deed in TOOL_DEEDS.items():
            bind(name, partial(self._with_tool, deed))
        for name, deed in EDITOR_DEEDS.items():
            bind(name, partial(self._with_editor, deed))
        bind("result.find", self._find)
        bind("files.changes", self._show_file_changes)
        bind("theme.switch", self._switch_theme)
        bind("theme.system", partial(self._set_theme, "system"))
        bind("layout.room", window.give_room)
        bind("layout.reset", window.reset_layout)
        bind("welcome.show", self._show_welcome)

    def _start_front(self) -> None:
        if not self._window.centre.start_front():
            self._window.statusBar().showMessage("Nothing here can run: choose a tool, or write a program.", 4000)

    def _run_started(self, run_id: str) -> None:
        self._window.output.show_run(run_id)
        self._window.docks["output"].raise_()

    def _with_tool(self, deed: Callable[[CallPanel], object]) -> None:
        panel = self._window.centre.tool.call()
        if panel is not None:
            self._window.centre.setCurrentWidget(self._window.centre.tool)
            deed(panel)

    def _with_editor(self, deed: Callable[[EditorPane], object]) -> None:
        deed(self._window.centre.editor)

    def _find(self) -> None:
        """Where the keyboard is: in the program, or in the answer of the tool."""
        if self._window.centre.editor_in_front:
            self._window.centre.editor.seek()
        else:
            self._with_tool(methodcaller("search"))

    def _show_file_changes(self) -> None:
        self._window.docks["files"].come()
        self._window.files.look(CHANGES)

    def _show_editor(self) -> None:
        editor = self._window.centre.editor
        self._window.centre.setCurrentWidget(editor)
        if editor.sheet() is None:
            editor.new_program()
        self._window.centre.take_keyboard()

    def _show_welcome(self) -> None:
        self._window.layout_file.welcome = True
        self._window.centre.show_welcome()

    def _welcome_closed(self) -> None:
        self._window.layout_file.welcome = False

    def _close(self) -> None:
        self._window.close()

    # colours

    async def _switch_theme(self) -> None:
        await self._set_theme("light" if self._context.theme.dark else "dark")

    async def _set_theme(self, setting: str) -> None:
        self._context.theme.choose(setting)
        await self._context.api.change_setting("window.theme", setting)

    def _run(self, name: str, coro: Coroutine[Any, Any, object]) -> None:  # Any: as in Tasks.run
        self._context.tasks.run(name, coro)
