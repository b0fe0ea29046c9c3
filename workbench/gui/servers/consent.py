"""Questions before a server starts: consent to its command or address, and secrets that are not stored yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.gui.kit.controls import TickBox
from workbench.gui.kit.dialogs import Question, text_box
from workbench.gui.kit.layouts import column
from workbench.gui.kit.secret_field import SecretField
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import Theme
from workbench.gui.shell.context import Context
from workbench.records import Consent, SecretInfo, ServerConfig, ServerState
from workbench.records.common_types import count_of

_ASKED_AGAIN = "You are asked again when any of this changes, also when the executable file of a command does."


async def ask_consent(context: Context, state: ServerState, parent: QWidget) -> str:
    """The hash of what the user agreed to; empty if the user cancelled."""
    consent = await context.api.consent(state.config.name)
    if consent.remote:
        title = f"Connect “{one_line(consent.server, 60)}” for the first time?"
        sentence = "What you and your agents send to this server goes to this address, with these headers:"
    else:
        title = f"Start “{one_line(consent.server, 60)}” {'again' if state.doubt else 'for the first time'}?"
        sentence = "This command runs on your computer with your user rights, outside the sandbox:"
    question = Question(context.theme, title, sentence, parent)
    for widget in _consent_details(context.theme, consent, state.doubt):
        question.body.addWidget(widget)
    question.show_note(_ASKED_AGAIN)
    return consent.sha if await question.ask("Connect" if consent.remote else "Start the server", settles=True) else ""


def _consent_details(theme: Theme, consent: Consent, doubt: str, suffix: str = "") -> list[QWidget]:
    """The exact command or address, notes and warnings. `doubt`: why the server is no longer allowed."""
    name = "Address and headers" if consent.remote else "Full command"
    warnings = (*consent.warnings, f"{doubt}.") if doubt else consent.warnings
    return [
        text_box(theme, consent.told, f"{name}{suffix}"),
        *(ForeignLabel(note, role="muted") for note in consent.notes),
        *(ForeignLabel(warning, role="warning") for warning in warnings),
    ]


async def ask_consents(context: Context, states: Sequence[ServerState], parent: QWidget) -> dict[str, str]:
    """The hashes of what the user ticked, by server, from one list with all commands; empty if cancelled."""
    consents = [await context.api.consent(state.config.name) for state in states]
    question = ConsentList(context, consents, {state.config.name: state.doubt for state in states}, parent)
    await question.ask("Connect ticked servers", settles=True)
    return question.agreed


class ConsentList(Question):
    """Asks about several servers at once, each with a check box."""

    def __init__(
        self, context: Context, consents: Sequence[Consent], doubts: Mapping[str, str], parent: QWidget | None = None
    ) -> None:
        title = f"Connect {count_of(len(consents), 'server')} for the first time?"
        sentence = (
            "Commands run on your computer with your user rights, outside the sandbox. Addresses receive what you and "
            "your agents send to the server, with the headers shown."
        )
        super().__init__(context.theme, title, sentence, parent)
        self._boxes: list[tuple[TickBox, Consent]] = []
        self.agreed: dict[str, str] = {}  # hashes of the ticked servers, by name, once the user agreed
        for consent in consents:
            self.body.addLayout(self._make_row(context.theme, consent, doubts.get(consent.server, "")))
        self.show_note(_ASKED_AGAIN)

    def accept(self) -> None:
        self.agreed = {consent.server: consent.sha for box, consent in self._boxes if box.isChecked()}
        super().accept()

    def _make_row(self, theme: Theme, consent: Consent, doubt: str) -> QVBoxLayout:
        name = one_line(consent.server, 60)
        box = TickBox(theme, name)
        box.setAccessibleName(f"Connect {name}")
        box.setChecked(True)
        self._boxes.append((box, consent))
        return column(None, box, *_consent_details(theme, consent, doubt, f" of {name}"), spacing=theme.unit)


async def enter_missing(context: Context, config: ServerConfig, parent: QWidget) -> bool:
    """Ask for each secret that the entry refers to and that is not stored. False if the user cancelled."""
    if not uses_keyring(config):
        return True
    store = await context.api.open_secrets()
    for info in store.secrets:
        if config.name in info.servers and not info.stored and not await _enter(context, config, info, parent):
            return False
    return True


def uses_keyring(config: ServerConfig) -> bool:
    texts = (*config.args, *config.env.values(), *config.headers.values(), config.url, str(dict(config.oauth)))
    return any("${keyring:" in text for text in texts)


async def _enter(context: Context, config: ServerConfig, info: SecretInfo, parent: QWidget) -> bool:
    name, server = one_line(info.name, 60), one_line(config.name, 60)
    sentence = f"{server} needs this secret. It is stored with your other secrets, not in .mcp.json."
    question = Question(context.theme, f"Enter the secret “{name}”", sentence, parent)
    field = SecretField(f"The secret {name}")
    question.add(field)
    field.entered.connect(question.accept)
    typed: list[str] = []
    question.accepted.connect(lambda: typed.append(field.take()))  # the dialog is deleted when `ask` returns
    if not await question.ask("Store and connect") or not typed[0]:
        return False
    await context.api.set_secret(info.name, typed[0])
    return True
