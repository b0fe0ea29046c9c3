"""Functions with rules of their own: files, attributes by name, imports by name, text run as code, our client."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import TypeAlias

from workbench.policy import folding
from workbench.policy.effects import first, note, note_environment, note_file
from workbench.policy.imports import module
from workbench.policy.invocation import Arguments
from workbench.policy.lookups import by_key, by_name, every_name, note_hidden
from workbench.policy.paths import Place
from workbench.policy.pickles import unpickle
from workbench.policy.reader import Inner, Reader
from workbench.policy.tables.attributes import HOOKS, TELLING_NAMES
from workbench.policy.tables.callables import CALLABLES
from workbench.policy.tables.deeds import Deed
from workbench.policy.tables.modules import ALIASES
from workbench.policy.tampering import drop, note_replaced, tables, wrap, write_item
from workbench.policy.toolbook import Unlisted
from workbench.policy.toolcalls import note_dynamic, use_tool
from workbench.policy.value import HOLE, NOTHING, UNKNOWN, Source, Value, each, join, known, shown, tainted, text_of
from workbench.records import EffectKind, Risk, Tool

Special: TypeAlias = Callable[[Reader, ast.Call, str, Arguments], Value]


def _open(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    target = arguments.get(0, "file", "path", "filename")
    if isinstance(target.const, int):
        return NOTHING  # a descriptor that is open already
    mode = arguments.get(1, "mode")
    text = known(mode) if mode is not NOTHING else "r"
    deed = Deed.READ if text is not None and not set(text) & set("wax+") else Deed.WRITE
    return _opened(reader, node, deed, target, arguments)


def _open_low(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    flags = ast.unparse(node.args[1]) if len(node.args) > 1 else ""
    writing = any(flag in flags for flag in ("O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"))
    return _opened(reader, node, Deed.WRITE if writing else Deed.READ, arguments.get(0), arguments)


def _opened(reader: Reader, node: ast.Call, deed: Deed, target: Value, arguments: Arguments) -> Value:
    place = note_file(reader, deed, node, target)
    if place is Place.SENSITIVE and deed is Deed.READ:
        source = Source("private", f"the file {shown(target)}", reader.span(node).line)
        return Value(kind="file", taint=arguments.taint | {source})
    return Value(kind="file", taint=arguments.taint)


def _archive(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    mode = known(arguments.get(1, "mode")) or "r"
    place = arguments.get(0, "name", "file")
    if not place.kind.startswith("io."):
        note_file(reader, Deed.WRITE if set(mode) & set("wax") else Deed.READ, node, place)
    return Value(kind="zipfile.ZipFile", taint=arguments.taint)


def _database(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    place = arguments.get(0, "database")
    if known(place) in (":memory:", ""):
        return Value(kind="sqlite3.memory")
    text = text_of(place)
    bare = replace(place, const=text.removeprefix("file:").partition("?")[0]) if text.startswith("file:") else place
    note_file(reader, Deed.READ, node, bare)  # what is done to it, its statements tell
    reader.report.fact("database", reader.span(node))
    return Value(kind="sqlite3.Connection")


def _path(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    if not arguments.positional:
        return Value(const=".", kind="pathlib.Path")
    first, *rest = arguments.positional
    starts = [Value(const=text_of(choice), kind="pathlib.Path", taint=first.taint) for choice in each(first)]
    return folding.join_path(reduce(join, starts), *rest) if rest else reduce(join, starts)


def _join_path(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    parts = arguments.positional or (NOTHING,)
    starts = [Value(const=text_of(choice), taint=parts[0].taint) for choice in each(parts[0])]
    return replace(folding.join_path(reduce(join, starts), *parts[1:]), kind="")


def _same_path(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return replace(arguments.get(0), taint=arguments.taint)


def _folder(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    path = arguments.get(0)
    text = text_of(path)
    folder = text.rpartition("/")[0] or ("/" if text.startswith("/") else HOLE if HOLE in text else "")
    return replace(path, const=folder, taint=arguments.taint)


def _here(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return Value(const=".", kind="pathlib.Path" if ref.startswith("pathlib") else "")


def _home(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return Value(const="~", kind="pathlib.Path")


def _environment(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return note_environment(reader, node, arguments.get(0, "key"))


def _whole_environment(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    note(reader, Deed.ENVIRONMENT, node, risk=Risk.MEDIUM, certainty=EffectKind.MAY)
    return NOTHING


def _move(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    reader.report.fact("moved", reader.span(node))
    return NOTHING


def _getattr(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return by_name(reader, node, arguments.get(0), arguments.get(1))


def _attrgetter(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    name = arguments.get(0)
    if "__" in text_of(name):
        note(reader, Deed.INTERNALS, node, text_of(name).replace(HOLE, "…"))
    elif text_of(name).rpartition(".")[2] in TELLING_NAMES:
        note_hidden(reader, node, f"Fetches {text_of(name)} by its name", text_of(name), Risk.MEDIUM)
    return Value(const=name.const, kind="attrgetter")


def _setattr(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    name = shown(arguments.get(1)) or "an attribute chosen at run time"
    note_replaced(reader, node, arguments.get(0), name)
    if name.startswith("__"):
        note(reader, Deed.INTERNALS, node, name, rule="python.internals.write")
    reader.remember(name, arguments.get(2))
    return NOTHING


def _vars(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    if not arguments.positional:
        return Value(refs=("globals()",))
    return Value(refs=tuple(f"{owner}.__dict__" for owner in arguments.get(0).refs), taint=arguments.taint)


def _all_names(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """`vars(os).items()` has the table in its own name, `inspect.getmembers(os)` in its argument."""
    for owner in arguments.get(0).refs if ref == "inspect.getmembers" else (ref.rpartition(".")[0],):
        every_name(reader, node, owner)
    return Value(taint=arguments.taint)


def _type(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """`type(name, bases, {…})` makes a class; with one argument it only asks."""
    for name in sorted(HOOKS.intersection(arguments.keys)) if len(arguments.positional) == 3 else ():
        note(reader, Deed.UNPACK, node, name, risk=Risk.MEDIUM, words=f"Makes a class whose {name} decides what runs")
    made = tuple(function for value in arguments.keys.values() for function in value.functions)
    return Value(taint=arguments.taint, functions=made)


def _numpy_load(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    if "allow_pickle" in arguments.named and not _is_false(node, "allow_pickle"):
        note(reader, Deed.UNPACK, node, "numpy.load with allow_pickle")
    note_file(reader, Deed.READ, node, arguments.get(0, "file"))
    return Value(taint=arguments.taint)


def _is_false(node: ast.Call, name: str) -> bool:
    given = next((keyword.value for keyword in node.keywords if keyword.arg == name), None)
    return isinstance(given, ast.Constant) and given.value is False


def _globals(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return Value(refs=("globals()",))


def _table(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """`.get(name)` on sys.modules or globals()."""
    found = by_key(reader, node, ref.rpartition(".")[0], arguments.get(0))
    return found if found is not None else NOTHING


def _import_by_name(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return reduce(join, [_import_one(reader, node, ref, known(choice)) for choice in each(arguments.get(0, "name"))])


def _import_one(reader: Reader, node: ast.Call, ref: str, name: str | None) -> Value:
    if not name:
        note(reader, Deed.IMPORT, node, risk=Risk.HIGH)
        return NOTHING
    written = bool(node.args) and isinstance(node.args[0], ast.Constant)
    if name.startswith("servers"):
        return Value(refs=(name,))
    note(reader, Deed.IMPORT, node, name, risk=Risk.MEDIUM)
    if not written:
        note_hidden(reader, node, f"Puts the module name {name} together from pieces", name)
    module(reader, node, name)
    top = name.split(".")[0] if ref.endswith("__import__") else name
    return Value(refs=(ALIASES.get(top, top),))


def _run_text(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    code = arguments.get(0, "source", "stmt")
    if code.kind == "skill":
        note(
            reader,
            Deed.CODE,
            node,
            shown(code),
            risk=Risk.MEDIUM,
            rule="code.skill",
            words="Runs the text of a kept skill",
        )
        return NOTHING
    if source := first(code.taint, "untrusted"):
        words = f"Runs text that came from {source.label} (line {source.line}) as code"
        note(reader, Deed.CODE, node, "text from outside", risk=Risk.CRITICAL, rule="code.untrusted", words=words)
        return NOTHING
    for choice in each(code):
        text = known(choice)
        if text is not None:
            reader.inner[text] = Inner(text, reader.span(node))
        _note_code(reader, node, ref, text, code.kind == "decoded")
    return code if ref == "builtins.compile" else NOTHING


def _note_code(reader: Reader, node: ast.Call, ref: str, text: str | None, hidden: bool) -> None:
    if hidden:
        words = "Runs code that was hidden in encoded text" + (f": {_short(text)}" if text else "")
        note(reader, Deed.CODE, node, _short(text or ""), risk=Risk.CRITICAL, rule="code.hidden", words=words)
    elif text is None:
        reader.report.not_assessed["Text that is run as code and only known at run time."] = None
        note(reader, Deed.CODE, node, risk=CALLABLES[ref].risk)
    else:
        written = bool(node.args) and isinstance(node.args[0], ast.Constant)
        if not written and ref != "builtins.compile":
            reader.report.fact("assembled", reader.span(node))
        note(reader, Deed.CODE, node, _short(text), risk=CALLABLES[ref].risk)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:79] + "…"


def _partial(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return arguments.get(0)


def _chr(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    code = arguments.get(0).const
    letter = chr(code) if isinstance(code, int) and 0 <= code < 0x110000 else UNKNOWN
    return Value(const=letter, taint=arguments.taint)


def _bytes(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
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


def _view(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """A copy or view of a table of names still gives out every name, and a view takes changes for it."""
    held = tables(name for value in arguments.every for name in value.refs)
    for owner in held:
        note_hidden(reader, node, f"Looks at {owner} through {ref}", owner, Risk.MEDIUM)
    return Value(refs=held, items=arguments.get(0).items, taint=arguments.taint)


def _same(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    source = arguments.get(0)
    return replace(source, refs=(), functions=(), taint=arguments.taint)


def _reversed(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    source = arguments.get(0)
    if isinstance(source.const, str) and HOLE not in source.const:
        return Value(items=tuple(Value(const=letter) for letter in reversed(source.const[:4096])), taint=source.taint)
    return Value(items=source.items and source.items[::-1], taint=source.taint)


def _map(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    function, source = node.args[0] if node.args else None, arguments.get(1)
    if isinstance(function, ast.Name) and function.id in ("chr", "int", "ord", "str"):
        body = ast.Call(ast.Name(function.id), [ast.Name("x")], [])
        items = folding.comprehend(body, "x", source)
        if items:
            return Value(items=items, taint=arguments.taint)
    return Value(taint=arguments.taint)


def _decode(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return folding.decode(ref, arguments.get(0), arguments.positional[1:])


def _load_yaml(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    if not any("SafeLoader" in name for name in arguments.get(1, "Loader").refs):
        note(reader, Deed.UNPACK, node, ref)
    return Value(taint=arguments.taint)


def _call_tool(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """`call_tool("server", "tool", {…})`."""
    answers = []
    for server in each(arguments.get(0, "server")):
        for tool in each(arguments.get(1, "tool", "name")):
            owner, name = known(server), known(tool)
            found = reader.toolbook.find(owner, name) if owner and name else None
            answers.append(_use(reader, node, found, arguments))
    return reduce(join, answers)


def _call_by_id(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """`call_mcp_tool("mcp__server__tool", {…})`."""
    names = map(known, each(arguments.get(0, "tool_id", "id", "name", "tool")))
    found = [reader.toolbook.find_id(name) if name else None for name in names]
    return reduce(join, [_use(reader, node, tool, arguments) for tool in found])


def _use(reader: Reader, node: ast.Call, found: Tool | Unlisted | None, arguments: Arguments) -> Value:
    if found is None:
        return tainted(note_dynamic(reader, node), arguments.taint)
    return use_tool(reader, node, found, arguments)


def _load_skill(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    name = known(arguments.get(0, "name"))
    reader.report.not_assessed[f"The text of the kept skill {name or 'chosen at run time'}."] = None
    return Value(kind="skill")


def _offer_skill(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    words = f"Offers a program as the skill {shown(arguments.get(0, 'name'))}; a person decides whether to keep it"
    reader.report.add("skill.offer", Risk.LOW, words, reader.span(node), effect=EffectKind.WILL, reversible=True)
    return NOTHING


def _every(names: str, special: Special) -> dict[str, Special]:
    return dict.fromkeys(names.split(), special)


SPECIALS: dict[str, Special] = {
    **_every("builtins.open", _open),
    **_every("os.open", _open_low),
    **_every("zipfile.ZipFile tarfile.open tarfile.TarFile", _archive),
    **_every("sqlite3.connect sqlite3.Connection", _database),
    **_every("pathlib.Path pathlib.PurePath pathlib.PosixPath pathlib.PurePosixPath", _path),
    **_every("os.path.join", _join_path),
    **_every("os.path.expanduser os.path.abspath os.path.realpath os.path.normpath os.fspath", _same_path),
    **_every("os.path.dirname", _folder),
    **_every("pathlib.Path.cwd os.getcwd", _here),
    **_every("pathlib.Path.home", _home),
    **_every("os.getenv os.environ.get os.environ.pop os.environ.__getitem__", _environment),
    **_every("os.environ.items os.environ.keys os.environ.values os.environ.copy", _whole_environment),
    **_every("os.chdir", _move),
    **_every("builtins.getattr builtins.object.__getattribute__ inspect.getattr_static", _getattr),
    **_every("operator.attrgetter operator.methodcaller", _attrgetter),
    **_every("builtins.setattr builtins.object.__setattr__", _setattr),
    **_every("builtins.delattr", drop),
    **_every("operator.setitem operator.delitem operator.ior operator.iadd operator.iconcat", write_item),
    **_every("functools.update_wrapper", wrap),
    **_every("builtins.vars", _vars),
    **_every("builtins.globals builtins.locals", _globals),
    **_every("globals().items globals().values globals().copy inspect.getmembers", _all_names),
    **_every("sys.modules.items sys.modules.values sys.modules.copy", _all_names),
    **_every("sys.modules.pop sys.modules.setdefault globals().pop globals().setdefault", _table),
    **_every("builtins.type", _type),
    **_every("numpy.load", _numpy_load),
    **_every("pickle.load pickle.loads pickle.Unpickler", unpickle),
    **_every("sys.modules.get sys.modules.__getitem__ globals().get globals().__getitem__", _table),
    **_every("builtins.__import__ importlib.import_module", _import_by_name),
    **_every("builtins.exec builtins.eval builtins.execfile builtins.compile timeit.timeit timeit.repeat", _run_text),
    **_every("functools.partial functools.partialmethod asyncio.coroutine", _partial),
    **_every("builtins.chr", _chr),
    **_every("builtins.bytes builtins.bytearray", _bytes),
    **_every("builtins.str builtins.list builtins.tuple builtins.iter builtins.sorted builtins.set", _same),
    **_every("collections.ChainMap collections.UserDict collections.OrderedDict types.MappingProxyType", _view),
    **_every("builtins.dict copy.copy copy.deepcopy", _view),
    **_every("builtins.reversed", _reversed),
    **_every("builtins.map", _map),
    **dict.fromkeys(folding.DECODING, _decode),
    **_every("yaml.load yaml.load_all", _load_yaml),
    **_every("client.call_tool runtime.call_tool", _call_tool),
    **_every("client.call_mcp_tool runtime.call_mcp_tool", _call_by_id),
    **_every("client.get_client client.Client", lambda reader, node, ref, arguments: Value(refs=("client",))),
    **_every("client.load_skill runtime.load_skill", _load_skill),
    **_every("client.save_skill runtime.save_skill", _offer_skill),
}
