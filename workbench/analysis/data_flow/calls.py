"""Data flow through calls: the callee, the arguments, and the results of builtins and methods."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from workbench.analysis.data_flow.functions import call_back, call_function, call_tool
from workbench.analysis.data_flow.names_and_attributes import attribute, attribute_of, put_into, set_attribute
from workbench.analysis.data_flow.program_scopes import argument_names
from workbench.analysis.data_flow.value_origins import (
    ANY,
    BYTES,
    EMPTY,
    NOTHING,
    TABLE,
    TEXT,
    UNFOLLOWED,
    AnswerOrigin,
    Origins,
    TrackedValue,
    altered,
    as_text,
    at_unknown_key,
    change_each,
    compared,
    computed,
    cuts_text,
    derived,
    element,
    encoded,
    hashed,
    is_settled,
    length,
    one_of_many,
    origins_of,
    part,
    pieces,
    questioned,
    split_pieces,
    summed,
    under,
    unknown_value,
    wrapped,
)
from workbench.analysis.data_flow.value_tracker import ANY_ATTRIBUTE, ValueTracker
from workbench.analysis.tables import function_data_flow as table
from workbench.permissions.word_sets import names

_CHANCE: Final = ("random.", "time.", "datetime.", "asyncio.sleep")  # random numbers and the clock
# these change what later calls of `_CHANCE` return
_DRIVING: Final = ("random.seed", "random.setstate", "time.sleep", "asyncio.sleep")


def call(tracker: ValueTracker, node: ast.Call) -> TrackedValue:
    receiver, target = _callee(tracker, node.func)
    positional = [argument(tracker, one) for one in node.args]
    named = {word.arg or f"**{number}": tracker.value(word.value) for number, word in enumerate(node.keywords)}
    every = [*positional, *named.values()]
    tools = {(one.server, one.name): one for one in tracker.known_calls.get(node, ())}
    tools |= {key: one for key in target.tools if (one := tracker.tool(key)) is not None}
    found = EMPTY
    for tool in tools.values():
        found |= call_tool(tracker, node, tool, positional, named)
    for function in target.functions:
        found |= call_function(tracker, function, positional, named, receiver, node)
    if tools and not target.functions:
        return found
    for name, data in named.items():
        if tracker.assigned_attributes.holds(name):
            tracker.attributes.learn(name, data)
    tracker.progress.spend(2 * max(len(target.refs) - 1, 0))
    for ref in target.refs:
        found |= call_library_function(tracker, node, ref, positional, named)
        if ref.startswith(_CHANCE):
            found |= tracker.chance.ask(None)
            if ref in _DRIVING and origins_of(positional):
                old = tracker.chance.get(None, EMPTY)
                new = tracker.chance[None] = old | TrackedValue(change_each(origins_of(positional), derived))
                if new != old:
                    tracker.chance.changed(None)
        if not table.keeps_its_arguments(ref) or "file" in named:
            _mix_arguments(tracker, node, every, known=is_pure(ref))
    handed = [data for data in every if data.functions or data.tools]
    if handed:
        keyed = named.get("key", EMPTY)
        back = call_back(tracker, handed, receiver.origins.union(*(data.origins for data in every)), node, keyed)
        found |= back
        if back.origins and isinstance(node.func, ast.Attribute):
            put_into(tracker, node.func.value, TrackedValue(change_each(back.origins, derived)))
    if target.functions or target.refs:
        return found
    if isinstance(node.func, ast.Attribute):
        return found | call_method(tracker, node, node.func, receiver, positional, named)
    origins = target.origins.union(*(data.origins for data in every))
    tracker.unresolved = True
    if not tracker.strict:
        return found | TrackedValue(origins)
    tracker.found.blind |= origins | tracker.conditions()
    _mix_arguments(tracker, node, every, known=False)
    return found | TrackedValue(origins) | unknown_value(node, UNFOLLOWED)


def _callee(tracker: ValueTracker, node: ast.expr) -> tuple[TrackedValue, TrackedValue]:
    """Return the receiver of a method call (EMPTY for a plain call) and the callee."""
    if not isinstance(node, ast.Attribute):
        return EMPTY, tracker.value(node)
    receiver = tracker.value(node.value)
    return receiver, tracker.touch(attribute_of(tracker, receiver, node))


def called_references(tracker: ValueTracker, node: ast.expr) -> frozenset[str]:
    return tracker.value(node.func).refs if isinstance(node, ast.Call) else frozenset()


def argument(tracker: ValueTracker, node: ast.expr) -> TrackedValue:
    """Return the value of an argument. `f(*x)` passes the elements of x."""
    data = tracker.value(node)
    return data.changed(element) if isinstance(node, ast.Starred) else data


def _mix_arguments(tracker: ValueTracker, node: ast.Call, every: list[TrackedValue], *, known: bool) -> None:
    """Put each argument into every other one, for a function that may do so."""
    origins = change_each(origins_of(every), derived)
    given = TrackedValue(origins) if known else TrackedValue(origins) | unknown_value(node, UNFOLLOWED)
    if not given.origins or (known and len(every) < 2):
        return
    for source in (*node.args, *(word.value for word in node.keywords)):
        if not isinstance(source, ast.Constant):
            put_into(tracker, source, given)


# ── Builtins, functions of modules, and methods ─────────────────────────────────────────────────────────
_Change: TypeAlias = Callable[[AnswerOrigin], AnswerOrigin]
_RULES: Final[Sequence[tuple[Iterable[str], tuple[_Change, ...]]]] = (
    (table.TO_TEXT, (as_text,)),
    (table.ENCODERS, (encoded,)),
    (table.HASHES, (hashed,)),
    (("builtins.len",), (length,)),
    (table.TO_LIST, (element, wrapped)),
    (table.TO_PAIRS, (element, wrapped, wrapped)),
    (table.TO_ELEMENT, (element,)),
    (table.TO_NUMBER, (summed,)),
    (table.TO_BIT, (derived,)),
    (table.WRAPPERS, (part,)),
    (table.PATTERN_PIECES, (pieces,)),
)
# Function → the changes that it makes to its arguments, in order.
_CHANGES: Final = {name: changes for functions, changes in _RULES for name in functions}
_BY_NAME: Final = ("builtins.getattr", "builtins.setattr")
_WRITING_METHODS: Final = names(
    "write writelines write_text write_bytes writerow writerows dump to_csv info warning error debug"
)
# overridable methods of logging handlers and streams
_HANDLERS: Final = ("emit", "handle", "format", "formatMessage", "filter", "write")


def call_library_function(
    tracker: ValueTracker, node: ast.Call, ref: str, positional: list[TrackedValue], named: Mapping[str, TrackedValue]
) -> TrackedValue:
    """Return the result of a builtin or a function of a module."""
    every = [*positional, *named.values()]
    both = EMPTY
    for data in every:
        both |= data
    origins = both.origins
    functions, tools = (EMPTY.functions, EMPTY.tools) if ref in table.CONSUMING else (both.functions, both.tools)
    if ref in ("builtins.print", "pprint.pprint", "pprint.pp", "sys.stdout.write", "sys.stderr.write") or (
        ref.startswith(("logging.", "warnings.warn"))
    ):
        tracker.add_output(node, origins)
        _log(tracker, both)
    if ref in ("json.dump", "yaml.dump"):
        tracker.add_output(node, origins)
    if ref in ("client.call_tool", "client.call_mcp_tool"):  # the tool is not known
        tracker.found.blind |= origins | tracker.conditions()
    if ref == "builtins.map" and positional:
        return _map(tracker, node, positional)
    if ref in _BY_NAME:
        return _attribute_by_name(tracker, node, ref, positional)
    made = TrackedValue(_result_of(ref, node, origins), functions, tools)
    if ref in table.PLAIN_NAMES or is_pure(ref):
        return made
    return made | unknown_value(node, f"the result of {ref.removeprefix('builtins.')}")


def _result_of(ref: str, node: ast.Call, origins: Origins) -> Origins:
    """Return the origins of a function's result."""
    for change in _CHANGES.get(ref, ()):
        origins = change_each(origins, change)
    if ref in ("re.sub", "re.subn"):
        return origins if _only_separates(node.args[:2]) else change_each(origins, altered)
    if ref.split(".")[0] in ("pandas", "polars"):
        return change_each(
            origins, lambda one: one._replace(form=TABLE, depth=ANY, key="") if not is_settled(one) else one
        )
    return origins


