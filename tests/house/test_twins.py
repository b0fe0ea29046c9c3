"""Each source file has its twin test, so that whoever changes a file knows where its behaviour is written down.

A file that is only a part of something else has no behaviour of its own; the table says which test walks through it.
"""

from __future__ import annotations

from pathlib import Path

# Parts without a twin of their own → the test that exercises them, and therefore fails when they are wrong.
ELSEWHERE = {
    "workspace/beneath.py": "tests/workspace/test_confined.py",
    "runs/replay.py": "tests/desk/test_skill_tests.py",
    "runs/recording.py": "tests/desk/test_skill_tests.py",
    "runs/drift.py": "tests/desk/test_skill_tests.py",
    "runs/learning_skills.py": "tests/desk/test_skill_tests.py",
    "workspace/walk.py": "tests/workspace/test_snapshots.py",
    "workspace/book.py": "tests/workspace/test_snapshots.py",
    "workspace/contents.py": "tests/workspace/test_snapshots.py",
    "workspace/telling.py": "tests/desk/test_files.py",
    "workspace/carrying.py": "tests/desk/test_files.py",
    "wire/topics/files.py": "tests/wire/test_questions.py",
    "runs/arrivals.py": "tests/desk/test_skills.py",
    "desk/values.py": "tests/desk/test_privacy_desk.py",
    "desk/privacy.py": "tests/desk/test_privacy_desk.py",
    "wire/topics/privacy.py": "tests/wire/test_questions.py",
    "desk/marks.py": "tests/desk/test_privacy_desk.py",
    "gui/privacy/*.py": "tests/gui/privacy/test_privacy_pane.py",
    "gui/privacy_actions.py": "tests/gui/test_actions.py",
    "gui/models/privacy.py": "tests/gui/privacy/test_privacy_pane.py",
    "gui/results/model_page.py": "tests/gui/privacy/test_chips.py",
    "gui/queue_strip.py": "tests/gui/asks/test_dialogs.py",
    "gui/waiting_banner.py": "tests/gui/asks/test_dialogs.py",
    "gui/folding_row.py": "tests/gui/dialogs/test_approval.py",
    "gui/dialogs/name_to_type.py": "tests/gui/dialogs/test_approval.py",
    "privacy/held.py": "tests/privacy/test_vault.py",
    "privacy/values.py": "tests/privacy/test_vault.py",
    "privacy/learning.py": "tests/privacy/test_vault.py",
    "privacy/hiding.py": "tests/privacy/test_vault.py",
    "privacy/giving.py": "tests/privacy/test_vault.py",
    "privacy/remembered.py": "tests/privacy/test_vault.py",
    "privacy/custom.py": "tests/privacy/test_rules.py",
    "privacy/things.py": "tests/privacy/test_likely.py",
    "privacy/markup_tables.py": "tests/privacy/test_tables.py",
    "gui/dialogs/plan_*.py": "tests/gui/dialogs/test_plan.py",
    "gui/dialogs/plans.py": "tests/gui/dialogs/test_plan.py",
    "gui/dialogs/approvals.py": "tests/gui/dialogs/test_plan.py",
    "gui/run_actions.py": "tests/gui/test_actions.py",
    "wire/topics/rehearsals.py": "tests/wire/test_questions.py",
    "gui/server/trust.py": "tests/gui/server/test_trust_page.py",
    "gui/trust/*.py": "tests/gui/trust/test_tool_page.py",
    "demo/outside.py": "tests/demo/test_mailbox.py",
    "gui/docks/deeds.py": "tests/gui/models/test_observed_model.py",
    "gui/models/observed.py": "tests/gui/models/test_observed_model.py",
    "gui/pauses/strip.py": "tests/gui/pauses/test_dialog.py",
    "gui/pauses/evidence.py": "tests/gui/pauses/test_dialog.py",
    "gui/pauses/dialogs.py": "tests/gui/pauses/test_dialog.py",
    "permissions/yes.py": "tests/permissions/test_bounds.py",
    "catalog/missing.py": "tests/catalog/test_catalog.py",
    "gui/docks/call_m*.py": "tests/gui/docks/test_calls_pane.py",
    "gui/docks/calls*.py": "tests/gui/docks/test_calls_pane.py",
    "gui/dialogs/save_call.py": "tests/gui/docks/test_calls_pane.py",
    "gui/dialogs/difference.py": "tests/gui/docks/test_calls_pane.py",
    "gui/models/past.py": "tests/gui/docks/test_calls_pane.py",
    "gui/models/saved.py": "tests/gui/docks/test_calls_pane.py",
    "gui/dialogs/scope_button.py": "tests/gui/dialogs/test_approval_reach.py",
    "gui/dialogs/likeness_strip.py": "tests/gui/dialogs/test_approval_reach.py",
    "gui/dialogs/edit_check.py": "tests/gui/dialogs/test_approval_reach.py",
    "gui/models/permissions.py": "tests/gui/dialogs/test_permissions.py",
    "gui/tool_deeds.py": "tests/gui/test_window.py",
    "gui/openings.py": "tests/gui/test_window.py",
    "gui/pane_round.py": "tests/gui/test_window.py",
    "gui/models/network.py": "tests/gui/dialogs/test_network.py",
    "demo/asking.py": "tests/demo/test_visits.py",
    "gui/server/roots.py": "tests/gui/server/test_roots_page.py",
    "cli/checked.py": "tests/cli/test_check.py",
    "gui/asks/*_body.py": "tests/gui/asks/test_dialog.py",
    "gui/asks/body.py": "tests/gui/asks/test_dialog.py",
    "gui/asks/*.py": "tests/gui/asks/test_dialogs.py",
    "history/*.py": "tests/history/test_history.py",
    "gui/dialogs/targets.py": "tests/gui/dialogs/test_palette.py",
    "gui/models/finds.py": "tests/gui/dialogs/test_palette.py",
    "gui/docks/tool_companions.py": "tests/gui/docks/test_tool_detail.py",
    "catalog/items.py": "tests/catalog/test_everywhere.py",
    "catalog/reasons.py": "tests/catalog/test_everywhere.py",
    "catalog/reader.py": "tests/catalog/test_meant.py",
    "catalog/semantic/protobuf.py": "tests/catalog/semantic/test_small_model.py",
    "catalog/semantic/onnx_file.py": "tests/catalog/semantic/test_small_model.py",
    "catalog/semantic/weights.py": "tests/catalog/semantic/test_small_model.py",
    "catalog/semantic/model.py": "tests/catalog/semantic/test_building.py",
    "catalog/semantic/source.py": "tests/catalog/semantic/test_building.py",
    "catalog/semantic/workshop.py": "tests/cli/test_search.py",
    "catalog/attendant.py": "tests/catalog/test_calling.py",
    "asks/open_ask.py": "tests/asks/test_asks.py",
    "asks/refusal.py": "tests/asks/test_reading.py",
    "cli/examples.py": "tests/cli/test_main.py",
    "cli/skills.py": "tests/cli/test_run.py",
    "cli/running.py": "tests/cli/test_run.py",
    "cli/yes.py": "tests/cli/test_run.py",
    "wire/agent_titles.py": "tests/cli/test_connect.py",
    "wire/following.py": "tests/cli/test_run.py",
    "wire/task_stats.py": "tests/test_orchestrator.py",
    "cli/program.py": "tests/cli/test_rehearse.py",
    "cli/options.py": "tests/cli/test_main.py",
    "cli/codes.py": "tests/cli/test_main.py",
    "cli/answer.py": "tests/cli/test_call.py",
    "cli/ask.py": "tests/cli/test_call.py",
    "sandbox/baggage.py": "tests/sandbox/carrying/test_courier.py",
    "sandbox/carrying/lading.py": "tests/sandbox/carrying/test_cargo.py",
    "sandbox/carrying/far_end.py": "tests/sandbox/carrying/test_courier.py",
    "sandbox/vm/first_root.py": "tests/sandbox/vm/test_contents.py",
    "sandbox/vm/*.py": "tests/sandbox/vm/test_machines.py",
    "sandbox/workshop.py": "tests/cli/test_sandbox.py",
    "sandbox/builder.py": "tests/cli/test_sandbox.py",
    "sandbox/answers.py": "tests/sandbox/test_channel.py",
    "sandbox/look_around.py": "tests/sandbox/test_probe.py",
    "sandbox/engines.py": "tests/sandbox/test_levels.py",
    "sandbox/builders.py": "tests/sandbox/container/test_building.py",
    "sandbox/maker.py": "tests/sandbox/test_levels.py",
    "runs/state.py": "tests/runs/test_states.py",
    "runs/seal.py": "tests/runs/test_approvals.py",
    "sandbox/launchers.py": "tests/sandbox/test_packages.py",
    "sandbox/usage.py": "tests/sandbox/test_kept.py",
    "sandbox/watching.py": "tests/sandbox/test_kept.py",
    "policy/special.py": "tests/policy/test_specials.py",
    "policy/file_calls.py": "tests/policy/test_specials.py",
    "policy/value_calls.py": "tests/policy/test_specials.py",
    "policy/client_calls.py": "tests/policy/test_specials.py",
    "records/*.py": "tests/records/test_records.py",
    "catalog/http_client.py": "tests/catalog/test_http_transport.py",
    "catalog/http_line.py": "tests/catalog/test_http_transport.py",
    "catalog/mirrors.py": "tests/catalog/test_http_transport.py",
    "catalog/surroundings.py": "tests/catalog/test_server.py",
    "catalog/own_tools.py": "tests/catalog/test_pins.py",
    "catalog/tool_list.py": "tests/catalog/test_faults.py",
    "catalog/streams.py": "tests/catalog/test_transport.py",
    "catalog/sending.py": "tests/desk/test_watch.py",
    "catalog/vitals.py": "tests/desk/test_watch.py",
    "catalog/clients/*.py": "tests/catalog/clients/test_exporting.py",
    "desk/house_checks.py": "tests/desk/test_doctor.py",
    "catalog/offering.py": "tests/catalog/test_offered.py",
    "catalog/subscriptions.py": "tests/catalog/test_offered.py",
    "desk/*.py": "tests/desk/test_desk.py",
    "catalog/oauth/*.py": "tests/catalog/oauth/test_sign_ins.py",
    "catalog/doctor/*.py": "tests/catalog/doctor/test_diagnosis.py",
    "gui/*.py": "tests/gui/test_window.py",
    "gui/dialogs/a*.py": "tests/gui/dialogs/test_approval.py",
    "gui/dialogs/effects_view.py": "tests/gui/dialogs/test_approval.py",
    "gui/dialogs/host_ticks.py": "tests/gui/dialogs/test_approval.py",
    "gui/dialogs/program_view.py": "tests/gui/dialogs/test_approval.py",
    "gui/models/states.py": "tests/gui/dialogs/test_states.py",
    "gui/dialogs/*.py": "tests/gui/screens/test_screens.py",
    "gui/models/all_servers.py": "tests/gui/models/test_all_servers_model.py",
    "gui/server/tasks.py": "tests/gui/server/test_tasks_page.py",
    "gui/server/chips.py": "tests/gui/server/test_overview.py",
    "gui/server/servers_table.py": "tests/gui/server/test_all_servers.py",
    "gui/docks/audit.py": "tests/gui/docks/test_audit_pane.py",
    "audit/executions.py": "tests/audit/test_figures.py",
    "audit/report*.py": "tests/audit/test_figures.py",
    "audit/spans.py": "tests/audit/test_telemetry.py",
    "gui/audit/*.py": "tests/gui/docks/test_audit_pane.py",
    "gui/docks/entry_card.py": "tests/gui/docks/test_audit_pane.py",
    "gui/docks/run*.py": "tests/gui/docks/test_runs_pane.py",
    "gui/docks/stream_view.py": "tests/gui/docks/test_output.py",
    "gui/docks/found_strip.py": "tests/gui/dialogs/test_import_servers.py",
    "gui/docks/server*.py": "tests/gui/docks/test_servers_pane.py",
    "gui/docks/skills.py": "tests/gui/docks/test_skills_pane.py",
    "gui/docks/*.py": "tests/gui/docks/test_tool_detail.py",
    "gui/editor/*.py": "tests/gui/editor/test_pane.py",
    "gui/forms/*.py": "tests/gui/forms/test_form.py",
    "gui/server/doctor.py": "tests/gui/server/test_doctor_page.py",
    "gui/server/*.py": "tests/gui/server/test_server_pane.py",
    "gui/results/search.py": "tests/gui/results/test_contents.py",
    "gui/results/*.py": "tests/gui/results/test_pages.py",
    "gui/models/audit.py": "tests/gui/models/test_audit_model.py",
    "gui/models/runs.py": "tests/gui/models/test_run_rows.py",
    "gui/models/s*.py": "tests/gui/models/test_servers_model.py",
    "network/*.py": "tests/network/test_connections.py",
    "runs/rooms.py": "tests/runs/test_conveyor.py",
    "sandbox/handing.py": "tests/sandbox/test_outside.py",
    "sandbox/*.py": "tests/sandbox/test_sandbox.py",
    "sandbox/inside/*.py": "tests/sandbox/test_content.py",
    "agent/answer.py": "tests/agent/test_files.py",
    "agent/entrance.py": "tests/agent/http/test_server.py",
    "agent/token.py": "tests/agent/http/test_server.py",
    "agent/http/*.py": "tests/agent/http/test_server.py",
    "cli/http_door.py": "tests/cli/test_serve_http.py",
    "agent/lookups.py": "tests/agent/test_door.py",
    "agent/names.py": "tests/agent/test_door.py",
    "agent/programs.py": "tests/agent/test_door.py",
    "wire/topics/*.py": "tests/wire/test_questions.py",
}


