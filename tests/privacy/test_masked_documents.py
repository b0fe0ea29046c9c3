"""A document is masked, and each masked value is listed with its kind, place and reason."""

from __future__ import annotations

from workbench.privacy.masked_documents import mask_document, masked_spans
from workbench.privacy.vault import Vault
from workbench.records import JsonValue


def masked(value: JsonValue) -> tuple[JsonValue, list[tuple[str, int, int, str]]]:
    vault = Vault("test")
    clean = mask_document(vault, value)
    return clean, [(one.pointer, one.start, one.end, one.kind) for one in masked_spans(vault, value, clean)]


def test_a_text_is_masked_and_its_values_are_listed() -> None:
    clean, spans = masked("to rosa@example.com")
    assert str(clean).startswith("to [EMAIL_1.")
    assert spans == [("", 3, 19, "EMAIL")]


def test_a_json_value_is_read_with_its_keys() -> None:
    clean, _ = masked({"customer": {"name": "Rosa"}, "id": "ORD-00001"})
    assert isinstance(clean, dict)
    assert clean["id"] == "ORD-00001"
    assert "Rosa" not in str(clean)


def test_the_values_of_a_json_value_have_pointers() -> None:
    value: JsonValue = {
        "to/cc": [{"email": "rosa@example.com"}],
        "text": "[EMAIL_1.aaaa] of rosa@example.com",
        "phone": 2025550143,
    }
    assert masked(value)[1] == [
        ("/to~1cc/0/email", 0, 16, "EMAIL"),
        ("/text", 18, 34, "EMAIL"),
        ("/phone", 0, 10, "PHONE"),
    ]


def test_each_value_has_a_reason() -> None:
    value: JsonValue = {"customer": {"name": "Rosa Lund", "note": "see dapi" + "0123456789abcdef" * 2}}
    vault = Vault("test")
    reasons = {one.kind: one.reason for one in masked_spans(vault, value, mask_document(vault, value))}
    assert reasons == {"NAME": "its key", "SECRET": "Databricks API token"}
