"""Signing out revokes the tokens at the authorization server if it supports that, and does not wait for the
response.
"""

from __future__ import annotations

import asyncio

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from msgspec.structs import replace

from workbench.servers.oauth.oauth_errors import SignInNeeded

SECRET = "given-" + "secret"


def revoked(guarded):
    return [form for path, form in guarded.asked if path == "/revoke"]


async def steps(project, config, count):
    """Wait until this many steps are recorded, and return them."""
    async with asyncio.timeout(60):
        while len(found := (await project.sign_ins.report(config)).steps) < count:
            await asyncio.sleep(0.005)
    return found


async def test_both_tokens_are_revoked_and_forgotten(project, guarded):
    guarded.revokes = True
    await project.sign_in()
    kept = {*guarded.tokens, *guarded.refreshers}
    await project.sign_ins.sign_out(project.config())
    found = await steps(project, project.config(), 2)
    assert [(step.title, step.ok) for step in found] == [("Revoke the token", True)] * 2
    assert not guarded.tokens
    assert not guarded.refreshers
    assert [form["token_type_hint"] for form in revoked(guarded)] == ["refresh_token", "access_token"]
    assert not any(token in str(found) for token in kept)
    with pytest.raises(SignInNeeded):
        await project.call()


@pytest.mark.parametrize("only", ["client_secret_basic", "client_secret_post"])
async def test_a_client_with_a_secret_proves_itself_there_too(project, guarded, only):
    guarded.revokes, guarded.proofs = True, [only]
    config = project.config(clientId="given", clientSecret=SECRET)
    await project.sign_in(config)
    await project.sign_ins.sign_out(config)
    await steps(project, config, 2)
    assert {form["proof"] for form in revoked(guarded)} == {only}


async def test_so_does_one_with_a_key(project, guarded):
    key = ec.generate_private_key(ec.SECP256R1())
    guarded.revokes, guarded.keys["robot"] = True, key.public_key()
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    project.secrets.set_secret("robot", key.private_bytes(*form).decode())
    config = project.config(clientId="robot", grantType="client_credentials", privateKey="${keyring:robot}")
    await project.call(config)
    await project.sign_ins.sign_out(config)
    await steps(project, config, 1)
    assert {form["proof"] for form in revoked(guarded)} == {"private_key_jwt"}


async def test_one_that_cannot_take_it_holds_nobody_up(project, guarded):
    guarded.revokes = True
    await project.sign_in()
    guarded.token_status = 503
    assert (await project.sign_ins.sign_out(project.config())).stored is False
    found = await steps(project, project.config(), 2)
    assert [(step.ok, step.status) for step in found] == [(False, 503)] * 2
    assert project.secrets.names() == ()


async def test_an_address_that_nobody_should_be_led_to_gets_no_token(project, guarded):
    guarded.revokes = True
    await project.sign_in()
    held = project.sign_ins._known["far"].held
    facts = await held.facts()
    await held.keep(metadata={**facts["metadata"], "revocation_endpoint": "http://elsewhere.example/revoke"})
    await project.sign_ins.sign_out(project.config())
    (step,) = await steps(project, project.config(), 1)
    assert not step.ok
    assert "which the workbench does not contact" in step.sentence
    assert revoked(guarded) == []


async def test_a_server_that_is_removed_takes_its_tokens_along(project, guarded):
    guarded.revokes = True
    await project.sign_in()
    await project.sign_ins.remove(project.config())
    assert project.secrets.names() == ()
    await project.sign_ins.close()
    assert not guarded.refreshers
    assert (await project.sign_ins.report(project.config())).stored is False


async def test_it_does_so_even_when_its_entry_cannot_be_read(project, guarded):
    await project.sign_in()
    broken = replace(project.config(), oauth={"clientSecret": "${keyring:gone}"})
    await project.sign_ins.remove(broken)
    assert project.secrets.names() == ()


async def test_one_that_never_signed_in_opens_no_keyring(project, guarded):
    await project.sign_ins.remove(project.config())
    assert not project.secrets.opened
