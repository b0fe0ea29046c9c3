"""Asks before a server is started, or an address spoken to, for the first time: all that is run or sent is shown."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from workbench.gui.context import Context
from workbench.gui.dialogs.question import Question
from workbench.records import Consent, ServerState


async def ask_consent(context: Context, state: ServerState, parent: QWidget) -> str:
    """The hash of what the person said yes to; empty for a no."""
    consent = await context.questions.consent(state.config.name)
    question = Question(context.theme, _title(state, consent), _sentence(consent), parent)
    question.show_text(consent.told, _tr("Everything that is sent") if consent.remote else _tr("The full command"))
    for note in consent.notes:
        question.show_note(note)
    for warning in consent.warnings:
        question.show_note(warning, "warning")
    if state.doubt:
        question.show_note(_tr("You allowed it before, but {}.").format(state.doubt), "warning")
    again = _tr("You are asked again when the command, or the file behind it, changes.")
    question.show_note(_tr("You are asked again when any of this changes.") if consent.remote else again)
    return consent.sha if await question.ask(_tr("Connect") if consent.remote else _tr("Start the server")) else ""


def _title(state: ServerState, consent: Consent) -> str:
    if consent.remote:
        return _tr("Connect {} for the first time?").format(consent.server)
    return (_tr("Start {} again?") if state.doubt else _tr("Start {} for the first time?")).format(consent.server)


def _sentence(consent: Consent) -> str:
    if consent.remote:
        return _tr("What you and your agents tell this server goes to this address, with these headers:")
    return _tr("This command will run on your computer, with your rights, outside the sandbox:")


def _tr(text: str) -> str:
    return QCoreApplication.translate("Consent", text)
