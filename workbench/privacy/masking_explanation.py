"""Explains to the user why a text was masked or not, and names what can be done about it.

The detectors are asked again with other rules: with all kinds, and with lower and higher thresholds. So the explanation
holds for each detector, and a score is the highest threshold at which the text is still found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from msgspec import Struct

from workbench.privacy.decoded_text import visible
from workbench.privacy.detection_rules import DetectionRules
from workbench.privacy.detectors.detector import detect
from workbench.privacy.detectors.json_fields import as_text, leaves_with_keys, parsed
from workbench.privacy.detectors.kinds import BY_NAME, CUSTOM, LITERAL, SEALED, plural
from workbench.privacy.detectors.text_search import DetectedSpan
from workbench.privacy.detectors.type_rules import PROSE
from workbench.privacy.text_kinds import is_ordinary
from workbench.privacy.user_marks import EVERYWHERE, IN_PROJECT, mark_about
from workbench.privacy.value_index import fold
from workbench.privacy.value_store import StoredValue
from workbench.privacy.vault import Vault
from workbench.records import MaskingExplanation, MaskingRemedy, PrivacyMark

AROUND: Final = 2_000  # characters around a text that the detectors read with it
_LOWEST: Final = 0.02  # score below which a text does not read like the kind at all
_SCORE_STEPS: Final = 8  # halvings that measure a score, to less than one hundredth
_LONGEST_KEY: Final = 60

_MARKED: Final = "You marked it to be masked."
_REASONS: Final = {
    "form": "It has the form of {article}.",
    "check digit": "It has the form and the check digit of {article}.",
    "checksum": "It has the form and the checksum of {article}.",
    "known prefix": "It begins like a secret of a known issuer.",
    "private key": "It is a private key.",
    "word before it": "The word before it announces {article}.",
    "word next to it": "A word next to it announces {article}.",
    "form of an address": "It has the form of {article}.",
    "column": "Its column contains {plural}.",
    "header above it": "The header of its column announces {plural}.",
    "like the others in its column": "Most values of its column are {plural}.",
    "address after it": "An e-mail address follows it, as after a person's name.",
    "greeting before it": "A greeting is before it, as before a person's name.",
    "farewell above it": "A farewell is above it, as above a signature.",
    "CN before it": "It is the common name (CN) of a certificate.",
    "date after it": "It is in the author column of a listing.",
    "time before it": "It is the sender of a message.",
    "its data below it": "It is a heading above a person's data.",
    "mention": "It is the name in a mention.",
    "first and last name": "It is a known first name with a known last name.",
    "reads like a name": "It reads like {article}.",
    PROSE: "It reads like {article}.",
    "marked by you": _MARKED,
    "its key": "Its key announces {article}.",
    "same value as elsewhere in the text": "The same value is detected elsewhere in the text.",
}
_KEYED: Final = re.compile(r"(key|tag|card's|word) (.{1,200})", re.DOTALL)
_PATTERN: Final = "your pattern "


class TextPlace(Struct, frozen=True):
    """A text with its surroundings, in which the detectors judge it."""

    around: str
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.around[self.start : self.end]


def place_of(text: str, around: str, start: int) -> TextPlace:
    """The place of a text in its surroundings; without it there, the text alone."""
    bare = text.strip()
    start += len(text) - len(text.lstrip())
    if around[start : start + len(bare)] != bare:
        start = around.find(bare)
    if start < 0 or not bare:
        return TextPlace(bare, 0, len(bare))
    first = max(0, start - AROUND)
    return TextPlace(around[first : start + len(bare) + AROUND], start - first, start - first + len(bare))


def reason_sentence(vault: Vault, kind: str, why: str) -> str:
    """A detector's reason as a sentence. A key that is personal itself is not named."""
    if kind == LITERAL:
        return "It is text of an answer that looks like a token. Calls restore it unchanged."
    if kind == SEALED:
        return "Its field is sealed (setting privacy.sealed)."
    keyed = None if why in _REASONS else _KEYED.fullmatch(why)
    if why.startswith(_PATTERN):
        return f"It matches {why}."
    if keyed and not _is_namable(vault, key := keyed[2].strip("`").strip()):
        why, keyed = "its key", None
    if keyed:
        return {
            "key": f"It is the value of the key `{key}`.",
            "tag": f"It is the content of the tag `{key}`.",
            "card's": f"It is the field {key} of a contact card.",
            "word": f"The word `{key}` before it announces {_with_article(kind)}.",
        }[keyed[1]]
    base, _, score = why.partition(", score ")
    known = _REASONS.get(base, f"Reason: {base}." if base else "It is the same as a masked value, or a part of it.")
    sentence = known.format(article=_with_article(kind), plural=plural(kind, 2).removeprefix("2 "))
    return f"{sentence.removesuffix('.')} (score {score})." if score else sentence


