"""OAuth settings of a server entry, in either spelling, and error messages for invalid ones."""

from __future__ import annotations

import pytest

from workbench.errors import WorkbenchError
from workbench.records import ServerConfig
from workbench.servers.oauth.oauth_settings import read


def wish(metadata_url="", **oauth):
    return read(ServerConfig("far", url="https://h/mcp", oauth=oauth), metadata_url)


def test_nothing_is_needed():
    assert wish().grant == "authorization_code"
    assert not any((wish().client_id, wish().scope, wish().redirect, wish().metadata_url))


def test_both_spellings_mean_the_same():
    assert wish(clientId="a", clientSecret="b").client_id == wish(client_id="a", client_secret="b").client_id == "a"
    assert wish(scopes=["read", "write"]).scope == wish(scope="read write").scope == "read write"
    assert wish(callbackPort=8123).redirect == "http://localhost:8123/callback"


def test_a_client_id_of_its_own_counts_more_than_a_document_about_the_app():
    document = "https://example.org/client.json"
    assert wish(document).metadata_url == document
    assert wish(document, clientId="a").metadata_url == ""


def test_the_secret_is_in_no_repr():
    assert "hush" not in repr(wish(clientId="a", clientSecret="hush"))


@pytest.mark.parametrize(
    "oauth",
    [
        {"clientId": 5},
        {"scopes": [5]},
        {"callbackPort": 70_000},
        {"grantType": "password"},
        {"grantType": "client_credentials", "clientId": "a"},
        {"redirectUri": "https://example.org/callback"},
        {"redirectUri": "http://127.0.0.1:99999/"},
        {"clientMetadataUrl": "http://example.org/x"},
        {"clientMetadataUrl": "https://example.org"},
        {"issuer": "javascript:1"},
        {"tokenEndpointAuthMethod": "private_key_jwt"},
        {"privateKey": "a"},
        {"privateKey": "a", "clientId": "a", "grantType": "client_credentials"},
        {"privateKey": "a", "clientId": "a", "clientSecret": "b", "grant": "client_credentials"},
        {"signingAlgorithm": "none"},
    ],
)
def test_what_cannot_be_is_a_sentence_that_names_the_key(oauth):
    with pytest.raises(WorkbenchError, match="in the oauth part of 'far'"):
        wish(**oauth)
