"""Which answers are sealed: by a person's rules, by settings, as a whole or by field."""

from __future__ import annotations

import pytest

from workbench.errors import WorkbenchError
from workbench.permissions.sealed_fields import check, sealed_fields, sentence
from workbench.privacy.sealed_values import WHOLE, fits
from workbench.records import CallDecision, Permission, Tool

LIST = Tool("crm", "list_customers")


def rule(tool: str = "list_customers", data: str = "", word: CallDecision = CallDecision.DENY) -> Permission:
    return Permission("r", "sealed", word, "crm", tool, data=data)


def test_rules_and_settings_add_up() -> None:
    assert sealed_fields(LIST, ()) == ()
    assert sealed_fields(LIST, (rule(data="email"), rule("other")), "crm.list_customers:phone mail:body") == (
        "email",
        "phone",
    )
    assert sealed_fields(LIST, (rule(data="email"),), "crm") == WHOLE
    assert sealed_fields(LIST, (rule(""),)) == WHOLE
    assert sealed_fields(LIST, (), lost=True) == WHOLE


@pytest.mark.parametrize(
    ("path", "place", "fitting"),
    [
        ("email", ("customers", "[]", "email"), True),
        ("customers[].email", ("customers", "[]", "email"), True),
        ("customers.email", ("customers", "[]", "email"), False),
        ("*[].email", ("customers", "[]", "email"), True),
        ("contact.*", ("contact", "phone"), True),
        ("contact.*", ("contact",), False),
        ("email", ("email", "verified"), False),
    ],
)
def test_a_path_names_a_place(path: str, place: tuple[str, ...], fitting: bool) -> None:
    assert fits(path, place) is fitting


def test_a_rule_is_one_sentence_and_a_senseless_one_is_refused() -> None:
    assert sentence(rule(data="email")) == "Programs get only tokens for “email” in answers of crm.list_customers."
    assert "all personal data in answers of any tool of crm" in sentence(rule(""))
    check(rule(data="customers[].email"), LIST)
    for wrong in (rule(word=CallDecision.ALLOW), rule(data="a b"), rule(data="x" * 300), rule(data="a..b")):
        with pytest.raises(WorkbenchError):
            check(wrong, LIST)
    with pytest.raises(WorkbenchError, match="no tool"):
        check(rule(), None)
