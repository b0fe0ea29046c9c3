"""Reads the passages of an answer in which words of an outgoing text occur, with what shows their meaning: the keys of
a record, the header of a table, the lines around them.

Short answers are one passage. Of a long JSON answer, the records are read together with its beginning, so that keys,
columns and neighbours decide as they do for the whole answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from workbench.privacy.answer_index import AnswerIndex, Document
from workbench.privacy.detectors.json_fields import parsed
from workbench.records import JsonValue
from workbench.thread_cancellation import check_cancelled

SHORT: Final = 6_000  # characters of an answer that is read as a whole
_RECORD: Final = 6_000  # characters of the largest record
_MOST_TRIES: Final = 120  # opening brackets before a position that are tried
_MOST_AROUND: Final = 12  # further brackets that are tried for a record around a record
_MOST_WASTED: Final = 3_000_000  # characters of an answer that are parsed in vain for the records of one look-up
_AROUND_RECORD: Final = 1_500  # characters before a record
_HEAD: Final = 6_000  # characters of the beginning of a long answer
_KEPT: Final = 4  # elements of each list at the beginning
_LINE: Final = 4_000  # characters; of a longer line, the text around the position is read
_LONG_LINE: Final = 2_000  # characters; a JSON answer with more line breaks in its strings has long texts
_AROUND: Final = 500
_SHORT_LINE: Final = 80  # characters; a longer line is understood without those around it
_CONTEXT: Final = 300  # characters of lines before and after that are read too
_TABLE: Final = 30_000  # characters before a row in which the header of its table is searched
_FEWEST_CELLS: Final = 2  # delimiters of a row of a table
_ALIGNED: Final = re.compile(r"\S {2,20}\S[^\n]{0,200}? {2,20}\S")
_DECODER: Final = json.JSONDecoder()
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.){0,6000}"|[{}\[\],]')
_CLOSING: Final = {"{": "}", "[": "]"}
_DELIMITERS: Final = "\t|;,"
_TAG: Final = re.compile(r"</?[A-Za-z_][^<>]{0,200}>")
_FEWEST_TAGS: Final = 3
_LIST: Final = 200_000  # characters before a position in which the beginning of a list is searched
_KEY_BEFORE: Final = re.compile(r'"((?:[^"\\]|\\.){1,80})"\s{0,9}:\s{0,9}\Z')
_CELL: Final = re.compile(r'"(?:[^"\\]|\\.){0,400}"|-?\d{1,40}(?:\.\d{1,40})?|\]')
_BEGINNING: Final = 1_500  # characters of an answer in whose lines the header of a table is searched
_FIRST_LINES: Final = 8
_QUOTED: Final = re.compile(r'"[^"]{0,2000}"')


def separate_texts(text: str) -> Iterator[str]:
    """The texts of an answer that are kept: a JSON answer that consists of long texts, as that of a tool that reads
    files, is kept as these texts, and anything else as it is."""
    lines = text.count("\\n")
    if len(text) <= SHORT or lines < len(text) // _LONG_LINE or (value := parsed(text)) is None:
        yield text
        return
    long: list[str] = []
    rest = _without_long_texts(value, long)
    yield from long
    yield json.dumps(rest, ensure_ascii=False)


def _without_long_texts(value: JsonValue, long: list[str]) -> JsonValue:
    """The value without its long texts, which are added to `long`."""
    if isinstance(value, str) and len(value) > SHORT:
        long.append(value)
        return ""
    if isinstance(value, dict):
        return {key: _without_long_texts(one, long) for key, one in value.items()}
    return [_without_long_texts(one, long) for one in value] if isinstance(value, list) else value


def passages(
    index: AnswerIndex, document: Document, positions: Sequence[int], round_number: int
) -> Iterator[JsonValue]:
    """The values to search for personal data: JSON records or texts around these sorted positions of the stream. They
    are marked as searched when all of them were taken, if the index is still in this round."""
    end = document.start + document.length
    if document.is_read:
        return
    if document.length <= SHORT:
        text = index.read(document.start, end)
        value = parsed(text)
        yield text if value is None else value
        index.mark_judged(document, [(document.start, end)], round_number)
        return
    found = _LongAnswer(index, document)
    for position in positions:
        found.add(position)
    yield from found.values()
    index.mark_judged(document, found.read, round_number)


class _LongAnswer:
    """What is read of a long answer, by the form of its parts."""

    def __init__(self, index: AnswerIndex, document: Document) -> None:
        self.read: list[tuple[int, int]] = []
        self._index, self._document = index, document
        self._end = document.start + document.length
        self._reached = 0  # the end of what was read
        self._wasted = 0  # characters that were parsed in vain
        self._is_json = index.read(document.start, document.start + _AROUND).lstrip()[:1] in ("{", "[")
        self._records: list[JsonValue] = []
        self._windows: list[str] = []
        self._tables: dict[str, list[str]] = {}  # lines by header
        self._columns: dict[str, list[JsonValue]] = {}  # values by key

    def add(self, position: int) -> None:
        """Read what is around a position; positions are sorted."""
        if position < self._reached or self._document.is_judged(position):
            return
        check_cancelled()
        start = max(self._document.start, position - _RECORD)
        region = self._index.read(start, min(self._end, position + _RECORD))
        record = None
        if self._wasted < _MOST_WASTED:
            record, wasted = _record_at(region, position - start)
            self._wasted += wasted
        alone = record is None or _is_list_of_cells(record[2])
        if self._is_json and alone and (cells := _cells_at(self._index, self._document, position)):
            self._columns.setdefault(cells[2], []).extend(cells[3])
            self._note(*cells[:2])
        elif record:
            self._records.append(record[2])
            self._note(start + record[0], start + record[1])
        elif row := _html_row_at(self._index, self._document, position):
            self._tables.setdefault(row[2], []).append(row[3])
            self._note(*row[:2])
        else:
            first, last = _line_at(region, position - start)
            line = region[first:last]
            if header := _header(self._index, self._document, start + first, line):
                self._tables.setdefault(header, []).append(line)
            else:
                self._windows.append(_window(region, first, last))
            self._note(start + first, start + last)

    def _note(self, start: int, end: int) -> None:
        self.read.append((start, end))
        self._reached = max(self._reached, end)

    def values(self) -> Iterator[JsonValue]:
        """The values to search."""
        if self._records:
            start = self._document.start
            yield from _with_head(parsed_beginning(self._index.read(start, start + _HEAD)), self._records)
        if self._columns:
            yield {**self._columns}
        for header, lines in self._tables.items():
            yield "\n".join([header, *lines])
        if self._windows:
            yield "\n\n".join(map(_unescaped, self._windows))


def _record_at(text: str, at: int) -> tuple[tuple[int, int, JsonValue] | None, int]:
    """Start, end and value of the largest JSON object or list of limited size around a position; if there is none, the
    number of characters that were parsed in vain."""
    found: tuple[int, int, dict[str, JsonValue] | list[JsonValue]] | None = None
    opening, wasted = at + 1, 0
    tries, farthest = _MOST_TRIES, at - _RECORD
    while tries > 0:
        opening = max(text.rfind("{", 0, opening), text.rfind("[", 0, opening))
        tries -= 1
        if opening < max(0, farthest):
            break
        try:
            value, end = _DECODER.raw_decode(text, opening)
        except (ValueError, RecursionError) as fault:
            failed = _failed_at(fault, text)
            wasted += failed - opening
            if failed > at + _CONTEXT:
                break  # what is around it is incomplete too
            continue
        if end > at:
            if end - opening > _RECORD:
                break
            found = opening, end, value
            tries, farthest = min(tries, _MOST_AROUND), max(farthest, opening - _AROUND_RECORD)
    if found is None or isinstance(found[2], dict) or len(found[2]) > 1:
        return found, 0 if found else wasted
    return None, wasted


def _failed_at(fault: Exception, text: str) -> int:
    """Where a text is no JSON; its end if the value continues after it."""
    if isinstance(fault, json.JSONDecodeError) and not fault.msg.startswith("Unterminated"):
        return fault.pos
    return len(text)


def parsed_beginning(text: str) -> JsonValue:
    """The value of a JSON text that was cut off, with the elements that are complete; None for any other text."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    open_brackets: list[str] = []
    cut: tuple[int, str] | None = None
    for match in _TOKEN.finditer(text):
        sign = match.group()
        if sign in _CLOSING:
            open_brackets.append(_CLOSING[sign])
        elif sign in "}]":
            if not open_brackets or open_brackets.pop() != sign:
                return None
        elif sign == ",":
            cut = match.start(), "".join(reversed(open_brackets))
    if cut is None:
        return None
    try:
        value: JsonValue = json.loads(text[: cut[0]] + cut[1])
    except (ValueError, RecursionError):
        return None
    return value


