"""Interprets imports: the names that they bind, the skills that they use, and findings for risky or unknown modules."""

from __future__ import annotations

import ast
import re

from workbench.analysis.interpreter.effects import note
from workbench.analysis.interpreter.interpreter import Interpreter
from workbench.analysis.interpreter.values import Value, each, known
from workbench.analysis.tables.callables import CALLABLES
from workbench.analysis.tables.modules import ALIASES, HARMLESS, MODULES, OURS, STANDARD
from workbench.analysis.tables.program_actions import ProgramAction
from workbench.permissions import tool_verbs
from workbench.permissions.word_sets import names
from workbench.records import EffectKind, Risk

_PLAIN = names("_collections_abc _thread _strptime _pydecimal _decimal _datetime _json _csv _heapq _bisect _random")


def interpret_import(interpreter: Interpreter, node: ast.stmt, alias: ast.alias) -> None:
    """Interpret `import a.b` and `import a.b as c`."""
    note_import(interpreter, node, alias.name)
    ref = alias.name if alias.asname else alias.name.split(".")[0]
    interpreter.bind(alias.asname or ref, Value(refs=(ALIASES.get(ref, ref),)))


def interpret_from_import(interpreter: Interpreter, node: ast.ImportFrom) -> None:
    """Interpret `from a.b import c as d`."""
    source = "." * node.level + (node.module or "")
    if source == "__future__":
        return
    if source == "__main__":
        # the program's own names, as `timeit` needs them, and the names that the sandbox adds to its namespace
        for alias in node.names:
            if alias.name == "*":
                _note_unknown_module(interpreter, node, source)
            else:
                name = ast.copy_location(ast.Name(alias.name, ast.Load()), node)
                interpreter.bind(alias.asname or alias.name, interpreter.value(name, called=True))
        return
    note_import(interpreter, node, source)
    for alias in node.names:
        if alias.name == "*":
            _import_star(interpreter, node, source)
            continue
        full = f"{source}.{alias.name}"
        if full in MODULES or source == "skills":
            note_import(interpreter, node, full)
        if source == "servers":
            interpreter.report.servers.add(alias.name)
        interpreter.bind(alias.asname or alias.name, Value(refs=(ALIASES.get(full, full),)))
        _check_alias(interpreter, node, full, alias)


def note_import(interpreter: Interpreter, node: ast.AST, name: str) -> None:
    """Note the findings that an import of this module causes by itself."""
    top, _, inside = name.partition(".")
    interpreter.modules.add(top)
    if top == "servers" and inside:
        interpreter.report.servers.add(inside.split(".")[0])
    if name.startswith("."):
        interpreter.report.not_assessed[f"The code of the module {name}, which is not part of this program."] = None
        _note_unknown_module(interpreter, node, name)
    elif action := MODULES.get(name) or MODULES.get(top):
        _note_module_effects(interpreter, node, name, action)
    elif top == "skills":
        note_skill(interpreter, node, name)
    elif top in STANDARD and top.startswith("_") and top not in _PLAIN:
        words = f"Imports {name}, an internal part of Python that programs do not use directly"
        interpreter.report.add(
            "import.private", Risk.MEDIUM, words, interpreter.span(node), subject=name, effect=EffectKind.MAY
        )
    elif top not in STANDARD and top not in HARMLESS and top not in OURS:
        _note_unknown_module(interpreter, node, name)


def _note_module_effects(interpreter: Interpreter, node: ast.AST, name: str, action: ProgramAction) -> None:
    """Note a module with effects. The import itself does nothing yet, but shows what the program is about to do."""
    note(
        interpreter,
        action,
        node,
        name,
        rule=f"{action}.import",
        words=f"Imports {name}, {_PURPOSES.get(action, 'a module with effects')}",
    )


_PURPOSES = {
    ProgramAction.NETWORK: "which contacts the network",
    ProgramAction.NATIVE: "which calls native code",
    ProgramAction.PROCESS: "which runs other programs",
    ProgramAction.DRIVE: "which monitors or controls the screen, keyboard or clipboard",
    ProgramAction.WATCH: "which monitors the machine and its processes",
    ProgramAction.CODE: "which runs text as code",
    ProgramAction.INSTALL: "which installs software",
    ProgramAction.HOOK: "which schedules programs",
}


def _note_unknown_module(interpreter: Interpreter, node: ast.AST, name: str) -> None:
    words = f"Imports {name}, which is not a known module: misspelled, or code that is not part of this program"
    interpreter.report.add(
        "import.unknown", Risk.MEDIUM, words, interpreter.span(node), subject=name, effect=EffectKind.MAY
    )


