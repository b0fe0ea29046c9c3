"""The window's words for a server's question: what is wanted, and whose call waits for it."""

from __future__ import annotations

from workbench.gui.text import one_line
from workbench.gui.words import Word
from workbench.records import Ask

_NAME = 60  # characters of a server's or tool's name


def ask_word(ask: Ask) -> Word:
    """What is wanted, with its icon; never the server's own words."""
    server = one_line(ask.server, _NAME)
    match ask.kind:
        case "url":
            return Word(f"{server} asks you to visit a page", "globe", "accent")
        case "sampling":
            return Word(f"{server} requests a completion (sampling)", "robot", "accent")
        case _:
            return Word(f"{server} asks you to fill in a form", "message", "accent")


def waiting_words(ask: Ask) -> str:
    """Which call waits, on whose behalf."""
    tool = one_line(ask.tool, _NAME)
    if not tool:
        return "It does not say for which call."
    if ask.run_id:
        return f"In a call of {tool} by a program of {one_line(ask.by, _NAME)}."
    if ask.by == "you":
        return f"In your call of {tool}, which waits for it."
    return f"In a call of {tool} for {one_line(ask.by, _NAME)}."


def own_call(ask: Ask) -> bool:
    """Whether the person who sits here made the call by hand."""
    return ask.by == "you" and not ask.run_id
