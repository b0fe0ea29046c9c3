"""The one judgement of a call: which rule speaks, in which order, and what it says."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from workbench.permissions.call_rules import LOST, ToolRules
from workbench.permissions.judgement import (
    RULES,
    CallContext,
    CountedCall,
    Judgement,
    PlanMatch,
    ValueSources,
    foresee,
    judge,
)
from workbench.permissions.own_calls import UNKNOWN
from workbench.permissions.provenance_rules import PRIVATE, UNTRUSTED, CallReason
from workbench.permissions.release_rules import ReleaseDecision
from workbench.permissions.rules import Rules
from workbench.permissions.run_profiles import EXECUTE_FULL, READ_ONLY, WRITE_RESTRICTED
from workbench.permissions.run_profiles import TOOLS as TOOL_CLASSES
from workbench.permissions.tool_annotations import effective_tool
from workbench.privacy.vault import Restoration
from workbench.records import (
    CallDecision,
    Fault,
    Gate,
    Hints,
    JsonObject,
    Origin,
    Permission,
    Predicate,
    Risk,
    Tool,
    ToolCall,
    ToolUse,
    Trust,
    ValueOrigin,
    Verdict,
)
from workbench.settings import Settings

READ = Tool("demo", "list_orders", hints=Hints(read_only=True), hash="a")
ADD = Tool("demo", "create_ticket", hints=Hints(destructive=False, open_world=False), hash="b")
SEND = Tool("demo", "send_email", hints=Hints(destructive=False, open_world=True), hash="c")
DELETE = Tool("demo", "delete_customer", hints=Hints(destructive=True), hash="d")
UPDATE = Tool("demo", "update_customer", hints=Hints(read_only=False), hash="u")
TOOLS = (READ, ADD, SEND, DELETE)
ALLOW, ASK, DENY = CallDecision.ALLOW, CallDecision.ASK, CallDecision.DENY
MAILS = Restoration("EMAIL", 2, "crm", "demo", foreign=True, tool="send_email", tokens=("EMAIL_1.AAAA", "EMAIL_2.BBBB"))


class Run:
    """Evidence of a run, as the test says it is."""

    def __init__(
        self, kinds: Sequence[str] = (), values: Sequence[ValueOrigin] = (), *, unreviewed: bool = False
    ) -> None:
        self.kinds = frozenset(kinds)
        self.values = tuple(values)
        self.unreviewed = unreviewed
        self.private_servers = frozenset({"crm"} if PRIVATE in self.kinds else ())
        self.announced_tokens: frozenset[tuple[str, str, str]] = frozenset()
        self.not_said: tuple[tuple[str, str], ...] = ()
        self.allowed: set[str] = set()
        self.denied: set[str] = set()

    def sources(self, tool: Tool, arguments: JsonObject) -> ValueSources:
        return ValueSources(self.values)

    def unshown(self, tool: Tool, arguments: JsonObject) -> str:
        return ""

    def derived(self, arguments: JsonObject) -> Sequence[tuple[str, str]]:
        return self.not_said

    def holds(self, arguments: JsonObject) -> bool:
        return False

    def describe(self, reason: CallReason, tool: Tool) -> CallReason:
        return reason

    def allowed_before(self, tool: Tool, reason: CallReason) -> bool:
        return reason.rule in self.allowed

    def denied_before(self, tool: Tool, reason: CallReason) -> bool:
        return reason.rule in self.denied


def call(tool: Tool, origin: Origin = Origin.AGENT, *, confirmed: bool = False, unattended: bool = False) -> ToolCall:
    return ToolCall("1", tool.server, tool.name, {}, origin, "s", confirmed=confirmed, unattended=unattended)


def own(tool: Tool, *, confirmed: bool = False, unattended: bool = False) -> ToolCall:
    return call(tool, Origin.PERSON, confirmed=confirmed, unattended=unattended)


def verdict(*tools: Tool, often: bool = False, times: int = 1) -> Verdict:
    uses = tuple(ToolUse(tool.server, tool.name, 1, often=often, times=times) for tool in tools)
    return Verdict(
        "sha", Risk.HIGH, Gate.ASK, "", tools=uses, definitions={f"{t.server}.{t.name}": t.hash for t in tools}
    )


def judged(
    made: ToolCall,
    tool: Tool,
    program: Verdict | None = None,
    *,
    approved: bool = False,
    rules: Sequence[Permission] = (),
    **more: object,
) -> Judgement:
    context = CallContext(tool, ToolRules(tool, tuple(rules)), Settings(), verdict=program, approved=approved)
    return judge(made, replace(context, **more))  # type: ignore[arg-type]


def rule(word: CallDecision, tool: Tool, kind: str = "tool", **more: object) -> Permission:
    given = {"id": "r", "kind": kind, "word": word, "server": tool.server, "tool": tool.name, "key": tool.hash}
    return Permission(**given | more)  # type: ignore[arg-type]


def told(judgement: Judgement) -> list[str]:
    return [one.rule for one in judgement.reasons]


# programs


def test_an_approved_program_calls_what_was_seen_in_it() -> None:
    for tool in TOOLS:
        assert judged(call(tool), tool, verdict(tool), approved=True).decision is ALLOW, tool


def test_a_value_that_programs_take_for_an_option_asks_also_of_a_tool_that_reads() -> None:
    def asked(**arguments: str) -> list[str]:
        made = replace(call(READ), arguments=arguments)
        return told(judged(made, READ, verdict(READ), arguments=arguments))

    assert asked(revision="--output=/home/ann/.bashrc") == ["option"]
    assert asked(file_path="-o/home/ann/x") == ["option"]
    assert asked(revision="HEAD~1") == asked(path="-") == asked(query="-label:spam") == []


def test_a_destructive_tool_needs_approval_even_when_it_was_seen() -> None:
    said = judged(call(DELETE), DELETE, verdict(DELETE))
    assert (said.decision, told(said)) == (ASK, ["unforeseen"])
    assert "has not been approved" in said.text


def test_an_adding_tool_passes_when_the_settings_let_medium_run() -> None:
    assert judged(call(ADD), ADD, verdict(ADD)).decision is ALLOW


def test_a_call_outside_of_what_was_assessed_asks_even_with_approval() -> None:
    for tool in (ADD, SEND, DELETE):
        said = judged(call(tool), tool, verdict(READ), approved=True)
        assert said.decision is ASK, tool
        assert f"demo.{tool.name}" in said.text
        assert said.hint


def test_reading_more_than_was_seen_is_allowed_once_the_program_is_approved() -> None:
    assert judged(call(READ), READ, verdict(), approved=True).decision is ALLOW
    assert judged(call(READ), READ, verdict()).decision is ASK  # a private answer would come that no reading follows


def test_a_changed_definition_is_refused() -> None:
    for tool in (READ, DELETE):
        said = judged(call(tool), replace(tool, hash="changed"), verdict(tool), approved=True)
        assert said.decision is DENY, tool
        assert "changed after this program was assessed" in said.text


def test_a_tool_of_the_same_name_on_another_server_is_another_tool() -> None:
    other = replace(DELETE, server="other")
    assert judged(call(DELETE), other, verdict(DELETE), approved=True).decision is not ALLOW


def test_an_agent_calls_nothing_outside_of_a_program() -> None:
    assert judged(call(READ), READ, approved=True).decision is DENY


# the user's own calls


def test_the_user_confirms_what_cannot_be_taken_back() -> None:
    for tool in (SEND, DELETE, Tool("s", "purge_cache")):
        said = judged(own(tool), tool)
        assert said.decision is ASK, tool
        assert said.asks in ("destroys", "sends")
        assert said.text.startswith(f"{tool.name} may ")
        assert said.text.endswith(".")
        assert judged(own(tool, confirmed=True), tool).decision is ALLOW


def test_the_user_reads_and_adds_without_being_asked() -> None:
    for tool in (READ, ADD, Tool("s", "get_thing"), Tool("s", "frobnicate")):
        assert judged(own(tool), tool).decision is ALLOW, tool


def test_a_script_asks_about_what_nobody_knows_and_the_sentence_is_whole() -> None:
    tool = effective_tool(Tool("everything", "echo", hints=Hints(read_only=True)), Trust())
    assert judged(own(tool), tool).decision is ALLOW
    said = judged(own(tool, unattended=True), tool)
    assert (said.decision, said.asks) == (ASK, UNKNOWN)
    assert said.text == "echo may change data: you have not yet trusted what everything says about its tools."
    silent = effective_tool(Tool("everything", "echo"), Trust())
    said = judged(own(silent, unattended=True), silent)
    assert said.text == "echo may change data: everything does not say whether it does."


def test_the_users_own_call_asks_what_its_tokens_give_away_beside_what_its_tool_does() -> None:
    given = (ReleaseDecision(MAILS, ASK),)
    said = judged(own(READ), READ, release=given)
    assert (said.decision, said.text, said.asks) == (
        ASK,
        "2 e-mail addresses from crm would be sent to demo.send_email.",
        "",
    )
    both = judged(own(SEND), SEND, release=given)
    assert told(both) == ["restore EMAIL", "sends"]
    assert judged(own(SEND, confirmed=True), SEND, release=given).decision is ALLOW
    denied = (ReleaseDecision(MAILS, DENY, Permission("r", "restore", DENY, label="Never.")),)
    said = judged(own(SEND, confirmed=True), SEND, release=denied)
    assert (said.decision, said.fault.code) == (DENY, "refused")
    assert said.text == "The call was not made: 2 e-mail addresses from crm would be sent to demo.send_email. Never."


# the order


def test_what_denies_stands_above_all_that_allows_or_asks() -> None:
    """Each denial holds against an approved program, an allowing rule, and a plan that holds exactly this call."""
    allowing = {
        "approved": True,
        "rules": (rule(ALLOW, DELETE, scope="session", session="s"),),
        "counted": CountedCall(1, PlanMatch.EXACT),
        "run": Run(),
    }
    assert judged(call(DELETE), DELETE, verdict(DELETE), **allowing).decision is ALLOW
    denied = (ReleaseDecision(MAILS, DENY, Permission("r", "restore", DENY)),)
    for name, more in {
        "replaced": {"replaced": True},
        "blocked": {"blocked": Fault("It is blocked.")},
        "bounds": {"verdict": replace(verdict(DELETE), profile=READ_ONLY)},
        "definition": {"verdict": verdict(replace(DELETE, hash="before"))},
        "token": {"damaged": Fault("It is damaged.")},
        "restore": {"release": denied},
        "rule": {"rules": (rule(DENY, DELETE), *allowing["rules"])},
        "plan": {"counted": CountedCall(1, PlanMatch.LEFT_OUT)},
    }.items():
        given: dict[str, object] = {"program": verdict(DELETE)} | allowing | more
        program = given.pop("verdict", given.pop("program"))
        given.pop("program", None)
        said = judged(call(DELETE), DELETE, program, **given)  # type: ignore[arg-type]
        assert (said.decision, told(said)) == (DENY, [name]), name


def test_each_rule_answers_in_its_place() -> None:
    """One row for each rule, in the order of `RULES`: what is added to the context, and the answer. Each context holds
    what the rows below it add, too, so an answer shows that its rule comes before all that follow."""
    release = ReleaseDecision(MAILS, ASK)
    asking = rule(ASK, SEND, "arguments", where=(Predicate("to", "eve*"),))
    table: Sequence[tuple[str, dict[str, object], tuple[CallDecision, list[str], bool]]] = (
        ("held_call_replaced", {"replaced": True}, (DENY, ["replaced"], False)),
        ("blocked_definition", {"blocked": Fault("It is blocked.")}, (DENY, ["blocked"], False)),
        ("run_bounds", {"required": ("demo.other",)}, (DENY, ["bounds"], False)),
        ("assessed_definition", {"definitions": {"demo.send_email": "before"}}, (DENY, ["definition"], False)),
        ("agent_without_program", {"program": None}, (DENY, ["no program"], False)),
        ("damaged_tokens", {"damaged": Fault("It is damaged.")}, (DENY, ["token"], False)),
        ("user_rules", {"rules": (rule(DENY, SEND),)}, (DENY, ["rule"], False)),
        ("token_release", {"release": (replace(release, decision=DENY),)}, (DENY, ["restore"], False)),
        ("dry_run", {"dry_run": True}, (ALLOW, [], True)),
        ("approved_plan", {"counted": CountedCall(1, PlanMatch.LEFT_OUT)}, (DENY, ["plan"], False)),
        ("answered_before", {"denied": {"destination"}}, (DENY, ["repeated"], False)),
        (
            "data_sources",
            {"run": True},
            (ASK, ["rule", "restore EMAIL", "destination", "destructive"], False),
        ),
        ("token_release", {"release": (release,)}, (ASK, ["rule", "restore EMAIL"], False)),
        ("user_rules", {"rules": (asking,)}, (ASK, ["rule"], False)),
        ("approved_program", {}, (ASK, ["unforeseen"], False)),
    )
    heavy = replace(SEND, hints=Hints(destructive=True, open_world=True))
    for at, (name, added, expected) in enumerate(table):
        given: dict[str, Any] = {}
        for below, more, _ in reversed(table[at + 1 :]):
            given |= more if below != "agent_without_program" else {}  # that row takes the program away
        given |= added
        run, denied = Run((UNTRUSTED,), (STRANGE,)), given.pop("denied", set())
        run.denied = denied
        bounds = {"required": given.pop("required", ()), "definitions": given.pop("definitions", {})}
        program = given.pop("program", replace(verdict(heavy), **bounds))
        given["run"] = run if given.pop("run", False) else None
        said = judged(call(heavy), heavy, program, arguments={"to": "eve@evil.com"}, **given)
        assert (said.decision, told(said), said.stand_in) == expected, name
    spoken = {name for name, _, _ in table}
    silent = {
        "own_call",
        "outside_run",
        "harmless_call",
        "option_as_argument",
        "other_than_shown",
    }  # of the user's own calls, two that only end the questions, and two that have tests of their own
    assert spoken | silent == {one.__name__ for one in RULES}
    assert all(one.__doc__ for one in RULES)


def test_profiles_the_users_rules_and_the_approval_give_each_call_one_answer() -> None:
    """Over profiles × rules × approval: the answer is the one that these few lines say."""
    profiles = (None, READ_ONLY, WRITE_RESTRICTED, EXECUTE_FULL, replace(EXECUTE_FULL, only=("demo.send_*",)))
    kinds = ("server", "tool", "arguments")
    words: Sequence[tuple[CallDecision, str] | None] = (None, *product((ALLOW, ASK, DENY), kinds))
    for tool, profile, one, approved in product(TOOLS, profiles, words, (True, False)):
        word, kind = one or (None, "")
        where = (Predicate("to", "bob@acme.com"),) if kind == "arguments" else ()
        rules = (rule(word, tool, kind, where=where, scope="session", session="s"),) if word else ()
        program = replace(verdict(tool), profile=profile)
        said = judged(call(tool), tool, program, approved=approved, rules=rules, arguments={"to": "bob@acme.com"})
        risk = READ_ONLY.tools if tool is READ else "all" if tool is DELETE else "add"
        outside = profile is not None and (
            (profile.only and tool is not SEND) or TOOL_CLASSES.index(risk) > TOOL_CLASSES.index(profile.tools)
        )
        if outside or word is DENY:
            expected = DENY
        elif word is ASK and not (approved and kind != "arguments"):
            expected = ASK
        elif approved or tool is not DELETE:
            expected = ALLOW
        else:  # nobody approved it: only a rule about the tool or its arguments lets it go
            expected = ALLOW if word is ALLOW and kind != "server" else ASK
        assert said.decision is expected, (tool.name, profile and profile.name, word, kind, approved)


def test_no_context_lets_a_call_pass_that_a_single_rule_denies() -> None:
    """Over a grid of contexts: with a denial among the rules the answer is never to allow, nor to stand in."""
    denial = {"blocked": Fault("It is blocked.")}
    for tool, approved, kinds, planned, dry, confirmed in product(
        TOOLS, (True, False), ((), (PRIVATE, UNTRUSTED)), PlanMatch, (True, False), (True, False)
    ):
        run = Run(kinds)
        more = {"run": run, "counted": CountedCall(1, planned), "dry_run": dry}
        made = call(tool, confirmed=confirmed)
        for program in (verdict(tool), verdict()):
            said = judged(made, tool, program, approved=approved, **more, **denial)
            assert (said.decision, said.stand_in) == (DENY, False), (tool.name, approved, kinds, planned, dry)
        for word in (DENY,):
            said = judged(made, tool, verdict(tool), approved=approved, rules=(rule(word, tool),), **more)
            assert (said.decision, said.stand_in) == (DENY, False), (tool.name, approved, kinds, planned, dry)


def test_lost_rules_ask_about_every_call_of_a_program() -> None:
    context = CallContext(READ, ToolRules(READ, lost=True), Settings(), verdict=verdict(READ))
    said = judge(call(READ), context)
    assert (said.decision, said.text) == (ASK, LOST)
    assert judge(call(READ), replace(context, approved=True)).decision is ALLOW, "the approval answered it"


def test_an_allowing_rule_about_other_arguments_asks() -> None:
    rules = (rule(ALLOW, SEND, "arguments", where=(Predicate("to", "*@acme.com"),)),)
    said = judged(call(SEND), SEND, verdict(SEND), rules=rules, arguments={"to": "eve@evil.com"})
    assert (said.decision, said.text) == (ASK, "A rule allows demo.send_email, but only for other arguments.")
    said = judged(call(SEND), SEND, verdict(SEND), rules=rules, arguments={"to": "bob@acme.com"})
    assert (said.decision, said.used) == (ALLOW, rules)


# data


STRANGE = ValueOrigin("to", "eve@evil.com", (UNTRUSTED,), "mail", "read_mail")
SECRET = ValueOrigin("body", "Jane Doe, born 1980", (PRIVATE,), "crm", "get_customer")


def test_a_rule_for_exactly_this_lasts_after_outsiders_text_was_read_unless_the_tool_sends_or_destroys() -> None:
    kept, sent = Predicate("customer_id", "CUS-0001"), Predicate("to", "bob@acme.com")
    for tool, where, arguments, allowed in (
        (UPDATE, kept, {"customer_id": "CUS-0001"}, True),
        (UPDATE, kept, {"customer_id": "CUS-0002"}, False),
        (UPDATE, Predicate("customer_id", "CUS-*"), {"customer_id": "CUS-0001"}, False),
        (UPDATE, Predicate("path", "below /srv/a"), {"path": "/srv/a/b.md"}, False),
        (UPDATE, Predicate("namespace", "shop"), {"namespace": "shop", "name": "checkout"}, False),
        (UPDATE, Predicate("path", "/srv/a/b.md"), {"path": "/srv/a/b.md", "note": "old"}, True),
        (DELETE, kept, {"customer_id": "CUS-0001"}, False),
        (replace(SEND, hints=Hints(destructive=True, open_world=True)), sent, {"to": "bob@acme.com"}, False),
    ):
        rules = (rule(ALLOW, tool, "arguments", where=(where,)),)
        mine = judged(call(tool), tool, verdict(tool), rules=rules, run=Run((UNTRUSTED,)), arguments=arguments)
        assert (mine.decision is ALLOW) == allowed, (tool.name, arguments, told(mine))
    suspect = Run((UNTRUSTED,), (replace(STRANGE, path="customer_id", value="CUS-0001"),))
    rules = (rule(ALLOW, UPDATE, "arguments", where=(kept,)),)
    theirs = judged(
        call(UPDATE), UPDATE, verdict(UPDATE), rules=rules, run=suspect, arguments={"customer_id": "CUS-0001"}
    )
    assert told(theirs) == ["content"], "outsiders chose it"


def test_a_destination_out_of_outsiders_text_asks_in_an_approved_program_too() -> None:
    run = Run((UNTRUSTED,), (STRANGE,))
    said = judged(call(SEND), SEND, verdict(SEND), approved=True, run=run)
    assert (said.decision, told(said)) == (ASK, ["destination"])
    assert said.sources == (STRANGE,)
    assert judged(call(READ), READ, verdict(READ), run=run).decision is ALLOW, "reading harms nobody"


def test_what_the_user_answered_is_not_asked_again_and_what_they_denied_is_denied_again() -> None:
    run = Run((UNTRUSTED,), (STRANGE,))
    first = judged(call(SEND), SEND, verdict(SEND), approved=True, run=run)
    answered = frozenset(one.key for one in first.reasons)
    again = judged(call(SEND), SEND, verdict(SEND), approved=True, run=run, allowed_now=answered)
    assert (again.decision, again.unsuspected) == (ALLOW, False)
    run.denied.add("destination")
    assert told(judged(call(SEND), SEND, verdict(SEND), approved=True, run=run)) == ["repeated"]
    run.allowed.add("destination")
    assert judged(call(SEND), SEND, verdict(SEND), approved=True, run=run).decision is ALLOW


def test_private_data_on_its_way_out_asks_unless_the_approved_text_says_so() -> None:
    run = Run((PRIVATE,), (SECRET,))
    said = judged(call(SEND), SEND, verdict(SEND), rules=(rule(ALLOW, SEND, scope="session", session="s"),), run=run)
    assert told(said) == ["private"], "a rule about the tool says nothing of the data"
    assert judged(call(SEND), SEND, verdict(SEND), approved=True, run=run).decision is ALLOW
    run.values, run.not_said = (), (("body", "jd1980"),)
    said = judged(call(SEND), SEND, verdict(), approved=True, run=run)
    assert told(said) == ["unforeseen", "derived"]


def test_more_calls_than_the_text_says_ask() -> None:
    for number, expected in ((1, ALLOW), (2, ASK)):
        said = judged(call(ADD), ADD, verdict(ADD), approved=True, run=Run(), counted=CountedCall(number))
        assert said.decision is expected, number
    loop = verdict(ADD, often=True)
    assert judged(call(ADD), ADD, loop, approved=True, run=Run(), counted=CountedCall(9)).decision is ALLOW
    deletes = verdict(DELETE, often=True)
    assert told(judged(call(DELETE), DELETE, deletes, approved=True, run=Run())) == ["loop"]
    deletes = verdict(DELETE, times=2)
    for number, expected in ((1, ALLOW), (2, ALLOW), (3, ASK)):
        said = judged(call(DELETE), DELETE, deletes, approved=True, run=Run(), counted=CountedCall(number))
        assert said.decision is expected, number


# dry runs and their plans


def test_a_dry_run_answers_in_the_servers_place_whatever_does_more_than_read() -> None:
    for tool in TOOLS:
        for program in (verdict(tool), verdict()):
            said = judged(call(tool), tool, program, run=Run(), dry_run=True)
            harmless = tool is READ and program.tools
            assert (said.decision, said.stand_in) == (ALLOW, not harmless), tool


def test_a_run_does_of_its_plan_what_was_ticked_and_asks_about_the_rest() -> None:
    run = Run((UNTRUSTED,), (STRANGE,))
    for planned, expected in (
        (PlanMatch.EXACT, []),
        (PlanMatch.BY_PLACE, ["destination"]),
        (PlanMatch.NOWHERE, ["unforeseen", "plan", "destination"]),
    ):
        said = judged(call(SEND), SEND, verdict(), run=run, counted=CountedCall(1, planned))
        assert [name for name in told(said) if name != "content"] == expected, planned


# before a run


def test_what_is_certain_before_a_run_is_what_its_calls_meet() -> None:
    """Over rules and profiles: what `foresee` denies, `judge` denies; what it asks about, `judge` asks about."""
    words: Sequence[CallDecision | None] = (None, ALLOW, ASK, DENY)
    for tool, word, profile, required in product(TOOLS, words, (None, READ_ONLY), ((), ("demo.list_orders",))):
        rules = ToolRules(tool, (rule(word, tool, scope="session", session="s"),) if word else ())
        found = foresee(rules, profile, required, "s")
        bounded = replace(verdict(tool), profile=profile, required=required)
        met = judge(call(tool), CallContext(tool, rules, Settings(), verdict=bounded)).decision
        assert (found.decision is DENY) == (met is DENY), (tool.name, word, profile, required)
        if found.decision is ASK:
            assert met is ASK


# threads


@pytest.mark.usefixtures("quick_switches")
def test_a_judgement_on_a_thread_sees_one_moment_of_the_rules(tmp_path: Path) -> None:
    """While the loop makes and revokes a denial, threads judge: an answer fits the rules before or after a change, and
    after the last change every answer is the last one."""
    (tmp_path / "workspace").mkdir()
    rules = Rules(tmp_path / "permissions.json", tmp_path / "workspace")
    denial = rule(DENY, SEND, id="no", scope="session", session="s")
    allowing = rule(ALLOW, SEND, "arguments", where=(Predicate("to", "*@acme.com"),), id="yes", scope="session")
    rules.store_rule(replace(allowing, session="s"))
    program, over, wrong = verdict(SEND), threading.Event(), []

    def judging() -> None:
        while not over.is_set():
            said = judge(
                call(SEND),
                CallContext(SEND, rules.rules_for(SEND), Settings(), verdict=program, arguments={"to": "a@acme.com"}),
            )
            if said.decision is ASK or (said.decision is ALLOW and not said.used):
                wrong.append(said)

    threads = [threading.Thread(target=judging) for _ in range(3)]
    try:
        for thread in threads:
            thread.start()
        for _ in range(100):
            rules.store_rule(denial)
            assert rules.rules_for(SEND).judge({"to": "a@acme.com"}, "s").decision is DENY
            rules.revoke("no")
            assert rules.rules_for(SEND).judge({"to": "a@acme.com"}, "s").decision is ALLOW
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert not wrong
