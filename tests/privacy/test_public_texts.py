"""Text that the workbench supplied is recognised in outputs, also while other threads add more of it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from workbench.privacy.public_texts import PublicProgram, PublicTexts


def test_only_whole_lines_and_strings_that_were_added_are_public() -> None:
    public = PublicTexts()
    public.add("Lists the orders of a customer.")
    text = "Lists the orders of a customer.\nLists the orders of Rosa.\n{'doc': 'Lists the orders of a customer.'}"
    found = [text[one.start : one.end] for one in public.stretches(text)]
    assert found == ["Lists the orders of a customer.", "'Lists the orders of a customer.'"]


def test_lines_of_the_program_are_public_in_its_output_only() -> None:
    public = PublicTexts()
    line = "orders = await list_orders(state='open')"
    assert [(one.start, one.end) for one in public.stretches(line, PublicProgram(f"x = 1\n{line}\n"))] == [
        (0, len(line))
    ]
    assert public.stretches(line, PublicProgram("x = 1\n")) == ()


def test_threads_that_add_and_read_at_once_lose_no_text(quick_switches: None) -> None:
    public = PublicTexts()
    added = [f"Lists the orders of department number {number}." for number in range(400)]
    unknown = [f"Rosa Lund ordered number {number}." for number in range(400)]

    def work(number: int) -> None:
        for text in added[number::8]:
            public.add({"description": text, "examples": [text]})
            assert public.has(text)
            assert public.stretches(text)
        assert not any(map(public.has, unknown[number::8]))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))
    assert all(map(public.has, added))
