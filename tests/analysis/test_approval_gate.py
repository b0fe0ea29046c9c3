"""When the user is asked about a program: settings, the bounds of its run, and programs that only add data."""

from __future__ import annotations

import itertools

import pytest
from msgspec.structs import replace

from workbench.analysis.approval_gate import (
    RunBounds,
    apply_bounds,
    decide_gate,
    is_additive,
    is_auto_approved_as_additive,
    isolation_risk,
    name_file_changes,
    only_adds,
)
from workbench.analysis.reading import assess
from workbench.permissions.call_rules import Foreseen, RuleAnswer, ToolRules
from workbench.permissions.judgement import foresee
from workbench.permissions.run_profiles import EXECUTE_FULL, READ_ONLY, WRITE_RESTRICTED
from workbench.permissions.tool_annotations import effective_tool
from workbench.records import (
    CallDecision,
    EffectKind,
    Gate,
    Hints,
    Risk,
    ServerDecision,
    Tool,
    Trust,
    UserAnnotations,
    Verdict,
)
from workbench.settings import Settings

ALL = Settings(approval_auto_low=True, approval_auto_medium=True)
BELIEVED = {name: ServerDecision(earlier=True) for name in ("desk", "other")}
NONE = Settings(approval_auto_low=False, approval_auto_medium=False)


def verdict(risk: Risk, word: Gate = Gate.ASK) -> Verdict:
    return Verdict("sha", risk, word, "")


@pytest.mark.parametrize(
    ("risk", "settings", "expected"),
    [
        (Risk.LOW, Settings(), Gate.AUTO),
        (Risk.LOW, NONE, Gate.ASK),
        (Risk.MEDIUM, Settings(), Gate.ASK),
        (Risk.MEDIUM, ALL, Gate.AUTO),
        (Risk.HIGH, ALL, Gate.ASK),
        (Risk.CRITICAL, ALL, Gate.ASK),
    ],
)
def test_settings_let_low_and_medium_pass_and_nothing_above(risk: Risk, settings: Settings, expected: Gate) -> None:
    assert decide_gate(verdict(risk), settings) is expected
    assert decide_gate(replace(verdict(risk), gate=Gate.AUTO), settings) is expected


@pytest.mark.parametrize("word", [Gate.BLOCKED, Gate.REFUSED])
def test_no_setting_softens_blocked_or_refused(word: Gate) -> None:
    assert decide_gate(verdict(Risk.LOW, word), ALL) is word


RISKS = [Risk.LOW, Risk.MEDIUM, Risk.HIGH, Risk.CRITICAL]
AUTO = {  # what a person lets pass → the risks that pass
    (True, True): {Risk.LOW, Risk.MEDIUM},
    (True, False): {Risk.LOW},
    (False, True): {Risk.MEDIUM},
    (False, False): set[Risk](),
}


def test_every_combination_of_gate_risk_preferences_profile_and_force() -> None:
    profiles = (READ_ONLY, WRITE_RESTRICTED, EXECUTE_FULL)
    for case in itertools.product(Gate, RISKS, AUTO, profiles, (False, True)):
        gate, risk, preferences, profile, force = case
        given = apply_bounds(
            verdict(risk, gate), RunBounds(profile), lambda server, tool: None, lambda tool: RuleAnswer(None)
        )
        settings = Settings(approval_auto_low=preferences[0], approval_auto_medium=preferences[1])
        if gate in (Gate.BLOCKED, Gate.REFUSED):
            expected = gate  # no preference softens it, and the user is not bothered with it
        else:
            expected = Gate.ASK if force or profile.ask or risk not in AUTO[preferences] else Gate.AUTO
        assert decide_gate(given, settings, force=force) is expected, case


@pytest.mark.parametrize("risk", RISKS)
@pytest.mark.parametrize("left", RISKS)
def test_what_a_rule_settles_weighs_no_more_unless_the_whole_is_critical(risk: Risk, left: Risk) -> None:
    found = decide_gate(replace(verdict(risk), unsettled=left), Settings())
    assert (found is Gate.AUTO) == (left is Risk.LOW and risk is not Risk.CRITICAL)


