"""Interprets calls: callee, arguments, effects and result."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache, reduce

from msgspec.structs import replace

from workbench.analysis.interpreter.effects import FILE_ACTIONS, note, note_command, note_file, note_network
from workbench.analysis.interpreter.indirect_names import attribute_of, by_name, evaluates, note_hidden
from workbench.analysis.interpreter.interpreter import Interpreter
from workbench.analysis.interpreter.method_calls import call_method
from workbench.analysis.interpreter.special_calls import SPECIALS
from workbench.analysis.interpreter.tampering import note_handed_on, note_lent, note_method
from workbench.analysis.interpreter.text_evaluators import call_bound, evaluate_method
from workbench.analysis.interpreter.tool_calls import is_tool, note_tool
from workbench.analysis.interpreter.values import (
    HOLE,
    NOTHING,
    OWN_NAMES,
    SOME,
    UNKNOWN,
    UNSAID,
    Arguments,
    Value,
    ValueSource,
    iterated,
    join,
    known,
    tainted,
    text_of,
)
from workbench.analysis.tables.callables import CALLABLES, CallableRule
from workbench.analysis.tables.dangerous_texts import HOST
from workbench.analysis.tables.methods_and_attributes import KINDS
from workbench.analysis.tables.modules import MODULES
from workbench.analysis.tables.program_actions import ProgramAction
from workbench.permissions.word_sets import names

# Names of the parameter that holds the target, for calls that pass it by keyword.
_SUBJECTS = (
    *("path", "src", "name", "args", "cmd", "command", "url", "file", "filename", "dst"),
    *(
        "address",
        "host",
        "files",
        "filepath_or_buffer",
        "path_or_buf",
        "io",
        "source",
        "fname",
        "fp",
        "pathname",
        "top",
    ),
)
_SECOND = ("dst", "extract_dir")  # names of the parameter if the target is the second argument
_TEMPORARY_FOLDERS = ("tempfile.mkdtemp", "tempfile.TemporaryDirectory")  # below /tmp, which is private to a run
_PARTIAL = frozenset({"functools.partial", "functools.partialmethod"})
_REPEATING = names("map imap filter starmap imap_unordered")
# `_LOOKING`: functions that inspect a function without calling it. `_CALLING_BACK`: functions that call it or pass it
# on.
_LOOKING = frozenset(f"builtins.{name}" for name in names("callable repr id"))
_CALLING_BACK = _REPEATING | names("partial submit apply apply_async call reduce sorted min max accumulate takewhile")
_CALLING_BACK |= names("dropwhile filterfalse groupby Thread Timer to_thread run_in_executor call_soon call_later")
_CALLING_BACK |= names("register add_done_callback sort")


def call(interpreter: Interpreter, node: ast.Call) -> Value:
    """Interpret a call: note its effects and return its result."""
    owner = NOTHING
    if isinstance(node.func, ast.Attribute):
        owner = interpreter.value(node.func.value, called=True)
        target = attribute_of(interpreter, node.func, owner, called=True)
    else:
        target = interpreter.value(node.func, called=True)
    repeating = _callee(node) in _REPEATING
    arguments = _arguments(interpreter, node, repeating, looks=bool(target.refs) and _LOOKING.issuperset(target.refs))
    if (target.taint or arguments.taint) and any(map(_has_own_names, (target, *arguments.every))):
        _note_own_names(interpreter, node, target, arguments)
    if arguments.every:
        note_handed_on(interpreter, node, arguments)
        note_lent(interpreter, node, target, arguments)
        _call_back(interpreter, arguments, looped=interpreter.loops > 0 or repeating)
    if (evaluated := call_bound(interpreter, node, target, arguments)) is not None:
        return evaluated
    if interpreter.names_tokens and any(ref.startswith("re.") for ref in target.refs):
        interpreter.note_compared(node, arguments.get(0), restores=False)
    answers = _answers(interpreter, node, target, arguments)
    if answers:
        return tainted(reduce(join, answers), target.taint)
    if isinstance(node.func, ast.Attribute) and not target.refs:
        return call_method(interpreter, node, node.func, owner, arguments)
    if target.kind == "class":
        return Value(kind="own", taint=arguments.taint)
    return Value(taint=arguments.taint | target.taint)


def _answers(interpreter: Interpreter, node: ast.Call, target: Value, arguments: Arguments) -> list[Value]:
    if _PARTIAL.issuperset(target.refs) and target.refs and arguments.positional:  # called later, with more arguments
        known = Arguments(arguments.positional[1:], arguments.named, loose=Value(taint=arguments.taint))
        _answers(interpreter, node, arguments.positional[0], known)
        return [replace(arguments.positional[0], kind="partial")]
    answers = [_call_ref(interpreter, node, ref, arguments) for ref in target.refs]
    answers += [_call_own(interpreter, function, arguments) for function in target.functions]
    if target.kind == "attrgetter":
        answers.append(by_name(interpreter, node, arguments.get(0), target))
    return answers


def _note_own_names(interpreter: Interpreter, node: ast.Call, target: Value, arguments: Arguments) -> None:
    """Note a call of a name chosen at run time: `[*globals().values()][3]("x")`, `map(found, …)`."""
    called = not isinstance(node.func, ast.Attribute) and _has_own_names(target)
    if called or (_callee(node) in _CALLING_BACK and any(map(_has_own_names, arguments.every))):
        words = "Calls one of its own names, chosen at run time"
        note_hidden(interpreter, node, words, "globals()")
        interpreter.report.any_skill = True


def _has_own_names(value: Value) -> bool:
    return any(source.kind == OWN_NAMES for source in value.taint)


def _arguments(interpreter: Interpreter, node: ast.Call, repeating: bool, looks: bool) -> Arguments:
    if repeating:
        with interpreter.branch(loop=True):
            return _read_arguments(interpreter, node, looks)
    return _read_arguments(interpreter, node, looks)


def _callee(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _read_arguments(interpreter: Interpreter, node: ast.Call, looks: bool) -> Arguments:
    positional: list[Value] = []
    loose: Value | None = None
    displays: list[ast.Dict] = []
    for argument in node.args:
        value = _as_argument(interpreter.value(argument, called=looks))
        if type(argument) is ast.Starred:
            loose = _spread(argument, value, positional) if loose is None else join(loose, value)
        else:
            positional.append(value if loose is None else join(value, NOTHING))
        if type(argument) is ast.Dict:
            displays.append(argument)
    named: dict[str, Value] = {}
    for keyword in node.keywords:
        value = _as_argument(interpreter.value(keyword.value))
        if keyword.arg is not None:
            named[keyword.arg] = value
        elif not _name_all(value, named):
            loose = value if loose is None else join(loose, value)
        if type(keyword.value) is ast.Dict:
            displays.append(keyword.value)
    given = None if loose is None else Value(taint=loose.taint)
    return Arguments(tuple(positional), named, _keys(interpreter, displays) if displays else {}, given)


def _as_argument(value: Value) -> Value:
    """Return the value as an argument. An unknown value still counts as given."""
    return SOME if value is NOTHING else value


def _spread(argument: ast.Starred, value: Value, positional: list[Value]) -> Value | None:
    """Add the values of `f(*parts)` to the positional arguments.

    The elements of a display are added in order. The length of any other value is unknown, so that value is returned.
    """
    parts = iterated(value)
    written = argument.value
    if parts is not None and isinstance(written, ast.Tuple | ast.List | ast.Dict) and not _spreads(written):
        positional.extend(parts)
        return None
    positional.extend([join(part, NOTHING) for part in parts] if parts else [Value(taint=value.taint)])
    return value


def _name_all(value: Value, named: dict[str, Value]) -> bool:
    """Add the values of `f(**names)`. Returns whether these are all, because all keys are known."""
    sure = value.keys is not None and not value.unordered and len(value.keys) == len(value.items or ())
    sure = sure and all(isinstance(key.const, str) and HOLE not in key.const for key in value.keys or ())
    for name, part in zip(value.keys or (), value.items or (), strict=False):
        if isinstance(name.const, str):
            named[name.const] = part if sure else join(part, NOTHING)
    if not sure:
        named["**"] = value
    return sure


def _spreads(written: ast.Tuple | ast.List | ast.Dict) -> bool:
    if isinstance(written, ast.Dict):
        return None in written.keys
    return any(isinstance(part, ast.Starred) for part in written.elts)


def _keys(interpreter: Interpreter, displays: Sequence[ast.Dict]) -> dict[str, Value]:
    """Return the entries with constant string keys of the dict displays among the arguments."""
    found: dict[str, Value] = {}
    for argument in displays:
        for key, value in zip(argument.keys, argument.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                found[key.value] = _peek(interpreter, value)
    return found


def _peek(interpreter: Interpreter, node: ast.expr) -> Value:
    """Return the value of a constant or name again. Larger expressions are not evaluated twice."""
    return (
        interpreter.value(node, called=True)
        if isinstance(node, ast.Constant | ast.Name | ast.JoinedStr | ast.Subscript)
        else NOTHING
    )


def _call_back(interpreter: Interpreter, arguments: Arguments, *, looped: bool) -> None:
    """Record that functions among the arguments may be called with any other argument."""
    for value in arguments.every:
        for function in value.functions:
            learned = interpreter.facts_of(function)
            learned.looped = learned.looped or looped
            _learn(interpreter, function, Arguments(loose=Value(taint=arguments.taint)))


def _call_own(interpreter: Interpreter, function: ast.AST, arguments: Arguments) -> Value:
    _learn(interpreter, function, arguments)
    learned = interpreter.facts_of(function)
    learned.looped = learned.looped or interpreter.loops > 0
    return interpreter.answer(function)


def _learn(interpreter: Interpreter, function: ast.AST, arguments: Arguments) -> None:
    learned = interpreter.facts_of(function)
    parameters: ast.arguments = function.args  # type: ignore[attr-defined]  # callers pass only definitions
    names = [parameter.arg for parameter in (*parameters.posonlyargs, *parameters.args)]
    names = names[1:] if names[:1] in (["self"], ["cls"]) else names
    given = {**dict(zip(names, arguments.positional, strict=False)), **arguments.named}
    if parameters.vararg and len(arguments.positional) > len(names):
        given[parameters.vararg.arg] = Value(items=arguments.positional[len(names) :], taint=arguments.taint)
    if arguments.loose is not None:
        names += [parameter.arg for parameter in parameters.kwonlyargs]
        given |= {name: join(given[name], NOTHING) if name in given else arguments.loose for name in names}
    for name, value in given.items():
        learned.parameters[name] = join(learned.parameters.get(name, UNSAID), value)


def _call_ref(interpreter: Interpreter, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    if is_tool(ref):
        return note_tool(interpreter, node, ref, arguments)
    note_method(interpreter, node, ref, arguments)
    if special := SPECIALS.get(_table_of(ref)):
        return special(interpreter, node, ref, arguments)
    if rule := CALLABLES.get(ref):
        return _call_rule(interpreter, node, ref, rule, arguments)
    if action := _module_action(ref):
        return _call_module(interpreter, node, ref, action, arguments)
    owner, _, name = ref.rpartition(".")
    if evaluates(interpreter, name):
        found = evaluate_method(interpreter, node, name, Value(refs=(owner,)), arguments)
        if found is not None:
            return found
    if ref.startswith("builtins."):
        return Value(items=arguments.get(0).items, taint=arguments.taint)
    return Value(taint=arguments.taint, kind=ref if ref in KINDS else "")


def _table_of(ref: str) -> str:
    """Return the reference of a module's `__dict__` in the form used for `globals()`."""
    if ".__dict__." not in ref:
        return ref
    owner, _, name = ref.rpartition(".")
    return f"globals().{name}" if owner.endswith(".__dict__") else ref


