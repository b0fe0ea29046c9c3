"""What the results of builtins, library functions, methods and classes hold."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from workbench.analysis.data_flow.held_data import (
    CallSources,
    HeldData,
    Key,
    LibraryName,
    OwnClass,
    OwnFunction,
    PartialCall,
    ToolName,
    all_sources,
    join,
    join_all,
    leaf,
)
from workbench.permissions.word_sets import names

if TYPE_CHECKING:
    from workbench.analysis.data_flow.argument_sources import SourceEvaluator

MOST_SHOWN: Final = 8  # entries of a mapping with constant keys whose items stay apart


class EvaluatedCall(NamedTuple):
    """A call of a library function or method with the values of its arguments."""

    evaluator: SourceEvaluator
    node: ast.AST
    name: str  # "json.dumps"; of a method "append"
    positional: Sequence[HeldData]
    named: Mapping[str, HeldData]
    receiver: HeldData = HeldData()  # of a method

    @property
    def first(self) -> HeldData:
        return self.positional[0] if self.positional else HeldData()

    @property
    def second(self) -> HeldData:
        return self.positional[1] if len(self.positional) > 1 else HeldData()

    @property
    def last_name(self) -> str:
        return self.name.rpartition(".")[2]

    def argument_sources(self) -> CallSources:
        """Return the sources of all arguments."""
        return all_sources(*self.positional, *self.named.values())

    def apply(self, callee: HeldData, *arguments: HeldData) -> HeldData:
        """Return the result of calling one of the arguments."""
        return self.evaluator.call_value(self.node, callee, arguments, {})


Rule: TypeAlias = Callable[[EvaluatedCall], HeldData]


def call_library(
    evaluator: SourceEvaluator,
    node: ast.AST,
    name: str,
    positional: Sequence[HeldData],
    named: Mapping[str, HeldData],
) -> HeldData:
    """Return what the result of a builtin or a function of a module holds."""
    call = EvaluatedCall(evaluator, node, name, positional, named)
    if (key := named.get("key")) is not None and positional:
        call.apply(key, call.first.iterated())
    if (rule := _LIBRARY.get(name)) is not None:
        return rule(call)
    if name.startswith("re."):
        return _matched(call, positional if len(positional) == 1 else positional[1:])
    return _mixed(call)


def call_method(
    evaluator: SourceEvaluator,
    node: ast.AST,
    name: str,
    receiver: HeldData,
    positional: Sequence[HeldData],
    named: Mapping[str, HeldData],
) -> HeldData:
    """Return what the result of a method of a builtin type holds, and store what it stores."""
    call = EvaluatedCall(evaluator, node, name, positional, named, receiver)
    if (rule := _METHODS.get(name)) is not None:
        return rule(call)
    return _mixed(call)


def _mixed(call: EvaluatedCall) -> HeldData:
    """Return a value made of all arguments, and of what functions among them return: nothing else is known."""
    every = call.argument_sources() | call.receiver.all_sources()
    handed = [one for one in (*call.positional, *call.named.values()) if _is_callable(one)]
    return leaf(every | all_sources(*(call.apply(one, leaf(every)) for one in handed)))


def _is_callable(data: HeldData) -> bool:
    return any(isinstance(one, OwnFunction | PartialCall | ToolName) for one in data.callees)


def _is_starred(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and any(isinstance(one, ast.Starred) for one in node.args)


# ── Builtins and functions of modules ───────────────────────────────────────────────────────────────────
def _nothing(call: EvaluatedCall) -> HeldData:
    return HeldData()


def _same(call: EvaluatedCall) -> HeldData:
    """Return the first argument, or an object with the named arguments as attributes."""
    made = HeldData(keys=HeldData())
    _put_named(made, call.named)
    return call.first if call.positional else made


def _list_of(data: HeldData, *, in_order: bool = False) -> HeldData:
    """Return a list or set of the elements. `in_order`: each entry keeps its position."""
    if data.keys is None and data.own and not data.is_container:
        return data  # the elements of an answer, which are the same objects in the copy
    if in_order and data.entries and data.rest is None and data.keys is None and not data.own:
        return HeldData(entries=dict(data.entries))
    return HeldData(rest=data.iterated())


def _queue(call: EvaluatedCall) -> HeldData:
    return _list_of(call.first) if call.positional else HeldData(rest=HeldData())


def _dict_of(call: EvaluatedCall) -> HeldData:
    made = HeldData(keys=HeldData())
    made.grows = call.last_name == "defaultdict"
    for one in call.positional[1:] if made.grows else call.positional:
        if one.keys is not None or (one.own and not one.is_container):
            made.absorb(one)
            made.own = one.own
        else:  # pairs
            pair = one.iterated()
            made.add_entry(pair.at(1), leaf(pair.at(0).all_sources()))
    _put_named(made, call.named)
    return made


def _put_named(made: HeldData, named: Mapping[str, HeldData]) -> None:
    for name, data in named.items():
        if name.startswith("**"):
            made.absorb(data)
        else:
            made.add_entry(data, HeldData(constant=name))


def _next(call: EvaluatedCall) -> HeldData:
    return join_all([call.first.iterated(), *call.positional[1:]])


def _extreme(call: EvaluatedCall) -> HeldData:
    every = [call.first.iterated()] if len(call.positional) == 1 else list(call.positional)
    return join_all([*every, *(one for word, one in call.named.items() if word == "default")])


def _filter(call: EvaluatedCall) -> HeldData:
    inside = call.second.iterated()
    if call.first.callees:
        call.apply(call.first, inside)
    return HeldData(rest=inside)


def _map(call: EvaluatedCall) -> HeldData:
    inside = [one.iterated() for one in call.positional[1:]]
    if call.last_name == "starmap" and inside:
        inside = list(inside[0].entries.values()) or inside
    with call.evaluator.repeated(call.second):
        return HeldData(rest=call.apply(call.first, *inside))


def _zip(call: EvaluatedCall) -> HeldData:
    if _is_starred(call.node) and len(call.positional) == 1 and call.first.entries:  # transposes rows
        return HeldData(entries={key: HeldData(rest=data) for key, data in call.first.entries.items()})
    return HeldData(rest=_tuple_of([one.iterated() for one in call.positional]))


def _tuple_of(parts: Sequence[HeldData]) -> HeldData:
    return HeldData(entries=dict(enumerate(parts)))


def _combinations(call: EvaluatedCall) -> HeldData:
    inside = [one.iterated() for one in call.positional]
    if call.last_name != "product":
        inside = inside[:1] * 2
    return HeldData(rest=_tuple_of(inside))


def _group(call: EvaluatedCall) -> HeldData:
    by = call.second if call.second.callees else call.named.get("key", HeldData())
    group = call.apply(by, call.first.iterated()) if by.callees else call.first.iterated()
    return HeldData(rest=_tuple_of([group, _list_of(call.first)]))


def _named_tuple(call: EvaluatedCall) -> HeldData:
    fields: list[str] = []
    for one in call.node.args[1:2] if isinstance(call.node, ast.Call) else ():
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            fields = one.value.replace(",", " ").split()
        elif isinstance(one, ast.List | ast.Tuple):
            fields = [str(part.value) for part in one.elts if isinstance(part, ast.Constant)]
    return HeldData(callees=(OwnClass(HeldData(), tuple(fields)),))


def _gather(call: EvaluatedCall) -> HeldData:
    if len(call.positional) == 1 and _is_starred(call.node):
        return HeldData(rest=call.first)
    return _tuple_of(call.positional)


def _item_getter(call: EvaluatedCall) -> HeldData:
    got = HeldData(callees=(LibraryName("operator.itemgetter()"),))
    return HeldData(callees=(PartialCall(got, tuple(call.positional), ()),))


def _items_got(call: EvaluatedCall) -> HeldData:
    entries = [call.positional[-1].at(key.constant) for key in call.positional[:-1]]
    return entries[0] if len(entries) == 1 else _tuple_of(entries)


def _partial(call: EvaluatedCall) -> HeldData:
    return HeldData(callees=(PartialCall(call.first, tuple(call.positional[1:]), tuple(call.named.items())),))


def _reduce(call: EvaluatedCall) -> HeldData:
    inside = call.second.iterated()
    made = call.positional[2] if len(call.positional) > 2 else inside
    for _ in range(2):
        made = join(call.apply(call.first, made, inside), made)
    return made


def _get_attribute(call: EvaluatedCall) -> HeldData:
    word = call.second.constant
    found = call.evaluator.attribute(call.first, word) if isinstance(word, str) else leaf(call.first.all_sources())
    return join_all([found, *call.positional[2:]])


def _set_attribute(call: EvaluatedCall) -> HeldData:
    if len(call.positional) > 2:
        call.first.add_entry(call.positional[2], call.second, surely=False)
    return HeldData()


def _push(call: EvaluatedCall) -> HeldData:
    call.first.loosen()
    call.first.add_entry(call.second)
    return HeldData()


def _call_first(call: EvaluatedCall) -> HeldData:
    return call.evaluator.call_value(call.node, call.first, call.positional[1:], call.named)


def _read_file(call: EvaluatedCall) -> HeldData:
    return leaf(call.first.all_sources() | call.evaluator.files.all_sources())


def _write_file(call: EvaluatedCall) -> HeldData:
    call.evaluator.files.add_entry(leaf(call.argument_sources()))
    return HeldData()


def _matched(call: EvaluatedCall, texts: Sequence[HeldData]) -> HeldData:
    """Return what the result of a regular expression holds: the searched text, not the pattern."""
    held = [one for one in texts if not one.callees]
    held += [call.apply(one, leaf(call.argument_sources())) for one in texts if _is_callable(one)]
    return leaf(all_sources(*held, *(one for word, one in call.named.items() if word in ("string", "repl"))))


def _named_rules(rule: Rule, block: str) -> dict[str, Rule]:
    return dict.fromkeys(names(block), rule)


_LIBRARY: Final[Mapping[str, Rule]] = {
    **_named_rules(
        _nothing,
        """builtins.len builtins.bool builtins.isinstance builtins.any builtins.all builtins.hash builtins.id
        builtins.callable builtins.type builtins.print builtins.range builtins.issubclass builtins.hasattr
        builtins.super builtins.object builtins.open asyncio.sleep asyncio.Semaphore asyncio.Lock asyncio.Event
        pathlib.Path os.path.join re.compile re.escape""",
    ),
    **_named_rules(
        _same,
        """copy.copy copy.deepcopy asyncio.create_task asyncio.ensure_future asyncio.wait_for asyncio.shield asyncio.run
        contextlib.closing contextlib.aclosing builtins.aiter functools.cache functools.lru_cache functools.wraps
        dataclasses.asdict dataclasses.astuple dataclasses.replace builtins.vars pandas.DataFrame pandas.Series
        polars.DataFrame types.SimpleNamespace""",
    ),
    **_named_rules(
        lambda call: _list_of(call.first),
        """builtins.set builtins.frozenset builtins.sorted builtins.reversed itertools.islice itertools.cycle
        random.sample random.choices heapq.merge asyncio.as_completed asyncio.wait""",
    ),
    **_named_rules(lambda call: _list_of(call.first, in_order=True), "builtins.list builtins.tuple builtins.iter"),
    **_named_rules(lambda call: _list_of(call.second), "heapq.nlargest heapq.nsmallest"),
    **_named_rules(
        _queue, "asyncio.Queue asyncio.LifoQueue asyncio.PriorityQueue queue.Queue queue.SimpleQueue collections.deque"
    ),
    **_named_rules(_dict_of, "builtins.dict collections.OrderedDict collections.defaultdict"),
    **_named_rules(_next, "builtins.next builtins.anext random.choice heapq.heappop"),
    **_named_rules(_extreme, "builtins.min builtins.max"),
    **_named_rules(_filter, "builtins.filter itertools.takewhile itertools.dropwhile itertools.filterfalse"),
    **_named_rules(_map, "builtins.map itertools.starmap"),
    **_named_rules(_zip, "builtins.zip itertools.zip_longest"),
    **_named_rules(_combinations, "itertools.product itertools.pairwise itertools.combinations itertools.permutations"),
    "builtins.enumerate": lambda call: HeldData(rest=_tuple_of([HeldData(), call.first.iterated()])),
    "itertools.chain": lambda call: HeldData(rest=join_all([one.iterated() for one in call.positional])),
    "itertools.chain.from_iterable": lambda call: HeldData(rest=call.first.iterated().iterated()),
    "itertools.batched": lambda call: HeldData(rest=_list_of(call.first)),
    "itertools.groupby": _group,
    "collections.Counter": lambda call: HeldData(keys=join(call.first.iterated(), HeldData()), rest=HeldData()),
    "collections.namedtuple": _named_tuple,
    "asyncio.gather": _gather,
    **_named_rules(_item_getter, "operator.itemgetter operator.attrgetter"),
    "operator.itemgetter()": _items_got,
    "builtins.dict.fromkeys": lambda call: HeldData(
        keys=leaf(call.first.iterated().all_sources()), rest=join_all(call.positional[1:])
    ),
    "functools.partial": _partial,
    "functools.reduce": _reduce,
    "builtins.getattr": _get_attribute,
    "builtins.setattr": _set_attribute,
    **_named_rules(_push, "heapq.heappush bisect.insort"),
    "asyncio.to_thread": _call_first,
    **_named_rules(lambda call: HeldData(entries={_WRITES_TO: call.first}), "csv.writer csv.DictWriter"),
    **_named_rules(_read_file, "csv.reader csv.DictReader json.load client.read_file"),
    **_named_rules(_write_file, "json.dump client.write_file pickle.dump"),
    **_named_rules(lambda call: HeldData(rest=leaf(call.first.all_sources())), "io.StringIO io.BytesIO"),
    **_named_rules(
        lambda call: leaf(call.first.all_sources()), "builtins.int builtins.float builtins.str builtins.repr"
    ),
    "typing.cast": lambda call: call.second,
}
_WRITES_TO: Final = "__writes_to__"  # entry of a writer: the object that it writes to


# ── Objects of classes ──────────────────────────────────────────────────────────────────────────────────
def make_object(
    evaluator: SourceEvaluator, kind: OwnClass, positional: Sequence[HeldData], named: Mapping[str, HeldData]
) -> HeldData:
    """Return a new object of a class: its attributes are entries."""
    made = HeldData(entries={"__class__": HeldData()})
    members = kind.methods.entries
    for field in kind.fields:
        made.entries[field] = members.get(field, HeldData())
    for field, data in zip(kind.fields, positional, strict=False):
        made.entries[field] = data
    for name, data in named.items():
        if name.startswith("**"):
            made.entries.update({field: data.at(field) for field in kind.fields})
        elif "__init__" not in members:
            made.entries[name] = data
    for key, member in members.items():
        made.entries.setdefault(key, member)
    for start in ("__init__", "__post_init__"):
        for one in members[start].callees if start in members else ():
            if isinstance(one, OwnFunction):
                given = (positional, named) if start == "__init__" else ((), {})
                evaluator.call_own(one._replace(receiver=made), *given)
    return made


# ── Methods ─────────────────────────────────────────────────────────────────────────────────────────────
def _write_rows(call: EvaluatedCall) -> HeldData:
    written = leaf(call.argument_sources())
    call.receiver.entries.get(_WRITES_TO, call.receiver).add_entry(written)
    call.evaluator.files.add_entry(written)
    return HeldData()


def _write(call: EvaluatedCall) -> HeldData:
    written = leaf(call.argument_sources())
    if call.receiver.rest is not None:
        call.receiver.add_entry(written)
    call.evaluator.files.add_entry(written)
    return HeldData()


def _read(call: EvaluatedCall) -> HeldData:
    return leaf(call.receiver.all_sources() | call.evaluator.files.all_sources())


def _reorder(call: EvaluatedCall) -> HeldData:
    if (key := call.named.get("key")) is not None:
        call.apply(key, call.receiver.element())
    call.receiver.loosen()
    return HeldData()


def _add(call: EvaluatedCall) -> HeldData:
    if call.name in ("insert", "appendleft"):
        call.receiver.loosen()
    if call.positional:
        call.receiver.add_entry(call.positional[-1])
    return HeldData()


def _extend(call: EvaluatedCall) -> HeldData:
    receiver = call.receiver
    for one in call.positional:
        if call.name == "update" and (one.keys is not None or (receiver.keys is not None and one.own)):
            receiver.absorb(one)
        elif call.name == "update" and receiver.keys is not None:
            pair = one.iterated()
            receiver.add_entry(pair.at(1), leaf(pair.at(0).all_sources()))
        else:
            receiver.loosen()
            receiver.add_entry(one.iterated())
    _put_named(receiver, call.named)
    return HeldData()


def _set_default(call: EvaluatedCall) -> HeldData:
    if len(call.positional) > 1:
        call.receiver.add_entry(call.second, call.first, surely=False)
    return call.receiver.at(call.first.constant)


def _get(call: EvaluatedCall) -> HeldData:
    receiver, key = call.receiver, call.first.constant
    if not call.positional or (receiver.keys is None and not receiver.own and not isinstance(key, str)):
        return receiver.element()
    return join(receiver.at(key), call.second)


def _pop_item(call: EvaluatedCall) -> HeldData:
    return _tuple_of([call.receiver.keys or HeldData(), call.receiver.element()])


def _items(call: EvaluatedCall) -> HeldData:
    receiver = call.receiver
    if call.name == "items" and (shown := _shown_entries(receiver)):
        return _tuple_of([_tuple_of([HeldData(constant=key), data]) for key, data in shown.items()])
    return HeldData(rest=_tuple_of([_keys_of(receiver), receiver.element()]))


def _values(call: EvaluatedCall) -> HeldData:
    if shown := _shown_entries(call.receiver):
        return _tuple_of(list(shown.values()))
    mapping = call.receiver.keys is not None or bool(call.receiver.own)
    return HeldData(rest=call.receiver.element()) if mapping else call.receiver


def _keys_of(data: HeldData) -> HeldData:
    return data.keys if data.keys is not None else leaf(data.own)


def _shown_entries(data: HeldData) -> dict[Key, HeldData] | None:
    """Return the entries of a mapping whose keys are all constants."""
    if data.keys is None or data.keys or data.rest is not None or data.own or len(data.entries) > MOST_SHOWN:
        return None
    return data.entries


def _copy(call: EvaluatedCall) -> HeldData:
    if call.receiver.keys is None:
        return _list_of(call.receiver, in_order=True)
    made = HeldData(call.receiver.own, keys=HeldData())
    made.absorb(call.receiver)
    return made


def _union(call: EvaluatedCall) -> HeldData:
    return HeldData(rest=join_all([call.receiver.iterated(), *(one.iterated() for one in call.positional)]))


def _merge(call: EvaluatedCall) -> HeldData:
    """Join a text, or two tables: rows with the columns of both."""
    if not call.receiver.is_container or not call.positional:
        return _mixed(call)
    first = call.receiver.iterated()
    made = HeldData(first.own, keys=HeldData())
    made.absorb(first)
    made.absorb(call.first.iterated())
    return HeldData(rest=made)


def _apply(call: EvaluatedCall) -> HeldData:
    return HeldData(rest=call.apply(call.first, call.receiver.iterated())) if call.first.callees else _mixed(call)


_FIELD: Final = re.compile(r"\{([^{}:!.\[]{0,80})")
_PERCENT_FIELD: Final = re.compile(r"%\((\w{1,80})\)")


def _format(call: EvaluatedCall) -> HeldData:
    """Return what a formatted text holds: the arguments that the fields of a constant template name."""
    template = call.receiver.constant
    if not isinstance(template, str):
        return _mixed(call)
    found: list[HeldData] = []
    spread = [data for name, data in call.named.items() if name.startswith("**")]
    spread += call.positional if call.name == "format_map" else ()
    for number, field in enumerate(_FIELD.findall(template.replace("{{", "").replace("}}", ""))):
        if not field or field.isdecimal():
            place = int(field) if field else number
            found += call.positional[place : place + 1]
        elif field in call.named:
            found.append(call.named[field])
        else:
            found += [data.at(field) for data in spread]
    return leaf(all_sources(*found))


def percent_formatted(template: str, given: HeldData) -> HeldData:
    """Return what `template % given` holds."""
    fields = _PERCENT_FIELD.findall(template)
    return leaf(all_sources(*(given.at(field) for field in fields)) if fields else given.all_sources())


_METHODS: Final[Mapping[str, Rule]] = {
    **_named_rules(_write_rows, "writerow writerows writeheader"),
    **_named_rules(_write, "write writelines write_text write_bytes"),
    **_named_rules(_read, "read read_text read_bytes readlines readline"),
    "getvalue": lambda call: leaf(call.receiver.all_sources()),
    **_named_rules(
        _nothing,
        """startswith endswith isdigit isalpha isalnum isupper islower isspace isnumeric isdecimal istitle isidentifier
        issubset issuperset isdisjoint exists is_integer find rfind index rindex count is_file is_dir empty qsize done
        remove discard clear close cancel acquire release task_done""",
    ),
    **_named_rules(_reorder, "sort reverse"),
    **_named_rules(_add, "append add appendleft insert put put_nowait push"),
    **_named_rules(_extend, "extend update extendleft"),
    "setdefault": _set_default,
    **_named_rules(_get, "get pop"),
    **_named_rules(lambda call: call.receiver.element(), "popleft get_nowait"),
    "popitem": _pop_item,
    **_named_rules(_items, "items most_common"),
    "values": _values,
    "keys": lambda call: HeldData(rest=_keys_of(call.receiver)),
    "iterrows": lambda call: HeldData(rest=_tuple_of([HeldData(), call.receiver.iterated()])),
    **_named_rules(lambda call: call.first, "create_task ensure_future run_until_complete start_soon"),
    **_named_rules(_union, "union intersection difference symmetric_difference"),
    **_named_rules(
        lambda call: call.receiver,
        """sort_values sort_index reset_index dropna fillna head tail drop_duplicates query sample nlargest nsmallest
        rename filter result set_index itertuples astype to_dict to_records model_dump dict _asdict""",
    ),
    "copy": _copy,
    **_named_rules(_merge, "merge join"),
    **_named_rules(_apply, "apply map agg transform pipe"),
    **_named_rules(_format, "format format_map"),
    # the arguments of these methods do not become a part of the result
    **_named_rules(
        lambda call: leaf(call.receiver.all_sources()),
        """lower upper strip lstrip rstrip title capitalize casefold swapcase split rsplit splitlines partition
        rpartition removeprefix removesuffix encode decode zfill isoformat strftime group groups groupdict hexdigest
        digest expandtabs translate tolist to_list""",
    ),
    # methods of a compiled pattern, which holds nothing itself
    **_named_rules(lambda call: _matched(call, call.positional), "search match fullmatch findall finditer sub subn"),
}
