"""Runs the built sentence model with onnxruntime: one text at a time on one thread, in 0.3 to 6 ms."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shutil
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from workbench.errors import WorkbenchError
from workbench.numpy_loading import load_numpy
from workbench.search.semantic.model_quantization import PIECES, TAKES
from workbench.search.semantic.wordpiece_tokenizer import WordpieceTokenizer

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession

    Floats: TypeAlias = NDArray[numpy.float32]

NAME = "all-MiniLM-L6-v2"  # of the model and of its folder
GRAPH, WORDS, ABOUT = "model.onnx", "vocab.txt", "about.json"  # files in the model's folder
_TOLD = 128  # maximum number of word pieces of a tool's text; a question may have as many as the model takes
_KEPT = 256  # number of cached question embeddings
_ERRORS = 3  # minimum severity of onnxruntime's log messages; lower ones report devices that were not found
_AGAIN = "Build it again: mcp-workbench search build"
MISSING = "onnxruntime is not installed. The sentence model needs it."
INSTALL = 'Install it with the workbench (`.venv/bin/pip install "onnxruntime>=1.20,<2"` in its clone).'


class SentenceModel:
    """A built sentence model. Raises WorkbenchError if it is damaged or onnxruntime is missing."""

    def __init__(self, folder: Path) -> None:
        load_numpy()
        self.digest = _digest(folder)
        self._session = _session(folder / GRAPH)
        try:
            self._pieces = WordpieceTokenizer((folder / WORDS).read_text(encoding="utf-8").splitlines())
        except (OSError, ValueError) as fault:
            raise WorkbenchError(f"The vocabulary of the sentence model cannot be read: {fault}.", _AGAIN) from fault
        self.question = lru_cache(maxsize=_KEPT)(self._question)

    def embed(self, text: str) -> Floats:
        """Return the embedding of a tool's text."""
        return self._read(text, _TOLD)

    def _question(self, text: str) -> Floats:
        return self._read(text, PIECES)

    def _read(self, text: str, most: int) -> Floats:
        import numpy

        row: Floats = self._session.run(None, {TAKES: numpy.array(self._pieces.of(text, most), numpy.int64)})[0]
        return row


def built_at(folder: Path) -> float:
    """Return when the model in this folder was built; 0 if there is none."""
    try:
        return (folder / ABOUT).stat().st_mtime
    except OSError:
        return 0.0


def runs_here() -> bool:
    """Return whether onnxruntime is installed."""
    return importlib.util.find_spec("onnxruntime") is not None


def size(folder: Path) -> str:
    return f"{sum(file.stat().st_size for file in folder.iterdir()) / 1e6:.0f} MB"


def remove(folder: Path) -> bool:
    """Delete the model. Returns whether there was one."""
    if there := folder.is_dir():
        shutil.rmtree(folder)
    return there


def _digest(folder: Path) -> str:
    """Return the hash of the graph. Raises an error if it differs from the hash at build time."""
    try:
        wanted = json.loads((folder / ABOUT).read_text(encoding="utf-8"))["sha256"]
        found = hashlib.sha256((folder / GRAPH).read_bytes()).hexdigest()
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise WorkbenchError(f"The sentence model cannot be read: {fault}.", _AGAIN) from fault
    if found != wanted:
        raise WorkbenchError("The sentence model was changed after it was built.", _AGAIN)
    return found


def _session(file: Path) -> InferenceSession:
    """Open the graph on one thread. Next to a busy program, several threads only wait for each other."""
    try:
        from onnxruntime import InferenceSession, SessionOptions, set_default_logger_severity
    except ImportError as fault:
        raise WorkbenchError(MISSING, INSTALL) from fault
    set_default_logger_severity(_ERRORS)
    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        return InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    except Exception as fault:  # onnxruntime has its own exception types for different errors in a file
        raise WorkbenchError("onnxruntime cannot read the sentence model.", _AGAIN) from fault
