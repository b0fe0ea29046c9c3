"""Skills that somebody else sent: what could do harm is refused with the reason, before anything is written."""

from __future__ import annotations

import io
import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from workbench.errors import WorkbenchError
from workbench.skills.skill_packages import LARGEST, MOST_FILES, open_skill_packages, pack

if TYPE_CHECKING:
    from conftest import Shelf


CARD = "---\nname: add-up\ndescription: Adds.\n---\nHow to.\n"


def packed(
    path: Path, files: dict[str, str | bytes], change: Callable[[zipfile.ZipInfo], None] = lambda info: None
) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("SKILL.md", CARD)
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            change(info)
            target.writestr(info, data)
    return path


def as_mode(mode: int) -> Callable[[zipfile.ZipInfo], None]:
    def change(info: zipfile.ZipInfo) -> None:
        info.external_attr = mode << 16

    return change


def test_a_folder_and_a_zip_of_it_are_the_same_parcel(tmp_path: Path) -> None:
    folder = tmp_path / "add-up"
    (folder / "references").mkdir(parents=True)
    (folder / "versions").mkdir()
    (folder / "SKILL.md").write_text(CARD)
    (folder / "add_up.py").write_text("async def add_up(): ...\n")
    (folder / "references" / "more.md").write_text("more")
    (folder / "versions" / "1.py").write_text("old")
    files = {"add_up.py": "async def add_up(): ...\n", "references/more.md": "more", "versions/1.py": "old"}
    one, other = open_skill_packages(folder)[0], open_skill_packages(packed(tmp_path / "x.zip", files))[0]
    assert one.name == other.name == "add-up"
    assert dict(one.files) == dict(other.files)
    assert set(one.files) == {"SKILL.md", "add_up.py", "references/more.md"}


def test_a_checkout_holds_many_skills_and_says_its_commit(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / "skills" / name).mkdir(parents=True)
        (tmp_path / "skills" / name / "SKILL.md").write_text(CARD.replace("add-up", name))
    (tmp_path / ".git" / "refs" / "heads").mkdir(parents=True)
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / ".git" / "refs" / "heads" / "main").write_text("a" * 40 + "\n")
    (tmp_path / "README.md").write_text("no part of any skill")
    found = open_skill_packages(tmp_path)
    assert [(one.name, one.commit, sorted(one.files)) for one in found] == [
        ("one", "a" * 40, ["SKILL.md"]), ("two", "a" * 40, ["SKILL.md"])]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../../.bashrc", "not a path inside"),
        ("a/../../b", "not a path inside"),
        ("/etc/cron.d/x", "absolute"),
        ("~/x", "absolute"),
        ("C:/x", "colon"),
        ("..\\..\\x", "backslash"),
        ("a\u202egpj.py", "invisible character"),
        ("skill.md", "the same name"),
        ("SKILL.md/x", "both a file and a folder"),
        ("a/" * 9 + "x", "too deeply nested"),
        ("x" * 300, "too long"),
    ],
)
def test_names_that_lead_elsewhere_or_are_two_things_are_refused(tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(WorkbenchError, match=reason) as caught:
        open_skill_packages(packed(tmp_path / "x.zip", {name: "x"}))
    assert caught.value.message.startswith("Not imported")


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        (stat.S_IFLNK | 0o777, "is a link"),
        (stat.S_IFIFO | 0o644, "not a regular file"),
        (stat.S_IFBLK | 0o644, "not a regular file"),
        (stat.S_IFREG | 0o4755, "setuid"),
        (stat.S_IFREG | 0o2755, "setuid"),
    ],
)
def test_entries_that_are_no_plain_files_are_refused(tmp_path: Path, mode: int, reason: str) -> None:
    with pytest.raises(WorkbenchError, match=reason):
        open_skill_packages(packed(tmp_path / "x.zip", {"tool": "/etc/passwd"}, as_mode(mode)))


def test_bombs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="a zip bomb"):
        open_skill_packages(packed(tmp_path / "ratio.zip", {"zeros": bytes(LARGEST - 1)}))
    with pytest.raises(WorkbenchError, match="larger than"):
        open_skill_packages(packed(tmp_path / "size.zip", {"large": bytes(LARGEST + 1)}))
    with pytest.raises(WorkbenchError, match=f"more than {MOST_FILES} files"):
        open_skill_packages(packed(tmp_path / "many.zip", {f"f{at}": "x" for at in range(MOST_FILES)}))
    noise = os.urandom(1_900_000)
    with pytest.raises(WorkbenchError, match=r"(more|larger) than 20 MB"):
        open_skill_packages(packed(tmp_path / "all.zip", {f"f{at}": noise for at in range(11)}))