def _map(tracker: ValueTracker, node: ast.Call, positional: list[TrackedValue]) -> TrackedValue:
    inside = [TrackedValue(change_each(data.origins, element), data.functions, data.tools) for data in positional[1:]]
    origins = origins_of(inside)
    found = EMPTY
    for ref in positional[0].refs:
        arguments = node.args[1:] if ref in _BY_NAME else []
        made = ast.copy_location(ast.Call(node.func, arguments, []), node)
        found |= call_library_function(tracker, made, ref, inside, {})
    for function in positional[0].functions:
        found |= call_function(tracker, function, inside, {})
    for key in positional[0].tools:
        if (tool := tracker.tool(key)) is not None:
            found |= call_tool(tracker, node, tool, inside, {})
    if not (positional[0].refs or positional[0].functions or positional[0].tools):
        tracker.unresolved = True
        found |= TrackedValue(origins | positional[0].origins)
        if tracker.strict:
            found |= unknown_value(node, UNFOLLOWED)
    return found.changed(wrapped)


def _attribute_by_name(tracker: ValueTracker, node: ast.Call, ref: str, positional: list[TrackedValue]) -> TrackedValue:
    """Evaluate `getattr` and `setattr`.

    `getattr(x, "name")` is `x.name`; a name known only at run time may be any attribute."""
    name = node.args[1] if len(node.args) > 1 else None
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        for data in positional[1:] if ref.endswith("setattr") else ():
            put_into(tracker, node.args[0], data)
            tracker.attributes.learn(ANY_ATTRIBUTE, data)
        origins = origins_of(positional)
        return TrackedValue(origins) | unknown_value(node, "an attribute chosen at run time")
    if ref.endswith("setattr"):
        for data in positional[2:]:
            set_attribute(tracker, node.args[0], name.value, data)
            put_into(tracker, node.args[0], data)
        return EMPTY
    found = attribute(tracker, ast.copy_location(ast.Attribute(node.args[0], name.value, ast.Load()), node))
    return found | positional[2] if len(positional) > 2 else found


