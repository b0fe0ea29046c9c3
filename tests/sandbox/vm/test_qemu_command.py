"""QEMU is started without network, disk and screen, and cannot start other programs."""

from __future__ import annotations

import pytest

from workbench.sandbox.vm.qemu_process import PortDescriptors, arguments


def words(accelerator: str = "tcg", snapshot: int = -1, clock: int = 0) -> list[str]:
    ports = PortDescriptors(10, 11, 12, snapshot)
    return list(arguments("/usr/bin/qemu", accelerator, 1024, ports, "/k", "/i", clock))


def test_there_are_two_ports_and_nothing_else_to_the_outside() -> None:
    found = words()
    devices = [found[at + 1] for at, word in enumerate(found) if word == "-device"]
    assert [device.split(",")[0] for device in devices] == ["virtio-serial-device", "virtserialport", "virtserialport"]
    assert not {"-netdev", "-nic", "-net", "-drive", "-blockdev", "-fsdev", "-virtfs", "-usb", "-vnc"} & set(found)
    assert {"-nodefaults", "-no-user-config", "-no-reboot"} <= set(found)
    assert "spawn=deny" in found[found.index("-sandbox") + 1]
    assert "elevateprivileges=deny" in found[found.index("-sandbox") + 1]


@pytest.mark.parametrize("accelerator", ["tcg", "kvm"])
def test_a_snapshot_meets_the_machine_it_was_made_on(accelerator: str) -> None:
    cold, restored = words(accelerator), words(accelerator, snapshot=13)
    assert restored[: len(cold)] == cold
    assert restored[len(cold) :] == ["-incoming", "fd:13"]


def test_the_clock_is_told_where_the_guest_cannot_measure_it() -> None:
    line = words(clock=2_600_000)
    assert "tsc_early_khz=2600000" in line[line.index("-append") + 1]
    assert "tsc" not in (plain := words())[plain.index("-append") + 1]


def test_only_what_is_named_is_inherited() -> None:
    assert PortDescriptors(3, 4, 5).all == (3, 4, 5)
    assert PortDescriptors(3, 4, 5, 6).all == (3, 4, 5, 6)
