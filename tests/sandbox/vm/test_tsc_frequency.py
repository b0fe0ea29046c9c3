"""The TSC frequency of this machine is read from the system or measured."""

from __future__ import annotations

import platform

import pytest

from workbench.sandbox.vm import vm_image


@pytest.mark.skipif(platform.machine() != "x86_64", reason="counts this processor's own clock")
def test_it_is_counted_and_a_busy_machine_changes_it_little() -> None:
    counted = sorted(vm_image.tsc_khz() for _ in range(5))
    assert counted[0] > 100_000
    assert counted[2] - counted[0] < counted[2] / 20


def test_where_no_code_may_be_made_the_system_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*words: object, **more: object) -> None:
        raise PermissionError

    monkeypatch.setattr(vm_image.mmap, "mmap", forbidden)
    assert vm_image.tsc_khz() >= 0
