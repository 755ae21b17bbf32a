"""Descriptions of figures in tagged PDF."""

from __future__ import annotations

import pytest

from chapterverse.ingest.pdf import read_pdf
from chapterverse.schema.records import Asset, AssetKind
from tests.ingest.tagged_pdf import assembled

ALT = "A crane lifts a crate over the quay"
SHADES = "".join(f"{(7 * i) % 256:02x}" for i in range(3 * 20 * 10))


def _page(alt: str, box: str = "", caption: bool = False, rotate: int = 0) -> bytes:
    """A page with one picture tagged as a figure and a paragraph below it."""
    picture = "/Figure << /MCID 0 >> BDC q 300 0 0 200 100 500 cm /Im Do Q EMC"
    name = " BT /F1 9 Tf 100 480 Td (Figure 1: The quay) Tj ET" if caption else ""
    text = "/P << /MCID 1 >> BDC BT /F1 10 Tf 60 400 Td (The crane is old.) Tj ET EMC"
    stream = f"{picture}{name}\n{text}"
    attributes = f"/A << /O /Layout /BBox [{box}] >>" if box else ""
    return assembled(
        {
            1: "<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >>"
            " /StructTreeRoot 3 0 R >>",
            2: "<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
            3: "<< /Type /StructTreeRoot /K [8 0 R 9 0 R]"
            " /ParentTree << /Nums [0 [8 0 R 9 0 R]] >> >>",
            4: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            5: f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Rotate {rotate} /Resources"
            " << /Font << /F1 4 0 R >> /XObject << /Im 7 0 R >> >> /Contents 6 0 R"
            " /StructParents 0 >>",
            6: f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
            7: "<< /Type /XObject /Subtype /Image /Width 20 /Height 10 /ColorSpace /DeviceRGB"
            f" /BitsPerComponent 8 /Filter /ASCIIHexDecode /Length {len(SHADES) + 1} >>\nstream\n"
            f"{SHADES}>\nendstream",
            8: f"<< /Type /StructElem /S /Figure /P 3 0 R /Pg 5 0 R /K 0 /Alt ({alt})"
            f" {attributes} >>",
            9: "<< /Type /StructElem /S /P /P 3 0 R /Pg 5 0 R /K 1 >>",
        }
    )


def _figure(data: bytes) -> Asset:
    return next(a for a in read_pdf(data).assets if a.kind is AssetKind.FIGURE)


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
@pytest.mark.parametrize("box", ["", "100 500 400 700"])
def test_the_description_of_a_figure_is_its_text(box: str, rotate: int) -> None:
    figure = _figure(_page(ALT, box, rotate=rotate))
    assert figure.text == ALT
    assert [(o.kind, o.start, o.end) for o in figure.origins] == [("alt", 0, len(ALT))]
    assert (figure.regions[0].start, figure.regions[0].end) == (0, len(ALT))


def test_a_description_stands_behind_the_caption() -> None:
    figure = _figure(_page(ALT, caption=True))
    assert (figure.caption, figure.text) == ("Figure 1: The quay", f"Figure 1: The quay\n{ALT}")
    assert [figure.text[o.start : o.end] for o in figure.origins] == [ALT]


@pytest.mark.parametrize(
    "alt", ["", "logo.png", r"C:\\\\pictures\\\\quay old.jpg", "cid:image001.png"]
)
def test_names_of_files_describe_nothing(alt: str) -> None:
    assert _figure(_page(alt)).text == ""


def test_a_description_of_another_place_is_left_out() -> None:
    assert _figure(_page(ALT, "100 100 200 200")).text == ""
