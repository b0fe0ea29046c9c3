"""Asks for a secret that a server needs and that is not stored, at the moment when it is needed."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from workbench.gui.kit.faults import Question
from workbench.gui.kit.secret_field import SecretField
from workbench.gui.kit.text import one_line
from workbench.gui.shell.context import Context
from workbench.records import SecretInfo, ServerConfig


async def enter_missing(context: Context, config: ServerConfig, parent: QWidget) -> bool:
    """Ask for each secret that the server's entry refers to and that is not stored; False when a person would not."""
    if not refers(config):
        return True
    store = await context.api.open_secrets()
    for info in store.secrets:
        if config.name in info.servers and not info.stored and not await _enter(context, config, info, parent):
            return False
    return True


def refers(config: ServerConfig) -> bool:
    texts = (*config.args, *config.env.values(), *config.headers.values(), config.url, str(dict(config.oauth)))
    return any("${keyring:" in text for text in texts)


async def _enter(context: Context, config: ServerConfig, info: SecretInfo, parent: QWidget) -> bool:
    name = one_line(info.name, 60)
    title = f"Enter the secret “{name}”"
    sentence = "{} needs it, and it is not stored yet. It is kept where your secrets are, not in .mcp.json."
    question = Question(context.theme, title, sentence.format(one_line(config.name, 60)), parent)
    field = SecretField(f"The secret {name}")
    question.add(field)
    field.entered.connect(question.accept)
    typed: list[str] = []
    question.accepted.connect(lambda: typed.append(field.take()))  # the dialog is gone when the answer is there
    if not await question.ask("Store and connect") or not typed[0]:
        return False
    await context.api.set_secret(info.name, typed[0])
    return True
