"""Interprets statements: binds names, enters branches and loops, and schedules function bodies."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from workbench.analysis.interpreter import imports
from workbench.analysis.interpreter.effects import note, sets_only_itself
from workbench.analysis.interpreter.indirect_names import attribute_of
from workbench.analysis.interpreter.interpreter import Interpreter, Key, PendingBody, key
from workbench.analysis.interpreter.tampering import note_kept, note_replaced, note_writes
from workbench.analysis.interpreter.values import (
    HOLE,
    NOTHING,
    UNKNOWN,
    UNSAID,
    Value,
    iterated,
    join,
    known,
    readable,
    tainted,
)
from workbench.analysis.tables.callables import CALLABLES
from workbench.analysis.tables.methods_and_attributes import FORBIDDEN_WRITES, IN_PATTERNS, KINDS
from workbench.analysis.tables.program_actions import ProgramAction
from workbench.permissions.word_sets import names
from workbench.records import Risk

MOST_TURNS = 8
MOST_ELEMENTS = 12  # elements of a container that are joined one by one
LOOPS = 3  # maximum number of times the body of a loop is read
OPEN = "builtins.open"
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def _expression(interpreter: Interpreter, node: ast.Expr) -> None:
    interpreter.value(node.value)


def _assign(interpreter: Interpreter, node: ast.Assign) -> None:
    interpreter.follows = isinstance(node.value, ast.Name | ast.Attribute) and _are_names(node.targets)
    value = interpreter.value(node.value)
    interpreter.follows = False
    for target in node.targets:
        assign(interpreter, target, value)


def _are_names(targets: Iterable[ast.expr]) -> bool:
    return all(isinstance(target, ast.Name) for target in targets)


def _annotated(interpreter: Interpreter, node: ast.AnnAssign) -> None:
    if interpreter.annotates:
        _annotation(interpreter, node.annotation)
    if node.value is not None:
        assign(interpreter, node.target, interpreter.value(node.value))


def _annotation(interpreter: Interpreter, node: ast.expr | None) -> None:
    """Evaluate an annotation as Python does: calls in it run, while names of types in it are not passed on."""
    if node is None or interpreter.lazy:
        return
    if isinstance(node, ast.Name | ast.Attribute):
        interpreter.value(node, called=True)
    elif isinstance(node, ast.Tuple | ast.List):
        for part in node.elts:
            _annotation(interpreter, part)
    elif isinstance(node, ast.Subscript) and _is_type(interpreter, node.value):
        _annotation(interpreter, node.slice)
    elif isinstance(node, ast.BinOp) and _is_type(interpreter, node.left) and _is_type(interpreter, node.right):
        _annotation(interpreter, node.left)
        _annotation(interpreter, node.right)
    else:
        interpreter.value(node)


def _is_type(interpreter: Interpreter, node: ast.expr) -> bool:
    """Return whether an operator or a subscript on the expression runs none of the program's own code."""
    if isinstance(node, ast.Subscript):
        return _is_type(interpreter, node.value)
    if isinstance(node, ast.BinOp):
        return _is_type(interpreter, node.left) and _is_type(interpreter, node.right)
    if isinstance(node, ast.Constant):
        return True
    if not isinstance(node, ast.Name | ast.Attribute):
        return False
    found = interpreter.value(node, called=True)
    return bool(found.refs) and not found.functions


def _augmented(interpreter: Interpreter, node: ast.AugAssign) -> None:
    from workbench.analysis.interpreter.constant_folding import combine

    old = interpreter.value(node.target, called=True) if isinstance(node.target, ast.Name) else NOTHING
    note_writes(interpreter, node, old)  # `table |= …` changes the table itself, also under a different name
    assign(interpreter, node.target, combine(node.op, old, interpreter.value(node.value)))


def assign(interpreter: Interpreter, target: ast.expr, value: Value) -> None:
    """Assign a value to the target of an assignment, loop or pattern."""
    if isinstance(target, ast.Name):
        _assign_name(interpreter, target, value)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(interpreter, target, value)
    elif isinstance(target, ast.Attribute):
        _assign_attribute(interpreter, target, value)
    elif isinstance(target, ast.Subscript):
        _assign_item(interpreter, target, value)
    elif isinstance(target, ast.Starred):
        assign(interpreter, target.value, value)


