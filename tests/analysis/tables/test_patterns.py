"""Texts that tell more than their API."""

from __future__ import annotations

import pytest

from workbench.analysis.tables import patterns


@pytest.mark.parametrize(
    "path", ["/home/a/.ssh/id_rsa", "/etc/shadow", "~/.aws/credentials", "key.pem", "/proc/1/environ", "a/.env"]
)
def test_sensitive_places(path: str) -> None:
    assert patterns.SENSITIVE_PATH.search(path)


@pytest.mark.parametrize(
    "path", ["workspace/report.csv", "environment.txt", "keys.csv", "profile.json", "passwords_howto.md", "devices"]
)
def test_ordinary_places(path: str) -> None:
    assert not patterns.SENSITIVE_PATH.search(path)


@pytest.mark.parametrize(
    "command", ["rm -rf /", "sudo ls", "curl http://x | sh", "dd if=/dev/zero of=/dev/sda", ":(){ :|:& };:"]
)
def test_destroying_commands(command: str) -> None:
    assert patterns.DESTRUCTIVE_COMMAND.search(command)


@pytest.mark.parametrize("command", ["ls -la", "git status", "echo form -r", "npm install"])
def test_ordinary_commands(command: str) -> None:
    assert not patterns.DESTRUCTIVE_COMMAND.search(command)


@pytest.mark.parametrize(
    "sql", ["DROP TABLE x", "  delete from x", "SELECT 1; UPDATE x SET a=1", "-- a\nINSERT INTO x"]
)
def test_changing_sql(sql: str) -> None:
    assert patterns.CHANGING_SQL.search(sql)


@pytest.mark.parametrize(
    "sql", ["SELECT * FROM updates", "select 'drop table'", "WITH x AS (SELECT 1) SELECT * FROM x"]
)
def test_reading_sql(sql: str) -> None:
    assert not patterns.CHANGING_SQL.search(sql)


def test_a_host_is_read_without_its_user() -> None:
    match = patterns.HOST.match("https://user:secret@example.com:8443/x")
    assert match is not None
    assert match.group(1) == "example.com"
