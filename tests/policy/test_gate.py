"""What happens next, by the rules and by what the person has set."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.policy.gate import gate
from workbench.records import Gate, Risk, Verdict
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
    assert gate(verdict(risk), settings) is expected
    assert gate(replace(verdict(risk), gate=Gate.AUTO), settings) is expected


@pytest.mark.parametrize("word", [Gate.BLOCKED, Gate.REFUSED])
def test_no_setting_softens_blocked_or_refused(word: Gate) -> None:
    assert gate(verdict(Risk.LOW, word), ALL) is word