def test_what_leaves_nothing_to_decide_runs_unasked_unless_the_person_wants_to_see_it_or_it_is_to_be_asked() -> None:
    mild = replace(verdict(Risk.MEDIUM), mild=True)
    assert decide_gate(mild, Settings()) is Gate.AUTO
    assert decide_gate(mild, Settings(approval_auto_mild=False)) is Gate.ASK
    assert decide_gate(mild, Settings(), force=True) is Gate.ASK
    assert decide_gate(replace(mild, asks=("Your rule asks.",)), Settings()) is Gate.ASK
    assert decide_gate(replace(mild, gate=Gate.BLOCKED), Settings()) is Gate.BLOCKED
    assert is_auto_approved_as_additive(mild, Settings())
    assert not is_auto_approved_as_additive(mild, ALL), "all of its risk pass anyway"
    assert [isolation_risk(mild, Settings(approval_auto_mild=yes)) for yes in (True, False)] == [Risk.LOW, Risk.MEDIUM]


# ── verdicts within bounds: what goes back to its author, what the sandbox refuses, what asks, what rules settle ───
SEND = Tool("mail", "send_email", hash="m")
LIST = Tool("shop", "list_orders", hints=Hints(read_only=True), hash="l")
TOOLS = (SEND, LIST)
DENIED = Foreseen(CallDecision.DENY, "Denied by a rule: No.", "Write the program without shop.list_orders.")
READING = "from servers.shop import list_orders\nresult = await list_orders()\n"
SENDING = "from servers.mail import send_email\nawait send_email(to='bob@acme.com')\n"
WRITING = "open('workspace/a.txt', 'w').write('x')\n"


def bounded(code: str, limits: RunBounds, *, reach: bool = True, **words: Foreseen) -> Verdict:
    def find(server: str, name: str) -> Tool | None:
        return next((tool for tool in TOOLS if (tool.server, tool.name) == (server, name)), None)

    def foreseen(tool: Tool) -> Foreseen:
        return words.get(tool.name) or foresee(ToolRules(tool), limits.profile, limits.required, "")

    return apply_bounds(assess(code, TOOLS, () if reach else None), limits, find, foreseen)


def test_within_the_usual_bounds_a_verdict_stays_as_it_is() -> None:
    plain = assess(SENDING, TOOLS, ())
    assert replace(bounded(SENDING, RunBounds(WRITE_RESTRICTED)), profile=None) == plain


def test_a_tool_outside_the_profile_goes_back_to_the_author_with_its_line() -> None:
    found = bounded(SENDING, RunBounds(READ_ONLY))
    assert (found.gate, found.findings[0].rule, found.findings[0].span.line) == (Gate.BLOCKED, "bounds", 2)
    assert found.sentence.startswith(
        "Cannot run: The profile read_only does not allow mail.send_email: a program with this profile "
        "calls tools that only read"
    )


def test_a_tool_that_is_not_required_goes_back_too_and_a_required_one_does_not() -> None:
    assert bounded(SENDING, RunBounds(WRITE_RESTRICTED, ("shop.list_orders",))).gate is Gate.BLOCKED
    assert bounded(SENDING, RunBounds(WRITE_RESTRICTED, ("mail.send_email",))).gate is Gate.ASK


def test_what_nobody_read_is_not_returned_because_of_a_name_in_it() -> None:
    assert bounded(SENDING, RunBounds(READ_ONLY, analyzed=False)).gate is Gate.ASK


def test_the_sandbox_refuses_to_write_where_only_reading_is_mounted() -> None:
    found = bounded(WRITING, RunBounds(READ_ONLY))
    assert (found.gate, found.effects[0].kind) == (Gate.REFUSED, EffectKind.REFUSED)
    assert "not writable in read_only" in found.effects[0].text
    assert bounded(WRITING, RunBounds(WRITE_RESTRICTED)).gate is Gate.ASK


