"""Frames are decoded unchanged for any split of the bytes. Invalid frames are refused before they cost memory."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.sandbox.file_transfer.transfer_frames import LARGEST_PIECE, TransferFault, TransferReader, pack


@given(st.lists(st.binary(max_size=300), max_size=5), st.integers(1, 50))
def test_parcels_survive_being_cut_anywhere(pieces: list[bytes], step: int) -> None:
    stream = b"".join(pack("data", piece, path="ä/b") for piece in pieces)
    reader = TransferReader()
    found = [
        transfer_frame for at in range(0, len(stream), step) for transfer_frame in reader.feed(stream[at : at + step])
    ]
    assert [data for _, data in found] == pieces
    assert all(head["kind"] == "data" and head["path"] == "ä/b" for head, _ in found)


@pytest.mark.parametrize(
    "stream",
    [
        struct.pack(">I", 1 << 30),
        struct.pack(">I", 5) + b"[1,2]",
        struct.pack(">I", 2) + b"{}",
        struct.pack(">I", 4) + b"rubb",
        struct.pack(">I", 70) + b"[" * 70,
        pack("data", size=-1),
        pack("data", size=LARGEST_PIECE + 1),
        pack("data", size=True),
    ],
)
def test_what_is_no_parcel_is_refused(stream: bytes) -> None:
    with pytest.raises(TransferFault):
        list(TransferReader().feed(stream))


@given(st.binary(max_size=400))
def test_no_bytes_do_more_than_be_refused(stream: bytes) -> None:
    reader = TransferReader()
    try:
        for head, data in reader.feed(stream):
            assert isinstance(head["kind"], str)
            assert len(data) <= LARGEST_PIECE
    except TransferFault:
        return
