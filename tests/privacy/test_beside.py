"""A masked text laid beside the real one."""

from __future__ import annotations

from workbench.privacy.beside import beside, counts_in, kind_of, tokens_in
from workbench.privacy.kinds import KINDS
from workbench.privacy.marks import Marks
from workbench.privacy.vault import Vault
from workbench.records import KindCount


def test_each_token_is_laid_over_the_value_it_stands_for():
    vault = Vault("s")
    text = "write to ada@example.org, and again ada@example.org or 10.1.2.3"
    whole, hidden = beside(vault.sanitize(text), vault.restore)
    assert whole == text
    assert [text[one.start : one.end] for one in hidden] == ["ada@example.org", "ada@example.org", "10.1.2.3"]
    assert [one.kind for one in hidden] == ["EMAIL", "EMAIL", "IP"]


def test_what_nobody_knows_stays_and_covers_nothing():
    assert beside("see [EMAIL_1.aaaa]!", lambda token: token) == ("see [EMAIL_1.aaaa]!", ())


def test_values_are_counted_once_however_often_they_are_hidden():
    masked = Vault("s").sanitize("ada@example.org ada@example.org bob@example.org 10.1.2.3")
    assert counts_in(masked) == (KindCount("EMAIL", 2), KindCount("IP", 1))


def test_every_kind_is_read_from_its_token_in_any_spelling():
    marks = Marks("s")
    for kind in KINDS:
        token = marks.make(kind.name, 3)
        assert list(tokens_in(f"a {token} b")) == [token]
        encoded = token.lower().replace("[", "%5b").replace("]", "%5d")
        assert {kind_of(token), kind_of(encoded)} == {kind.name}
