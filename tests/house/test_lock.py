"""The constraints pin every dependency of pyproject within its bounds, with hashes, and contain no index address."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PYTHONS = ("3.11", "3.12", "3.13", "3.14")


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def pins(root: Path) -> dict[str, list[Requirement]]:
    """File → the versions that it pins."""
    return {name: _read(root / "constraints" / f"{name}.txt") for name in ("run", "test")}


def _read(path: Path) -> list[Requirement]:
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return [Requirement(line.split("--hash")[0].strip()) for line in lines]


def _here(marker: Marker | None, python: str) -> bool:
    world = {"python_version": python, "python_full_version": f"{python}.1", "sys_platform": "linux"}
    return marker is None or marker.evaluate({**world, "platform_python_implementation": "CPython"})


def _wanted(project: dict[str, Any], name: str) -> list[Requirement]:
    texts = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    if name == "test":
        texts += project["project"]["optional-dependencies"]["test"]
    return [Requirement(text) for text in texts]


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("name", ["run", "test"])
def test_every_dependency_is_pinned_inside_its_bounds(
    project: dict[str, Any], pins: dict[str, list[Requirement]], name: str, python: str
) -> None:
    pinned = {canonicalize_name(pin.name): pin for pin in pins[name] if _here(pin.marker, python)}
    for wanted in _wanted(project, name):
        if not _here(wanted.marker, python):
            continue
        pin = pinned.get(canonicalize_name(wanted.name))
        assert pin is not None, f"{wanted.name} is not pinned; run tools/lock.py"
        version = str(pin.specifier).removeprefix("==")
        assert wanted.specifier.contains(version), f"{wanted} but {version} is pinned; run tools/lock.py"


def test_both_files_pin_the_same_versions(pins: dict[str, list[Requirement]]) -> None:
    assert {str(pin) for pin in pins["run"]} <= {str(pin) for pin in pins["test"]}


@pytest.mark.parametrize("name", ["run", "test"])
def test_every_pin_is_exact_and_has_a_hash(root: Path, pins: dict[str, list[Requirement]], name: str) -> None:
    assert all(re.fullmatch(r"==[^,*]+", str(pin.specifier)) for pin in pins[name])
    blocks = re.split(r"\n(?=\S)", (root / "constraints" / f"{name}.txt").read_text(encoding="utf-8"))
    assert [block for block in blocks if "==" in block and "--hash=sha256:" not in block] == []


@pytest.mark.parametrize("name", ["run", "test"])
def test_no_index_is_named(root: Path, name: str) -> None:
    text = (root / "constraints" / f"{name}.txt").read_text(encoding="utf-8")
    assert "://" not in text
    assert "index" not in text


def test_the_bad_pair_of_qt_and_python_is_never_pinned(pins: dict[str, list[Requirement]]) -> None:
    qt = [pin for pin in pins["run"] if pin.name.lower() == "pyside6-essentials" and _here(pin.marker, "3.11")]
    assert [Requirement("x<6.12").specifier.contains(str(pin.specifier)[2:]) for pin in qt] == [True]