def _twin(root: Path, source: Path) -> Path:
    inside = source.relative_to(root / "workbench")
    return root / "tests" / inside.parent / f"test_{inside.stem.strip('_')}.py"


def _without_twin(root: Path, sources: tuple[Path, ...]) -> list[Path]:
    """Files that have none, by their path in the package; a room's door is no file of its own."""
    named = [source for source in sources if source.name != "__init__.py" or source.parent.name == "records"]
    return [source.relative_to(root / "workbench") for source in named if not _twin(root, source).is_file()]


def test_every_source_file_has_its_twin_or_is_part_of_something_tested(root: Path, sources: tuple[Path, ...]) -> None:
    untested = [
        str(part)
        for part in _without_twin(root, sources)
        if not any(part.match(pattern) and part.parent == Path(pattern).parent for pattern in ELSEWHERE)
    ]
    assert untested == []


def test_every_test_that_the_table_names_exists(root: Path) -> None:
    assert sorted({test for test in ELSEWHERE.values() if not (root / test).is_file()}) == []


def test_no_line_of_the_table_is_left_over(root: Path, sources: tuple[Path, ...]) -> None:
    parts = _without_twin(root, sources)
    used = {
        next((line for line in ELSEWHERE if part.parent == Path(line).parent and part.match(line)), "")
        for part in parts
    }
    assert sorted(set(ELSEWHERE) - used) == []
