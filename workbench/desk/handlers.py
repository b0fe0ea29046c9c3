"""Every request handler of a core, for its API registry."""

from __future__ import annotations

from workbench.api.registry import Registry
from workbench.desk.asks import AsksDesk
from workbench.desk.clients import ClientsDesk
from workbench.desk.doctor import DoctorDesk
from workbench.desk.files import FilesDesk
from workbench.desk.finding import FindingDesk
from workbench.desk.hints import HintsDesk
from workbench.desk.house import HouseDesk
from workbench.desk.marks import MarksDesk
from workbench.desk.memory import MemoryDesk
from workbench.desk.network import NetworkDesk
from workbench.desk.offers import OffersDesk
from workbench.desk.past import PastDesk
from workbench.desk.pauses import PausesDesk
from workbench.desk.permissions import PermissionsDesk
from workbench.desk.privacy import PrivacyDesk
from workbench.desk.registry import RegistryDesk
from workbench.desk.rehearsals import RehearsalsDesk
from workbench.desk.roots import RootsDesk
from workbench.desk.runs import RunsDesk
from workbench.desk.saved import SavedDesk
from workbench.desk.seat import House
from workbench.desk.secrets import SecretsDesk
from workbench.desk.servers import ServersDesk
from workbench.desk.sign_in import SignInDesk
from workbench.desk.skill_tests import SkillTestsDesk
from workbench.desk.skills import SkillsDesk
from workbench.desk.states import StatesDesk
from workbench.desk.tasks import TasksDesk
from workbench.desk.terminal import TerminalDesk
from workbench.desk.thrift import ThriftDesk
from workbench.desk.watch import WatchDesk

_HANDLERS = (
    AsksDesk, ClientsDesk, DoctorDesk, FilesDesk, FindingDesk, HintsDesk, HouseDesk, MarksDesk, MemoryDesk,
    NetworkDesk, OffersDesk, PastDesk, PausesDesk, PermissionsDesk, PrivacyDesk, RegistryDesk, RehearsalsDesk,
    RootsDesk, RunsDesk, SecretsDesk, SignInDesk, SkillTestsDesk, SkillsDesk, StatesDesk, TasksDesk, TerminalDesk,
    ThriftDesk, WatchDesk,
)  # fmt: skip


def api_methods(house: House) -> Registry:
    """The registry of a core's API."""
    services, run_manager, servers = house.services, house.run_manager, ServersDesk(house)
    answering_themselves = (
        services.catalog,
        services.catalog.asks,
        services.catalog.offered,
        services.history,
        services.network,
        services.bounds,
        services.finder,
        services.store,
        services.library.lessons,
        services.sandbox,
        run_manager,
        run_manager.pauses,
        run_manager.states,
        house.hints,
        house.entrance,
    )
    return Registry(
        *answering_themselves, servers, SavedDesk(house, servers), *(handler(house) for handler in _HANDLERS)
    )
