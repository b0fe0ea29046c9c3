"""Asks before a server is started, or an address spoken to, for the first time: all that is run or sent is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from workbench.gui.kit.controls import TickBox
from workbench.gui.kit.faults import Question, text_box
from workbench.gui.kit.lists import label
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.theme import Theme
from workbench.gui.shell.context import Context
from workbench.records import Consent, ServerState


async def ask_consent(context: Context, state: ServerState, parent: QWidget) -> str:
    """The hash of what the person said yes to; empty for a no."""
    consent = await context.api.consent(state.config.name)
    question = Question(context.theme, _title(state, consent), _sentence(consent), parent)
    question.show_text(consent.told, "Everything that is sent" if consent.remote else "The full command")
    for note in consent.notes:
        question.show_note(note)
    for warning in consent.warnings:
        question.show_note(warning, "warning")
    if state.doubt:
        question.show_note(_doubted(state.doubt), "warning")
    again = "You are asked again when the command, or the file behind it, changes."
    question.show_note("You are asked again when any of this changes." if consent.remote else again)
    return consent.sha if await question.ask("Connect" if consent.remote else "Start the server") else ""


async def ask_consents(context: Context, states: Sequence[ServerState], parent: QWidget) -> dict[str, str]:
    """The hashes of what was ticked, by server, out of one list with every full command; empty for a no."""
    consents = [await context.api.consent(state.config.name) for state in states]
    question = ConsentList(context, consents, {state.config.name: state.doubt for state in states}, parent)
    await question.ask("Connect the ticked servers")
    return question.agreed


class ConsentList(Question):
    """Asks about several servers at once."""

    def __init__(
        self, context: Context, consents: Sequence[Consent], doubts: Mapping[str, str], parent: QWidget | None = None
    ) -> None:
        title = f"Connect {len(consents)} servers for the first time?"
        sentence = (
            "Commands run on your computer, with your rights, outside the sandbox. Addresses get what you and your"
            " agents tell them, with the headers shown."
        )
        super().__init__(context.theme, title, sentence, parent)
        unit = context.theme.unit
        self._boxes: list[tuple[TickBox, Consent]] = []
        self.agreed: dict[str, str] = {}  # the hashes of what was ticked when the user agreed
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, unit * 3, 0)
        column.setSpacing(unit * 2)
        for consent in consents:
            column.addWidget(self._row(context.theme, consent, doubts.get(consent.server, "")))
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(inner)
        area.setMinimumHeight(min(inner.sizeHint().height(), unit * 110))
        self._layout.addWidget(area, 1)
        self.show_note("You are asked again when any of this changes.")

    def accept(self) -> None:
        self.agreed = {consent.server: consent.sha for box, consent in self._boxes if box.isChecked()}
        super().accept()

    def _row(self, theme: Theme, consent: Consent, doubt: str) -> QWidget:
        row = QWidget()
        column = QVBoxLayout(row)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.unit)
        box = TickBox(theme, one_line(consent.server, 60))
        box.setAccessibleName(f"Connect {one_line(consent.server, 60)}")
        box.setChecked(True)
        self._boxes.append((box, consent))
        column.addWidget(box)
        name = "Everything that is sent to {}" if consent.remote else "The full command of {}"
        column.addWidget(text_box(theme, consent.told, name.format(one_line(consent.server, 60))))
        warnings = (*consent.warnings, *((_doubted(doubt),) if doubt else ()))
        for note, role in (*((note, "muted") for note in consent.notes), *((note, "warning") for note in warnings)):
            words = label(visible(note), role)
            words.setWordWrap(True)
            column.addWidget(words)
        return row


def _doubted(doubt: str) -> str:
    return f"{doubt}."


def _title(state: ServerState, consent: Consent) -> str:
    if consent.remote:
        return f"Connect “{consent.server}” for the first time?"
    return ("Start “{}” again?" if state.doubt else "Start “{}” for the first time?").format(consent.server)


def _sentence(consent: Consent) -> str:
    if consent.remote:
        return "What you and your agents tell this server goes to this address, with these headers:"
    return "This command will run on your computer, with your rights, outside the sandbox:"
