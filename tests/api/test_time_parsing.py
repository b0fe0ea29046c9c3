"""Times as people type them."""

from __future__ import annotations

from datetime import datetime

import pytest

from workbench.api.client_texts import parse_time

NOW = datetime(2026, 11, 5, 14, 30).timestamp()


@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("30m", datetime(2026, 11, 5, 14, 0)),
        ("7d", datetime.fromtimestamp(NOW - 7 * 86_400)),
        ("today", datetime(2026, 11, 5)),
        ("yesterday", datetime(2026, 11, 4)),
        ("2026-11-01", datetime(2026, 11, 1)),
        ("2026-11-01T09:15", datetime(2026, 11, 1, 9, 15)),
    ],
)
def test_a_time_is_read_as_it_is_typed(text: str, then: datetime) -> None:
    assert parse_time(text, NOW) == then.timestamp()


@pytest.mark.parametrize("text", ["", "d", "soon", "7y", "9" * 9 + "d", "2026-13-01"])
def test_what_is_no_time_is_none(text: str) -> None:
    assert parse_time(text, NOW) is None
