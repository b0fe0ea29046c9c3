"""Everything a person's door may ask the core, as one typed list.

The window and the command line call these methods on a remote `Questions`; the core answers with the same names.
One list serves both sides, so a question cannot drift from its answer.
"""

from __future__ import annotations

from typing import Protocol

from workbench.wire.topics.asks import AskQuestions
from workbench.wire.topics.clients import ClientQuestions
from workbench.wire.topics.doctor import DoctorQuestions
from workbench.wire.topics.files import FileQuestions
from workbench.wire.topics.finding import FindingQuestions
from workbench.wire.topics.hints import HintQuestions
from workbench.wire.topics.house import HouseQuestions
from workbench.wire.topics.memory import MemoryQuestions
from workbench.wire.topics.network import NetworkQuestions
from workbench.wire.topics.offers import OfferQuestions
from workbench.wire.topics.past import PastQuestions
from workbench.wire.topics.pauses import PauseQuestions
from workbench.wire.topics.permissions import PermissionQuestions
from workbench.wire.topics.privacy import PrivacyQuestions
from workbench.wire.topics.registry import RegistryQuestions
from workbench.wire.topics.rehearsals import RehearsalQuestions
from workbench.wire.topics.roots import RootQuestions
from workbench.wire.topics.runs import RunQuestions
from workbench.wire.topics.saved import SavedQuestions
from workbench.wire.topics.secrets import SecretQuestions
from workbench.wire.topics.servers import ServerQuestions
from workbench.wire.topics.sign_in import SignInQuestions
from workbench.wire.topics.skill_tests import SkillTestQuestions
from workbench.wire.topics.skills import SkillQuestions
from workbench.wire.topics.states import StateQuestions
from workbench.wire.topics.tasks import TaskQuestions
from workbench.wire.topics.terminal import TerminalQuestions
from workbench.wire.topics.thrift import ThriftQuestions
from workbench.wire.topics.watch import WatchQuestions


class Questions(
    HouseQuestions,
    ServerQuestions,
    DoctorQuestions,
    ClientQuestions,
    RegistryQuestions,
    RunQuestions,
    SkillQuestions,
    SkillTestQuestions,
    MemoryQuestions,
    FileQuestions,
    PastQuestions,
    SavedQuestions,
    WatchQuestions,
    SecretQuestions,
    SignInQuestions,
    AskQuestions,
    RootQuestions,
    OfferQuestions,
    TaskQuestions,
    NetworkQuestions,
    PermissionQuestions,
    StateQuestions,
    ThriftQuestions,
    FindingQuestions,
    PauseQuestions,
    RehearsalQuestions,
    PrivacyQuestions,
    HintQuestions,
    TerminalQuestions,
    Protocol,
):
    """The person's vocabulary. Each answer is a record, a text, or nothing; a fault arrives as WorkbenchError."""


CONSENTS = frozenset(
    {
        "decide",
        "edit",
        "answer_pause",
        "answer_ask",
        "run_plan",
        "decide_files",
        "keep_skill",
        "approve_definitions",
        "set_permission",
        "revoke_permission",
        "restore_permission",
        "renew_permissions",
        "trust_server",
        "set_bits",
        "accept_profile",
        "accept_host",
        "add_host",
        "change_setting",
        "unmark_privacy",
        "set_privacy_kind",
        "may_answer",
        "unlock",
        "set_pin",
        "clear_pin",
    }
)  # questions by which the user agrees to something: refused to processes that an agent's client started


DECISIVE = frozenset(
    {
        "shut_down",
        "open_agent_door",
        "close_agent_door",
        "change_setting",
        "disconnect",
        "add_server",
        "remove_server",
        "import_servers",
        "edit_server",
        "duplicate_server",
        "switch_server",
        "move_server",
        "restore_server",
        "export_servers",
        "undo_export",
        "reload_servers",
        "cancel_call",
        "submit",
        "decide",
        "answer_ask",
        "answer_pause",
        "rehearse",
        "rehearse_waiting",
        "run_plan",
        "set_roots",
        "edit",
        "stop_run",
        "end_state",
        "start_example_agent",
        "draft_skill",
        "new_skill",
        "connect",
        "bring_sign_in",
        "check_drift",
        "keep_skill",
        "retire_skill",
        "bring_back_skill",
        "rename_skill",
        "tag_skill",
        "run_skill",
        "import_skill",
        "export_skill",
        "record_cassette",
        "accept_cassette",
        "remove_cassette",
        "dismiss_hint",
        "forget",
        "save_call",
        "remove_saved",
        "restore_saved",
        "clear_history",
        "subscribe_resource",
        "set_log_level",
        "cancel_task",
        "send_raw",
        "approve_definitions",
        "see_changes",
        "put_secret",
        "sign_in",
        "cancel_sign_in",
        "sign_out",
        "drop_secret",
        "move_secrets",
        "unlock_secrets",
        "open_secrets",
        "add_host",
        "remove_host",
        "accept_host",
        "withdraw_host",
        "set_permission",
        "revoke_permission",
        "restore_permission",
        "trust_server",
        "set_bits",
        "renew_permissions",
        "accept_profile",
        "withdraw_profile",
        "forget_values",
        "write_file",
        "make_folder",
        "rename_file",
        "remove_files",
        "bring_files",
        "take_file",
        "undo_files",
        "decide_files",
        "forget_changes",
        "clear_cache",
        "mark_privacy",
        "unmark_privacy",
        "set_privacy_kind",
        "set_pin",
        "clear_pin",
    }
)  # questions that run to their end even when the door that asked is gone: a decision is never half made
