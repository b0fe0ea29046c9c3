"""Rows of the five papers' checklist that an agent meets, each under its number; `docs/seeds.md` has all of them.

One conversation with a real core is held to all of these rows; no row starts anything of its own.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator

import pytest

from tests.flows.seeds.conversation import Conversation, converse
from workbench.events import RunChanged
from workbench.paths import OVERRIDE, paths_of
from workbench.records import RunState
from workbench.tokens import count

TWELVE = {
    "execute_code", "search_tools", "get_tool_definition", "save_skill", "load_skill", "list_skills", "sanitize_pii",
    "restore_pii", "write_workspace_file", "read_workspace_file", "list_workspace_files", "get_execution_stats",
}  # fmt: skip


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Conversation]:
    folder = tmp_path_factory.mktemp("seeds")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(OVERRIDE, str(folder / "home"))
        (folder / "project").mkdir()
        yield asyncio.run(converse(paths_of(folder / "project")))


def kinds(talk: Conversation) -> set[str]:
    return {entry.note.kind for entry in talk.entries}


# ── discovery ────────────────────────────────────────────────────────────────────────────────────
def test_row_001_an_agent_finds_tools_as_files(talk: Conversation) -> None:
    found = talk.result("explore")
    assert found["servers"] == ["demo"]
    assert "list_orders" in found["tools"]


def test_row_002_each_server_is_a_package_and_row_013_each_definition_a_file(talk: Conversation) -> None:
    assert "async def list_orders" in talk.result("explore")["one"]


def test_row_003_and_004_search_knows_three_levels_and_lists_without_words(talk: Conversation) -> None:
    found = talk.result("discover")
    assert len(found["names"]) == 25
    assert "list_orders" in found["names"]
    assert found["names_text"].splitlines()[0].startswith("25 of 25 tools")
    assert "list_orders(" in found["full_text"]


def test_row_005_names_cost_few_tokens(talk: Conversation) -> None:
    listed = talk.result("discover")["names_text"]
    names = listed.splitlines()[1]
    assert count(names) / names.count(",") < 6  # a name each, and nothing else


def test_row_006_the_second_level_has_the_line_that_imports_it(talk: Conversation) -> None:
    first = talk.result("discover")["described"][0]
    assert (first["name"], first["server"]) == ("list_orders", "demo")
    assert first["import"] == "from servers.demo import list_orders"
    assert first["description"].startswith("List orders")


def test_row_007_the_third_level_has_types_of_arguments_and_result(talk: Conversation) -> None:
    full = talk.result("discover")["full"]
    assert "limit: int" in full["signature"]
    assert "->" in full["signature"]
    assert full["input_schema"]["properties"]["limit"]["type"] == "integer"


def test_row_008_search_describe_load_import_is_one_program(talk: Conversation) -> None:
    assert talk.runs["discover"].state is talk.runs["wrapper"].state is RunState.DONE


def test_row_009_and_010_discovery_is_importable_as_function_and_class(talk: Conversation) -> None:
    assert talk.result("discover")["class"][0] == "list_orders"


def test_row_011_a_search_takes_less_than_fifty_milliseconds(talk: Conversation) -> None:
    assert talk.result("discover")["took"] < 10_000  # whatever else runs; benchmarks/search.py has the figure


def test_row_012_importing_a_tool_takes_less_than_a_hundred_milliseconds(talk: Conversation) -> None:
    assert talk.result("wrapper")["took"] < 10_000  # whatever else runs; benchmarks/wrappers.py has the figure


def test_row_015_a_search_is_scoped_by_the_words_of_a_server(talk: Conversation) -> None:
    assert talk.result("discover")["scoped"][0] == "refund_order"


def test_row_017_the_discovery_skill_is_there_with_its_triggers(talk: Conversation) -> None:
    assert "mcp-progressive-discovery" in talk.text["skills"]


def test_row_021_definitions_are_not_loaded_by_a_search(talk: Conversation) -> None:
    assert "inputSchema" not in talk.text["search"]
    assert count(talk.text["search"]) < count(talk.text["define"])


def test_row_022_and_023_a_category_and_the_level_summary_are_taken(talk: Conversation) -> None:
    assert "list_orders" in [one["name"] for one in talk.result("discover")["summary"]]


def test_row_024_a_definition_is_whole(talk: Conversation) -> None:
    line, definition = talk.text["define"].split("\n", 1)
    assert line == "from servers.demo import list_orders"
    assert set(json.loads(definition)) >= {"name", "description", "inputSchema", "outputSchema"}
    assert talk.result("discover")["definition"]["name"] == "list_orders"


# ── the code API ─────────────────────────────────────────────────────────────────────────────────
def test_row_028_a_wrapper_is_typed_and_async(talk: Conversation) -> None:
    source = talk.result("explore")["one"]
    assert "class ListOrdersInput(typing.TypedDict)" in source
    assert "async def list_orders" in source


def test_row_029_tools_are_imported_from_their_servers_package_and_row_038_as_a_namespace(talk: Conversation) -> None:
    assert talk.result("wrapper")["same"]


def test_row_030_any_tool_is_called_by_its_whole_name(talk: Conversation) -> None:
    assert talk.result("wrapper")["by_name"] == 10000


def test_row_031_the_client_counts_calls_and_tokens(talk: Conversation) -> None:
    found = talk.result("wrapper")
    assert (found["calls"], found["tokens"] > 0) == (3, True)


# ── execution ────────────────────────────────────────────────────────────────────────────────────
def test_row_047_and_061_the_model_sees_what_was_printed_and_the_result(talk: Conversation) -> None:
    assert talk.text["result"] == 'seen\nresult = {"answer": 42}'


def test_row_048_the_value_of_result_comes_back(talk: Conversation) -> None:
    assert talk.result("result") == {"answer": 42}


def test_row_049_helpers_and_usual_modules_are_there(talk: Conversation) -> None:
    found = talk.result("helpers")
    assert (found["value"], found["math"], found["re"], found["now"]) == ({"x": 1}, 2, True, True)
    assert found["files"] == ["notes/a.json"]


def test_row_050_a_top_level_return_is_the_result(talk: Conversation) -> None:
    assert talk.result("later") == [1, 2]


def test_row_053_only_required_tools_can_be_called(talk: Conversation) -> None:
    assert talk.failed["required"]
    assert "list_orders is not among the required_tools" in talk.text["required"]
    assert talk.result("required_server")[0] == 10_000  # a server's name means all of its tools


def test_row_054_five_run_at_once_and_the_number_is_told(talk: Conversation) -> None:
    assert (talk.facts["stats"]["max_concurrent_tasks"], talk.facts["stats"]["active_tasks"]) == (5, 0)


def test_row_055_056_057_and_062_loops_polls_branches_and_parallel_calls(talk: Conversation) -> None:
    assert talk.result("control") == {"looks": 2, "scores": 30, "ten": 10}


def test_row_058_and_117_data_goes_from_tool_to_tool_beside_the_model(talk: Conversation) -> None:
    found = talk.result("flow")
    assert found["read"] > 20
    assert talk.text["flow"] == f"result = {json.dumps(found)}"


def test_row_059_060_and_064_ten_thousand_rows_are_filtered_for_few_tokens(talk: Conversation) -> None:
    run = talk.runs["filter"]
    assert talk.text["filter"].startswith("Found 926 of 10000\n")
    assert run.ledger.actual <= 500 < 100_000 < run.ledger.direct


def test_row_065_a_thousand_calls_in_one_run(talk: Conversation) -> None:
    assert talk.result("thousand") == {"calls": 1000, "same": 1}
    assert sum(entry.note.kind == "call.done" for entry in talk.entries) >= 1000


def test_row_066_each_step_of_a_run_is_told_as_it_happens(talk: Conversation) -> None:
    told = [event.run.state for event in talk.events if isinstance(event, RunChanged)
            and event.run.id == talk.runs["filter"].id]  # fmt: skip
    assert list(dict.fromkeys(told)) == [RunState.PROPOSED, RunState.CHECKED, RunState.RUNNING, RunState.DONE]


def test_row_068_a_refused_program_is_in_the_audit_too(talk: Conversation) -> None:
    assert kinds(talk) >= {"run.proposed", "run.checked", "run.waiting", "run.decided", "run.running", "run.done",
                           "run.refused"}  # fmt: skip


def test_row_070_and_071_a_small_program_is_over_at_once(talk: Conversation) -> None:
    assert talk.seconds["result"] < 10.0  # whatever else runs; benchmarks/code_mode.py has the figure


# ── sandbox ──────────────────────────────────────────────────────────────────────────────────────
def test_row_079_safe_modules_can_be_used(talk: Conversation) -> None:
    assert talk.runs["helpers"].state is RunState.DONE


def test_row_080_there_is_no_network(talk: Conversation) -> None:
    assert talk.failed["network"]
    assert "no network" in talk.text["network"]


def test_row_081_files_outside_the_workspace_are_out_of_reach(talk: Conversation) -> None:
    assert talk.failed["outside"]
    assert "outside the workspace" in talk.text["outside"]


# ── approval ─────────────────────────────────────────────────────────────────────────────────────
def test_row_106_a_denial_reaches_its_author_with_its_reason(talk: Conversation) -> None:
    assert "The user denied it: Not today." in talk.text["denied"]
    assert not talk.failed["allowed"]


# ── personal data ────────────────────────────────────────────────────────────────────────────────
def test_row_116_118_119_and_121_the_model_sees_numbered_tokens(talk: Conversation) -> None:
    seen = talk.text["personal"]
    assert all(f"'[{kind}_1." in seen for kind in ("NAME", "EMAIL", "PHONE"))
    assert "@" not in seen


def test_row_120_a_tool_gets_the_value_behind_a_token(talk: Conversation) -> None:
    assert talk.result("allowed") == "sent"


def test_row_123_texts_become_tokens_and_tokens_are_known_again(talk: Conversation) -> None:
    assert re.fullmatch(r"Write to \[EMAIL_\d+\.\w+\] or \[PHONE_\d+\.\w+\]\.", talk.text["sanitize"])
    assert talk.text["sanitize"] in talk.text["restore"]
    assert "ada.lovelace" not in talk.text["restore"]  # a model is not told values; tools get them


# ── skills and workspace ─────────────────────────────────────────────────────────────────────────
def test_row_125_a_skill_is_offered_and_row_136_the_user_keeps_it(talk: Conversation) -> None:
    assert "mine is now a draft" in talk.text["save"]
    assert "mine" not in talk.text["skills"].split()


def test_row_129_and_131_a_skill_is_imported_as_a_module(talk: Conversation) -> None:
    assert talk.result("skill_import") == ["best", "described", "names"]


def test_row_132_a_skill_is_read_with_usage_features_and_examples(talk: Conversation) -> None:
    assert all(f"## {part}" in talk.text["load"] for part in ("Usage", "Features", "Examples"))


def test_row_134_skills_are_saved_loaded_and_listed(talk: Conversation) -> None:
    assert not any(talk.failed[step] for step in ("save", "load", "skills"))


def test_row_135_a_loaded_skill_can_be_executed_by_exec(talk: Conversation) -> None:
    assert talk.result("skill_text") == talk.result("skill_import")


def test_row_137_and_138_a_file_of_one_run_is_read_by_the_next(talk: Conversation) -> None:
    assert talk.result("later") == [1, 2]


def test_row_141_files_of_the_workspace_are_written_read_and_listed(talk: Conversation) -> None:
    assert talk.text["read"].endswith("hello")
    assert "reports/a.txt" in talk.text["files"]
    assert "x.json" in talk.text["files"]


# ── audit and figures ────────────────────────────────────────────────────────────────────────────
def test_row_142_and_145_every_call_and_program_is_written_down(talk: Conversation) -> None:
    assert kinds(talk) >= {"call.sent", "call.done", "run.proposed", "run.done"}


def test_row_146_tokens_are_counted(talk: Conversation) -> None:
    assert talk.facts["stats"]["tokens_used"] > 0 < talk.facts["stats"]["tokens_saved"]


def test_row_147_an_entry_says_who_what_how_risky_and_how_it_ended(talk: Conversation) -> None:
    done = next(entry for entry in talk.entries if entry.note.run_id == talk.runs["filter"].id
                and entry.note.kind == "run.done")  # fmt: skip
    note = done.note
    assert (note.actor, bool(note.session), note.risk, note.ok) == ("seeds", True, "low", True)
    assert note.ms > 0 < note.tokens
    assert {"sha", "answer", "fault", "memory_mb"} <= set(note.detail)


def test_row_149_whoever_listens_hears_risk_outcome_and_duration(talk: Conversation) -> None:
    ends = [event.run for event in talk.events if isinstance(event, RunChanged) and event.run.state is RunState.DONE]
    assert all(run.verdict is not None and run.ended >= run.started > 0 for run in ends)


def test_row_153_statistics_of_the_environment_are_a_tool(talk: Conversation) -> None:
    assert {"servers", "tools", "skills", "runs"} <= set(talk.facts["stats"])


def test_row_155_156_158_and_159_programs_cost_a_model_far_less(talk: Conversation) -> None:
    run = talk.runs["filter"]
    assert 1 - run.ledger.actual / run.ledger.direct > 0.98


def test_row_160_the_twelve_tools_are_there_by_their_names(talk: Conversation) -> None:
    names = {tool.name for tool in talk.tools}
    assert names >= TWELVE
    assert names >= {"run_skill", "search_skills", "get_run"}
