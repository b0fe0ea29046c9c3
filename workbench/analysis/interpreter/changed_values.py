"""Finds the lists, dicts and objects of a program that may be changed where the interpreter does not follow it.

Flow-insensitive, without scopes: every two names that may refer to the same object, or to an object inside it, are one
group, and a change through one of them, anywhere in the program, is a change of the group. Names of attributes count
like names of variables. A list that is given to an unknown function counts as changed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from workbench.analysis.parsed_program import child_nodes, walk
from workbench.permissions.word_sets import names

# Names through which a program may bind or change any name or attribute.
_REACHING: Final = names(
    """globals locals vars exec eval setattr delattr __setattr__ __delattr__ __dict__ __builtins__ __import__
    __globals__ __code__ __closure__ __defaults__ __kwdefaults__ importlib import_module modules f_locals
    f_globals _getframe settrace setprofile gc ctypes inspect builtins __getattribute__ methodcaller attrgetter"""
)
# Functions that change none of their arguments. What they return may hold the same objects.
_READING: Final = names(
    """print len str repr format int float bool complex sum min max sorted list tuple set frozenset dict enumerate zip
    range reversed iter next any all isinstance issubclass type abs round hash ord chr bytes bytearray id
    callable getattr hasattr Path PurePath PurePosixPath Counter defaultdict deque OrderedDict date datetime
    timedelta Decimal dumps loads gather sleep wait_for create_task ensure_future deepcopy copy StringIO BytesIO
    dedent quote unquote urlencode urlparse chain islice product combinations groupby call_tool call_mcp_tool"""
)
# Those whose results share no object with their arguments.
FRESH: Final = names(
    """print len str repr format int float bool range any all isinstance issubclass hash ord chr bytes id callable
    dumps loads Path date datetime timedelta dedent quote unquote hasattr call_tool call_mcp_tool"""
)
_READING_METHODS: Final = names(
    """get keys values items copy index count join split rsplit splitlines partition rpartition strip lstrip rstrip
    lower upper title capitalize casefold swapcase startswith endswith replace format encode decode hex find
    rfind isdigit isalpha isalnum isupper islower isnumeric zfill ljust rjust center removeprefix removesuffix
    translate expandtabs isoformat strftime date time timestamp total_seconds group groups most_common writerow
    writerows writeheader write union intersection difference issubset issuperset isdisjoint
    symmetric_difference fullmatch match search findall finditer sub subn dumps loads dump load gather sleep
    wait_for create_task info debug warning error exception joinpath exists is_file is_dir read_text write_text
    as_posix getvalue today now utcnow fromisoformat strptime b64encode b64decode urlencode quote unquote sqrt
    floor ceil fsum mean median stdev pformat pprint deepcopy"""
)
FRESH_METHODS: Final = _READING_METHODS - names(
    """get keys values items copy gather sleep wait_for create_task union intersection difference symmetric_difference
    deepcopy"""
)
# Changes that the interpreter follows, if nothing else refers to the list or dict.
_FOLLOWED_METHODS: Final = names("append extend add update setdefault")
# Methods that operators and statements call. Whether those of a class with others return a list is not visible there.
_RETURNING_NOTHING: Final = names(
    """__init__ __post_init__ __repr__ __str__ __format__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__ __bool__
    __len__ __contains__ __exit__ __aexit__ __del__ __setitem__ __delitem__ __init_subclass__ __set_name__"""
)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_NOTED = (
    *(*_SCOPES, ast.Call, ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.AugAssign, ast.For, ast.AsyncFor),
    *(ast.comprehension, ast.withitem, ast.Delete, ast.Match, ast.Import, ast.ImportFrom),
)
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class ChangedValues:
    """Answers for one program whether the object of a name or attribute may be changed unseen."""

    def __init__(self, nodes: Sequence[ast.AST]) -> None:
        """`nodes`: all nodes of the program, the whole tree first."""
        self._parents: dict[str, str] = {}
        self._changed: set[str] = set()
        self._followed: list[tuple[str, object]] = []  # name and scope of each change that the interpreter follows
        self._tools = {"servers", "call_tool", "call_mcp_tool"}  # names of tools, servers and what calls them
        self.functions: dict[str, list[Function]] = {}
        # of the functions of a name that are called: parameters, of which those that are one object are named once
        self._parameters: dict[str, list[str]] = {}
        self.any_name = False  # the program may bind or change any name
        self._scopes: dict[str, set[object]] = {}  # the scopes that bind each name
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "servers":
                self._tools |= {one.asname or one.name for one in node.names}
        self._bound = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
        for node in nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self.functions.setdefault(node.name, []).append(node)
                self.any_name = self.any_name or _takes_over(node.name)
        self._methods = {
            member.name
            for node in nodes
            if isinstance(node, ast.ClassDef)
            for member in node.body
            if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        self._unseen_methods = {one for one in self._methods if one.startswith("__")} - _RETURNING_NOTHING
        if nodes:
            self._read(nodes[0], nodes[0], looped=False)
        self._settle()

    def is_changed(self, name: str) -> bool:
        """Return whether the object of a name, or of an attribute (".name"), may be changed unseen."""
        return self.any_name or self._find(name) in self._changed

    # ── Groups ──────────────────────────────────────────────────────────────────────────────────────────
    def _find(self, name: str) -> str:
        parents = self._parents
        while (parent := parents.get(name, name)) != name:
            parents[name] = parents.get(parent, parent)
            name = parent
        return name

    def _unite(self, all_names: Iterable[str]) -> None:
        first = ""
        for name in all_names:
            found = self._find(name)
            if first and found != first:
                self._parents[found] = first
            first = first or found

    def _settle(self) -> None:
        """Count followed changes as unseen ones where more than one name refers to the object."""
        members: dict[str, int] = {}
        for name in {*self._parents, *self._parents.values()}:
            members[self._find(name)] = members.get(self._find(name), 0) + 1
        self._changed = {self._find(name) for name in self._changed}
        for name, scope in self._followed:
            if members.get(self._find(name), 1) > 1 or self._scopes.get(name, set()) != {scope}:
                self._changed.add(self._find(name))

    # ── Reading ─────────────────────────────────────────────────────────────────────────────────────────
    def _read(self, node: ast.AST, scope: ast.AST, looped: bool) -> None:
        stack: list[tuple[ast.AST, ast.AST, bool]] = [(node, scope, looped)]
        while stack:
            node, scope, looped = stack.pop()
            self._note(node, scope, looped)
            inner = node if isinstance(node, _SCOPES) else scope
            looped = not isinstance(node, _SCOPES) and (looped or isinstance(node, _LOOPS))
            stack += [(child, inner, looped) for child in child_nodes(node)]

    def _note(self, node: ast.AST, scope: ast.AST, looped: bool) -> None:
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                self.any_name = self.any_name or node.id in _REACHING
            else:
                self._scopes.setdefault(node.id, set()).add(scope)
                self.any_name = self.any_name or _takes_over(node.id)
        elif isinstance(node, ast.Constant):
            self.any_name = self.any_name or (isinstance(node.value, str) and node.value in _REACHING)
        elif isinstance(node, ast.Attribute):
            loads = isinstance(node.ctx, ast.Load)
            self.any_name = self.any_name or (node.attr in _REACHING if loads else _takes_over(node.attr))
            if loads and node.attr.startswith("__"):
                self._change_all(self._roots(node.value))
        elif isinstance(node, _NOTED):
            self._note_change(node, scope, looped)

    def _note_change(self, node: ast.AST, scope: ast.AST, looped: bool) -> None:
        match node:
            case ast.ImportFrom(module, aliases):
                own = (module or "").split(".")[0] in ("servers", "skills")
                self.any_name = self.any_name or any(
                    one.name in _REACHING or (one.name == "*" and not own) for one in aliases
                )
            case ast.Import(aliases):
                self.any_name = self.any_name or any(not _REACHING.isdisjoint(one.name.split(".")) for one in aliases)
            case ast.Assign(targets, value):
                for target in targets:
                    self._bind(target, value, scope, looped)
            case ast.AnnAssign(target, _, value) if value is not None:
                self._bind(target, value, scope, looped)
            case ast.NamedExpr(target, value) | ast.withitem(value, target) if target is not None:
                self._bind(target, value, scope, looped)
            case ast.For(target, value) | ast.AsyncFor(target, value) | ast.comprehension(target, value):
                self._bind(target, value, scope, True)
            case ast.AugAssign(target, _, value):
                self._unite((*self._roots(target), *self._roots(value)))
                self._change(target, scope, looped)
            case ast.Delete(targets):
                for target in targets:
                    if not isinstance(target, ast.Name):
                        self._change_all(self._roots(target))
            case ast.Match(subject, cases):
                parts = [part for case in cases for part in walk(case.pattern)]
                bound = [getattr(part, "name", None) or getattr(part, "rest", None) for part in parts]
                self._unite((*self._roots(subject), *(name for name in bound if isinstance(name, str))))
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                self._define(node)
            case ast.ClassDef(_, _, _, body):
                for one in body:
                    for part in walk(one):
                        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                            self._unite((part.id, f".{part.id}"))
            case ast.Call():
                self._call(node, scope, looped)

    def _define(self, node: Function | ast.Lambda) -> None:
        arguments = node.args
        positional = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
        pairs = [*zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True)]
        pairs += [(a.arg, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None]
        for name, default in pairs:
            self._unite((name, *self._roots(default)))
        if not isinstance(node, ast.Lambda):
            # a function that is passed on is called elsewhere, and a decorated one is what its decorator returns
            called = {node.name, f"{node.name}()"}
            for decorator in node.decorator_list:
                self._pass_method(decorator)
                called |= {f".{node.name}", *(f"{one}()" for one in self._roots(decorator))}
            self._unite(called)
            for part in _own_nodes(node):
                if isinstance(part, ast.Return | ast.Yield | ast.YieldFrom) and part.value is not None:
                    held = self._roots(part.value)
                    self._unite((f"{node.name}()", *held))
                    if node.name in self._unseen_methods:
                        self._change_all(held - {"self", "cls"})

    def _bind(self, target: ast.expr, value: ast.expr, scope: ast.AST, looped: bool) -> None:
        held = self._roots(value)
        for part in _targets(target):
            self._unite((*self._roots(part), *held))
            if isinstance(part, ast.Subscript):
                self._change(part.value, scope, looped or isinstance(part.slice, ast.Slice))

    def _change(self, target: ast.expr, scope: ast.AST, looped: bool) -> None:
        """Note that an object is changed: unseen, unless the interpreter follows it."""
        if isinstance(target, ast.Name) and not looped:
            self._followed.append((target.id, scope))
        else:
            self._change_all(self._roots(target))

    def _change_all(self, all_names: Iterable[str]) -> None:
        self._changed.update(all_names)

    def _call(self, node: ast.Call, scope: ast.AST, looped: bool) -> None:
        function = node.func
        given = [*node.args, *(one.value for one in node.keywords)]
        called = _called_name(function)
        if called == "getattr" and not (len(node.args) > 1 and isinstance(node.args[1], ast.Constant)):
            self.any_name = True
        if self._is_tool(function):
            return
        held = {name for one in given for name in self._roots(one)}
        for one in given:  # a method that is passed on is called later
            self._pass_method(one)
        if isinstance(function, ast.Attribute):
            owner = function.value
            if called in self._methods:
                self._pass_to(called, held)
            if called in _FOLLOWED_METHODS and isinstance(owner, ast.Name):
                self._unite((owner.id, *held))
                self._change(owner, scope, looped)
            elif called not in _READING_METHODS and called not in self._methods:
                self._change_all((*self._roots(owner), f".{called}", *held))
        elif isinstance(function, ast.Name) and called in self.functions:
            self._pass_to(called, held)
        elif not (isinstance(function, ast.Name) and called in _READING and called not in self._bound):
            self._change_all(held)
            self._change_all(self._roots(function))

    def _pass_method(self, given: ast.expr) -> None:
        if isinstance(given, ast.Attribute) and given.attr not in _READING_METHODS:
            self._change_all(self._roots(given.value))

    def _pass_to(self, called: str, held: Iterable[str]) -> None:
        """Note that the objects are arguments of functions of the program."""
        held = tuple(held)
        parameters = self._parameters.get(called)
        if parameters is None:
            parameters = []
            for function in self.functions.get(called, ()):
                given = function.args
                every = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
                own = [one.arg for one in every if one is not None and one.arg not in ("self", "cls")]
                self._unite(own)
                parameters += own[:1]
        if held and called in self.functions:
            self._unite((*held, *parameters))
        self._parameters[called] = parameters[:1] if held else parameters

    def _is_tool(self, function: ast.expr) -> bool:
        root = function
        while isinstance(root, ast.Attribute):
            root = root.value
        bound = isinstance(root, ast.Name) and root.id not in self.functions and root.id not in self._bound
        return bound and isinstance(root, ast.Name) and root.id in self._tools

    def _roots(self, node: ast.expr) -> set[str]:
        """Return the names whose object the value may be, hold, or be held in."""
        found: set[str] = set()
        left: list[ast.expr | None] = [node]
        while left:
            part = left.pop()
            match part:
                case ast.Name(name):
                    found.add(name)
                case ast.Attribute(value, name):
                    found.add(f".{name}")
                    left.append(value)
                case ast.Subscript(value) | ast.Starred(value) | ast.Await(value) | ast.YieldFrom(value):
                    left.append(value)
                case ast.NamedExpr(target, value):
                    left += (target, value)
                case ast.IfExp(_, first, second):
                    left += (first, second)
                case ast.BoolOp(_, parts) | ast.List(parts) | ast.Tuple(parts) | ast.Set(parts):
                    left += parts
                case ast.Dict(_, parts):
                    left += parts
                case ast.BinOp(first, _, second):
                    left += (first, second)
                case ast.ListComp(element) | ast.SetComp(element) | ast.GeneratorExp(element):
                    left.append(element)
                case ast.DictComp(_, element):
                    left.append(element)
                case ast.Lambda(_, body):
                    left.append(body)
                case ast.Call(function, given, named):
                    called = _called_name(function)
                    fresh = self._is_tool(function) or (
                        called not in self.functions
                        and called in (FRESH_METHODS if isinstance(function, ast.Attribute) else FRESH)
                    )
                    if not fresh:
                        found.add(f"{called}()")
                        left += (*given, *(one.value for one in named))
                        if not isinstance(function, ast.Name):
                            left.append(function.value if isinstance(function, ast.Attribute) else function)
        return found


def _takes_over(name: str) -> bool:
    """Whether a method or attribute of this name decides what any attribute of its objects is."""
    return name.startswith("__") and name in _REACHING


def _called_name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _targets(target: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List):
        for part in target.elts:
            yield from _targets(part)
    elif isinstance(target, ast.Starred):
        yield from _targets(target.value)
    else:
        yield target


def _own_nodes(function: Function) -> Iterator[ast.AST]:
    """Yield the nodes of a body without those of functions and classes inside it."""
    left: list[ast.AST] = list(function.body)
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, _SCOPES):
            left += child_nodes(node)