def test_scratch_files_are_written_in_every_profile() -> None:
    assert bounded("open('/tmp/a.txt', 'w').write('x')\n", RunBounds(READ_ONLY)).gate is Gate.AUTO


def test_a_denied_tool_goes_back_with_the_rule() -> None:
    found = bounded(READING, RunBounds(WRITE_RESTRICTED), list_orders=DENIED)
    assert found.gate is Gate.BLOCKED
    assert "Denied by a rule: No. Write the program without shop.list_orders" in found.sentence


def test_what_a_rule_allows_is_told_and_weighs_no_more() -> None:
    allowed = Foreseen(CallDecision.ALLOW, "Allowed by a rule: To Bob.", depends=True)
    found = bounded(SENDING, RunBounds(WRITE_RESTRICTED), send_email=allowed)
    assert found.allowed == ("Allowed by a rule: To Bob. Its actual arguments are checked when it is called.",)
    assert (found.risk, found.unsettled) == (Risk.HIGH, Risk.LOW)


def test_a_rule_about_a_tool_settles_nothing_else() -> None:
    allowed = Foreseen(CallDecision.ALLOW, "Allowed.")
    found = bounded(SENDING + WRITING, RunBounds(WRITE_RESTRICTED), send_email=allowed)
    assert found.unsettled is Risk.MEDIUM


def test_a_person_is_asked_for_a_rule_a_profile_a_wider_profile_and_lost_rules() -> None:
    asked = Foreseen(CallDecision.ASK, "Approval required by a rule: Ask.")
    found = bounded(READING, RunBounds(EXECUTE_FULL, profile_reason="Wider.", rules_unreadable=True), list_orders=asked)
    assert found.asks == (
        "Approval required by a rule: Ask.",
        "The rules for tools cannot be read, so every call needs approval.",
        "The profile execute_full always requires approval.",
        "Wider.",
    )


# ── programs of medium risk that leave a person nothing to decide ───────────────────────────────────
READS = Hints(read_only=True, destructive=False, open_world=False)
ADDS = Hints(read_only=False, destructive=False, open_world=False)
DESK_TOOLS = (
    Tool("desk", "create_entry", hints=ADDS),
    Tool("desk", "get_entry", hints=READS),
    Tool("desk", "list_comments", hints=replace(READS, open_world=True)),
    Tool("desk", "send_note", hints=ADDS),
    Tool("desk", "drop_entry", hints=ADDS),
    Tool("desk", "open_case", hints=replace(ADDS, open_world=True)),
    Tool("other", "get_row", hints=READS),
)
CALL = "from servers.desk import create_entry\nawait create_entry(title='Lamp')\n"


def is_mild(code: str, tools=DESK_TOOLS, taken=lambda path: False) -> bool:
    weighed = tuple(effective_tool(tool, Trust(decisions=BELIEVED)) for tool in tools)
    verdict = assess(code, weighed)
    known = {(tool.server, tool.name): tool for tool in weighed}
    return is_additive(verdict, [known.get((use.server, use.tool)) for use in verdict.tools], taken)