def call_method(
    tracker: ValueTracker,
    node: ast.Call,
    function: ast.Attribute,
    receiver: TrackedValue,
    positional: list[TrackedValue],
    named: Mapping[str, TrackedValue],
) -> TrackedValue:
    name, own = function.attr, receiver.origins
    every = [*positional, *named.values()]
    given = origins_of(every)
    functions = receiver.functions.union(*(data.functions for data in every))
    tools = receiver.tools.union(*(data.tools for data in every))
    if name in table.PUTTING_METHODS | table.MERGING_METHODS or (every and name not in table.UNCHANGING_METHODS):
        _put_arguments_into(tracker, node, function, name, every)
    if name in _WRITING_METHODS:
        shown = change_each(given, element) if name in ("writerow", "writerows") else given
        shown = change_each(shown, element) if name == "writerows" else shown
        tracker.add_output(node, shown | (own if name == "to_csv" else NOTHING))
        _log(tracker, TrackedValue(given))
    return TrackedValue(_method_result(tracker, node, name, own, given, positional), functions, tools)


def _method_result(
    tracker: ValueTracker, node: ast.Call, name: str, own: Origins, given: Origins, positional: list[TrackedValue]
) -> Origins:
    first = node.args[0] if node.args else None
    if name in table.TAKING_METHODS:
        key = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
        if name == "group" or name == "getvalue":
            return own | given
        return change_each(own, (lambda one: under(one, key)) if key else at_unknown_key) | given
    if name == "join":
        return own | change_each(change_each(given, element), one_of_many)
    if name in ("format", "format_map"):
        cuts = isinstance(node.func, ast.Attribute) and cuts_text(node.func.value)
        return own | change_each(change_each(given, part) if cuts else given, as_text)
    if name == "encode":
        if isinstance(first, ast.Constant) and not str(first.value).lower().replace("_", "-").startswith(
            ("utf-8", "utf8", "ascii", "latin", "iso-8859", "cp12")
        ):
            return change_each(own, encoded)
        return change_each(own, lambda one: one._replace(form=BYTES) if one.depth == 0 and not is_settled(one) else one)
    if name == "decode":
        return change_each(own, lambda one: one._replace(form=TEXT) if one.form == BYTES else one)
    if name == "hex":
        return change_each(own, as_text)
    if name == "translate":
        return change_each(own, encoded) | given
    if name in ("digest", "hexdigest"):
        return change_each(own, hashed)
    if name == "replace":
        return (own if _only_separates(node.args[:2]) else change_each(own, altered)) | given
    if name in table.PIECE_METHODS:
        at = isinstance(first, ast.Constant) and isinstance(first.value, str) and not set("@.-").isdisjoint(first.value)
        return change_each(own, pieces if at else split_pieces) | given
    if name in table.BIT_METHODS:
        varies = tracker.loops > 0 and first is not None and not isinstance(first, ast.Constant | ast.Tuple)
        return change_each(own, questioned if varies else compared) | change_each(given, compared)
    if name in table.DATE_METHODS:
        return change_each(own, computed) | given
    if name in ("tolist", "to_list"):
        return change_each(own, lambda one: element(one) if one.form == BYTES else one) | given
    if name in table.PLACE_METHODS or name == "len":
        return change_each(own, length) | change_each(given, compared)
    if name in table.PAIR_METHODS:
        return change_each(own, wrapped)
    if name in ("value_counts", "nunique", "describe", "sum", "mean", "median", "max", "min", "std", "size"):
        return change_each(own, summed) | given
    if name in table.APPLYING_METHODS:
        inside = change_each(own, element)
        for data in positional:
            for ref in data.refs:
                given |= change_each(_result_of(ref, node, inside), wrapped)
    return own | given


