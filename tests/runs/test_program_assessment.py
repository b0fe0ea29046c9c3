"""Runs keep to their profile and to the user's rules, whatever their text says: real sandbox, real demo server."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.runs.steps import waiting
from workbench.broker.agent_sessions import Session
from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.records import CallDecision, Decision, Gate, Permission, Predicate, Risk, Run, RunState, Verdict
from workbench.runs.program_assessment import blocked_verdict, required_tools

SEND = 'from servers.demo import send_email\nawait send_email(to="{}", subject="s", body="b")\nresult = "sent"\n'
BOB, EVE = SEND.format("bob@acme.com"), SEND.format("eve@evil.com")
COMPUTED = SEND.replace('"{}"', 'min(str(ord("e")), "x") + "@evil.com"')
HIDDEN = """
import servers.demo, client
name = [found for found in dir(servers.demo) if found.startswith("count_o")][0]
try:
    result = await getattr(servers.demo, name)()
except client.ToolError as refusal:
    result = str(refusal)
"""
QUIET_WRITE = """
name = "".join(["work", "space/a.txt"]) if True else ""
try:
    open(name, "w").write("x")
    result = "written"
except OSError as refusal:
    result = type(refusal).__name__
"""
TO_ACME = Permission("", "arguments", CallDecision.ALLOW, "demo", "send_email", (Predicate("to", "*@acme.com"),))


@pytest.fixture
def agent(core: Core) -> Session:
    return core.services.sessions.open("test agent")


async def ended(core: Core, session: Session, code: str, **more: object) -> Run:
    return await core.run_manager.wait_until_finished(core.run_manager.submit(code, session, **more).id)  # type: ignore[arg-type]


async def allowed(core: Core, session: Session, code: str, **more: object) -> Run:
    """Submit a program, allow it, and return its run."""
    run = await waiting(core, core.run_manager.submit(code, session, **more))  # type: ignore[arg-type]
    core.run_manager.decide(Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint))
    return await core.run_manager.wait_until_finished(run.id)


async def test_what_a_rule_allows_runs_unasked_and_says_so(demo: Core, agent: Session) -> None:
    await demo.api.set_permission(TO_ACME)
    run = await ended(demo, agent, BOB)
    assert (run.state, run.decision, run.result) == (RunState.DONE, None, '"sent"')
    assert run.verdict is not None
    assert run.verdict.allowed[0].startswith("Allowed by a rule: Programs may call demo.send_email")
    assert (await demo.api.permissions()).rules[0].count == 1


async def test_the_real_arguments_decide_and_not_what_the_text_seemed_to_say(demo: Core, agent: Session) -> None:
    await demo.api.set_permission(TO_ACME)
    demo.services.settings.set(replace(demo.settings, approval_wait_seconds=0))
    assert "approval request was not answered" in (await ended(demo, agent, EVE)).model_view
    computed = await ended(demo, agent, COMPUTED)
    assert computed.state is not RunState.DONE
    assert "A rule allows demo.send_email, but only for other arguments" in computed.model_view


async def test_a_denied_tool_sends_the_program_back(demo: Core, agent: Session) -> None:
    await demo.api.set_permission(Permission("", "tool", CallDecision.DENY, "demo", "send_email"))
    run = await ended(demo, agent, BOB)
    assert (run.state, run.verdict and run.verdict.gate) == (RunState.REFUSED, Gate.BLOCKED)
    assert "Denied by a rule: No program may call demo.send_email." in run.model_view


async def test_a_denial_holds_for_a_name_that_is_made_at_run_time_and_for_an_approved_program(
    demo: Core, agent: Session
) -> None:
    await demo.api.set_permission(Permission("", "tool", CallDecision.DENY, "demo", "count_orders"))
    run = await allowed(demo, agent, HIDDEN)
    assert "Denied by a rule" in run.result


async def test_a_run_limited_to_tools_calls_no_other_however_it_names_it(demo: Core, agent: Session) -> None:
    run = await allowed(demo, agent, HIDDEN, required=("demo.list_orders",))
    assert "demo.count_orders is not among the required_tools of this program" in run.result


async def test_required_tools_are_names_that_exist_in_any_spelling(demo: Core, agent: Session) -> None:
    assert required_tools(demo.services, ["mcp__demo__list_orders", "demo.list_orders"]) == ("demo.list_orders",)
    with pytest.raises(WorkbenchError):
        demo.run_manager.submit(BOB, agent, required=("demo.no_such_tool",))


async def test_read_only_mounts_the_workspace_so_and_calls_nothing_that_changes(demo: Core, agent: Session) -> None:
    run = await allowed(demo, agent, QUIET_WRITE, profile="read_only", force_approval=True)
    assert run.result == '"OSError"' or "Permission" in run.result
    assert not (demo.paths.workspace / "a.txt").exists()
    write = await ended(demo, agent, "open('workspace/a.txt', 'w').write('x')", profile="read_only")
    assert "Submit the program with a wider profile." in write.model_view
    assert "workspace/workspace" not in write.model_view
    back = await ended(demo, agent, BOB, profile="read_only")
    assert (
        "The profile read_only does not allow demo.send_email: a program with this profile calls tools that only read"
        in back.model_view
    )


async def test_a_profile_without_a_workspace_shows_an_empty_one(demo: Core, agent: Session) -> None:
    demo.paths.user_settings.parent.mkdir(parents=True, exist_ok=True)
    demo.paths.user_settings.write_text('[profiles.bare]\nworkspace = "none"\n', "utf-8")
    (demo.paths.workspace / "secret.txt").write_text("x")
    code = 'import os\nresult = os.listdir("workspace")\n'
    assert (await ended(demo, agent, code)).result == '["secret.txt"]'
    assert (await ended(demo, agent, code, profile="bare")).result == "[]"


@pytest.mark.parametrize("more", [{"force_approval": True}, {"profile": "execute_full"}])
async def test_a_harmless_program_waits_when_its_author_or_its_profile_says_so(
    core: Core, agent: Session, more: dict[str, object]
) -> None:
    run = await allowed(core, agent, "result = 1", **more)
    assert (run.state, run.result) == (RunState.DONE, "1")


async def test_an_agent_cannot_take_more_than_the_persons_default(core: Core, agent: Session) -> None:
    core.services.settings.set(replace(core.settings, approval_profile="read_only"))
    assert (await ended(core, agent, "result = 1")).state is RunState.DONE
    run = await waiting(core, core.run_manager.submit("result = 1", agent, profile="write_restricted"))
    assert run.verdict is not None
    assert run.verdict.asks == (
        "Requests the profile write_restricted, which allows more than the default profile read_only.",
    )
    with pytest.raises(WorkbenchError, match="no profile"):
        core.run_manager.submit("result = 1", agent, profile="root")


async def test_a_hostile_project_neither_trusts_a_server_nor_allows_a_tool_nor_widens_a_profile(
    core: Core, agent: Session
) -> None:
    core.paths.project_settings.write_text(
        '[approval]\nprofile = "execute_full"\nauto_medium = true\n'
        '[profiles.read_only]\ntools = "all"\n[profiles.evil]\nbase = "read_only"\ntools = "all"\n'
        '[permissions]\nallow = ["demo.*"]\n[trust]\nbelieved = ["demo"]\n',
        "utf-8",
    )
    found = core.services.run_profiles.profiles()
    assert found.default == "write_restricted"
    assert {one.name: one.tools for one in found.all if one.accepted}["read_only"] == "read"
    assert await core.api.permissions() == core.services.rules.view()
    assert core.services.rules.view().rules == ()
    with pytest.raises(WorkbenchError, match="was not accepted"):
        core.run_manager.submit("result = 1", agent, profile="evil")


def test_a_run_without_bounds_is_blocked() -> None:
    found = blocked_verdict(Verdict("sha", Risk.LOW, Gate.AUTO, ""), WorkbenchError("Gone.", "Hint."))
    assert (found.gate, found.sentence) == (Gate.BLOCKED, "Cannot run: Gone. Hint.")


async def test_a_missing_package_is_returned_before_anybody_is_asked(demo: Core, agent: Session) -> None:
    run = await ended(demo, agent, f"import pretty_tables\n{BOB}")
    assert (run.state, run.decision) == (RunState.REFUSED, None)
    assert "The package pretty_tables is not available to programs. Available: the standard library" in run.model_view
    for may_work in (
        "try:\n    import pretty_tables\nexcept ImportError:\n    pass\n",
        "import sys\nsys.path.insert(0, 'workspace')\nimport pretty_tables\n",
        "def later():\n    import pretty_tables\n",
    ):
        await waiting(demo, demo.run_manager.submit(f"{may_work}{BOB}", agent))
    (demo.paths.workspace / "pretty_tables.py").write_text("x = 1\n")
    await waiting(demo, demo.run_manager.submit(f"import pretty_tables\n{BOB}", agent))