def _assign_name(interpreter: Interpreter, target: ast.Name, value: Value) -> None:
    if target.id in ("__builtins__", "__import__", "__build_class__", "__loader__"):
        note(interpreter, ProgramAction.TAMPER, target, f"replaces {target.id}")
    interpreter.bind(target.id, value)


def _unpack(interpreter: Interpreter, target: ast.Tuple | ast.List, value: Value) -> None:
    parts = iterated(value)
    items = None
    if parts and value.unordered:
        items = (any_of(value, parts),) * len(target.elts)
    elif parts:
        items = _unpacked(target.elts, parts)
    for index, part in enumerate(target.elts):
        assign(interpreter, part, tainted(items[index], value.taint) if items else Value(taint=value.taint))


def _unpacked(targets: Sequence[ast.expr], items: tuple[Value, ...]) -> tuple[Value, ...] | None:
    """Return the items for each target, or None if the numbers do not match."""
    star = next((index for index, part in enumerate(targets) if isinstance(part, ast.Starred)), None)
    more = len(items) - len(targets)
    if star is None or more < -1:
        return items if more == 0 else None
    return (*items[:star], Value(items=items[star : star + more + 1]), *items[star + more + 1 :])


def _assign_attribute(interpreter: Interpreter, target: ast.Attribute, value: Value) -> None:
    owner = interpreter.value(target.value, called=True)
    note_replaced(interpreter, target, owner, target.attr)
    if owner.kind == "tempfile.TemporaryDirectory":
        words = f"Redirects a temporary folder, which is deleted at the end, to {readable(value) or 'another place'}"
        note(interpreter, ProgramAction.DELETE, target, readable(value), words=words)
    note_kept(interpreter, target, Value(refs=tuple(ref for ref in value.refs if ref.endswith(".__dict__"))))
    if target.attr in FORBIDDEN_WRITES:
        note(interpreter, ProgramAction.INTERNALS, target, target.attr, rule="python.internals.write")
    interpreter.add_attribute(target.attr, value)


def _assign_item(interpreter: Interpreter, target: ast.Subscript, value: Value) -> None:
    owner, key = interpreter.value(target.value, called=True), interpreter.value(target.slice)
    if "os.environ" in owner.refs:
        own = sets_only_itself(key, value)
        note(interpreter, ProgramAction.SETTING, target, readable(key), risk=Risk.LOW if own else None)
    note_writes(interpreter, target, owner)
    note_kept(interpreter, target, Value(refs=tuple(ref for ref in value.refs if ref.endswith(".__dict__"))))
    if not _set_entry(interpreter, target.value, key, value):
        fill(interpreter, target.value, value, replaces=True)


def _set_entry(interpreter: Interpreter, container: ast.expr, key: Value, value: Value) -> bool:
    """Set one key of a dict whose keys are all known. Returns False where it is not certain that this happens."""
    if not isinstance(container, ast.Name) or interpreter.branches or not isinstance(key.const, str):
        return False
    old = interpreter.scopes[-1].get(container.id)
    if old is None or old.keys is None or old.refs or old.unordered or len(old.keys) != len(old.items or ()):
        return False
    texts = [one.const for one in old.keys]
    if HOLE in key.const or len(texts) >= 64 or any(not isinstance(text, str) or HOLE in text for text in texts):
        return False
    entries = {str(text): (one, item) for text, one, item in zip(texts, old.keys, old.items or (), strict=True)}
    entries[key.const] = key, value
    keys, items = tuple(one for one, _ in entries.values()), tuple(item for _, item in entries.values())
    interpreter.bind(container.id, replace(old, items=items, keys=keys, taint=old.taint | value.taint))
    return True


