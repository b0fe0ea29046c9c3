"""Results with typed content blocks inside the sandbox, in Python and in TypeScript, at any size."""

from __future__ import annotations

import base64
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.records import Limits, Tool
from workbench.sandbox.deno import deno_backend
from workbench.sandbox.program import JsonText
from workbench.wrappers.python_package import write_package

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
PARTS = [
    {"type": "text", "text": '{"a": 1}'},
    {"type": "image", "mimeType": "image/png", "data": base64.b64encode(PNG).decode()},
    {"type": "audio", "mimeType": "audio/wav", "data": "UklGRg=="},
    {"type": "resource", "resource": {"uri": "file:///n.txt", "mimeType": "text/plain", "text": "notes"}},
    {"type": "resource", "resource": {"uri": "file:///n.bin", "mimeType": "a/b", "blob": "AAE="}},
    {"type": "resource_link", "uri": "file:///far", "name": "far", "description": "Not here."},
]


async def parts(what: str, wish: Any) -> Any:
    match wish.get("tool"):
        case "structured":
            return JsonText(json.dumps([{"n": 1}, PARTS[:2]]), "structured")
        case "large":
            data = base64.b64encode(bytes(10_000_000)).decode()
            return JsonText(json.dumps([{"type": "image", "mimeType": "image/png", "data": data}]), "blocks")
        case "bad":
            return JsonText('[{"type": "image", "mimeType": "image/png", "data": "A"}]', "blocks")
    return JsonText(json.dumps(PARTS), "blocks")


async def test_parts_have_the_attributes_that_programs_want(native: Any) -> None:
    code = """
from client import Audio, Blocks, Image, Link, Resource, Text
all = await call_tool("s", "t")
text, image, sound, note, blob, link = all
assert isinstance(all, Blocks), type(all)
assert [type(part) for part in all] == [Text, Image, Audio, Resource, Resource, Link]
assert (text.text, text.json(), str(text)) == ('{"a": 1}', {"a": 1}, '{"a": 1}')
assert (image.mime_type, image.data[:4], len(image.data)) == ("image/png", b"\\x89PNG", 264)
assert image["data"] == image.base64 and all.images == [image] and all.audio == [sound]
assert (sound.mime_type, sound.data) == ("audio/wav", b"RIFF")
assert (note.uri, note.text, note.data, note.mime_type) == ("file:///n.txt", "notes", b"notes", "text/plain")
assert (blob.text, blob.data) == ("", b"\\0\\1")
assert (link.uri, link.name, link.title, link.description) == ("file:///far", "far", "far", "Not here.")
assert all.text == '{"a": 1}\\nnotes' and all.links == [link] and all.resources == [note, blob]
print(all[1:3], link)
try:
    all.save("x.png")
except ValueError as fault:
    print(fault)
saved = [image.save("workspace/deep/x.png"), note.save("n.txt")]
assert open("workspace/deep/x.png", "rb").read() == image.data
result = [saved, image, Image(image.data)["mimeType"], Image(b"GIF89a").mime_type]
"""
    ending = await native.run(code, answer=parts)
    assert ending.ok, (ending.message, ending.traceback)
    assert json.loads(ending.result) == [["deep/x.png", "n.txt"], PARTS[1], "image/png", "image/gif"]
    assert ending.output.splitlines() == [
        "[<Image image/png, 264 bytes>, <Audio audio/wav, 4 bytes>] <Link file:///far, far>",
        "4 parts of this answer hold bytes; choose one, for example .images[0].",
    ]
    assert (native.project / "workspace/deep/x.png").read_bytes() == PNG


async def test_structure_stays_a_dict_and_keeps_the_parts_beside_it(native: Any) -> None:
    code = """
found = await call_tool("s", "structured")
match found:
    case {"n": n}:
        result = [n, found, len(found.content.images[0].data), found.content.mime_type]
"""
    ending = await native.run(code, answer=parts)
    assert json.loads(ending.result) == [1, {"n": 1}, 264, "image/png"], ending


async def test_ten_megabytes_arrive_and_leave(native: Any) -> None:
    code = "large = await call_tool('s', 'large')\nassert len(large.data) == 10_000_000\nresult = large[0]"
    ending = await native.run(code, answer=parts)
    assert ending.ok, ending.message
    assert len(json.loads(ending.result)["data"]) > 13_000_000


async def test_bytes_that_are_none_are_a_sentence_where_they_are_used(native: Any) -> None:
    ending = await native.run("bad = await call_tool('s', 'bad')\nprint(len(bad))\nbad.data", answer=parts)
    assert ending.output == "1\n"
    assert (ending.error_type, "no bytes" in ending.message) == ("ValueError", True)


async def test_typescript_gets_the_same_parts(open_room: Callable[[str], Awaitable[Any]]) -> None:
    if not deno_backend.runtime():
        pytest.skip("Deno is not installed (the extra `typescript`)")
    room = await open_room("native")
    room.language = "typescript"
    code = """
const all = await callTool("s", "t");
const [text, image, sound, note, blob, link] = all;
const structured = await callTool("s", "structured");
let words = "";
try { await all.save("x"); } catch (fault) { words = fault.message; }
const bad = await callTool("s", "bad");
try { bad.data; } catch (fault) { words += fault.message; }
result = [
  text.json(), image.data instanceof Uint8Array, image.data.length, image.mimeType, sound.data.length,
  [note.text, note.data.length, blob.data[1]], [link.uri, link.name], all.text, all.images.length,
  await image.save("deep/y.png"), structured, structured.content.images[0].data.length, words, image,
  new Image(image.data).mimeType, (await callTool("s", "large")).data.length,
];
"""
    ending = await room.run(code, Limits(seconds=60, cpu_seconds=15, memory_mb=512, disk_mb=16), answer=parts)
    assert ending.ok, (ending.message, ending.traceback)
    found = json.loads(ending.result)
    assert found[:5] == [{"a": 1}, True, 264, "image/png", 4]
    assert found[5:9] == [["notes", 5, 1], ["file:///far", "far"], '{"a": 1}\nnotes', 1]
    assert found[9:12] == ["deep/y.png", {"n": 1}, 264]
    assert ("4 parts of this answer" in found[12], "no bytes" in found[12]) == (True, True)
    assert found[13:] == [PARTS[1], "image/png", 10_000_000]
    assert (room.project / "workspace/deep/y.png").read_bytes() == PNG


async def test_of_344_tools_only_those_imported_are_read(native: Any) -> None:
    tools = [Tool("large-hub", f"tool_{at}", description="One of many.") for at in range(344)]
    write_package("large-hub", tools, Path(native.project, "servers"))
    code = """
import sys
def read():
    return sorted(name for name in sys.modules if name.startswith("servers.large_hub"))
import servers.large_hub
first = read()
from servers.large_hub import tool_7
from servers.large_hub.tool_9 import tool_9
await tool_7({"a": 1})
result = [first, read(), len(dir(servers.large_hub))]
"""
    ending = await native.run(code)
    assert ending.ok, ending.message
    package = "servers.large_hub"
    assert json.loads(ending.result) == [[package], [package, f"{package}.tool_7", f"{package}.tool_9"], 344]
