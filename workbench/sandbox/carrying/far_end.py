"""Where files are carried to, in words for people."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FarEnd:
    """Named as it stands in the middle of a sentence."""

    name: str  # the virtual machine
    hint: str  # what to do when carrying fails

    @property
    def title(self) -> str:
        """Named as it begins a sentence."""
        return self.name[:1].upper() + self.name[1:]
