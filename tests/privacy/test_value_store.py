"""Encrypted values open for their session and token only."""

from __future__ import annotations

import base64

import pytest

from workbench.privacy.value_store import KEY, ValueCipher

MASTER = bytes(range(KEY))


def test_what_was_sealed_opens_again_and_shows_nothing() -> None:
    box = ValueCipher(MASTER, "agent-1")
    sealed = box.seal("[EMAIL_1.k7q2]", {"text": "rosa@corp.io \ud83d"})
    assert ValueCipher(MASTER, "agent-1", box.wrapped).open("[EMAIL_1.k7q2]", sealed) == {"text": "rosa@corp.io \ud83d"}
    assert b"rosa" not in base64.b64decode(sealed)
    assert sealed != box.seal("[EMAIL_1.k7q2]", {"text": "rosa@corp.io \ud83d"})


def test_what_was_moved_or_changed_or_is_under_another_key_does_not_open() -> None:
    box = ValueCipher(MASTER, "agent-1")
    sealed = box.seal("[EMAIL_1.k7q2]", "rosa")
    changed = base64.b64encode(base64.b64decode(sealed)[:-1] + b"\0").decode()
    for other, about, data in (
        (box, "[EMAIL_2.k7q2]", sealed),
        (box, "[EMAIL_1.k7q2]", changed),
        (ValueCipher(MASTER, "agent-1"), "[EMAIL_1.k7q2]", sealed),
        (box, "[EMAIL_1.k7q2]", "not base64"),
    ):
        with pytest.raises(ValueError, match=r"."):
            other.open(about, data)
    for master, session in ((bytes(KEY), "agent-1"), (MASTER, "agent-2")):
        with pytest.raises(ValueError, match="belongs to something else"):
            ValueCipher(master, session, box.wrapped)
