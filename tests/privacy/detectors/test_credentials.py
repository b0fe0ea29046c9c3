"""Secrets are found by prefix and under keys, logins in URLs, placeholders nowhere."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.credentials import find_secrets, find_url_credentials, is_assigned_secret, is_secret


def secret_found(text: str) -> list[str]:
    return list(dict.fromkeys(text[one.start : one.end] for one in find_secrets(text)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id AKIA" + "IOSFODNN7EXAMPLE", "AKIA" + "IOSFODNN7EXAMPLE"),
        ("ghp_" + "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1", "ghp_" + "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"),
        ("x=sk-proj-a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2", "sk-proj-a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2"),
        ("Authorization: Bearer abc123def456ghi", "abc123def456ghi"),
        ("https://hooks.slack.com/services/T000/B000/Xy1Xy1Xy1Xy1Xy1Xy1Xy1Xy1", "T000/B000/Xy1Xy1Xy1Xy1Xy1Xy1Xy1Xy1"),
        ("t eyJhbGciOiJI.eyJzdWIiOiIx.c2ln", "eyJhbGciOiJI.eyJzdWIiOiIx.c2ln"),
        ("xoxb-123456789012-abcDEF", "xoxb-123456789012-abcDEF"),
        (
            "-----BEGIN " + "RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN " + "RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
        ),
    ],
)
def test_secret_it_is_found(text: str, expected: str) -> None:
    assert secret_found(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "task-management-and-more-of-the-same",
        "sk-learn-is-a-library-with-a-long-name",
        "-----BEGIN " + "PRIVATE KEY-----",
        "AKIA",
        "basic understanding of",
        "the ghp_ prefix",
        "Bearer of bad news",
        "-----BEGIN CERTIFICATE-----",
    ],
)
def test_secret_innocent_text_stays(text: str) -> None:
    assert secret_found(text) == []


@pytest.mark.parametrize("value", ["hunter2", "Bearer abcdef123", "correcthorse"])
def test_a_value_under_its_key_is_one(value: str) -> None:
    assert is_secret(value)


@pytest.mark.parametrize(
    "value", ["", "none", "****", "<password>", "${PASSWORD}", "2024-05-06", "to be set", "string"]
)
def test_another_value_under_its_key_is_none(value: str) -> None:
    assert not is_secret(value)


@pytest.mark.parametrize("value", ["hunter2", "Tr0ub4dor&3", "swordfish"])
def test_what_is_assigned_is_one(value: str) -> None:
    assert is_assigned_secret(value)


@pytest.mark.parametrize("value", ["self.password", "get_token()", "os.environ['X']", "password_value", "str", "abc"])
def test_code_that_names_another_place_is_none(value: str) -> None:
    assert not is_assigned_secret(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My password is hunter2", "hunter2"),
        ("The password is Tr0ub4dor&3.", "Tr0ub4dor&3"),
        ("Password value S3cret!pass", "S3cret!pass"),
        ("the secret value a8f7b6c5d4e3", "a8f7b6c5d4e3"),
        ("take the token `9f8e7d6c5b4a`", "9f8e7d6c5b4a"),
        ("the passcode is 4821", "4821"),
        ("Your password for rosa is Blue42sky, keep it", "Blue42sky"),
        ("The passphrase was 'correct-horse-7-battery'", "correct-horse-7-battery"),
        ("The api key is 1234abcd5678", "1234abcd5678"),
        ("das Passwort lautet Winter2024!", "Winter2024!"),
        ("le mot de passe est Azerty123", "Azerty123"),
        ("la contraseña es Luna2020x", "Luna2020x"),
    ],
)
def test_secret_in_a_sentence_is_found(text: str, expected: str) -> None:
    assert secret_found(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "the password is required",
        "The token is invalid",
        "password is wrong",
        "The token is 64 bytes long",
        "The password is 12345 characters long",
        "a 16-character password is 16-character",
        "the secret is base64-encoded",
        "The token is RS256",
        "the password is case-sensitive",
        "The token is `STRING`",
        "the token `X-Auth-Token`",
        "the token `access_token2`",
        "The password is stored in the keyring",
        "The secret value must be set",
        "The password is SHA-256 hashed",
        "The token is expired since 2024-05-06",
        "the secret is RFC6749",
        "the password is self.password1",
        "The password is ${PASSWORD_1}",
    ],
)
def test_sentence_about_a_secret_stays(text: str) -> None:
    assert secret_found(text) == []


def credential_found(text: str) -> list[str]:
    return [text[start:end] for start, end in find_url_credentials(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("postgres://app:s3cret@db:5432/x", "app:s3cret"),
        ("redis://:p%40ss@cache", ":p%40ss"),
        ("https://rosa:pw@example.com/", "rosa:pw"),
    ],
)
def test_credential_it_is_found(text: str, expected: str) -> None:
    assert credential_found(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com:8080/@scope",
        "https://git@github.com/x",
        "mailto:rosa@example.com",
        "postgres://user:password@host",
        "https://$USER:$PASS@host",
        "http://a.b/c:d@e",
    ],
)
def test_credential_innocent_text_stays(text: str) -> None:
    assert credential_found(text) == []
