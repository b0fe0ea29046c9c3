"""What each statement does to a reading: binds names, opens branches and loops, queues function bodies."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from workbench.policy import imports
from workbench.policy.effects import note
from workbench.policy.lookups import attribute_of
from workbench.policy.reader import Key, Later, Reader, key
from workbench.policy.tables.attributes import FORBIDDEN_WRITES, IN_PATTERNS
from workbench.policy.tables.callables import CALLABLES
from workbench.policy.tables.deeds import Deed
from workbench.policy.tables.methods import KINDS
from workbench.policy.tables.names import names
from workbench.policy.tampering import note_kept, note_replaced, note_writes
from workbench.policy.value import NOTHING, UNKNOWN, UNSAID, Value, iterated, join, known, shown, tainted
from workbench.records import Risk

MOST_TURNS = 8
MOST_ELEMENTS = 12  # of a container that are told apart
LOOPS = 3  # times that the body of a loop is read
OPEN = "builtins.open"
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def _expression(reader: Reader, node: ast.Expr) -> None:
    reader.value(node.value)


def _assign(reader: Reader, node: ast.Assign) -> None:
    reader.follows = isinstance(node.value, ast.Name | ast.Attribute) and _are_names(node.targets)
    value = reader.value(node.value)
    reader.follows = False
    for target in node.targets:
        assign(reader, target, value)


def _are_names(targets: Iterable[ast.expr]) -> bool:
    return all(isinstance(target, ast.Name) for target in targets)


def _annotated(reader: Reader, node: ast.AnnAssign) -> None:
    if reader.annotates:
        _annotation(reader, node.annotation)
    if node.value is not None:
        assign(reader, node.target, reader.value(node.value))


def _annotation(reader: Reader, node: ast.expr | None) -> None:
    """What Python evaluates of an annotation: calls in it run, while the names of types in it hand nothing on."""
    if node is None or reader.lazy:
        return
    if isinstance(node, ast.Name | ast.Attribute):
        reader.value(node, called=True)
    elif isinstance(node, ast.Tuple | ast.List):
        for part in node.elts:
            _annotation(reader, part)
    elif isinstance(node, ast.Subscript) and _is_type(reader, node.value):
        _annotation(reader, node.slice)
    elif isinstance(node, ast.BinOp) and _is_type(reader, node.left) and _is_type(reader, node.right):
        _annotation(reader, node.left)
        _annotation(reader, node.right)
    else:
        reader.value(node)


def _is_type(reader: Reader, node: ast.expr) -> bool:
    """Whether an operator or a subscript on this runs none of the program's own code."""
    if isinstance(node, ast.Subscript):
        return _is_type(reader, node.value)
    if isinstance(node, ast.BinOp):
        return _is_type(reader, node.left) and _is_type(reader, node.right)
    if isinstance(node, ast.Constant):
        return True
    if not isinstance(node, ast.Name | ast.Attribute):
        return False
    found = reader.value(node, called=True)
    return bool(found.refs) and not found.functions


def _augmented(reader: Reader, node: ast.AugAssign) -> None:
    from workbench.policy.folding import combine

    old = reader.value(node.target, called=True) if isinstance(node.target, ast.Name) else NOTHING
    note_writes(reader, node, old)  # `table |= …` changes the table itself, whatever it is called here
    assign(reader, node.target, combine(node.op, old, reader.value(node.value)))


def assign(reader: Reader, target: ast.expr, value: Value) -> None:
    """Put a value where an assignment, loop or pattern puts it."""
    if isinstance(target, ast.Name):
        _assign_name(reader, target, value)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(reader, target, value)
    elif isinstance(target, ast.Attribute):
        _assign_attribute(reader, target, value)
    elif isinstance(target, ast.Subscript):
        _assign_item(reader, target, value)
    elif isinstance(target, ast.Starred):
        assign(reader, target.value, value)


def _assign_name(reader: Reader, target: ast.Name, value: Value) -> None:
    if target.id in ("__builtins__", "__import__", "__build_class__", "__loader__"):
        note(reader, Deed.TAMPER, target, f"replaces {target.id}")
    reader.bind(target.id, value)