def fill(interpreter: Interpreter, container: ast.expr, value: Value, *, replaces: bool = False) -> None:
    """Add a value to a container. The container carries the value's sources and may return it.

    `replaces`: the value may replace an existing element."""
    root = container
    while isinstance(root, ast.Attribute | ast.Subscript):
        root = root.value
    if not isinstance(root, ast.Name) or (old := interpreter.find_name(root.id)) is None or old.refs:
        return
    if value.taint or value.refs or value.functions or old.items is not None:
        held = old.items if old.items is None or not replaces else tuple(join(item, value) for item in old.items)
        items = (*held, value)[:64] if held is not None else None
        keys = (*old.keys, NOTHING)[:64] if old.keys is not None else None
        interpreter.scopes[-1][root.id] = replace(old, items=items, keys=keys, taint=old.taint | value.taint)


def _delete(interpreter: Interpreter, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ast.Tuple | ast.List):
            _delete(interpreter, ast.copy_location(ast.Delete(target.elts), node))
        if not isinstance(target, ast.Subscript | ast.Attribute):
            continue
        owner = interpreter.value(target.value, called=True)
        if isinstance(target, ast.Attribute):
            note_replaced(interpreter, target, owner, target.attr)
            continue
        key = interpreter.value(target.slice)
        if "os.environ" in owner.refs:
            note(interpreter, ProgramAction.SETTING, target, readable(key))
        note_writes(interpreter, target, owner)


def _return(interpreter: Interpreter, node: ast.Return) -> None:
    answer = interpreter.value(node.value)
    if interpreter.current is not None:
        known_of = interpreter.facts_of(interpreter.current)
        known_of.answer = join(known_of.answer, answer)


def _if(interpreter: Interpreter, node: ast.If) -> None:
    with interpreter.branch(interpreter.value(node.test)):
        interpreter.run(node.body)
        interpreter.run(node.orelse)


def _while(interpreter: Interpreter, node: ast.While) -> None:
    test = interpreter.value(node.test)

    def turn() -> None:
        with interpreter.branch(test, loop=True):
            interpreter.run(node.body)
            interpreter.value(node.test)

    _repeat(interpreter, node, turn)
    interpreter.run(node.orelse)
    if test.const not in (UNKNOWN, None) and test.const and not _leaves(node):
        note(interpreter, ProgramAction.RESOURCE, node.test, "a loop without an exit")


_EXITS = (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.Await)
# Calls that return and so never end a loop. Any other call may raise an exception that is caught outside the loop.
_RETURNING = names("append extend add update insert setdefault put start print len sum range list dict set str sorted")
_RETURNING |= names("sleep Thread Process")


def _leaves(loop: ast.While) -> bool:
    return any(_may_leave(part) for statement in loop.body for part in ast.walk(statement))


def _may_leave(part: ast.AST) -> bool:
    if not isinstance(part, ast.Call):
        return isinstance(part, _EXITS)
    called = part.func.attr if isinstance(part.func, ast.Attribute) else getattr(part.func, "id", "")
    return called not in _RETURNING


def _for(interpreter: Interpreter, node: ast.For | ast.AsyncFor) -> None:
    iterable = interpreter.value(node.iter)
    turns = _loop_values(interpreter, iterable)

    def turn() -> None:
        for value in turns:
            if isinstance(node.target, ast.Name):
                interpreter.forget(node.target.id)  # each iteration has its own value
            with interpreter.branch(iterable, loop=True):
                assign(interpreter, node.target, value)
                interpreter.run(node.body)

    _repeat(interpreter, node, turn)
    interpreter.run(node.orelse)


def _repeat(interpreter: Interpreter, node: ast.For | ast.AsyncFor | ast.While, turn: Callable[[], None]) -> None:
    """Repeat a loop body. Values that one iteration assigns to a name are visible in the next one."""
    scope, carried = interpreter.scopes[-1], interpreter.assigned(node)
    for name in carried:
        if (old := scope.get(name)) is not None and isinstance(old.const, int | float):
            scope[name] = replace(old, const=UNKNOWN)  # a counter may have any value
    before = _carried(scope, carried)
    for times in range(LOOPS):
        interpreter.again += times > 0
        turn()
        interpreter.again -= times > 0
        after = _carried(scope, carried)
        if after == before:
            break
        if times:  # the value still changes, so it may be anything
            for name in carried:
                if name in scope:
                    scope[name] = join(scope[name], NOTHING)
        before = after


