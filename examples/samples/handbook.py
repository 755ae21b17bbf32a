"""The Chinese sample: an employee handbook with chapters, tables and page labels i, ii, 1, 2."""

from __future__ import annotations

import re
from pathlib import Path

from reportlab.lib.colors import HexColor, white
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)
from reportlab.platypus.tableofcontents import TableOfContents
from samples.blocks import Block, read_blocks

__all__ = ["FontMissing", "write_handbook"]

TEXT = Path(__file__).with_name("handbook.txt")
FONT_FILES = (
    Path("/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf"),
    Path("/usr/share/fonts-droid-fallback/truetype/DroidSansFallback.ttf"),
)
FRONT_PAGES = 2
TITLE = "启源水务设备有限公司员工手册"
GREEN = HexColor("#1f5d4c")
PALE = HexColor("#eaf3ef")
GREY = HexColor("#5c6670")
MARGIN = 25 * mm
WIDTH = A4[0] - 2 * MARGIN

BODY = ParagraphStyle(
    "body",
    fontName="Han",
    fontSize=11,
    leading=19,
    spaceAfter=6,
    wordWrap="CJK",
    firstLineIndent=22,
)
CELL = ParagraphStyle("cell", BODY, fontSize=10, leading=14, spaceAfter=0, firstLineIndent=0)
HEAD = ParagraphStyle("head", CELL, textColor=white)
H1 = ParagraphStyle(
    "h1", BODY, fontSize=20, leading=28, textColor=GREEN, spaceAfter=10, firstLineIndent=0
)
H2 = ParagraphStyle(
    "h2", H1, fontSize=14, leading=20, spaceBefore=10, spaceAfter=6, keepWithNext=True
)
CAPTION = ParagraphStyle("caption", CELL, textColor=GREY, spaceBefore=4, spaceAfter=5)


class FontMissing(Exception):
    """No Chinese font was found; the message names the package."""


class Handbook(BaseDocTemplate):
    """Fills outline, contents and page labels."""

    def afterFlowable(self, flowable: Flowable) -> None:
        if not isinstance(flowable, Paragraph) or flowable.style.name not in ("h1", "h2"):
            return
        level = 0 if flowable.style.name == "h1" else 1
        text = flowable.getPlainText()
        key = f"s{self.seq.nextf('heading')}"
        self.canv.bookmarkPage(key)
        self.canv.addOutlineEntry(text, key, level, closed=False)
        entry = f'<font name="Han">{text}</font>'
        self.notify("TOCEntry", (level, entry, self.page - FRONT_PAGES, key))


def mixed(text: str) -> str:
    """Markup that sets ASCII runs in Helvetica: the Chinese font has no such letters."""
    return re.sub(r"[!-~](?:[ -~]*[!-~])?", r'<font name="Helvetica">\g<0></font>', text)


def register_font() -> None:
    """Make the font known as `Han`; only the glyphs used go into the file."""
    for path in FONT_FILES:
        if path.is_file():
            pdfmetrics.registerFont(TTFont("Han", str(path)))
            return
    raise FontMissing(
        f"no Chinese font at {' or '.join(map(str, FONT_FILES))}; "
        "on Debian and Ubuntu: apt install fonts-droid-fallback"
    )


def cover(canvas: Canvas, _: BaseDocTemplate) -> None:
    """Draw the front page and say how pages are numbered."""
    canvas.addPageLabel(0, style="ROMAN_LOWER")
    canvas.addPageLabel(FRONT_PAGES, style="ARABIC", start=1)
    canvas.setFillColor(GREEN)
    canvas.rect(0, A4[1] - 12 * mm, A4[0], 12 * mm, stroke=0, fill=1)
    canvas.setFont("Han", 18)
    canvas.drawCentredString(A4[0] / 2, A4[1] - 85 * mm, "启源水务设备有限公司")
    canvas.setFont("Han", 34)
    canvas.drawCentredString(A4[0] / 2, A4[1] - 105 * mm, "员 工 手 册")
    canvas.setFillColor(GREY)
    canvas.setFont("Helvetica", 11)
    canvas.drawCentredString(A4[0] / 2, 62 * mm, "QY-HR-2025-01")
    canvas.setFont("Han", 11)
    canvas.drawCentredString(A4[0] / 2, 54 * mm, "人力资源部")


