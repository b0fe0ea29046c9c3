"""Client credentials with a private key: the key is never sent, and the server can verify the signature."""

from __future__ import annotations

import json

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from workbench.errors import WorkbenchError
from workbench.servers.oauth.client_credentials import proof
from workbench.servers.oauth.oauth_errors import SignInNeeded

KEYS = {
    "ES256": ec.generate_private_key(ec.SECP256R1()),
    "RS256": rsa.generate_private_key(65537, 2048),
    "EdDSA": ed25519.Ed25519PrivateKey.generate(),
}


def pem(algorithm):
    return (
        KEYS[algorithm]
        .private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        .decode()
    )


def keyed(project, **more):
    return project.config(clientId="robot", grantType="client_credentials", privateKey="${keyring:robot}", **more)


@pytest.mark.parametrize("algorithm", KEYS)
async def test_a_signature_takes_the_place_of_a_secret(project, guarded, algorithm):
    guarded.keys["robot"] = KEYS[algorithm].public_key()
    guarded.proofs = ["private_key_jwt"]
    project.secrets.set_secret("robot", pem(algorithm))
    config = keyed(project, signingAlgorithm=algorithm)
    assert (await project.call(config)).status_code == 200
    guarded.age()
    assert (await project.call(config)).status_code == 200
    forms = [form for path, form in guarded.asked if path == "/token"]
    assert len({form["client_assertion"] for form in forms}) == len(forms) == 2
    assert "/authorize" not in guarded.paths()
    report = await project.sign_ins.report(config)
    told = f"{report} {project.events}"
    assert not any(form["client_assertion"] in told for form in forms)
    assert pem(algorithm).splitlines()[1] not in told


async def test_a_signature_of_another_key_is_refused_in_a_sentence(project, guarded):
    guarded.keys["robot"] = ec.generate_private_key(ec.SECP256R1()).public_key()
    project.secrets.set_secret("robot", pem("ES256"))
    guarded.proofs = ["private_key_jwt"]
    with pytest.raises(WorkbenchError, match="does not know this app"):
        await project.call(keyed(project))


async def test_a_key_that_cannot_be_read_is_a_sentence_that_names_the_entry(project, guarded):
    hidden = "c2VjcmV0LWtleS1vZi1ub2JvZHk="
    project.secrets.set_secret("robot", hidden)
    with pytest.raises(WorkbenchError, match="privateKey in the oauth part of 'far' is not a private key") as raised:
        await project.call(keyed(project))
    assert hidden not in json.dumps([raised.value.message, raised.value.hint])
    assert guarded.asked == []


SECRET = "given-" + "secret"


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, "client_secret_basic"),
        (["client_secret_post"], "client_secret_post"),
        (["client_secret_basic"], "client_secret_basic"),
        (["client_secret_post", "client_secret_basic"], "client_secret_basic"),
        (["none", "client_secret_post"], "client_secret_post"),
        (["private_key_jwt"], "client_secret_basic"),
    ],
)
def test_the_one_that_is_offered_is_chosen(offered, chosen):
    assert proof(offered) == chosen


@pytest.mark.parametrize("only", ["client_secret_basic", "client_secret_post"])
async def test_a_person_signs_in_and_renews_wherever_only_one_is_taken(project, guarded, only):
    guarded.proofs = [only]
    config = project.config(clientId="given", clientSecret=SECRET)
    assert (await project.sign_in(config)).state == "done"
    guarded.age()
    project.restart()
    assert (await project.call(config)).status_code == 200
    grants = [form["grant_type"] for path, form in guarded.asked if path == "/token"]
    assert grants == ["authorization_code", "refresh_token"]


@pytest.mark.parametrize("only", ["client_secret_basic", "client_secret_post"])
async def test_so_does_a_machine(project, guarded, only):
    guarded.proofs = [only]
    config = project.config(clientId="given", clientSecret=SECRET, grantType="client_credentials")
    assert (await project.call(config)).status_code == 200


async def test_what_the_entry_says_counts_more(project, guarded):
    guarded.proofs = ["client_secret_basic"]
    config = project.config(
        clientId="given",
        clientSecret=SECRET,
        grantType="client_credentials",
        tokenEndpointAuthMethod="client_secret_post",
    )
    with pytest.raises(Exception, match="invalid_client") as raised:
        await project.call(config)
    assert not isinstance(raised.value, SignInNeeded)