def test_a_zip_that_lies_about_its_sizes_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path / "x.zip", {"zeros": bytes(LARGEST * 3)})
    data = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        place = data.index(b"zeros") if mark == b"PK\x03\x04" else data.rindex(b"zeros")
        start = data.rindex(mark, 0, place)
        data[start + at : start + at + 4] = (10).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(WorkbenchError, match="Not imported"):
        open_skill_packages(path)


def test_links_devices_and_odd_files_in_folders_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "add-up"
    folder.mkdir()
    (folder / "SKILL.md").write_text(CARD)
    (folder / "x").symlink_to("/etc/passwd")
    with pytest.raises(WorkbenchError, match="x is a link"):
        open_skill_packages(folder)
    (folder / "x").unlink()
    (tmp_path / "link").symlink_to(folder)
    with pytest.raises(WorkbenchError, match="is a link"):
        open_skill_packages(tmp_path / "link")
    os.mkfifo(folder / "pipe")
    with pytest.raises(WorkbenchError, match="not a regular file"):
        open_skill_packages(folder)
    (folder / "pipe").unlink()
    (folder / "run").write_text("x")
    (folder / "run").chmod(0o4755)
    with pytest.raises(WorkbenchError, match="setuid"):
        open_skill_packages(folder)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a readable zip file"),
        (b"PK\x03\x04 broken", "not a readable zip file"),
        (None, "no SKILL.md"),
        (b"\xff\xfe", "not UTF-8 text"),
        (b"nothing", "three hyphens"),
        (b"---\nname: Bad Name\n---\n", "not a skill name"),
    ],
)
def test_what_is_no_skill_is_told(tmp_path: Path, data: bytes | None, reason: str) -> None:
    path = tmp_path / "x.zip"
    if data is None or not (data == b"" or data.startswith(b"PK")):
        whole = io.BytesIO()
        with zipfile.ZipFile(whole, "w") as target:
            target.writestr("SKILL.md" if data is not None else "readme.md", data or b"x")
        data = whole.getvalue()
    path.write_bytes(data)
    with pytest.raises(WorkbenchError, match=reason):
        open_skill_packages(path)
    with pytest.raises(WorkbenchError, match="cannot be read"):
        open_skill_packages(tmp_path / "missing")


def test_what_is_packed_in_an_odd_way_or_named_in_no_language_is_refused(tmp_path: Path) -> None:
    def odd(info: zipfile.ZipInfo) -> None:
        info.compress_type = zipfile.ZIP_LZMA

    with pytest.raises(WorkbenchError, match="compression method that is not supported"):
        open_skill_packages(packed(tmp_path / "x.zip", {"a.txt": "x"}, odd))
    broken = packed(tmp_path / "y.zip", {"ä.txt": "x"})
    broken.write_bytes(broken.read_bytes().replace("ä".encode(), b"\xff\xff"))
    with pytest.raises(WorkbenchError, match="not a readable zip file"):
        open_skill_packages(broken)


CODE = "async def add_up():\n    return 1\n"


def test_a_packed_skill_holds_what_it_is_and_no_history(shelf: Shelf, tmp_path: Path) -> None:
    shelf.kept("add-up", CODE)
    shelf.kept("add-up", CODE + "# two\n")
    folder = shelf.library.folder("add-up")
    (folder / "references").mkdir()
    (folder / "references" / "more.md").write_text("more")
    (folder / "link").symlink_to("/etc/passwd")
    target = pack("add-up", folder, tmp_path)
    with zipfile.ZipFile(target) as packed:
        assert packed.namelist() == ["add-up/SKILL.md", "add-up/add_up.py", "add-up/references/more.md"]


def test_a_link_in_the_place_of_the_card_is_not_packed(shelf: Shelf, tmp_path: Path) -> None:
    shelf.kept("add-up", CODE)
    folder = shelf.library.folder("add-up")
    (tmp_path / "private").write_text("a key of yours")
    (folder / "SKILL.md").unlink()
    (folder / "SKILL.md").symlink_to(tmp_path / "private")
    with zipfile.ZipFile(pack("add-up", folder, tmp_path)) as packed:
        assert packed.namelist() == ["add-up/add_up.py"]


def test_one_broken_skill_of_a_folder_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    for name, card in (
        ("good", "---\nname: good\ndescription: Works.\n---\n"),
        ("broken", "---\nname: [\n---\n"),
        ("bytes", "\xff"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "SKILL.md").write_bytes(card.encode("latin-1"))
    packages = {package.name: package for package in open_skill_packages(tmp_path)}
    assert sorted(packages) == ["broken", "bytes", "good"]
    assert (packages["good"].problem, sorted(packages["good"].files)) == ("", ["SKILL.md"])
    assert packages["bytes"].problem == "its SKILL.md is not UTF-8 text."
    assert packages["broken"].problem
    assert not packages["broken"].files
