"""IP and MAC addresses are found, versions and loopback are not."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.network_addresses import (
    find_ip_addresses,
    find_mac_addresses,
    is_ip_address,
    is_mac_address,
)


def ip_found(text: str) -> list[str]:
    return [text[start:end] for start, end in find_ip_addresses(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from 10.1.2.3:8080", "10.1.2.3"),
        ("[203.0.113.7]", "203.0.113.7"),
        ("host 192.168.1.20.", "192.168.1.20"),
        ("192.168.0.0/16", "192.168.0.0"),
        ("fe80::1ff:fe23:4567:890a%eth0", "fe80::1ff:fe23:4567:890a"),
        ("2001:db8:85a3:0:0:8a2e:370:7334", "2001:db8:85a3:0:0:8a2e:370:7334"),
        ("at 2001:db8::1,", "2001:db8::1"),
    ],
)
def test_ip_it_is_found(text: str, expected: str) -> None:
    assert ip_found(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "127.0.0.1:80",
        "0.0.0.0",
        "::1",
        "255.255.255.0",
        "1.2.3.4.5",
        "1.2.3",
        "300.1.2.3",
        "lib-1.2.3.4-linux",
        "a::b",
        "[::2]",
        "1.2.3.4a",
        "Chrome/120.0.6099.109",
        "install alsa-conf 1.2.5.1-2 now",
        "8:6.9.11.60+dfsg-1.6",
    ],
)
def test_ip_innocent_text_stays(text: str) -> None:
    assert ip_found(text) == []


@pytest.mark.parametrize("value", ["10.0.0.1", "fe80::1%eth0", "10.0.0.0/8"])
def test_ip_a_value_under_its_key_is_one(value: str) -> None:
    assert is_ip_address(value)


@pytest.mark.parametrize("value", ["", "127.0.0.1", "n/a", "localhost"])
def test_ip_another_value_under_its_key_is_none(value: str) -> None:
    assert not is_ip_address(value)


def mac_found(text: str) -> list[str]:
    return [text[start:end] for start, end in find_mac_addresses(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("eth0 00:1A:2b:3c:4d:5e up", "00:1A:2b:3c:4d:5e"),
        ("00-1a-2b-3c-4d-5e", "00-1a-2b-3c-4d-5e"),
        ("001a.2b3c.4d5e", "001a.2b3c.4d5e"),
        ("12:34:56:78:90:12", "12:34:56:78:90:12"),
    ],
)
def test_mac_it_is_found(text: str, expected: str) -> None:
    assert mac_found(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "00:00:00:00:00:00",
        "ff:ff:ff:ff:ff:ff",
        "12-34-56-78-90-12",
        "00:1A:2b:3c:4d:5e:6f",
        "1234.5678.9012",
        "12:30:45",
    ],
)
def test_mac_innocent_text_stays(text: str) -> None:
    assert mac_found(text) == []


@pytest.mark.parametrize("value", ["001a2b3c4d5e", "00:1A:2b:3c:4d:5e"])
def test_mac_a_value_under_its_key_is_one(value: str) -> None:
    assert is_mac_address(value)


@pytest.mark.parametrize("value", ["", "n/a", "00:00:00:00:00:00"])
def test_mac_another_value_under_its_key_is_none(value: str) -> None:
    assert not is_mac_address(value)


@pytest.mark.parametrize("address", ["0:1b:2:ff:a:7", "8-0-27-4-9A-C", "001b.02ff.0a07", "0019e3427b1f"])
@pytest.mark.parametrize("text", ["ether {}", "HWaddr {}, up", '"bssid": "{}"', "MAC address is {}.", "wlan_mac={}"])
def test_a_mac_address_in_any_form_is_found_after_its_word(text: str, address: str) -> None:
    assert address in [text.format(address)[start:end] for start, end in find_mac_addresses(text.format(address))]


@pytest.mark.parametrize(
    "text",
    [
        "pci 0:1f:2:0:0:1, ratio 1:2:3:4:5:6, machine 0019e3427b1f, hash 0019e3427b1f",
        "mac: hmac-sha2-256, Mac OS X 10_15_7, ether 2.0, MAC then encrypt, mac 0000.0000.0000",
    ],
)
def test_short_groups_without_a_word_are_no_mac_address(text: str) -> None:
    assert list(find_mac_addresses(text)) == []
