"""Guesses the purpose of a text field from schema and name: password, file, folder, date, long text."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final

from workbench.gui.forms.field_editor import FieldSpec
from workbench.gui.forms.secret_fields import says_secret
from workbench.gui.kit.json_text import is_number

_LONG: Final = 300  # a maximum length above this gets a box
_SECRET = re.compile(r"(^|[_-])(password|passwd|passphrase|secret|token|api_?-?key|private_?key|credentials?)$")
_NO_SECRET = re.compile(r"(^|[_-])(page|next|continuation|max|cursor|sync|start|starting)[_-]?token")
_FOLDER = re.compile(r"(^|[_-])(dir|directory|folder|cwd|workdir|working_directory|repo_path|root_path)(_?path)?$")
_FILE = re.compile(r"(^|[_-])(path|file|filename|file_?name|file_?path|source|destination)$")
_AMBIGUOUS: Final = frozenset({"source", "destination"})  # files only if the description says so
_ABOUT_FILES = re.compile(r"\b(file|path|directory|folder)\b", re.IGNORECASE)
_LONG_FORMATS: Final = frozenset({"textarea", "multiline", "markdown", "html", "code", "text"})
_LONG_NAMES: Final = frozenset(
    {"body", "content", "contents", "text", "message", "code", "markdown", "html", "prompt", "script", "sql"}
)


class TextPurpose(Enum):
    """The purpose of a text, which decides how its editor helps."""

    LINE = auto()
    BOX = auto()
    DATE = auto()
    MOMENT = auto()
    TIME = auto()
    UUID = auto()
    SECRET = auto()
    BYTES = auto()
    FILE = auto()
    FOLDER = auto()


_FORMATS: Final = {
    "date": TextPurpose.DATE,
    "date-time": TextPurpose.MOMENT,
    "datetime": TextPurpose.MOMENT,
    "time": TextPurpose.TIME,
    "uuid": TextPurpose.UUID,
    "password": TextPurpose.SECRET,
    "byte": TextPurpose.BYTES,
    "base64": TextPurpose.BYTES,
    "binary": TextPurpose.BYTES,
    "path": TextPurpose.FILE,
    "file-path": TextPurpose.FILE,
    "directory-path": TextPurpose.FOLDER,
}


def purpose_of(spec: FieldSpec) -> TextPurpose:
    """Decide by format, then by other keywords of the schema, then by name."""
    schema = spec.shape.schema
    wanted = schema.get("format")
    if isinstance(wanted, str) and wanted in _FORMATS:
        return _FORMATS[wanted]
    if schema.get("contentEncoding") == "base64":
        return TextPurpose.BYTES
    if says_secret(schema):
        return TextPurpose.SECRET
    if wanted in _LONG_FORMATS or isinstance(schema.get("contentMediaType"), str):
        return TextPurpose.BOX
    return TextPurpose.LINE if isinstance(wanted, str) else _by_name(spec)


def _by_name(spec: FieldSpec) -> TextPurpose:
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", spec.name).lower()
    longest = spec.shape.schema.get("maxLength")
    if _SECRET.search(name) and not _NO_SECRET.search(name):
        return TextPurpose.SECRET
    if _FOLDER.search(name):
        return TextPurpose.FOLDER
    if _FILE.search(name) and (name not in _AMBIGUOUS or _ABOUT_FILES.search(spec.shape.description)):
        return TextPurpose.FILE
    is_long = longest > _LONG if is_number(longest) else name in _LONG_NAMES
    return TextPurpose.BOX if is_long else TextPurpose.LINE
