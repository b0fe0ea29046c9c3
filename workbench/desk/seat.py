"""What every part of the desk works with: the rooms, and a way to tell the audit what a person did."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from workbench.agent.entrance import Entrance
from workbench.catalog.catalog import Catalog
from workbench.catalog.launch import fingerprint
from workbench.hints.hints import Hints
from workbench.quick_records import dataclass
from workbench.records import Fault, JsonValue, Note
from workbench.runs.askings import Askings
from workbench.runs.broker import Broker
from workbench.runs.conveyor import Conveyor
from workbench.runs.rooms import Rooms
from workbench.settings import Settings, adds_up, change, read, write

BY = "you"  # who decides at this desk; one person per core


@dataclass(frozen=True, slots=True)
class House:
    """The rooms, and what only the core itself can do."""

    rooms: Rooms
    broker: Broker
    askings: Askings
    conveyor: Conveyor
    entrance: Entrance
    hints: Hints
    notices: Callable[[], tuple[Fault, ...]]
    set_settings: Callable[[Settings], None]
    shut_down: Callable[[], None]
    start_example: Callable[[], Awaitable[None]]


class Seat:
    """The base of the desk's parts."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._rooms = house.rooms

    @property
    def _catalog(self) -> Catalog:
        return self._rooms.catalog

    def _entry(self, server: str) -> str:
        """The fingerprint of its entry, which trust is about."""
        return fingerprint(self._catalog.server(server).state.config)

    def _carry_trust(self, server: str, before: str) -> None:
        """A person changed the entry themselves: what they trust in it stays."""
        self._rooms.rules.carry(server, before)
        self._catalog.weigh_again(server)

    def _change_setting(self, name: str, value: JsonValue) -> Settings:
        """Write it into the person's file, and let it count at once; the audit is told."""
        changed = change(self._rooms.settings(), name, value)
        paths = self._rooms.paths
        write(paths.person_settings, name, value)
        if adds_up(name):
            together = read(paths.bench_settings, paths.person_settings).settings
            changed = change(changed, name, getattr(together, name.replace(".", "_", 1)))
        self._house.set_settings(changed)
        self._note("setting.changed", f"{name} is {value!r} now")
        return changed

    def _note(
        self, kind: str, summary: str, *, server: str = "", run_id: str = "", session: str = "person", risk: str = ""
    ) -> None:
        masked = self._rooms.sessions.person.mask(summary)
        self._rooms.journal.append(
            Note(kind=kind, summary=masked, actor=BY, server=server, run_id=run_id, session=session, risk=risk)
        )
