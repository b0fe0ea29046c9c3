"""Builds the sets by other authors for `privacy_others.py`: `privacy_others_fetch.py FOLDER --mirrors FOLDER`.

    python benchmarks/privacy_others_logs.py FOLDER/logs
    python benchmarks/privacy_others_fetch.py FOLDER [--mirrors FOLDER] [--freeze] [--only SET]

Reads the files of public repositories at the commits in `privacy_others_sources.txt` and writes one JSON Lines file for
each set into the folder. Nothing that others wrote is committed here: only the commits, the licences and the SHA-256 of
each set (`privacy_others_sets.txt`). Without `--mirrors`, repositories are cloned from GitHub. `--freeze` writes the
hashes; otherwise each set is compared with them.

Needs PyYAML, phonenumbers, mimesis 22.2.0 and, in FOLDER/npm, @faker-js/faker 10; a set whose package is missing is
left out.
"""

from __future__ import annotations

import functools
import hashlib
import json
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import privacy_others_people as people
import privacy_others_values as values
from privacy_others_prose import CORPORA, texts

SEED = 20260701
HERE = Path(__file__).resolve().parent
SOURCES = HERE / "privacy_others_sources.txt"
HASHES = HERE / "privacy_others_sets.txt"
# Ten repositories for innocent code and documentation.
CODE = (
    "django/django", "encode/starlette", "etcd-io/etcd", "vuejs/core", "nestjs/nest", "tokio-rs/tokio",
    "apache/commons-lang", "jekyll/jekyll", "curl/curl", "scikit-learn/scikit-learn",
)  # fmt: skip
_CODE_FILES = re.compile(
    r".*\.(py|pyi|ts|tsx|js|mjs|go|rs|java|rb|c|h|sh|md|rst|txt|toml|ya?ml|json|html|css|cfg)|.*/(Makefile|CHANGELOG|NEWS)"
)
_LOG_FILES = (
    r"(Android|Apache|BGL|HDFS|HPC|Hadoop|HealthApp|Mac|OpenStack|Proxifier|Spark|Thunderbird|Windows|Zookeeper)"
    r"/\w+_2k\.log"
)
Made = Iterator[tuple[str, str, object]]


class Sources:
    """Files of public repositories at fixed commits."""

    def __init__(self, mirrors: Path | None, clones: Path) -> None:
        lines = (line.split() for line in SOURCES.read_text(encoding="utf-8").splitlines() if line[:1] not in ("#", ""))
        self._commits = {line[0]: line[1] for line in lines}
        self._mirrors = mirrors
        self._clones = clones

    def read(self, repository: str, path: str) -> bytes:
        return self._git(repository, "show", f"{self._commits[repository]}:{path}")

    def files(self, repository: str) -> Callable[[str], Iterator[tuple[str, bytes]]]:
        """A function that reads all files whose path matches a pattern, in order of their paths."""

        def find(pattern: str) -> Iterator[tuple[str, bytes]]:
            for path in self.paths(repository, pattern):
                try:
                    yield path, self.read(repository, path)
                except subprocess.CalledProcessError:
                    continue  # snapshots leave out large files

        return find

    def paths(self, repository: str, pattern: str) -> list[str]:
        listed = self._git(repository, "ls-tree", "-r", "-z", "--name-only", self._commits[repository])
        return sorted(path for path in listed.decode().split("\0") if re.fullmatch(pattern, path))

    def _git(self, repository: str, *command: str) -> bytes:
        return subprocess.run(
            ["git", "--git-dir", str(self._place(repository)), *command], capture_output=True, check=True
        ).stdout

    def _place(self, repository: str) -> Path:
        name = repository.replace("/", "+")
        if self._mirrors is not None:
            place = self._mirrors / name / "repo"
            return place / ".git" if (place / ".git").exists() else place
        place = self._clones / name
        if not place.exists():
            address = f"https://github.com/{repository}"
            subprocess.run(["git", "clone", "--bare", "--filter=blob:none", address, str(place)], check=True)
        return place