@lru_cache(maxsize=4096)
def _module_action(ref: str) -> ProgramAction | None:
    parts = ref.split(".")
    return next(
        (MODULES[name] for size in range(len(parts) - 1, 0, -1) if (name := ".".join(parts[:size])) in MODULES), None
    )


def _call_rule(interpreter: Interpreter, node: ast.Call, ref: str, rule: CallableRule, arguments: Arguments) -> Value:
    target = NOTHING
    if rule.subject is not None:
        target = arguments.get(rule.subject, *(_SECOND if rule.subject else ()), *_SUBJECTS)
    line = interpreter.span(node).line
    if rule.action is ProgramAction.NETWORK or (rule.action is ProgramAction.READ and HOST.match(text_of(target))):
        note_network(interpreter, node, target, arguments.taint)
        source = ValueSource("untrusted", "the network", line)
        return Value(const=target.const, kind=ref if ref in KINDS else "", taint=frozenset({source}))
    if rule.action in FILE_ACTIONS:
        if rule.subject is not None and _is_buffer(interpreter, node, target):
            return Value(taint=arguments.taint)
        note_file(interpreter, rule.action, node, target)
        if rule.action in (ProgramAction.COPY, ProgramAction.MOVE):
            note_file(interpreter, ProgramAction.WRITE, node, arguments.get(1, "dst", "destination"))
        return Value(taint=arguments.taint)
    if rule.action is ProgramAction.PROCESS:
        argv = arguments.positional if ref.endswith("_exec") else target.items
        shell = not argv or "shell" in arguments.named
        note_command(interpreter, node, argv or [target], arguments.taint, shell=shell)
        return Value(taint=frozenset({ValueSource("untrusted", "a command's output", line)}))
    note(interpreter, rule.action, node, ref.removeprefix("builtins."), risk=rule.risk)
    if ref in _TEMPORARY_FOLDERS and all(
        known(part) is not None and "/" not in text_of(part) for part in arguments.every
    ):
        plain = len(arguments.positional) < 3 and "dir" not in arguments.named and arguments.loose is None
        return Value(
            const=f"/tmp/{HOLE}" if plain else UNKNOWN, kind=ref if ref in KINDS else "", taint=arguments.taint
        )
    return Value(kind=ref if ref in KINDS else "", taint=arguments.taint)


def _is_buffer(interpreter: Interpreter, node: ast.Call, target: Value) -> bool:
    """Return whether the target is certainly a buffer in memory: made in place, or bound once to such a call."""
    if target.kind not in ("io.BytesIO", "io.StringIO") or target.const is not UNKNOWN or target.choices:
        return False
    made = [*node.args, *(keyword.value for keyword in node.keywords)]
    made = [interpreter.bound_once(part.id) or part if isinstance(part, ast.Name) else part for part in made]
    return any(isinstance(part, ast.Call) and _last_name(part.func) in ("BytesIO", "StringIO") for part in made)


def _last_name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _call_module(
    interpreter: Interpreter, node: ast.Call, ref: str, action: ProgramAction, arguments: Arguments
) -> Value:
    if action is ProgramAction.NETWORK:
        note_network(interpreter, node, arguments.get(0, "url", "host"), arguments.taint)
        source = ValueSource("untrusted", "the network", interpreter.span(node).line)
        return Value(kind=ref if ref in KINDS else "", taint=frozenset({source}))
    if action is ProgramAction.PROCESS:
        note_command(interpreter, node, arguments.positional, arguments.taint, shell=False)
    else:
        note(interpreter, action, node, ref)
    return Value(taint=arguments.taint)
