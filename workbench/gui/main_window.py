"""The main window: pages in the centre, panes around it, banners above, status bar below.

In a narrow window the runs move into a tab below the centre, in a low one the panes below are lower. A pane that the
user moved elsewhere stays there.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow, QTabBar, QTabWidget, QVBoxLayout, QWidget

from workbench.gui.audit.audit_pane import AuditPane
from workbench.gui.centre import Centre
from workbench.gui.files.file_tree import FilesPane
from workbench.gui.kit.dialogs import fit_to_screen
from workbench.gui.kit.icons import icon
from workbench.gui.runs.pending_strip import PendingStrip
from workbench.gui.runs.run_list import RunsPane
from workbench.gui.servers.server_list import ServersPane
from workbench.gui.shell.actions import LINKED, UNLINKED
from workbench.gui.shell.attention import Attention
from workbench.gui.shell.banners import Banners
from workbench.gui.shell.bridge import Bridge, Link, LinkState
from workbench.gui.shell.context import Context
from workbench.gui.shell.docks import Dock
from workbench.gui.shell.keyboard import ButtonKeys, step_focus
from workbench.gui.shell.menus import fill_menu_bar
from workbench.gui.shell.search_button import SearchButton
from workbench.gui.shell.status_bar import Status
from workbench.gui.shell.window_state import Layout, WindowSession
from workbench.gui.skills.skill_list import SkillsPane
from workbench.gui.tools.calls_pane import CallsPane

_NARROW, _LOW = 265, 180  # in units: below it, things move together
_SIDE, _SLIM_SIDE = 70, 64
_BELOW, _LOW_BELOW = 62, 44
_CALM = 60  # milliseconds without another size before something moves
_RIGHT, _BOTTOM = Qt.DockWidgetArea.RightDockWidgetArea, Qt.DockWidgetArea.BottomDockWidgetArea


class ResponsiveDocks(QObject):
    """Moves the docks when the window becomes narrow or low."""

    def __init__(self, window: MainWindow, layout: Layout) -> None:
        super().__init__(window)
        self._window = window
        self._layout = layout
        self._unit = window.context.theme.unit
        self._low = False
        self._calm = QTimer(self, singleShot=True, interval=_CALM)
        self._calm.timeout.connect(self.fit)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._calm.start()
        return False

    def fit(self) -> None:
        """Look at the size, and move what has to move."""
        narrow, low = self._window.width() < self._unit * _NARROW, self._window.height() < self._unit * _LOW
        if narrow and not self._layout.runs_below:
            self._put_below()
        elif not narrow and self._layout.runs_below:
            self._put_beside()
        if low != self._low:
            self._low = low
            self._give("audit", _LOW_BELOW if low else _BELOW, Qt.Orientation.Vertical)

    def _put_below(self) -> None:
        runs, audit = self._window.docks["runs"], self._window.docks["audit"]
        if runs.isFloating() or runs.isHidden() or self._window.dockWidgetArea(runs) != _RIGHT:
            return
        front = next((dock for dock in self._below() if not dock.visibleRegion().isEmpty()), audit)
        self._window.tabifyDockWidget(audit, runs)
        front.raise_()
        self._layout.runs_below = True
        self._give("servers", _SLIM_SIDE, Qt.Orientation.Horizontal)

    def _put_beside(self) -> None:
        runs = self._window.docks["runs"]
        self._layout.runs_below = False
        if runs.isFloating() or self._window.dockWidgetArea(runs) != _BOTTOM:
            return  # a person put it somewhere
        self._window.addDockWidget(_RIGHT, runs)
        runs.show()
        for name in ("servers", "runs"):
            self._give(name, _SIDE, Qt.Orientation.Horizontal)

    def _below(self) -> list[Dock]:
        return [self._window.docks[name] for name in ("output", "audit") if name in self._window.docks]

    def _give(self, name: str, units: int, way: Qt.Orientation) -> None:
        self._window.resizeDocks([self._window.docks[name]], [self._unit * units], way)


LEFT, RIGHT, BOTTOM = (
    Qt.DockWidgetArea.LeftDockWidgetArea,
    Qt.DockWidgetArea.RightDockWidgetArea,
    Qt.DockWidgetArea.BottomDockWidgetArea,
)
PLACES = {
    "servers": LEFT,
    "skills": LEFT,
    "calls": LEFT,
    "files": LEFT,
    "runs": RIGHT,
    "audit": BOTTOM,
    "output": BOTTOM,
}


class MainWindow(QMainWindow):
    """One project, one window."""

    leaving = Signal()
    """A person closed the window; it is still there until everything has ended."""

    def __init__(self, context: Context, bridge: Bridge) -> None:
        super().__init__()
        self.context = context
        self.layout_file = Layout(context.paths)
        self.setObjectName("window")
        self.setWindowTitle(f"{context.paths.project.name} — MCP Workbench")
        self.setWindowIcon(icon("app", "accent"))
        self.setDockOptions(QMainWindow.DockOption.AllowTabbedDocks | QMainWindow.DockOption.AllowNestedDocks)
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        ButtonKeys(self)
        self._put_away: list[Dock] = []  # panes that gave the centre their room
        self.commands = context.commands
        self.commands.attach(self)
        self.session = WindowSession(context.paths.window_session, self)
        self._make_panes()
        self._lay_out()
        self._connect(bridge)
        if not self.layout_file.restore(self):
            self.reset_layout()
        if not self.layout_file.runs_introduced:
            context.store.run_changed.connect(self._introduce_runs)
        self._responsive = ResponsiveDocks(self, self.layout_file)
        if not self.layout_file.welcome:
            self.centre.hide_welcome()

    # what it is made of

    def _make_panes(self) -> None:
        self.banners = Banners(self.context, self.commands["core.again"], self.commands["secrets.open"], self)
        self.strip = PendingStrip(self.context, self)
        self.centre = Centre(self.context, self.commands, self)
        self.status = Status(self.context, self)
        self.servers = ServersPane(self.context, self.commands)
        self.runs = RunsPane(self.context, self.commands)
        self.audit = AuditPane(self.context, self.commands)
        self.skills = SkillsPane(self.context, self.commands)
        self.calls = CallsPane(self.context)
        self.files = FilesPane(self.context, self.commands)
        self.docks = {
            "servers": Dock("servers", "Servers", self.servers, self),
            "skills": Dock("skills", "Skills", self.skills, self),
            "calls": Dock("calls", "Calls", self.calls, self),
            "files": Dock("files", "Files", self.files, self),
            "runs": Dock("runs", "Runs", self.runs, self),
            "audit": Dock("audit", "Audit", self.audit, self),
        }

    def add_output(self) -> None:
        """The output pane comes after the first frame, into the place the layout keeps for it."""
        from workbench.gui.runs.output import OutputPane

        self.output = OutputPane(self.context)
        dock = Dock("output", "Output", self.output, self)
        self.docks["output"] = dock
        if not self.restoreDockWidget(dock):
            dock.setVisible(self.layout_file.runs_introduced)
            beside = [
                self.docks["audit"],
                *self.tabifiedDockWidgets(self.docks["audit"]),
            ]  # runs, too
            self.addDockWidget(BOTTOM, dock)
            for other in beside:
                self.tabifyDockWidget(dock, other)
        if self.layout_file.output_in_front:
            if (layout := self.layout()) is not None:
                layout.activate()  # makes the tabs, without which nothing can be put before others
            dock.raise_()
            QTimer.singleShot(0, dock.raise_)  # tabs that were made just now forget it
        self._watch(dock)
        self._settle()

    def _lay_out(self) -> None:
        middle = QWidget(self)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.banners)
        column.addWidget(self.centre, 1)
        column.addWidget(self.strip)  # below: what the user is typing or pointing at does not move
        self.setCentralWidget(middle)
        fill_menu_bar(self.menuBar(), self.commands)
        self.menuBar().setCornerWidget(SearchButton(self.commands, self.menuBar()))
        self.statusBar().setSizeGripEnabled(False)
        self.statusBar().addPermanentWidget(self.status, 1)
        self.statusBar().messageChanged.connect(self.status.show_tip)
        self.context.messages.said.connect(self.status.show_message)
        for name, dock in self.docks.items():
            self.addDockWidget(PLACES[name], dock)
            self._watch(dock)

    def _connect(self, bridge: Bridge) -> None:
        self.bridge = bridge
        bridge.linked.connect(self._linked)
        bridge.event_received.connect(self.context.store.handle)
        self.context.tasks.failed.connect(self.banners.show_fault)
        self.runs.waiting.connect(self.docks["runs"].count)
        self.skills.agent_drafts.connect(self.docks["skills"].count)
        self.runs.waiting.connect(Attention(self).count)

    def _linked(self, link: Link) -> None:
        linked = link.state is LinkState.LINKED
        self.commands.hold(LINKED, linked)
        self.commands.hold(UNLINKED, link.state is LinkState.BROKEN)
        self.banners.show_link(link)
        self.status.show_link(link)
        if linked:
            self.context.store.load(restarted=link.restarted)

    # where things are

    def reset_layout(self) -> None:
        """Every pane in its first place. Panes about runs are shown from the first run on."""
        self.layout_file.runs_below = False
        unit = self.context.theme.unit
        self.resize(unit * 340, unit * 215)
        fit_to_screen(self)
        for name, area in PLACES.items():
            if name in self.docks:
                self.docks[name].setFloating(False)
                self.addDockWidget(area, self.docks[name])
                self.docks[name].setVisible(area is LEFT or self.layout_file.runs_introduced)
        self.tabifyDockWidget(self.docks["servers"], self.docks["skills"])
        self.tabifyDockWidget(self.docks["skills"], self.docks["calls"])
        self.tabifyDockWidget(self.docks["calls"], self.docks["files"])
        self.docks["servers"].raise_()
        if "output" in self.docks:
            self.tabifyDockWidget(self.docks["output"], self.docks["audit"])
            self.docks["output"].raise_()
        self.setCorner(Qt.Corner.BottomLeftCorner, LEFT)
        self._size_docks()
        self._settle()

    def _introduce_runs(self) -> None:
        """Before the first run the panes about runs have nothing to show, and the form needs the room."""
        self.context.store.run_changed.disconnect(self._introduce_runs)
        self.layout_file.runs_introduced = True
        for name, area in PLACES.items():
            if area is not LEFT and name in self.docks:
                self.docks[name].show()
        if "output" in self.docks:
            self.docks["output"].raise_()
        self._size_docks()
        self._responsive.fit()

    def _size_docks(self) -> None:
        unit = self.context.theme.unit
        self.resizeDocks([self.docks["servers"], self.docks["runs"]], [unit * 70, unit * 70], Qt.Orientation.Horizontal)
        below = _LOW_BELOW if self.height() < unit * _LOW else _BELOW
        self.resizeDocks([self.docks["audit"]], [unit * below], Qt.Orientation.Vertical)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            fit_to_screen(self)

    def give_room(self) -> None:
        """The centre takes the place of the panes right and below, or gives it back; the strip says what waits."""
        around = [self.docks[name] for name, area in PLACES.items() if area is not LEFT and name in self.docks]
        shown = [dock for dock in around if not dock.isHidden()]
        for dock in shown:
            dock.hide()
        for dock in () if shown else self._put_away or around:
            dock.show()
        self._put_away = shown

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

    def focusNextPrevChild(self, forward: bool) -> bool:
        return step_focus(self, forward=forward)

    def closeEvent(self, event: QCloseEvent) -> None:
        """The window stays until tasks and connection have ended; otherwise the loop would die under them."""
        event.ignore()
        self.session.write()
        output = self.docks.get("output")
        self.layout_file.save(self, output_in_front=output is None or not output.visibleRegion().isEmpty())
        self.leaving.emit()