def _import_star(interpreter: Interpreter, node: ast.ImportFrom, source: str) -> None:
    if source == "skills":
        note_any_skill(interpreter, node)
        return
    if source.startswith("servers."):
        for tool in interpreter.tool_lookup.offered(source.split(".")[1]):
            interpreter.bind(tool.name, Value(refs=(f"{source}.{tool.name}",)))
        return
    for full in CALLABLES:
        if full.rpartition(".")[0] == source:
            interpreter.bind(full.rpartition(".")[2], Value(refs=(full,)))
    if source in STANDARD and source not in ("math", "typing", "datetime", "collections", "itertools", "functools"):
        words = f"Imports every name of {source}, so it is unclear which names it uses"
        interpreter.report.add(
            "import.star", Risk.MEDIUM, words, interpreter.span(node), subject=source, effect=EffectKind.MAY
        )


def _check_alias(interpreter: Interpreter, node: ast.AST, full: str, alias: ast.alias) -> None:
    if not alias.asname or alias.asname == alias.name:
        return
    hides_tool = full.startswith("servers.") and tool_verbs.reads(alias.asname) and not tool_verbs.reads(alias.name)
    hides_builtin = full in CALLABLES and alias.asname in (
        "print",
        "len",
        "str",
        "list",
        "dict",
        "sorted",
        "sum",
        "open",
        "log",
    )
    if hides_tool or hides_builtin:
        words = f"Renames {full.removeprefix('servers.')} to the harmless-looking {alias.asname}"
        interpreter.report.add(
            "name.misleading", Risk.HIGH, words, interpreter.span(node), subject=alias.asname, effect=EffectKind.MAY
        )


PACKAGE = "skills."
LOADERS = frozenset({"client.load_skill", "runtime.load_skill"})
LOADED_FROM = frozenset({"client", "runtime", "skills"})  # modules whose names can refer to a skill
_CHOSEN = "Which skill it uses is chosen at run time"


def note_skill(interpreter: Interpreter, node: ast.AST, ref: str) -> None:
    """Note the skill that a dotted name such as `skills.late_orders` refers to or is part of."""
    if ref.startswith(PACKAGE):
        _use(interpreter, node, ref.split(".")[1])


def load_by_name(interpreter: Interpreter, node: ast.Call, name: Value) -> None:
    """Interpret `load_skill(name)`.

    Notes every known value of the name, and any skill unless the name is a fixed constant."""
    for choice in each(name):
        if (text := known(choice)) is not None:
            _use(interpreter, node, text)
    given = _only_argument(node)
    if known(name) is None or given is None or not _is_fixed(interpreter, given):
        note_any_skill(interpreter, node)


def note_any_skill(interpreter: Interpreter, node: ast.AST, words: str = _CHOSEN) -> None:
    """Note that the program may use any skill, because the name is not known."""
    interpreter.report.any_skill = True
    interpreter.report.add("skill.dynamic", Risk.HIGH, words, interpreter.span(node), effect=EffectKind.MAY)
    interpreter.report.not_assessed["Skills whose names are only known at run time."] = None


def _use(interpreter: Interpreter, node: ast.AST, name: str) -> None:
    """Note a skill by its import name, which the sandbox derives from the skill name in the same way."""
    found = re.sub(r"\W", "_", name)
    interpreter.report.use_skill(found, interpreter.span(node).line)
    interpreter.report.not_assessed[unread_skill(found)] = None


def unread_skill(name: str) -> str:
    """Return the text for a skill that is not assessed yet."""
    return f"The text of the skill {name}."


def _only_argument(node: ast.Call) -> ast.expr | None:
    """Return the only argument of a call in any syntax, or None if it cannot be determined."""
    match node:
        case ast.Call(args=[ast.Starred(value=ast.List(elts=[only]) | ast.Tuple(elts=[only]))], keywords=[]):
            return None if isinstance(only, ast.Starred) else only
        case ast.Call(args=[only], keywords=[]):
            return only
        case ast.Call(args=[], keywords=[ast.keyword(arg="name", value=only)]):
            return only
        case ast.Call(args=[], keywords=[ast.keyword(arg=None, value=ast.Dict(keys=[key], values=[only]))]):
            return only if isinstance(key, ast.Constant) and key.value == "name" else None
    return None


def _is_fixed(interpreter: Interpreter, node: ast.expr, depth: int = 0) -> bool:
    """Return whether an expression consists of constants, or of names that the whole program binds once, to constants.

    Other values may be known only on some paths through the program. With a wrong name, a different skill would be
    assessed than the one that runs."""
    match node:
        case ast.Constant():
            return True
        case ast.JoinedStr():
            return all(isinstance(part, ast.Constant) for part in node.values)
        case ast.BinOp(left=left, op=ast.Add() | ast.Mult(), right=right):
            return depth < 50 and _is_fixed(interpreter, left, depth + 1) and _is_fixed(interpreter, right, depth + 1)
        case ast.Name():
            bound = interpreter.bound_once(node.id)
            return bound is not None and depth < 50 and _is_fixed(interpreter, bound, depth + 1)
    return False
