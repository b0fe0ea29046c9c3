"""Every way from the workbench to an agent: a value that a server planted does not come through it.

One real core, one real server that lets a person's data out wherever it can, one agent. All bytes that the agent gets
are looked at, not only the texts a client would show.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
import socket
import sys
from pathlib import Path
from typing import Any

import mcp.types as T
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from msgspec.structs import replace
from pydantic import TypeAdapter

from tests.agent.conftest import as_it_is
from workbench.agent.message_stream import messages
from workbench.core import Core
from workbench.events import RunChanged, spawn
from workbench.paths import OVERRIDE, paths_of
from workbench.records import Decision, RunState

NAME, MAIL = "Wilhelmina Qvortrup", "wilhelmina@qvortrup.org"  # the name has no form that gives it away
PLANTED = re.compile(rb"wilhelm|qvortr", re.IGNORECASE)
SERVER = str(Path(__file__).resolve().parent.parent / "mcp_servers" / "planting.py")
KNOWN = "from servers.plant import record\nperson = (await record())['customer']\n"
TOKEN = re.compile(r"\[(?:NAME|EMAIL)_\d+\.\w{4}\]")
DENY = "# to be denied\n"
DEPTHS = ("name", "description", "full")
SLICES = range(990, 1_060, 6)
QUIET = {  # channels in whose words nothing was to be said of anybody: the value was beside them
    *("pictures", "log notifications", "a server's last words", "faults of a text", "everything"),
    *("search results: name", "log levels", "methods that do not exist", "prompts that do not exist"),
    "resources that do not exist",
}

PROGRAMS = {
    "return values": KNOWN + "result = [person, {person['name']: person['email']}]",
    "printed text": KNOWN + "print(person['name'], 'lives in', person['city'], person)",
    "standard error": KNOWN + "import sys\nprint(person['name'], person['email'], file=sys.stderr)",
    "tracebacks": KNOWN + "def broken(who):\n    raise ValueError(f'bad {who}')\nbroken(person['name'])",
    "exception chains": KNOWN
    + "try:\n    {}[person['name']]\nexcept KeyError as fault:\n    raise RuntimeError(person['email']) from fault",
    "server error texts": KNOWN + "from servers.plant import fails\nawait fails()",
    "refusals of a server": KNOWN + "from servers.plant import refuses\nawait refuses()",
    "file names and folders": KNOWN
    + "import os\nos.makedirs(f\"workspace/{person['name']}\")\nopen(f\"workspace/{person['name']}/{person['email']}\","
    " 'w').close()\nprint(list(os.walk('workspace')))\nopen(f\"workspace/{person['name']}/none\")",
    "files read back": KNOWN + "import json\nopen('workspace/c.json', 'w').write(json.dumps(person))\n"
    "print(open('workspace/c.json').read()[9:])",
    "resource contents": "from servers.plant import attached\nparts = await attached()\nprint(parts)\n"
    "import base64\nresult = [str(parts), base64.b64decode(parts[1]['resource']['blob']).decode()]",
    "pictures": "from servers.plant import picture\nresult = (await picture()).images[0]",
    "log notifications": "from servers.plant import speaks\nresult = await speaks()",
    "a server's last words": "from servers.plant import dies\nawait dies()",
    "search inside a program": "from tool_discovery import search_tools\nprint(search_tools('about record', 'full'))",
    "definitions inside a program": "from tool_discovery import get_tool_definition\n"
    "print(get_tool_definition('plant.about'))",
    "notes that quote code": KNOWN.replace("record()", f"record(nmae='{MAIL}')"),
    "faults of a text": f"who = '{MAIL}' +",
    "a person's reasons": DENY + KNOWN,
}


class Tee(asyncio.StreamReader):
    """Keeps what comes in."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        super().__init__()
        self.reader, self.heard = reader, b""

    async def read(self, n: int = -1) -> bytes:
        data = await self.reader.read(n)
        self.heard += data
        return data