class ReasonSentences:
    """The reasons of many values of a vault; values with the same reason share its sentence."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._known: dict[tuple[str, str], str] = {}

    def of(self, held: StoredValue) -> str:
        key = held.kind, held.why
        if key not in self._known:
            self._known[key] = reason_sentence(self._vault, *key)
        return self._known[key]


def _is_namable(vault: Vault, key: str) -> bool:
    return len(key) <= _LONGEST_KEY and not detect(key) and vault.replace_known(key) == key


def _with_article(kind: str) -> str:
    name = plural(kind, 1).removeprefix("1 ")
    return f"{'an' if name[:1].lower() in 'aeio' else 'a'} {name}"


def explain_token(
    vault: Vault, token: str, held: StoredValue, marks: Iterable[PrivacyMark], around: str = ""
) -> MaskingExplanation:
    """Why a token was made. `around`: the masked text with the token, in which a sentence is scored again. The sources
    and uses are added by the caller."""
    why = held.why
    if why.startswith(PROSE) and token in around:
        restored = vault.restore(around)
        before = vault.restore(around[: around.index(token)])
        place = place_of(held.text, restored, len(before))
        why = _with_score(place, DetectedSpan(place.start, place.end, held.kind, why), vault.rules)
    return _explain_value(vault, held.kind, held.text, why, marks, vault.canonical(token))


def explain_text(
    vault: Vault, place: TextPlace, marks: Sequence[PrivacyMark], *, is_public: bool = False
) -> MaskingExplanation:
    """Why a model reads a text, or a token instead of it."""
    text = place.text
    if not text:
        return MaskingExplanation(False, "Select a text first.")
    if (passing := mark_about(marks, text, hide=False)) is not None:
        return _let_pass(passing)
    if (kind := _known_kind(vault, text)) is not None:
        return _explain_value(vault, kind, text, vault.reason(fold(visible(text))), marks)
    found = _covering(place, vault.rules)
    if found is None or is_public or vault.waives(text):
        return _unmasked(vault, place, is_public=is_public)
    return _explain_value(vault, found.kind, text, _with_score(place, found, vault.rules), marks)


def _explain_value(
    vault: Vault, kind: str, text: str, why: str, marks: Iterable[PrivacyMark], token: str = ""
) -> MaskingExplanation:
    marked = mark_about(marks, text, hide=True)
    reason = reason_sentence(vault, kind, why)
    details: list[str] = []
    remedies = list[MaskingRemedy]()
    if marked is not None:
        reason = "The project marked it to be masked." if marked.source == "project" else _scoped(_MARKED, marked)
        if marked.source != "project":
            remedies.append(MaskingRemedy("unmark", "Remove the mark", mark=marked.id))
    elif why.startswith(PROSE):
        details.append(f"The threshold for {plural(kind, 2).removeprefix('2 ')} is {vault.rules.threshold(kind):g}.")
    if kind not in (LITERAL, SEALED) and (marked is None or marked.source == "project"):
        remedies += _both_scopes("pass", "Never mask it")
    return MaskingExplanation(True, reason, kind, token, tuple(details), tuple(remedies))


def _let_pass(mark: PrivacyMark) -> MaskingExplanation:
    remove = MaskingRemedy("unmark", "Remove the mark", mark=mark.id)
    return MaskingExplanation(False, _scoped("You marked it to be never masked.", mark), remedies=(remove,))


def _scoped(sentence: str, mark: PrivacyMark) -> str:
    return f"{sentence.removesuffix('.')}, in this project." if mark.scope == IN_PROJECT else sentence


def _both_scopes(action: str, text: str, kind: str = "") -> Iterator[MaskingRemedy]:
    yield MaskingRemedy(action, f"{text} in this project", kind, IN_PROJECT)
    yield MaskingRemedy(action, f"{text} {'anywhere' if action == 'pass' else 'everywhere'}", kind, EVERYWHERE)


def _known_kind(vault: Vault, text: str) -> str | None:
    """The kind of a known value that covers the text; `None` if there is none or the user lets it pass."""
    for match in vault.known.find(text):
        if match.start == 0 and match.end == len(text) and not vault.rules.lets_pass(match.value):
            return vault.origin(match.value)[0]
    return None


def _unmasked(vault: Vault, place: TextPlace, *, is_public: bool) -> MaskingExplanation:
    """What each detector found, and what to do to mask the text."""
    details, remedies, kind = list[str](), list[MaskingRemedy](), CUSTOM
    if is_public:
        details.append(
            "It is part of a definition, code or text that the workbench gave the program. Only known values are"
            " masked there."
        )
    if vault.waives(place.text):
        details.append(
            "Only the rules for other servers detect it. The server that supplied it has its own strictness."
        )
        remedies.append(MaskingRemedy("strictness", "Change the strictness"))
    for opinion in _opinions(place, vault.rules):
        kind = opinion.kind
        details.append(opinion.sentence)
        remedies += [opinion.remedy] if opinion.remedy else []
    if not details and (alone := _covering(TextPlace(place.text, 0, len(place.text)), vault.rules)) is not None:
        kind = alone.kind
        details.append(f"Alone it would be masked as {_with_article(kind)}; the text around it shows that it is none.")
    elif not details and is_ordinary(place.text):
        details.append("It is an ordinary word.")
    reason = "No detector recognises it." if not details else "It is not masked."
    if not details:
        details.append("It has no known form, and no key, header or word beside it announces personal data.")
    name = _with_article(kind) if kind != CUSTOM else "personal"
    remedies += _both_scopes("hide", f"Mask it as {name}", kind)
    return MaskingExplanation(False, reason, details=tuple(details), remedies=tuple(remedies))


class _Opinion(Struct, frozen=True):
    """What a detector found in a text that is not masked."""

    kind: str
    sentence: str
    remedy: MaskingRemedy | None = None


def _opinions(place: TextPlace, rules: DetectionRules) -> Iterator[_Opinion]:
    seen: set[str] = set()
    by_kind = replace(rules, off=frozenset())
    if rules.off and (found := _covering(place, by_kind)) is not None and found.kind in rules.off:
        seen.add(found.kind)
        many = plural(found.kind, 2).removeprefix("2 ")
        remedy = MaskingRemedy("kind", f"Mask {many}", found.kind)
        yield _Opinion(found.kind, f"It is {_with_article(found.kind)}, and {many} are switched off.", remedy)
    if not rules.prose and (found := _covering(place, replace(by_kind, prose=True))) is not None:
        sentence = f"It reads like {_with_article(found.kind)}, but sentences are not searched at this strictness."
        yield _Opinion(found.kind, sentence, MaskingRemedy("strictness", "Change the strictness"))
        return
    for kind in _SCORED:
        if kind not in seen and (score := _score(place, kind, rules)) >= _LOWEST:
            lower = max(0.05, int(score * 20) / 20)
            name = plural(kind, 2).removeprefix("2 ")
            sentence = (
                f"It reads like {_with_article(kind)} with the score {score:.2f}; the threshold for {name} is"
                f" {rules.threshold(kind):g}."
            )
            remedy = MaskingRemedy("threshold", f"Lower the threshold to {lower:g}", kind, threshold=lower)
            yield _Opinion(kind, sentence, remedy if lower <= score else None)


_SCORED: Final = tuple(kind.name for kind in BY_NAME.values() if kind.prose)


def _with_score(place: TextPlace, found: DetectedSpan, rules: DetectionRules) -> str:
    if not found.why.startswith(PROSE) or ", score " in found.why:
        return found.why or _key_of(place)
    return f"{found.why}, score {_score(place, found.kind, rules):.2f}"


def _key_of(place: TextPlace) -> str:
    """The key of a value in surroundings that are JSON."""
    value = parsed(place.around)
    leaves = leaves_with_keys(value) if value is not None else ()
    return next((f"key {key}" for leaf, kind, key in leaves if kind and as_text(leaf).strip() == place.text), "")


def _score(place: TextPlace, kind: str, rules: DetectionRules) -> float:
    """The highest threshold at which sentences still contain this text as a value of a kind; 0 if none does."""
    others = tuple(one for one in rules.thresholds if one[0] != kind)

    def is_found(threshold: float) -> bool:
        at = replace(rules, thresholds=(*others, (kind, threshold)), prose=True)
        found = _covering(place, at)
        return found is not None and found.kind == kind

    if not is_found(_LOWEST):
        return 0.0
    low, high = _LOWEST, 1.0
    for _ in range(_SCORE_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_found(middle) else (low, middle)
    return low


def _covering(place: TextPlace, rules: DetectionRules) -> DetectedSpan | None:
    """The finding that covers the text."""
    found = (one for one in detect(place.around, rules) if one.start <= place.start and place.end <= one.end)
    if (span := next(found, None)) is not None:
        return span
    value = parsed(place.around)
    for leaf, kind, key in leaves_with_keys(value, rules) if value is not None else ():
        if kind is not None and as_text(leaf).strip() == place.text and kind.accepts(place.text):
            return DetectedSpan(place.start, place.end, kind.name, f"key {key}" if key else "column")
    return None