def _carried(scope: dict[str, Value], names: Iterable[str]) -> list[Key]:
    return [key(scope[name]) for name in names if name in scope]


def _loop_values(interpreter: Interpreter, iterable: Value) -> list[Value]:
    """Return the values for the loop target.

    A short list of known texts is iterated, so that each file or host is named. Any other iterable gives one value."""
    items = iterated(iterable) or ()
    if interpreter.loops or not 1 < len(items) <= MOST_TURNS or any(known(item) is None for item in items):
        return [element(iterable)]
    return [tainted(item, iterable.taint) for item in items]


def element(iterable: Value) -> Value:
    """Return any element of an iterable."""
    return any_of(iterable, iterated(iterable))


def any_of(owner: Value, items: tuple[Value, ...] | None) -> Value:
    """Return any of these elements of a container."""
    if not items:
        return Value(kind="pathlib.Path" if owner.kind == "paths" else "", taint=owner.taint)
    found = items[0]
    for item in items[1:MOST_ELEMENTS]:
        found = join(found, item)
    if len(items) > MOST_ELEMENTS:
        found = join(found, NOTHING)
    if len(items) > 1 and not isinstance(found.const, str | bytes):
        found = replace(found, const=UNKNOWN)
    return tainted(found, owner.taint)


def _with(interpreter: Interpreter, node: ast.With | ast.AsyncWith) -> None:
    for item in node.items:
        value = interpreter.value(item.context_expr)
        if item.optional_vars is not None:
            assign(interpreter, item.optional_vars, value)
    interpreter.run(node.body)


def _try(interpreter: Interpreter, node: ast.Try) -> None:
    with interpreter.branch():
        interpreter.run(node.body)
        for caught in node.handlers:
            interpreter.value(caught.type, called=True)
            if caught.name:
                interpreter.bind(caught.name, Value(kind="exception"))
            interpreter.run(caught.body)
        interpreter.run(node.orelse)
        interpreter.run(node.finalbody)


def _raise(interpreter: Interpreter, node: ast.Raise) -> None:
    interpreter.value(node.exc)
    interpreter.value(node.cause)


def _assert(interpreter: Interpreter, node: ast.Assert) -> None:
    interpreter.value(node.test)
    interpreter.value(node.msg)


def _match(interpreter: Interpreter, node: ast.Match) -> None:
    subject = interpreter.value(node.subject)
    with interpreter.branch(subject):
        for case in node.cases:
            _pattern(interpreter, case.pattern, subject)
            interpreter.value(case.guard)
            interpreter.run(case.body)


def _pattern(interpreter: Interpreter, pattern: ast.pattern, subject: Value) -> None:
    """Bind the names of a pattern.

    A class pattern reads attributes: `case object(system=run)` is `run = subject.system`."""
    if isinstance(pattern, ast.MatchClass):
        interpreter.value(pattern.cls, called=True)
        for name, inner in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            if name in IN_PATTERNS:
                note(interpreter, ProgramAction.INTERNALS, pattern, name)
            place = ast.copy_location(ast.Attribute(ast.Constant(None), name, ast.Load()), pattern)
            _pattern(interpreter, inner, attribute_of(interpreter, place, subject, called=False))
        for inner in pattern.patterns:
            _pattern(interpreter, inner, subject)
        return
    if isinstance(pattern, ast.MatchValue | ast.MatchMapping):
        keys = [pattern.value] if isinstance(pattern, ast.MatchValue) else pattern.keys
        interpreter.note_compared(pattern, *(Value(const=one.value) for one in keys if isinstance(one, ast.Constant)))
    if isinstance(pattern, ast.MatchAs | ast.MatchStar) and pattern.name:
        interpreter.bind(pattern.name, subject if isinstance(pattern, ast.MatchAs) else Value(taint=subject.taint))
    for part in ast.iter_child_nodes(pattern):
        if isinstance(part, ast.pattern):
            whole = isinstance(pattern, ast.MatchAs | ast.MatchOr)
            _pattern(interpreter, part, subject if whole else Value(taint=subject.taint))


