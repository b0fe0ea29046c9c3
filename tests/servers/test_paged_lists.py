"""A paged list is read to its end, with a limit for endless lists."""

from __future__ import annotations

from typing import Any

from workbench.servers import paged_lists
from workbench.servers.paged_lists import read_pages


class Paper:
    """A connection that answers from a list of pages. Any: raw JSON."""

    def __init__(self, *pages: Any) -> None:
        self.pages = list(pages)
        self.asked: list[Any] = []

    async def request(self, method: str, params: Any, progress: Any = None) -> Any:
        self.asked.append(params)
        return self.pages[min(len(self.asked), len(self.pages)) - 1]


async def read(paper: Paper) -> paged_lists.PagedList:
    return await read_pages(paper, "x/list", "things", "list of things")  # type: ignore[arg-type]  # answers like one


async def test_all_pages_are_read_and_cursors_handed_back() -> None:
    paper = Paper({"things": [1, 2], "nextCursor": "two"}, {"things": [3]})
    assert (await read(paper)).entries == (1, 2, 3)
    assert paper.asked == [{}, {"cursor": "two"}]


async def test_a_cursor_that_comes_again_ends_the_reading() -> None:
    found = await read(Paper({"things": [1], "nextCursor": "again"}))
    assert found.entries == (1, 1)
    assert found.warnings == ("The list of things does not end; only the first 2 entries were read.",)


async def test_a_list_too_long_is_cut_and_says_so() -> None:
    found = await read(Paper({"things": list(range(25_000))}))
    assert len(found.entries) == paged_lists.ENTRIES
    assert found.warnings == ("The list of things is too long; 5000 entries were left out.",)


async def test_an_answer_without_a_list_is_a_warning() -> None:
    assert (await read(Paper({"things": "none"}))).warnings == ('The answer to x/list has no array "things".',)
