"""Reports changes to shared state: the names of modules, and the tables and lists in them.

Such a change decides what other, harmless-looking code does. In a REPL session this includes the next program, so no
form of such a change may have a lower risk than a plain assignment.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from workbench.analysis.interpreter.effects import note
from workbench.analysis.interpreter.interpreter import Interpreter
from workbench.analysis.interpreter.values import NOTHING, Arguments, Value, readable
from workbench.analysis.tables.modules import OURS, STANDARD, TEXTS
from workbench.analysis.tables.program_actions import ProgramAction
from workbench.permissions.word_sets import names
from workbench.records import EffectKind, Risk

# Changed in harmless programs, or reported by other findings.
_EVERYDAY = frozenset({"sys.argv", "os.environ", "logging.root.handlers", "warnings.filters"})
# Numbers: binding a name to one of them and changing that name leaves the module unchanged.
_NUMBERS = names("sys.maxsize math.inf math.nan math.pi math.e math.tau cmath.pi cmath.inf sys.float_info.max")
_CHANGING = names("append extend insert update setdefault pop popitem clear remove add discard")
_CHANGING |= names("__setitem__ __delitem__ __ior__ __iadd__ __imul__ sort reverse")
_NAMING = names("__setattr__ __delattr__")
_HOLDERS = names("builtins.dict builtins.list builtins.set")
# `_READING`: functions that only read a shared object. `_COPYING`: functions that return its elements.
# `_READING_METHODS`: methods that only read.
_READING = frozenset(f"builtins.{name}" for name in names("print len repr str format bool type isinstance id any all"))
_READING |= names("json.dumps json.dump pprint.pprint pprint.pformat reprlib.repr os.path.join os.pathsep.join")
_COPYING = frozenset(
    f"builtins.{name}" for name in names("list tuple set dict sorted enumerate iter reversed map filter")
)
_COPYING |= names(
    "itertools.chain itertools.islice copy.copy copy.deepcopy builtins.frozenset builtins.min builtins.max"
)
_READING_METHODS = names("join format index count debug info warning error write")
_SETTERS = names("builtins.setattr builtins.delattr operator.setitem operator.delitem")


def is_shared(ref: str) -> bool:
    """Return whether a dotted name is a table or list that belongs to a module."""
    if ref == "globals()" or ref.endswith(".__dict__"):
        return True
    if ref in TEXTS or ref in _NUMBERS:
        return False
    module, _, inside = ref.partition(".")
    return bool(inside) and module != "builtins" and module in STANDARD | OURS and ref not in _EVERYDAY


def note_writes(interpreter: Interpreter, node: ast.AST, owner: Value) -> None:
    """Note a change of each table or list that the value may be."""
    for ref in owner.refs:
        if ref == "sys.path":
            note_search_path(interpreter, node)
        elif ref == "builtins" or is_shared(ref):
            note(
                interpreter,
                ProgramAction.TAMPER,
                node,
                f"writes into {ref}",
                risk=Risk.MEDIUM if ref == "globals()" else None,
            )


def note_search_path(interpreter: Interpreter, node: ast.AST) -> None:
    """Note a change of the import search path.

    The path decides the files that later imports load, including imports with harmless names."""
    words = "Changes the import search path: its imports may load different files than their names suggest"
    note(interpreter, ProgramAction.IMPORT, node, "sys.path", rule="code.import.path", words=words)
    interpreter.report.not_assessed["Modules found through a changed sys.path."] = None


def note_replaced(interpreter: Interpreter, node: ast.AST, owner: Value, name: str) -> None:
    """Note that an attribute was set or deleted on each object that the value may be."""
    for ref in owner.refs:
        if ref.split(".")[0] in STANDARD | OURS:
            note(interpreter, ProgramAction.TAMPER, node, f"replaces {ref}.{name}")


def note_method(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> None:
    """Note method calls that change shared state.

    Examples: `sys.meta_path.insert(…)`, `vars(client).update(…)`, `dict.update(vars(client), …)`,
    `client.__setattr__(…)`."""
    owner, _, name = ref.rpartition(".")
    if name not in _CHANGING and name not in _NAMING:
        return
    if name in _CHANGING and owner in _HOLDERS:
        note_writes(interpreter, node, arguments.get(0))
    # a method of a class gets the changed object as its first argument
    elif name in _CHANGING and not owner.rpartition(".")[2][:1].isupper():
        note_writes(interpreter, node, Value(refs=(owner,)))
    elif name in _NAMING and arguments.positional:
        own = owner.startswith("builtins.")
        held = arguments.get(0) if own or len(arguments.positional) > 2 else Value(refs=(owner,))
        note_replaced(interpreter, node, held, readable(arguments.get(1 if held is arguments.get(0) else 0)) or "…")


def note_handed_on(interpreter: Interpreter, node: ast.Call, arguments: Arguments) -> None:
    """Note arguments that combine a setter with a shared object.

    Examples: `partial(setattr, client)`, `map(setattr, [client], …)`."""
    for value in arguments.every:
        if value.refs and not _SETTERS.isdisjoint(value.refs):
            break
    else:
        return
    for value in arguments.every:
        for one in (value, *(value.items or ())):
            for held in (one, *(one.items or ())):
                others = Value(refs=tuple(ref for ref in held.refs if ref not in _SETTERS))
                note_replaced(interpreter, node, others, "an attribute chosen at run time")


def note_lent(interpreter: Interpreter, node: ast.Call, target: Value, arguments: Arguments) -> None:
    """Note shared objects passed to a function that may change them.

    Examples: `bisect.insort(sys.path, …)`, `chain.maps.append(vars(client))`."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) and not target.refs else ""
    if target.functions or name in _READING_METHODS or (target.refs and _READING.issuperset(target.refs)):
        return  # functions of the program are analyzed themselves
    copied = arguments.positional if target.refs and _COPYING.issuperset(target.refs) else ()
    for value in arguments.every:
        methods = tuple(ref for ref in value.refs if ref.rpartition(".")[2] in _CHANGING)
        note_kept(interpreter, node, Value(refs=methods, items=value.items) if value in copied else value)


