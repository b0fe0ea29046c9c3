"""Steps of strictness change what is masked."""

from __future__ import annotations

import pytest

from workbench.privacy.detection_rules import DEFAULT_RULES
from workbench.privacy.strictness import FORMS, rules_at
from workbench.privacy.vault import Vault


@pytest.mark.parametrize(
    "sentence", ["Вчера звонил Иван Петров из Москвы.", "Yesterday Rosa Lindqvist from Leeds called."]
)
def test_names_in_sentences_depend_on_the_step_in_every_script(sentence: str) -> None:
    assert "[NAME" in Vault("session").sanitize(sentence)
    assert Vault("session", rules=rules_at(FORMS, DEFAULT_RULES)).sanitize(sentence) == sentence
