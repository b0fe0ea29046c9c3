"""What happens next, by the rules and by what the person has set."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from workbench.analysis.approval_gate import decide_gate, is_auto_approved_as_additive, isolation_risk
from workbench.analysis.verdict_bounds import Limits, bound
from workbench.permissions.call_rules import RuleAnswer
from workbench.permissions.run_profiles import EXECUTE_FULL, READ_ONLY, WRITE_RESTRICTED
from workbench.records import Gate, Risk, RunProfile, Verdict
from workbench.settings import Settings

ALL = Settings(approval_auto_low=True, approval_auto_medium=True)
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


@pytest.mark.parametrize("word", list(Gate))
@pytest.mark.parametrize("risk", RISKS)
@pytest.mark.parametrize("preferences", list(AUTO))
@pytest.mark.parametrize("profile", [READ_ONLY, WRITE_RESTRICTED, EXECUTE_FULL])
@pytest.mark.parametrize("force", [False, True])
def test_every_combination_of_gate_risk_preferences_profile_and_force(
    word: Gate, risk: Risk, preferences: tuple[bool, bool], profile: RunProfile, force: bool
) -> None:
    given = bound(verdict(risk, word), Limits(profile), lambda server, tool: None, lambda tool: RuleAnswer(None))
    found = decide_gate(
        given, Settings(approval_auto_low=preferences[0], approval_auto_medium=preferences[1]), force=force
    )
    if word in (Gate.BLOCKED, Gate.REFUSED):
        assert found is word  # no preference softens it, and no person is bothered with it
    elif force or profile.ask or risk not in AUTO[preferences]:
        assert found is Gate.ASK
    else:
        assert found is Gate.AUTO


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
