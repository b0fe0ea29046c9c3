"""Creates the request handlers of a core and registers every API method."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from workbench.agent.connected_agents import ConnectedAgents
from workbench.api.registry import Registry
from workbench.api_handlers.audit import AuditHandler
from workbench.api_handlers.calls import CallHandler, CallHistoryHandler, SavedCallsHandler
from workbench.api_handlers.client_configs import ClientConfigHandler
from workbench.api_handlers.diagnosis import DiagnosisHandler
from workbench.api_handlers.permissions import NetworkHandler, PermissionsHandler, SettingsHandler
from workbench.api_handlers.privacy import PrivacyHandler, PrivacyRulesHandler
from workbench.api_handlers.runs import RunHandler
from workbench.api_handlers.search import SearchHandler
from workbench.api_handlers.secrets import SecretsHandler, TerminalPinHandler
from workbench.api_handlers.server_features import ElicitationHandler, ResourceHandler, ServerTaskHandler
from workbench.api_handlers.server_messages import ServerMessageHandler
from workbench.api_handlers.servers import ServerEntryHandler, ServerHandler, SignInHandler
from workbench.api_handlers.skill_tests import SkillTestHandler
from workbench.api_handlers.skills import SkillHandler
from workbench.api_handlers.token_report import TokenReportHandler
from workbench.api_handlers.workspace_files import WorkspaceHandler
from workbench.broker.broker import Broker
from workbench.broker.elicitation_audit import ElicitationAudit
from workbench.broker.services import Services
from workbench.notifications.notifier import Notifier
from workbench.recordings.live_checks import LiveChecks
from workbench.records import Fault
from workbench.runs.run_manager import RunManager


def api_methods(
    services: Services,
    broker: Broker,
    elicitations: ElicitationAudit,
    run_manager: RunManager,
    agents: ConnectedAgents,
    notices: Callable[[], Sequence[Fault]],
    notifier: Notifier,
    owners: Iterable[object],
) -> Registry:
    """Return the registry of a core's API: objects that implement methods themselves, including `owners`, and
    request handlers for methods that combine several packages or are audited."""
    calls, settings = CallHandler(services, broker), SettingsHandler(services, notices)
    checks = LiveChecks(services.catalog, calls.call)
    return Registry(
        *owners,
        services.catalog,
        services.catalog.asks,
        services.catalog.offered,
        services.history,
        services.network,
        services.run_profiles,
        services.audit_search,
        services.workspace_files,
        services.library.usage,
        services.sandbox,
        run_manager,
        run_manager.held_calls,
        run_manager.states,
        agents,
        notifier,
        calls,
        settings,
        AuditHandler(services),
        CallHistoryHandler(services),
        ClientConfigHandler(services),
        DiagnosisHandler(services, notices, notifier.checks),
        ElicitationHandler(services, elicitations, run_manager),
        NetworkHandler(services),
        PermissionsHandler(services, run_manager),
        PrivacyHandler(services, agents.agents),
        PrivacyRulesHandler(services, settings),
        ResourceHandler(services),
        RunHandler(services, run_manager),
        SavedCallsHandler(services, checks),
        SearchHandler(services),
        SecretsHandler(services),
        ServerEntryHandler(services),
        ServerHandler(services),
        ServerMessageHandler(services, broker),
        ServerTaskHandler(services),
        SignInHandler(services),
        SkillHandler(services, run_manager),
        SkillTestHandler(services, run_manager, checks),
        TerminalPinHandler(services),
        TokenReportHandler(services),
        WorkspaceHandler(services, run_manager),
    )
