"""Small PDFs drawn with reportlab for the tests of the PDF reader."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from reportlab.lib.pagesizes import A4  # type: ignore[import-untyped]
from reportlab.lib.pdfencrypt import StandardEncryption  # type: ignore[import-untyped]
from reportlab.pdfbase import pdfmetrics  # type: ignore[import-untyped]
from reportlab.pdfbase.cidfonts import UnicodeCIDFont  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

WIDTH, HEIGHT = A4


def _draw(paint: Callable[[Any], None], **options: Any) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1, **options)
    paint(canvas)
    canvas.save()
    return out.getvalue()


def _lines(c: Any, x: float, y: float, lines: list[str], font: str = "Helvetica") -> float:
    c.setFont(font, 10)
    for line in lines:
        c.drawString(x, y, line)
        y -= 13
    return y


def _filler(word: str, count: int) -> list[str]:
    return [
        f"Every {word} of the harbour is checked at least once in month {i + 1}"
        for i in range(count)
    ]


def two_columns() -> bytes:
    """A sentence runs from the left column into the right one."""

    def paint(c: Any) -> None:
        left = [
            "This is left one and it goes on for the whole of the",
            *_narrow(18),
            "and here left two stops without any mark because the",
        ]
        right = [
            "text of right one takes it up and closes it at last.",
            *_narrow(18),
            "At the very end stands right two.",
        ]
        _lines(c, 50, 760, left)
        _lines(c, 310, 760, right)
        c.showPage()

    return _draw(paint)


def _narrow(count: int) -> list[str]:
    return [f"column with plain words for the line number {i + 10} or" for i in range(count)]


def with_table_and_figure() -> bytes:
    """A ruled table with its caption above and a picture with its caption below."""

    def paint(c: Any) -> None:
        y = _lines(c, 60, 780, _filler("crane", 6)) - 20
        c.setFont("Helvetica", 9)
        c.drawString(60, y, "Table 1: Lifting capacity")
        rows = [
            ("Crane", "Reach (m)", "Load (t)"),
            ("South", "28", "22"),
            ("North", "32", "18"),
            ("Quay", "40", "12"),
        ]
        top = y - 8
        for r, row in enumerate(rows):
            c.setFont("Helvetica-Bold" if r == 0 else "Helvetica", 9)
            for k, cell in enumerate(row):
                c.drawString(65 + 100 * k, top - 13 - 18 * r, cell)
        c.grid([60, 160, 260, 360], [top - 18 * r for r in range(5)])
        y = _lines(c, 60, top - 110, _filler("hoist", 5))
        c.drawImage(_picture(), 100, y - 170, 300, 150)
        c.setFont("Helvetica", 9)
        c.drawString(100, y - 185, "Figure 1: The quay from above")
        _lines(c, 60, y - 220, _filler("winch", 5))
        c.showPage()

    return _draw(paint)


def _picture() -> Any:
    from PIL import Image
    from reportlab.lib.utils import ImageReader  # type: ignore[import-untyped]

    image = Image.new("RGB", (60, 30), "white")
    for x in range(60):
        for y in range(30):
            image.putpixel((x, y), (4 * x, 8 * y, (x * y) % 256))
    return ImageReader(image)


def zh_rules() -> bytes:
    """Chapters, a section and articles in Chinese, set in a font that is not embedded."""

    def paint(c: Any) -> None:
        pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
        spots = [
            (18, 230, 780, "员工考勤管理办法"),
            (14, 60, 740, "第一章 总则"),
            (12, 60, 715, "第一节 范围"),
            (
                10,
                60,
                690,
                "第一条 为了规范考勤工作，维护正常的生产和经营秩序，制定本办法。公司全体员工应当",
            ),
            (10, 60, 675, "按照规定的时间上下班，不得迟到、早退。"),
            (
                10,
                60,
                660,
                "第二条 本办法适用于公司的全部部门，劳务派遣人员参照执行，另有约定的除外。",
            ),
            (14, 60, 625, "第二章 请假"),
            (
                10,
                60,
                600,
                "第三条 员工请假应当提前两天提出书面申请，经部门负责人批准以后才可以离开岗位。",
            ),
        ]
        for size, x, y, text in spots:
            c.setFont("STSong-Light", size)
            c.drawString(x, y, text)
        c.showPage()

    return _draw(paint)


def multi_page_report() -> bytes:
    """Four pages with a running head, page numbers and three levels of headings."""

    def paint(c: Any) -> None:
        for page in range(1, 5):
            c.setFont("Helvetica", 8)
            c.drawString(60, 815, "Harbour Board")
            c.drawCentredString(WIDTH / 2, 25, str(page))
            y = 770.0
            if page == 1:
                y = _head(c, y, 22, "Report on Harbour Cranes")
                y = _head(c, y, 15, "1 Scope")
                y = _lines(c, 60, y, [*_filler("crane", 8), "and that is all."]) - 20
                y = _head(c, y, 12, "1.1 Terms")
                y = _lines(c, 60, y, ["The hook block is the lowest part."])
                _lines(
                    c,
                    60,
                    90,
                    [
                        "This sentence begins on the first page and because of its length it",
                        "goes on with a good many more words than would have been needed",
                    ],
                )
            elif page == 2:
                y = _lines(c, 60, y, ["so that it ends on the second page."]) - 20
                y = _head(c, y, 15, "2 Results")
                _lines(c, 60, y, [*_filler("result", 9), "without fault."])
            else:
                _lines(c, 60, y, [*_filler(f"number {page}", 20), "in all."])
            c.showPage()

    return _draw(paint)


def _head(c: Any, y: float, size: int, text: str) -> float:
    c.setFont("Helvetica-Bold", size)
    c.drawString(60, y, text)
    return y - size - 12


CONTENTS = ["1 Scope", "1.1 Terms", "2 Care of the cranes", "2.1 Oil", "2.2 Ropes", "3 Records"]


def contents_page() -> bytes:
    """A contents page with leader dots that begin at the same place in each group of entries."""

    def paint(c: Any) -> None:
        y = _head(c, 780, 17, "Contents")
        for number, title in enumerate(CONTENTS):
            y -= 14 + 12 * ("." not in title)
            c.setFont("Helvetica" if "." in title else "Helvetica-Bold", 10)
            c.drawString(60 + 14 * ("." in title), y, title)
            c.drawString(250, y, ". " * 40)
            c.drawRightString(520, y, f"{number + 3}")
        c.showPage()
        _lines(c, 60, 700, [*_filler("crane", 9), "and that is all."])
        c.showPage()

    return _draw(paint)


def hyphens() -> bytes:
    """One word broken at a line end that stands whole elsewhere, one with a hyphen of its own."""

    def paint(c: Any) -> None:
        lines = [
            "All plants need maintenance in spring, and so it is the main-",
            "tenance crews that come first. Each of them brings a new wire-",
            "rope for the hoist; a wire may be long, a rope may be short.",
        ]
        _lines(c, 60, 700, lines)
        c.showPage()

    return _draw(paint)


def rotated(turn: int = 90) -> bytes:
    """One line; with ``/Rotate`` the text is drawn so that it reads upright when displayed."""

    def paint(c: Any) -> None:
        if turn:
            c.setPageRotation(turn)
            c.translate(WIDTH, 0)
            c.rotate(90)
            _lines(c, 60, WIDTH - 60, ["Near the top left corner."])
        else:
            _lines(c, 60, HEIGHT - 60, ["Near the top left corner."])
        c.showPage()

    return _draw(paint)


def labelled(blank: bool = False) -> bytes:
    """Pages i, ii, 1 with bookmarks of two depths; on demand a fourth page without text."""

    def paint(c: Any) -> None:
        heads = [("Sluices", 0), ("Gate drives", 1), ("The third page", 0)]
        c.addPageLabel(0, style="ROMAN_LOWER")
        c.addPageLabel(2, style="ARABIC")
        for number, (head, depth) in enumerate(heads):
            c.bookmarkPage(f"p{number}")
            c.addOutlineEntry(head, f"p{number}", depth)
            y = _head(c, 760, 13, head)
            _lines(c, 60, y, [*_filler(head.lower(), 12), "at the latest."])
            c.showPage()
        if blank:
            c.rect(100, 100, 50, 50)
            c.showPage()

    return _draw(paint)


def pictures_only() -> bytes:
    """A page with a picture and no text."""

    def paint(c: Any) -> None:
        c.drawImage(_picture(), 0, 0, WIDTH, HEIGHT)
        c.showPage()

    return _draw(paint)


def encrypted(password: str) -> bytes:
    """One sentence behind a password."""

    def paint(c: Any) -> None:
        _lines(c, 60, 700, ["A sentence behind a door."])
        c.showPage()

    return _draw(paint, encrypt=StandardEncryption(password, strength=128))


def endless_outline(link: str, to: int) -> bytes:
    """:func:`labelled`, whose last bookmark has the first one (0) or itself (1) as its *link*."""
    import pypdf
    from pypdf.generic import NameObject

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(labelled()))
    outlines: Any = writer.root_object["/Outlines"]
    marks = [outlines["/First"].indirect_reference, outlines["/Last"].indirect_reference]
    marks[1].get_object()[NameObject(link)] = marks[to]
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()
