"""Pictures in a program's result are sent to the agent as images; other bytes are not sent."""

from __future__ import annotations

import base64
import json
import struct

from workbench.records import Content, RunState
from workbench.runs.answer_view import LARGEST, MOST, extract_pictures, picture_tokens

PNG = b"\x89PNG\r\n\x1a\n" + b"pixels"


def picture(data=PNG, mime="image/png", kind="image"):
    return {"type": kind, "mimeType": mime, "data": base64.b64encode(data).decode()}


def out(value, refusal=lambda data: ""):
    text, pictures = extract_pictures(json.dumps(value), refusal)
    return json.loads(text), pictures


def test_a_picture_is_taken_out_wherever_it_stands_and_named_there():
    value, pictures = out({"chart": [picture(), picture(b"GIF89a")], "n": 1})
    assert [one.mime for one in pictures] == ["image/png", "image/gif"], "by its bytes, not by its name"
    assert base64.b64decode(pictures[0].data) == PNG
    assert value["chart"][0]["data"] == "picture 1 of this answer, 14 bytes"
    assert value["chart"][1]["data"] == "picture 2 of this answer, 6 bytes"
    assert value["n"] == 1


def test_what_is_no_picture_or_too_much_stays_out_with_the_reason():
    many = [picture() for _ in range(MOST + 1)]
    blob = {"type": "resource", "resource": {"uri": "a", "mimeType": "x/y", "blob": "AAAA"}}
    for value, reason in (
        (picture(b"<svg/>", "image/svg+xml"), "not a PNG"),
        (picture(b"RIFF....WAVE", "audio/wav", "audio"), "only pictures"),
        (picture(PNG + bytes(LARGEST)), "larger"),
        (blob, "only pictures"),
    ):
        left, pictures = out(value)
        assert pictures == ()
        assert reason in json.dumps(left)
    assert len(out(many)[1]) == MOST
    assert "too many" in out(many)[0][-1]["data"]
    left, pictures = out(picture(), lambda data: "nobody may see it")
    assert (pictures, "nobody may see it" in left["data"]) == ((), True)


def test_a_value_without_pictures_stays_letter_by_letter():
    for text in ('{"data":  1.0}', "[1,2]", '"data"', '{"type":"image","mimeType":"a","data":"no base64"}', "{bad"):
        assert extract_pictures(text, lambda data: "") == (text, ())


def test_a_picture_costs_by_its_size() -> None:
    def of(data):
        return picture_tokens((Content("image", data=base64.b64encode(data).decode()),))

    def png(width, height):
        return PNG[:8] + struct.pack(">I4sII", 13, b"IHDR", width, height) + bytes(40)

    assert of(png(750, 100)) == 100
    assert of(png(9_000, 9_000)) == 1_600
    assert of(b"GIF89a" + struct.pack("<HH", 75, 20)) == 2
    assert of(b"\xff\xd8\xff" + bytes(60)) == 1_600
    assert of(b"GIF8") == 1_600


async def test_bytes_in_which_something_known_stands_are_kept_back(core):
    session = core.services.sessions.open("test agent")
    session.vault.register("write to ada.lovelace@example.org", "demo")
    hidden = PNG + b"tEXt Author ada.lovelace@example.org"
    code = f"from client import Image\nresult = [Image({PNG!r}), Image({hidden!r})]"
    done = await core.run_manager.wait_until_finished(core.run_manager.submit(code, session).id)
    assert done.state is RunState.DONE, done.fault
    assert len(core.run_manager.pictures(done.id)) == 1
    assert "its bytes contain personal data or a secret" in done.model_view


async def test_a_setting_keeps_all_pictures_here(core):
    await core.api.change_setting("privacy.pictures", False)
    session = core.services.sessions.open("test agent")
    run = core.run_manager.submit(f"from client import Image\nresult = Image({PNG!r})", session)
    done = await core.run_manager.wait_until_finished(run.id)
    assert core.run_manager.pictures(done.id) == ()
    assert "settings do not allow pictures in answers" in done.model_view
