"""Guesses the purpose of a text field from schema and name, and removes secrets from what is stored of a form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, auto
from typing import Final

from workbench.errors import WorkbenchError
from workbench.gui.forms.field_editor import FieldSpec
from workbench.gui.forms.schema_shapes import Shape, shape_of
from workbench.gui.kit.json_text import dump, is_number, parse
from workbench.records import JsonObject, JsonValue

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


_DEEPEST_SECRET = 40  # levels; what lies deeper is left out


_NAMED = re.compile(
    r"pass(word|wd|phrase|code)|secret|token|api.?key|private.?key|credential|authorization|cookie", re.I
)


def draft_without_secrets(draft: Mapping[str, JsonValue], schema: JsonObject) -> JsonObject | None:
    """Return a draft of `SchemaForm` without secrets; None for text in which they cannot be identified."""
    text = draft.get("text")
    if not isinstance(text, str):
        return {"value": without_secrets(draft.get("value"), schema, schema)}
    try:
        value = parse(text)
    except WorkbenchError:
        return None if _NAMED.search(text) or _NAMED.search(dump(schema)) else {"text": text}
    cleaned = without_secrets(value, schema, schema)
    return {"text": text if cleaned == value else dump(cleaned)}


def without_secrets(value: JsonValue, schema: JsonValue, root: JsonObject, depth: int = 0) -> JsonValue:
    """Return the value without its secret fields."""
    if depth > _DEEPEST_SECRET:
        return None
    if not isinstance(value, Mapping | list):
        return value
    shapes = _shapes(schema, root)
    if isinstance(value, list):
        item = next((shape.items for shape in shapes if isinstance(shape.items, Mapping)), True)
        return [without_secrets(one, item, root, depth + 1) for one in value]
    kept: dict[str, JsonValue] = {}
    for name, part in value.items():
        inner = next((shape.properties[name] for shape in shapes if name in shape.properties), True)
        secret = _NAMED.search(name) or any(says_secret(shape.schema) for shape in _shapes(inner, root))
        if not secret or isinstance(part, bool | int | float):
            kept[name] = without_secrets(part, inner, root, depth + 1)
    return kept


def _shapes(schema: JsonValue, root: JsonObject) -> list[Shape]:
    """The shape and those of its branches."""
    shape = shape_of(schema, root)
    return [shape, *(shape_of(branch, root) for branch in shape.branches)]


def says_secret(schema: JsonObject) -> bool:
    """Whether the schema marks its text as secret."""
    return schema.get("writeOnly") is True or schema.get("format") == "password"
