"""Interprets functions with their own rules: the sandbox's client, files, attributes and imports by name, `exec`.

SPECIALS at the end maps each dotted name to its rule.
"""

from __future__ import annotations

import ast
from functools import reduce

from msgspec.structs import replace

from workbench.analysis.interpreter import constant_folding
from workbench.analysis.interpreter.effects import note, note_environment, note_file
from workbench.analysis.interpreter.imports import load_by_name, note_any_skill, note_import, note_skill
from workbench.analysis.interpreter.indirect_names import by_key, by_name, evaluates, every_name, note_hidden
from workbench.analysis.interpreter.interpreter import ExecutedText, Interpreter, SpecialCall, for_names
from workbench.analysis.interpreter.path_places import PathPlace
from workbench.analysis.interpreter.statements import any_of
from workbench.analysis.interpreter.tampering import drop, note_replaced, tables, wrap, write_item
from workbench.analysis.interpreter.text_evaluators import EVALUATORS, unpickle
from workbench.analysis.interpreter.tool_calls import note_dynamic, use_tool
from workbench.analysis.interpreter.tool_lookup import UnknownTool, servers_in
from workbench.analysis.interpreter.values import (
    HOLE,
    NO_TAINT,
    NOTHING,
    OWN_NAMES,
    UNKNOWN,
    Arguments,
    Value,
    ValueSource,
    each,
    first_of_kind,
    iterated,
    join,
    known,
    readable,
    tainted,
    text_of,
)
from workbench.analysis.tables.callables import CALLABLES
from workbench.analysis.tables.methods_and_attributes import CALLING, FOREIGN, HOOKS, RISKY_NAMES
from workbench.analysis.tables.modules import ALIASES
from workbench.analysis.tables.program_actions import ProgramAction
from workbench.permissions.word_sets import names
from workbench.records import EffectKind, Risk, Tool


