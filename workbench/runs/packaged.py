"""Which of the packages that the person lets in a program imports: only the process sandbox can show it those."""

from __future__ import annotations

from workbench.analysis.reading import PYTHON, Reading
from workbench.sandbox.importable_packages import packages
from workbench.settings import Settings


def packaged(reading: Reading, settings: Settings) -> tuple[str, ...]:
    """Modules of `run.packages` that the program imports, by whatever way."""
    if not settings.run_packages or reading.language != PYTHON:
        return ()
    tops = {place.split(".")[0].split("/")[0] for place, _ in packages(settings.run_packages, "").places}
    return tuple(sorted(reading.modules & tops))
