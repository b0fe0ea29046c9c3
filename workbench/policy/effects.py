"""Turns what the reader met into findings and effects with plain words: deeds, files and hosts."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from workbench.policy.reach import named_place
from workbench.policy.reader import Reader
from workbench.policy.tables.commands import COMMANDS, Command, CommandClass
from workbench.policy.tables.deeds import WORDS, Deed
from workbench.policy.tables.patterns import DESTRUCTIVE_COMMAND, HOST, SECRET_NAME, SENSITIVE_PATH
from workbench.policy.value import HOLE, NOTHING, Source, Value, each, known, shown, text_of
from workbench.records import EffectKind, Risk
from workbench.records.risk_levels import raised

FILE_DEEDS = frozenset({Deed.READ, Deed.LIST, Deed.WRITE, Deed.COPY, Deed.MOVE, Deed.DELETE, Deed.META, Deed.LINK})
MOST_FILES = 8  # of a list of paths; the rest is seldom different
_LOOKING = frozenset({Deed.READ, Deed.LIST})
_HARD = frozenset({Deed.MOVE, Deed.DELETE, Deed.META, Deed.LINK})


def note(
    reader: Reader,
    deed: Deed,
    node: ast.AST,
    subject: str = "",
    *,
    risk: Risk | None = None,
    rule: str = "",
    words: str = "",
    certainty: EffectKind | None = None,
) -> None:
    """A deed at this place, told in the words of its table entry unless others are given."""
    table = WORDS[deed]
    told = words or (table.named.format(subject) if subject else table.plain)
    span = reader.span(node)
    reader.report.add(
        rule or deed.value,
        risk or table.risk,
        told,
        span,
        subject=subject,
        effect=certainty or table.certainty,
        reversible=table.reversible,
    )
    if deed is Deed.NETWORK:
        reader.report.fact("out", span)
        reader.report.fact("network", span)
    if deed is Deed.CODE:
        reader.report.fact("code", span)


def note_file(reader: Reader, deed: Deed, node: ast.AST, target: Value) -> Place:
    """A file or folder is touched: where it lies decides how risky that is."""
    texts = [item for item in (target.items or ())[:MOST_FILES] if known(item)] or [target]
    places = [_note_one_file(reader, deed, node, choice) for text in texts for choice in each(text)]
    return Place.SENSITIVE if Place.SENSITIVE in places else places[-1]


def _note_one_file(reader: Reader, deed: Deed, node: ast.AST, target: Value) -> Place:
    path = text_of(target)
    found = _place(reader, path)
    name = _name(path, found)
    span = reader.span(node)
    certainty = _certainty(deed, found, path, target)
    words = WORDS[deed].named.format(name) if name else WORDS[deed].plain
    if found in (Place.OUTSIDE, Place.SENSITIVE) or (found is Place.BESIDE and deed not in _LOOKING):
        words += f" ({found})"
    note(reader, deed, node, name or "?", risk=_file_risk(deed, found), words=words, certainty=certainty)
    if found is Place.SENSITIVE and deed in (Deed.READ, Deed.COPY, Deed.LIST):
        reader.report.fact("sensitive", span)
    _note_chooser(reader, deed, node, target, name)
    return found


def _place(reader: Reader, path: str) -> Place:
    """A program that moved to another folder means its relative paths from there."""
    found = place(path)
    return Place.WORKSPACE if found is Place.BESIDE and "moved" in reader.report.facts else found


def _certainty(deed: Deed, found: Place, path: str, target: Value) -> EffectKind:
    if certain(found, path) or (found is Place.BESIDE and deed not in _LOOKING):
        return EffectKind.REFUSED
    return EffectKind.WILL if known(target) else EffectKind.MAY


def _file_risk(deed: Deed, found: Place) -> Risk:
    risk = WORDS[deed].risk
    if found is Place.SENSITIVE:
        return Risk.CRITICAL if deed in _HARD or deed is Deed.WRITE else Risk.MEDIUM if deed is Deed.LIST else Risk.HIGH
    if found is Place.OUTSIDE:
        return raised(risk)
    if found is Place.SCRATCH:
        return Risk.LOW if deed is not Deed.LINK else risk
    return risk


def _name(path: str, found: Place) -> str:
    if path.strip(HOLE + "/") == "":
        return ""
    return within(path) if found is Place.WORKSPACE else path.replace(HOLE, "…")[:120]


def _note_chooser(reader: Reader, deed: Deed, node: ast.AST, target: Value, name: str) -> None:
    source = first(target.taint, "untrusted")
    if source and deed is not Deed.READ:
        reader.report.flow(source, name or "a file", reader.span(node))
        words = f"Which file is touched is decided by content from {source.label} (line {source.line})"
        reader.report.add("flow.target", Risk.HIGH, words, reader.span(node), subject=name, effect=EffectKind.MAY)


def note_command(
    reader: Reader, node: ast.AST, command: str, taint: frozenset[Source], argv: Sequence[Value] | None = None
) -> None:
    """Another program is run: by an argv list where there is one, else by a text that a shell reads."""
    source = first(taint, "untrusted")
    risk = Risk.CRITICAL if source or DESTRUCTIVE_COMMAND.search(command) else Risk.HIGH
    note(reader, Deed.PROCESS, node, command, risk=risk, words=_command_words(command, argv))


def _command_words(command: str, argv: Sequence[Value] | None) -> str:
    if not command:
        return ""
    parts = [known(part) for part in argv or ()]
    words = [part for part in parts if part is not None]
    whole = bool(parts) and len(words) == len(parts)
    judged = judge_argv(words, absolute=False) if whole else judge_line(command) if argv is None else None
    told = WORDS[Deed.PROCESS].named.format(command)
    return f"{told} ({judged.words if judged else 'some of its words are only known at run time'})"


def note_network(reader: Reader, node: ast.AST, address: Value, taint: frozenset[Source]) -> None:
    """Something outside is contacted; private data on its way is said as such."""
    for choice in each(address):
        _note_one_host(reader, node, choice)
    flow_out(reader, node, "the network", taint, "")


def _note_one_host(reader: Reader, node: ast.AST, address: Value) -> None:
    text = text_of(address.items[0]) if address.items else text_of(address)
    if text.startswith("file:"):
        note_file(reader, Deed.READ, node, Value(const=text.removeprefix("file://") or "/"))
        return
    name, span = host(text), reader.span(node)
    note(reader, Deed.NETWORK, node, name)
    if where := name and named_place(text, node, address):
        reader.report.places[span, name] = where
    if not name and (address is NOTHING or known(address)):
        reader.report.onward.add(span)


def host(text: str) -> str:
    """The host of an address; empty when it is only known at run time."""
    match = HOST.match(text)
    found = match.group(1) if match else text if "." in text and not set(text) & set("/ \n") else ""
    return "" if found.strip(HOLE) == "" else found.replace(HOLE, "…")


def flow_out(
    reader: Reader, node: ast.AST, sink: str, taint: frozenset[Source], server: str, argument: str = ""
) -> None:
    """Private data of another place goes out here, in this argument of the sink."""
    source = first(frozenset(item for item in taint if not server or item.server != server), "private")
    if source is None:
        return
    reader.report.flow(source, f"{sink}.{argument}" if argument.isidentifier() else sink, reader.span(node))
    risk = Risk.CRITICAL if source.label.startswith("the file") else Risk.HIGH
    place = f" ({argument})" if argument.isidentifier() else ""
    words = f"Data from {source.label} (line {source.line}) goes to {sink}{place}"
    reader.report.add(
        "flow.private", risk, words, reader.span(node), subject=sink, effect=EffectKind.MAY, reversible=False
    )


def note_environment(reader: Reader, node: ast.AST, key: Value) -> Value:
    """An environment variable is read; secrets by name weigh more."""
    name = shown(key)
    secret = bool(SECRET_NAME.search(name)) or not name
    if secret:
        reader.report.fact("sensitive", reader.span(node))
        note(reader, Deed.ENVIRONMENT, node, name, risk=Risk.HIGH if name else Risk.MEDIUM)
        return Value(taint=frozenset({Source("private", f"the environment variable {name}", reader.span(node).line)}))
    return Value()


def first(taint: frozenset[Source], kind: str) -> Source | None:
    """The source of this kind whose answer the data is; of several the earliest."""
    mine = (source for source in taint if source.kind == kind)
    return min(mine, key=lambda source: (source.indirect, source.line, source.label), default=None)


ROOTS = ("/bench/workspace", "/workspace")  # where the sandbox shows the workspace
_START = "/bench"  # where a program starts; what is beside the workspace there can be read
_SCRATCH = "/tmp"  # private to a run
_ABSOLUTE = re.compile(r"[/~]|[A-Za-z]:[\\/]|\\\\")


class Place(StrEnum):
    """The kinds of places."""

    WORKSPACE = "workspace"
    BESIDE = "only files below workspace/ can be changed"
    SCRATCH = "scratch"
    OUTSIDE = "outside the workspace"
    SENSITIVE = "a sensitive place"
    UNKNOWN = "known only at run time"


def place(path: str) -> Place:
    """Where this path leads; unknown parts are HOLE."""
    slashed = path.replace("\\", "/")
    if SENSITIVE_PATH.search(slashed.replace(HOLE, "")):
        return Place.SENSITIVE
    if not path or path.startswith(HOLE):
        return Place.OUTSIDE if "../" in slashed else Place.UNKNOWN
    if _ABSOLUTE.match(path):
        return _absolute(slashed)
    if _climbs(slashed):
        return Place.OUTSIDE
    parts = [part for part in slashed.split("/") if part not in ("", ".")]
    return Place.WORKSPACE if parts[:1] == ["workspace"] else Place.BESIDE


def within(path: str) -> str:
    """A workspace path as people see it: `workspace/report.csv`."""
    bare = path.replace("\\", "/").replace(HOLE, "…")
    for root in ROOTS:
        bare = bare.removeprefix(root)
    parts = [part for part in bare.split("/") if part not in ("", ".")]
    inside = parts[1:] if parts[:1] == ["workspace"] else parts
    return "/".join(["workspace", *inside]) if inside else "the workspace"


def certain(found: Place, path: str) -> bool:
    """Whether the sandbox surely has no such place: only then may an effect be called refused."""
    return found is Place.OUTSIDE or (found is Place.SENSITIVE and bool(_ABSOLUTE.match(path)))


def _absolute(path: str) -> Place:
    for root in ROOTS:
        if path == root or path.startswith(root + "/"):
            return Place.OUTSIDE if _climbs(path[len(root) :].lstrip("/")) else Place.WORKSPACE
    if path == _START or path.startswith(_START + "/"):
        return Place.OUTSIDE if _climbs(path[len(_START) :].lstrip("/")) else Place.BESIDE
    if (path == _SCRATCH or path.startswith(_SCRATCH + "/")) and ".." not in path:
        return Place.SCRATCH
    return Place.OUTSIDE


def _climbs(path: str) -> bool:
    depth = 0
    for part in path.split("/"):
        depth += -1 if part == ".." else part not in ("", ".")
        if depth < 0:
            return True
    return False


_PROGRAM = re.compile(r"/(?:usr/|usr/local/)?s?bin/[A-Za-z0-9][A-Za-z0-9._+-]{0,60}", re.ASCII)
_BARE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,60}", re.ASCII)
_VERSIONED = re.compile(r"(python|pip|node|ruby|perl|php|lua)[0-9][0-9.]{0,8}", re.ASCII)
_PLAIN = re.compile(r"[A-Za-z0-9 _./=:@%+,'\"-]{1,2000}", re.ASCII)  # a line in which a shell finds nothing to do
_SUBCOMMAND = re.compile(r"[a-z][a-z0-9-]{0,40}", re.ASCII)
_SOONEST = (CommandClass.ASK, CommandClass.CODE, CommandClass.UNKNOWN)


class CommandVerdict(Struct, frozen=True):
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
