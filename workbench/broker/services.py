"""The services of one core as one record, which `core.py` composes."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from workbench.audit.audit_search import AuditSearch
from workbench.audit.journal import Journal
from workbench.broker.agent_sessions import Sessions
from workbench.broker.vault_persistence import VaultPersistence
from workbench.calls.call_history import History
from workbench.events import Event
from workbench.network.network_access import Network
from workbench.paths import Paths
from workbench.permissions.personal_data_marks import PersonalDataMarks
from workbench.permissions.rules import Rules
from workbench.permissions.run_profiles import RunProfiles
from workbench.sandbox.sandbox import Sandbox
from workbench.secrets.project_secrets import Secrets
from workbench.servers.oauth.sign_in_service import SignIns
from workbench.servers.server_catalog import ServerCatalog
from workbench.settings.current_settings import CurrentSettings
from workbench.skills.library import Library
from workbench.workspace.answer_cache import AnswerCache
from workbench.workspace.held_files import HeldFiles
from workbench.workspace.snapshots import Snapshots
from workbench.workspace.workspace_files import WorkspaceFiles


class Services(Struct, frozen=True, kw_only=True):
    """One object per concern of a project; none of them refers to this record."""

    paths: Paths
    settings: CurrentSettings  # called at each use, so that a changed setting applies at once
    tell: Callable[[Event], None]
    journal: Journal
    audit_search: AuditSearch
    sessions: Sessions
    vault_persistence: VaultPersistence
    privacy_marks: PersonalDataMarks
    secrets: Secrets
    rules: Rules
    run_profiles: RunProfiles
    catalog: ServerCatalog
    sign_ins: SignIns
    history: History
    answer_cache: AnswerCache
    network: Network
    sandbox: Sandbox
    library: Library
    workspace_files: WorkspaceFiles
    snapshots: Snapshots
    held_files: HeldFiles
