"""The client under test of the official conformance suite: this project's catalog, with a host that accepts everything.

`benchmarks/conformance.py` passes it to the suite. The suite starts a server for each scenario and gives its address as
the last argument, the scenario's name in MCP_CONFORMANCE_SCENARIO and its data in MCP_CONFORMANCE_CONTEXT. The client
connects, lists, calls every tool, reads resources and prompts, and signs in if required, with plain HTTP requests in
place of a browser.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2

from workbench.errors import WorkbenchError
from workbench.events import Event, SignInWanted, spawn
from workbench.paths import OVERRIDE, paths_of
from workbench.records import Fault, Origin, Outcome, ServerConfig, ToolCall
from workbench.secrets.project_secrets import Secrets
from workbench.servers.oauth.sign_in_service import SignIns
from workbench.servers.server_catalog import ServerCatalog
from workbench.servers.server_requests import RefusingHost
from workbench.settings import Settings

NAME = "conformance"
# The client metadata document that the suite knows, for scenarios that use one instead of a registration.
METADATA = "https://conformance-test.local/client-metadata.json"
SIGN_INS = 3  # maximum sign-in attempts


class Accepting(RefusingHost):
    """Accepts every elicitation, with the default values of its form."""

    capabilities = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {"listChanged": True}}  # noqa: RUF012

    async def answer_request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        if method == "elicitation/create":
            fields = (params.get("requestedSchema") or {}).get("properties") or {}
            filled = {name: field["default"] for name, field in fields.items() if "default" in field}
            return {"action": "accept", "content": filled or dict.fromkeys(fields, True)}
        if method == "roots/list":
            return {"roots": []}
        if method == "sampling/createMessage":
            words = {"type": "text", "text": "yes"}
            return {"role": "assistant", "content": words, "model": "none", "stopReason": "endTurn"}
        return dict(await super().answer_request(method, params))


class Person:
    """Connects one server, uses everything it offers, and signs in if required."""

    def __init__(self, url: str, context: Mapping[str, Any], folder: Path) -> None:
        self._context = context
        os.environ[OVERRIDE] = str(folder / "home")
        (folder / "project").mkdir()
        paths = paths_of(folder / "project")
        for made in (paths.state, paths.cache):
            made.mkdir(parents=True, exist_ok=True)
        secrets = Secrets(paths.state)
        self._sign_ins = SignIns(secrets, Settings, self._hear)
        self._config = ServerConfig(NAME, url=url, oauth=_oauth(context), transport="http")
        self._catalog = ServerCatalog(
            paths,
            Settings,
            self._hear,
            host=lambda server: Accepting(),
            secret=secrets.get_secret,
            masks=secrets.masks,
            authorize=self._sign_ins.authorize,
        )
        self._sign_ins.noted = self._catalog.note_sign_in

    async def visit(self) -> None:
        try:
            await self._catalog.open()
            await self._catalog.add(self._config)
            await self._connect()
            await self._call_everything()
            await self._read_everything()
        finally:
            await self._sign_ins.close()
            await self._catalog.close()

    async def _connect(self) -> None:
        for _ in range(SIGN_INS):
            try:
                await self._catalog.connect(NAME)
            except WorkbenchError as fault:
                if not await self._signed_in(fault.message):
                    raise
            else:
                return
        raise WorkbenchError(f"The server wants more than {SIGN_INS} sign-ins.")

    async def _signed_in(self, why: str) -> bool:
        """Whether the failure required a sign-in, and the sign-in succeeded."""
        if self._catalog.server(NAME).state.sign_in != "needed":
            return False
        report = await self._sign_ins.sign_in(self._catalog.server(NAME).state.config)
        if report.fault is not None:
            raise WorkbenchError(f"{why} {report.fault.message} {report.fault.detail}")
        return True

    async def _call_everything(self) -> None:
        wished = self._context.get("toolCalls")
        if isinstance(wished, list):
            calls = [(call["name"], call.get("arguments") or {}) for call in wished]
        else:
            calls = [(tool.name, self._example(tool.input_schema)) for tool in self._catalog.tools() if _theirs(tool)]
        for name, arguments in calls:
            for _ in range(SIGN_INS):
                outcome = await self._call(name, arguments)
                _say(f"{name}: {outcome.fault.message if outcome.fault else 'ok'}")
                if outcome.ok or not await self._signed_in((outcome.fault or Fault("")).message):
                    break

    async def _call(self, name: str, arguments: Mapping[str, Any]) -> Outcome:
        return await self._catalog.call(ToolCall("1", NAME, name, arguments, Origin.PERSON, "conformance"))

    def _example(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments that match the schema. An argument that is itself a schema gets the richest schema that the server
        has sent.
        """
        examples: dict[str, Any] = {"string": "us-west1", "integer": 5, "number": 5, "boolean": True, "array": []}
        fields = schema.get("properties") or {}
        found = {name: examples.get(field.get("type"), {}) for name, field in fields.items()}
        if "schema" in found:
            tools = [tool for tool in self._catalog.tools() if _theirs(tool)]
            found["schema"] = max((tool.raw["inputSchema"] for tool in tools), key=lambda one: len(str(one)))
        return found

    async def _read_everything(self) -> None:
        server = self._catalog.server(NAME)
        if "resources" in server.state.capabilities:
            listed = (await server.request("resources/list", {})).get("resources") or []
            for resource in listed:
                await server.request("resources/read", {"uri": resource["uri"]})
        if "prompts" in server.state.capabilities:
            listed = (await server.request("prompts/list", {})).get("prompts") or []
            for prompt in listed:
                given = {argument["name"]: "x" for argument in prompt.get("arguments") or []}
                await server.request("prompts/get", {"name": prompt["name"], "arguments": given})

    def _hear(self, event: Event) -> None:
        if isinstance(event, SignInWanted):
            spawn("browser", _browse(event.url))


async def _browse(url: str) -> None:
    """Follow a sign-in URL and its redirect, like the browser of a user who agrees immediately."""
    async with httpx2.AsyncClient(follow_redirects=False, trust_env=False) as client:
        answer = await client.get(url)
        await client.get(answer.headers["location"])


def _oauth(context: Mapping[str, Any]) -> dict[str, Any]:
    """The OAuth settings of a server entry for a client that was registered beforehand."""
    scenario = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
    if not context.get("client_id"):
        return {"clientMetadataUrl": METADATA} if "cimd" in scenario else {}
    known = {"clientId": context["client_id"]}
    known |= {"clientSecret": context["client_secret"]} if context.get("client_secret") else {}
    known |= {"privateKey": context["private_key_pem"]} if context.get("private_key_pem") else {}
    known |= {"signingAlgorithm": context["signing_algorithm"]} if context.get("signing_algorithm") else {}
    return {**known, **({"grantType": "client_credentials"} if "client-credentials" in scenario else {})}


def _theirs(tool: Any) -> bool:
    return tool.server == NAME


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


async def main(url: str) -> None:
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    with tempfile.TemporaryDirectory() as folder:
        await Person(url, context, Path(folder)).visit()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    try:
        asyncio.run(main(sys.argv[-1]))
    except WorkbenchError as trouble:
        _say(f"{trouble.message} {trouble.hint}")
        sys.exit(1)
