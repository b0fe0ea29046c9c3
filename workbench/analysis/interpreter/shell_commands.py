"""Classifies shell commands: reads only, changes the workspace, runs code, or needs approval."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct, field

from workbench.analysis.interpreter.path_places import PathPlace, place
from workbench.permissions.word_sets import names


class CommandClass(StrEnum):
    """What a command does. The value is the text of its finding."""

    READ = "it only reads"
    WORKSPACE = "it changes files in the workspace"
    ASK = "it can change or send data outside the workspace, or cannot be undone"
    CODE = "it runs further code, which is not analyzed"
    UNKNOWN = "this command is unknown"


class Command(Struct, frozen=True):
    """Rules for one program: its class, the classes of its subcommands, and options that make a call riskier."""

    kind: CommandClass
    subcommands: dict[str, CommandClass] = field(default_factory=dict)
    approval_options: frozenset[str] = frozenset()  # options that need approval with any subcommand
    program_options: frozenset[str] = frozenset()  # options that make the command run another program
    value_options: frozenset[str] = frozenset()  # options before the subcommand that take a separate value


_READ, _WORKSPACE, _ASK, _CODE = CommandClass.READ, CommandClass.WORKSPACE, CommandClass.ASK, CommandClass.CODE


def _subcommands(read: str = "", workspace: str = "", ask: str = "", code: str = "") -> dict[str, CommandClass]:
    kinds = ((read, _READ), (workspace, _WORKSPACE), (ask, _ASK), (code, _CODE))
    return {word: kind for every, kind in kinds for word in every.split()}


def _every(programs: str, kind: CommandClass) -> dict[str, Command]:
    return dict.fromkeys(programs.split(), Command(kind))


COMMANDS: dict[str, Command] = {
    **_every("ls cat head tail wc file stat du df pwd echo basename dirname realpath readlink cmp diff", _READ),
    **_every(
        "cut tr nl tac md5sum sha1sum sha256sum sha512sum cksum column comm join paste whoami id uname grep jq", _READ
    ),
    **_every("true false", _READ),
    **_every("mkdir touch cp uniq zip unzip gzip gunzip bzip2 xz", _WORKSPACE),
    **_every("mv ln tee patch truncate split rm rmdir shred dd chmod chown chgrp mkfs mount umount kill killall", _ASK),
    **_every("pkill sudo su doas curl wget nc ncat ssh scp sftp rsync ftp telnet socat dig nslookup host ping", _ASK),
    **_every("apt apt-get dpkg yum dnf pacman brew snap systemctl service crontab at useradd passwd", _ASK),
    **_every("sh bash dash zsh fish ksh python node deno bun ruby perl php lua Rscript java go", _CODE),
    **_every("awk gawk mawk sed xargs env nohup nice timeout time watch parallel make cmake ninja gdb vim vi", _CODE),
    **_every("pytest tox nox npx uvx pipx busybox script expect setsid stdbuf", _CODE),
    "date": Command(_READ, approval_options=names("-s --set")),
    "rg": Command(_READ, program_options=names("--pre --hostname-bin")),
    "sort": Command(_READ, approval_options=names("-o --output"), program_options=names("--compress-program")),
    "find": Command(
        _READ,
        approval_options=names("-delete -fprint -fprintf -fls"),
        program_options=names("-exec -execdir -ok -okdir"),
    ),
    "fd": Command(_READ, program_options=names("-x --exec -X --exec-batch")),
    "tree": Command(_READ, approval_options=names("-o")),
    "tar": Command(
        _ASK, program_options=names("--to-command --checkpoint-action -I --use-compress-program -F --info-script")
    ),
    "git": Command(
        _ASK,
        _subcommands(
            read="status log diff show blame describe rev-parse ls-files ls-tree shortlog cat-file grep",
            workspace="add commit init tag mv",
            ask="push pull fetch clone clean reset restore stash rebase merge checkout rm branch remote config gc",
            code="bisect difftool mergetool submodule hook filter-branch",
        ),
        approval_options=names("--force -f --hard --output -o --exec-path --git-dir --work-tree -C -d --delete -D"),
        program_options=names("-c --config-env --ext-diff --textconv --open-files-in-pager -O"),
        value_options=names("-C -c --git-dir --work-tree --namespace --config-env"),
    ),
    "pip": Command(_ASK, _subcommands(read="list show freeze check")),
    "npm": Command(_CODE, _subcommands(read="ls list view outdated", ask="install uninstall publish ci update")),
    "cargo": Command(_CODE, _subcommands(read="tree metadata search", ask="install publish")),
    "docker": Command(_ASK, _subcommands(read="ps images version info logs")),
    "podman": Command(_ASK, _subcommands(read="ps images version info logs")),
    "kubectl": Command(_ASK, _subcommands(read="get describe logs version")),
}


_PROGRAM = re.compile(r"/(?:usr/|usr/local/)?s?bin/[A-Za-z0-9][A-Za-z0-9._+-]{0,60}", re.ASCII)
_BARE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,60}", re.ASCII)
_VERSIONED = re.compile(r"(python|pip|node|ruby|perl|php|lua)[0-9][0-9.]{0,8}", re.ASCII)
_PLAIN = re.compile(r"[A-Za-z0-9 _./=:@%+,'\"-]{1,2000}", re.ASCII)  # a line without special characters for a shell
_SUBCOMMAND = re.compile(r"[a-z][a-z0-9-]{0,40}", re.ASCII)
_NEED_APPROVAL = (CommandClass.ASK, CommandClass.CODE, CommandClass.UNKNOWN)


class CommandVerdict(Struct, frozen=True):
    """The class of a command, with the reason if it differs from the default text of the class."""

    kind: CommandClass
    reason: str = ""

    @property
    def explanation(self) -> str:
        """The text that follows the command in its finding."""
        return self.reason or self.kind.value


def judge_line(line: str) -> CommandVerdict:
    """Classify a text for a shell. A line without special characters is classified as an argv list."""
    if not _PLAIN.fullmatch(line):
        return CommandVerdict(CommandClass.CODE, "a shell interprets it, so it may do more than it seems")
    try:
        return judge_argv(shlex.split(line), absolute=False)
    except ValueError:
        return CommandVerdict(CommandClass.CODE, "a shell interprets it, and a quote is not closed")


def judge_argv(argv: Sequence[str], *, absolute: bool = True) -> CommandVerdict:
    """Classify a program with its arguments.

    `absolute`: a program without its full path counts as unknown, because the search path decides which one runs."""
    if not argv:
        return CommandVerdict(CommandClass.UNKNOWN)
    name, *arguments = argv
    if not (_PROGRAM if absolute or "/" in name else _BARE).fullmatch(name):
        return CommandVerdict(CommandClass.UNKNOWN, "the search path decides which program this is")
    command = COMMANDS.get(plain_name(name.rpartition("/")[2]))
    if command is None:
        return CommandVerdict(CommandClass.UNKNOWN)
    kind = _kind(command, arguments)
    if kind in _NEED_APPROVAL:
        return CommandVerdict(kind)
    return _confined(kind, arguments)


def class_of(name: str, arguments: Sequence[str]) -> CommandClass:
    """Return the class of a program of the table with these arguments, wherever their paths are."""
    command = COMMANDS.get(name)
    return CommandClass.UNKNOWN if command is None else _kind(command, arguments)


def has_risky_options(name: str) -> bool:
    """Whether an option can make this program riskier than its class says."""
    command = COMMANDS.get(name)
    return command is not None and bool(command.approval_options or command.program_options or command.subcommands)


def plain_name(name: str) -> str:
    """Return the program name without its version: `python3.11` is python."""
    match = _VERSIONED.fullmatch(name)
    return match.group(1) if match else name


def _kind(command: Command, arguments: Sequence[str]) -> CommandClass:
    options = {part for argument in arguments if argument.startswith("-") for part in _spellings(argument)}
    if options & command.program_options:
        return CommandClass.CODE
    if options & command.approval_options:
        return CommandClass.ASK
    if not command.subcommands:
        return command.kind
    subcommand = _subcommand(command, arguments)
    return command.subcommands.get(subcommand, command.kind) if subcommand else command.kind


def _spellings(argument: str) -> tuple[str, ...]:
    """Return the options that an argument may mean: `--output=x`, `-ofile`, `-rf`."""
    if argument.startswith("--"):
        return (argument.partition("=")[0],)
    return (argument, *(f"-{letter}" for letter in argument[1:40]))


def _subcommand(command: Command, arguments: Sequence[str]) -> str:
    left = iter(arguments)
    for argument in left:
        if argument in command.value_options:
            next(left, "")
        elif not argument.startswith("-"):
            return argument if _SUBCOMMAND.fullmatch(argument) else ""
    return ""


def _confined(kind: CommandClass, arguments: Sequence[str]) -> CommandVerdict:
    """Return the verdict of a harmless command. Paths outside the workspace need approval."""
    for argument in arguments:
        for path in (argument, _value(argument)):
            if path and not path.startswith("-") and place(path) in (PathPlace.OUTSIDE, PathPlace.SENSITIVE):
                return CommandVerdict(CommandClass.ASK, f"{path[:80]} is outside the workspace")
    return CommandVerdict(kind)


def _value(argument: str) -> str:
    """Return the value of an option in the same word: `--file=/etc/x`, `-f/etc/x`."""
    if argument.startswith("--"):
        return argument.partition("=")[2]
    return argument[2:] if argument.startswith("-") else ""
