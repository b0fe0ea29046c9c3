from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.skills.skill_export import pack

if TYPE_CHECKING:
    from conftest import Shelf

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
