"""What a session masks, its token map restores: any text, any JSON value, in any pieces."""

from __future__ import annotations

import io
import json
import os
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.privacy.user_marks import StartRules
from workbench.text_masking import file_masking
from workbench.text_masking.file_masking import Format, change_document
from workbench.text_masking.masking_session import MaskingSession
from workbench.text_masking.token_map import TokenMap

EXAMPLES = int(os.environ.get("PRIVACY_EXAMPLES", "60"))
PARTS = st.sampled_from([
    "rosa@example.com", "[EMAIL_1.aaaa]", "%5BIP_2.bbbb%5D", "+44 20 7946 0958", "password=hunter2!", "Dear Rosa Lund,",
    "203.0.113.7", "\n", " ", ";", "[", "]", "EMAIL_1.", "\\u0041", "İ", "dapi" + "0123456789abcdef" * 2, "1,2\n",
])  # fmt: skip
TEXTS = st.lists(PARTS | st.text(max_size=8), max_size=12).map("".join)
LEAVES = st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False) | TEXTS
KEYS = st.sampled_from(["email", "name", "phone", "id", "note"])
VALUES: st.SearchStrategy[Any] = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)


@given(TEXTS)
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_masked_text_is_restored(text: str) -> None:
    session = MaskingSession(StartRules())
    masked = session.mask(text)
    token_map = TokenMap(session.values(masked))
    assert token_map.restore(masked) == text
    assert token_map.unknown == set()


@given(VALUES)
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_masked_json_value_is_restored(value: Any) -> None:
    session = MaskingSession(StartRules())
    masked = session.mask(value)
    restored = TokenMap(session.values(masked)).restore(masked)
    assert json.dumps(restored) == json.dumps(value)


@given(st.lists(TEXTS, max_size=6).map("".join), st.integers(1, 40), st.sampled_from([Format.TEXT, Format.CSV]))
@settings(max_examples=EXAMPLES, deadline=None)
def test_pieces_together_are_the_text(text: str, size: int, format: Format) -> None:
    whole, piece = file_masking.WHOLE, file_masking.PIECE
    file_masking.WHOLE, file_masking.PIECE = 2 * size, size  # type: ignore[misc]
    try:
        seen = "".join(change_document(io.StringIO(text, newline=""), "x", format, lambda one: one.value))
    finally:
        file_masking.WHOLE, file_masking.PIECE = whole, piece  # type: ignore[misc]
    assert seen == text
