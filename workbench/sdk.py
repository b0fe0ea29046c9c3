"""Loads the mcp SDK without what nobody here asks of it: half a second and sixteen megabytes of each core.

WORKAROUND(importing any part of the SDK loads all of it, client and servers alike, and builds a validator for each of
five hundred models, mcp > 2.3). Its packages are begun empty, and loaded whole when somebody asks for a name of theirs;
validators are built when they are first used, which is pydantic's own `defer_build`, switched on for the while.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from threading import Lock
from types import ModuleType
from typing import Any, Final

_PACKAGES: Final = ("mcp", "mcp.server", "mcp.client")
_MODELS: Final = ("mcp.types", "mcp.types.methods", "mcp.types.jsonrpc")
_LOADING: Final = Lock()


class _Begun(ModuleType):
    """A package whose modules can be imported, and which has not run itself yet."""

    def __getattr__(self, name: str) -> Any:  # Any: whatever the package holds
        if name.startswith("__") or self.__spec__ is None or self.__spec__.loader is None:
            raise AttributeError(name)
        self.__class__ = ModuleType  # type: ignore[assignment]  # from here on it is a module like any other
        self.__spec__.loader.exec_module(self)
        return getattr(self, name)


def load_sdk() -> None:
    """Call it before anything of the SDK is imported, and on a thread: it takes a while all the same."""
    with _LOADING:
        if "mcp" in sys.modules:
            return
        path: Any = None  # as in `sys.path`
        for name in _PACKAGES:
            if (spec := PathFinder.find_spec(name, path)) is None:
                return  # whoever imports it is told
            package = module_from_spec(spec)
            package.__class__ = _Begun
            sys.modules[name] = package
            path = path or package.__path__
        with _deferred():
            for name in _MODELS:
                importlib.import_module(name)


@contextmanager
def _deferred() -> Iterator[None]:
    """What pydantic makes meanwhile builds no validator before it is used."""
    import pydantic

    defaults = _defaults()
    adapter: Any = pydantic.TypeAdapter  # Any: its constructor is replaced
    before, make = defaults.get("defer_build", False), adapter.__init__

    def later(self: Any, kind: Any, *, config: Any = None, _parent_depth: int = 2, module: str | None = None) -> None:
        plain = isinstance(kind, type) and issubclass(kind, pydantic.BaseModel)
        wish = {"defer_build": True} if config is None and not plain else config
        make(self, kind, config=wish, _parent_depth=_parent_depth + 1, module=module)

    defaults["defer_build"], adapter.__init__ = True, later
    try:
        yield
    finally:
        defaults["defer_build"], adapter.__init__ = before, make


def _defaults() -> dict[str, Any]:
    """Any: whatever can be configured. Nothing where pydantic keeps them elsewhere: all is built at once then."""
    try:
        found: dict[str, Any] = importlib.import_module("pydantic._internal._config").config_defaults
    except (ImportError, AttributeError):
        return {}
    return found
