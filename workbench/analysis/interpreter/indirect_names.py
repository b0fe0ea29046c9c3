"""Resolves indirect names: attributes, module tables, `getattr`, and names made at run time."""

from __future__ import annotations

import ast
from functools import reduce

from msgspec.structs import replace

from workbench.analysis.interpreter.effects import note
from workbench.analysis.interpreter.imports import LOADED_FROM, LOADERS, note_any_skill, note_skill
from workbench.analysis.interpreter.interpreter import Interpreter
from workbench.analysis.interpreter.tool_calls import is_tool, note_dynamic, note_tool
from workbench.analysis.interpreter.values import HOLE, NOTHING, UNKNOWN, Value, each, join, known, tainted, text_of
from workbench.analysis.tables.callables import CALLABLES
from workbench.analysis.tables.methods_and_attributes import (
    EVALUATING_METHODS,
    METHOD_ACTIONS,
    PATH_KINDS,
    PATH_METHODS,
    RISKY_NAMES,
    SOFT,
    SPECIAL,
)
from workbench.analysis.tables.modules import ALIASES, CLIENT, REACHED, STANDARD, TEXTS
from workbench.analysis.tables.program_actions import WORDS, ProgramAction
from workbench.permissions.word_sets import names
from workbench.records import EffectKind, Risk
from workbench.records.common_types import at_least

_USUAL = names("asyncio.subprocess concurrent.futures os.path logging.os asyncio.threading")
_COMPUTING = names("math cmath statistics random operator string datetime itertools functools collections decimal")
_ONLY_NUMBERS = names("math cmath")  # modules with functions of numbers and nothing else
_CALLERS = names("client.call_tool client.call_mcp_tool runtime.call_tool runtime.call_mcp_tool")
# Not reported if only bound to a different name, which the analysis follows.
_FOLLOWED = _CALLERS | names("builtins.open client.write_file runtime.write_file")
_OWN = frozenset({"__main__", "globals()"})  # where the sandbox puts the functions of its client
_BINDING = names("__call__ __get__")
_POWERFUL = names("os sys builtins subprocess shutil socket ctypes importlib posix pty")


def of_ref(interpreter: Interpreter, node: ast.AST, ref: str, name: str) -> str:
    """Return the dotted name of an attribute of a dotted name, through aliases and modules inside modules."""
    if (
        name in _BINDING and ref != "operator"
    ):  # `exec.__call__` is `exec`; `load_skill.__get__("x")` binds its argument
        if name == "__get__":
            mention(interpreter, node, Value(refs=(ref,)))
        return ref
    if ref in _OWN and name in CLIENT:
        return f"client.{name}"
    full = f"{ref}.{name}"
    bare = name.lstrip("_")
    if (
        ref.split(".")[0] in STANDARD
        and ref != "builtins"
        and bare in REACHED
        and full not in CALLABLES
        and full not in _USUAL
    ):
        note_hidden(interpreter, node, f"Reaches the module {bare} through {full}", full)
        return ALIASES.get(bare, bare)
    if ref == "servers":
        interpreter.report.servers.add(name)
    note_skill(interpreter, node, full)
    return ALIASES.get(full, full)


def mention(interpreter: Interpreter, node: ast.AST, value: Value) -> None:
    """Note that a powerful function is stored or passed on.

    Its receiver can call it where the analysis does not see it."""
    for ref in value.refs:
        if is_tool(ref):
            note_tool(interpreter, node, ref)
        elif interpreter.follows and (ref in LOADERS or ref in _FOLLOWED):
            continue
        elif ref in LOADERS:
            note_any_skill(
                interpreter, node, "Passes on load_skill without calling it here: which skill it loads is not known"
            )
        elif ref == "sys.modules":
            words = "Passes on the table of all loaded modules: code that receives it can reach any module by name"
            note_hidden(interpreter, node, words, ref, Risk.MEDIUM)
        elif ref == "os.environ":
            note(interpreter, ProgramAction.ENVIRONMENT, node, risk=Risk.MEDIUM, certainty=EffectKind.MAY)
        elif ref in _CALLERS:
            note_dynamic(interpreter, node)
        elif ref in _FOLLOWED:
            words = f"Passes on {ref.rpartition('.')[2]} without calling it here: which files it writes is not known"
            note(
                interpreter,
                ProgramAction.WRITE,
                node,
                ref,
                rule="file.write.mention",
                words=words,
                certainty=EffectKind.MAY,
            )
        elif (rule := CALLABLES.get(ref)) and at_least(rule.risk, Risk.MEDIUM):
            words = f"Passes on {ref.removeprefix('builtins.')} without calling it here"
            note(interpreter, rule.action, node, ref, rule=f"{rule.action}.mention", words=words)