@pytest.mark.parametrize(
    "code",
    [
        CALL,
        "from servers.desk import get_entry\nfor one in range(3):\n    await get_entry(id=one)\n" + CALL,
        "open('workspace/out/a.csv', 'w').write('x')",
        "from pathlib import Path\nPath('workspace/b.json').write_text(open('workspace/a.json').read())",
    ],
)
def test_adding_to_one_trusted_server_and_writing_new_data_leaves_nothing_to_decide(code):
    assert is_mild(code)


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("from servers.desk import get_entry\nawait get_entry(id=1)", "low risk is another matter"),
        ("from servers.desk import send_note\nawait send_note(text='x')", "it sends"),
        ("from servers.desk import drop_entry\nawait drop_entry(id=1)", "it destroys by its name"),
        ("from servers.desk import open_case\nawait open_case(id=1)", "it reaches the world"),
        ("from servers.desk import list_comments\nprint(await list_comments())\n" + CALL, "strangers write that"),
        ("from servers.other import get_row\nx = await get_row()\n" + CALL, "two servers"),
        ("x = open('workspace/a.txt').read()\n" + CALL, "nobody knows who wrote the file"),
        ("import client\nawait client.call_tool('desk', input(), {})\n" + CALL, "a tool chosen at run time"),
        ("from servers.desk import create_entry, vanish\nawait create_entry(title='x')\nawait vanish()", "unknown"),
        ("eval('1')\n" + CALL, "more than tools"),
        ("open('workspace/run.py', 'w').write('x')", "another program may run it"),
        ("open('workspace/.git/a.txt', 'w').write('x')", "hidden"),
        ("open('workspace/' + input() + '.txt', 'w').write('x')", "its name is known at run time only"),
        ("import os\nos.remove('workspace/a.txt')", "it deletes"),
        ("import requests\nrequests.get('https://a.example')\n" + CALL, "the network"),
    ],
)
def test_everything_else_asks(code, why):
    assert not is_mild(code), why


def test_a_file_that_is_there_already_is_asked_about():
    assert not is_mild("open('workspace/a.csv', 'w').write('x')", taken=lambda path: path == "a.csv")


@pytest.mark.parametrize(
    "name",
    ["CLAUDE.local.md", "x.instructions.md", "requirements-dev.txt", "package.json", "tsconfig.json", "opencode.json"],
)
def test_a_new_file_that_agents_or_tools_follow_is_asked_about(name: str) -> None:
    assert not is_mild(f"open('workspace/{name}', 'w').write('x')")
    assert is_mild("open('workspace/report.json', 'w').write('x')")


def test_only_hints_that_are_believed_and_a_persons_word_make_a_tool_that_only_adds():
    plain = DESK_TOOLS[0]
    assert not only_adds(effective_tool(plain, Trust()))
    assert only_adds(effective_tool(plain, Trust(decisions=BELIEVED)))
    said = UserAnnotations(destructive=False, open_world=False, key=plain.hash)
    assert only_adds(effective_tool(plain, Trust({"desk": {"create_entry": said}})))
    sends = replace(said, sends=True)
    assert not only_adds(effective_tool(plain, Trust({"desk": {"create_entry": sends}}, decisions=BELIEVED)))


@pytest.mark.parametrize(
    ("code", "mild"),
    [
        ("import os\nos.makedirs('workspace/out', exist_ok=True)\nopen('workspace/out/a.csv', 'w').write('x')", True),
        ("from pathlib import Path\nPath('workspace/out').mkdir()\nPath('workspace/out/a.csv').write_text('x')", True),
        ("import os\nos.makedirs('workspace/.git/hooks')", False),
        ("import os\nos.makedirs('workspace/' + input())", False),
        ("import os\nos.makedirs('workspace/out')\nopen('workspace/out/a.sh', 'w').write('x')", False),
    ],
)
def test_a_program_that_makes_the_folder_of_its_new_file_is_judged_like_the_tool_that_does(
    code: str, mild: bool
) -> None:
    assert is_additive(assess(code, []), [], lambda path: False) is mild
    alike = "write_file('out/a.csv', 'x')"
    assert is_additive(assess(alike, []), [], lambda path: False)


def test_a_written_file_is_said_to_be_created_or_changed() -> None:
    verdict = assess("open('workspace/new.csv', 'w')\nopen('workspace/old.csv', 'w')", [])
    found = name_file_changes(verdict, lambda path: path == "old.csv")
    assert found.sentence == "Creates workspace/new.csv. Changes the existing workspace/old.csv."
    assert [one.text for one in found.effects] == [one.message for one in found.findings]
