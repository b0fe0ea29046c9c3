"""Functions with rules of their own: attributes by name, imports by name, text run as code; and the table of all."""

from __future__ import annotations

import ast
from functools import reduce

from workbench.policy.client_calls import CLIENT_CALLS
from workbench.policy.effects import first, note, note_environment
from workbench.policy.evaluators import EVALUATORS
from workbench.policy.file_calls import FILE_CALLS
from workbench.policy.imports import module
from workbench.policy.invocation import Arguments
from workbench.policy.lookups import by_key, by_name, evaluates, every_name, note_hidden
from workbench.policy.pickles import unpickle
from workbench.policy.reader import Inner, Reader
from workbench.policy.skill_uses import use_any, use_module
from workbench.policy.special import Special, every
from workbench.policy.tables.attributes import HOOKS, TELLING_NAMES
from workbench.policy.tables.callables import CALLABLES
from workbench.policy.tables.deeds import Deed
from workbench.policy.tables.methods import CALLING, FOREIGN
from workbench.policy.tables.modules import ALIASES
from workbench.policy.tampering import drop, note_replaced, wrap, write_item
from workbench.policy.value import HOLE, NO_TAINT, NOTHING, OWN_NAMES, Source, Value, each, join, known, shown, text_of
from workbench.policy.value_calls import VALUE_CALLS
from workbench.records import EffectKind, Risk


def _environment(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return note_environment(reader, node, arguments.get(0, "key"))


def _whole_environment(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    note(reader, Deed.ENVIRONMENT, node, risk=Risk.MEDIUM, certainty=EffectKind.MAY)
    return NOTHING


def _getattr(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return by_name(reader, node, arguments.get(0), arguments.get(1))


def _attrgetter(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    name = arguments.get(0)
    if "__" in text_of(name):
        note(reader, Deed.INTERNALS, node, text_of(name).replace(HOLE, "…"))
    elif (last := text_of(name).rpartition(".")[2]) in TELLING_NAMES or last in CALLING or evaluates(reader, last):
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
    owners = arguments.get(0).refs if ref == "inspect.getmembers" else (ref.rpartition(".")[0],)
    for owner in owners:
        every_name(reader, node, owner)
    own = {Source(OWN_NAMES, "its own names", reader.span(node).line)} if "globals()" in owners else NO_TAINT
    return Value(taint=arguments.taint | own)


def _type(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """`type(name, bases, {…})` makes a class; with one argument it only asks."""
    for name in sorted(HOOKS.intersection(arguments.keys)) if len(arguments.positional) == 3 else ():
        note(reader, Deed.UNPACK, node, name, risk=Risk.MEDIUM, words=f"Makes a class whose {name} decides what runs")
    made = tuple(function for value in arguments.keys.values() for function in value.functions)
    return Value(taint=arguments.taint, functions=made)


def _globals(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return Value(refs=("globals()",))


def _table(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """`.get(name)` on sys.modules or globals()."""
    found = by_key(reader, node, ref.rpartition(".")[0], arguments.get(0))
    return found if found is not None else NOTHING


def _import_by_name(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    inside = known(arguments.get(1, "package")) if ref.endswith("import_module") else None
    found = [_import_one(reader, node, ref, known(choice), inside or "") for choice in each(arguments.get(0, "name"))]
    if ref.endswith("__import__") and any(one.refs == ("skills",) for one in found):
        for name in arguments.get(3, "fromlist").items or ():
            use_module(reader, node, f"skills.{known(name)}") if known(name) else use_any(reader, node)
    return reduce(join, found)


def _import_one(reader: Reader, node: ast.Call, ref: str, name: str | None, inside: str) -> Value:
    if not name:
        note(reader, Deed.IMPORT, node, risk=Risk.HIGH)
        reader.report.any_skill = True
        return NOTHING
    if name.startswith(".") and inside:
        name = f"{inside}{name}"
    written = bool(node.args) and isinstance(node.args[0], ast.Constant)
    if name.split(".")[0] == "servers":
        module(reader, node, name)
        return Value(refs=(name,))
    note(reader, Deed.IMPORT, node, name, risk=Risk.MEDIUM)
    if not written:
        note_hidden(reader, node, f"Puts the module name {name} together from pieces", name)
    module(reader, node, name)
    top = name.split(".")[0] if ref.endswith("__import__") else name
    return Value(refs=(ALIASES.get(top, top),))


def _run_text(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    code = arguments.get(0, "source", "stmt")
    if code.kind == "skill" and _is_skill_text(reader, node):
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
            reader.inner[text] = Inner(text, reader.span(node), node)
        _note_code(reader, node, ref, text, code.kind == "decoded")
    return code if ref == "builtins.compile" else NOTHING


def _is_skill_text(reader: Reader, node: ast.Call) -> bool:
    """Whether the text is that of a kept skill as it stands, not joined with another text."""
    text = node.args[0] if node.args else None
    if isinstance(text, ast.Name):
        text = reader.bound_once().get(text.id)
    if not isinstance(text, ast.Call):
        return False
    return (text.func.attr if isinstance(text.func, ast.Attribute) else getattr(text.func, "id", "")) == "load_skill"


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


def _load_yaml(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    loaders = arguments.get(1, "Loader").refs
    if not loaders or not all(loader.endswith(("SafeLoader", "BaseLoader")) for loader in loaders):
        note(reader, Deed.UNPACK, node, ref)
    return Value(taint=arguments.taint)


def _typed(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return Value(kind=FOREIGN, taint=arguments.taint)


SPECIALS: dict[str, Special] = {
    **FILE_CALLS,
    **VALUE_CALLS,
    **CLIENT_CALLS,
    **EVALUATORS,
    **every("os.getenv os.environ.get os.environ.pop os.environ.__getitem__", _environment),
    **every("os.environ.items os.environ.keys os.environ.values os.environ.copy", _whole_environment),
    **every("builtins.getattr builtins.object.__getattribute__ inspect.getattr_static", _getattr),
    **every("operator.attrgetter operator.methodcaller", _attrgetter),
    **every("builtins.setattr builtins.object.__setattr__", _setattr),
    **every("builtins.delattr", drop),
    **every("operator.setitem operator.delitem operator.ior operator.iadd operator.iconcat", write_item),
    **every("functools.update_wrapper", wrap),
    **every("builtins.vars", _vars),
    **every("builtins.globals builtins.locals", _globals),
    **every("globals().items globals().values globals().copy inspect.getmembers", _all_names),
    **every("sys.modules.items sys.modules.values sys.modules.copy", _all_names),
    **every("sys.modules.pop sys.modules.setdefault globals().pop globals().setdefault", _table),
    **every("builtins.type", _type),
    **every("pickle.load pickle.loads pickle.Unpickler", unpickle),
    **every("sys.modules.get sys.modules.__getitem__ globals().get globals().__getitem__", _table),
    **every("builtins.__import__ importlib.import_module", _import_by_name),
    **every("builtins.exec builtins.eval builtins.execfile builtins.compile", _run_text),
    **every("yaml.load yaml.load_all", _load_yaml),
    **every("builtins.input sys.stdin.read sys.stdin.readline sys.stdin.readlines", _typed),
}
