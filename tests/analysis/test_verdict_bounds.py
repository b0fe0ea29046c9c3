"""Verdicts within bounds: what goes back to its author, what the sandbox refuses, what asks, what rules settle."""

from __future__ import annotations

from msgspec.structs import replace

from workbench.analysis.reading import assess
from workbench.analysis.verdict_bounds import Limits, bound
from workbench.permissions.call_rules import Foreseen, ToolRules
from workbench.permissions.judgement import foresee
from workbench.permissions.run_profiles import EXECUTE_FULL, READ_ONLY, WRITE_RESTRICTED
from workbench.records import EffectKind, Gate, Hints, Risk, Tool, Verdict, Word

SEND = Tool("mail", "send_email", hash="m")
LIST = Tool("shop", "list_orders", hints=Hints(read_only=True), hash="l")
TOOLS = (SEND, LIST)
DENIED = Foreseen(Word.DENY, "Denied by your rule: No.", "Do without shop.list_orders.")
READING = "from servers.shop import list_orders\nresult = await list_orders()\n"
SENDING = "from servers.mail import send_email\nawait send_email(to='bob@acme.com')\n"
WRITING = "open('workspace/a.txt', 'w').write('x')\n"


def bounded(code: str, limits: Limits, *, reach: bool = True, **words: Foreseen) -> Verdict:
    def find(server: str, name: str) -> Tool | None:
        return next((tool for tool in TOOLS if (tool.server, tool.name) == (server, name)), None)

    def foreseen(tool: Tool) -> Foreseen:
        return words.get(tool.name) or foresee(ToolRules(tool), limits.profile, limits.required, "")

    return bound(assess(code, TOOLS, () if reach else None), limits, find, foreseen)


def test_within_the_usual_bounds_a_verdict_stays_as_it_is() -> None:
    plain = assess(SENDING, TOOLS, ())
    assert replace(bounded(SENDING, Limits(WRITE_RESTRICTED)), profile=None) == plain


def test_a_tool_outside_the_profile_goes_back_to_the_author_with_its_line() -> None:
    found = bounded(SENDING, Limits(READ_ONLY))
    assert (found.gate, found.findings[0].rule, found.findings[0].span.line) == (Gate.BLOCKED, "bounds", 2)
    assert found.sentence.startswith("Cannot run: The profile read_only calls tools that only read; mail.send_email")


def test_a_tool_that_is_not_required_goes_back_too_and_a_required_one_does_not() -> None:
    assert bounded(SENDING, Limits(WRITE_RESTRICTED, ("shop.list_orders",))).gate is Gate.BLOCKED
    assert bounded(SENDING, Limits(WRITE_RESTRICTED, ("mail.send_email",))).gate is Gate.ASK


def test_what_nobody_read_is_not_returned_because_of_a_name_in_it() -> None:
    assert bounded(SENDING, Limits(READ_ONLY, read=False)).gate is Gate.ASK


def test_the_sandbox_refuses_to_write_where_only_reading_is_mounted() -> None:
    found = bounded(WRITING, Limits(READ_ONLY))
    assert (found.gate, found.effects[0].kind) == (Gate.REFUSED, EffectKind.REFUSED)
    assert "not writable in read_only" in found.effects[0].text
    assert bounded(WRITING, Limits(WRITE_RESTRICTED)).gate is Gate.ASK


def test_scratch_files_are_written_in_every_profile() -> None:
    assert bounded("open('/tmp/a.txt', 'w').write('x')\n", Limits(READ_ONLY)).gate is Gate.AUTO


def test_a_denied_tool_goes_back_with_the_rule() -> None:
    found = bounded(READING, Limits(WRITE_RESTRICTED), list_orders=DENIED)
    assert found.gate is Gate.BLOCKED
    assert "Denied by your rule: No. Do without shop.list_orders" in found.sentence


def test_what_a_rule_allows_is_told_and_weighs_no_more() -> None:
    allowed = Foreseen(Word.ALLOW, "Allowed by your rule: To Bob.", depends=True)
    found = bounded(SENDING, Limits(WRITE_RESTRICTED), send_email=allowed)
    assert found.allowed == ("Allowed by your rule: To Bob. Its real arguments are looked at when it is called.",)
    assert (found.risk, found.unsettled) == (Risk.HIGH, Risk.LOW)


def test_a_rule_about_a_tool_settles_nothing_else() -> None:
    allowed = Foreseen(Word.ALLOW, "Allowed.")
    found = bounded(SENDING + WRITING, Limits(WRITE_RESTRICTED), send_email=allowed)
    assert found.unsettled is Risk.MEDIUM


def test_a_person_is_asked_for_a_rule_a_profile_a_wider_profile_and_lost_rules() -> None:
    asked = Foreseen(Word.ASK, "Asks because of your rule: Ask.")
    found = bounded(READING, Limits(EXECUTE_FULL, wider="Wider.", lost=True), list_orders=asked)
    assert found.asks == (
        "Asks because of your rule: Ask.",
        "What you allow and forbid cannot be read, so everything asks.",
        "The profile execute_full always asks.",
        "Wider.",
    )
