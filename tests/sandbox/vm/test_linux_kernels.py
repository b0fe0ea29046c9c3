"""A kernel is used if it has the required drivers. Missing drivers are reported."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from workbench.errors import WorkbenchError
from workbench.sandbox.vm import linux_kernels

NAMES = ("virtio_ring", "virtio", "virtio_mmio", "virtio_console")


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """A kernel with its modules as distributions install them: one is compressed, one built in."""
    (tmp_path / "vmlinuz").write_bytes(b"KERNEL")
    for place, name in (("virtio", "virtio_ring"), ("virtio", "virtio_mmio"), ("char", "virtio_console")):
        folder = tmp_path / "kernel/drivers" / place
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.ko").write_bytes(name.encode())
    ring = tmp_path / "kernel/drivers/virtio/virtio_ring.ko"
    ring.with_suffix(".ko.xz").write_bytes(lzma.compress(ring.read_bytes()))
    ring.unlink()
    (tmp_path / "modules.builtin").write_text("kernel/drivers/virtio/virtio.ko\n")
    return tmp_path


def test_drivers_are_unpacked_in_the_order_they_are_loaded_in(system: Path) -> None:
    found = linux_kernels.kernel_of("6.1", system / "vmlinuz", system)
    assert found.drivers == tuple((name, name.encode()) for name in NAMES if name != "virtio")


def test_a_driver_that_is_missing_is_named(system: Path) -> None:
    (system / "kernel/drivers/char/virtio_console.ko").unlink()
    with pytest.raises(WorkbenchError, match="lack virtio_console"):
        linux_kernels.kernel_of("6.1", system / "vmlinuz", system)


def test_a_kernel_that_cannot_be_read_is_told(system: Path) -> None:
    with pytest.raises(WorkbenchError, match=r"6\.1 cannot be read: No such file"):
        linux_kernels.kernel_of("6.1", system / "nothing", system)


def test_where_no_kernel_is_every_way_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(linux_kernels.platform, "release", lambda: "0.0-none")
    with pytest.raises(WorkbenchError, match=r"package tools are not installed.*0\.0-none cannot be read") as refused:
        linux_kernels.find_kernel(tmp_path)
    assert refused.value.hint