def _function(interpreter: Interpreter, node: _Function) -> None:
    made = define(interpreter, node)
    arguments = node.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        _annotation(interpreter, argument.annotation if argument is not None else None)
    _annotation(interpreter, node.returns)
    _type_parameters(interpreter, node)
    interpreter.bind(node.name, _decorated(interpreter, node.decorator_list, made))
    if node.name in ("__reduce__", "__reduce_ex__"):
        note(interpreter, ProgramAction.UNPACK, node, node.name, risk=Risk.MEDIUM)


def _decorated(interpreter: Interpreter, decorators: Sequence[ast.expr], made: Value) -> Value:
    """Call the decorators with the definition. Their results may become the value of the name."""
    found = made
    for decorator in reversed(decorators):
        answer = interpreter.call(decorator, found)
        named = answer.functions or answer.refs
        found = join(found, answer) if named else replace(found, taint=found.taint | answer.taint)
    return found


def _type_parameters(interpreter: Interpreter, node: ast.AST) -> None:
    """Evaluate type parameters. Python evaluates `def f[T: bound]` and `type X = value` on first access."""
    for parameter in getattr(node, "type_params", ()):
        for part in (getattr(parameter, "bound", None), getattr(parameter, "default_value", None)):
            interpreter.value(part, called=True)


def _type_alias(interpreter: Interpreter, node: ast.stmt) -> None:
    _type_parameters(interpreter, node)
    interpreter.value(getattr(node, "value", None), called=True)


def define(interpreter: Interpreter, node: _Function | ast.Lambda) -> Value:
    """Define a function: its defaults are evaluated now, its body is read after the enclosing text."""
    arguments = node.args
    learned = interpreter.facts_of(node)
    positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    pairs = [*zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True)]
    pairs += [(a.arg, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None]
    for name, default in pairs:
        learned.parameters[name] = join(interpreter.value(default), learned.parameters.get(name, UNSAID))
    interpreter.define(PendingBody(node, interpreter.scopes))
    return Value(functions=(node,))


def _class(interpreter: Interpreter, node: ast.ClassDef) -> None:
    _type_parameters(interpreter, node)
    bases = [interpreter.value(base, called=True) for base in node.bases]
    for keyword in node.keywords:
        if keyword.arg == "metaclass":
            interpreter.call(keyword.value, Value(const=node.name), Value(items=tuple(bases)), Value())
        else:
            interpreter.value(keyword.value)
    members: dict[str, Value] = {}
    kept, interpreter.annotates = interpreter.annotates, True
    with interpreter.scope(members):
        interpreter.run(node.body)
    interpreter.annotates = kept
    for name, value in members.items():
        if value.refs or value.functions:
            interpreter.add_attribute(name, value)
    telling = tuple(ref for base in bases for ref in base.refs if ref in CALLABLES or ref in KINDS or ref == OPEN)
    # creating an instance also creates its base
    made = replace(members.get("__init__", NOTHING), kind="class", refs=telling)
    interpreter.bind(node.name, _decorated(interpreter, node.decorator_list, made))


def _shares(interpreter: Interpreter, node: ast.Global | ast.Nonlocal) -> None:
    interpreter.share(node.names)


def _import(interpreter: Interpreter, node: ast.Import) -> None:
    for alias in node.names:
        imports.interpret_import(interpreter, node, alias)


def _import_from(interpreter: Interpreter, node: ast.ImportFrom) -> None:
    imports.interpret_from_import(interpreter, node)


# Any: each handler accepts only the node type of its key.
STATEMENTS: dict[type[ast.stmt], Callable[[Interpreter, Any], None]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Delete: _delete,
    ast.Return: _return,
    ast.If: _if,
    ast.While: _while,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Match: _match,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Global: _shares,
    ast.Nonlocal: _shares,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
}
if (_alias := getattr(ast, "TypeAlias", None)) is not None:  # Python 3.12 and later
    STATEMENTS[_alias] = _type_alias
