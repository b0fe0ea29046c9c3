"""Walks the chain where nothing is wrong with it, as fast as Python can, and stops before whatever looks odd.

SQLite writes the texts of an entry as one JSON list, so that Python makes one text of it instead of nine. It says only
how far all was well, because the bytes that it hashed are then the very bytes that were hashed when the entry was
written; why an entry looks odd, or that it is well for all that, is said by `verify.py`.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from hashlib import sha256
from json.encoder import encode_basestring_ascii

from workbench.audit.audit_database import DAMAGE

GAP = "audit.gap"  # kind of the entry that notes, at the next start, that entries had gone

_COLUMNS = """
    seq, at, ok, ms, tokens, json_array(kind, summary, actor, session, run_id, server, tool, risk, detail),
    previous, hash
"""
_ALL = f"SELECT {_COLUMNS} FROM entries WHERE seq <= ? ORDER BY seq"
_FROM = f"SELECT {_COLUMNS} FROM entries WHERE seq <= ? AND seq > ? ORDER BY seq"
_BETWEEN, _APART = '","', '", "'  # two texts of a list, as SQLite and as Python write them; within a text it has a \\
_ODD_KIND = f'["{GAP}"'


def stride(store: sqlite3.Connection, seq: int, previous: str, last: int) -> tuple[int, str]:
    """Number and hash of the entry up to which everything fits; nothing behind `last` is looked at."""
    with suppress(*DAMAGE, TypeError, AttributeError):  # AttributeError: of what is no text where one belongs
        rows = store.execute(_FROM, (last, seq)) if seq else store.execute(_ALL, (last,))
        for number, at, ok, ms, tokens, texts, before, digest in rows:
            if not texts.isascii():
                texts = _escaped(texts)
            words, _, detail = texts[1:].rpartition(_BETWEEN)
            hashed = (
                f'["{before}", {number!r}, {at!r}, {words.replace(_BETWEEN, _APART)}", {ok!r}, {ms!r}, {tokens!r}, '
                f'"{detail}'
            )
            if digest != sha256(hashed.encode()).hexdigest() or before != previous or number != seq + 1:
                break
            if texts.startswith(_ODD_KIND):
                break
            seq, previous = number, digest
    return seq, previous


def _escaped(texts: str) -> str:
    """As Python writes it: quotes and backslashes are escaped already, what is not ASCII is not."""
    twice = encode_basestring_ascii(texts)[1:-1]
    return twice.replace("\\\\", "\0").replace('\\"', '"').replace("\0", "\\")
