"""Each source file has its twin test, so that whoever changes a file knows where its behaviour is written down."""

from __future__ import annotations

from pathlib import Path

# Source files whose behaviour is tested elsewhere, and where.
ELSEWHERE = {
    "records/*.py": "tests/records/test_records.py looks at all records at once",
}


def _twin(root: Path, source: Path) -> Path:
    inside = source.relative_to(root / "workbench")
    return root / "tests" / inside.parent / f"test_{inside.stem.strip('_')}.py"


def _exempt(inside: Path) -> bool:
    return inside.name == "__init__.py" or any(inside.match(pattern) for pattern in ELSEWHERE)


def test_every_source_file_has_its_twin(root: Path, sources: tuple[Path, ...]) -> None:
    missing = [
        str(_twin(root, source).relative_to(root))
        for source in sources
        if not _exempt(source.relative_to(root / "workbench")) and not _twin(root, source).is_file()
    ]
    assert missing == []


def test_every_twin_has_its_source_file(root: Path) -> None:
    """A test whose source file is gone tests nothing, or something that has another name now."""
    free = {"flows", "house", "servers", "records"}
    orphans = []
    for test in (root / "tests").rglob("test_*.py"):
        inside = test.relative_to(root / "tests")
        stem = inside.stem.removeprefix("test_")
        folder = root / "workbench" / inside.parent
        if inside.parts[0] in free or (folder / f"{stem}.py").is_file() or (folder / f"__{stem}__.py").is_file():
            continue
        orphans.append(str(inside))
    assert orphans == []


def test_every_exemption_is_still_needed(root: Path) -> None:
    for pattern in ELSEWHERE:
        assert list((root / "workbench").glob(pattern)), f"{pattern} matches nothing"
