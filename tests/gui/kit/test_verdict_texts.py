"""A verdict within bounds says so beside its sentence; a usual one says nothing more."""

from __future__ import annotations

from workbench.gui.kit.wording import bounds_words
from workbench.permissions.run_profiles import READ_ONLY, WRITE_RESTRICTED, described
from workbench.records import Gate, Risk, Verdict

PLAIN = Verdict("sha", Risk.LOW, Gate.AUTO, "Reads.", profile=WRITE_RESTRICTED)


def test_what_is_usual_needs_no_words() -> None:
    assert bounds_words(PLAIN) == ""


def test_why_it_asks_what_is_allowed_and_its_bounds_are_said() -> None:
    within = Verdict(
        "sha", Risk.LOW, Gate.AUTO, "", profile=described(READ_ONLY), required=("demo.list_orders",),
        allowed=("Allowed by a rule: x.",), asks=("It asks.",),
    )  # fmt: skip
    assert bounds_words(within).split("\n") == [
        "It asks.",
        "Allowed by a rule: x.",
        "May call only demo.list_orders.",
        f"Runs with the profile read_only: {described(READ_ONLY).sentence}",
    ]
