"""Sign-in steps are shown to the user, so they contain no secrets, and a hostile server cannot make the list
endless.
"""

from __future__ import annotations

import httpx2
import pytest

from workbench.secrets.secret_masking import MASK, SecretMasks
from workbench.servers.oauth.sign_in_log import SignInLog


@pytest.fixture
def steps():
    return SignInLog(SecretMasks())


def test_what_is_secret_is_covered_in_forms_answers_and_addresses(steps):
    form = {"grant_type": "authorization_code", "code": "c-secret", "code_verifier": "v-secret", "client_id": "me"}
    request = httpx2.Request("POST", "https://as/token?code=q-secret&x=1", data=form)
    steps.add_request(
        request, 200, b'{"access_token": "a-secret", "nested": {"refresh_token": "r-secret"}, "scope": "s"}', 3.0
    )
    (step,) = steps.all
    assert "secret" not in str(step)
    assert (step.title, step.ok, step.status) == ("Exchange the code for a token", True, 200)
    assert MASK in step.sent
    assert '"client_id": "me"' in step.sent
    assert "x=1" in step.url


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (
            400,
            b'{"error": "invalid_grant", "error_description": "too old"}',
            "The request was refused (400). The answer says: invalid_grant: too old.",
        ),
        (404, b"<html>", "Nothing was found at this address (404)."),
        (302, b"", "The answer is a redirect (302)"),
        (500, b"\xff\xfe", "The request failed (500)."),
    ],
)
def test_an_answer_is_told_in_words(steps, status, body, words):
    steps.add_request(httpx2.Request("GET", "https://as/.well-known/openid-configuration"), status, body, 1.0)
    assert steps.all[0].title == "Read the authorization server's metadata"
    assert steps.all[0].sentence.startswith(words)


def test_there_is_an_end(steps):
    for _ in range(500):
        steps.add_request(httpx2.Request("GET", "https://as/x"), 200, b"y" * 100_000, 1.0)
    assert len(steps.all) == 60
    assert len(steps.all[0].received) <= 4_000
