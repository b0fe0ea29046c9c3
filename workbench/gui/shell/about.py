"""The dialog about this program, and the report of a problem."""

from __future__ import annotations

import platform

from PySide6.QtCore import qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from workbench import __version__
from workbench.gui.kit.dialogs import Dialog, text_box
from workbench.gui.kit.lists import label
from workbench.gui.kit.theme import Theme
from workbench.gui.shell.context import Context
from workbench.records import CoreStatus, Fault
from workbench.settings import DEFINITIONS, Settings

_LICENCES = (
    "MIT licence. Built with Python, Qt for Python (LGPL 3), the Model Context Protocol SDK, pygments, msgspec, qasync "
    "and keyring. Fonts: Inter and JetBrains Mono (SIL Open Font License)."
)


class About(Dialog):
    """Shows the version and the licences."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        intro = "Test MCP tools, approve what agents want to run, and curate their skills."
        super().__init__(theme, "MCP Workbench", intro, parent)
        self.setWindowTitle("About MCP Workbench")
        self.body.addWidget(label(f"Version {__version__}", "section"))
        licences = label(_LICENCES, "muted")
        licences.setWordWrap(True)
        self.body.addWidget(licences)
        self.setMinimumWidth(theme.unit * 120)
        self.add_close()


class ProblemReport(Dialog):
    """A text to read, copy and send along with a report. It holds no names, values, arguments or secrets."""

    def __init__(
        self, context: Context, settings: Settings | None, faults: tuple[Fault, ...], parent: QWidget | None = None
    ) -> None:
        intro = "Copy this into your report. It contains versions, settings that differ from their default, and errors."
        super().__init__(context.theme, "Report a problem", intro, parent)
        self._context = context
        self.text = problem_report(context.store.status, settings, faults)
        box = text_box(context.theme, self.text, "Report")
        self.body.addWidget(box)
        self.setMinimumWidth(context.theme.unit * 150)
        self.add_button("Close", self.reject)
        self.add_button("Copy", self._copy, "primary", default=True)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text)
        self._context.say("The report is in the clipboard.")
        self.accept()


def problem_report(status: CoreStatus | None, settings: Settings | None, faults: tuple[Fault, ...]) -> str:
    """Versions, platform, sandbox, settings that differ, and the latest errors."""
    screen = QGuiApplication.primaryScreen()
    lines = [
        f"MCP Workbench {__version__}",
        f"Python {platform.python_version()} on {platform.system()} {platform.release()} ({platform.machine()})",
        f"Qt {qVersion()}, platform {QGuiApplication.platformName()}",
    ]
    if screen is not None:
        size = screen.geometry()
        lines.append(f"Screen {size.width()} × {size.height()}, scale {screen.devicePixelRatio():g}")
    if status is None:
        lines.append("The core is not connected.")
    else:
        strength = status.strength
        lines.append(f"Sandbox {strength.level}, backend {strength.backend or 'none'}")
        lines.append(f"{status.servers_ready} of {status.servers} servers connected, {status.tools:,} tools")
    if settings is not None:
        lines += ["", "Settings that differ:", *_differing(settings)]
    if faults:
        lines += ["", "Latest errors:"]
        for fault in faults:
            lines += [f"  {fault.message}", *(f"    {line}" for line in fault.detail.splitlines()[-12:])]
    return "\n".join(lines)


def _differing(settings: Settings) -> list[str]:
    """Texts and lists may name places or people: of those only the name of the setting is listed."""
    found = []
    for definition in DEFINITIONS.values():
        value = getattr(settings, definition.field)
        if value != definition.default:
            found.append(f"  {definition.name} = {value}" if isinstance(value, int | float) else f"  {definition.name}")
    return found or ["  none"]
