"""Shows values of programs in sentences: short, quoted, and with nothing that hides or reorders text."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from workbench.analysis.interpreter.values import HOLE

LONGEST: Final = 60  # characters of a value
_PLAIN: Final = re.compile(r"[\w./@:+*#~$%&=?,-]{1,120}", re.ASCII)
_INNER_QUOTES: Final = str.maketrans({"“": '"', "”": '"'})  # a quotation ends where it seems to end
_WORD: Final = re.compile(r"\w+")


def shorten(text: str, limit: int = LONGEST) -> str:
    """Return a text in one line, cut, with invisible, control and look-alike characters as escapes."""
    line = " ".join(text[: limit * 4].replace(HOLE, "…").split())
    shown = "".join(map(_visible, _mixed_words(line)))
    return shown if len(shown) <= limit and len(text) <= limit * 4 else shown[: limit - 1].rstrip() + "…"


def quoted(text: str, limit: int = LONGEST) -> str:
    """Return a text as a quotation."""
    return f"“{shorten(text, limit).translate(_INNER_QUOTES)}”"


def named(text: str, limit: int = LONGEST) -> str:
    """Return a name, path or address: quoted only if it contains anything unusual."""
    shown = shorten(text, limit)
    return shown if _PLAIN.fullmatch(shown.replace("…", ".")) else f"“{shown.translate(_INNER_QUOTES)}”"


def _visible(character: str) -> str:
    """Return a character, or its escape if it shows nothing or changes how others are shown."""
    shown = character.isprintable() and unicodedata.category(character) not in ("Cf", "Co", "Me")
    return character if shown else _escaped(character)


def _mixed_words(text: str) -> str:
    """Return the text with the foreign letters of words that mix alphabets as escapes: a Cyrillic "а" in "аcme"."""
    return text if text.isascii() else _WORD.sub(_escape_if_mixed, text)


def _escape_if_mixed(match: re.Match[str]) -> str:
    word = match.group()
    scripts = {unicodedata.name(letter, "").split(" ")[0] for letter in word if letter.isalpha()}
    if "LATIN" not in scripts or scripts.isdisjoint(("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "MATHEMATICAL")):
        return word
    own = ("LATIN", "DIGIT")
    return "".join(one if unicodedata.name(one, "LATIN").startswith(own) else _escaped(one) for one in word)


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