class Talk:
    """An agent's, in which each channel has its turn."""

    def __init__(self, core: Core, client: Client, tee: Tee) -> None:
        self.core, self.client, self.tee = core, client, tee
        self.heard: dict[str, tuple[str, bytes]] = {}  # channel → what a model reads, and all bytes

    async def ask(self, channel: str, tool: str, **arguments: object) -> None:
        start = len(self.tee.heard)
        said = await self.client.call_tool(tool, arguments, progress_callback=hear)
        words = "\n".join(part.text for part in said.content if part.type == "text")
        raw = self.tee.heard[start:]
        pictures = [base64.b64decode(part.data) for part in said.content if part.type == "image"]
        before, bytes_before = self.heard.get(channel, ("", b""))
        self.heard[channel] = before + words, b"".join([bytes_before, raw, *pictures])

    async def run(self, channel: str, code: str) -> None:
        await self.ask(channel, "execute_code", code=code, description=f"For {NAME}.", session_id="")

    async def through_all(self) -> None:
        for channel, code in PROGRAMS.items():
            await self.run(channel, code)
        await self.spilled()
        await self.files()
        await self.skills()
        await self.offers()
        await self.direct()
        for depth in DEPTHS:
            await self.ask(f"search results: {depth}", "search_tools", query="about record", detail_level=depth)
        await self.ask("tool definitions", "get_tool_definition", name="plant.about")
        await self.ask("names that do not exist", "get_tool_definition", name=MAIL)
        await self.ask("arguments that do not exist", "list_skills", **{MAIL: 1})
        await self.ask("texts to be sanitised", "sanitize_pii", text=f"{NAME} has the address {MAIL}.")
        tokens = self.heard["texts to be sanitised"][0]
        await self.ask("tokens to be restored", "restore_pii", text=f"{tokens} [EMAIL_1.zzzz]")

    async def spilled(self) -> None:
        await self.run("spilled results", "from servers.plant import many\nresult = await many()")
        path = re.search(r"read_file\('([^']+)'", self.heard["spilled results"][0])
        assert path is not None, self.heard["spilled results"][0][-500:]
        for at in SLICES:
            await self.run("slices of spilled results", f"print(read_file({path[1]!r})[{at - 400}:{at}])")

    async def files(self) -> None:
        run = await self.client.call_tool(
            "execute_code", {"code": KNOWN + "result = [person] * 900", "description": "x"}
        )
        await self.ask("rest of long answers", "get_run", run_id=run.structured_content["run"])
        await self.ask("files by a tool", "read_workspace_file", path="c.json")
        await self.ask("lists of files", "list_workspace_files")
        await self.ask("files that do not exist", "read_workspace_file", path=f"{NAME}/{MAIL}.txt")
        await self.ask("files that were written", "write_workspace_file", path=f"{NAME}.txt", content=MAIL)

    async def asked(self, channel: str, method: str, **params: object) -> None:
        """A question of the protocol itself; what it answers is words, too, whatever its parts are called."""
        start = len(self.tee.heard)
        request = T.Request[dict[str, Any], str](method=method, params=params)
        try:
            words = json.dumps(await self.client.session.send_request(request, TypeAdapter(dict[str, Any])))
        except MCPError as fault:
            words = str(fault)
        before, bytes_before = self.heard.get(channel, ("", b""))
        self.heard[channel] = before + words, bytes_before + self.tee.heard[start:]

    async def offers(self) -> None:
        await self.asked("log levels", "logging/setLevel", level="debug")
        await self.run("log of a program", KNOWN + "print(person)\nimport logging\nlogging.warning(person['email'])")
        await self.asked("skills as resources", "resources/list")
        await self.asked("skills of the extension", "skills/list")
        card = "skill://write-letter/SKILL.md"
        await self.asked("one skill of the extension", "skills/get", uri=card)
        for uri in (card, "skill://write-letter/write_letter.py"):
            await self.asked("contents of skills", "resources/read", uri=uri)
        await self.asked("resources that do not exist", "resources/read", uri=f"crm://{MAIL}")
        await self.asked("prompts that do not exist", "prompts/get", name=NAME)
        await self.asked("methods that do not exist", f"{MAIL}/list")

    async def direct(self) -> None:
        await self.asked("definitions of direct tools", "tools/list")
        for tool in ("record", "fails", "attached", "speaks"):
            await self.ask("direct tools", f"plant__{tool}")

    async def skills(self) -> None:
        code = f'"""Write to {MAIL}."""\n\nasync def write_letter():\n    return "{MAIL}"\n'
        made = await self.core.api.draft_skill("write-letter", f"Writes to {NAME} <{MAIL}>.", code, "")
        await self.core.api.keep_skill(made.name, made.sha)
        await self.ask("lists of skills", "list_skills")
        await self.ask("skills that were found", "search_skills", query="write letter")
        await self.ask("skills that were read", "load_skill", name="write-letter")
        await self.ask("skills that ran", "run_skill", name="write-letter")
        await self.run(
            "texts of skills", "import inspect, skills.write_letter as it\nprint(inspect.getsource(it), it.__doc__)"
        )


