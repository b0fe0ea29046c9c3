"""An image is used only if it was built from the current files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from workbench.errors import WorkbenchError
from workbench.sandbox.child_profile import ChildProfile, base_python
from workbench.sandbox.vm import vm_image
from workbench.sandbox.vm.initramfs import our_files
from workbench.sandbox.vm.vm_image import PACKAGE, VmImage


@pytest.fixture
def image(tmp_path: Path) -> VmImage:
    ours = our_files()
    made = VmImage(
        folder=str(tmp_path),
        built="2026-01-01",
        kernel="6.1",
        engine="7.2",
        accelerator="tcg",
        processor=vm_image.processor(),
        clock_khz=1,
        python=base_python(),
        ours=tuple(str(path.relative_to(PACKAGE)) for path in ours),
        fingerprint=vm_image.fingerprint(ours),
    )
    for path in (made.kernel_file, made.first_root, made.snapshot):
        path.touch()
    made.save()
    return made


def test_what_was_saved_is_read_again(image: VmImage, tmp_path: Path) -> None:
    assert vm_image.read(tmp_path) == image
    assert vm_image.outdated(image, "7.2") == ""


def test_half_an_image_is_none(image: VmImage, tmp_path: Path) -> None:
    image.snapshot.unlink()
    assert vm_image.read(tmp_path) is None
    image.snapshot.touch()
    (tmp_path / "image.json").write_text("{")
    assert vm_image.read(tmp_path) is None
    assert vm_image.read(tmp_path / "nowhere") is None


def test_every_way_to_be_outdated_is_told(image: VmImage) -> None:
    assert "another version of the workbench" in vm_image.outdated(replace(image, fingerprint="0"), "7.2")
    assert "another version of the workbench" in vm_image.outdated(replace(image, ours=(*image.ours, "gone.py")), "7.2")
    assert "another Python" in vm_image.outdated(replace(image, python="/usr/bin/other"), "7.2")
    assert "QEMU 7.2, but QEMU 9.0 is installed" in vm_image.outdated(image, "9.0")
    assert "another processor" in vm_image.outdated(replace(image, processor="Z80"), "7.2")


def test_the_machine_holds_the_program_its_files_and_a_system() -> None:
    def needs(memory: int, disk: int) -> int:
        return vm_image.memory_of(ChildProfile("qemu", "", "", "", True, memory, 1, 1, disk))

    assert needs(512, 1024) == vm_image.SNAPSHOT_MB  # the default limits start from the snapshot
    assert needs(2048, 1024) == 3 * 1024


def test_a_machine_without_qemu_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(WorkbenchError) as refused:
        vm_image.need_emulator()
    assert refused.value.hint


def test_another_processor_is_told_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vm_image.platform, "machine", lambda: "riscv64")
    with pytest.raises(WorkbenchError, match="x86-64"):
        vm_image.need_emulator()


def test_the_folder_is_its_owners_alone(tmp_path: Path) -> None:
    vm_image.private_folder(tmp_path / "a/b")
    assert (tmp_path / "a/b").stat().st_mode & 0o777 == 0o700
