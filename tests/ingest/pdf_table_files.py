"""Small PDFs with tables and figures, drawn with reportlab."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

from reportlab.lib.pagesizes import A4  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

WIDTH, HEIGHT = A4


def draw(*pages: Callable[[Any], None]) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1)
    for paint in pages:
        paint(canvas)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def text(c: Any, x: float, y: float, *lines: str, font: str = "Helvetica", size: int = 9) -> float:
    c.setFont(font, size)
    for line in lines:
        c.drawString(x, y, line)
        y -= 1.3 * size
    return y


def prose(count: int) -> list[str]:
    words = "The dock master walks along the quay and looks at every rope and every ring of it"
    return [f"{words}, {number + 1} in all," for number in range(count)]


def right(c: Any, x: float, y: float, value: str) -> None:
    if value.startswith("$"):
        c.drawString(x - 52, y, "$")
        value = value[1:]
    c.drawRightString(x, y, value)


def merged_grid(c: Any) -> None:
    """A ruled table: a head over two columns, a name over two rows, a cell of two lines."""
    text(c, 60, 780, *prose(4))
    xs, ys = [60, 160, 260, 360, 460], [700, 680, 660, 640, 610, 590]
    for y in (700, 660, 610, 590):
        c.line(60, y, 460, y)
    c.line(160, 680, 360, 680)
    c.line(160, 640, 460, 640)
    for x in (60, 160, 360, 460):
        c.line(x, 700, x, 590)
    c.line(260, 680, 260, 590)
    cells = [
        (0, 0, "Dock"),
        (1, 0, "Depth (m)"),
        (3, 0, "Remarks"),
        (1, 1, "Low tide"),
        (2, 1, "High tide"),
        (0, 2, "East"),
        (1, 2, "4.1"),
        (2, 2, "9.7"),
        (3, 2, "-"),
        (1, 3, "4.3"),
        (2, 3, "9.9"),
        (3, 3, "Mud is dredged"),
        (0, 4, "West"),
        (1, 4, "3.8"),
        (2, 4, "9.2"),
        (3, 4, "Sand"),
    ]
    for column, row, value in cells:
        text(c, xs[column] + 4, ys[row] - 13, value)
    text(c, 364, 616, "every spring")


STATEMENT = [
    ("Berth fees", "$1,210", "$1,105"),
    ("Crane hire:", "", ""),
    ("By the hour", "340", "298"),
    ("By the day", "(75)", "61"),
    ("Total", "$1,475", "$1,464"),
]


def statement(
    c: Any, top: float = 700, head: str = "YEAR ENDED JUNE 30,", left: float = 60
) -> None:
    """Figures in columns without lines between them; a ruled head over both years."""
    c.setFont("Helvetica-Bold", 9)
    c.drawCentredString(left + 320, top, head)
    c.line(left + 240, top - 4, left + 400, top - 4)
    text(c, left, top - 16, "(in thousands)")
    right(c, left + 300, top - 16, "2023")
    right(c, left + 390, top - 16, "2022")
    for index, (name, *values) in enumerate(STATEMENT):
        y = top - 32 - 14 * index
        text(c, left + 8 * name.startswith("By"), y, name)
        for k, value in enumerate(values):
            right(c, left + 300 + 90 * k, y, value)


def statements(c: Any) -> None:
    """Two tables with the same heads, one right below the other."""
    text(c, 60, 780, *prose(4))
    statement(c, 700, "PORT OF LEITH")
    statement(c, 600, "PORT OF HULL")
    text(c, 60, 470, *prose(4))


def flow_chart(c: Any) -> None:
    """Boxes joined to a grid of odd shape, with a caption that says it is a figure."""
    y = text(c, 60, 780, *prose(4)) - 20
    c.rect(100, y - 120, 300, 120)
    c.line(100, y - 40, 400, y - 40)
    c.line(200, y - 40, 200, y - 120)
    c.line(200, y - 80, 400, y - 80)
    c.line(300, y - 80, 300, y - 120)
    for x, dy, word in ((220, 25, "Harbour"), (130, 80, "Gate"), (280, 65, "Quay")):
        text(c, x, y - dy, word)
    text(c, 220, y - 105, "Shed")
    text(c, 320, y - 105, "Crane")
    text(c, 140, y - 140, "Figure 3: Parts of the harbour")
    text(c, 60, y - 190, *prose(4))


def curves(c: Any) -> None:
    """A drawing of curves that has no caption."""
    text(c, 60, 780, *prose(4))
    for step in range(14):
        c.bezier(120, 500 + 9 * step, 220, 700, 320, 420 + 9 * step, 420, 560)
    text(c, 60, 380, *prose(4))


def with_logo(c: Any) -> None:
    """A wordless picture at the top of a page of text."""
    from PIL import Image
    from reportlab.lib.utils import ImageReader  # type: ignore[import-untyped]

    image = Image.new("RGB", (40, 40), (30, 90, 160))
    c.drawImage(ImageReader(image), 430, 740, 90, 70)
    text(c, 60, 700, *prose(6))


def index_page(c: Any) -> None:
    """Contents without leader dots: titles and rising page numbers."""
    text(c, 60, 780, "In this guide", font="Helvetica-Bold", size=12)
    titles = ["Mooring", "Lights", "Tides", "Weather", "Signals", "Customs"]
    for index, title in enumerate(titles):
        text(c, 60, 740 - 16 * index, title)
        c.drawRightString(500, 740 - 16 * index, str(3 + 4 * index))


def rows_of(table: Any) -> Sequence[Sequence[str]]:
    return [list(row) for row in table.rows]
