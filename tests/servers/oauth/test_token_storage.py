"""The result of a sign-in is bound to its URL, not shown, and deleted at sign-out."""

from __future__ import annotations

import asyncio

import pytest

from workbench.secrets.project_secrets import Secrets
from workbench.secrets.secret_references import check_name
from workbench.servers.oauth.token_storage import StoredSignIn, name_of

TOKENS = {"access_token": "access-" + "value", "refresh_token": "refresh-" + "value", "expires_in": 60}


@pytest.fixture
def drawer(tmp_path):
    return Secrets(tmp_path / "project", cost=16)


async def test_it_is_there_for_the_same_server_at_the_same_address_only(drawer):
    await StoredSignIn(drawer, "far", "https://h/mcp").keep_tokens(TOKENS)
    assert (await StoredSignIn(drawer, "far", "https://h/mcp").facts())["tokens"] == TOKENS
    assert await StoredSignIn(drawer, "far", "https://other/mcp").facts() == {}
    assert await StoredSignIn(drawer, "near", "https://h/mcp").facts() == {}


async def test_tokens_are_masked_from_then_on(drawer):
    await StoredSignIn(drawer, "far", "https://h/mcp").keep(
        tokens=TOKENS, client={"client_secret": "client-" + "value"}
    )
    assert "value" not in drawer.masks.mask("access-value refresh-value client-value")


async def test_none_forgets_one_fact_and_forget_all(drawer):
    held = StoredSignIn(drawer, "far", "https://h/mcp")
    await held.keep(tokens=TOKENS, client={"client_id": "x"})
    await held.keep(tokens=None)
    assert "tokens" not in await held.facts()
    assert "client" in await held.facts()
    await held.forget()
    assert drawer.names() == ()


@pytest.mark.parametrize("server", ["far", "a {b} c", "x" * 100, "ключ"])
def test_any_server_has_a_name_among_the_secrets(server):
    check_name(name_of(server))


async def test_a_late_reader_does_not_bring_back_what_was_renewed_meanwhile(drawer):
    await StoredSignIn(drawer, "far", "https://h/mcp").keep(tokens={"access_token": "old-one"})
    held = StoredSignIn(drawer, "far", "https://h/mcp")
    await asyncio.gather(*(held.facts() for _ in range(20)), held.keep(tokens={"access_token": "new-one"}))
    assert (await held.facts())["tokens"] == {"access_token": "new-one"}
