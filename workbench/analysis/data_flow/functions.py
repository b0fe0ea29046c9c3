"""Data flow through the program's own functions and classes, and through tools: definitions and calls."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from workbench.analysis.data_flow.names_and_attributes import bind, link, names_assigned_by, note_attribute_name
from workbench.analysis.data_flow.program_scopes import FunctionNode, argument_names
from workbench.analysis.data_flow.value_origins import (
    EMPTY,
    NOTHING,
    PRIVATE,
    UNTRUSTED,
    WHEN,
    AnswerOrigin,
    Origins,
    TrackedValue,
    change_each,
    derived,
    element,
    merge_sets,
    unknown_value,
    wrapped,
)
from workbench.analysis.data_flow.value_tracker import TrackedCall, ValueTracker
from workbench.permissions.tool_annotations import facts_of
from workbench.records import Tool


def define_function(tracker: ValueTracker, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    _defaults(tracker, node)
    decorated = EMPTY
    for decorator in node.decorator_list:
        made = tracker.value(decorator)
        place = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(place, ast.Attribute):  # `@f.register`: a call of f may become a call of this function
            for function in tracker.value(place.value).functions:
                tracker.add_answer(function, tracker.answers.ask(node))
        for function in made.functions:  # a decorator may call the function with any of its own arguments
            call_function(tracker, function, [TrackedValue(functions=frozenset({node}))], {})
            decorated |= tracker.answers.ask(function)
        call_back(tracker, [TrackedValue(functions=frozenset({node}))], made.origins) if made.origins else None
        decorated |= TrackedValue(made.origins)
    bind(tracker, node.name, TrackedValue(functions=frozenset({node})) | decorated, None)


def define_class(tracker: ValueTracker, node: ast.ClassDef) -> None:
    inherited = EMPTY
    for expression in (*node.decorator_list, *node.bases, *(word.value for word in node.keywords)):
        base = tracker.value(expression)
        inherited |= TrackedValue(base.origins, base.functions)
        for function in base.functions:
            if expression in node.decorator_list:
                inherited |= call_function(tracker, function, [TrackedValue(functions=frozenset({node}))], {})
            tracker.objects.learn(node, tracker.objects.ask(function))
    tracker.objects.learn(node, TrackedValue(inherited.origins))
    for statement in node.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            data = tracker.value(statement.value)
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for target in targets:
                for name in names_assigned_by(target):
                    note_attribute_name(tracker, name)
                    if name in tracker.scopes.global_names:
                        tracker.contents.learn((None, name), data)
                    tracker.attributes.learn(name, data)
                    tracker.objects.learn(node, data)
        else:
            tracker.statement(statement)
    held = tracker.objects.ask(node)  # calling a class attribute may return what its objects hold
    bind(tracker, node.name, TrackedValue(held.origins, frozenset({node}) | inherited.functions, held.tools), None)


def define_lambda(tracker: ValueTracker, node: ast.Lambda) -> TrackedValue:
    _defaults(tracker, node)
    return TrackedValue(functions=frozenset({node}))


def _defaults(tracker: ValueTracker, node: FunctionNode) -> None:
    if not isinstance(node, ast.Lambda):
        every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg)
        for annotation in (node.returns, *(one.annotation for one in every if one is not None)):
            if annotation is not None:
                tracker.attributes.learn("__annotations__", tracker.value(annotation))
    positional = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    named = zip(positional[len(positional) - len(node.args.defaults) :], node.args.defaults, strict=True)
    only = ((a.arg, d) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if d is not None)
    for name, default in (*named, *only):
        tracker.parameters.learn((node, name), tracker.value(default))
        link(tracker, (node, name), default)


def yield_value(tracker: ValueTracker, node: ast.Yield | ast.YieldFrom) -> TrackedValue:
    data = tracker.value(node.value) if node.value is not None else EMPTY
    if tracker.scope is not None:
        deep = data if isinstance(node, ast.YieldFrom) else data.changed(wrapped)
        tracker.add_answer(tracker.scope, deep.made_of(deep.origins | change_each(tracker.conditions(), derived)))
    return unknown_value(node, "a value sent to a generator") if tracker.scope is not None else EMPTY


def call_function(
    tracker: ValueTracker,
    function: ast.AST,
    positional: list[TrackedValue],
    named: Mapping[str, TrackedValue],
    receiver: TrackedValue = EMPTY,
    node: ast.Call | None = None,
) -> TrackedValue:
    tracker.progress.spend(1)
    if isinstance(function, ast.ClassDef):
        return _make_object(tracker, function, positional, named, node)
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return EMPTY
    places = argument_names(function.args)
    first = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    bound = list(positional)
    sources: list[ast.expr | None] = [*node.args] if node is not None else [None] * len(positional)
    if function in tracker.scopes.class_of and node is not None and isinstance(node.func, ast.Attribute):
        bound, sources = [receiver, *bound], [node.func.value, *sources]
    starred = any(isinstance(one, ast.Starred) for one in sources)
    sources += [None] * (len(bound) - len(sources))
    for number, data in enumerate(bound):
        if starred:  # any argument may go to any parameter
            inside = TrackedValue(data.origins | change_each(data.origins, element), data.functions, data.tools)
            for name in places:
                _pass_argument(tracker, function, name, inside, sources[number])
        elif number < len(first):
            _pass_argument(tracker, function, first[number], data, sources[number])
        elif function.args.vararg:
            _pass_argument(tracker, function, function.args.vararg.arg, data.changed(wrapped), sources[number])
    words = {word.arg: word.value for word in node.keywords} if node is not None else {}
    for name, data in named.items():
        if name.startswith("**"):
            for place in places:
                _pass_argument(
                    tracker,
                    function,
                    place,
                    TrackedValue(data.origins | change_each(data.origins, element), data.functions),
                    None,
                )
        elif name in places:
            _pass_argument(tracker, function, name, data, words.get(name))
        elif function.args.kwarg:
            kwarg = function.args.kwarg.arg
            _pass_argument(tracker, function, kwarg, data.changed(wrapped), words.get(name))
    _enter(tracker, function)
    if tracker.loops and tracker.tries and function not in tracker.repeated_functions:
        tracker.repeated_functions.add(function)
        tracker.progress.learned = True
    tracker.touched |= tracker.raised.ask(function).origins
    return tracker.answers.ask(function)


def _pass_argument(
    tracker: ValueTracker, function: ast.AST, name: str, data: TrackedValue, source: ast.expr | None
) -> None:
    tracker.progress.spend(1)
    tracker.parameters.learn((function, name), data)
    if source is not None:
        link(tracker, (function, name), source)


def _enter(tracker: ValueTracker, function: ast.AST) -> None:
    """Record the conditions of this line as conditions under which the function runs."""
    known = tracker.entry_conditions.get(function, NOTHING)
    found = merge_sets(known, tracker.conditions())
    if found is not known and found != known:
        tracker.entry_conditions[function] = found
        tracker.progress.learned = True


def _make_object(
    tracker: ValueTracker,
    kind: ast.ClassDef,
    positional: list[TrackedValue],
    named: Mapping[str, TrackedValue],
    node: ast.Call | None,
) -> TrackedValue:
    held = tracker.objects.ask(kind)
    whole = TrackedValue(held.origins, frozenset(), held.tools)
    for data in (*positional, *named.values()):
        whole |= TrackedValue(data.origins, data.functions, data.tools)
    for name in ("__init__", "__new__", "__post_init__", "__call__"):
        for method in tracker.scopes.methods.get(name, ()):
            if tracker.scopes.class_of[method] is kind or kind.bases:
                stand_in = ast.Name("")
                call = ast.Call(ast.Attribute(stand_in, name), node.args, node.keywords) if node is not None else None
                call_function(tracker, method, positional, named, whole, call)
    for field in kind.body:  # the arguments of a dataclass are its fields
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            tracker.attributes.learn(field.target.id, TrackedValue(whole.origins, whole.functions, whole.tools))
    return whole


def call_back(
    tracker: ValueTracker,
    handed: list[TrackedValue],
    origins: Origins,
    node: ast.AST | None = None,
    keyed: TrackedValue = EMPTY,
) -> TrackedValue:
    """Call the functions and tools among the arguments with all other arguments, and return their results."""
    found = EMPTY
    given = TrackedValue(origins | change_each(origins, element))
    for data in handed:
        for function in data.functions:
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                for name in argument_names(function.args):
                    tracker.parameters.learn((function, name), given)
                _enter(tracker, function)
                answer = tracker.answers.ask(function)
                change = derived if function in keyed.functions else wrapped
                found |= answer.changed(change)
            elif isinstance(function, ast.ClassDef):
                found |= _make_object(tracker, function, [given], {}, None)
        for key in data.tools:
            tool = tracker.tool(key)
            if tool is not None and node is not None:
                answer = call_tool(tracker, node, tool, [given], {})
                found |= TrackedValue(answer.origins)
    return found


def call_tool(
    tracker: ValueTracker, node: ast.AST, tool: Tool, positional: list[TrackedValue], named: Mapping[str, TrackedValue]
) -> TrackedValue:
    """Record the arguments of a tool call and return its answer.

    The answer consists of the tool's own data and whatever its arguments were made of."""
    place = (node, tool.server, tool.name)
    noted = tracker.found.calls.setdefault(place, TrackedCall(tool, node, {}))
    given = {str(number): data.origins for number, data in enumerate(positional)}
    given |= {name: data.origins for name, data in named.items()}
    given[WHEN] = tracker.conditions()
    for name, origins in given.items():
        noted.arguments[name] = noted.arguments.get(name, NOTHING) | origins
    line = getattr(node, "lineno", 1)
    name = f"{tool.server}.{tool.name}"
    kinds = [kind for kind, has in ((PRIVATE, facts_of(tool).private), (UNTRUSTED, facts_of(tool).outsiders)) if has]
    own = frozenset(AnswerOrigin(kind, name, line, tool.server) for kind in kinds)
    tracker.found.sources |= own
    return TrackedValue(own | change_each(NOTHING.union(*given.values()), derived))
