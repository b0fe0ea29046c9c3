"""Forms of elicitation requests: supported schemas, and validation of values."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.servers.elicitation import form_schema

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def field(**words: object) -> dict:
    return {"type": "object", "properties": {"it": words}}


def test_a_flat_object_of_plain_fields_can_be_asked(booking):
    schema = booking["requestedSchema"]
    assert form_schema.flaw(schema) == ""
    assert form_schema.flaw({}) == ""
    several = {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]}}
    assert form_schema.flaw({"type": "object", "properties": {"it": several}}) == ""


def test_what_no_form_can_show_is_refused_with_the_field():
    assert "'it' is not a supported field" in form_schema.flaw(field(type="object", properties={}))
    assert "'it' is a list" in form_schema.flaw(field(type="array", items={"type": "string"}))
    assert "more than 500" in form_schema.flaw(field(enum=[str(n) for n in range(501)]))
    assert "at most 60" in form_schema.flaw({"properties": {str(n): {"type": "string"} for n in range(61)}})
    assert "characters" in form_schema.flaw(field(type="string", description="x" * 70_000))
    assert form_schema.flaw([])
    assert form_schema.flaw({"type": "string"})
    assert form_schema.flaw({"properties": []})
    assert form_schema.flaw({"properties": {}, "required": "name"})


def test_a_right_answer_has_no_faults(booking):
    schema = booking["requestedSchema"]
    assert (
        form_schema.faults(
            schema, {"name": "Ada", "seats": 2, "when": "2026-01-31", "meal": "soup", "extras": ["wine"]}
        )
        == ()
    )


def test_each_fault_names_its_field(booking):
    schema = booking["requestedSchema"]
    wrong = {"name": "A", "seats": 10, "when": "soon", "meal": "cake", "extras": ["wine", "beer"], "card": "4111"}
    assert form_schema.faults(schema, wrong) == (
        "name must have at least 2 characters.",
        "seats must be at most 9.",
        "when must be a date such as 2026-01-31.",
        "meal must be one of the choices.",
        "extras must contain only given choices.",
        "extras must have at most 1 entries.",
        "card is not a field of the form.",
    )
    assert form_schema.faults(schema, {}) == ("name is required.", "seats is required.")
    assert form_schema.faults(schema, ["no"]) == ("The answer must be an object.",)


def test_formats_are_checked():
    for wanted, right, wrong in (
        ("email", "ada@example.org", "ada"),
        ("uri", "https://example.org/x", "example"),
        ("date", "2024-02-29", "2023-02-29"),
        ("date-time", "2026-01-31T09:00:00Z", "2026-01-31T09:00:00"),
    ):
        assert form_schema.faults(field(type="string", format=wanted), {"it": right}) == ()
        assert len(form_schema.faults(field(type="string", format=wanted), {"it": wrong})) == 1, wanted


def test_true_is_no_number_and_one_is_not_yes():
    assert form_schema.faults(field(type="integer"), {"it": True}) == ("it must be a whole number.",)
    assert form_schema.faults(field(type="number"), {"it": 1e309}) == ("it must be a number.",)
    assert form_schema.faults(field(type="integer"), {"it": 2.0}) == ()
    assert form_schema.faults(field(type="boolean"), {"it": 1}) == ("it must be true or false.",)
    assert form_schema.faults(field(oneOf=[{"const": 1}]), {"it": True}) == ("it must be one of the choices.",)


def test_only_defaults_that_would_be_right_are_proposed(booking):
    schema = booking["requestedSchema"]
    assert form_schema.defaults(schema) == {"seats": 2}
    assert form_schema.defaults(field(type="integer", default="many")) == {}


@given(JSON, JSON)
def test_no_schema_and_no_answer_breaks_the_check(schema, answer):
    for one in (schema, {"type": "object", "properties": {"it": schema}}, {"type": "object", "properties": schema}):
        if form_schema.flaw(one) == "":
            form_schema.faults(one, answer)
            form_schema.faults(one, {"it": answer})
            form_schema.defaults(one)
