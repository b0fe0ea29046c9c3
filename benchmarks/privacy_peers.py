"""Runs other detectors for `privacy.py`, in the same process and with their patterns, if they are installed.

They are not dependencies: run `pip install presidio-analyzer scrubadub` in the environment of the checkout, or in
another one whose packages are on PYTHONPATH. Language models are not used, because these packages contain none.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

Spans = list[tuple[int, int]]
Find = Callable[[str], Spans]


def peers() -> dict[str, Find | str]:
    """Name of a detector → the function that finds spans, or why it is not available."""
    found: dict[str, Find | str] = {}
    for name, load in (("presidio-analyzer (patterns)", _presidio), ("scrubadub", _scrubadub)):
        try:
            found[name] = load()
        except ImportError as fault:
            found[name] = f"not installed ({fault})"
    return found


def _presidio() -> Find:
    logging.getLogger("presidio-analyzer").setLevel(logging.ERROR)
    import tldextract
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine

    class NoModel(NlpEngine):
        """An engine without a language model: no named entities, and each word is its own lemma."""

        # Any: types of presidio that this engine does not use.
        def load(self) -> None: ...
        def is_loaded(self) -> bool:
            return True

        def process_text(self, text: str, language: str) -> Any:
            words, starts = _words(text)
            return NlpArtifacts([], words, starts, words, self, language)

        def process_batch(self, texts: Any, language: str, **_: Any) -> Any:
            return ((text, self.process_text(text, language)) for text in texts)

        def is_stopword(self, word: str, language: str) -> bool:
            return False

        def is_punct(self, word: str, language: str) -> bool:
            return not word.isalnum()

        def get_supported_entities(self) -> list[str]:
            return []

        def get_supported_languages(self) -> list[str]:
            return ["en"]

    # Use the domain list of the package. The default would be fetched from the network.
    tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
    registry = RecognizerRegistry()
    registry.load_predefined_recognizers(languages=["en"])
    engine = AnalyzerEngine(registry=registry, nlp_engine=NoModel(), supported_languages=["en"])
    return lambda text: [(one.start, one.end) for one in engine.analyze(text, language="en")]


def _words(text: str) -> tuple[list[str], list[int]]:
    words, starts, at = [], [], 0
    for word in text.split():
        at = text.index(word, at)
        words.append(word.lower())
        starts.append(at)
        at += len(word)
    return words, starts


def _scrubadub() -> Find:
    import scrubadub

    scrubber = scrubadub.Scrubber()
    return lambda text: [(filth.beg, filth.end) for filth in scrubber.iter_filth(text)]