def note_kept(interpreter: Interpreter, node: ast.AST, value: Value) -> None:
    """Note shared objects, and methods that change them, that are stored where the analysis cannot follow them."""
    for held in (value, *(value.items or ())):
        for ref in held.refs:
            owner, _, name = ref.rpartition(".")
            if ref == "sys.path":
                note_search_path(interpreter, node)
            elif name in _CHANGING and (owner == "sys.path" or is_shared(owner)):
                note_writes(interpreter, node, Value(refs=(owner,)))
            elif name == "__dict__" and owner.split(".")[0] in STANDARD | OURS:
                words = f"Passes on the table of all names of {owner}: code that receives it can replace them"
                interpreter.report.add(
                    "name.hidden", Risk.MEDIUM, words, interpreter.span(node), subject=ref, effect=EffectKind.MAY
                )


def tables(refs: Iterable[str]) -> tuple[str, ...]:
    """Return the references that are tables of names. A copy or a view of one still gives access to every name."""
    return tuple(ref for ref in refs if ref in ("sys.modules", "globals()", "builtins") or ref.endswith(".__dict__"))


def write_item(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret `operator.setitem(vars(client), …)`."""
    note_writes(interpreter, node, arguments.get(0))
    return NOTHING


def drop(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret `delattr(client, …)`."""
    note_replaced(interpreter, node, arguments.get(0), readable(arguments.get(1)) or "an attribute chosen at run time")
    return NOTHING


def wrap(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Interpret `functools.update_wrapper(client, …)`, which copies names into its first argument."""
    wrapper = arguments.get(0, "wrapper")
    note_replaced(interpreter, node, wrapper, "__dict__")
    return wrapper
