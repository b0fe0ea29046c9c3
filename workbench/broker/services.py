"""What the broker package works with. The shared objects of a core (`runs/services.py`) have all of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from workbench.audit.journal import Journal
from workbench.broker.agent_sessions import Sessions
from workbench.calls.call_history import History
from workbench.events import Event
from workbench.permissions.rules import Rules
from workbench.servers.server_catalog import ServerCatalog
from workbench.settings import Settings
from workbench.workspace.answer_cache import Cache


class BrokerServices(Protocol):
    """The shared objects of one core that calls need."""

    @property
    def catalog(self) -> ServerCatalog: ...

    @property
    def journal(self) -> Journal: ...

    @property
    def sessions(self) -> Sessions: ...

    @property
    def history(self) -> History: ...

    @property
    def rules(self) -> Rules: ...

    @property
    def cache(self) -> Cache: ...

    @property
    def tell(self) -> Callable[[Event], None]: ...

    @property
    def settings(self) -> Callable[[], Settings]: ...
