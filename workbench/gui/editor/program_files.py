"""Programs as files: read with care for what an editor cannot show as it is, and written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct

from workbench.errors import WorkbenchError
from workbench.files import replacing_file
from workbench.gui.kit.plain_edit import survives

LARGEST = 2_000_000  # bytes
LANGUAGES = {".py": "python", ".ts": "typescript", ".json": "json", ".md": "markdown", ".toml": "toml"}
_MARK = "\ufeff"


class FileText(Struct, frozen=True):
    """What a file holds, with the line ends that an editor knows."""

    text: str
    ends: str  # how its lines ended
    whole: bool  # whether saving it again would change nothing that was not typed


def read_text(path: Path) -> FileText:
    """Raises WorkbenchError with what a person can do."""
    try:
        if not path.is_file():
            raise WorkbenchError(f"{path.name} is not a file.", "Choose a file with a program.")
        if path.stat().st_size > LARGEST:
            raise WorkbenchError(f"{path.name} is larger than 2 MB.", "Open it in a program's workspace instead.")
        raw = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as fault:
        raise WorkbenchError(f"{path.name} is not UTF-8 text.", "Convert it first.") from fault
    except OSError as fault:
        raise WorkbenchError(f"{path.name} cannot be read: {fault.strerror}.") from fault
    text = raw.removeprefix(_MARK)
    breaks = text.count("\r\n")
    ends = "\r\n" if breaks else "\n"
    plain = text.replace("\r\n", "\n")
    mixed = bool(breaks) and breaks != plain.count("\n")
    return FileText(plain, ends, survives(plain) and not mixed and text == raw)


def write_text(path: Path, text: str, ends: str) -> None:
    """Replace the file in one step; a link stays a link, and rights stay."""
    target, data = Path(os.path.realpath(path)), text.replace("\n", ends).encode("utf-8")
    hint = "Save it somewhere else; the text is kept here."
    with replacing_file(target, mode=0o644, keep_mode=True, durable=False, name=path.name, hint=hint) as file:
        file.write(data)


def language_of(path: Path) -> str:
    return LANGUAGES.get(path.suffix.lower(), "markdown" if path.suffix.lower() == ".txt" else "python")


def ending_of(language: str) -> str:
    return next((ending for ending, name in LANGUAGES.items() if name == language), ".py")
