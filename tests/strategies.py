"""Hypothesis strategies: documents as readers hand them to the chunker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from chapterverse.schema.records import Asset, AssetKind, Box, LineRange, Parsed, Region, Table

__all__ = ["assets", "documents", "prose", "tables"]

_WORDS = st.sampled_from(
    [
        "a",
        "the",
        "pump.",
        "Dr.",
        "No.",
        "U.S.",
        "e.g.",
        "3.14",
        "v1.2.3",
        "(see",
        "Fig.",
        "3)",
        "GB/T",
        "pressure,",
        "valve;",
        "end?",
        "stop!",
        "...",
        "「是吗？」",
        "报销。",
        "需要在几天内提交？",
        "员工；",
        "手册……",
        "第一章",
        "，条款",
        "한국어",
        "ẹ́",
        "👨\u200d👩\u200d👧\u200d👦",
        "👍🏽",
        "🇨🇳🇩🇪",
        "\u200b",
        "------------------",
        "|",
    ]
)
_SPACES = st.sampled_from([" ", " ", " ", "", "\n", "\n\n", "\t", "\u3000", "\u00a0"])
_BODY = [
    AssetKind.PARAGRAPH,
    AssetKind.LIST_ITEM,
    AssetKind.CODE,
    AssetKind.FORMULA,
    AssetKind.FOOTNOTE,
    AssetKind.PAGE_HEADER,
    AssetKind.PAGE_FOOTER,
]


@st.composite
def prose(draw: st.DrawFn, most: int = 40) -> str:
    """Words of several scripts, stops, odd spaces; any characters at times; may be blank."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
    count = draw(st.integers(0, most))
    return "".join(draw(_WORDS) + draw(_SPACES) for _ in range(count))


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, str | None, Table | None]:
    """Text, caption and cells of a table, as the contract of ``Table`` asks; at times no cells."""
    caption = draw(st.none() | prose(6).map(lambda s: " ".join(s.split())).filter(bool))
    columns = draw(st.integers(1, 4))
    cell = prose(5).map(lambda s: " ".join(s.replace("|", "/").split()))
    rows = draw(st.lists(st.tuples(*[cell] * columns), min_size=1, max_size=12))
    text = f"{caption}\n" if caption else ""
    spans = []
    for row in rows:
        line = " | ".join(row)
        spans.append((len(text), len(text) + len(line)))
        text += line + "\n"
    text += draw(st.sampled_from(["", "Source: own count.\n"]))
    if draw(st.booleans()):
        return text, caption, None
    header = draw(st.integers(0, min(2, len(rows))))
    return text, caption, Table(tuple(rows), header, tuple(spans))


@st.composite
def assets(draw: st.DrawFn, most: int = 14) -> tuple[Asset, ...]:
    """Assets with heading paths as a reader makes them, and one region a line."""
    found: list[Asset] = []
    path: list[tuple[int, str]] = []
    page = 1
    paged = draw(st.booleans())
    for ordinal in range(draw(st.integers(0, most))):
        page += draw(st.sampled_from([0, 0, 0, 1]))
        asset = draw(_bare())
        if asset.kind is AssetKind.HEADING:
            level = asset.level or 0
            path = [(depth, name) for depth, name in path if depth < level]
        names = tuple(name for _, name in path)
        if asset.kind is AssetKind.HEADING and level:
            path.append((level, " ".join(asset.text.split())))
        regions = _regions(asset.text, page, paged)
        found.append(replace(asset, ordinal=ordinal, heading_path=names, regions=regions))
    return tuple(found)


@st.composite
def _bare(draw: st.DrawFn) -> Asset:
    shape = draw(st.sampled_from(["heading", "table", "figure", "body", "body", "body"]))
    if shape == "table":
        text, caption, table = draw(tables())
        return Asset(0, AssetKind.TABLE, text, caption=caption, table=table)
    if shape == "figure":
        caption = draw(st.none() | st.just("Figure 3. A pump. 图"))
        seen = draw(st.sampled_from(["", "IN\n OUT\n", "\n"]))
        return Asset(
            0, AssetKind.FIGURE, f"{caption}\n{seen}" if caption else seen, caption=caption
        )
    if shape == "heading":
        return Asset(0, AssetKind.HEADING, draw(prose(4)), level=draw(st.integers(0, 3)))
    kind = draw(st.sampled_from(_BODY))
    level = draw(st.integers(0, 2)) if kind is AssetKind.LIST_ITEM else None
    return Asset(0, kind, draw(prose()), level=level)


def _regions(text: str, page: int, paged: bool) -> tuple[Region, ...]:
    regions = []
    start = 0
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        end = start + len(line)
        if paged:
            # A long asset runs on to the next page.
            at, box = page + number // 5, Box(0.1, 0.1, 0.9, 0.2)
            regions.append(Region(start, end, at, f"p{at}", box))
        else:
            regions.append(Region(start, end, lines=LineRange(number, number)))
        start = end
    return tuple(regions)


def documents(most: int = 14) -> st.SearchStrategy[Parsed]:
    """Whole documents of up to *most* assets."""

    def make(found: Sequence[Asset]) -> Parsed:
        return Parsed("text/plain", "test/1", tuple(found))

    return assets(most).map(make)
