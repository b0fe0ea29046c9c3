"""Which rules are marked as void, and that a tool nobody knows now marks none."""

from __future__ import annotations

from workbench.analysis.verdict import RULES
from workbench.permissions.call_rules import PYTHON, approval_basis, voided
from workbench.records import Gate, Hints, Permission, Risk, Tool, Verdict, Word

READER = Tool("shop", "list_orders", hints=Hints(read_only=True), hash="h")
VERDICT = Verdict("a" * 64, Risk.LOW, Gate.ASK, "Reads.", rules=RULES, definitions={"shop.list_orders": "h"})


def pin(*told: str) -> Permission:
    return Permission("p", "text", Word.ALLOW, key="k", about=told)


def test_a_pin_is_void_where_one_of_its_definitions_is_another_one() -> None:
    assert voided([pin(*approval_basis(VERDICT))], [READER], RULES) == {}
    assert voided([pin("shop.list_orders other")], [READER], RULES) == {
        "p": "the definition of shop.list_orders changed since"
    }
    assert voided([pin("shop.list_orders other")], [], RULES) == {}, "its server may only be stopped"


def test_a_pin_is_void_where_programs_are_judged_in_another_way() -> None:
    words = {"p": "programs are judged in another way since"}
    assert voided([pin("rules 0", f"python {PYTHON}")], [], RULES) == words
    assert voided([pin(f"rules {RULES}", "python 2.7")], [], RULES) == words


def test_rules_for_tools_are_marked_and_what_denies_never_is() -> None:
    allow = Permission("t", "tool", Word.ALLOW, "shop", "list_orders", key="old")
    deny = Permission("d", "tool", Word.DENY, "shop", "list_orders", key="old")
    assert voided([allow, deny], [READER], RULES) == {"t": "the tool's definition changed since"}
