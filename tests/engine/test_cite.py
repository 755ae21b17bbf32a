"""Citations: what is printed, what is linked, and what they point at."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chapterverse.engine.cite import citation, page_text
from chapterverse.schema.lookup import ChildRow, ParentRow
from chapterverse.schema.records import AssetKind, Box, LineRange, PageUnit, ParentKind, Region

REGION = Region(0, 4, 12, "10", Box(0.1, 0.2, 0.3, 0.4))
NOTE = Region(0, 4, 12, place="speaker notes")
PARENT = ParentRow(
    id=0xABC,
    ordinal=0,
    kind=ParentKind.SECTION,
    text="Intro. Oil. End.",
    heading_path=("3 Money",),
    segments=(),
    pages=(11, 12, 13),
    page_labels=(None, "12", "13"),
    revision_id=2,
    document_id=3,
    uri="file:///data/hand%20book.pdf",
    title="Handbook",
)
CHILD = ChildRow(
    id=7,
    parent_id=0xABC,
    ordinal=0,
    start=7,
    end=11,
    text="Oil.",
    kind=AssetKind.PARAGRAPH,
    heading_path=("3 Money", "3.2 Expenses"),
    regions=(REGION,),
    pages=(12,),
)


@pytest.mark.parametrize(
    ("pages", "labels", "text"),
    [
        ((), (), ""),
        ((12,), (None,), "p. 12"),
        ((12,), ("12",), "p. 12"),
        ((12,), ("x",), "p. 12 (printed x)"),
        ((12, 13), (None, None), "pp. 12–13"),
        ((12, 13), ("12", "13"), "pp. 12–13"),
        ((12, 13), ("12", None), "pp. 12–13"),
        ((12, 13), (None, "13"), "pp. 12–13"),
        ((12, 13), ("10", "11"), "pp. 12–13 (printed 10–11)"),
        ((12, 13), (None, "11"), "pp. 12–13 (printed 11)"),
        ((1, 2, 3), ("i", "ii", "1"), "pp. 1–3 (printed i–1)"),
    ],
)
def test_page_text(pages: tuple[int, ...], labels: tuple[str | None, ...], text: str) -> None:
    assert page_text(pages, labels) == text


def test_citation_of_a_child() -> None:
    cited = citation(PARENT, CHILD)
    assert cited.label == str(cited) == "hand book.pdf, p. 12, § 3.2 Expenses"
    assert cited.link == "file:///data/hand%20book.pdf#page=12"
    assert (cited.pages, cited.page_labels) == ((12,), ("12",))
    assert (cited.start, cited.end, cited.quote) == (7, 11, "Oil.")
    assert cited.regions == (REGION,)
    assert cited.parent_id == "0000000000000abc"
    assert PARENT.text[cited.start : cited.end] == cited.quote


def test_citation_of_a_whole_parent() -> None:
    cited = citation(PARENT, None)
    assert cited.label == "hand book.pdf, pp. 11–13, § 3 Money"
    assert cited.link.endswith("#page=11")
    assert (cited.start, cited.end, cited.quote) == (0, 16, PARENT.text)
    assert cited.regions == ()


def test_nothing_is_invented_without_pages_and_headings() -> None:
    parent = replace(PARENT, pages=(), page_labels=(), heading_path=())
    cited = citation(parent, replace(CHILD, pages=(), heading_path=(), regions=()))
    assert cited.label == "hand book.pdf"
    assert cited.link == PARENT.uri
    assert (cited.pages, cited.page_labels) == ((), ())


@pytest.mark.parametrize(
    ("heading", "shown"),
    [
        ("3.2 Expenses", "§ 3.2 Expenses"),
        ("3. Price", "§ 3. Price"),
        ("A.1 Tests", "§ A.1 Tests"),
        ("4) Use", "§ 4) Use"),
        ("Expenses", "Expenses"),
        ("A note", "A note"),
        ("3D printing", "3D printing"),
        ("第三章 费用报销", "第三章 费用报销"),
    ],
)
def test_numbered_headings_get_a_section_sign(heading: str, shown: str) -> None:
    assert citation(PARENT, replace(CHILD, heading_path=(heading,))).label.endswith(f", {shown}")


@pytest.mark.parametrize(("length", "kept"), [(300, 300), (301, 300), (5000, 300)])
def test_long_quotes_are_cut(length: int, kept: int) -> None:
    cited = citation(PARENT, replace(CHILD, text="x" * length))
    assert len(cited.quote) == kept
    assert cited.quote.endswith("…") is (length > kept)


@pytest.mark.parametrize(
    ("unit", "pages", "regions", "label"),
    [
        ("slide", (12,), (REGION,), "slide 12 (printed x)"),
        ("slide", (12, 13), (REGION,), "slides 12–13 (printed x)"),
        ("slide", (12,), (NOTE, NOTE), "slide 12 (printed x), speaker notes"),
        ("slide", (12,), (REGION, NOTE), "slide 12 (printed x)"),
        ("sheet", (12,), (replace(REGION, place="Sales!A5:F5"),), "Sales!A5:F5"),
        (
            "sheet",
            (12,),
            (replace(REGION, place="Sales!A5:F5"), replace(REGION, place="Sales!A6:F6")),
            "Sales!A5:F6",
        ),
        ("sheet", (12,), (REGION,), "sheet 12 (printed x)"),
        ("page", (), (Region(0, 4, lines=LineRange(3, 3)),), "line 3"),
        (
            "page",
            (),
            (Region(0, 2, lines=LineRange(3, 4)), Region(2, 4, lines=LineRange(6, 7))),
            "lines 3–7",
        ),
        ("page", (), (Region(0, 4, place="text/chapter-1.xhtml"),), ""),
    ],
)
def test_places_are_named_as_the_format_names_them(
    unit: PageUnit, pages: tuple[int, ...], regions: tuple[Region, ...], label: str
) -> None:
    parent = replace(PARENT, page_unit=unit, pages=pages, page_labels=("x",) * len(pages))
    cited = citation(parent, replace(CHILD, pages=pages, regions=regions))
    assert cited.label == ", ".join(
        part for part in ("hand book.pdf", label, "§ 3.2 Expenses") if part
    )


@pytest.mark.parametrize(
    ("places", "link"),
    [
        ((None, "#oil", "#water"), f"{PARENT.uri}#oil"),
        (("text/two.xhtml#oil",), PARENT.uri),
    ],
)
def test_a_web_page_opens_at_the_first_heading_with_an_id(
    places: tuple[str | None, ...], link: str
) -> None:
    regions = tuple(Region(0, 4, place=place) for place in places)
    parent = replace(PARENT, pages=(), page_labels=())
    assert citation(parent, replace(CHILD, pages=(), regions=regions)).link == link
