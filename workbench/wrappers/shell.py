"""Words for a shell, quoted so that nothing in them is ever run; secrets stand there as variables to be set first."""

from __future__ import annotations

import re
import shlex

REFERENCE = re.compile(r"\$\{(?:keyring:(?P<stored>[^}]*)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?)\}")
TELLING = re.compile(
    r"auth|token|secret|passw|credential|cookie|session|bearer|api.?key|(^|[_-])(key|pat)($|[_-])", re.I
)


class Words:
    """Makes words, and remembers the variables they need."""

    def __init__(self) -> None:
        self.needed: dict[str, None] = {}  # in the order in which they appeared

    def word(self, text: str) -> str:
        """A text with references such as `${NAME}` and `${keyring:name}` as one shell word."""
        parts, at = [], 0
        for match in REFERENCE.finditer(text):
            parts.append(text[at : match.start()])
            at = match.end()
            if match["default"] is not None:
                parts.append(_Variable(f"${{{match['name']}:-{_bare(match['default'])}}}"))
            else:
                parts.append(self.variable(match["name"] or match["stored"]))
        parts.append(text[at:])
        return "".join(f'"{part}"' if isinstance(part, _Variable) else quoted(part) for part in parts if part) or "''"

    def secret_or_word(self, name: str, text: str) -> str:
        """As `word`; but a text that stands under a telling name is a secret, and a variable takes its place."""
        if TELLING.search(name) and not REFERENCE.search(text):
            return f'"{self.variable(name)}"'
        return self.word(text)

    def variable(self, name: str) -> _Variable:
        """A variable that has to be set first."""
        clean = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").upper() or "VALUE"
        clean = f"_{clean}" if clean[0].isdigit() else clean
        self.needed[clean] = None
        return _Variable(f"${clean}")


class _Variable(str):
    """A part of a word that the shell replaces."""

    __slots__ = ()


def quoted(text: str) -> str:
    """One word for any POSIX shell. No shell can pass on a NUL, so it is left out."""
    return shlex.quote(text.replace("\0", ""))


def _bare(text: str) -> str:
    """A default inside `"${NAME:-…}"`: what the shell would act on is escaped."""
    return re.sub(r'([\\"$`}])', r"\\\1", text)
