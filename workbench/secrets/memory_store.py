"""Stores secrets in memory for the life of the core, where there is neither keyring nor passphrase."""

from __future__ import annotations


class InMemory:
    """Nothing is written anywhere."""

    kind = "memory"

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def names(self) -> tuple[str, ...]:
        return tuple(self._values)

    def get(self, name: str) -> str | None:
        return self._values.get(name)

    def put(self, name: str, value: str) -> None:
        self._values[name] = value

    def drop(self, name: str) -> None:
        self._values.pop(name, None)
