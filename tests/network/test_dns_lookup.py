"""Looking a host up, as this system does it."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import threading

import pytest

from workbench.network.blocked_addresses import Address
from workbench.network.dns_lookup import addresses_of, system_addresses
from workbench.network.network_errors import Unreachable


async def _never(host: str) -> list[Address]:
    raise AssertionError(host)


@pytest.mark.parametrize("text", ["93.184.216.34", "2606:4700::1111"])
async def test_an_address_is_its_own_and_nobody_is_asked(text: str) -> None:
    assert await addresses_of(text, _never) == [ipaddress.ip_address(text)]


async def test_a_host_without_addresses_is_unknown() -> None:
    async def nothing(host: str) -> list[Address]:
        return []

    with pytest.raises(Unreachable) as caught:
        await addresses_of("example.org", nothing)
    assert caught.value.kind == "unknown"


async def test_a_name_that_cannot_be_looked_up_is_a_sentence() -> None:
    with pytest.raises(Unreachable) as caught:
        await system_addresses("no-such-host.invalid")
    assert caught.value.message.startswith("The host no-such-host.invalid ")


async def test_lookups_that_hang_hold_up_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = threading.Event()

    def hanging(*words: object, **more: object) -> list[object]:
        answered.wait(60)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", hanging)
    asking = [asyncio.ensure_future(system_addresses(f"h{number}.example.org")) for number in range(40)]
    try:
        async with asyncio.timeout(60):
            assert await asyncio.to_thread(lambda: "at once") == "at once"
            refused = await asyncio.gather(*asking[8:], return_exceptions=True)
        assert {getattr(one, "kind", "") for one in refused} == {"timeout"}
    finally:
        answered.set()
    assert await asyncio.gather(*asking[:8]) == [[]] * 8
