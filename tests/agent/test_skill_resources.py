"""Kept skills as the protocol's extension: a client lists them, checks their digests and reads their files."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import mcp.types as T
import pytest
from mcp.shared.exceptions import MCPError
from pydantic import TypeAdapter

from workbench.agent.protocol_identity import SKILLS as EXTENSION
from workbench.agent.protocol_identity import TASKS
from workbench.agent.skill_tools import _frontmatter

MAIL = "ada@example.org"


async def ask(client, method, **params):
    request = T.Request[dict[str, Any], str](method=method, params=params)
    return await client.session.send_request(request, TypeAdapter(dict[str, Any]))


async def test_a_skill_is_found_by_its_uri_and_each_file_is_what_its_digest_says(core, agent):
    made = await core.api.draft_skill("write-letter", f"Writes to {MAIL}.", f"result = {MAIL!r}", "")
    await core.api.keep_skill(made.name, made.sha)
    async with agent(mode="auto") as client:
        assert client.server_capabilities.extensions == {EXTENSION: {}, TASKS: {}}
        code = f"print('known:', {MAIL!r})"
        await client.call_tool("execute_code", {"code": code, "description": "x"})  # only known values are replaced
        skills = (await ask(client, "skills/list"))["skills"]
        one = next(entry for entry in skills if entry["uri"] == "skill://write-letter/SKILL.md")
        assert one == (await ask(client, "skills/get", uri=one["uri"]))["skill"]
        for file in one["resources"]:
            (content,) = (await client.read_resource(file["uri"])).contents
            data = content.text.encode()
            assert (file["size"], file["digest"]) == (len(data), f"sha256:{hashlib.sha256(data).hexdigest()}")
            assert MAIL not in content.text
        listed = {resource.uri for resource in (await client.list_resources()).resources}
    assert one["frontmatter"]["name"] == "write-letter"
    assert re.fullmatch(r"Writes to \[EMAIL_\d+\.\w{4}\]\.", one["frontmatter"]["description"])
    assert {file["uri"] for file in one["resources"]} >= {one["uri"], "skill://write-letter/write_letter.py"}
    assert listed == {entry["uri"] for entry in skills}


async def test_what_is_no_kept_skill_is_not_found(core, agent):
    await core.api.draft_skill("only-a-draft", "Is a draft.", "result = 1", "")
    outside = (
        "skill://only-a-draft/SKILL.md",
        "skill://wait-for-message/../SKILL.md",
        "file:///etc/passwd",
        "skill://",
    )
    async with agent() as client:
        for uri in outside:
            with pytest.raises(MCPError, match="not found"):
                await client.read_resource(uri)
        with pytest.raises(MCPError, match="There is no skill"):
            await ask(client, "skills/get", uri=outside[0])
        with pytest.raises(MCPError, match="start again"):
            await ask(client, "skills/list", cursor="zzz")


def test_what_is_no_card_has_no_frontmatter_and_what_is_no_json_becomes_text():
    assert _frontmatter("# no card") is None
    assert _frontmatter("---\n- a list\n---\n") is None
    assert _frontmatter("---\nname: [\n---\n") is None
    assert _frontmatter("---\nname: x\nmetadata:\n  day: 2026-11-19\n---\n") == {
        "name": "x",
        "metadata": {"day": "2026-11-19"},
    }


def test_a_head_that_would_grow_without_end_is_none():
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]", *(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9))]
    for head in ("\n".join(lines), "a: &a [*a]", "a: " + "x" * 70_000):
        assert _frontmatter(f"---\nname: x\n{head}\n---\n") is None
