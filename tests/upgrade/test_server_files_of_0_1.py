"""Files about servers that version 0.1 wrote: pins, history of definitions, consents, caches. An entry that was damaged
since is left out without the others.
"""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from workbench.records import ServerConfig
from workbench.servers import server_cache
from workbench.servers.configuration.launch_consents import LaunchConsents
from workbench.servers.server_cache import ServerCache
from workbench.servers.tool_definitions.definition_history import DefinitionHistory
from workbench.servers.tool_definitions.definition_pins import DefinitionPins

ARCHIVE = Path(__file__).with_name("state-0.1.tar.xz")
FOLDERS = ("pins/", "moments/", "catalogue/", "allowed.json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The state and cache of the one project, in one folder."""
    with tarfile.open(ARCHIVE) as archive:
        wanted = [one for one in archive.getmembers() if any(f"/{name}" in one.name for name in FOLDERS)]
        for one in wanted:
            one.name = one.name.split("/", 3)[3]
        archive.extractall(tmp_path, wanted, filter="data")
    return tmp_path


def change(folder: Path, edit: Any) -> dict[str, Any]:
    """The content of the only file of a folder, after an edit."""
    (file,) = folder.iterdir()
    content = json.loads(file.read_text())
    edit(content)
    file.write_text(json.dumps(content))
    return content


def cached(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the cache knows; the built-in server's fingerprint holds the interpreter, which is another one here."""
    (name,) = {file.name.partition(".")[0] for file in (folder / "catalogue").iterdir()}
    monkeypatch.setattr(server_cache, "fingerprint", lambda config: name)
    return ServerCache(folder / "catalogue").recall(ServerConfig("demo", "run"))


def test_pins_are_read_and_a_damaged_one_blocks_its_tool_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = cached(folder, monkeypatch).tools
    pins = DefinitionPins("demo", folder / "pins")
    pins.load()
    assert pins.take(tools) == tools
    assert pins.loss() is None
    assert not any(pins.blocked(tool.name) or not pins.is_seen(tool.name) for tool in tools)
    change(folder / "pins", lambda content: content["tools"]["list_customers"].update(at="yesterday"))
    damaged = DefinitionPins("demo", folder / "pins")
    damaged.load()
    damaged.take(tools)
    assert [tool.name for tool in tools if damaged.blocked(tool.name)] == ["list_customers"]
    assert damaged.loss() is not None


async def test_the_history_is_read_without_its_damaged_moments(folder: Path) -> None:
    kept = await DefinitionHistory("demo", folder / "moments").list()
    assert len(kept) > 0
    assert kept[0].tools > 20
    change(folder / "moments", lambda content: content["then"].append(["now", {}]))
    assert await DefinitionHistory("demo", folder / "moments").list() == kept


def test_consents_are_read(folder: Path) -> None:
    stored = json.loads((folder / "allowed.json").read_text())
    consents = LaunchConsents(folder / "allowed.json")
    consents.read()
    consents.give(ServerConfig("other", "run"))
    written = json.loads((folder / "allowed.json").read_text())
    assert {key: {**entry, "files": None} for key, entry in stored.items()} == {key: written[key] for key in stored}


def test_the_cache_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = cached(folder, monkeypatch)
    assert (found.title, found.era, found.way) == ("Demo company", "legacy", "stdio")
    assert len(found.tools) > 20
    assert found.offers.resources
    assert found.offers.prompts