def sets(sources: Sources, folder: Path) -> dict[str, Callable[[], Made]]:
    """The function that makes each set."""

    def prose() -> Made:
        for corpus in CORPORA:
            for text in texts(corpus, functools.partial(sources.read, corpus.repository), SEED):
                yield corpus.language, corpus.repository, text

    def known_addresses() -> Made:
        yield from values.opencage(sources.files("OpenCageData/address-formatting"))
        yield from values.libpostal(sources.read("openvenues/libpostal", "test/test_parser.c"))

    def address_records() -> Made:
        yield from (one for one in known_addresses() if "key" in one[0])

    def addresses() -> Made:
        yield from (one for one in known_addresses() if "key" not in one[0])
        yield from people.addresses(people.persons_of_mimesis(), values.FRAMES)
        yield from people.addresses(people.persons_of_faker_js(folder / "npm"), values.FRAMES)

    def mimesis() -> Made:
        yield from people.tables(people.persons_of_mimesis(), SEED)

    def faker_js() -> Made:
        yield from people.tables(people.persons_of_faker_js(folder / "npm"), SEED)

    def databases() -> Made:
        yield from values.chinook(
            sources.read("lerocha/chinook-database", "ChinookDatabase/DataSources/ChinookData.json")
        )
        yield from values.northwind(sources.read("jpwhite3/northwind-SQLite3", "src/create.sql"))
        yield from values.oracle(sources.files("oracle-samples/db-sample-schemas"))
        yield from values.sakila(
            sources.read("jOOQ/sakila", "postgres-sakila-db/postgres-sakila-insert-data-using-copy.sql")
        )
        yield from values.dummyjson(sources.read("Ovi/DummyJSON", "database/users.json"))
        yield from values.jsonplaceholder(sources.read("typicode/jsonplaceholder", "data.json"))
        yield from values.salesforce(sources.files("trailheadapps/dreamhouse-lwc"))
        yield from values.spree(sources.read("spree/spree", "spree/core/db/sample_data/customers.csv"))

    def numbers() -> Made:
        yield from _titled("id", values.stdnum(sources.files("arthurdejong/python-stdnum")))
        yield from _titled("phone", values.phones())
        for repository, pattern in (
            ("braintree/braintree_python", r"braintree/test/credit_card_numbers\.py"),
            ("braintree/credit-card-type", r"src/__tests__/.*\.ts"),
            ("stripe/stripe-python", r"(tests|examples|README).*"),
        ):
            yield from _titled("card", values.cards(sources.files(repository), pattern))

    def secrets() -> Made:
        yield from values.trufflehog(sources.files("trufflesecurity/trufflehog"))
        yield from values.secretlint(sources.files("secretlint/secretlint"))

    def logs() -> Made:
        yield from values.elastic(sources.files("elastic/integrations"), SEED)
        yield from values.loghub_logins(sources.files("logpai/loghub"), SEED)

    return {
        "prose": prose, "addresses": addresses, "address records": address_records, "mimesis": mimesis,
        "faker-js": faker_js, "databases": databases,
        "numbers": numbers, "secrets": secrets, "log events": logs, "code and documents": lambda: _code(sources),
        "logs without people": lambda: _quiet_logs(sources, folder / "logs"),
    }  # fmt: skip


def _titled(title: str, made: Made) -> Made:
    for part, shape, marked in made:
        yield f"{title} {part}", shape, marked


def _code(sources: Sources) -> Made:
    """Forty files of each repository, chosen at random."""
    for repository in CODE:
        paths = sources.paths(repository, _CODE_FILES.pattern)
        random.Random(f"{SEED} {repository}").shuffle(paths)
        count = 0
        for path in paths:
            try:
                text = sources.read(repository, path).decode("utf-8")
            except (UnicodeDecodeError, subprocess.CalledProcessError):
                continue
            if 300 <= len(text) <= 60_000 and count < 40:
                count += 1
                yield repository, path, text


def _quiet_logs(sources: Sources, folder: Path) -> Made:
    """Logs in pieces of 20,000 characters without repeated lines, in random order: a part is one program."""
    logs = [(path.stem, path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.log"))]
    for repository, pattern in (
        ("logpai/loghub", _LOG_FILES),
        ("elastic/examples", r"Miscellaneous/kafka_monitoring/.*\.log[^/]*"),
    ):
        for path, data in sources.files(repository)(pattern):
            logs.append((path.split("/")[0] if "loghub" in repository else "Kafka", data.decode("utf-8", "replace")))
    pieces, seen = [], set[int]()
    for part, text in logs:
        lines = [line for line in text.splitlines() if hash(line) not in seen]
        seen.update(map(hash, lines))
        piece: list[str] = []
        size = 0
        for line in [*lines, None]:
            if line is None or size > 20_000:
                if piece:
                    pieces.append((part, part, "\n".join(piece)))
                piece, size = [], 0
            if line is not None:
                piece.append(line[:2000])
                size += len(line[:2000])
    random.Random(SEED).shuffle(pieces)
    yield from pieces


def write(folder: Path, name: str, made: Made) -> tuple[str, int]:
    """Write a set; return its SHA-256 and the number of texts."""
    digest, count = hashlib.sha256(), 0
    with (folder / f"{name.replace(' ', '-')}.jsonl").open("wb") as file:
        for part, shape, marked in made:
            line = json.dumps([part, shape, marked], ensure_ascii=False).encode("utf-8", "replace") + b"\n"
            digest.update(line)
            file.write(line)
            count += 1
    return digest.hexdigest(), count


def frozen() -> dict[str, tuple[str, int]]:
    """SHA-256 and number of texts of each set."""
    if not HASHES.exists():
        return {}
    lines = (line.split(maxsplit=2) for line in HASHES.read_text(encoding="utf-8").splitlines())
    return {line[2]: (line[0], int(line[1])) for line in lines if len(line) == 3 and line[0] != "#"}


def main(arguments: Sequence[str]) -> None:
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    mirrors = Path(arguments[arguments.index("--mirrors") + 1]) if "--mirrors" in arguments else None
    only = arguments[arguments.index("--only") + 1] if "--only" in arguments else ""
    known = frozen()
    for name, make in sets(Sources(mirrors, folder / "clones"), folder).items():
        if only and name != only:
            continue
        try:
            found = write(folder, name, make())
        except ImportError as fault:
            print(f"{name}: left out ({fault})")
            continue
        state = "as frozen" if known.get(name) == found else f"differs from the frozen {known.get(name)}"
        print(f"{name}: {found[1]} texts, {found[0]}" + ("" if "--freeze" in arguments else f", {state}"), flush=True)
        known[name] = found
    if "--freeze" in arguments:
        HASHES.write_text("".join(f"{sha} {count} {name}\n" for name, (sha, count) in known.items()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
