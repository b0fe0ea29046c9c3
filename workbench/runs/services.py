"""The services of a core that runs, API and agents use, as one record that core.py composes."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from workbench.audit.audit_search import Finder
from workbench.audit.journal import Journal
from workbench.broker.agent_sessions import Sessions
from workbench.calls.call_history import History
from workbench.events import Event
from workbench.network.network_access import Network
from workbench.paths import Paths
from workbench.permissions.personal_data_marks import PersonalDataMarks
from workbench.permissions.rules import Rules
from workbench.permissions.run_profiles import RunProfiles
from workbench.runs.vault_persistence import VaultPersistence
from workbench.sandbox.sandbox import Sandbox
from workbench.secrets.project_secrets import Secrets
from workbench.servers.oauth.sign_in_service import SignIns
from workbench.servers.server_catalog import ServerCatalog
from workbench.settings import Settings
from workbench.skills.library import Library
from workbench.workspace.answer_cache import Cache
from workbench.workspace.held_files import HeldFiles
from workbench.workspace.snapshots import Snapshots
from workbench.workspace.workspace_files import Store


class Services(Struct, frozen=True):
    """Everything that runs and the broker work with."""

    paths: Paths
    catalog: ServerCatalog
    sandbox: Sandbox
    library: Library
    store: Store
    journal: Journal
    sessions: Sessions
    secrets: Secrets
    sign_ins: SignIns
    tell: Callable[[Event], None]
    settings: Callable[[], Settings]  # asked each time, so that a changed setting counts at once
    history: History
    network: Network
    rules: Rules
    bounds: RunProfiles
    personal: PersonalDataMarks
    finder: Finder
    snapshots: Snapshots
    cache: Cache
    keeping: VaultPersistence
    held: HeldFiles
