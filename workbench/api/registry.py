"""The registry of methods that clients may call, collected when a core starts from the objects that implement them."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any, cast

from workbench.api.marker import ApiMark, mark_of
from workbench.api.method_schema import MethodSchema, schema_of

if TYPE_CHECKING:
    from workbench.api.client_stub import CoreApi


class ApiMethod:
    """One method of a core object, with its `@api` mark."""

    __slots__ = ("_bound", "_declared", "mark", "name")

    def __init__(self, declared: Callable[..., Any], bound: Callable[..., Any], mark: ApiMark) -> None:
        """Any: methods of every signature. `declared`: the function whose annotations define the message types."""
        self.name = mark.name
        self.mark = mark
        self._declared = declared
        self._bound = bound

    @property
    def schema(self) -> MethodSchema:
        return schema_of(self._declared, self.name)

    async def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the method. Any: as the method declares."""
        if self.mark.in_thread:
            return await asyncio.to_thread(self._bound, *args, **kwargs)
        answer = self._bound(*args, **kwargs)
        return await answer if inspect.isawaitable(answer) else answer


class Registry:
    """All API methods by name. Two methods with one name, or one with an untyped parameter, raise TypeError."""

    def __init__(self, *owners: object) -> None:
        self._methods: dict[str, ApiMethod] = {}
        for owner in owners:
            self.add(owner)

    def add(self, owner: object) -> None:
        """Add the marked methods of an object."""
        for function, mark in marked_in(type(owner)):
            if mark.name in self._methods:
                raise TypeError(f"two API methods are called {mark.name}")
            check_declaration(function)
            self._methods[mark.name] = ApiMethod(function, function.__get__(owner), mark)

    def get(self, name: str) -> ApiMethod | None:
        return self._methods.get(name)

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._methods)

    def decides(self, name: str) -> bool:
        """Whether this method must run to its end."""
        method = self.get(name)
        return method is not None and method.mark.decides

    @property
    def local(self) -> CoreApi:
        """Return the methods for code inside the core's process, called directly, without encoding."""
        return cast("CoreApi", _Local(self))


class _Local:
    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        """Return a method. Any: the cast to `CoreApi` gives the types."""
        if (method := self._registry.get(name)) is None:
            raise AttributeError(f"there is no API method {name!r}")
        return method


def marked_in(owner: type) -> Iterator[tuple[Callable[..., Any], ApiMark]]:
    """Yield the marked methods of a class, inherited ones included, in order of declaration."""
    attributes: dict[str, Any] = {}
    for base in reversed(owner.__mro__):
        attributes.update(vars(base))
    for function in attributes.values():
        if inspect.isfunction(function) and (mark := mark_of(function)) is not None:
            yield function, mark


def check_declaration(function: Callable[..., Any]) -> None:
    """Check that every parameter and the result have a type, and that a method for threads is not async."""
    code = function.__code__
    given = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    if missing := [name for name in (*given, "return") if name not in function.__annotations__]:
        raise TypeError(f"{function.__qualname__} is an API method and gives no type for {', '.join(missing)}")
    mark = mark_of(function)
    if mark is not None and mark.in_thread and inspect.iscoroutinefunction(function):
        raise TypeError(f"{function.__qualname__} is async and cannot run in a thread")