def mention_method(interpreter: Interpreter, node: ast.AST, owner: Value, name: str) -> None:
    """Note that a method with effects is stored or passed on, like a powerful function."""
    action = PATH_METHODS.get(name) if owner.kind in PATH_KINDS else METHOD_ACTIONS.get(name)
    if action and interpreter.stored_attribute(name) is None and at_least(WORDS[action].risk, Risk.MEDIUM):
        note(
            interpreter,
            action,
            node,
            name,
            rule=f"{action}.mention",
            words=f"Passes on the method {name} without calling it here",
        )


def evaluates(interpreter: Interpreter, name: str) -> bool:
    """Return whether a method of this name evaluates text, given the imports of the program."""
    module = EVALUATING_METHODS.get(name)
    return module is not None and module in interpreter.modules


def note_hidden(interpreter: Interpreter, node: ast.AST, words: str, subject: str, risk: Risk = Risk.HIGH) -> None:
    """Note an access that is hidden from a human reader."""
    interpreter.report.add("name.hidden", risk, words, interpreter.span(node), subject=subject, effect=EffectKind.MAY)


def attribute_walk(interpreter: Interpreter, node: ast.AST, name: str, owner: Value, *, by_name: bool = False) -> None:
    """Note the reading of a special attribute: access to interpreter internals, or a harmless look at a class."""
    on_module = any(ref.split(".")[0] in STANDARD for ref in owner.refs)
    if name in SOFT and not on_module:
        inner = node.value if isinstance(node, ast.Attribute) else None
        if name == "__dict__" and not isinstance(inner, ast.Attribute | ast.Constant):
            return
        chained = isinstance(inner, ast.Attribute | ast.Constant | ast.Tuple | ast.Call | ast.List | ast.Dict)
        note(
            interpreter,
            ProgramAction.INTERNALS,
            node,
            name,
            risk=Risk.HIGH if chained and name != "__traceback__" else Risk.MEDIUM,
        )
        return
    note(
        interpreter,
        ProgramAction.INTERNALS,
        node,
        name,
        words=f"Reads the special attribute {name}{' by its name' if by_name else ''}",
    )


def attribute_of(interpreter: Interpreter, node: ast.Attribute, owner: Value, *, called: bool) -> Value:
    """Return the known part of `owner.name`."""
    if node.attr in SPECIAL:
        attribute_walk(interpreter, node, node.attr, owner)
    if owner.refs:
        for ref in owner.refs:
            if (text := TEXTS.get(f"{ref}.{node.attr}")) is not None:
                return Value(const=text)
        found = Value(refs=tuple(of_ref(interpreter, node, ref, node.attr) for ref in owner.refs), taint=owner.taint)
        if not called:
            mention(interpreter, node, found)
        return found
    if not called:
        mention_method(interpreter, node, owner, node.attr)
        if evaluates(interpreter, node.attr) and interpreter.stored_attribute(node.attr) is None:
            return Value(kind=f"method.{node.attr}", taint=owner.taint)
    if owner.kind in PATH_KINDS:
        return _path_part(owner, node.attr)
    kept = interpreter.stored_attribute(node.attr)
    if kept is not None and owner.const is UNKNOWN and owner.items is None:
        if not called and kept.refs:
            mention(interpreter, node, kept)
        return tainted(kept, owner.taint)
    return Value(taint=owner.taint) if owner.taint else NOTHING


def _path_part(owner: Value, name: str) -> Value:
    if name == "parent":
        folder = text_of(owner).rpartition("/")[0]
        return replace(owner, const=folder or (HOLE if HOLE in text_of(owner) else "."))
    return Value(taint=owner.taint)


