"""The English sample: an equipment manual with outline, columns, tables and a figure."""

from __future__ import annotations

from pathlib import Path

from reportlab.graphics.shapes import Circle, Drawing, Line, Polygon, Rect, String
from reportlab.lib.colors import HexColor, white
from reportlab.lib.enums import TA_CENTER
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    KeepTogether,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)
from reportlab.platypus.tableofcontents import TableOfContents
from samples import manual_text as words

__all__ = ["write_manual"]

BLUE = HexColor("#17456b")
PALE = HexColor("#e8f0f6")
GREY = HexColor("#5c6670")
MARGIN = 22 * mm
WIDTH = A4[0] - 2 * MARGIN

BODY = ParagraphStyle("body", fontName="Helvetica", fontSize=10.5, leading=15.5, spaceAfter=7)
SMALL = ParagraphStyle("small", BODY, fontSize=9.5, leading=13, spaceAfter=0)
HEAD = ParagraphStyle("head", SMALL, fontName="Helvetica-Bold", textColor=white)
H1 = ParagraphStyle(
    "h1", fontName="Helvetica-Bold", fontSize=17, leading=22, textColor=BLUE, spaceAfter=8
)
H2 = ParagraphStyle(
    "h2", H1, fontSize=12, leading=16, spaceBefore=8, spaceAfter=4, keepWithNext=True
)
CAPTION = ParagraphStyle("caption", BODY, fontName="Helvetica-Oblique", fontSize=9, textColor=GREY)
FIGURE_CAPTION = ParagraphStyle("figure", CAPTION, alignment=TA_CENTER, spaceBefore=4)
ITEM = ParagraphStyle("item", BODY, leftIndent=14, bulletIndent=2, spaceAfter=4)


class Manual(BaseDocTemplate):
    """Puts every heading into the outline and the table of contents."""

    def afterFlowable(self, flowable: Flowable) -> None:
        if not isinstance(flowable, Paragraph) or flowable.style.name not in ("h1", "h2"):
            return
        level = 0 if flowable.style.name == "h1" else 1
        text = flowable.getPlainText()
        key = f"s{self.seq.nextf('heading')}"
        self.canv.bookmarkPage(key)
        self.canv.addOutlineEntry(text, key, level, closed=False)
        self.notify("TOCEntry", (level, text, self.page, key))


def cover(canvas: Canvas, _: BaseDocTemplate) -> None:
    """Draw the front page."""
    canvas.setFillColor(BLUE)
    canvas.rect(0, A4[1] - 120 * mm, A4[0], 120 * mm, stroke=0, fill=1)
    canvas.setFillColor(white)
    canvas.setFont("Helvetica-Bold", 34)
    canvas.drawString(MARGIN, A4[1] - 70 * mm, "AquaLift P-200")
    canvas.setFont("Helvetica", 17)
    canvas.drawString(MARGIN, A4[1] - 83 * mm, "Operation and Maintenance Manual")
    canvas.setFillColor(GREY)
    canvas.setFont("Helvetica", 11)
    for step, line in enumerate(
        ("Document AL-200-OM-03", "Third edition, March 2025", "Norbeck Pumps Ltd.")
    ):
        canvas.drawString(MARGIN, 60 * mm - step * 7 * mm, line)


def furniture(canvas: Canvas, doc: BaseDocTemplate) -> None:
    """Draw running head and page number."""
    canvas.setFont("Helvetica", 8.5)
    canvas.setFillColor(GREY)
    canvas.drawString(MARGIN, A4[1] - 14 * mm, "AquaLift P-200 Operation and Maintenance Manual")
    canvas.drawRightString(A4[0] - MARGIN, A4[1] - 14 * mm, "AL-200-OM-03")
    canvas.setStrokeColor(GREY)
    canvas.setLineWidth(0.4)
    canvas.line(MARGIN, A4[1] - 16 * mm, A4[0] - MARGIN, A4[1] - 16 * mm)
    canvas.drawCentredString(A4[0] / 2, 12 * mm, str(doc.page))


def ruled(rows: list[tuple[str, ...]], widths: list[float]) -> Table:
    """A table with all rules drawn and a header row that repeats."""
    cells = [
        [Paragraph(cell, HEAD if n == 0 else SMALL) for cell in row] for n, row in enumerate(rows)
    ]
    return Table(
        cells,
        colWidths=[WIDTH * part for part in widths],
        repeatRows=1,
        style=TableStyle(
            [
                ("GRID", (0, 0), (-1, -1), 0.5, GREY),
                ("BACKGROUND", (0, 0), (-1, 0), BLUE),
                ("ROWBACKGROUNDS", (0, 1), (-1, -1), [white, PALE]),
                ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
                ("TOPPADDING", (0, 0), (-1, -1), 5),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 5),
            ]
        ),
        spaceAfter=10,
    )


