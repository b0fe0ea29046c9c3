"""Where data of servers comes in: whatever a program or a person can read of an answer is known to the session first.

What is masked on its way to a model is what was learnt here, with the keys it came under; so nothing of an answer is
left out: structure, text, files and links in it, the notes inside of pictures, and the words of a failure.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlsplit

from workbench.privacy.value_store import Source
from workbench.records import Content, JsonValue, Outcome
from workbench.runs.picture_notes import parted
from workbench.runs.sessions import Session

_LONGEST_BLOB = 4_000_000  # characters of a file in an answer that are read
_LONGEST_PICTURE = 20_000_000  # the same of a picture, of which only the notes are


def register_outcome(session: Session, source: Source, outcome: Outcome) -> None:
    """Structured content is scanned with its keys; text that is JSON too, other text as it is."""
    if outcome.structured:
        session.register(outcome.structured, source, json.loads)
    alone = bool(outcome.structured) and all(block.kind == "text" for block in outcome.content)
    for block in () if alone else outcome.content:  # text beside structure says the same, and no program gets it
        for text in _texts(block):
            session.register(text, source, _parsed)
    if (fault := outcome.fault) is not None:
        for words in (fault.message, fault.hint, fault.detail):
            session.register(words, source, _parsed)


def _texts(block: Content) -> Iterator[str]:
    """All that can be read in one part of an answer."""
    yield from (text for text in (block.text, block.uri, block.name, block.note, _asked(block.uri)) if text)
    if block.kind == "resource" and 0 < len(block.data) <= _LONGEST_BLOB and (data := _bytes(block.data)):
        try:
            yield data.decode()
        except UnicodeDecodeError:
            yield from parted(data).notes  # a file that is a picture, or that nobody reads as text
    elif block.kind == "image" and 0 < len(block.data) <= _LONGEST_PICTURE:
        yield from parted(_bytes(block.data)).notes


def _asked(uri: str) -> str:
    """What an address asks for, by its names, as JSON."""
    if "?" not in uri:
        return ""
    try:
        asked = parse_qsl(urlsplit(uri).query, max_num_fields=200)
    except ValueError:
        return ""
    return json.dumps(dict(asked), ensure_ascii=False) if asked else ""


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text)
    except ValueError:
        return b""


def _parsed(text: str) -> JsonValue:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
