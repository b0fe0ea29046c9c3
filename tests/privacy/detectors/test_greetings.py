"""Names in greetings, farewells and chats of nine languages, also in lower case."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.greetings import find_greeted_names, find_small_names


def found(text: str) -> list[str]:
    return [text[one.start : one.end] for find in (find_greeted_names, find_small_names) for one in find(text)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Kind regards\nOluwaseun Adeyemi", "Oluwaseun Adeyemi"),
        ("I will send it, thx, Beatrix", "Beatrix"),
        ("Mit freundlichen Grüßen\nJürgen Pfaff", "Jürgen Pfaff"),
        ("Viele Grüße aus Kiel,\nSönke Petersen", None),
        ("Cordialement,\nMathilde Garnier", "Mathilde Garnier"),
        ("Bien à vous,\nSolène Marchand", "Solène Marchand"),
        ("Saludos cordiales,\nItziar Mendoza", "Itziar Mendoza"),
        ("Pozdrawiam,\nAgnieszka Wrona", "Agnieszka Wrona"),
        ("Z poważaniem\nZbigniew Sikora", "Zbigniew Sikora"),
        ("Met vriendelijke groet,\nSanne de Wit", "Sanne de Wit"),
        ("Cordiali saluti,\nLudovica Ferri", "Ludovica Ferri"),
        ("Atenciosamente,\nThiago Rezende", "Thiago Rezende"),
        ("Med vänlig hälsning\nLinnea Sandberg", "Linnea Sandberg"),
        ("Sehr geehrter Herr Oberhauser,\nvielen Dank", "Oberhauser"),
        ("Szanowna Pani Kamińska,\ndziękujemy", "Kamińska"),
        ("Geachte mevrouw Van den Berg,\nuw bestelling", "Van den Berg"),
        ("Gentile dottoressa Bellini,\nla ringraziamo", "Bellini"),
        ("Hej Gustav!\nTack", "Gustav"),
        ("Dear Prof. Achterberg,\nthank you", "Achterberg"),
        ("hi jonas, the build is red", "jonas"),
        ("ok thanks, sophie", "sophie"),
        ("best,\ntyler", "tyler"),
        ("cc maria on this", "maria"),
        ("can you ask emily thornton about it?", "emily thornton"),
        ("i talked to kevin o'connor, he is fine", "kevin o'connor"),
    ],
)
def test_the_name_is_found(text: str, name: str | None) -> None:
    assert set(found(text)) == ({name} if name else set())


@pytest.mark.parametrize(
    "text",
    [
        "Guten Tag, wie geht es Ihnen? Bonjour, Hola a todos! Here's the plan. Dear Customer, Hi team, Hi all!",
        "Hello World! Best Practices, Thanks, Team. Guten Tag zusammen, Liebe Kunden,\nBeste Grüße\n\nSee you.",
        "use for min max value; thanks for the update; called from main loop; from pandas import series; by default",
        "Regards\n\nNext Steps\nDear Hiring Manager,\nHallo Welt! Thanks in advance.",
        "elif marker in names:\n    yield from values\nwith open as file",
        "Tak, Protože to jde. Att, Então seguimos. Ihr, Abschließend",
        "a rosa flower, alla kända, leda till kort, uma grande quantidade, zona dalla posizione",
        "Cara collega,\nQuerido cliente,\nGeachte klant,\nChers collègues,\nEstimados señores,",
        "path/emily/thornton emily@thornton rosa_lund rosa.lund=1 x.rosa lund()",
    ],
)
def test_teams_customers_headings_and_code_are_nobody(text: str) -> None:
    assert found(text) == []
