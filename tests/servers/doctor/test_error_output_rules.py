"""Recognizes the real error output of common runners."""

from __future__ import annotations

import pytest

from workbench.servers.doctor.error_output_rules import explain


@pytest.mark.parametrize(
    ("words", "meaning"),
    [
        ("npm error code E404\nnpm error 404 Not Found - GET …/@acme%2ffiles", "npm found no package"),
        ("npm error code ENOTFOUND\nnpm error network request failed", "could not be resolved"),
        ("× No solution found when resolving tool dependencies:", "Python package does not exist"),
        ("Error: Cannot find module '/srv/build/index.js'\n    at Module._resolve", "/srv/build/index.js is missing"),
        ("python3: can't open file '/srv/server.py': [Errno 2] No such file", "The file /srv/server.py does not exist"),
        ("Error: GITHUB_PERSONAL_ACCESS_TOKEN is required", "GITHUB_PERSONAL_ACCESS_TOKEN"),
        ("Please set BRAVE_API_KEY to use this server", "BRAVE_API_KEY"),
        ("docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock.", "Docker daemon"),
        ("Error: listen EADDRINUSE: address already in use :::3000", "port that it needs is already in use"),
        ("SyntaxError: Unexpected token '?'\n    at Loader", "Node.js"),
        ("usage: server.py [-h] --db DB\nserver.py: error: the following arguments are required", "wrong arguments"),
        ("Usage: mcp-server-filesystem <allowed-directory>", "wrong arguments"),
    ],
)
def test_it_is_explained(words: str, meaning: str) -> None:
    told, fix = explain(words)
    assert meaning in told
    assert fix.endswith(".") or "keyring" in fix


def test_words_that_mean_nothing_special_are_left_alone() -> None:
    assert explain("Server ready, 14 tools loaded") == ("", "")


def test_the_reference_to_a_secret_is_written_as_the_configuration_wants_it() -> None:
    assert "${keyring:…}" in explain("Missing ACME_API_KEY")[1]
