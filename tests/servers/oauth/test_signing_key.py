"""Private keys: each common format is read, with any line breaks, and error messages do not contain the key."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import WorkbenchError
from workbench.servers.oauth.oauth_settings import read_key

PLAIN = serialization.NoEncryption()


def pem(key, form=serialization.PrivateFormat.PKCS8, guard=PLAIN):
    return key.private_bytes(serialization.Encoding.PEM, form, guard).decode()


def read(text, algorithm=""):
    return read_key(text, algorithm, lambda what: WorkbenchError(f"privateKey {what}."))


CURVE = pem(ec.generate_private_key(ec.SECP256R1()))
RSA = rsa.generate_private_key(65537, 2048)


@pytest.mark.parametrize(
    ("text", "algorithm"),
    [
        (CURVE, "ES256"),
        (pem(ec.generate_private_key(ec.SECP384R1())), "ES384"),
        (pem(ed25519.Ed25519PrivateKey.generate()), "EdDSA"),
        (pem(RSA), "RS256"),
        (pem(RSA, serialization.PrivateFormat.TraditionalOpenSSL), "RS256"),
    ],
    ids=["P-256", "P-384", "Ed25519", "RSA", "PKCS#1"],
)
def test_each_kind_of_key_has_its_usual_algorithm(text, algorithm):
    assert read(text) == (text, algorithm)


def test_another_algorithm_of_the_same_kind_can_be_wished():
    assert read(pem(RSA), "PS256")[1] == "PS256"
    with pytest.raises(WorkbenchError, match="does not support RS256; it supports ES256"):
        read(CURVE, "RS256")


@pytest.mark.parametrize(("end", "instead"), [("\n", " "), ("\n", "\\n"), ("\n", "\r\n")])
def test_a_key_that_lost_its_lines_on_the_way_is_read(end, instead):
    assert read(CURVE.replace(end, instead)) == (CURVE, "ES256")


def test_a_key_behind_a_passphrase_says_so():
    locked = pem(RSA, guard=serialization.BestAvailableEncryption(b"hush"))
    with pytest.raises(WorkbenchError, match="protected by a passphrase"):
        read(locked)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CURVE[40:], "not a private key in PEM format"),
        (CURVE[:60] + "AAAA" + CURVE[64:], "cannot be read"),
        (pem(rsa.generate_private_key(65537, 1024)), "1024 bits"),
        (pem(dsa.generate_private_key(1024)), "supports none of"),
        (pem(ec.generate_private_key(ec.SECP256K1())), "supports none of"),
    ],
    ids=["torn", "damaged", "short", "DSA", "foreign curve"],
)
def test_what_cannot_sign_is_a_sentence_without_the_key(text, words):
    with pytest.raises(WorkbenchError, match=words) as raised:
        read(text)
    said = f"{raised.value.message} {raised.value.hint} {raised.value.__cause__}"
    assert not any(line in said for line in text.splitlines() if line and not line.startswith("-"))


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=200), st.booleans())
def test_rubbish_is_always_a_sentence(text, dressed):
    with pytest.raises(WorkbenchError):
        read(CURVE.replace(CURVE[40:-40], text) if dressed else text)
