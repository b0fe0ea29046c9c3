"""Keeps the answers of one session compressed, and finds the places where the words of a text occur in them.

Answers are not searched for personal data when they arrive, because most of them never leave the machine. They are
appended to one stream of text, which is cut into pages of 16,384 characters. 64 pages are a segment, with a Bloom
filter of all hashed words and word pairs, and for each page one bit in each of 32,768 rows; pages with very many words,
as in Chinese, have filters of their own, so that they do not fill those of others. Indexing and compressing
takes 15 ms a megabyte; with 100 MB, one of fifty absent words is looked for in a few pages in vain.
"""

from __future__ import annotations

import re
import sys
import zlib
from bisect import bisect_left, bisect_right, insort
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, Final

from workbench.errors import WorkbenchError
from workbench.privacy.encrypted_pages import EncryptedPages
from workbench.privacy.word_hashes import hash_words
from workbench.records import Place
from workbench.thread_cancellation import check_cancelled

if TYPE_CHECKING:
    import numpy as np

    from workbench.privacy.value_store import Source

    Array = np.ndarray[Any, Any]  # Any: numpy's own parameters

PAGE: Final = 16_384  # characters
OVERLAP: Final = 256  # characters before a page whose words are indexed with it, for words and pairs across the border
_PAGES: Final = 64  # of one segment: one bit each
_SERVERS: Final = 8  # that are told apart
_ROW_BITS: Final = 15  # bits of the hash that select a row of a segment
_DENSE: Final = 9_000  # words and pairs of a page; most have 5,000, and 28,000 in scripts without spaces
_DENSE_BITS: Final = 18
_DENSE_MASK: Final = (1 << _DENSE_BITS) - 1
_FILTER_BITS: Final = 21  # bits of the hash that select a bit of a segment's Bloom filter
MOST_CHARACTERS: Final = 256_000_000  # of all answers of a session; later answers are withheld
_FULL: Final = (
    "This session has read {} MB of answers. More cannot be kept, so personal data in them could not be masked."
)
_FULL_HINT: Final = "Connect again, or let tools return less."
MOST_BYTES: Final = 48_000_000  # of compressed pages in memory; further pages are written to an encrypted file
_RECENT: Final = 256  # decompressed pages
MOST_NEW: Final = 8_000  # characters of new answers that are searched as a whole, which takes 2 to 6 ms
BETWEEN_ANSWERS: Final = "\n\0\n"  # between two answers
_ESCAPE: Final = re.compile(r"\\[ntrfb\"/]")
_LETTER: Final = re.compile(r"\\{1,4}u(?!0022|005[cC]|00[01]|007[fF]|[dD][89a-fA-F])[0-9a-fA-F]{4}")


@dataclass(slots=True, eq=False)
class Document:
    """One answer, or one long text of an answer, in the stream of a session."""

    source: Source
    length: int
    start: int = -1  # in the stream; -1 until it is indexed
    number: int = -1
    is_read: bool = False  # all of it was searched for personal data
    # sorted, not overlapping stretches of the stream that were searched for personal data
    judged: list[tuple[int, int]] = field(default_factory=list)

    def is_judged(self, position: int) -> bool:
        """Whether the text at this position was searched."""
        at = bisect_right(self.judged, (position, sys.maxsize)) - 1
        return self.is_read or (at >= 0 and position < self.judged[at][1])


