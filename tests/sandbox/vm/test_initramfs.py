"""The initramfs contains this Python, everything it needs to start, and our files in their current version."""

from __future__ import annotations

import io
import os
import subprocess
from pathlib import Path

from workbench.sandbox.child_profile import base_python
from workbench.sandbox.vm import initramfs
from workbench.sandbox.vm.linux_kernels import LinuxKernel
from workbench.sandbox.vm.vm_image import PACKAGE


def test_our_files_are_what_the_first_process_imports_and_what_programs_import() -> None:
    names = {str(path.relative_to(PACKAGE)) for path in initramfs.our_files()}
    assert {
        "__init__.py",
        "sandbox/vm/guest_init.py",
        "sandbox/inside/runner.py",
        "sandbox/inside/modules/client.py",
    } <= names
    assert not [name for name in names if name.startswith(("records", "gui", "errors"))]


def test_python_comes_with_its_library_and_the_c_libraries_below() -> None:
    found = initramfs.archive_files([])
    names = {os.path.basename(name) for name in found}
    assert base_python() in found
    assert {"asyncio", "json"} <= {Path(name).parent.name for name in found}
    assert any(name.startswith(("libc.so", "ld-")) for name in names)
    assert not [name for name in found if "/test/" in name or "site-packages" in name]


def test_ready_code_says_where_its_module_is_inside(tmp_path: Path) -> None:
    source = Path(os.__file__).with_name("bisect.py")
    found = initramfs.compiled([source], tmp_path)
    (target,) = found
    assert target.startswith(f"{source.parent}/__pycache__/bisect.")
    assert str(source).encode() in found[target].read_bytes()
    flags = int.from_bytes(found[target].read_bytes()[4:8], "little")
    assert flags == 1  # a hash-based pyc without checks, because files inside have no timestamps


def test_the_first_file_system_holds_them_in_folders_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    kernel = LinuxKernel("6", tmp_path / "kernel", (("virtio", b"DRIVER"),))
    initramfs.write(tmp_path / "root", kernel, initramfs.our_files(), tmp_path / "code")
    data = (tmp_path / "root").read_bytes()
    for name in (b"init\0", b"modules/00-virtio\0", b"app/workbench/sandbox/vm/guest_init.py\0", b"dev/console\0"):
        assert name in data
    assert initramfs.first_script() in data
    assert (
        data.index(b"app\0") < data.index(b"app/workbench\0") < data.index(b"app/workbench/sandbox/inside/runner.py\0")
    )


def test_the_first_script_is_python_that_any_version_reads() -> None:
    script = initramfs.first_script()
    assert script.startswith(b"#!/")
    command = [base_python(), "-I", "-c", "import sys; compile(sys.stdin.read(), 'init', 'exec')"]
    subprocess.run(command, input=io.BytesIO(script).read(), check=True)