def by_name(interpreter: Interpreter, node: ast.Call, owner: Value, key: Value) -> Value:
    """Interpret `getattr(owner, key)` and similar functions."""
    if key.choices:
        return reduce(join, [by_name(interpreter, node, owner, choice) for choice in each(key)])
    name = known(key)
    if name is None:
        return _unknown_attribute(interpreter, node, owner)
    written = len(node.args) > 1 and isinstance(node.args[1], ast.Constant)
    if name in SPECIAL or (name == "__class__" and not written):
        attribute_walk(interpreter, node, name, Value(refs=("sys",)), by_name=True)
    found = Value(refs=tuple(of_ref(interpreter, node, ref, name) for ref in owner.refs), taint=owner.taint)
    powerful = any(ref in CALLABLES or is_tool(ref) for ref in found.refs)
    if owner.refs and not written and (powerful or not _COMPUTING.issuperset(owner.refs)):
        words = f"Builds the name {owner.refs[0]}.{name} from pieces"
        note_hidden(interpreter, node, words, name, Risk.HIGH if powerful else Risk.MEDIUM)
    mention(interpreter, node, found)
    if not owner.refs:
        mention_method(interpreter, node, owner, name)
        if name in RISKY_NAMES:
            note_hidden(interpreter, node, f"Gets {name} by its name", name, Risk.MEDIUM)
        elif evaluates(interpreter, name):
            return Value(kind=f"method.{name}", taint=owner.taint)
    return found


def every_name(interpreter: Interpreter, node: ast.AST, ref: str) -> Value:
    """Note access to all names of a module at once: `vars(os).items()`, `inspect.getmembers(os)`."""
    owner = ref.removesuffix(".__dict__")
    if owner.split(".")[0] in STANDARD or owner in LOADED_FROM:
        words = f"Goes through all names of {owner}, so it is unclear which one it uses"
        note_hidden(interpreter, node, words, owner, _module_risk(owner))
    return NOTHING


def _unknown_attribute(interpreter: Interpreter, node: ast.AST, owner: Value) -> Value:
    for ref in owner.refs:
        top = ref.split(".")[0]
        if top == "servers":
            note_dynamic(interpreter, node)
        elif top == "skills":
            note_any_skill(interpreter, node)
        elif top in STANDARD and ref not in _ONLY_NUMBERS:
            risk = Risk.HIGH if ref in _POWERFUL else Risk.MEDIUM
            note_hidden(interpreter, node, f"Which attribute of {ref} is used is chosen at run time", ref, risk)
    return Value(taint=owner.taint)


def by_key(interpreter: Interpreter, node: ast.AST, ref: str, key: Value) -> Value | None:
    """Look up a name by text: `sys.modules[…]`, `vars(os)[…]`, `globals()[…]`.

    None if `ref` is not a table of names."""
    name = known(key)
    if ref == "sys.modules":
        return _loaded_module(interpreter, node, name)
    if ref == "globals()":
        return _own_name(interpreter, node, name)
    if not ref.endswith(".__dict__") and ref != "builtins":
        return None
    owner = ref.removesuffix(".__dict__")
    if name is None:
        return _unknown_attribute(interpreter, node, Value(refs=(owner,)))
    note_hidden(
        interpreter, node, f"Reaches {owner}.{name} through a table of names", f"{owner}.{name}", _module_risk(owner)
    )
    found = Value(refs=(of_ref(interpreter, node, owner, name),))
    mention(interpreter, node, found)
    return found


def _loaded_module(interpreter: Interpreter, node: ast.AST, name: str | None) -> Value:
    if name is None:
        note_hidden(interpreter, node, "Takes a module chosen at run time out of sys.modules", "sys.modules")
        return NOTHING
    note_hidden(interpreter, node, f"Takes the module {name} out of sys.modules", name, _module_risk(name))
    return Value(refs=(ALIASES.get(name, name),))


def _own_name(interpreter: Interpreter, node: ast.AST, name: str | None) -> Value:
    if name in ("__builtins__", "__builtin__"):
        note(interpreter, ProgramAction.INTERNALS, node, "__builtins__")
        return Value(refs=("builtins",))
    if name is None:
        words = "Looks up one of its own names by text that is only known at run time"
        note_hidden(interpreter, node, words, HOLE, Risk.MEDIUM)
        return NOTHING
    found = interpreter.find_name(name) or (Value(refs=(f"client.{name}",)) if name in CLIENT else NOTHING)
    mention(interpreter, node, found)
    return found


def _module_risk(module: str) -> Risk:
    return Risk.HIGH if module in _POWERFUL else Risk.MEDIUM
