"""Runs other detectors for `privacy.py`, in the same process and with their patterns, if they are installed.

They are not dependencies: run `pip install presidio-analyzer scrubadub slovnet navec natasha fugashi unidic-lite` in
the environment of the checkout, or in another one whose packages are on PYTHONPATH, and `npm install compromise` in a
folder named by COMPROMISE. Presidio and scrubadub run without a language model, because their packages contain none.
The models that a package registry does offer find names in one language: slovnet (a neural NER, Russian), compromise
(rules and a lexicon, English), and the person tags of unidic-lite (a morphological dictionary, Japanese).
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
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


def ner_peers() -> dict[str, tuple[frozenset[str], Find | str]]:
    """Name of a model → its languages, and the function that finds persons, or why it is not available."""
    found: dict[str, tuple[frozenset[str], Find | str]] = {}
    for name, language, load in (
        ("slovnet (NER)", "Russian", _slovnet),
        ("compromise (NER)", "English", _compromise),
        ("unidic-lite (NER)", "Japanese", _unidic),
    ):
        try:
            found[name] = frozenset([language]), load()
        except (ImportError, OSError) as fault:
            found[name] = frozenset([language]), f"not installed ({fault})"
    return found


def _slovnet() -> Find:
    from importlib.util import find_spec
    from pathlib import Path

    from navec import Navec
    from slovnet import NER

    package = find_spec("natasha")
    if package is None or package.origin is None:
        raise ImportError("natasha, which contains the model")
    data = Path(package.origin).parent / "data"
    model = NER.load(str(data / "model" / "slovnet_ner_news_v1.tar"))
    model.navec(Navec.load(str(data / "emb" / "navec_news_v1_1B_250K_300d_100q.tar")))
    return lambda text: [(one.start, one.stop) for one in model(text).spans if one.type == "PER"]


_SCRIPT = """
const nlp = require('compromise');
require('readline').createInterface({input: process.stdin}).on('line', line => {
  const found = nlp(JSON.parse(line)).people().json({offset: true}).map(one => [one.offset.start, one.offset.length]);
  console.log(JSON.stringify(found));
});
"""


def _compromise() -> Find:
    node, folder = shutil.which("node"), os.environ.get("COMPROMISE")
    if node is None or folder is None:
        raise ImportError("node, or a folder in COMPROMISE")
    process = subprocess.Popen(
        [node, "-e", _SCRIPT], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )

    def find(text: str) -> Spans:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(text) + "\n")
        process.stdin.flush()
        return [(start, start + length) for start, length in json.loads(process.stdout.readline())]

    return find


def _unidic() -> Find:
    from fugashi import Tagger

    tagger = Tagger()

    def find(text: str) -> Spans:
        spans: Spans = []
        at = 0
        for word in tagger(text):
            at = text.index(word.surface, at)
            if word.feature.pos3 == "人名":
                is_next = bool(spans) and text[spans[-1][1] : at] in ("", "・", " ")  # surname and given name
                spans.append((spans.pop()[0] if is_next else at, at + len(word.surface)))
            at += len(word.surface)
        return spans

    return find


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