def installation_drawing() -> Drawing:
    """Pump between two valves, with labels inside the picture."""
    drawing = Drawing(WIDTH, 165)
    drawing.add(Rect(10, 8, 60, 92, fillColor=PALE, strokeColor=BLUE))
    drawing.add(String(20, 48, "Break tank", fontSize=8, fillColor=BLUE))
    drawing.add(Line(70, 40, 215, 40, strokeColor=BLUE, strokeWidth=5))
    drawing.add(Circle(240, 52, 30, fillColor=PALE, strokeColor=BLUE, strokeWidth=2))
    drawing.add(String(225, 49, "P-200", fontSize=10, fillColor=BLUE))
    drawing.add(Line(240, 82, 240, 130, strokeColor=BLUE, strokeWidth=5))
    drawing.add(Line(238, 130, 430, 130, strokeColor=BLUE, strokeWidth=5))
    for x, y, name in ((130, 40, "V1 suction valve"), (330, 130, "V2 discharge valve")):
        drawing.add(
            Polygon(
                [x - 12, y - 9, x - 12, y + 9, x + 12, y - 9, x + 12, y + 9],
                fillColor=white,
                strokeColor=BLUE,
            )
        )
        drawing.add(String(x - 32, y + 14, name, fontSize=8, fillColor=BLUE))
    drawing.add(Rect(272, 30, 70, 44, fillColor=white, strokeColor=BLUE, strokeWidth=2))
    drawing.add(String(292, 49, "Motor", fontSize=9, fillColor=BLUE))
    drawing.add(Circle(400, 146, 9, fillColor=white, strokeColor=BLUE))
    drawing.add(String(396, 143, "P", fontSize=8, fillColor=BLUE))
    drawing.add(String(362, 110, "Pressure sensor B1", fontSize=8, fillColor=BLUE))
    drawing.add(String(205, 8, "Foundation, 200 mm concrete", fontSize=8, fillColor=GREY))
    drawing.add(Line(200, 20, 350, 20, strokeColor=GREY, strokeWidth=1.5))
    drawing.hAlign = "CENTER"
    return drawing


def bullets(items: list[str]) -> list[Flowable]:
    """A list marked with bullets."""
    return [Paragraph(item, ITEM, bulletText="•") for item in items]


def sections(parts: list[tuple[str, list[str]]]) -> list[Flowable]:
    """Second-level sections."""
    flow: list[Flowable] = []
    for heading, paragraphs in parts:
        flow.append(Paragraph(heading, H2))
        flow.extend(Paragraph(text, BODY) for text in paragraphs)
    return flow


def front() -> list[Flowable]:
    """Cover, contents, chapters 1 and 2."""
    contents = TableOfContents()
    contents.levelStyles = [
        ParagraphStyle("toc1", BODY, fontName="Helvetica-Bold", spaceBefore=6, spaceAfter=1),
        ParagraphStyle("toc2", BODY, leftIndent=14, spaceAfter=0),
    ]
    contents.dotsMinLevel = 0
    return [
        NextPageTemplate("plain"),
        PageBreak(),
        Paragraph("Contents", ParagraphStyle("contents", H1)),
        contents,
        PageBreak(),
        Paragraph("1 About this manual", H1),
        *(Paragraph(text, BODY) for text in words.SCOPE),
        Spacer(1, 10),
        Paragraph("2 Safety", H1),
        Paragraph("2.1 Rules for every task", H2),
        *bullets(words.SAFETY),
        Paragraph("2.2 Electrical work", H2),
        Paragraph(
            "Only a qualified electrician may open the terminal box. The protective conductor is "
            "connected first and removed last. The residual current device must be of type B, "
            "30 mA, because the drive can produce a smooth direct fault current.",
            BODY,
        ),
    ]


def technical() -> list[Flowable]:
    """Chapter 3."""
    return [
        PageBreak(),
        Paragraph("3 Technical data", H1),
        Paragraph("3.1 Specifications", H2),
        Paragraph("Table 1: Specifications of the AquaLift P-200 by motor size", CAPTION),
        ruled(words.SPECIFICATIONS, [0.40, 0.22, 0.22, 0.16]),
        Paragraph("3.2 Permitted conditions", H2),
        Paragraph(
            "The pump is made for clean water and water-glycol mixtures up to 40 % glycol. The "
            "temperature of the liquid may lie between 0 °C and 90 °C and that of the surrounding "
            "air between 5 °C and 40 °C. Above 1,000 m of altitude the motor loses 1 % of its "
            "power for each 100 m.",
            BODY,
        ),
    ]


