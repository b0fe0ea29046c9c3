"""Whatever can be read of an answer is known before anything of it can go out."""

from __future__ import annotations

import base64
import json
import struct
import zlib

import pytest

from workbench.broker.agent_sessions import Sessions
from workbench.broker.answer_registration import register_outcome
from workbench.records import Content, Fault, Outcome

NAME = "Wilhelmina Qvortrup"  # no form gives it away
RECORD = json.dumps({"customer": {"name": NAME, "email": "w.q@example.org"}})


def note(text):
    data = b"tEXt" + text.encode()
    return struct.pack(">I", len(text)) + data + struct.pack(">I", zlib.crc32(data))


def picture(text):
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + note(text) + struct.pack(">I4sI", 0, b"IEND", 0)).decode()


PLACES = {
    "structured content": Outcome("c", True, structured=RECORD),
    "text content": Outcome("c", True, (Content("text", RECORD),)),
    "text beside structure and a picture": Outcome(
        "c", True, (Content("text", RECORD), Content("image", data="eA==")), '{"a": 1}'
    ),
    "an embedded text": Outcome("c", True, (Content("resource", RECORD, uri="a://b"),)),
    "an embedded file": Outcome("c", True, (Content("resource", data=base64.b64encode(RECORD.encode()).decode()),)),
    "an embedded picture": Outcome("c", True, (Content("resource", data=picture(RECORD)),)),
    "a link's address": Outcome("c", True, (Content("link", uri=f"a://b?name={NAME}&email=w.q@example.org"),)),
    "a link's note": Outcome("c", True, (Content("link", "x", uri="a://b", note=RECORD),)),
    "the notes of a picture": Outcome("c", True, (Content("image", data=picture(RECORD)),)),
    "an error": Outcome("c", False, fault=Fault(RECORD)),
    "an error's hint": Outcome("c", False, fault=Fault("No.", RECORD)),
    "a server's last words": Outcome("c", False, fault=Fault("No.", "", RECORD)),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_value_is_known_wherever_it_came_in(place):
    session = Sessions(lambda: True).open("test agent")
    register_outcome(session, "crm", PLACES[place])
    value = "w.q@example.org" if place == "a link's address" else NAME
    assert "_1." in session.mask(f"It was {value} who came."), place
    assert session.vault.restore_json(session.mask(value), "crm") == value, "and came from that server"


@pytest.mark.parametrize("data", ["no base64", "eA==", "A" * 5])
def test_bytes_that_are_none_teach_nothing(data):
    session = Sessions(lambda: True).open("test agent")
    for kind in ("image", "resource", "audio"):
        register_outcome(session, "crm", Outcome("c", True, (Content(kind, data=data),)))
    assert session.vault.found() == {}
