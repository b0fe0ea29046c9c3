"""Gives a skill's function another name in its code, its words and its versions, and touches nothing else."""

from __future__ import annotations

import io
import re
import tokenize


def renamed(code: str, before: str, after: str) -> str:
    """The code with the one name in place of the other, wherever it stands as a name; texts and comments stay."""
    lines = code.split("\n")  # as Python counts them: a form feed ends no line
    try:
        found = [
            token.start
            for token in tokenize.generate_tokens(io.StringIO(code).readline)
            if token.type == tokenize.NAME and token.string == before
        ]
    except (tokenize.TokenError, SyntaxError):
        return code  # no Python: it cannot be kept anyway
    for row, column in reversed(found):
        line = lines[row - 1]
        lines[row - 1] = line[:column] + after + line[column + len(before) :]
    return "\n".join(lines)


def renamed_words(notes: str, before: str, after: str) -> str:
    """The text of a card with the new name, as folder and as function."""
    words = re.sub(rf"(?<![\w-]){re.escape(before)}(?![\w-])", after, notes)
    return re.sub(rf"\b{re.escape(before.replace('-', '_'))}\b", after.replace("-", "_"), words)