def installation() -> list[Flowable]:
    """Chapter 4."""
    return [
        PageBreak(),
        Paragraph("4 Installation", H1),
        Paragraph("4.1 Place and foundation", H2),
        Paragraph(
            "Set the pump on a level concrete foundation at least 200 mm thick. Leave 500 mm free "
            "around the motor so that air can reach the fan and the motor can be drawn back.",
            BODY,
        ),
        Paragraph("4.2 Pipework", H2),
        Paragraph(
            "Figure 1 shows the usual arrangement. The suction pipe rises steadily towards the "
            "pump; any high point collects air. Support both pipes so that their weight does not "
            "rest on the flanges. Fit valve V1 before the pump and valve V2 after it, and the "
            "pressure sensor B1 at least 300 mm behind V2.",
            BODY,
        ),
        KeepTogether(
            [
                Spacer(1, 6),
                installation_drawing(),
                Paragraph(
                    "Figure 1: Arrangement of pump, valves and pressure sensor", FIGURE_CAPTION
                ),
            ]
        ),
        Paragraph("4.3 Electrical connection", H2),
        Paragraph(
            "Use copper cable of 4 × 4 mm² up to a length of 50 m and 4 × 6 mm² beyond that. Set "
            "the motor protection switch to the rated current in Table 1, not to the value of the "
            "fuse. The screen of the sensor cable is earthed at the drive only.",
            BODY,
        ),
    ]


def upkeep() -> list[Flowable]:
    """Chapters 6 to 9."""
    flow: list[Flowable] = [
        NextPageTemplate("plain"),
        PageBreak(),
        Paragraph("6 Maintenance", H1),
        Paragraph("Table 2: Maintenance intervals", CAPTION),
        ruled(words.INTERVALS, [0.29, 0.31, 0.28, 0.12]),
    ]
    flow += sections([(heading, [text]) for heading, text in words.MAINTENANCE])
    flow += [
        PageBreak(),
        Paragraph("7 Troubleshooting", H1),
        Paragraph(
            "The controller shows a code and keeps the last 20 of them with their times. Remove "
            "the cause first; then hold ENTER for two seconds to clear the code.",
            BODY,
        ),
        Paragraph("Table 3: Fault codes", CAPTION),
        ruled(words.TROUBLES, [0.10, 0.28, 0.28, 0.34]),
        PageBreak(),
        Paragraph("8 Spare parts", H1),
        Paragraph(
            "Order parts by their code and state the serial number of the pump. Parts on the list "
            "leave the factory within two working days.",
            BODY,
        ),
        Paragraph("Table 4: Spare parts", CAPTION),
        ruled(words.SPARES, [0.17, 0.45, 0.14, 0.24]),
        Spacer(1, 10),
        Paragraph("9 Storage and disposal", H1),
        *(Paragraph(text, BODY) for text in words.STORAGE),
    ]
    return flow


def write_manual(path: Path) -> None:
    """Write the manual; the same bytes every time."""
    doc = Manual(
        str(path),
        pagesize=A4,
        invariant=1,
        title="AquaLift P-200 Operation and Maintenance Manual",
        author="Norbeck Pumps Ltd.",
        subject="AL-200-OM-03",
        lang="en",
    )
    bottom, height, gap = 20 * mm, A4[1] - 42 * mm, 8 * mm
    column = (WIDTH - gap) / 2
    full = Frame(MARGIN, bottom, WIDTH, height, 0, 0, 0, 0)
    halves = [
        Frame(MARGIN + shift, bottom, column, height, 0, 0, 0, 0) for shift in (0, column + gap)
    ]
    doc.addPageTemplates(
        [
            PageTemplate("cover", [full], onPage=cover),
            PageTemplate("plain", [full], onPage=furniture),
            PageTemplate("columns", halves, onPage=furniture),
        ]
    )
    operation: list[Flowable] = [
        NextPageTemplate("columns"),
        PageBreak(),
        Paragraph("5 Operation", H1),
        *sections(words.OPERATION),
        *sections(words.CONTROLS),
    ]
    doc.multiBuild([Spacer(1, 1), *front(), *technical(), *installation(), *operation, *upkeep()])
