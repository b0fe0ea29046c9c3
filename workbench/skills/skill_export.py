"""Packs a skill into a zip file that every client of Agent Skills unpacks: one folder, named like the skill."""

from __future__ import annotations

import zipfile
from pathlib import Path

from workbench.files import replacing_file
from workbench.skills.skill_folder import CARD, code_file, is_plain, others, read_whole

LARGEST = 100_000_000  # bytes of one file
_WHEN = (1980, 1, 1, 0, 0, 0)  # the same skill is the same file, whenever it is packed


def pack(name: str, folder: Path, target: Path) -> Path:
    """Card, code and whatever it carries; earlier versions stay here. A folder as target takes the skill's name."""
    target = target / f"{name}.zip" if target.is_dir() else target
    inside = [path for path in (CARD, code_file(name), *others(folder)) if is_plain(folder / path)]  # no link
    with (
        replacing_file(target, mode=0o644, name=str(target), hint="Choose another place.") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed,
    ):
        for path in inside:
            info = zipfile.ZipInfo(f"{name}/{path}", _WHEN)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            packed.writestr(info, read_whole(folder / path, LARGEST))
    return target
