"""Creates the request handlers of a core and registers every API method."""

from __future__ import annotations

from workbench.api.registry import Registry
from workbench.api_handlers.audit import AuditHandler
from workbench.api_handlers.calls import CallHistoryHandler, SavedCallsHandler
from workbench.api_handlers.client_configs import ClientConfigHandler
from workbench.api_handlers.core_status import CoreHandler
from workbench.api_handlers.diagnosis import DiagnosisHandler
from workbench.api_handlers.elicitation import ElicitationHandler
from workbench.api_handlers.network import NetworkHandler
from workbench.api_handlers.permissions import PermissionsHandler
from workbench.api_handlers.privacy import PrivacyHandler, PrivacyRulesHandler
from workbench.api_handlers.request_handler import HandlerContext
from workbench.api_handlers.resources_and_prompts import ResourceHandler
from workbench.api_handlers.runs import (
    CodeCheckHandler,
    DryRunHandler,
    HeldCallsHandler,
    ReplSessionHandler,
    RunHandler,
)
from workbench.api_handlers.search import SearchHandler
from workbench.api_handlers.secrets import SecretsHandler
from workbench.api_handlers.server_entries import ServerEntryHandler, ServerRootsHandler
from workbench.api_handlers.server_messages import ServerMessageHandler
from workbench.api_handlers.server_tasks import ServerTaskHandler
from workbench.api_handlers.servers import ServerHandler
from workbench.api_handlers.sign_in import SignInHandler
from workbench.api_handlers.skill_tests import SkillTestHandler
from workbench.api_handlers.skills import SkillHandler
from workbench.api_handlers.terminal_pin import TerminalPinHandler
from workbench.api_handlers.token_report import TokenReportHandler
from workbench.api_handlers.workspace_files import WorkspaceHandler

_HANDLERS = (
    AuditHandler,
    CallHistoryHandler,
    ClientConfigHandler,
    CodeCheckHandler,
    CoreHandler,
    DiagnosisHandler,
    DryRunHandler,
    ElicitationHandler,
    HeldCallsHandler,
    NetworkHandler,
    PermissionsHandler,
    PrivacyHandler,
    PrivacyRulesHandler,
    ReplSessionHandler,
    ResourceHandler,
    RunHandler,
    SearchHandler,
    SecretsHandler,
    ServerEntryHandler,
    ServerMessageHandler,
    ServerRootsHandler,
    ServerTaskHandler,
    SignInHandler,
    SkillHandler,
    SkillTestHandler,
    TerminalPinHandler,
    TokenReportHandler,
    WorkspaceHandler,
)


def api_methods(context: HandlerContext) -> Registry:
    """The registry of a core's API: services that answer themselves, and handlers for what combines several."""
    services, run_manager = context.services, context.run_manager
    calls = ServerHandler(context)
    return Registry(
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
        context.hints,
        context.entrance,
        calls,
        SavedCallsHandler(context, calls),
        *(handler(context) for handler in _HANDLERS),
    )
