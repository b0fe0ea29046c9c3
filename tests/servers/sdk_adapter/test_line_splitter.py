"""Bytes become the same lines however they are cut into chunks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.servers.sdk_adapter.stdio_transport import LineSplitter, OversizedLine


@given(st.lists(st.binary(max_size=30).map(lambda part: part.replace(b"a", b"\n")), max_size=20))
def test_chunks_do_not_matter(chunks: list[bytes]) -> None:
    lines = LineSplitter(10_000)
    found = [line for chunk in chunks for line in lines.feed(chunk)]
    *whole, rest = b"".join(chunks).split(b"\n")
    assert found == whole
    assert lines.rest() == rest


@given(st.binary(max_size=100), st.integers(1, 20), st.integers(1, 30))
def test_a_line_over_the_limit_is_told_and_the_next_one_is_whole(long: bytes, limit: int, step: int) -> None:
    data = long.replace(b"\n", b"x") + b"\nnext\n"
    lines = LineSplitter(max(limit, 4))
    found = [line for start in range(0, len(data), step) for line in lines.feed(data[start : start + step])]
    assert found[1] == b"next"
    if len(long) > max(limit, 4):
        assert isinstance(found[0], OversizedLine)
        assert data.startswith(found[0].head)
    else:
        assert found[0] == data.split(b"\n")[0]


def test_a_line_without_end_is_told_at_once_and_costs_no_memory() -> None:
    lines = LineSplitter(1_000)
    found = [line for _ in range(10_000) for line in lines.feed(b"x" * 100)]
    assert found == [OversizedLine(b"x" * 512)]
    assert lines.rest() == b""