class _Segment:
    """The index of 64 pages."""

    def __init__(self) -> None:
        import numpy as np

        self._rows = np.zeros(1 << _ROW_BITS, np.uint64)
        # the filter: a byte each while pages are added, one bit each once the segment is full
        self._present, self._is_packed = np.zeros(1 << _FILTER_BITS, np.uint8), False
        self._counts = [0] * _PAGES  # words and pairs of each page
        self._dense: dict[int, Array] = {}  # filters of pages with so many words that they would fill the rows

    def add(self, hashes: Array, page: int) -> None:
        """Add words or pairs of a page."""
        import numpy as np

        self._counts[page] += len(hashes)
        if self._counts[page] > _DENSE:
            filter_ = self._dense.setdefault(page, np.zeros(1 << _DENSE_BITS, np.bool_))
            for place in _filter_places(hashes):
                filter_[place & _DENSE_MASK] = True
            return
        bit = np.uint64(1 << page)
        for row in _rows_of(hashes):
            self._rows[row] |= bit
        for place in _filter_places(hashes):
            self._present[place] = 1

    def close(self) -> None:
        """Reduce the memory of a full segment."""
        import numpy as np

        self._present, self._is_packed = np.packbits(self._present, bitorder="little"), True
        self._dense = {page: np.packbits(one, bitorder="little") for page, one in self._dense.items()}

    @property
    def weight(self) -> int:
        """Bytes in memory."""
        return int(self._rows.nbytes + self._present.nbytes + sum(one.nbytes for one in self._dense.values()))

    def fill(self, found: Array, rows: Sequence[Array], places: Sequence[Array]) -> None:
        """Set the bits of the pages that may contain the hashes with these rows, and these places in the filter."""
        import numpy as np

        at = np.flatnonzero(self._may_have(self._present, places))
        masks = self._rows[rows[0][at]]
        for row in rows[1:]:
            masks &= self._rows[row[at]]
        found[at] = masks
        if self._dense:
            small = [place & _DENSE_MASK for place in places]
            for page, filter_ in self._dense.items():
                found[self._may_have(filter_, small)] |= np.uint64(1 << page)

    def _may_have(self, filter_: Array, places: Sequence[Array]) -> Array:
        """Which hashes are in a filter."""
        import numpy as np

        found = np.ones(len(places[0]), np.bool_)
        for place in places:
            if self._is_packed:
                found &= (filter_[place >> 3] >> (place & 7).astype(np.uint8)) & 1 == 1
            else:
                found &= filter_[place] == 1
        return found


