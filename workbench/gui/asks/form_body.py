"""A form that a server wants filled in. Only the server's own defaults stand in it beforehand."""

from __future__ import annotations

import json
import re

from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.gui.asks.body import AskBody
from workbench.gui.context import Context
from workbench.gui.fault_card import FaultCard
from workbench.gui.forms.form import SchemaForm
from workbench.gui.text import one_line
from workbench.gui.theme import mark
from workbench.gui.views import label
from workbench.records import Ask, Fault, JsonObject

_SECRET = re.compile(r"pass(?:word|phrase|code)|secret|token|api.?key|credential|\bpin\b|cvv|card.?num|iban|ssn", re.I)


class FormBody(AskBody):
    """The fields, and a word of warning where they ask for secrets."""

    def __init__(self, context: Context, ask: Ask, parent: QWidget | None = None) -> None:
        super().__init__(context, ask, parent)
        schema = json.loads(ask.schema)
        self._fields: JsonObject = schema.get("properties", {})
        self.form = SchemaForm(context.theme)
        self.form.set_schema(schema)
        self.form.set_value(_defaults(self._fields))
        self.form.changed.connect(self.changed)
        warning = FaultCard(context.theme)
        if names := secret_fields(self._fields):
            words = f"It asks for what looks like a secret: {one_line(', '.join(names), 120)}."
            hint = "A server should never ask for these in a form; it gets them as you type them."
            warning.show_fault(Fault(words, hint), tone="warning")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(warning)
        if self._fields:
            layout.addWidget(self.form, 1)
            self.setFocusProxy(self.form.first_field() or self.form)
        else:
            note = label("There is nothing to fill in. Accept or decline.", "muted")
            unit = context.theme.unit
            note.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 2)
            layout.addWidget(note)
            layout.addStretch(1)
        mark(self, kind="page")

    def send_word(self) -> str:
        return f"Send to {one_line(self.shown.server, 30)}" if self._fields else "Yes"

    def content(self) -> str:
        return json.dumps(self.form.value() if self._fields else {}, ensure_ascii=False)

    def obstacle(self) -> str:
        faults = self.form.faults() if self._fields else ()
        return " ".join(faults[0]).strip() if faults else ""

    def before_sending(self) -> bool:
        self.form.scold()
        return not self.obstacle()


def secret_fields(fields: JsonObject) -> list[str]:
    """Names of fields that ask for what nobody should give away in a form."""
    return [
        name
        for name, field in fields.items()
        if _SECRET.search(f"{name} {field.get('title', '')} {field.get('description', '')}"[:500])
    ]


def _defaults(fields: JsonObject) -> JsonObject:
    return {name: field["default"] for name, field in fields.items() if "default" in field}
