"""Small PDFs with tables, lists and listings that are easily read in the wrong order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reportlab.lib.pagesizes import A4  # type: ignore[import-untyped]
from reportlab.pdfbase import pdfmetrics  # type: ignore[import-untyped]
from reportlab.pdfbase.cidfonts import UnicodeCIDFont  # type: ignore[import-untyped]

from tests.ingest.pdf_table_files import prose, right, text

BERTHS = [
    ("Dock", "Q1", "Q2", "Q3"),
    ("North", "1,204", "1,310", "1,418"),
    ("South", "904", "1,010", "988"),
    ("East", "1,750", "1,620", "1,901"),
]
QUAY = (
    "The harbour lies where the river",
    "meets the sea, and its first quay",
    "was built of oak in the year that",
    "the old mole fell. Later keepers",
    "laid stone over it and carried it",
    "on to the lock, where the tugs now",
    "wait for the morning tide and the",
    "pilots keep their boats all year",
    "round. Nobody counts the ships that",
    "come in from the north for the day.",
)


def text_beside_a_table(c: Any) -> None:
    text(c, 60, 780, *prose(4))
    text(c, 60, 700, *QUAY, size=10)
    text(c, 320, 700, "Table 1. Ships in the harbour", font="Helvetica-Bold", size=10)
    text(c, 330, 685, "Year", font="Helvetica-Bold", size=10)
    text(c, 400, 685, "Number of ships", font="Helvetica-Bold", size=10)
    for row, (year, ships) in enumerate(
        [
            *(("1870", "130"), ("1880", "8,267"), ("1890", "14,096"), ("1900", "13,330")),
            *(("1910", "13,459"), ("1920", "13,237"), ("1930", "12,159"), ("1940", "9,982")),
        ]
    ):
        text(c, 330, 670 - 13 * row, year, size=10)
        text(c, 400, 670 - 13 * row, ships, size=10)
    text(c, 60, 560, *prose(4))


def three_rules(c: Any) -> None:
    """A Chinese table with three rules across and heads of two levels."""
    font = "STSong-Light"
    pdfmetrics.registerFont(UnicodeCIDFont(font))
    text(c, 70, 760, "本研究对三个城市的空气质量进行了连续两年的观测，结果见表3。", font=font)
    c.drawCentredString(300, 730, "表3　各城市年均浓度")
    for y in (720, 684, 630):
        c.line(90, y, 510, y)
    c.line(200, 702, 350, 702)
    c.line(360, 702, 510, 702)
    c.drawCentredString(275, 707, "2022年")
    c.drawCentredString(435, 707, "2023年")
    rows = [
        ("城市", "细颗粒物", "臭氧", "细颗粒物", "臭氧"),
        ("北京", "30", "171", "32", "175"),
        ("上海", "25", "164", "28", "160"),
        ("广州", "22", "179", "23", "159"),
    ]
    for row, cells in enumerate(rows):
        for x, cell in zip((100, 210, 300, 370, 460), cells, strict=True):
            c.drawString(x, 689 - 18 * row, cell)
    text(c, 70, 600, "由表可见，各城市的主要污染物并不相同。", font=font)


def _berths(c: Any, left: float, top: float) -> None:
    text(c, left, top + 20, "Table 4: Berths by quarter")
    for row, (name, *values) in enumerate(BERTHS):
        text(c, left, top - 16 * row, name)
        for column, value in enumerate(values):
            right(c, left + 180 + 100 * column, top - 16 * row, value)


def turned_page(c: Any) -> None:
    """A page stored upright and shown turned, its table upright when shown."""
    c.setPageRotation(90)
    c.translate(A4[0], 0)
    c.rotate(90)
    text(c, 70, 520, *prose(3))
    _berths(c, 70, 440)


def turned_content(turn: int) -> Callable[[Any], None]:
    """A painter of a table that appears turned clockwise by *turn* degrees, under a page head."""

    def paint(c: Any) -> None:
        text(c, 60, 800, "A page head")
        c.translate(*{0: (0, 0), 90: (0, A4[0]), 180: A4, 270: (A4[0], 0)}[turn])
        c.rotate(-turn)
        text(c, 70, 300, *prose(2))
        _berths(c, 70, 240)

    return paint


def long_table(c: Any) -> None:
    """A ruled table down to the foot of the page, with bold heads."""
    _ruled(c, 200, ["Valve", "Keeper"], [f"V{n}" for n in range(5)])


def rest_of_table(c: Any) -> None:
    """Its rows at the top of the next page, without heads."""
    _ruled(c, 780, [], [f"V{n}" for n in range(5, 8)])
    text(c, 60, 600, *prose(4))


def _ruled(c: Any, top: float, heads: list[str], names: list[str]) -> None:
    rows = [heads] if heads else []
    rows += [[name, f"Keeper of {name}"] for name in names]
    for index in range(len(rows) + 1):
        c.line(60, top - 18 * index, 360, top - 18 * index)
    for x in (60, 160, 360):
        c.line(x, top, x, top - 18 * len(rows))
    for index, row in enumerate(rows):
        font = "Helvetica-Bold" if heads and not index else "Helvetica"
        for x, cell in zip((65, 165), row, strict=True):
            text(c, x, top - 13 - 18 * index, cell, font=font)


def lists_side_by_side(c: Any) -> None:
    text(c, 60, 780, *prose(4))
    for left, names in ((60, ("Anchor", "Buoy", "Cable", "Dock")), (320, ("Eel", "Fish", "Gull"))):
        text(c, left, 700, *(f"{n}. {name} of the quay" for n, name in enumerate(names, 1)))


def answers_beside_questions(c: Any) -> None:
    """Questions of two lines with a word of answer right of the first."""
    for index, (question, answer) in enumerate([("crane", "Yes"), ("lock", "No"), ("mole", "Yes")]):
        y = 780 - 45 * index
        text(c, 60, y, f"{index + 1}. Does the {question} of the dock lift", "more than it did?")
        text(c, 320, y, answer)
    text(c, 60, 600, *prose(4))


def numbered_listing(c: Any) -> None:
    text(c, 60, 780, *prose(3))
    code = [
        "import harbour as hb",
        "quay = hb.load('north')",
        "for ship in quay.ships:",
        "  moor(ship)",
    ]
    for row, line in enumerate(code):
        text(c, 60, 720 - 11 * row, str(row + 1), size=5)
        text(c, 72, 720 - 11 * row, line, font="Courier", size=9)
    text(c, 60, 650, *prose(3))


def query(c: Any) -> None:
    """A statement of SQL in a font of text, its clauses in columns."""
    text(c, 60, 780, *prose(3))
    clauses = [("FROM", "ships"), ("WHERE", "dock = 'north'"), ("ORDER BY", "name;")]
    for row, (word, rest) in enumerate(clauses):
        text(c, 60, 720 - 12 * row, word)
        text(c, 130, 720 - 12 * row, rest)
    text(c, 60, 650, *prose(3))


def diagram_with_an_icon(picture: Any) -> Any:
    """A painter of boxes and arrows over a caption, with the small *picture* among them."""

    def paint(c: Any) -> None:
        text(c, 60, 780, *prose(4))
        c.drawImage(picture, 90, 600, 80, 60)
        for x in (70, 180, 290, 400):
            c.roundRect(x, 590, 100, 90, 6)
            c.circle(x + 50, 635, 18)
        text(c, 60, 570, "Figure 3: How a ship comes into the harbour")
        text(c, 60, 530, *prose(4))

    return paint


def ratings(c: Any) -> None:
    """Rows with one line down and lines under each, in the middle of a page of short lines."""
    text(c, 60, 780, "The Limes", font="Helvetica-Bold", size=16)
    text(c, 60, 740, "Ratings", font="Helvetica-Bold", size=12)
    for row, (name, rating) in enumerate(
        [("Is the dock safe?", "Good"), ("Is it well led?", "Poor"), ("Is it clean?", "Fair")]
    ):
        y = 700 - 30 * row
        text(c, 65, y, name)
        text(c, 305, y, rating)
        c.line(60, y - 12, 540, y - 12)
    c.line(300, 718, 300, 628)
    text(c, 60, 600, "Summary", font="Helvetica-Bold", size=12)
    text(c, 60, 580, *prose(4))
