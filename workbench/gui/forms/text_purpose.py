"""Guesses the purpose of a text field from schema and name: password, file, folder, date, long text."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from workbench.gui.forms.field_editor import FieldSpec

_LONG = 300  # a maximum length above this gets a box


_SECRET = re.compile(r"(^|[_-])(password|passwd|passphrase|secret|token|api_?-?key|private_?key|credentials?)$")


_NO_SECRET = re.compile(r"(^|[_-])(page|next|continuation|max|cursor|sync|start|starting)[_-]?token")


_FOLDER = re.compile(r"(^|[_-])(dir|directory|folder|cwd|workdir|working_directory|repo_path|root_path)(_?path)?$")


_FILE = re.compile(r"(^|[_-])(path|file|filename|file_?name|file_?path|source|destination)$")


_ABOUT_FILES = re.compile(r"\b(file|path|directory|folder)\b", re.IGNORECASE)


class TextPurpose(StrEnum):
    """The purpose of a text, which decides how its editor helps."""

    LINE = "line"
    BOX = "box"
    DATE = "date"
    MOMENT = "moment"
    TIME = "time"
    UUID = "uuid"
    SECRET = "secret"
    BYTES = "bytes"
    FILE = "file"
    FOLDER = "folder"


def purpose_of(spec: FieldSpec) -> TextPurpose:
    """Decide by format, then by other keywords of the schema, then by name."""
    schema = spec.shape.schema
    wanted = schema.get("format")
    if isinstance(wanted, str) and wanted in _FORMATS:
        return TextPurpose(_FORMATS[wanted])
    if schema.get("contentEncoding") == "base64":
        return TextPurpose.BYTES
    if schema.get("writeOnly") is True:
        return TextPurpose.SECRET
    if wanted in _LONG_FORMATS or isinstance(schema.get("contentMediaType"), str):
        return TextPurpose.BOX
    if isinstance(wanted, str):
        return TextPurpose.LINE
    return _by_name(spec)


def _by_name(spec: FieldSpec) -> TextPurpose:
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", spec.name).lower()
    longest = spec.shape.schema.get("maxLength")
    if _SECRET.search(name) and not _NO_SECRET.search(name):
        return TextPurpose.SECRET
    if _FOLDER.search(name):
        return TextPurpose.FOLDER
    if _FILE.search(name) and (name not in _VAGUE or _ABOUT_FILES.search(spec.shape.description)):
        return TextPurpose.FILE
    if isinstance(longest, int) and not isinstance(longest, bool):
        return TextPurpose.BOX if longest > _LONG else TextPurpose.LINE
    return TextPurpose.BOX if name in _LONG_NAMES else TextPurpose.LINE


_LONG_FORMATS: Final = frozenset({"textarea", "multiline", "markdown", "html", "code", "text"})


_LONG_NAMES: Final = frozenset(
    {"body", "content", "contents", "text", "message", "code", "markdown", "html", "prompt", "script", "sql"}
)


_FORMATS: Final = {
    "date": "date",
    "date-time": "moment",
    "datetime": "moment",
    "time": "time",
    "uuid": "uuid",
    "password": "secret",
    "byte": "bytes",
    "base64": "bytes",
    "binary": "bytes",
    "path": "file",
    "file-path": "file",
    "directory-path": "folder",
}


_VAGUE: Final = frozenset({"source", "destination"})  # ambiguous names; the description decides
