"""What a text field is for: a password, a file, a folder, a date, long text; read from its schema and its name."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from workbench.gui.forms.field_editor import Brief

_LONG = 300  # a longest length above this asks for a box


_SECRET = re.compile(r"(^|[_-])(password|passwd|passphrase|secret|token|api_?-?key|private_?key|credentials?)$")


_NO_SECRET = re.compile(r"(^|[_-])(page|next|continuation|max|cursor|sync|start|starting)[_-]?token")


_FOLDER = re.compile(r"(^|[_-])(dir|directory|folder|cwd|workdir|working_directory|repo_path|root_path)(_?path)?$")


_FILE = re.compile(r"(^|[_-])(path|file|filename|file_?name|file_?path|source|destination)$")


_ABOUT_FILES = re.compile(r"\b(file|path|directory|folder)\b", re.IGNORECASE)


class Purpose(StrEnum):
    """Which help a text's editor offers."""

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


def purpose_of(brief: Brief) -> Purpose:
    """Formats first, then what the schema says otherwise, then the name."""
    schema = brief.shape.schema
    wanted = schema.get("format")
    if isinstance(wanted, str) and wanted in _FORMATS:
        return Purpose(_FORMATS[wanted])
    if schema.get("contentEncoding") == "base64":
        return Purpose.BYTES
    if schema.get("writeOnly") is True:
        return Purpose.SECRET
    if wanted in _LONG_FORMATS or isinstance(schema.get("contentMediaType"), str):
        return Purpose.BOX
    if isinstance(wanted, str):
        return Purpose.LINE
    return _by_name(brief)


def _by_name(brief: Brief) -> Purpose:
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", brief.name).lower()
    longest = brief.shape.schema.get("maxLength")
    if _SECRET.search(name) and not _NO_SECRET.search(name):
        return Purpose.SECRET
    if _FOLDER.search(name):
        return Purpose.FOLDER
    if _FILE.search(name) and (name not in _VAGUE or _ABOUT_FILES.search(brief.shape.description)):
        return Purpose.FILE
    if isinstance(longest, int) and not isinstance(longest, bool):
        return Purpose.BOX if longest > _LONG else Purpose.LINE
    return Purpose.BOX if name in _LONG_NAMES else Purpose.LINE


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


_VAGUE: Final = frozenset({"source", "destination"})  # could be anything; then the description decides
