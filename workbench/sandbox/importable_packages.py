"""Finds the installed distributions that programs may import, and the folders of these and their dependencies.

The user names distributions in the environment that runs the Workbench. Nothing else of its site-packages is visible
in the sandbox.
"""

from __future__ import annotations

import importlib.metadata as metadata
import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

from workbench.records import Fault

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}")
_MOST = 200  # maximum number of distributions from one setting, including dependencies


@dataclass(frozen=True, slots=True)
class ImportablePackages:
    """Packages and preloaded modules that the settings select on this machine."""

    installed: tuple[str, ...] = ()  # name and version of each selected distribution, such as "numpy 2.4.6"
    missing: tuple[str, ...] = ()
    mounts: tuple[tuple[str, str], ...] = ()  # path below /packages, path on this machine
    preload: tuple[str, ...] = ()  # modules to import ahead of programs
    unknown: tuple[str, ...] = ()  # requested preload modules that no selected distribution contains

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Problems that the user can fix."""
        faults = []
        for name in self.missing:
            words = f"Programs cannot import {name}: it is named in run.packages, but not installed."
            faults.append(
                Fault(words, f"Install it beside the workbench: `.venv/bin/pip install {name}` in its clone.")
            )
        for name in self.unknown:
            words = f"{name} is named in run.preload, but belongs to no package of run.packages."
            faults.append(Fault(words, "Add its package to run.packages, or remove it from run.preload."))
        return tuple(faults)


def packages(names: str, preload: str) -> ImportablePackages:
    """Resolve two settings: distributions and modules to preload, each separated by spaces or commas."""
    return _packages(_split(names), _split(preload)) if names or preload else ImportablePackages()


def _split(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(re.split(r"[\s,]+", text.strip()))) if text.strip() else ()


@lru_cache(maxsize=8)
def _packages(names: tuple[str, ...], preload: tuple[str, ...]) -> ImportablePackages:
    installed, missing, mounts = [], [], dict[str, str]()
    waiting, seen = [*names], set[str]()
    while waiting and len(seen) < _MOST:
        name = waiting.pop(0)
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in seen:
            continue
        seen.add(key)
        found = _distribution(name)
        if found is None:
            missing += [name] * (name in names)
            continue
        installed += [f"{found.name} {found.version}"] * (name in names)
        mounts |= _places(found)
        waiting += _requirements(found)
    known = {place.split(".")[0] for place in mounts}
    chosen = tuple(module for module in preload if module.split(".")[0] in known)
    unknown = tuple(module for module in preload if module not in chosen)
    return ImportablePackages(tuple(installed), tuple(missing), tuple(sorted(mounts.items())), chosen, unknown)


def _distribution(name: str) -> metadata.Distribution | None:
    try:
        return metadata.distribution(name) if _NAME.fullmatch(name) else None
    except metadata.PackageNotFoundError:
        return None


def _requirements(found: metadata.Distribution) -> list[str]:
    """Names of required distributions, except those required only by an extra."""
    needed = [text for text in found.requires or () if "extra ==" not in text]
    return [name[0] for text in needed if (name := _NAME.match(text))]


def _places(found: metadata.Distribution) -> dict[str, str]:
    """Modules and library folders of a distribution, each mounted separately.

    Includes its METADATA file, which holds its version.
    """
    files = [PurePosixPath(str(file)) for file in found.files or ()]
    whole = {file.parts[0] for file in files if len(file.parts) == 2 and file.name == "__init__.py"}
    tops: dict[str, str] = {}
    for file in files:
        place = _place(file, whole)
        path = os.path.realpath(str(found.locate_file(place))) if place else ""
        if place and place not in tops and os.path.exists(path):
            tops[place] = path
    return tops


def _place(file: PurePosixPath, whole: set[str]) -> str:
    """Path to mount so that this file is visible. "" for files that no program needs."""
    top = file.parts[0]
    if top in ("..", "__pycache__", "/") or file.is_absolute() or top.endswith(".pth"):
        return ""
    if top.endswith((".dist-info", ".egg-info")):
        return f"{top}/METADATA" if file.name == "METADATA" else ""
    shared = top not in whole and len(file.parts) > 2 and not top.endswith(".libs")
    return "/".join(file.parts[:2]) if shared else top  # a folder that distributions may share