def furniture(canvas: Canvas, doc: BaseDocTemplate) -> None:
    """Draw running head and printed page number."""
    canvas.setFillColor(GREY)
    canvas.setFont("Han", 9)
    canvas.drawString(MARGIN, A4[1] - 15 * mm, TITLE)
    canvas.setStrokeColor(GREY)
    canvas.setLineWidth(0.4)
    canvas.line(MARGIN, A4[1] - 17 * mm, A4[0] - MARGIN, A4[1] - 17 * mm)
    canvas.setFont("Helvetica", 9)
    number = "ii" if doc.page <= FRONT_PAGES else str(doc.page - FRONT_PAGES)
    canvas.drawCentredString(A4[0] / 2, 13 * mm, number)


def ruled(caption: str, rows: tuple[tuple[str, ...], ...]) -> list[Flowable]:
    """A caption and a table with all rules drawn."""
    cells = [
        [Paragraph(mixed(cell), HEAD if n == 0 else CELL) for cell in row]
        for n, row in enumerate(rows)
    ]
    style = [
        ("GRID", (0, 0), (-1, -1), 0.5, GREY),
        ("BACKGROUND", (0, 0), (-1, 0), GREEN),
        ("ROWBACKGROUNDS", (0, 1), (-1, -1), [white, PALE]),
        ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
        ("TOPPADDING", (0, 0), (-1, -1), 5),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 6),
    ]
    first = WIDTH * 0.37
    others = (WIDTH - first) / (len(rows[0]) - 1)
    widths = [first] + [others] * (len(rows[0]) - 1)
    table = Table(cells, colWidths=widths, style=TableStyle(style), spaceAfter=10)
    return [Paragraph(caption, CAPTION), table]


def flowables(block: Block) -> list[Flowable]:
    """One block of the text as it is laid out; a chapter starts on a new page."""
    if block.kind == "h1":
        return [PageBreak(), Paragraph(block.text, H1)]
    if block.kind == "h2":
        return [Paragraph(block.text, H2)]
    if block.kind == "table":
        return ruled(block.text, block.rows)
    return [Paragraph(mixed(block.text), BODY)]


def write_handbook(path: Path) -> None:
    """Write the handbook; the same bytes every time.

    :raises FontMissing: the Chinese font is not installed.
    """
    register_font()
    doc = Handbook(
        str(path), pagesize=A4, invariant=1, title=TITLE, author="人力资源部", lang="zh-CN"
    )
    frame = Frame(MARGIN, 22 * mm, WIDTH, A4[1] - 46 * mm, 0, 0, 0, 0)
    doc.addPageTemplates(
        [
            PageTemplate("cover", [frame], onPage=cover),
            PageTemplate("plain", [frame], onPage=furniture),
        ]
    )
    contents = TableOfContents()
    # Dots and page numbers are set in the style's font, and the Chinese one has no such letters.
    contents.levelStyles = [
        ParagraphStyle("toc1", fontName="Helvetica", fontSize=11, leading=19, spaceBefore=6),
        ParagraphStyle("toc2", fontName="Helvetica", fontSize=11, leading=19, leftIndent=22),
    ]
    contents.dotsMinLevel = 0
    flow: list[Flowable] = [
        Spacer(1, 1),
        NextPageTemplate("plain"),
        PageBreak(),
        Paragraph("目录", ParagraphStyle("contents", H1)),
        contents,
    ]
    for block in read_blocks(TEXT):
        flow.extend(flowables(block))
    doc.multiBuild(flow)
