"""The first page of a server: its facts, measured values, instructions and error output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QWidget

from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.kit.chips import Chips
from workbench.gui.kit.facts import FactsGrid
from workbench.gui.kit.layouts import column, scroll_area
from workbench.gui.kit.lists import label
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.plain_edit import reading_box
from workbench.gui.kit.wording import clock, duration, state_word
from workbench.gui.servers.server_card import command_line, error_output
from workbench.gui.servers.server_page import ServerPage
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import size_words
from workbench.records import ServerState, ServerStatus, Vitals
from workbench.records.common_types import count_of

if TYPE_CHECKING:
    from workbench.gui.results.text_pages import ProsePage

_VITALS_MS = 3_000  # between two readings of memory and calls, each of which walks through /proc
_LOG_MS = 1_000  # between two readings of the error output
_LONGEST_INSTRUCTIONS = 4_000  # characters
_WIDE = 170  # letters of width from which facts and error output are side by side
_ERAS = {
    "modern": "without sessions: each request is independent",
    "legacy": "with a session that begins with a handshake",
}


class OverviewPage(ServerPage):
    """Reads memory, calls and error output regularly while it is seen."""

    def __init__(self, context: Context, state: ServerState) -> None:
        super().__init__(context, state)
        self._vitals = Vitals(self.server)
        self.fault = Notice(context.theme)
        self.facts = FactsGrid(context.theme)
        self.capabilities = Chips(context.theme, "Capabilities of the server")
        self._capabilities_title = label("Capabilities", "muted")
        self._instructions_title = label("Instructions for models", "muted")
        self._instructions: ProsePage | None = None
        self._log = reading_box("", "Error output of the server")
        self._log.setPlaceholderText("The server printed nothing to its error output.")
        self._log.setFont(context.theme.mono(-1))
        self.log_timer = QTimer(self, interval=_LOG_MS)
        self.log_timer.timeout.connect(self._read_log)
        self._vitals_timer = QTimer(self, interval=_VITALS_MS)
        self._vitals_timer.timeout.connect(self._read_vitals)
        self._lay_out(context.theme.unit)
        self.show_state(state)

    def show_state(self, state: ServerState) -> None:
        super().show_state(state)
        self.fault.show_fault(replace(state.fault, detail="") if state.fault else None)  # the log shows the detail
        self._show_facts()
        # A feature of a capability, such as tools.listChanged, is less prominent.
        self.capabilities.show_chips([(name, "muted" if "." in name else "info") for name in state.capabilities])
        for part in (self._capabilities_title, self.capabilities):
            part.setVisible(bool(state.capabilities))
        self._show_instructions(state.instructions)

    def set_seen(self, *, seen: bool) -> None:
        if seen:
            self._read_log()
            self._read_vitals()
        for timer in (self.log_timer, self._vitals_timer):
            timer.start() if seen else timer.stop()

    def _show_facts(self) -> None:
        self.facts.show_facts({**_state_facts(self.state), **_vitals_facts(self._vitals, self.state)})

    def _show_instructions(self, text: str) -> None:
        self._instructions_title.setVisible(bool(text))
        if text and self._instructions is None:
            from workbench.gui.results.text_pages import ProsePage

            self._instructions = ProsePage(self.context.theme)
            self._instructions.browser.setAccessibleName("Instructions for models")
            self._instructions.setMinimumHeight(self.context.theme.unit * 50)
            self._facts_column.addWidget(self._instructions, 1)
        if self._instructions is not None:
            self._instructions.setVisible(bool(text))
            shortened = text[:_LONGEST_INSTRUCTIONS] + ("…" if len(text) > _LONGEST_INSTRUCTIONS else "")
            self._instructions.show_markdown(shortened)

    def _read_vitals(self) -> None:
        self.context.tasks.run("read memory and calls", self.context.api.vitals(self.server), self._show_vitals)

    def _show_vitals(self, vitals: Vitals) -> None:
        self._vitals = vitals
        self._show_facts()

    def _read_log(self) -> None:
        self.context.tasks.run("read error output", self.context.api.stderr(self.server), self._show_log)

    def _show_log(self, lines: tuple[str, ...]) -> None:
        text = error_output(self.state.fault, lines)
        if text == self._log.text():
            return
        bar = self._log.verticalScrollBar()
        at_end = bar.value() >= bar.maximum()
        self._log.setPlainText(text)
        bar.setValue(bar.maximum() if at_end else bar.value())

    def _lay_out(self, unit: int) -> None:
        facts = QWidget()
        parts = (self.facts, self._capabilities_title, self.capabilities, self._instructions_title)
        margins = (unit * 3, unit * 3, unit * 3, unit * 2)
        self._facts_column = column(facts, *parts, margins=margins, spacing=unit * 2)
        self._facts_column.addStretch(0)
        area = scroll_area(facts)
        area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        area.setAccessibleName("Facts about the server")
        title = label("Error output", "muted")
        title.setContentsMargins(unit * 3, unit, unit * 3, unit)
        output = QWidget()
        column(output, title, self._log, grows=self._log)
        split = AdaptiveSplit(_WIDE, (2, 1), area, output)
        column(self, self.fault, split, grows=split)


def _state_facts(state: ServerState) -> Mapping[str, str]:
    known = state.status is ServerStatus.READY
    return {
        "State": state_word(state).text,
        "Command" if not state.config.remote else "Address": command_line(state.config),
        "Folder": state.config.cwd,
        "Name": " ".join(part for part in (state.title, state.version) if part),
        "Protocol": "  ·  ".join(part for part in (state.protocol, _ERAS.get(state.era, state.era)) if part),
        "Process": str(state.pid) if state.pid else "",
        "Restarts": f"{state.restarts:,}" if state.restarts else "",
        "Tools": f"{state.tool_count:,}" if known or state.tool_count else "",
        "Resources": f"{state.resource_count:,}" if state.resource_count else "",
        "Prompts": f"{state.prompt_count:,}" if state.prompt_count else "",
        "Warnings": "\n".join(state.warnings),
    }


def _vitals_facts(vitals: Vitals, state: ServerState) -> Mapping[str, str]:
    memory = f"{vitals.memory_mb:,.0f} MB"
    if vitals.processes != 1:
        memory += f" in {vitals.processes:,} processes"
    speed = f"median {duration(vitals.typical_ms)}, slowest {duration(vitals.slowest_ms)}"
    listing = f"listing its tools took {duration(state.latency_ms)}" if state.latency_ms else ""
    traffic = f"{size_words(vitals.sent_bytes)} sent, {size_words(vitals.received_bytes)} received"
    return {
        "Running since": clock(vitals.since) if vitals.since else "",
        "Memory": memory if vitals.memory_mb else "",
        "Speed": speed if vitals.calls else listing,
        "Calls": f"{count_of(vitals.calls, 'call')}, {vitals.errors:,} failed" if vitals.calls else "",
        "Traffic": traffic if vitals.received_bytes else "",
        "Last error": f"{clock(vitals.last_error_at)}  {vitals.last_error}" if vitals.last_error else "",
    }
