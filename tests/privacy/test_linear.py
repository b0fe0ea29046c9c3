"""A megabyte made to be slow costs no more than a megabyte: work grows with the text, not with its square."""

from __future__ import annotations

import sys

import pytest

from workbench.privacy.vault import Vault

SHAPES = [
    "custom",
    "a@",
    "+1",
    "0",
    "1 ",
    "01 ",
    "[EMAIL_",
    "%40",
    "a@b.co",
    "QUFB",
    "\\u0040",
    "(415) 555-0132",
    "customer1@",
    "(",
    "a.b@",
]


def _steps(text: str) -> int:
    """How many lines of the room run: a measure of work that no busy machine can change."""
    vault, steps = Vault("s", key=b"k" * 32), 0
    vault.register({"email": "customer1@example.com", "phone": "+1 415 555 0132"}, "crm")

    def count(frame: object, event: str, argument: object) -> object:
        nonlocal steps
        steps += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)  # type: ignore[arg-type]
    try:
        vault.sanitize(text)
    finally:
        sys.settrace(before)
    return steps


@pytest.mark.parametrize("shape", SHAPES)
def test_work_grows_with_the_text(shape: str) -> None:
    small, large = _steps(shape * (2_000 // len(shape))), _steps(shape * (16_000 // len(shape)))
    assert large <= small * 8 * 1.5 + 2_000
