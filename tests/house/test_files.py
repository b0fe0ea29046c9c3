"""The project contains no private path, registry address or secret of the machine it was written on."""

from __future__ import annotations

import re
from pathlib import Path

# The pattern is split so that this file does not match it.
PRIVATE_PATHS = re.compile(
    "|".join(("/wo" + r"rk/(?:main|shared|\.)", "/ro" + r"ot/(?:venv|\.pyenv)", "/tmp/te" + "am"))
)
REGISTRIES = re.compile(
    "|".join(("pypi" + r"\.org", "pythonhosted" + r"\.org", "registry" + r"\.npmjs", "extra-" + "index-url"))
)
SECRETS = re.compile(
    "|".join(("-----BEGIN [A-Z ]*PRIVATE" + " KEY", "gh[pousr]_" + "[A-Za-z0-9]{36}", "AKIA" + "[0-9A-Z]{16}"))
)
BINARY = {".bin", ".xz", ".otf", ".ttf", ".png", ".ico", ".npz"}
BIG = 1_000_000  # bytes; screenshots and fonts are smaller
BIGGER = {"resources/search/vectors.npz": 4_000_000}  # the word vectors of the search


def _texts(tracked: tuple[Path, ...]) -> list[tuple[Path, str]]:
    return [(path, path.read_text(encoding="utf-8")) for path in tracked if path.suffix not in BINARY]


def _found(tracked: tuple[Path, ...], pattern: re.Pattern[str], root: Path) -> list[str]:
    hits = []
    for path, text in _texts(tracked):
        for number, line in enumerate(text.splitlines(), 1):
            if match := pattern.search(line):
                hits.append(f"{path.relative_to(root)}:{number}: {match.group()}")
    return hits


def test_no_file_names_a_private_path(tracked: tuple[Path, ...], root: Path) -> None:
    assert _found(tracked, PRIVATE_PATHS, root) == []


def test_no_file_names_a_package_registry(tracked: tuple[Path, ...], root: Path) -> None:
    assert _found(tracked, REGISTRIES, root) == []


def test_no_file_holds_a_secret(tracked: tuple[Path, ...], root: Path) -> None:
    assert _found(tracked, SECRETS, root) == []


def test_no_file_is_large(tracked: tuple[Path, ...], root: Path) -> None:
    sizes = {str(path.relative_to(root)): path.stat().st_size for path in tracked}
    assert {name: size for name, size in sizes.items() if size > BIGGER.get(name, BIG)} == {}


def test_the_two_commands_can_be_started(root: Path) -> None:
    for name in ("run", "test", "tools/with-python", ".ci/run"):
        assert (root / name).stat().st_mode & 0o111, f"{name} is not executable"
