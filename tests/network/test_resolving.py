"""Looking a host up, as this system does it."""

from __future__ import annotations

import ipaddress

import pytest

from workbench.network.addresses import Address
from workbench.network.blocked import Unreachable
from workbench.network.resolving import addresses_of, system_addresses


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
    assert caught.value.message.startswith("no-such-host.invalid: ")
