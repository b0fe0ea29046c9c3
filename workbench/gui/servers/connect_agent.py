"""The dialog that connects an agent to this workbench: its configuration entry, and whether an agent is connected."""

from __future__ import annotations

import shlex
import sys
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from workbench.api.client_texts import agent_title
from workbench.events import AgentsChanged
from workbench.gui.kit.dialogs import Dialog
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.layouts import row
from workbench.gui.kit.lists import label, paragraph
from workbench.gui.kit.plain_edit import PlainEdit, reading_box
from workbench.gui.kit.text import one_line
from workbench.gui.kit.theme import mark
from workbench.gui.servers.export_servers import ExportForm
from workbench.gui.shell.context import Context
from workbench.paths import Paths, resources
from workbench.records import AgentInfo


def serve_command(paths: Paths) -> list[str]:
    """The command that an agent starts. It names this Python, so that nothing needs to be on the PATH."""
    return [sys.executable, "-m", "workbench", "serve", "--project", str(paths.project)]


def agent_instructions() -> str:
    """The text that tells an agent how to work with the workbench."""
    return (resources() / "agent_prompt.md").read_text(encoding="utf-8").rstrip()


class ConnectAgent(Dialog):
    """Stays open while the user sets up the agent, and shows when it has connected."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        intro = (
            "An agent searches tools, runs programs that use them, and reads your skills. Personal data is masked "
            "before the agent sees it, and risky programs wait for your approval."
        )
        super().__init__(context.theme, "Connect an agent", intro, parent)
        self._context = context
        unit = context.theme.unit
        self.setMinimumSize(unit * 140, unit * 166)
        self.resize(unit * 170, unit * 170)
        self.body.addWidget(label("Write to the settings of a client", "section"))
        self.form = ExportForm(context, with_workbench=True)
        self.body.addWidget(self.form, 1)
        command = "claude mcp add workbench -- " + shlex.join(serve_command(context.paths))
        self._add_text("Or run in a terminal, for Claude Code", command)
        self._add_text("Instructions for the agent: paste them into its settings", agent_instructions(), 4)
        self._hooks = paragraph("", "muted")
        self.body.addWidget(self._hooks)
        context.tasks.run("read where hooks are installed", self._show_hooks())
        self._light = QLabel()
        self._connected = label("", "muted")
        self.body.addLayout(row(None, self._light, self._connected, spacing=unit * 2, grows=self._connected))
        self.add_close()
        context.store.on(AgentsChanged, self._agents_changed)
        self._show(context.store.status.agents if context.store.status is not None else ())

    def _agents_changed(self, event: AgentsChanged) -> None:
        self._show(event.agents)

    def _show(self, agents: tuple[AgentInfo, ...]) -> None:
        symbol, tone = ("dot", "success") if agents else ("circle", "warning")
        self._light.setPixmap(pixmap(symbol, tone, self._context.theme.unit * 4, self.devicePixelRatioF()))
        self._connected.setText(_connected_text(agents) if agents else "Waiting for an agent…")

    async def _show_hooks(self) -> None:
        """Say which clients ask the workbench about their own calls."""
        found = [one for one in await self._context.api.hook_installations() if one.installed]
        names = ", ".join(dict.fromkeys(one.client.client for one in found))
        told = (
            f"{names} also asks here before it runs commands, edits files or calls its own servers."
            if names
            else "Clients can also ask here before they run commands, edit files or call their own servers."
        )
        self._hooks.setText(f"{told} The command mcp-workbench connect --hooks sets this up and takes it out again.")

    def _add_text(self, title: str, text: str, lines: int = 0) -> None:
        """Add a text with a Copy button; `lines`: how many are visible, 0 for all."""
        heading = paragraph(title, "section")
        copy = QPushButton("Copy")
        copy.setAccessibleName(f"Copy: {title}")
        mark(copy, kind="quiet")
        box = reading_box(text, title)
        box.setFont(self._context.theme.mono(-1))
        box.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        height = box.fontMetrics().lineSpacing() * (lines or text.count("\n") + 2)
        box.setFixedHeight(height + self._context.theme.unit * 3)
        copy.clicked.connect(partial(self._copy, box))
        self.body.addLayout(row(None, heading, copy, grows=heading))
        self.body.addWidget(box)

    def _copy(self, box: PlainEdit, _checked: bool = False) -> None:
        box.selectAll()
        box.copy()
        self._context.say("Copied.")


def _connected_text(agents: tuple[AgentInfo, ...]) -> str:
    """An agent that has not sent its name yet is called “an agent”."""
    names = list(dict.fromkeys(one_line(agent_title(agent.name or "an agent"), 40) for agent in agents))
    if len(names) > 1:
        return f"Connected: {', '.join(names)}"
    return "An agent is connected" if names[0] == "an agent" else f"{names[0]} is connected"