def _put_arguments_into(
    tracker: ValueTracker, node: ast.Call, function: ast.Attribute, name: str, every: list[TrackedValue]
) -> None:
    layers = 0 if name in table.MERGING_METHODS else 1
    if layers and isinstance(function.value, ast.Subscript | ast.Call):
        layers = 2
    words = [None] * len(node.args) + [word.arg for word in node.keywords]
    sources = [*node.args, *(word.value for word in node.keywords)]
    for data, source, word in zip(every, sources, words, strict=False):
        if word == "key":
            continue
        origins = data.origins
        for _ in range(layers):
            origins = change_each(origins, wrapped)
        put_into(tracker, function.value, TrackedValue(origins, data.functions, data.tools), source)


def _log(tracker: ValueTracker, said: TrackedValue) -> None:
    """Pass logged or written values to the program's own handlers, which are called without being named."""
    for name in _HANDLERS:
        for method in tracker.scopes.methods.get(name, ()):
            for place in argument_names(method.args)[1:]:
                tracker.parameters.learn((method, place), said)


def is_pure(ref: str) -> bool:
    parts = ref.split(".")
    if parts[0] == "builtins":
        return len(parts) > 2 or parts[1] not in table.READING_BUILTINS
    last = parts[-1]
    reads = last in table.READING_FUNCTIONS or (
        parts[0] in ("pandas", "numpy", "polars") and last.startswith(("read", "scan", "load"))
    )
    return parts[0] in table.PURE_MODULES and not reads and ref != "urllib.request.urlopen"


def _only_separates(arguments: Sequence[ast.expr]) -> bool:
    """Return whether a replacement only changes separators. `arguments`: the replaced text and its replacement."""
    texts = [one.value for one in arguments if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return len(texts) == 2 and "@" not in texts[0] and table.SEPARATORS.issuperset(texts[1])