def _environment(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return note_environment(interpreter, node, arguments.get(0, "key"))


def _whole_environment(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    note(interpreter, ProgramAction.ENVIRONMENT, node, risk=Risk.MEDIUM, certainty=EffectKind.MAY)
    return NOTHING


def _getattr(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return by_name(interpreter, node, arguments.get(0), arguments.get(1))


def _attrgetter(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    name = arguments.get(0)
    if "__" in text_of(name):
        note(interpreter, ProgramAction.INTERNALS, node, text_of(name).replace(HOLE, "…"))
    elif (last := text_of(name).rpartition(".")[2]) in RISKY_NAMES or last in CALLING or evaluates(interpreter, last):
        note_hidden(interpreter, node, f"Gets {text_of(name)} by its name", text_of(name), Risk.MEDIUM)
    return Value(const=name.const, kind="attrgetter")


def _setattr(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    name = readable(arguments.get(1)) or "an attribute chosen at run time"
    note_replaced(interpreter, node, arguments.get(0), name)
    if name.startswith("__"):
        note(interpreter, ProgramAction.INTERNALS, node, name, rule="python.internals.write")
    interpreter.add_attribute(name, arguments.get(2))
    return NOTHING


def _vars(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    if not arguments.positional:
        return Value(refs=("globals()",))
    return Value(refs=tuple(f"{owner}.__dict__" for owner in arguments.get(0).refs), taint=arguments.taint)


def _all_names(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret a function that returns all names of a table.

    `vars(os).items()` has the table in its own name, `inspect.getmembers(os)` in its argument."""
    owners = arguments.get(0).refs if ref == "inspect.getmembers" else (ref.rpartition(".")[0],)
    for owner in owners:
        every_name(interpreter, node, owner)
    own = {ValueSource(OWN_NAMES, "its own names", interpreter.span(node).line)} if "globals()" in owners else NO_TAINT
    return Value(taint=arguments.taint | own)


def _type(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret `type`. `type(name, bases, {…})` makes a class; with one argument it only returns the type."""
    for name in sorted(HOOKS.intersection(arguments.keys)) if len(arguments.positional) == 3 else ():
        note(
            interpreter,
            ProgramAction.UNPACK,
            node,
            name,
            risk=Risk.MEDIUM,
            words=f"Makes a class whose {name} decides what runs",
        )
    made = tuple(function for value in arguments.keys.values() for function in value.functions)
    return Value(taint=arguments.taint, functions=made)


def _globals(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return Value(refs=("globals()",))


def _table(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret `.get(name)` on sys.modules or globals()."""
    found = by_key(interpreter, node, ref.rpartition(".")[0], arguments.get(0))
    return found if found is not None else NOTHING


def _import_by_name(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    inside = known(arguments.get(1, "package")) if ref.endswith("import_module") else None
    found = [
        _import_one(interpreter, node, ref, known(choice), inside or "") for choice in each(arguments.get(0, "name"))
    ]
    if ref.endswith("__import__") and any(one.refs == ("skills",) for one in found):
        for name in arguments.get(3, "fromlist").items or ():
            note_skill(interpreter, node, f"skills.{known(name)}") if known(name) else note_any_skill(interpreter, node)
    return reduce(join, found)


def _import_one(interpreter: Interpreter, node: ast.Call, ref: str, name: str | None, inside: str) -> Value:
    if not name:
        note(interpreter, ProgramAction.IMPORT, node, risk=Risk.HIGH)
        interpreter.report.any_skill = True
        return NOTHING
    if name.startswith(".") and inside:
        name = f"{inside}{name}"
    written = bool(node.args) and isinstance(node.args[0], ast.Constant)
    if name.split(".")[0] == "servers":
        note_import(interpreter, node, name)
        return Value(refs=(name,))
    note(interpreter, ProgramAction.IMPORT, node, name, risk=Risk.MEDIUM)
    if not written:
        note_hidden(interpreter, node, f"Builds the module name {name} from pieces", name)
    note_import(interpreter, node, name)
    top = name.split(".")[0] if ref.endswith("__import__") else name
    return Value(refs=(ALIASES.get(top, top),))


def _run_text(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    code = arguments.get(0, "source", "stmt")
    if code.kind == "skill" and _is_skill_text(interpreter, node):
        note(
            interpreter,
            ProgramAction.CODE,
            node,
            readable(code),
            risk=Risk.MEDIUM,
            rule="code.skill",
            words="Runs the text of a skill",
        )
        return NOTHING
    if source := first_of_kind(code.taint, "untrusted"):
        words = f"Runs text that came from {source.label} (line {source.line}) as code"
        note(
            interpreter,
            ProgramAction.CODE,
            node,
            "text from outside",
            risk=Risk.CRITICAL,
            rule="code.untrusted",
            words=words,
        )
        return NOTHING
    for choice in each(code):
        text = known(choice)
        if text is not None:
            interpreter.inner[text] = ExecutedText(text, interpreter.span(node), node)
        _note_code(interpreter, node, ref, text, code.kind == "decoded")
    return code if ref == "builtins.compile" else NOTHING


def _is_skill_text(interpreter: Interpreter, node: ast.Call) -> bool:
    """Return whether the text is the unchanged text of a skill, not joined with other text."""
    text = node.args[0] if node.args else None
    if isinstance(text, ast.Name):
        text = interpreter.bound_once(text.id)
    if not isinstance(text, ast.Call):
        return False
    return (text.func.attr if isinstance(text.func, ast.Attribute) else getattr(text.func, "id", "")) == "load_skill"


def _note_code(interpreter: Interpreter, node: ast.Call, ref: str, text: str | None, hidden: bool) -> None:
    if hidden:
        words = "Runs code that was hidden in encoded text" + (f": {_short(text)}" if text else "")
        note(
            interpreter,
            ProgramAction.CODE,
            node,
            _short(text or ""),
            risk=Risk.CRITICAL,
            rule="code.hidden",
            words=words,
        )
    elif text is None:
        interpreter.report.not_assessed["Text that is run as code and only known at run time."] = None
        note(interpreter, ProgramAction.CODE, node, risk=CALLABLES[ref].risk)
    else:
        written = bool(node.args) and isinstance(node.args[0], ast.Constant)
        if not written and ref != "builtins.compile":
            interpreter.report.add_fact("assembled", interpreter.span(node))
        note(interpreter, ProgramAction.CODE, node, _short(text), risk=CALLABLES[ref].risk)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:79] + "…"


def _load_yaml(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    loaders = arguments.get(1, "Loader").refs
    if not loaders or not all(loader.endswith(("SafeLoader", "BaseLoader")) for loader in loaders):
        note(interpreter, ProgramAction.UNPACK, node, ref)
    return Value(taint=arguments.taint)


def _typed(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return Value(kind=FOREIGN, taint=arguments.taint)


def _call_tool(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret `call_tool("server", "tool", {…})`."""
    answers = []
    for server in each(arguments.get(0, "server")):
        for tool in each(arguments.get(1, "tool", "name")):
            owner, name = known(server), known(tool)
            if owner:
                interpreter.report.servers.add(owner)
            found = interpreter.tool_lookup.find(owner, name) if owner and name else None
            answers.append(_use(interpreter, node, found, arguments))
    return reduce(join, answers)


def _call_by_id(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret `call_mcp_tool("mcp__server__tool", {…})`."""
    names = [known(choice) for choice in each(arguments.get(0, "tool_id", "id", "name", "tool"))]
    interpreter.report.servers.update(server for name in names if name for server in servers_in(name))
    found = [interpreter.tool_lookup.find_id(name) if name else None for name in names]
    return reduce(join, [_use(interpreter, node, tool, arguments) for tool in found])


def _use(interpreter: Interpreter, node: ast.Call, found: Tool | UnknownTool | None, arguments: Arguments) -> Value:
    if found is None:
        return tainted(note_dynamic(interpreter, node), arguments.taint)
    return use_tool(interpreter, node, found, arguments)


def _load_skill(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    load_by_name(interpreter, node, arguments.get(0, "name"))
    return Value(kind="skill")


def _offer_skill(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    words = f"Offers a program as the skill {readable(arguments.get(0, 'name'))}; the user decides whether to keep it"
    interpreter.report.add(
        "skill.offer", Risk.LOW, words, interpreter.span(node), effect=EffectKind.WILL, reversible=True
    )
    return NOTHING


def _file(action: ProgramAction) -> SpecialCall:
    """Return the rule of `read_file("a.txt")` and `write_file("a.txt", …)`.

    Both use the workspace, however the path begins."""

    def touch(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
        path = arguments.get(0, "path")
        for choice in each(path):
            inner = text_of(choice).removeprefix("/workspace").lstrip("/").removeprefix("workspace/")
            note_file(interpreter, action, node, replace(choice, const=f"workspace/{inner}"))
        return Value(kind=FOREIGN if action is ProgramAction.READ else "", taint=arguments.taint)

    return touch


CLIENT_CALLS: dict[str, SpecialCall] = {
    **for_names("client.call_tool runtime.call_tool", _call_tool),
    **for_names("client.call_mcp_tool runtime.call_mcp_tool", _call_by_id),
    **for_names("client.get_client client.Client", lambda interpreter, node, ref, arguments: Value(refs=("client",))),
    **for_names("client.load_skill runtime.load_skill", _load_skill),
    **for_names("client.save_skill runtime.save_skill", _offer_skill),
    **for_names("client.read_file runtime.read_file", _file(ProgramAction.READ)),
    **for_names("client.write_file runtime.write_file", _file(ProgramAction.WRITE)),
}


def _open(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    target = arguments.get(0, "file", "path", "filename")
    if isinstance(target.const, int):
        return _descriptor(interpreter, node, ref, arguments)
    return _opened(interpreter, node, opening(arguments.get(1, "mode")), target, arguments)


def _descriptor(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Note the use of a file descriptor above 2.

    Those are already open: the sandbox uses them to communicate with the core."""
    number = arguments.get(0, "file", "fd").const
    if isinstance(number, int) and number > 2:
        note(interpreter, ProgramAction.INTERNALS, node, ref, risk=Risk.MEDIUM)
    return NOTHING


def opening(mode: Value) -> ProgramAction:
    """Return whether opening a file in this mode reads or writes it."""
    texts = ["r"] if mode is NOTHING else [known(choice) for choice in each(mode)]
    kinds = (None if text is None else text.partition(":")[0] for text in texts)  # `r:xz` of an archive reads
    return (
        ProgramAction.READ
        if all(kind is not None and not set(kind) & set("wax+") for kind in kinds)
        else ProgramAction.WRITE
    )


def _open_low(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    flags = node.args[1] if len(node.args) > 1 else next((k.value for k in node.keywords if k.arg == "flags"), None)
    reading = flags is not None and all(map(_only_reads, ast.walk(flags)))
    return _opened(
        interpreter, node, ProgramAction.READ if reading else ProgramAction.WRITE, arguments.get(0, "path"), arguments
    )


def _only_reads(part: ast.AST) -> bool:
    """Return whether this part of the flags of `os.open` allows only reading."""
    match part:
        case ast.Attribute(attr=name):
            return name in _READING_FLAGS
        case ast.Name(id=name):
            return name in _READING_FLAGS or name == "os"
        case ast.Constant(value=value):
            return type(value) is int and value == 0
    return isinstance(part, ast.BinOp | ast.operator | ast.expr_context)


def _open_path(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret `Path.open(path, mode)`."""
    return _opened(interpreter, node, opening(arguments.get(1, "mode")), arguments.get(0, "self"), arguments)


def _opened(
    interpreter: Interpreter, node: ast.Call, action: ProgramAction, target: Value, arguments: Arguments
) -> Value:
    place = note_file(interpreter, action, node, target)
    if place is PathPlace.SENSITIVE and action is ProgramAction.READ:
        source = ValueSource("private", f"the file {readable(target)}", interpreter.span(node).line)
        return Value(kind="file", taint=arguments.taint | {source})
    return Value(kind="file", taint=arguments.taint)


def _archive(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    place = arguments.get(0, "name", "file")
    if not place.kind.startswith("io."):
        note_file(interpreter, opening(arguments.get(1, "mode")), node, place)
    return Value(kind="zipfile.ZipFile", taint=arguments.taint)


def _database(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    place = arguments.get(0, "database")
    if known(place) in (":memory:", ""):
        return Value(kind="sqlite3.memory")
    text = text_of(place)
    bare = replace(place, const=text.removeprefix("file:").partition("?")[0]) if text.startswith("file:") else place
    note_file(interpreter, ProgramAction.READ, node, bare)  # changes are reported by its SQL statements
    interpreter.report.add_fact("database", interpreter.span(node))
    return Value(kind="sqlite3.Connection")


def _path(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    if not arguments.positional:
        return Value(const=".", kind="pathlib.Path")
    first, *rest = arguments.positional
    starts = [Value(const=text_of(choice), kind="pathlib.Path", taint=first.taint) for choice in each(first)]
    return constant_folding.join_path(reduce(join, starts), *rest) if rest else reduce(join, starts)


def _join_path(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    parts = arguments.positional or (NOTHING,)
    starts = [Value(const=text_of(choice), taint=parts[0].taint) for choice in each(parts[0])]
    return replace(constant_folding.join_path(reduce(join, starts), *parts[1:]), kind="")


def _same_path(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return replace(arguments.get(0), taint=arguments.taint)


def _folder(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    path = arguments.get(0)
    text = text_of(path)
    folder = text.rpartition("/")[0] or ("/" if text.startswith("/") else HOLE if HOLE in text else "")
    return replace(path, const=folder, taint=arguments.taint)


def _here(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return Value(const=".", kind="pathlib.Path" if ref.startswith("pathlib") else "")


def _home(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return Value(const="~", kind="pathlib.Path")


def _move(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    interpreter.report.add_fact("moved", interpreter.span(node))
    return NOTHING


def _numpy_load(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    pickles = arguments.get(2, "allow_pickle")
    if pickles is not NOTHING and pickles.const is not False:
        note(interpreter, ProgramAction.UNPACK, node, "numpy.load with allow_pickle")
    note_file(interpreter, ProgramAction.READ, node, arguments.get(0, "file"))
    return Value(taint=arguments.taint)


def _log_file(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret `logging.basicConfig(filename=…)`."""
    if (target := arguments.named.get("filename", NOTHING)) is not NOTHING and target.const is not None:
        note_file(interpreter, ProgramAction.WRITE, node, target)
    return Value(taint=arguments.taint)


def _edited(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret `fileinput.input(files, inplace=True)`."""
    inplace = arguments.get(1, "inplace")
    reads = inplace is NOTHING or inplace.const is False
    note_file(interpreter, ProgramAction.READ if reads else ProgramAction.WRITE, node, arguments.get(0, "files"))
    return Value(kind=FOREIGN, taint=arguments.taint)


def _mailbox(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret a mailbox, which is written when it is flushed or closed."""
    writes = interpreter.mentions({"flush", "close"})
    action = ProgramAction.WRITE if writes else ProgramAction.READ
    note_file(interpreter, action, node, arguments.get(0, "path", "dirname"))
    return Value(taint=arguments.taint)


def _with_mode(position: int, reading: frozenset[str]) -> SpecialCall:
    """Return the rule of a function that opens a file in a mode, such as `wave.open` and `numpy.memmap`."""

    def opened(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
        modes = [known(choice) for choice in each(arguments.get(position, "mode"))]
        action = ProgramAction.READ if all(mode in reading for mode in modes) else ProgramAction.WRITE
        target = arguments.get(0, "f", "file", "filename")
        if not target.kind.startswith("io."):
            note_file(interpreter, action, node, target)
        return Value(taint=arguments.taint)

    return opened


_READING_FLAGS = names("O_RDONLY O_CLOEXEC O_NOFOLLOW O_NONBLOCK O_DIRECTORY O_NOATIME O_PATH")
FILE_CALLS: dict[str, SpecialCall] = {
    **for_names("builtins.open", _open),
    **for_names("os.open", _open_low),
    **for_names("os.write", _descriptor),
    **for_names("pathlib.Path.open pathlib.PosixPath.open", _open_path),
    **for_names("zipfile.ZipFile tarfile.open tarfile.TarFile", _archive),
    **for_names("sqlite3.connect sqlite3.Connection", _database),
    **for_names("pathlib.Path pathlib.PurePath pathlib.PosixPath pathlib.PurePosixPath", _path),
    **for_names("os.path.join", _join_path),
    **for_names("os.path.expanduser os.path.abspath os.path.realpath os.path.normpath os.fspath", _same_path),
    **for_names("os.path.dirname", _folder),
    **for_names("pathlib.Path.cwd os.getcwd", _here),
    **for_names("pathlib.Path.home", _home),
    **for_names("os.chdir", _move),
    **for_names("numpy.load", _numpy_load),
    **for_names("logging.basicConfig", _log_file),
    **for_names("fileinput.input fileinput.FileInput", _edited),
    **for_names("mailbox.mbox mailbox.Maildir mailbox.MH mailbox.Babyl mailbox.MMDF", _mailbox),
    **for_names("wave.open", _with_mode(1, names("r rb"))),
    **for_names("numpy.memmap", _with_mode(2, names("r c"))),
}


def _chr(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    code = arguments.get(0).const
    letter = chr(code) if isinstance(code, int) and 0 <= code < 0x110000 else UNKNOWN
    return Value(const=letter, taint=arguments.taint)


def _bytes(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    source = arguments.get(0)
    numbers = [item.const for item in source.items or ()]
    small = [number for number in numbers if isinstance(number, int) and 0 <= number < 256]
    if numbers and len(small) == len(numbers):
        return Value(const=bytes(small), kind="decoded" if len(small) > 4 else "", taint=source.taint)
    if isinstance(source.const, str | bytes):
        return Value(
            const=source.const.encode() if isinstance(source.const, str) and HOLE not in source.const else source.const
        )
    return Value(taint=arguments.taint)


def _view(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret a copy or view of a table of names.

    It still gives access to every name, and a view may be used to change it."""
    held = tables(name for value in arguments.every for name in value.refs)
    for owner in held:
        note_hidden(interpreter, node, f"Accesses {owner} through {ref}", owner, Risk.MEDIUM)
    source = arguments.get(0)
    if ref == "builtins.dict" and arguments.named:
        names = tuple(Value(const=name) for name in arguments.named)
        return Value(refs=held, items=tuple(arguments.named.values()), keys=names, taint=arguments.taint)
    return Value(refs=held, items=source.items, keys=source.keys, taint=arguments.taint, unordered=source.unordered)


def _same(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    source = arguments.get(0)
    unordered = source.unordered or ref in ("builtins.sorted", "builtins.set")
    made = replace(source, refs=(), functions=(), items=iterated(source), keys=None, taint=arguments.taint)
    return replace(made, unordered=unordered) if unordered else made


def _enumerate(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret `enumerate` and `zip`: any of their tuples."""
    sources = arguments.positional if ref == "builtins.zip" else (NOTHING, arguments.get(0))
    if all(source.items is None for source in sources):
        return Value(taint=arguments.taint)
    pair = tuple(any_of(source, iterated(source)) for source in sources)
    return Value(items=(Value(items=pair),), taint=arguments.taint, unordered=True)


def _reversed(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    source = arguments.get(0)
    if isinstance(source.const, str) and HOLE not in source.const:
        return Value(items=tuple(Value(const=letter) for letter in reversed(source.const[:4096])), taint=source.taint)
    parts = iterated(source)
    return Value(items=parts and parts[::-1], taint=source.taint, unordered=source.unordered)


def _one_of(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Return one element of the argument, or one of several arguments: `next(paths)`, `max(paths)`."""
    source = arguments.get(0)
    if len(arguments.positional) > 1:
        source = Value(items=arguments.positional)
    found = any_of(source, iterated(source))
    return replace(join(found, NOTHING), taint=arguments.taint)


def _map(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    function, source = node.args[0] if node.args else None, arguments.get(1)
    if isinstance(function, ast.Name) and function.id in ("chr", "int", "ord", "str"):
        body = ast.Call(ast.Name(function.id), [ast.Name("x")], [])
        items = constant_folding.comprehend(body, "x", source)
        if items:
            return Value(items=items, taint=arguments.taint)
    return Value(taint=arguments.taint)


def _decode(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return constant_folding.decode(ref, arguments.get(0), arguments.positional[1:])


def _first_argument(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Return the first argument, for functions that wrap a function without changing what it does."""
    return arguments.get(0)


VALUE_CALLS: dict[str, SpecialCall] = {
    **for_names("functools.partial functools.partialmethod asyncio.coroutine", _first_argument),
    **for_names(
        "builtins.staticmethod builtins.classmethod builtins.property functools.cache functools.lru_cache",
        _first_argument,
    ),
    **for_names("functools.singledispatch functools.singledispatchmethod functools.cached_property", _first_argument),
    **for_names("builtins.chr", _chr),
    **for_names("builtins.bytes builtins.bytearray", _bytes),
    **for_names("builtins.str builtins.list builtins.tuple builtins.iter builtins.sorted builtins.set", _same),
    **for_names("collections.ChainMap collections.UserDict collections.OrderedDict types.MappingProxyType", _view),
    **for_names("builtins.dict copy.copy copy.deepcopy", _view),
    **for_names("builtins.reversed", _reversed),
    **for_names("builtins.enumerate builtins.zip", _enumerate),
    **for_names("builtins.next builtins.max builtins.min random.choice secrets.choice", _one_of),
    **for_names("builtins.map", _map),
    **dict.fromkeys(constant_folding.DECODING, _decode),
}


SPECIALS: dict[str, SpecialCall] = {
    **FILE_CALLS,
    **VALUE_CALLS,
    **CLIENT_CALLS,
    **EVALUATORS,
    **for_names("os.getenv os.environ.get os.environ.pop os.environ.__getitem__", _environment),
    **for_names("os.environ.items os.environ.keys os.environ.values os.environ.copy", _whole_environment),
    **for_names("builtins.getattr builtins.object.__getattribute__ inspect.getattr_static", _getattr),
    **for_names("operator.attrgetter operator.methodcaller", _attrgetter),
    **for_names("builtins.setattr builtins.object.__setattr__", _setattr),
    **for_names("builtins.delattr", drop),
    **for_names("operator.setitem operator.delitem operator.ior operator.iadd operator.iconcat", write_item),
    **for_names("functools.update_wrapper", wrap),
    **for_names("builtins.vars", _vars),
    **for_names("builtins.globals builtins.locals", _globals),
    **for_names("globals().items globals().values globals().copy inspect.getmembers", _all_names),
    **for_names("sys.modules.items sys.modules.values sys.modules.copy", _all_names),
    **for_names("sys.modules.pop sys.modules.setdefault globals().pop globals().setdefault", _table),
    **for_names("builtins.type", _type),
    **for_names("pickle.load pickle.loads pickle.Unpickler", unpickle),
    **for_names("sys.modules.get sys.modules.__getitem__ globals().get globals().__getitem__", _table),
    **for_names("builtins.__import__ importlib.import_module", _import_by_name),
    **for_names("builtins.exec builtins.eval builtins.execfile builtins.compile", _run_text),
    **for_names("yaml.load yaml.load_all", _load_yaml),
    **for_names("builtins.input sys.stdin.read sys.stdin.readline sys.stdin.readlines", _typed),
}
