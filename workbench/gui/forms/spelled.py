"""A number with the spelling somebody gave it: `1e5` and `0.10` must not turn into `100000.0` and `0.1` under their
hands. It computes and travels like any number; only text made of it keeps the spelling."""

from __future__ import annotations


class Spelled(float):
    """A float that remembers how it was written."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Spelled:
        made = super().__new__(cls, text)
        made.text = text
        return made

    def __reduce__(self) -> tuple[type[Spelled], tuple[str]]:
        return Spelled, (self.text,)
