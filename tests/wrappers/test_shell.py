"""Nothing in a quoted word is ever run; tried in a real shell."""

from __future__ import annotations

import os
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.wrappers.call_snippets import ShellCommand, quoted


def through(*words: str, **environment: str) -> list[str]:
    """What a program is given by a shell for these words."""
    script = "".join(f"printf '%s\\0' {word}\n" for word in words)
    done = subprocess.run(
        ["sh", "-c", script], capture_output=True, check=True, env={"PATH": os.environ["PATH"], **environment}
    )
    return [part.decode("utf-8", "surrogateescape") for part in done.stdout.split(b"\0")[:-1]]


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


@settings(max_examples=25, deadline=None)
@given(st.lists(TEXTS, min_size=5, max_size=30))
def test_every_text_arrives_as_it_is(texts):
    assert through(*(quoted(text) for text in texts)) == texts


@settings(max_examples=25, deadline=None)
@given(st.lists(TEXTS.filter(lambda text: "${" not in text), min_size=5, max_size=30))
def test_words_without_references_are_quoted_the_same_way(texts):
    assert through(*(ShellCommand().word(text) for text in texts)) == texts


@pytest.mark.parametrize(
    "text", ["'", '"', "$(touch x)", "`touch x`", "a\nb", "$HOME", "!!", "\\", "-n", "~", "*", "a;b", "", "\t", "ü"]
)
def test_what_shells_act_on_stays_text(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert through(quoted(text), ShellCommand().word(text)) == [text, text]
    assert list(tmp_path.iterdir()) == []


def test_references_become_variables_that_have_to_be_set():
    words = ShellCommand()
    word = words.word("Bearer ${keyring:git hub}, ${HOST:-a 'b' $x `c`} and ${USER_NAME}; $(no)")
    given = {"GIT_HUB": "s3 cr'et", "USER_NAME": "ada"}
    assert through(word, **given) == ["Bearer s3 cr'et, a 'b' $x `c` and ada; $(no)"]
    assert list(words.needed) == ["GIT_HUB", "USER_NAME"]
    assert through(word, **given, HOST="h")[0].startswith("Bearer s3 cr'et, h and")


@pytest.mark.parametrize("name", ["Authorization", "X-Api-Key", "GITHUB_TOKEN", "Cookie", "DB_PASSWORD", "key"])
def test_a_value_under_a_telling_name_is_never_written_out(name):
    words = ShellCommand()
    assert "s3cret" not in words.secret_or_word(name, "s3cret")
    assert len(words.needed) == 1


def test_a_value_under_another_name_is_written_out():
    words = ShellCommand()
    assert words.secret_or_word("X-Trace", "on") == "on"
    assert words.secret_or_word("monkey", "a") == "a"
    assert not words.needed


def test_a_nul_is_left_out_because_no_shell_can_pass_it_on():
    assert through(quoted("a\0b")) == ["ab"]
