"""Which places are reached: only those a rule names, at an address that was looked at, and at no other."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.network.conftest import Place, echo
from workbench.errors import WorkbenchError
from workbench.network.blocked_addresses import Address
from workbench.network.network_access import Network
from workbench.network.network_errors import Blocked, Unreachable
from workbench.settings import Settings, change

Listening = Callable[..., Awaitable[int]]


async def _blocked(here: Place, host: str, port: int = 443, extra: tuple[str, ...] = ()) -> str:
    with pytest.raises(Blocked) as caught:
        await here.network.connect(host, port, extra)
    return f"{caught.value.message} {caught.value.hint}"


# ── rules ────────────────────────────────────────────────────────────────────────────────────────
async def test_without_rules_nothing_is_reached_and_nothing_is_looked_up(here: Place) -> None:
    words = await _blocked(here, "api.example.org")
    assert "api.example.org:443 is not among the hosts" in words
    assert "The user can allow it" in words
    assert here.names.asked == []


async def test_a_rule_counts_as_soon_as_it_stands_in_the_file(here: Place, listening: Listening) -> None:
    port = await listening(echo)
    here.names.known["ok.test"] = ["127.0.0.1"]
    await _blocked(here, "ok.test", port)
    here.allow("ok.test", port)
    line = await here.network.connect("OK.test.", port)
    line.socket.close()
    assert (line.host, line.address, line.protocols) == ("ok.test", "127.0.0.1", {"tcp"})
    assert here.names.asked == ["ok.test"]
    here.own("")
    await _blocked(here, "ok.test", port)


async def test_another_port_is_another_place(here: Place) -> None:
    here.allow("ok.test", 443)
    assert "ok.test:22 is not among" in await _blocked(here, "ok.test", 22)


async def test_what_a_project_allows_is_an_offer_until_a_person_accepts_it(here: Place, listening: Listening) -> None:
    port = await listening(echo)
    here.names.known["ok.test"] = ["127.0.0.1"]
    here.project(f'[[network.allow]]\ndomain = "ok.test"\nports = [{port}]\nprotocols = ["tcp"]\n')
    (offer,) = here.network.rules().hosts
    assert (offer.source, offer.accepted, here.network.rules().open) == ("project", False, ())
    await _blocked(here, "ok.test", port)
    here.network.accept(offer.sha)
    (await here.network.connect("ok.test", port)).socket.close()
    here.project(f'[[network.allow]]\ndomain = "ok.test"\nports = [{port}, 22]\nprotocols = ["tcp"]\n')
    await _blocked(here, "ok.test", port)
    here.project(f'[[network.allow]]\ndomain = "ok.test"\nports = [{port}]\nprotocols = ["tcp"]\n')
    assert here.network.rules().open
    here.network.withdraw(offer.sha)
    await _blocked(here, "ok.test", port)


async def test_an_acceptance_is_remembered_and_a_broken_memory_accepts_nothing(here: Place) -> None:
    here.project('[[network.allow]]\ndomain = "ok.test"\n')
    here.network.accept(here.network.rules().hosts[0].sha)
    files = [here.folder / name for name in ("workbench.toml", "settings.toml", "state/network.json")]
    again = Network(files[0], files[1], files[2], Settings)
    assert [rule.domain for rule in again.rules().open] == ["ok.test"]
    for broken in (b"{", b"[1]", b"\xff"):
        files[2].write_bytes(broken)
        assert Network(files[0], files[1], files[2], Settings).rules().open == ()


async def test_a_project_may_forbid_what_the_person_allows(here: Place) -> None:
    here.allow("ok.test", 443)
    here.project('[network]\ndeny = ["ok.test"]\n')
    assert "denied by network.deny" in await _blocked(here, "ok.test")
    here.project('[network]\ndeny = ["93.184.0.0/16"]\n')
    here.names.known["ok.test"] = ["93.184.216.34"]
    assert "which is denied by network.deny" in await _blocked(here, "ok.test")


async def test_a_denial_that_cannot_be_read_closes_everything(here: Place) -> None:
    here.allow("ok.test", 443)
    here.project('[network]\ndeny = ["nonsense/99"]\n')
    assert "is invalid" in await _blocked(here, "ok.test")
    assert here.network.rules().open == ()
    assert "is invalid" in await _blocked(here, "ok.test", extra=("ok.test:443",))


async def test_own_rules_are_added_and_removed_in_the_persons_file(here: Place) -> None:
    here.own("[run]\nseconds = 7\n")
    rule = here.network.add("API.example.org", [443], ["https"])
    with pytest.raises(WorkbenchError, match="exists already"):
        here.network.add("https://api.example.org/v1?a=b", [], ["tls"])
    assert [(one.domain, one.source) for one in here.network.rules().open] == [("api.example.org", "you")]
    assert "seconds = 7" in (here.folder / "settings.toml").read_text("utf-8")
    here.network.remove(rule.sha)
    assert here.network.rules().hosts == ()
    with pytest.raises(WorkbenchError):
        here.network.remove(rule.sha)
    with pytest.raises(WorkbenchError):
        here.network.add("localhost", [], ["tls"])
    with pytest.raises(WorkbenchError):
        here.network.accept(rule.sha)


async def test_a_broken_entry_of_the_persons_is_not_lost_by_adding_one(here: Place) -> None:
    here.own('[[network.allow]]\ndomain = "localhost"\n')
    with pytest.raises(WorkbenchError, match="not a complete domain"):
        here.network.add("api.example.org", [], ["tls"])
    assert "localhost" in (here.folder / "settings.toml").read_text("utf-8")


# ── one run ──────────────────────────────────────────────────────────────────────────────────────
async def test_a_place_allowed_for_one_run_is_open_in_that_run_only(here: Place, listening: Listening) -> None:
    port = await listening(echo)
    here.names.known["ok.test"] = ["127.0.0.1"]
    (await here.network.connect("ok.test", port, (f"ok.test:{port}",))).socket.close()
    await _blocked(here, "ok.test", port)
    await _blocked(here, "other.test", port, (f"ok.test:{port}",))


@pytest.mark.parametrize(("port", "spoken"), [(443, {"tls"}), (80, {"http"}), (5432, {"tls", "http", "tcp"})])
async def test_what_such_a_place_speaks_follows_from_its_port(here: Place, port: int, spoken: set[str]) -> None:
    assert here.network._admitted("ok.test", port, (f"ok.test:{port}",)) == spoken


# ── addresses ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "found",
    [
        ["169.254.169.254"], ["127.0.0.2"], ["10.0.0.1"], ["1.1.1.1", "192.168.0.1"], ["::1"], ["::ffff:127.0.0.1"],
        ["2606:4700::1111", "fe80::1"], ["168.63.129.16"], ["64:ff9b::a00:1"], ["127.0.0.1", "127.0.0.2"],
    ],
)  # fmt: skip
async def test_a_host_that_leads_to_a_denied_address_is_refused_as_a_whole(here: Place, found: list[str]) -> None:
    here.allow("ok.test", 443)
    here.names.known["ok.test"] = found
    for extra in ((), ("ok.test:443",)):
        assert "ok.test resolves to" in await _blocked(here, "ok.test", extra=extra)


@pytest.mark.parametrize("host", ["169.254.169.254", "10.0.0.1", "[::1]", "::ffff:10.0.0.1", "127.0.0.3"])
async def test_a_denied_address_is_refused_whatever_the_rules_say(here: Place, host: str) -> None:
    plain = host.strip("[]")
    where = f"[{plain}]:443" if ":" in plain else f"{plain}:443"
    if ":" not in plain:
        here.allow(plain, 443)
    assert "No rule can allow this address" in await _blocked(
        here, host, extra=(where.replace("10.0.0.1", "a00:1"), where)
    )


async def test_names_of_the_own_machine_and_network_are_refused(here: Place) -> None:
    for host in ("localhost", "intranet", "LOCALHOST."):
        assert "its local network" in await _blocked(here, host, extra=("localhost:443", "intranet:443"))


@given(host=st.text(max_size=60), port=st.integers(1, 65535))
def test_no_spelling_gets_past_a_rule_for_one_host(here: Place, host: str, port: int) -> None:
    here.own('[[network.allow]]\ndomain = "ok.test"\n')
    here.names.known.clear()
    with pytest.raises(WorkbenchError):
        asyncio.run(here.network.connect(host, port))


async def test_a_host_is_looked_up_once_and_its_address_is_used(here: Place, listening: Listening) -> None:
    """A second look could be answered with another address."""
    port = await listening(echo)
    here.allow("ok.test", port)
    answers = [["127.0.0.1"], ["169.254.169.254"]]

    async def changing(host: str) -> list[Address]:
        return [ipaddress.ip_address(text) for text in answers.pop(0)]

    here.network._resolve = changing
    line = await here.network.connect("ok.test", port)
    assert line.socket.getpeername() == ("127.0.0.1", port)
    line.socket.close()
    assert "169.254.169.254" in await _blocked(here, "ok.test", port)


# ── limits ───────────────────────────────────────────────────────────────────────────────────────
async def test_connections_to_one_host_are_counted(here: Place, listening: Listening) -> None:
    port = await listening(echo)
    here.settings = change(here.settings, "network.per_minute", 3)
    for name in ("a.ok.test", "b.ok.test"):
        here.allow(name, port)
        here.names.known[name] = ["127.0.0.1"]
    for _ in range(3):
        (await here.network.connect("a.ok.test", port)).socket.close()
    assert "more than 3 connections to a.ok.test" in await _blocked(here, "a.ok.test", port)
    (await here.network.connect("b.ok.test", port)).socket.close()


async def test_a_lookup_that_hangs_is_given_up(here: Place) -> None:
    here.allow("ok.test", 443)

    async def hang(host: str) -> list[Address]:
        await asyncio.Event().wait()
        return []

    here.network._resolve = hang
    with pytest.raises(Unreachable) as caught:
        await here.network.connect("ok.test", 443, seconds=0.05)
    assert caught.value.kind == "timeout"


async def test_a_host_that_is_not_there_is_no_refusal(here: Place, listening: Listening) -> None:
    here.allow("ok.test", 443)
    with pytest.raises(Unreachable) as caught:
        await here.network.connect("ok.test", 443)
    assert caught.value.kind == "unknown"
    here.names.known["ok.test"] = ["127.0.0.1"]
    here.allow("ok.test", 1)
    with pytest.raises(Unreachable, match="cannot be reached"):
        await here.network.connect("ok.test", 1)
