"""Turns what the reader met into findings and effects with plain words: deeds, files and hosts."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from workbench.policy.commands import judge_argv, judge_line
from workbench.policy.levels import raised
from workbench.policy.paths import Place, certain, place, within
from workbench.policy.reach import named_place
from workbench.policy.reader import Reader
from workbench.policy.tables.deeds import WORDS, Deed
from workbench.policy.tables.patterns import DESTRUCTIVE_COMMAND, HOST, SECRET_NAME
from workbench.policy.value import HOLE, NOTHING, Source, Value, each, known, shown, text_of
from workbench.records import EffectKind, Risk

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
