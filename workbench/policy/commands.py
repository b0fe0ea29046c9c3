"""Says what running another program comes to: by an argv list, never by what a shell would make of a text.

No profile lets a sandbox start programs, so nothing is opened here: the words tell a person what was tried.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from workbench.policy.paths import Place, place
from workbench.policy.tables.commands import COMMANDS, Command, CommandClass
from workbench.quick_records import dataclass

_PROGRAM = re.compile(r"/(?:usr/|usr/local/)?s?bin/[A-Za-z0-9][A-Za-z0-9._+-]{0,60}", re.ASCII)
_BARE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,60}", re.ASCII)
_VERSIONED = re.compile(r"(python|pip|node|ruby|perl|php|lua)[0-9][0-9.]{0,8}", re.ASCII)
_PLAIN = re.compile(r"[A-Za-z0-9 _./=:@%+,'\"-]{1,2000}", re.ASCII)  # a line in which a shell finds nothing to do
_SUBCOMMAND = re.compile(r"[a-z][a-z0-9-]{0,40}", re.ASCII)
_SOONEST = (CommandClass.ASK, CommandClass.CODE, CommandClass.UNKNOWN)


@dataclass(frozen=True, slots=True)
class CommandVerdict:
    """What a command comes to, and why where that is not its plain class."""

    kind: CommandClass
    why: str = ""

    @property
    def words(self) -> str:
        """As a person reads it behind the command."""
        return self.why or self.kind.value


def judge_line(line: str) -> CommandVerdict:
    """A text given to a shell. One that holds nothing but words is what those words are."""
    if not _PLAIN.fullmatch(line):
        return CommandVerdict(CommandClass.CODE, "a shell reads it, which may do more than its words say")
    try:
        return judge_argv(shlex.split(line), absolute=False)
    except ValueError:
        return CommandVerdict(CommandClass.CODE, "a shell reads it, and its quotes do not close")


def judge_argv(argv: Sequence[str], *, absolute: bool = True) -> CommandVerdict:
    """A program with its arguments. `absolute`: whether one without its full path counts as unknown, because the
    search path decides what it is."""
    if not argv:
        return CommandVerdict(CommandClass.UNKNOWN)
    name, *arguments = argv
    if not (_PROGRAM if absolute or "/" in name else _BARE).fullmatch(name):
        return CommandVerdict(CommandClass.UNKNOWN, "which program this is depends on where it is looked for")
    command = COMMANDS.get(_plain(name.rpartition("/")[2]))
    if command is None:
        return CommandVerdict(CommandClass.UNKNOWN)
    kind = _kind(command, arguments)
    if kind in _SOONEST:
        return CommandVerdict(kind)
    return _confined(kind, arguments)


def _plain(name: str) -> str:
    """`python3.11` is python."""
    match = _VERSIONED.fullmatch(name)
    return match.group(1) if match else name


def _kind(command: Command, arguments: Sequence[str]) -> CommandClass:
    options = {part for argument in arguments if argument.startswith("-") for part in _spellings(argument)}
    if options & command.running:
        return CommandClass.CODE
    if options & command.asking:
        return CommandClass.ASK
    if not command.subcommands:
        return command.kind
    subcommand = _subcommand(command, arguments)
    return command.subcommands.get(subcommand, command.kind) if subcommand else command.kind


def _spellings(argument: str) -> tuple[str, ...]:
    """`--output=x`, `-ofile` and `-rf` as the options that they may be."""
    if argument.startswith("--"):
        return (argument.partition("=")[0],)
    return (argument, *(f"-{letter}" for letter in argument[1:40]))


def _subcommand(command: Command, arguments: Sequence[str]) -> str:
    left = iter(arguments)
    for argument in left:
        if argument in command.wordy:
            next(left, "")
        elif not argument.startswith("-"):
            return argument if _SUBCOMMAND.fullmatch(argument) else ""
    return ""


def _confined(kind: CommandClass, arguments: Sequence[str]) -> CommandVerdict:
    """Looking at, or writing to, what lies outside the workspace is no everyday use."""
    for argument in arguments:
        for path in (argument, _value(argument)):
            if path and not path.startswith("-") and place(path) in (Place.OUTSIDE, Place.SENSITIVE):
                return CommandVerdict(CommandClass.ASK, f"{path[:80]} lies outside the workspace")
    return CommandVerdict(kind)


def _value(argument: str) -> str:
    """What stands in one word with its option: `--file=/etc/x`, `-f/etc/x`."""
    if argument.startswith("--"):
        return argument.partition("=")[2]
    return argument[2:] if argument.startswith("-") else ""
