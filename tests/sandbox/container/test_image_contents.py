"""The image contains Python, its library and the runner. The runner's dependencies are found by analyzing its
imports.
"""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from workbench.sandbox.container import image_contents
from workbench.sandbox.container.image_contents import own_files, reduce_system, runner_files, source_hash


def test_the_runner_s_files_are_all_it_imports_and_nothing_of_the_workbench() -> None:
    names = set(runner_files())
    assert {
        "app/workbench/sandbox/container/entry.py",
        "app/workbench/sandbox/inside/runner.py",
        "bench/client.py",
    } <= names
    assert "app/workbench/__init__.py" in names
    services = {name.split("/")[2] for name in names if name.startswith("app/workbench/") and name.count("/") > 2}
    assert services == {"sandbox"}
    assert not any(word in name for name in names for word in ("records", "containers.py", "launcher"))


def test_the_hash_is_the_same_until_a_file_changes() -> None:
    assert source_hash() == source_hash()
    assert len(source_hash()) == 16


def test_what_is_laid_over_a_system_belongs_there() -> None:
    with tarfile.open(fileobj=io.BytesIO(own_files())) as tar:
        members = {member.name: member for member in tar}
    assert members["home/program"].linkname == "/tmp/home"
    assert members["workspace"].linkname == "/bench/workspace"
    assert members["tmp"].mode == 0o1777
    assert any(name.endswith(".pyc") for name in members)
    assert not any(name.startswith("bench/__pycache__") for name in members)


def test_a_system_is_reduced_to_python_without_shells_and_owner_s_rights(tmp_path: Path) -> None:
    source, target = tmp_path / "system.tar", tmp_path / "image.tar"
    kept = ["usr/bin/python3.13", "usr/lib/python3.13/json/__init__.py", "usr/lib/x86_64-linux-gnu/libc.so.6"]
    kept += ["usr/share/zoneinfo/UTC", "usr/lib64/ld-linux.so.2"]
    gone = ["usr/bin/sh", "bin/su", "usr/bin/dpkg", "usr/lib/apt/methods/http", "etc/shadow", "var/lib/dpkg/status"]
    gone += ["usr/lib/python3.13/test/test_os.py", "usr/lib/python3/dist-packages/x.py", "root/.profile"]
    with tarfile.open(source, "w") as tar:
        for name in kept + gone:
            info = tarfile.TarInfo(f"./{name}")
            info.mode = 0o4755
            tar.addfile(info)
        folder = tarfile.TarInfo("./usr/lib64")
        folder.type = tarfile.DIRTYPE
        tar.addfile(folder)
        device = tarfile.TarInfo("./usr/lib/disk")
        device.type = tarfile.BLKTYPE
        tar.addfile(device)
    reduce_system(source, target)
    with tarfile.open(target) as tar:
        members = {member.name: member for member in tar}
    assert set(kept) <= set(members)
    assert not {*gone, "usr/lib/disk"} & set(members)
    assert all(members[name].mode == 0o755 for name in kept)
    assert members["lib64"].linkname == "usr/lib64"


def test_the_program_s_user_has_a_name_here_and_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_contents, "user", lambda: (1000, 1001))
    found = image_contents._accounts()
    assert [line.split(":")[2] for line in found["etc/passwd"].decode().splitlines()] == ["1000", "65534"]
    assert [line.split(":")[2] for line in found["etc/group"].decode().splitlines()] == ["1001", "65534"]
