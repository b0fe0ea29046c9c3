"""The archive follows the newc format."""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path

import pytest

from workbench.sandbox.vm.initramfs import CpioWriter


def archive() -> bytes:
    out = io.BytesIO()
    writer = CpioWriter(out)
    writer.folder("/usr")
    writer.folder("usr/lib")
    writer.file("/usr/lib/a.py", b"print(1)\n", 0o755)
    writer.file("usr/lib/empty", b"")
    writer.link("/lib", "usr/lib")
    writer.device("/console", 5, 1)
    writer.close()
    return out.getvalue()


def test_each_entry_begins_on_four_bytes_and_the_whole_is_full_blocks() -> None:
    data = archive()
    assert len(data) % 512 == 0
    at = data.find(b"070701")
    while at >= 0:
        assert at % 4 == 0
        at = data.find(b"070701", at + 1)
    assert b"TRAILER!!!" in data


def test_another_program_unpacks_it(tmp_path: Path) -> None:
    if shutil.which("cpio") is None:
        pytest.skip("cpio is not installed")
    command = ["cpio", "-i", "--quiet", "usr", "usr/lib", "usr/lib/*", "lib"]
    subprocess.run(command, cwd=tmp_path, input=archive(), check=True)
    assert (tmp_path / "usr/lib/a.py").read_bytes() == b"print(1)\n"
    assert (tmp_path / "usr/lib/a.py").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "usr/lib/empty").read_bytes() == b""
    assert (tmp_path / "lib").readlink() == Path("usr/lib")


def test_a_name_that_is_none_is_refused() -> None:
    for name in ("", "/", "a\0b"):
        with pytest.raises(ValueError, match="archive"):
            CpioWriter(io.BytesIO()).file(name, b"")
