"""One session of masking with the user's rules and marks."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from workbench.errors import WorkbenchError
from workbench.paths import Paths
from workbench.permissions.personal_data_marks import PersonalDataMarks
from workbench.privacy.detectors.json_fields import texts
from workbench.privacy.detectors.kinds import CUSTOM, KINDS, SEALED
from workbench.privacy.masked_documents import MaskedSpan, mask_document, masked_spans
from workbench.privacy.pii_tokens import tokens_in
from workbench.privacy.strictness import rules_at
from workbench.privacy.user_marks import StartRules
from workbench.privacy.value_index import fold
from workbench.privacy.vault import Vault
from workbench.records import JsonValue
from workbench.settings import read

KIND_NAMES = tuple(kind.name for kind in KINDS if kind.name not in (CUSTOM, SEALED))


def user_rules(paths: Paths, kinds: str = "", never: Collection[str] = (), strictness: str = "") -> StartRules:
    """The rules and marks of the user and the project, limited to some kinds ("EMAIL,PHONE") and without some words.
    Without a strictness, that of the user's settings applies."""
    wanted = kinds.upper().replace(",", " ").split()
    unknown = sorted(set(wanted).difference(KIND_NAMES))
    if unknown:
        hint = f"Kinds: {', '.join(KIND_NAMES)}."
        raise WorkbenchError(f"There is no kind of personal data {', '.join(unknown):.80}.", hint)
    settings = read(paths.project_settings, paths.user_settings).settings
    start = PersonalDataMarks(paths.project_settings, paths.privacy_marks, paths.project_privacy_marks).following(
        settings
    )
    rules = replace(
        rules_at(strictness, start.rules) if strictness else start.rules,
        off=start.rules.off.union(set(KIND_NAMES).difference(wanted) if wanted else ()),
        never=start.rules.never.union(word.strip().lower() for word in never),
    )
    return StartRules(rules, start.known)


class MaskingSession:
    """Masks texts and JSON values; the same value has the same token in all of them."""

    def __init__(self, start: StartRules, name: str = "text") -> None:
        self._rules = start.rules
        self._marked = frozenset(fold(value) for _, value in start.known)
        self._vault = Vault(name, rules=start.rules)
        for kind, value in start.known:
            self._vault.learn(kind, value)

    def mask(self, value: JsonValue) -> JsonValue:
        """The text or JSON value with a token in place of each personal value."""
        return mask_document(self._vault, value)

    def spans(self, value: JsonValue, masked: JsonValue) -> Iterator[MaskedSpan]:
        """What is masked in a text or JSON value."""
        return masked_spans(self._vault, value, masked, self._rules, self._marked)

    def values(self, masked: JsonValue) -> dict[str, JsonValue]:
        """What each token in a masked text or JSON value stands for."""
        tokens = {token for text in texts(masked) for token in tokens_in(text)}
        values = ((token, self._vault.restore_json(token, "", allow_foreign=True)) for token in sorted(tokens))
        return dict(values)

    def unmask(self, value: JsonValue) -> JsonValue:
        """The value with the real data. Rejects unknown and damaged tokens."""
        return self._vault.restore_json(value, "", allow_foreign=True)
