"""A program that signs in by itself with a private key; nobody sees the key, and the server can check the signature."""

from __future__ import annotations

import json

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from workbench.errors import WorkbenchError

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
    project.secrets.put("robot", pem(algorithm))
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
    project.secrets.put("robot", pem("ES256"))
    guarded.proofs = ["private_key_jwt"]
    with pytest.raises(WorkbenchError, match="does not know this app"):
        await project.call(keyed(project))


async def test_a_key_that_cannot_be_read_is_a_sentence_that_names_the_entry(project, guarded):
    hidden = "c2VjcmV0LWtleS1vZi1ub2JvZHk="
    project.secrets.put("robot", hidden)
    with pytest.raises(WorkbenchError, match="privateKey in the oauth part of 'far' is no private key") as raised:
        await project.call(keyed(project))
    assert hidden not in json.dumps([raised.value.message, raised.value.hint])
    assert guarded.asked == []