def _unpack(reader: Reader, target: ast.Tuple | ast.List, value: Value) -> None:
    parts = iterated(value)
    items = _dealt(target.elts, parts) if parts else None
    for index, part in enumerate(target.elts):
        assign(reader, part, tainted(items[index], value.taint) if items else Value(taint=value.taint))


def _dealt(targets: Sequence[ast.expr], items: tuple[Value, ...]) -> tuple[Value, ...] | None:
    """Which of them each target gets; None when they do not fit."""
    star = next((index for index, part in enumerate(targets) if isinstance(part, ast.Starred)), None)
    more = len(items) - len(targets)
    if star is None or more < -1:
        return items if more == 0 else None
    return (*items[:star], Value(items=items[star : star + more + 1]), *items[star + more + 1 :])


def _assign_attribute(reader: Reader, target: ast.Attribute, value: Value) -> None:
    owner = reader.value(target.value, called=True)
    note_replaced(reader, target, owner, target.attr)
    if owner.kind == "tempfile.TemporaryDirectory":
        words = f"Makes a temporary folder, which is deleted at the end, stand for {shown(value) or 'another place'}"
        note(reader, Deed.DELETE, target, shown(value), words=words)
    note_kept(reader, target, Value(refs=tuple(ref for ref in value.refs if ref.endswith(".__dict__"))))
    if target.attr in FORBIDDEN_WRITES:
        note(reader, Deed.INTERNALS, target, target.attr, rule="python.internals.write")
    reader.remember(target.attr, value)


def _assign_item(reader: Reader, target: ast.Subscript, value: Value) -> None:
    owner, key = reader.value(target.value, called=True), reader.value(target.slice)
    if "os.environ" in owner.refs:
        note(reader, Deed.SETTING, target, shown(key))
    note_writes(reader, target, owner)
    note_kept(reader, target, Value(refs=tuple(ref for ref in value.refs if ref.endswith(".__dict__"))))
    fill(reader, target.value, value, replaces=True)


def fill(reader: Reader, container: ast.expr, value: Value, *, replaces: bool = False) -> None:
    """A container that took this value in carries its origin, and may give it back; in the place of another one."""
    root = container
    while isinstance(root, ast.Attribute | ast.Subscript):
        root = root.value
    if not isinstance(root, ast.Name) or (old := reader.look(root.id)) is None or old.refs:
        return
    if value.taint or value.refs or value.functions or old.items is not None:
        held = old.items if old.items is None or not replaces else tuple(join(item, value) for item in old.items)
        items = (*held, value)[:64] if held is not None else None
        keys = (*old.keys, NOTHING)[:64] if old.keys is not None else None
        reader.scopes[-1][root.id] = replace(old, items=items, keys=keys, taint=old.taint | value.taint)


def _delete(reader: Reader, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ast.Tuple | ast.List):
            _delete(reader, ast.copy_location(ast.Delete(target.elts), node))
        if not isinstance(target, ast.Subscript | ast.Attribute):
            continue
        owner = reader.value(target.value, called=True)
        if isinstance(target, ast.Attribute):
            note_replaced(reader, target, owner, target.attr)
            continue
        key = reader.value(target.slice)
        if "os.environ" in owner.refs:
            note(reader, Deed.SETTING, target, shown(key))
        note_writes(reader, target, owner)


def _return(reader: Reader, node: ast.Return) -> None:
    answer = reader.value(node.value)
    if reader.current is not None:
        known_of = reader.learn(reader.current)
        known_of.answer = join(known_of.answer, answer)


def _if(reader: Reader, node: ast.If) -> None:
    with reader.branch(reader.value(node.test)):
        reader.run(node.body)
        reader.run(node.orelse)


def _while(reader: Reader, node: ast.While) -> None:
    test = reader.value(node.test)

    def turn() -> None:
        with reader.branch(test, loop=True):
            reader.run(node.body)
            reader.value(node.test)

    _repeat(reader, node, turn)
    reader.run(node.orelse)
    if test.const not in (UNKNOWN, None) and test.const and not _leaves(node):
        note(reader, Deed.RESOURCE, node.test, "a loop without an exit")


