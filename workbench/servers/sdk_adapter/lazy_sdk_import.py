"""Imports parts of the mcp SDK without the whole of it: 150 ms of CPU and 17 MB less in a core that starts a server.
Postpones the validators of its models until they are first used: 45 ms (7 % of an agent's cold start) and 2.3 MB less.

WORKAROUND(importing any module of the SDK runs `mcp/__init__.py`, which imports client, servers and web stack alike;
until a release has https://github.com/modelcontextprotocol/python-sdk/pull/3242). The SDK's packages are put into
`sys.modules` without running them; a package runs when a name that it exports is first requested. Measured with mcp
2.3.0: core and first server 430 against 580 ms and 65 against 82 MB; with an agent 480 against 580 ms.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from threading import Lock
from types import ModuleType
from typing import Any, Final

_PACKAGES: Final = ("mcp", "mcp.server", "mcp.client")
_MODELS: Final = ("mcp.types", "mcp.types.methods", "mcp.types.jsonrpc")
_LOADING: Final = Lock()


class _DeferredPackage(ModuleType):
    """A package whose modules can be imported although its `__init__.py` has not run yet."""

    def __getattr__(self, name: str) -> Any:  # Any: whatever the package exports
        if name.startswith("__") or self.__spec__ is None or self.__spec__.loader is None:
            raise AttributeError(name)
        self.__class__ = ModuleType  # type: ignore[assignment]  # from here on it is a module like any other
        self.__spec__.loader.exec_module(self)
        return getattr(self, name)


def load_sdk() -> None:
    """Prepare the deferred packages. Call it on a thread before any import of the SDK, because it is still slow."""
    with _LOADING:
        if "mcp" in sys.modules:
            return
        path: Any = None  # as in `sys.path`
        for name in _PACKAGES:
            if (spec := PathFinder.find_spec(name, path)) is None:
                return  # a later import of the SDK raises ImportError
            package = module_from_spec(spec)
            package.__class__ = _DeferredPackage
            sys.modules[name] = package
            path = path or package.__path__
        with _validators_at_first_use(), suppress(ImportError):  # an import of the SDK itself reports what is missing
            for name in _MODELS:
                importlib.import_module(name)


@contextmanager
def _validators_at_first_use() -> Iterator[None]:
    """Models that are defined meanwhile inherit pydantic's option `defer_build`. Before 2.14, two threads that use a
    model first at the same time could fail, so validators are built at once there."""
    from pydantic import VERSION, BaseModel, ConfigDict

    if tuple(map(int, VERSION.split(".")[:2])) < (2, 14):
        yield
        return
    before = BaseModel.model_config
    BaseModel.model_config = ConfigDict(**before, defer_build=True)
    try:
        yield
    finally:
        BaseModel.model_config = before