async def hear(progress: float, total: float | None, message: str | None) -> None:
    """A client that wants to know how far it is."""


def answer_for_the_person(core: Core) -> None:
    def hear(event: object) -> None:
        if isinstance(event, RunChanged) and event.run.state is RunState.WAITING:
            allow = not event.run.proposal.code.startswith(DENY)
            reason = f"Ask {NAME} first, at {MAIL}."
            decision = Decision(
                event.run.id, event.run.proposal.sha, allow, "you", reason, fingerprint=event.run.fingerprint
            )
            asyncio.get_running_loop().call_soon(core.run_manager.decide, decision)

    core.bus.listen(hear)


async def converse(home: Path) -> dict[str, tuple[str, bytes]]:
    paths = paths_of(home)
    entry = {"command": sys.executable, "args": ["-S", SERVER, NAME, MAIL]}
    paths.servers_file.write_text(json.dumps({"mcpServers": {"plant": entry}}), encoding="utf-8")
    core = Core(paths)
    await core.open()
    core.services.settings.set(replace(core.settings, agent_direct="plant"))
    try:
        consent = await core.api.consent("plant")
        await core.api.connect("plant", consent.sha)
        answer_for_the_person(core)
        near, far = socket.socketpair()
        serving = spawn("door", core.serve_agent(*await asyncio.open_connection(sock=far)))
        reader, writer = await asyncio.open_connection(sock=near)
        tee = Tee(reader)
        async with Client(messages(tee, writer, as_it_is), mode="legacy") as client:
            talk = Talk(core, client, tee)
            await talk.through_all()
        near.close()
        await asyncio.wait_for(serving, 30)
        return {**talk.heard, "everything": ("", tee.heard)}
    finally:
        await core.close()


@pytest.fixture(scope="module")
def heard(tmp_path_factory):
    home = tmp_path_factory.mktemp("channels")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(OVERRIDE, str(home / "home"))
        (home / "project").mkdir()
        return asyncio.run(converse(home / "project"))


CHANNELS = (
    *PROGRAMS,
    "spilled results",
    "slices of spilled results",
    "rest of long answers",
    "files by a tool",
    "lists of files",
    "files that do not exist",
    "files that were written",
    "lists of skills",
    "skills that were found",
    "skills that were read",
    "skills that ran",
    "texts of skills",
    *(f"search results: {depth}" for depth in DEPTHS),
    "tool definitions",
    "names that do not exist",
    "arguments that do not exist",
    "texts to be sanitised",
    "tokens to be restored",
    "log levels",
    "log of a program",
    "skills as resources",
    "skills of the extension",
    "one skill of the extension",
    "contents of skills",
    "resources that do not exist",
    "prompts that do not exist",
    "methods that do not exist",
    "definitions of direct tools",
    "direct tools",
    "everything",
)


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_planted_value_does_not_come_through(heard, channel):
    words, raw = heard[channel]
    assert not PLANTED.search(raw), words
    assert channel in QUIET or TOKEN.search(words), "its token does, so it was there"


def test_values_never_come_back_for_tokens(heard):
    words, _ = heard["tokens to be restored"]
    assert words.startswith(heard["texts to be sanitised"][0])
    assert "Tokens are not replaced here" in words
    assert "do not belong to this session and will be refused: 1 of 3." in words


def test_the_notes_of_a_picture_are_not_handed_on_and_the_picture_is(heard):
    words, raw = heard["pictures"]
    assert "picture 1 of this answer" in words
    assert (b"IHDR" in raw, b"IDAT" in raw, b"tEXt" in raw) == (True, True, False)


def test_every_channel_that_was_tried_is_named_here(heard):
    assert set(heard) == set(CHANNELS)
