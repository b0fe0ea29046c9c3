"""Reads what servers send, with its keys, and tells the memory of the session what is personal in it."""

from __future__ import annotations

from workbench.privacy.held import Source
from workbench.privacy.letters import plain, visible
from workbench.privacy.remembered import SHORT, Remembered
from workbench.privacy.values import Values
from workbench.privacy.walk import as_text, embedded, leaves
from workbench.records import JsonValue


class Learning:
    """One session's."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._harmless = (values.rules, Remembered())  # short texts in which nothing is personal by its form

    def register(self, value: JsonValue, source: Source) -> None:
        """Learn all personal data in a value that a server sent; strings that hold JSON are read with their keys."""
        rules, harmless = self._values.rules, self._harmless_texts()
        for leaf, kind in leaves(value, rules):
            if kind is None and (leaf in harmless if isinstance(leaf, str) else True):
                continue
            text = as_text(leaf)
            if kind and "\0" not in text and kind.accepts(plain(visible(text))) and not rules.lets_pass(text):
                self._values.learn(kind.name, text.strip(), source)
            elif isinstance(leaf, str):
                self._read(leaf, source, plain=kind is None)

    def _read(self, text: str, source: Source, *, plain: bool) -> None:
        found = self._values.readings.detect(text, self._values.rules)
        for one in found:
            self._values.learn(one.kind, text[one.start : one.end], source)
        if inner := embedded(text):
            for value in inner:
                self.register(value, source)
        elif plain and len(text) <= SHORT and not found:
            self._harmless_texts().add(text)

    def _harmless_texts(self) -> Remembered:
        """What is known to be harmless by the rules that hold now."""
        rules, texts = self._harmless
        if rules is not self._values.rules:
            texts = Remembered()
            self._harmless = (self._values.rules, texts)
        return texts
