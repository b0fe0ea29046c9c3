"""The main window: pages in the centre, panes around it, banners above, status bar below.

In a narrow window the runs move into a tab below the centre, in a low one the panes below are lower. A pane that the
user moved elsewhere stays there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QMainWindow, QTabBar, QTabWidget, QWidget

from workbench.events import RequestsAnnounced
from workbench.gui.centre import Centre
from workbench.gui.kit.dialogs import fit_to_screen
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column
from workbench.gui.runs.pending_strip import PendingStrip
from workbench.gui.runs.run_list import RunsPane
from workbench.gui.servers.server_list import ServersPane
from workbench.gui.shell.actions import LINKED, UNLINKED
from workbench.gui.shell.attention import Attention
from workbench.gui.shell.banners import Banners
from workbench.gui.shell.bridge import Bridge, Link, LinkState
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.docks import Dock
from workbench.gui.shell.keyboard import FocusKeys, open_context_menu, step_focus
from workbench.gui.shell.search_button import SearchButton
from workbench.gui.shell.status_bar import Status
from workbench.gui.shell.tray import ClosingDialog, Tray, has_tray, waiting_sentence
from workbench.gui.shell.window_state import Layout, WindowSession
from workbench.gui.skills.skill_list import SkillsPane
from workbench.records import Origin, Run

if TYPE_CHECKING:
    from workbench.gui.audit.audit_pane import AuditPane
    from workbench.gui.files.file_tree import FilesPane
    from workbench.gui.runs.output import OutputPane
    from workbench.gui.tools.calls_pane import CallsPane
    from workbench.settings import Settings

_NARROW = 265  # in units: in a narrower window the runs are below the centre
_LOW = 130  # in units: in a lower window the form needs the room more than the panes about runs
_SIDE, _SIDE_SHARE = 70, 0.25  # width of the panes beside the centre in units, and at most this share of the window
_BELOW, _BELOW_SHARE = 62, 0.28  # the same for the height of the panes below
_CALM_MS = 60  # without another size before something moves
_FRAME_MS = 100  # until the window manager has added its frame
LEFT, RIGHT, BOTTOM = (
    Qt.DockWidgetArea.LeftDockWidgetArea,
    Qt.DockWidgetArea.RightDockWidgetArea,
    Qt.DockWidgetArea.BottomDockWidgetArea,
)


# Panes that few users have in front at start are imported and made after the first frame.


def _make_calls(context: Context) -> Pane:
    from workbench.gui.tools.calls_pane import CallsPane

    return CallsPane(context)


def _make_files(context: Context) -> Pane:
    from workbench.gui.files.file_tree import FilesPane

    return FilesPane(context, context.commands)


def _make_output(context: Context) -> Pane:
    from workbench.gui.runs.output import OutputPane

    return OutputPane(context)


def _make_audit(context: Context) -> Pane:
    from workbench.gui.audit.audit_pane import AuditPane

    return AuditPane(context, context.commands)


class PaneEntry(NamedTuple):
    """A pane around the centre: its name, its place after a reset of the layout, and how it is made."""

    name: str
    area: Qt.DockWidgetArea
    make: Callable[[Context], Pane]
    late: bool = False
    """Made after the first frame; until then its dock is empty."""


PANES = (
    PaneEntry("servers", LEFT, ServersPane),
    PaneEntry("skills", LEFT, lambda context: SkillsPane(context, context.commands)),
    PaneEntry("calls", LEFT, _make_calls, late=True),
    PaneEntry("files", LEFT, _make_files, late=True),
    PaneEntry("runs", RIGHT, lambda context: RunsPane(context, context.commands)),
    PaneEntry("output", BOTTOM, _make_output, late=True),
    PaneEntry("audit", BOTTOM, _make_audit, late=True),
)
"""Every pane, in the order of tabs and of F6. Docks, layout and actions follow from this table."""
LEFT_PANES = tuple(entry.name for entry in PANES if entry.area is LEFT)
OTHER_PANES = tuple(entry.name for entry in PANES if entry.area is not LEFT)
"""Panes about runs, right of the centre and below it."""


def _apply_looks(window: MainWindow, settings: Settings) -> None:
    window.context.theme.choose(settings.window_theme, settings.window_font_size)


def _apply_tray(window: MainWindow, settings: Settings) -> None:
    window.tray.turn(settings.window_tray)


APPLIED_SETTINGS: dict[str, Callable[[MainWindow, Settings], None]] = {
    "window.theme": _apply_looks,
    "window.font_size": _apply_looks,
    "window.tray": _apply_tray,
}
"""What the window does with settings that it applies itself, at start and after a change."""


class ResponsiveDocks(QObject):
    """Moves the docks when the window becomes narrow or low."""

    def __init__(self, window: MainWindow, layout: Layout, *, restored: bool) -> None:
        super().__init__(window)
        self._restored = restored  # the panes below have a height already
        self._window = window
        self._layout = layout
        self._unit = window.context.theme.unit
        self._height = 0  # of the panes below, in pixels
        self._calm = QTimer(self, singleShot=True, interval=_CALM_MS)
        self._calm.timeout.connect(self.fit)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._calm.start()
        return False

    def fit(self) -> None:
        """Look at the size, and move what has to move."""
        narrow = self._window.width() < self._unit * _NARROW
        if narrow and not self._layout.runs_below:
            self._move_runs_below()
        elif not narrow and self._layout.runs_below:
            self._move_runs_right()
        if (height := self._window.height_below()) != self._height:
            if self._height or not self._restored:
                self._window.resizeDocks([self._window.docks["audit"]], [height], Qt.Orientation.Vertical)
            self._height = height

    def _move_runs_below(self) -> None:
        runs, audit = self._window.docks["runs"], self._window.docks["audit"]
        if runs.isFloating() or runs.isHidden() or self._window.dockWidgetArea(runs) != RIGHT:
            return
        front = next((dock for dock in self._below() if not dock.visibleRegion().isEmpty()), audit)
        self._window.tabifyDockWidget(audit, runs)
        front.raise_()
        self._layout.runs_below = True
        self._window.size_sides("servers")

    def _move_runs_right(self) -> None:
        runs = self._window.docks["runs"]
        self._layout.runs_below = False
        if runs.isFloating() or self._window.dockWidgetArea(runs) != BOTTOM:
            return  # the user put it somewhere else
        self._window.addDockWidget(RIGHT, runs)
        runs.show()
        self._window.size_sides("servers", "runs")

    def _below(self) -> list[Dock]:
        return [self._window.docks[name] for name in ("output", "audit")]


class MainWindow(QMainWindow):
    """The window of one project."""

    leaving = Signal()
    """The user closed the window; it is still there until everything has ended."""
    review_requested = Signal()
    """The user wants to review what waits."""
    servers: ServersPane
    skills: SkillsPane
    calls: CallsPane
    files: FilesPane
    runs: RunsPane
    output: OutputPane
    audit: AuditPane

    def __init__(self, context: Context, bridge: Bridge) -> None:
        super().__init__()
        self.context = context
        self.layout_file = Layout(context.paths)
        self.setObjectName("window")
        self.setWindowTitle(f"{context.paths.project.name} — MCP Workbench")
        self.setWindowIcon(icon("app", "accent"))
        self.setDockOptions(QMainWindow.DockOption.AllowTabbedDocks | QMainWindow.DockOption.AllowNestedDocks)
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        FocusKeys(self)
        QShortcut(QKeySequence("Shift+F10"), self, open_context_menu)
        QShortcut(QKeySequence("F10"), self, self._open_menu_bar)
        self._put_away: list[Dock] = []  # panes that gave the centre their room
        self.commands = context.commands
        self.commands.attach(self)
        self.session = WindowSession(context.paths.window_session, self)
        self._make_panes()
        self._lay_out()
        self._connect(bridge)
        self._restored = self.layout_file.restore(self)
        if self._restored:
            self._place_new_panes()
        else:
            self.reset_layout()
        if not self.layout_file.runs_introduced:
            context.store.run_changed.connect(self._introduce_runs)
        self._responsive = ResponsiveDocks(self, self.layout_file, restored=self._restored)
        if not self.layout_file.welcome:
            self.centre.hide_welcome()

    # what it is made of

    def _make_panes(self) -> None:
        self.banners = Banners(self.context, self)
        self.strip = PendingStrip(self.context, self)
        self.centre = Centre(self.context, self)
        self.status = Status(self.context, self)
        self.docks = {entry.name: Dock(entry.name, self.context.theme.unit, self) for entry in PANES}
        for entry in PANES:
            if not entry.late:
                self._make_pane(entry)

    def _make_pane(self, entry: PaneEntry) -> None:
        pane = entry.make(self.context)
        setattr(self, entry.name, pane)
        self.docks[entry.name].set_pane(pane)

    def make_late_panes(self) -> None:
        """Make the panes that the first frame does not need."""
        for entry in PANES:
            if entry.late:
                self._make_pane(entry)

    def _lay_out(self) -> None:
        middle = QWidget(self)
        # The strip is below: what the user is typing or pointing at does not move.
        column(middle, self.banners, self.centre, self.strip, grows=self.centre)
        self.setCentralWidget(middle)
        self.commands.fill_menu_bar(self.menuBar())
        self.menuBar().setCornerWidget(SearchButton(self.commands, self.menuBar()))
        self.statusBar().setSizeGripEnabled(False)
        self.status.setMinimumWidth(1)  # with long texts or a large font, the status bar would widen the window
        self.statusBar().addPermanentWidget(self.status, 1)
        self.statusBar().messageChanged.connect(self.status.show_tip)
        self.context.messages.said.connect(self.status.show_message)
        for entry in PANES:
            self.addDockWidget(entry.area, self.docks[entry.name])
            self._watch(self.docks[entry.name])

    def _connect(self, bridge: Bridge) -> None:
        self.bridge = bridge
        bridge.linked.connect(self._linked)
        bridge.event_received.connect(self.context.store.handle)
        self.context.tasks.failed.connect(self.banners.show_fault)
        self.context.store.waiting_changed.connect(self.docks["runs"].count)
        self.skills.agent_drafts.connect(self.docks["skills"].count)
        self.context.store.waiting_changed.connect(Attention(self, bridge).count)
        self.tray = Tray(self, self.review, self.quit, self._pause_agents)
        self.context.store.waiting_changed.connect(self.tray.show_count)
        self.context.store.status_changed.connect(self._show_paused)
        self.context.store.on(RequestsAnnounced, self._announce)

    def _pause_agents(self) -> None:
        self.commands.do("agent.pause")

    def _show_paused(self) -> None:
        self.tray.show_status(self.context.store.status)

    def _announce(self, event: RequestsAnnounced) -> None:
        """Say in the tray that requests wait: no notification service of the desktop did."""
        self.tray.announce(event.title, event.body)

    def _linked(self, link: Link) -> None:
        linked = link.state is LinkState.LINKED
        self.commands.set_condition(LINKED, linked)
        self.commands.set_condition(UNLINKED, link.state is LinkState.BROKEN)
        self.banners.show_link(link)
        self.status.show_link(link)
        if linked:
            self.context.store.load(restarted=link.restarted)

    def apply_settings(self, settings: Settings, names: Iterable[str] = tuple(APPLIED_SETTINGS)) -> None:
        """Apply those of the named settings that concern the window itself."""
        for apply in dict.fromkeys(APPLIED_SETTINGS[name] for name in names if name in APPLIED_SETTINGS):
            apply(self, settings)

    # where things are

    def reset_layout(self) -> None:
        """Every pane in its first place. Panes about runs are shown from the first run on."""
        self.layout_file.runs_below = False
        unit = self.context.theme.unit
        self.resize(unit * 340, unit * 215)
        fit_to_screen(self)
        for entry in PANES:
            dock = self.docks[entry.name]
            dock.setFloating(False)
            self.addDockWidget(entry.area, dock)
            dock.setVisible(entry.area is LEFT or self.layout_file.runs_introduced)
        for first, second in pairwise(PANES):
            if first.area is second.area:
                self.tabifyDockWidget(self.docks[first.name], self.docks[second.name])
        self.docks["servers"].raise_()
        self.docks["output"].raise_()
        self.setCorner(Qt.Corner.BottomLeftCorner, LEFT)
        self._size_docks()
        self._settle()

    def _place_new_panes(self) -> None:
        """After an update: put panes that the restored layout does not contain into the tabs of their neighbours."""
        known = self.layout_file.docks
        for entry in PANES:
            dock = self.docks[entry.name]
            beside = [self.docks[other.name] for other in PANES if other.area is entry.area]
            neighbours = [other for other in beside if other.objectName() in known]
            if neighbours and dock.objectName() not in known:
                self.tabifyDockWidget(neighbours[0], dock)
                dock.setVisible(not neighbours[0].isHidden())

    def _introduce_runs(self, run: Run) -> None:
        """Before the first run the panes about runs have nothing to show, and the form needs the room."""
        if self.height() < self.context.theme.unit * _LOW:
            return
        self.context.store.run_changed.disconnect(self._introduce_runs)
        self.layout_file.runs_introduced = True
        for dock in self._docks_about_runs():
            dock.show()
        self._size_docks()
        self._responsive.fit()
        self.docks["runs" if run.proposal.origin is Origin.AGENT else "output"].raise_()

    def size_sides(self, *names: str) -> None:
        """Give these panes beside the centre their usual width."""
        width = min(self.context.theme.unit * _SIDE, int(self.width() * _SIDE_SHARE))
        self.resizeDocks([self.docks[name] for name in names], [width] * len(names), Qt.Orientation.Horizontal)

    def height_below(self) -> int:
        """The usual height of the panes below the centre."""
        return min(self.context.theme.unit * _BELOW, int(self.height() * _BELOW_SHARE))

    def _size_docks(self) -> None:
        self.size_sides("servers", "runs")
        self.resizeDocks([self.docks["audit"]], [self.height_below()], Qt.Orientation.Vertical)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self._fit_to_screen()
            QTimer.singleShot(_FRAME_MS, self, self._fit)

    def _fit_to_screen(self) -> None:
        if not self.isMaximized() and not self.isFullScreen():  # then the window manager has fitted it
            fit_to_screen(self)

    def _fit(self) -> None:
        self._fit_to_screen()
        if not self._restored:
            self._size_docks()
            self._restored = True

    def give_room(self) -> None:
        """The centre takes the place of the panes right and below, or gives it back; the strip says what waits."""
        around = self._docks_about_runs()
        shown = [dock for dock in around if not dock.isHidden()]
        for dock in shown:
            dock.hide()
        for dock in () if shown else self._put_away or around:
            dock.show()
        self._put_away = shown

    def _docks_about_runs(self) -> list[Dock]:
        return [self.docks[name] for name in OTHER_PANES]

    def _watch(self, dock: Dock) -> None:
        dock.dockLocationChanged.connect(self._settle)
        dock.topLevelChanged.connect(self._settle)
        dock.visibilityChanged.connect(self._settle)

    def _settle(self) -> None:
        for dock in self.docks.values():
            dock.settle()
        for bar in self.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            bar.setAccessibleName("Panes in this place")
            bar.setIconSize(QSize(0, 0))
            bar.setElideMode(Qt.TextElideMode.ElideNone)
            bar.setUsesScrollButtons(True)

    def _open_menu_bar(self) -> None:
        bar = self.menuBar()
        bar.setFocus(Qt.FocusReason.MenuBarFocusReason)
        bar.setActiveAction(bar.actions()[0])

    def focusNextPrevChild(self, forward: bool) -> bool:
        return step_focus(self, forward=forward)

    def closeEvent(self, event: QCloseEvent) -> None:
        """The window stays until tasks and connection have ended; otherwise the loop would die under them."""
        event.ignore()
        if self.tray.is_shown and self.isVisible():
            self._save()
            self.tray.hide_window()
        else:
            self.quit()

    def quit(self) -> None:
        """Close the window; the user is asked if something waits."""
        if not (sentence := waiting_sentence(self.context.store)):
            self.leave()
            return
        ClosingDialog(
            self.context.theme,
            sentence,
            self,
            close=self.leave,
            keep=self._keep_in_tray,
            review=self.review,
            tray=has_tray(),
        ).open()

    def review(self) -> None:
        """Show what waits."""
        self.review_requested.emit()

    def leave(self) -> None:
        """Close the window without a question."""
        self._save()
        self.leaving.emit()

    def _keep_in_tray(self) -> None:
        self.tray.turn(True)
        self._save()
        self.tray.hide_window()

    def _save(self) -> None:
        self.session.write()
        self.layout_file.save(self)