class AnswerIndex:
    """The answers of one session. All methods may be called on any thread."""

    def __init__(self) -> None:
        self._lock = Lock()  # of what `add` changes, and of which parts were searched
        self._stream = RLock()  # held before the other one, and for as long as it takes to index
        self._pending: deque[tuple[str, Document]] = deque()  # not indexed yet
        self._new: list[tuple[str, Document]] = []  # short texts that came in since the last time they were taken
        self._new_size = 0
        self._calls: set[str] = set()  # calls whose answers are kept
        self._documents: list[Document] = []
        self._starts: list[int] = []
        self._segments: list[_Segment] = []
        self._pages: list[bytes | None] = []  # compressed; None for a page in the file
        self._server_numbers: dict[str, int] = {}
        self._server_pages: list[list[int]] = []  # for each server and segment, the bits of the pages with its answers
        self._read_pages: set[int] = set()  # stored pages of which everything was searched
        self._recent: dict[int, str] = {}  # pages that were read last
        self._file: EncryptedPages | None = None
        self._bytes = 0
        self._length = 0  # characters of the stream
        self._tail = ""  # the last page, which is not full
        self._indexed = 0  # characters of the tail that are indexed
        self._before = ""  # the end of the page before it: `OVERLAP` characters
        self._count = 0  # of answers that were added
        self.unread = 0  # how often an answer was added that is too long to be searched as a whole
        self.round = 0  # how often everything had to be searched again
        self.waiting = 0  # characters that are not indexed yet
        self._is_full = False  # a page could not be written to the file

    def add(self, text: str, source: Source) -> None:
        """Keep an answer; raises an error if there are too many. It is indexed by `index`, at the latest when something
        is looked up."""
        if not text:
            return
        text = _LETTER.sub(_decoded, text) if "\\u" in text else text
        with self._lock:
            if self._is_full or self._length + self.waiting + len(text) > MOST_CHARACTERS:
                raise WorkbenchError(_FULL.format(MOST_CHARACTERS // 1_000_000), _FULL_HINT)
            self._count += 1
            if isinstance(source, Place):
                self._calls.add(source.call_id)
            added = text, Document(source, len(text))
            self._pending.append(added)
            self.waiting += len(text)
            self._new.append(added)
            self._new_size += len(text)
            if self._new_size > MOST_NEW:
                self.unread += len(self._new)
                self._new, self._new_size = [], 0

    def take_new(self) -> tuple[list[tuple[str, Document]], tuple[int, int]]:
        """The texts that came in since the last time, if they are short together, and the state of the answers when
        these are searched. They count as searched from now on."""
        with self._lock:
            new, self._new, self._new_size = self._new, [], 0
            for _, document in new:
                document.is_read = True
            return new, (self.unread, 0)

    def return_new(self, new: Sequence[tuple[str, Document]]) -> None:
        """Take texts back that were not searched after all."""
        with self._stream, self._lock:
            self.unread += len(new)
            self._read_pages.clear()
            for _, document in new:
                document.is_read = False

    @property
    def state(self) -> tuple[int, int]:
        """Changes when an answer was added that is not searched yet."""
        with self._lock:
            return self.unread, self._count if self._new else 0

    def __bool__(self) -> bool:
        return bool(self._pending or self._documents)

    @property
    def weight(self) -> int:
        """Bytes in memory."""
        return self._bytes + self.waiting + sum(segment.weight for segment in self._segments)

    def index(self) -> None:
        """Index and compress the answers that were added since the last time."""
        with self._stream:
            while self._pending:
                check_cancelled()
                parts, size = [self._tail], len(self._tail)
                with self._lock:
                    while self._pending and size < 4 * PAGE:
                        text, document = self._pending.popleft()
                        document.start = self._length + size - len(self._tail)
                        document.number = len(self._documents)
                        self._documents.append(document)
                        self._starts.append(document.start)
                        self._note_server(document)
                        parts += [text, BETWEEN_ANSWERS]
                        size += len(text) + len(BETWEEN_ANSWERS)
                self._append("".join(parts))
                with self._lock:
                    self.waiting = sum(len(text) for text, _ in self._pending)

    def _note_server(self, document: Document) -> None:
        number = self._server_number(document)
        if number == len(self._server_pages):
            self._server_pages.append([])
        bits = self._server_pages[number]
        for page in range(document.start // PAGE, (document.start + document.length) // PAGE + 1):
            bits += [0] * (page // _PAGES + 1 - len(bits))
            bits[page // _PAGES] |= 1 << page % _PAGES

    def _server_number(self, document: Document) -> int:
        """The number of a document's server; all after the first ones share a number."""
        source = document.source
        server = source if isinstance(source, str) else source.server
        return self._server_numbers.setdefault(server, min(len(self._server_numbers), _SERVERS - 1))

    def pages_of_servers(self) -> list[Array]:
        """For each server and each segment, the bits of the pages with its answers."""
        import numpy as np

        with self._stream:
            found = np.zeros((len(self._server_pages), len(self._segments)), np.uint64)
            for bits, row in zip(self._server_pages, found, strict=True):
                row[: len(bits)] = bits[: len(self._segments)]
        return list(found)

    def documents_of_page(self, number: int) -> tuple[Array, Array]:
        """The starts of the documents in a page, and the numbers of their servers."""
        import numpy as np

        with self._stream:
            first = max(0, bisect_right(self._starts, max(0, number * PAGE - OVERLAP)) - 1)
            last = bisect_left(self._starts, (number + 1) * PAGE)
            servers = [self._server_number(one) for one in self._documents[first:last]]
            return np.array(self._starts[first:last]), np.array(servers)

    def _append(self, text: str) -> None:
        """Replace the tail by a longer text, and store its full pages."""
        self._length += len(text) - len(self._tail)
        at = 0
        while len(text) - at >= PAGE:
            page = text[at : at + PAGE]
            self._index_page(page)
            self._store(self._before + page)
            self._note_page(len(self._pages) - 1)
            self._before, self._indexed = page[-OVERLAP:], 0
            at += PAGE
        self._tail = text[at:]
        self._index_page(self._tail)
        self._indexed = len(self._tail)

    def _index_page(self, page: str) -> None:
        """Index the new part of the page that is not stored yet."""
        number = len(self._pages)
        if number // _PAGES >= len(self._segments):
            if self._segments:
                self._segments[-1].close()
            self._segments.append(_Segment())
        text = (self._before + page)[max(0, len(self._before) + self._indexed - OVERLAP) :]
        words = hash_words(readable(text))
        for hashes in (words.hashes, words.pairs()):
            self._segments[-1].add(hashes, number % _PAGES)

    def _store(self, page: str) -> None:
        data = zlib.compress(page.encode("utf-8", "surrogatepass"), 1)
        if self._bytes + len(data) > MOST_BYTES:
            try:
                self._file = self._file or EncryptedPages()
                self._file.append(len(self._pages), data)
            except OSError:  # the disk is full: this answer stays in memory, and no more are kept
                self._is_full = True
            else:
                self._pages.append(None)
                return
        self._bytes += len(data)
        self._pages.append(data)

    def unread_pages(self) -> Array:
        """For each segment, the bits of the pages that contain something that was not searched."""
        import numpy as np

        with self._stream:
            read = np.zeros(len(self._segments), np.uint64)
            for number in (*self._read_pages, *([len(self._pages)] if self._is_page_read(len(self._pages)) else [])):
                read[number // _PAGES] |= np.uint64(1 << number % _PAGES)
        return ~read

    def _note_page(self, number: int) -> None:
        """Note a stored page if everything in it was searched."""
        if number < len(self._pages) and self._is_page_read(number):
            self._read_pages.add(number)

    def _is_page_read(self, number: int) -> bool:
        """Whether all documents of a page were searched as a whole."""
        first = max(0, bisect_right(self._starts, number * PAGE) - 1)
        last = bisect_left(self._starts, (number + 1) * PAGE)
        return all(document.is_read for document in self._documents[first:last])

    def page_masks(self, hashes: Array) -> Array:
        """For each segment and each hash of a word or pair, the bits of the pages that may contain it."""
        import numpy as np

        rows, places = [*_rows_of(hashes)], [*_filter_places(hashes)]
        with self._stream:
            found = np.zeros((len(self._segments), len(hashes)), np.uint64)
            for number, segment in enumerate(self._segments):
                segment.fill(found[number], rows, places)
        return found

    def page_text(self, number: int) -> tuple[int, str]:
        """The position of a page in the stream, and its text with the end of the page before it."""
        with self._stream:
            start = number * PAGE
            text = self._before + self._tail if number == len(self._pages) else self._page(number)
        return start - (OVERLAP if start else 0), text

    def read(self, start: int, end: int) -> str:
        """A part of the stream."""
        with self._stream:
            end, first = min(end, self._length), start // PAGE
            numbers = range(first, (end - 1) // PAGE + 1) if end > start else ()
            parts = [self._page(number)[OVERLAP if number else 0 :] for number in numbers if number < len(self._pages)]
            parts += [self._tail] if end > len(self._pages) * PAGE else []
            return "".join(parts)[start - first * PAGE : end - first * PAGE]

    def _page(self, number: int) -> str:
        """The text of a stored page, with the end of the page before it."""
        if (text := self._recent.pop(number, None)) is None:
            data = self._pages[number]
            if data is None:
                assert self._file is not None
                data = self._file.read(number)
            text = zlib.decompress(data).decode("utf-8", "surrogatepass")
            if len(self._recent) >= _RECENT:
                del self._recent[next(iter(self._recent))]
        self._recent[number] = text
        return text

    def has_call(self, call_id: str) -> bool:
        """Whether the answer of this call was kept."""
        return call_id in self._calls

    @property
    def pages(self) -> int:
        """The number of pages, with the last one."""
        return len(self._pages) + bool(self._tail)

    def document_at(self, position: int) -> Document:
        """The document at a position of the stream."""
        return self._documents[bisect_right(self._starts, position) - 1]

    def documents(self) -> Sequence[Document]:
        return self._documents

    def mark_judged(self, document: Document, stretches: Sequence[tuple[int, int]], round_number: int) -> None:
        """Note that stretches of a document were searched, unless everything is searched again since then."""
        with self._stream, self._lock:
            if round_number != self.round:
                return
            for stretch in stretches:
                insort(document.judged, stretch)
            if stretches == [(document.start, document.start + document.length)]:
                document.is_read = True
                for number in range(document.start // PAGE, (document.start + document.length) // PAGE + 1):
                    self._note_page(number)

    def forget_judgements(self) -> None:
        """Forget which parts were searched."""
        with self._stream, self._lock:
            self.round += 1
            self._read_pages.clear()
            self.unread += len(self._documents) + len(self._pending)
            self._new, self._new_size = [], 0
            for document in (*self._documents, *(one for _, one in self._pending)):
                document.is_read = False
                document.judged.clear()


def readable(text: str) -> str:
    """The text with blanks instead of JSON escapes, at the same positions, so that they are not read as letters of the
    next word."""
    return _ESCAPE.sub("  ", text) if "\\" in text else text


def _decoded(match: re.Match[str]) -> str:
    """A letter that JSON wrote by its number."""
    return chr(int(match.group()[-4:], 16))


def _rows_of(hashes: Array) -> Iterator[Array]:
    """The rows of a segment in which a word or pair sets the bit of its page."""
    import numpy as np

    for shift in (48, 32, 16):
        yield ((hashes >> np.uint64(shift)) & np.uint64((1 << _ROW_BITS) - 1)).astype(np.intp)


def _filter_places(hashes: Array) -> Iterator[Array]:
    """The places of a word or pair in a segment's Bloom filter."""
    import numpy as np

    mixed = (hashes ^ (hashes >> np.uint64(31))) * np.uint64(0x94D049BB133111EB)
    for shift in (43, 29, 15, 1):
        yield ((mixed >> np.uint64(shift)) & np.uint64((1 << _FILTER_BITS) - 1)).astype(np.intp)