_EXITS = (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.Await)
# Calls that come back, and so never end a loop. Any other may raise what somebody outside of the loop waits for.
_RETURNING = names("append extend add update insert setdefault put start print len sum range list dict set str sorted")
_RETURNING |= names("sleep Thread Process")


def _leaves(loop: ast.While) -> bool:
    return any(_may_leave(part) for statement in loop.body for part in ast.walk(statement))


def _may_leave(part: ast.AST) -> bool:
    if not isinstance(part, ast.Call):
        return isinstance(part, _EXITS)
    called = part.func.attr if isinstance(part.func, ast.Attribute) else getattr(part.func, "id", "")
    return called not in _RETURNING


def _for(reader: Reader, node: ast.For | ast.AsyncFor) -> None:
    iterable = reader.value(node.iter)
    turns = _turns(reader, iterable)

    def turn() -> None:
        for value in turns:
            if isinstance(node.target, ast.Name):
                reader.forget(node.target.id)  # each turn has its own value
            with reader.branch(iterable, loop=True):
                assign(reader, node.target, value)
                reader.run(node.body)

    _repeat(reader, node, turn)
    reader.run(node.orelse)


def _repeat(reader: Reader, node: ast.For | ast.AsyncFor | ast.While, turn: Callable[[], None]) -> None:
    """What one turn of a loop leaves in a name, the next one finds there."""
    scope, carried = reader.scopes[-1], reader.assigned(node)
    for name in carried:
        if (old := scope.get(name)) is not None and isinstance(old.const, int | float):
            scope[name] = replace(old, const=UNKNOWN)  # a counter has any number
    before = _carried(scope, carried)
    for times in range(LOOPS):
        reader.again += times > 0
        turn()
        reader.again -= times > 0
        after = _carried(scope, carried)
        if after == before:
            break
        if times:  # it goes on to change: then it may be anything
            for name in carried:
                if name in scope:
                    scope[name] = join(scope[name], NOTHING)
        before = after


def _carried(scope: dict[str, Value], names: Iterable[str]) -> list[Key]:
    return [key(scope[name]) for name in names if name in scope]


def _turns(reader: Reader, iterable: Value) -> list[Value]:
    """A short list of known texts is walked one by one, so that each file or host is named; anything else once."""
    items = iterated(iterable) or ()
    if reader.loops or not 1 < len(items) <= MOST_TURNS or any(known(item) is None for item in items):
        return [element(iterable)]
    return [tainted(item, iterable.taint) for item in items]


def element(iterable: Value) -> Value:
    """Any one element of what is looped over."""
    return any_of(iterable, iterated(iterable))


def any_of(owner: Value, items: tuple[Value, ...] | None) -> Value:
    """Any one of these elements of a container."""
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


def _with(reader: Reader, node: ast.With | ast.AsyncWith) -> None:
    for item in node.items:
        value = reader.value(item.context_expr)
        if item.optional_vars is not None:
            assign(reader, item.optional_vars, value)
    reader.run(node.body)


def _try(reader: Reader, node: ast.Try) -> None:
    with reader.branch():
        reader.run(node.body)
        for caught in node.handlers:
            reader.value(caught.type, called=True)
            if caught.name:
                reader.bind(caught.name, Value(kind="exception"))
            reader.run(caught.body)
        reader.run(node.orelse)
        reader.run(node.finalbody)


def _raise(reader: Reader, node: ast.Raise) -> None:
    reader.value(node.exc)
    reader.value(node.cause)


def _assert(reader: Reader, node: ast.Assert) -> None:
    reader.value(node.test)
    reader.value(node.msg)


def _match(reader: Reader, node: ast.Match) -> None:
    subject = reader.value(node.subject)
    with reader.branch(subject):
        for case in node.cases:
            _pattern(reader, case.pattern, subject)
            reader.value(case.guard)
            reader.run(case.body)


