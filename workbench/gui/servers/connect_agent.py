"""How an agent reaches this workbench: its configuration entry, ready to copy, and a light that shows it came."""

from __future__ import annotations

import shlex
import sys

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from workbench.api.client_texts import agent_title
from workbench.events import AgentsChanged, Event
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.lists import label
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.text import one_line
from workbench.gui.kit.theme import mark
from workbench.gui.servers.export_servers import ExportForm
from workbench.gui.shell.context import Context
from workbench.paths import Paths, resources
from workbench.records import AgentInfo, CoreStatus


def serve_command(paths: Paths) -> list[str]:
    """What an agent starts: this very Python, so it works without anything on the PATH."""
    return [sys.executable, "-m", "workbench", "serve", "--project", str(paths.project)]


def how_to_work() -> str:
    """The words that tell an agent how to work with the workbench."""
    return (resources() / "agent_prompt.md").read_text(encoding="utf-8").rstrip()


class ConnectAgent(QDialog):
    """Stays open while the agent is set up elsewhere."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Connect an agent")
        unit = context.theme.unit
        self.setMinimumSize(unit * 140, unit * 166)
        self.resize(unit * 170, unit * 170)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(*(unit * 6,) * 4)
        self._column.setSpacing(unit * 3)
        self._column.addWidget(label(self.windowTitle(), "heading"))
        words = (
            "An agent looks for tools, runs programs that use them, and reads your skills. Personal data is replaced "
            "before it sees it, and risky programs wait for you here."
        )
        self._add_words(words)
        self._column.addWidget(label("Write it into an app's settings", "section"))
        self.form = ExportForm(context, itself=True)
        self._column.addWidget(self.form, 1)
        self._add_text(
            "Or in a terminal, for Claude Code",
            "claude mcp add workbench -- " + shlex.join(serve_command(context.paths)),
        )
        self._add_text("Tell the agent how to work: paste this where its instructions are", how_to_work(), 4)
        self._light = QLabel()
        self._words = label("", "muted")
        row = QHBoxLayout()
        row.setSpacing(unit * 2)
        row.addWidget(self._light)
        row.addWidget(self._words, 1)
        close = QPushButton("Close")
        close.clicked.connect(self.accept)
        row.addWidget(close)
        self._column.addLayout(row)
        self._show(())
        context.tasks.run("agents", context.api.status(), self._take)

    def hear(self, event: Event) -> None:
        if isinstance(event, AgentsChanged):
            self._show(event.agents)

    def _take(self, status: CoreStatus) -> None:
        self._show(status.agents)

    def _show(self, agents: tuple[AgentInfo, ...]) -> None:
        symbol, tone = ("dot", "success") if agents else ("circle", "warning")
        self._light.setPixmap(pixmap(symbol, tone, self._context.theme.unit * 4, self.devicePixelRatioF()))
        self._words.setText(self._said(agents) if agents else "Waiting for an agent…")

    def _said(self, agents: tuple[AgentInfo, ...]) -> str:
        """Who is here; one that has not said its name yet is an agent."""
        names = dict.fromkeys(one_line(agent_title(one.name or "an agent"), 40) for one in agents)
        if len(names) == 1:
            name = next(iter(names))
            return "{} is connected".format(f"{name[:1].upper()}{name[1:]}" if name == "an agent" else name)
        return f"Connected: {', '.join(names)}"

    def _add_words(self, text: str) -> None:
        words = label(text, "muted")
        words.setWordWrap(True)
        self._column.addWidget(words)

    def _add_text(self, title: str, text: str, lines: int = 0) -> None:
        """A text to copy, with so many of its lines in sight; 0: all."""
        head = QHBoxLayout()
        words = label(title, "section")
        words.setWordWrap(True)
        head.addWidget(words, 1)
        copy = QPushButton("Copy")
        copy.setAccessibleName(f"Copy: {title}")
        mark(copy, kind="quiet")
        head.addWidget(copy)
        box = PlainEdit(text)
        box.setReadOnly(True)
        box.setAccessibleName(title)
        box.setFont(self._context.theme.mono(-1))
        box.setTabChangesFocus(True)
        box.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        box.setFixedHeight(
            box.fontMetrics().lineSpacing() * (lines or text.count("\n") + 2) + self._context.theme.unit * 3
        )
        mark(box, kind="code")
        copy.clicked.connect(box.selectAll)
        copy.clicked.connect(box.copy)
        self._column.addLayout(head)
        self._column.addWidget(box)
