"""Pictures of presentations: kept, described, captioned, and counted where no figure shows them."""

from __future__ import annotations

from pptx.oxml import parse_xml
from pptx.util import Inches

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.pptx import read_pptx
from chapterverse.schema.records import AssetKind
from tests.ingest.pptx_files import (
    BLANK,
    A,
    P,
    box,
    codes,
    deck,
    kinds,
    only,
    parse,
    png,
    saved,
    slide,
)


def test_pictures_are_kept_with_their_descriptions() -> None:
    presentation = deck()
    page = slide(presentation, "T")
    picture = page.shapes.add_picture(png(), Inches(1), Inches(3), Inches(4), Inches(2))
    properties = next(picture._element.iter("{*}cNvPr"))
    properties.set("descr", "A blue lake\n\nDescription automatically generated")
    box(page, "Figure 3. The lake in May", 1, 5.2)
    kept: list[bytes] = []

    def keep(data: bytes) -> str:
        kept.append(data)
        return "f" * 64

    parsed = read_pptx(saved(presentation), ReadContext(keep=keep))
    figure = only(parsed, AssetKind.FIGURE)
    assert figure.text == "Figure 3. The lake in May\nA blue lake"
    assert figure.caption == "Figure 3. The lake in May"
    (origin,) = figure.origins
    assert origin.kind == "alt" and figure.text[origin.start : origin.end] == "A blue lake"
    assert figure.picture is not None
    assert (figure.picture.sha256, figure.picture.width, figure.picture.height) == (
        "f" * 64,
        40,
        20,
    )
    assert len(kept) == 1

    properties.set("descr", "C:\\pictures\\IMG_1.png")
    assert only(parse(presentation), AssetKind.FIGURE).origins == ()
    assert only(read_pptx(saved(presentation), ReadContext(max_pixels=10)),
                AssetKind.FIGURE).picture is None  # fmt: skip


def test_captions_go_to_the_picture_they_stand_under() -> None:
    presentation = deck()
    page = slide(presentation, None, BLANK)
    for left, name in ((1, "one"), (5, "two")):
        shape = page.shapes.add_picture(png(), Inches(left), Inches(2), Inches(3), Inches(2))
        next(shape._element.iter("{*}cNvPr")).set("descr", f"drawing {name}")
        box(page, f"Figure {left}: {name}", left, 4.2, 3)
    found = [(a.caption, a.text) for a in parse(presentation).assets]
    assert found == [
        ("Figure 1: one", "Figure 1: one\ndrawing one"),
        ("Figure 5: two", "Figure 5: two\ndrawing two"),
    ]


def test_a_logo_on_every_slide_is_kept_once() -> None:
    presentation = deck()
    for number in range(4):
        page = slide(presentation, f"T{number}")
        page.shapes.add_picture(png(), Inches(8), Inches(8), Inches(1), Inches(1))
    parsed = parse(presentation)
    assert [a.kind for a in parsed.assets].count(AssetKind.FIGURE) == 1
    assert [a.ordinal for a in parsed.assets] == list(range(5))
    (warning,) = parsed.warnings
    assert warning.code == "pictures_left_out"
    assert warning.message == "3 pictures are not shown: shown before, kept once (3)"


def test_pictures_that_are_not_shown_are_counted() -> None:
    presentation = deck()
    page = slide(presentation, "T")
    page.shapes.add_picture(png(), Inches(1), Inches(1), Inches(0.1), Inches(0.1))
    decoration = page.shapes.add_picture(png(), Inches(3), Inches(3), Inches(3), Inches(3))
    next(decoration._element.iter("{*}cNvPr")).append(
        parse_xml(
            '<adec:decorative xmlns:adec="http://schemas.microsoft.com/office/drawing/2017/'
            'decorative" val="1"/>'
        )
    )
    lost = page.shapes.add_picture(png(), Inches(6), Inches(6), Inches(3), Inches(3))
    next(lost._element.iter("{*}blip")).attrib.clear()
    fill = parse_xml(f"<a:blipFill {A}><a:blip/><a:stretch/></a:blipFill>")
    box(page, "on a picture", 1, 8)._element.spPr.append(fill)
    parsed = parse(presentation)
    assert kinds(parsed)[1:] == [("paragraph", "on a picture"), ("figure", "")]
    (warning,) = parsed.warnings
    assert warning.code == "pictures_left_out" and warning.page is None
    assert warning.message.startswith("4 pictures are not shown: ")
    for reason in ("description (1)", "decoration (1)", "unknown kind (1)", "backgrounds (1)"):
        assert reason in warning.message


def test_objects_of_unknown_kinds_are_said() -> None:
    presentation = deck()
    page = slide(presentation, "T")
    page.shapes._spTree.append(
        parse_xml(
            f'<p:graphicFrame {P} {A}><p:nvGraphicFramePr><p:cNvPr id="50" name="d"/>'
            "<p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x='0' y='0'/>"
            "<a:ext cx='100' cy='100'/></p:xfrm><a:graphic><a:graphicData uri='urn:model'/>"
            "</a:graphic></p:graphicFrame>"
        )
    )
    assert codes(parse(presentation)) == ["object_skipped"]