def _pattern(reader: Reader, pattern: ast.pattern, subject: Value) -> None:
    """A class pattern reads attributes without a dot, so `case object(system=run)` is `run = subject.system`."""
    if isinstance(pattern, ast.MatchClass):
        reader.value(pattern.cls, called=True)
        for name, inner in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            if name in IN_PATTERNS:
                note(reader, Deed.INTERNALS, pattern, name)
            place = ast.copy_location(ast.Attribute(ast.Constant(None), name, ast.Load()), pattern)
            _pattern(reader, inner, attribute_of(reader, place, subject, called=False))
        for inner in pattern.patterns:
            _pattern(reader, inner, subject)
        return
    if isinstance(pattern, ast.MatchAs | ast.MatchStar) and pattern.name:
        reader.bind(pattern.name, subject if isinstance(pattern, ast.MatchAs) else Value(taint=subject.taint))
    for part in ast.iter_child_nodes(pattern):
        if isinstance(part, ast.pattern):
            whole = isinstance(pattern, ast.MatchAs | ast.MatchOr)
            _pattern(reader, part, subject if whole else Value(taint=subject.taint))


def _function(reader: Reader, node: _Function) -> None:
    made = define(reader, node)
    arguments = node.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        _annotation(reader, argument.annotation if argument is not None else None)
    _annotation(reader, node.returns)
    _type_parameters(reader, node)
    reader.bind(node.name, _decorated(reader, node.decorator_list, made))
    if node.name in ("__reduce__", "__reduce_ex__"):
        note(reader, Deed.UNPACK, node, node.name, risk=Risk.MEDIUM)


def _decorated(reader: Reader, decorators: Sequence[ast.expr], made: Value) -> Value:
    """A decorator is called with what is below it, and its answer may be what the name stands for."""
    found = made
    for decorator in reversed(decorators):
        answer = reader.call(decorator, found)
        named = answer.functions or answer.refs
        found = join(found, answer) if named else replace(found, taint=found.taint | answer.taint)
    return found


def _type_parameters(reader: Reader, node: ast.AST) -> None:
    """`def f[T: bound]`, `type X = value`: Python evaluates them when somebody asks for them."""
    for parameter in getattr(node, "type_params", ()):
        for part in (getattr(parameter, "bound", None), getattr(parameter, "default_value", None)):
            reader.value(part, called=True)


def _type_alias(reader: Reader, node: ast.stmt) -> None:
    _type_parameters(reader, node)
    reader.value(getattr(node, "value", None), called=True)


def define(reader: Reader, node: _Function | ast.Lambda) -> Value:
    """A function of this program: its defaults are read now, its body after the text around it."""
    arguments = node.args
    learned = reader.learn(node)
    positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    pairs = [*zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True)]
    pairs += [(a.arg, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None]
    for name, default in pairs:
        learned.parameters[name] = join(reader.value(default), learned.parameters.get(name, UNSAID))
    reader.define(Later(node, reader.scopes))
    return Value(functions=(node,))


def _class(reader: Reader, node: ast.ClassDef) -> None:
    _type_parameters(reader, node)
    bases = [reader.value(base, called=True) for base in node.bases]
    for keyword in node.keywords:
        if keyword.arg == "metaclass":
            reader.call(keyword.value, Value(const=node.name), Value(items=tuple(bases)), Value())
        else:
            reader.value(keyword.value)
    members: dict[str, Value] = {}
    kept, reader.annotates = reader.annotates, True
    with reader.scope(members):
        reader.run(node.body)
    reader.annotates = kept
    for name, value in members.items():
        if value.refs or value.functions:
            reader.remember(name, value)
    telling = tuple(ref for base in bases for ref in base.refs if ref in CALLABLES or ref in KINDS or ref == OPEN)
    made = replace(members.get("__init__", NOTHING), kind="class", refs=telling)  # to make one is to make its base
    reader.bind(node.name, _decorated(reader, node.decorator_list, made))


def _shares(reader: Reader, node: ast.Global | ast.Nonlocal) -> None:
    reader.share(node.names)


def _import(reader: Reader, node: ast.Import) -> None:
    for alias in node.names:
        imports.plain(reader, node, alias)


def _import_from(reader: Reader, node: ast.ImportFrom) -> None:
    imports.named(reader, node)


# Any: each entry takes the one kind of node it stands under.
STATEMENTS: dict[type[ast.stmt], Callable[[Reader, Any], None]] = {
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
if (_alias := getattr(ast, "TypeAlias", None)) is not None:  # from Python 3.12 on
    STATEMENTS[_alias] = _type_alias
