"""What the editor's keys do to lines of a program: indent, outdent, comment, and how a new line begins."""

from __future__ import annotations

from collections.abc import Sequence

STEP = "    "


def indented(lines: Sequence[str]) -> list[str]:
    return [STEP + line if line.strip() else line for line in lines]


def outdented(lines: Sequence[str]) -> list[str]:
    return [_less(line) for line in lines]


def commented(lines: Sequence[str], mark: str = "#") -> list[str]:
    """Comment all lines, or uncomment them where every line is a comment already."""
    full = [line for line in lines if line.strip()]
    if full and all(line.lstrip().startswith(mark) for line in full):
        return [_bare(line, mark) for line in lines]
    depth = min((len(line) - len(line.lstrip()) for line in full), default=0)
    return [f"{line[:depth]}{mark} {line[depth:]}" if line.strip() else line for line in lines]


def next_indent(line: str, mark: str = "#") -> str:
    """The white space a line after this one starts with."""
    lead = line[: len(line) - len(line.lstrip())]
    body = line.split(mark)[0].rstrip()
    if body.endswith((":", "(", "[", "{")):
        return lead + STEP
    if mark != "#":
        return lead  # the closing bracket ends a block, not its last word
    if body.lstrip().split(" ")[0] in {"return", "pass", "break", "continue", "raise"}:
        return _less(lead)
    return lead


def _less(line: str) -> str:
    if line.startswith("\t"):
        return line[1:]
    lead = len(line) - len(line.lstrip(" "))
    return line[min(lead, len(STEP)) :]


def _bare(line: str, mark: str) -> str:
    lead = line[: len(line) - len(line.lstrip())]
    rest = line.lstrip().removeprefix(mark)
    return lead + rest.removeprefix(" ") if line.strip() else line
