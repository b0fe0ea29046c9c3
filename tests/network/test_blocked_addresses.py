"""Addresses nobody reaches: this machine, its neighbours, metadata, and all of them in a coat."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.network.blocked_addresses import ALWAYS, denied, is_exempt, is_own


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.255.0.3", "0.0.0.0", "0.1.2.3", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1",
        "100.64.0.1", "100.127.255.255", "169.254.169.254", "168.63.129.16", "192.0.0.1", "198.18.0.1", "224.0.0.1",
        "239.255.255.255", "240.0.0.1", "255.255.255.255", "192.0.2.1", "192.88.99.1", "203.0.113.9",
        "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1", "2002:7f00:1::", "2002:0808:0808::1", "2001:0:7f00:1::", "2001:2::1", "2001:db8::1", "fc00::1",
        "fd12::1", "fe80::1", "fec0::1", "ff02::1", "2607:f8b0::5efe:7f00:1", "2607:f8b0::200:5efe:a9fe:a9fe", "100::1",
        "3fff::1", "4000::1", "e000::1",
    ],
)  # fmt: skip
def test_this_address_is_denied(address: str) -> None:
    assert denied(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "8.8.8.8", "168.63.129.17", "172.32.0.1", "2606:4700::1111", "64:ff9b::808:808", "2a00::1"]
)
def test_a_public_address_is_not(address: str) -> None:
    assert denied(ipaddress.ip_address(address)) == ""


def test_what_the_rules_deny_is_denied_in_a_coat_too() -> None:
    more = [ipaddress.ip_network("8.8.0.0/16"), ipaddress.ip_network("2606:4700::/32")]
    for address in ("8.8.8.8", "64:ff9b::808:808", "2606:4700::1"):
        assert denied(ipaddress.ip_address(address), more) == "denied by network.deny"


@given(st.integers(0, 2**32 - 1))
def test_nothing_that_python_calls_local_passes(number: int) -> None:
    address = ipaddress.IPv4Address(number)
    if not address.is_global or address.is_multicast:
        assert denied(address)
    if denied(address):
        assert denied(ipaddress.IPv6Address(f"64:ff9b::{address}"))
        assert denied(ipaddress.IPv6Address(int(ipaddress.IPv6Address("2607::5efe:0:0")) | number))
    assert denied(ipaddress.IPv6Address(f"::ffff:{address}"))


@given(st.integers(0, 2**128 - 1))
def test_nothing_of_ipv6_that_is_not_public_passes(number: int) -> None:
    address = ipaddress.IPv6Address(number)
    if address not in ipaddress.IPv6Network("2000::/3"):
        assert denied(address) or address in ipaddress.IPv6Network("64:ff9b::/96")


def test_each_range_has_its_reason() -> None:
    assert all(ALWAYS.values())


def test_the_addresses_of_this_machine_are_known() -> None:
    assert is_own(ipaddress.ip_address("127.0.0.1"))
    assert not is_own(ipaddress.ip_address("1.1.1.1"))
    assert not is_own(ipaddress.ip_address("2606:4700::1111"))


def test_only_what_is_exempt_is_spared() -> None:
    loopback = [ipaddress.ip_network("127.0.0.1/32")]
    assert is_exempt(ipaddress.ip_address("127.0.0.1"), loopback)
    assert not is_exempt(ipaddress.ip_address("127.0.0.2"), loopback)
    assert not is_exempt(ipaddress.ip_address("127.0.0.1"), ())