def _with_head(head: JsonValue, records: Sequence[JsonValue]) -> Iterator[JsonValue]:
    """The beginning of an answer with these records in the lists to which they belong, and the other records."""
    lists = list(_lists(head))
    for some in lists:
        if some and isinstance(some[0], dict | list):
            del some[_KEPT:]
    is_placed = False
    others: list[JsonValue] = []
    for record in records:
        home = next((some for some in lists if any(_is_alike(one, record) for one in some)), None)
        if home is None:
            others.append(record)
        else:
            home.append(record)
            is_placed = True
    if is_placed:
        yield head
    if others:
        yield others


def _lists(value: JsonValue) -> Iterator[list[JsonValue]]:
    """Every list in a value, outer ones first."""
    waiting = [value]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, dict):
            waiting += node.values()
        elif isinstance(node, list):
            yield node
            waiting += node[:_KEPT]


def _is_alike(one: JsonValue, record: JsonValue) -> bool:
    """Whether a record has the form of an element: most of its keys, or the number of its cells."""
    if isinstance(one, dict) and isinstance(record, dict):
        return bool(one) and 2 * len(one.keys() & record.keys()) >= max(len(one), len(record))
    return isinstance(one, list) and isinstance(record, list) and len(one) == len(record)


def _is_list_of_cells(value: JsonValue) -> bool:
    return isinstance(value, list) and not any(isinstance(one, dict | list) for one in value)


