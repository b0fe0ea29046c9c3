"""Steps of strictness: how much is masked, for all servers or for one, and what each step was measured to mask."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from msgspec import Struct

from workbench.privacy.detection_rules import DetectionRules, UserPattern
from workbench.privacy.detectors.json_fields import parsed
from workbench.privacy.detectors.kinds import CUSTOM, KINDS, SEALED
from workbench.privacy.pii_tokens import tokens_in, unmask_with_spans
from workbench.privacy.vault import Vault
from workbench.records import StrictnessEffect, StrictnessFigures, StrictnessStep

OFF: Final = "off"
FORMS: Final = "forms"
BALANCED: Final = "balanced"
RECALL: Final = "recall"
TITLES: Final[Mapping[str, str]] = {
    OFF: "Off",
    FORMS: "Known keys and forms only",
    BALANCED: "Balanced",
    RECALL: "Recall first",
}
_FINDS: Final[Mapping[str, str]] = {
    OFF: "Nothing is detected. Stored secrets are still masked; so are your marks if it is off for one server only.",
    FORMS: "Values with a known form, as most addresses have, or under a known key. No names in sentences.",
    BALANCED: "Known forms and keys, and names and addresses in sentences.",
    RECALL: "The same, with a lower score for names and addresses in sentences.",
}

# Per cent, as `benchmarks/privacy.py --strictness` prints them; it marks figures that have changed.
MEASURED: Final[Mapping[str, StrictnessFigures]] = {
    OFF: StrictnessFigures(),
    FORMS: StrictnessFigures(3.70, 99.00, 0.09, 99.12, 0.00),
    BALANCED: StrictnessFigures(95.56, 100.00, 0.68, 99.93, 0.09),
    RECALL: StrictnessFigures(96.05, 100.00, 1.02, 99.93, 0.10),
}


def steps() -> tuple[StrictnessStep, ...]:
    """All steps, the least strict first."""
    return tuple(
        StrictnessStep(name, TITLES[name], _FINDS[name], _price(MEASURED[name]), MEASURED[name]) for name in TITLES
    )


def _price(figures: StrictnessFigures) -> str:
    if not figures.values:
        return ""
    return (
        f"In tests it masked {figures.values:.1f} % of the values in tool results, and in prose {figures.names:.0f} of"
        f" 100 names, {figures.addresses:.0f} of 100 addresses and {figures.prose_innocent * 10:.0f} of 1,000 other"
        " characters."
    )


def rules_at(step: str, rules: DetectionRules) -> DetectionRules:
    """The rules at a step. The user's own patterns and keys apply at each step."""
    if step == OFF:
        off = frozenset(kind.name for kind in KINDS) - {CUSTOM, SEALED}
        patterns = tuple(UserPattern(one.name, CUSTOM, one.regex) for one in rules.patterns)
        return replace(rules, off=off, patterns=patterns, prose=False)
    return replace(rules, prose=step != FORMS, recall_first=step == RECALL)


def read_server_steps(setting: str) -> dict[str, str]:
    """The step of each server in the setting `privacy.servers`; invalid entries are left out."""
    entries = (entry.rpartition("=") for entry in setting.split())
    return {server: step for server, _, step in entries if server and step in TITLES}


def invalid_server_steps(setting: str) -> list[str]:
    """The entries of the setting `privacy.servers` that are not used."""
    return [entry for entry in setting.split() if not read_server_steps(entry)]


def with_server_step(setting: str, server: str, step: str) -> str:
    """The setting `privacy.servers` with the step of one server changed; an empty step removes it."""
    kept = read_server_steps(setting)
    kept.pop(server, None)
    return " ".join(f"{name}={chosen}" for name, chosen in (kept | ({server: step} if step else {})).items())


class _Masked(Struct, frozen=True):
    """How a step masks one answer."""

    values: int
    spans: tuple[tuple[int, int], ...]


def measure_effects(
    answers: Iterable[str], rules: DetectionRules, known: Iterable[tuple[str, str]], current: str
) -> tuple[StrictnessEffect, ...]:
    """What each step would mask in these answers of a server, compared with the current step. Nothing is stored."""
    texts, said = tuple(answers), tuple(known)
    by_step = {step: [_mask(text, rules_at(step, rules), said) for text in texts] for step in TITLES}
    effects = []
    for step, masked in by_step.items():
        pairs = list(zip(texts, masked, by_step[current], strict=True))
        more = sum(_words_only_in(text, new.spans, old.spans) for text, new, old in pairs)
        fewer = sum(_words_only_in(text, old.spans, new.spans) for text, new, old in pairs)
        effects.append(StrictnessEffect(step, sum(one.values for one in masked), more, fewer))
    return tuple(effects)


def _mask(text: str, rules: DetectionRules, known: Iterable[tuple[str, str]]) -> _Masked:
    vault = Vault("trial", rules=rules)
    for kind, value in known:
        vault.learn(kind, value)
    value = parsed(text)
    vault.register(text if value is None else value, "")
    masked = vault.sanitize(text)
    whole, hidden = unmask_with_spans(masked, vault.restore)
    spans = tuple((one.start, one.end) for one in hidden) if whole == text else ()
    return _Masked(len(set(tokens_in(masked))), spans)


def _words_only_in(text: str, these: Iterable[tuple[int, int]], others: Iterable[tuple[int, int]]) -> int:
    """The number of words in these stretches of a text that are in none of the others."""
    covered = bytearray(len(text))
    for start, end in others:
        covered[start:end] = b"\1" * (end - start)
    count = 0
    for start, end in these:
        at = start
        for word in text[start:end].split():
            at = text.index(word, at)
            count += not all(covered[at : at + len(word)])
            at += len(word)
    return count
