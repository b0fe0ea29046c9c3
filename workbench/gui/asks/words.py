"""The window's words for a server's question: what is wanted, and whose call waits for it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from workbench.gui.text import one_line
from workbench.gui.words import Word
from workbench.records import Ask

translate = QCoreApplication.translate
_NAME = 60  # characters of a server's or tool's name


def ask_word(ask: Ask) -> Word:
    """What is wanted, with its icon; never the server's own words."""
    server = one_line(ask.server, _NAME)
    match ask.kind:
        case "url":
            return Word(translate("asks", "{} asks you to visit a page").format(server), "globe", "accent")
        case "sampling":
            return Word(translate("asks", "{} requests a completion (sampling)").format(server), "robot", "accent")
        case _:
            return Word(translate("asks", "{} asks you to fill in a form").format(server), "message", "accent")


def waiting_words(ask: Ask) -> str:
    """Which call waits, on whose behalf."""
    tool = one_line(ask.tool, _NAME)
    if not tool:
        return translate("asks", "It does not say for which call.")
    if ask.run_id:
        return translate("asks", "In a call of {0} by a program of {1}.").format(tool, one_line(ask.by, _NAME))
    if ask.by == "you":
        return translate("asks", "In your call of {0}, which waits for it.").format(tool)
    return translate("asks", "In a call of {0} for {1}.").format(tool, one_line(ask.by, _NAME))


def own_call(ask: Ask) -> bool:
    """Whether the person who sits here made the call by hand."""
    return ask.by == "you" and not ask.run_id