def _cells_at(index: AnswerIndex, document: Document, position: int) -> tuple[int, int, str, list[JsonValue]] | None:
    """Start, end, key and values of a part of a long JSON list of texts and numbers, as in `{"phones": ["…", …]}`."""
    start = max(document.start, position - _LIST)
    text = index.read(start, min(document.start + document.length, position + _AROUND))
    at = position - start
    opening = text.rfind("[", 0, at)
    if opening < 0 or max(text.rfind(sign, 0, at) for sign in "{}]") > opening:
        return None
    if (key := _KEY_BEFORE.search(text, max(0, opening - 200), opening)) is None:
        return None
    begin = max(opening + 1, at - _AROUND)
    if (text.count('"', opening, begin) - text.count('\\"', opening, begin)) % 2:  # inside a text
        begin = text.find('"', begin) + 1
    cells = [match for match in _CELL.finditer(text, begin) if text[match.end() : match.end() + 1] != ":"]
    if closing := next((one.start() for one in cells if one.group() == "]"), 0):
        cells = [one for one in cells if one.start() < closing]
    if not cells or not cells[0].start() <= at < cells[-1].end():
        return None
    try:
        values: list[JsonValue] = json.loads(f"[{','.join(one.group() for one in cells)}]")
        name = json.loads(f'"{key.group(1)}"')
    except ValueError:
        return None
    return start + cells[0].start(), start + cells[-1].end(), name, values


def _html_row_at(index: AnswerIndex, document: Document, position: int) -> tuple[int, int, str, str] | None:
    """Start, end, header and text of a row of an HTML table whose header is not near."""
    start = max(document.start, position - _TABLE)
    text = index.read(start, min(document.start + document.length, position + _LINE))
    at = position - start
    first, last = text.rfind("<tr", 0, at + 1), text.find("</tr", at)
    if first < 0 or last < 0 or last - first > _RECORD or text.find("</tr", first, at) >= 0:
        return None
    header = _header_row(text[:first]) or _header_row(index.read(document.start, document.start + _HEAD))
    return (start + first, start + last, f"<table>{header}</tr>", text[first:last] + "</tr>") if header else None


def _header_row(text: str) -> str:
    """The last row of header cells in a part of an HTML text; empty if there is none."""
    last = text.rfind("</th")
    first = text.rfind("<tr", 0, last) if last >= 0 else -1
    return f"{text[first:last]}</th>" if first >= 0 and last - first <= _RECORD else ""


def _line_at(text: str, at: int) -> tuple[int, int]:
    """The line around a position, or what is near in a long line."""
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    end = end if end >= 0 else len(text)
    if end - start > _LINE:
        start, end = max(start, at - _AROUND), min(end, at + _AROUND)
        while 0 < start < at and text[start - 1].isalnum():
            start += 1
        while at < end - 1 and end < len(text) and text[end].isalnum():
            end -= 1
        if len(tags := list(islice(_TAG.finditer(text, start, at), _FEWEST_TAGS))) == _FEWEST_TAGS:
            start = tags[0].start()  # text before the first tag would make it look like prose
    return start, end


def _window(text: str, start: int, end: int) -> str:
    """A line; a short one with the lines before and after it, as far as they are near."""
    if end - start > _SHORT_LINE:
        return text[start:end]
    first = text.find("\n", max(0, start - _CONTEXT), start) + 1 or start
    last = text.rfind("\n", end, end + _CONTEXT)
    return text[min(first, start) : max(last, end)]


def _header(index: AnswerIndex, document: Document, start: int, line: str) -> str:
    """The header of the table to which a line belongs; empty if it is no row of a table."""
    beginning = index.read(document.start, document.start + _BEGINNING).split("\n")[:_FIRST_LINES]
    for sign in _DELIMITERS:
        cells = _count_outside_quotes(line, sign)
        if cells < _FEWEST_CELLS:
            continue
        for number, first_line in enumerate(beginning):
            if _count_outside_quotes(first_line, sign) == cells:
                rule = beginning[number + 1] if len(beginning) > number + 1 else ""
                return f"{first_line}\n{rule}" if rule and set(rule) <= set("|-: \t") else first_line
        first = max(document.start, start - _TABLE)
        rows = index.read(first, start).split("\n")[:-1]
        at = len(rows)
        while at > 0 and _count_outside_quotes(rows[at - 1], sign) == cells:
            at -= 1
        return "\n".join(rows[at : at + 2]) if at < len(rows) else ""
    return next(filter(_ALIGNED.search, beginning), "") if _ALIGNED.search(line) else ""


def _count_outside_quotes(line: str, sign: str) -> int:
    return (_QUOTED.sub("", line) if '"' in line else line).count(sign)


def _unescaped(text: str) -> str:
    """A part of a text that may be JSON inside a string, readable."""
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\t", "\t") if "\\" in text else text
