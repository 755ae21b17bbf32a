"""Colours and style sheet of the inspection page."""

from __future__ import annotations

from chapterverse.schema.records import AssetKind

__all__ = ["COLOURS", "style_sheet"]

COLOURS = {
    AssetKind.HEADING: "#c2185b",
    AssetKind.PARAGRAPH: "#1976d2",
    AssetKind.LIST_ITEM: "#00838f",
    AssetKind.TABLE: "#2e7d32",
    AssetKind.FIGURE: "#e65100",
    AssetKind.CODE: "#5e35b1",
    AssetKind.FORMULA: "#827717",
    AssetKind.FOOTNOTE: "#6d4c41",
    AssetKind.PAGE_HEADER: "#78909c",
    AssetKind.PAGE_FOOTER: "#78909c",
}
"""The colour of each kind, in boxes and lists alike."""

_STYLE = """
:root { color-scheme: light; font: 14px/1.45 system-ui, sans-serif; }
body { margin: 0; background: #eceff1; color: #111; }
header, section { background: #fff; margin: 0 0 14px; padding: 12px 18px; }
h1 { font-size: 20px; margin: 0 0 8px; overflow-wrap: anywhere; }
h2 { font-size: 15px; margin: 0 0 8px; color: #555; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 1px 14px; margin: 0 0 8px; }
dt { color: #555; } dd { margin: 0; overflow-wrap: anywhere; }
details > ul { margin: 4px 0 8px; padding-left: 20px; }
summary { cursor: pointer; }
.legend { position: sticky; top: 0; z-index: 2; background: #fff; padding: 8px 18px;
  margin: 0 0 14px; border-bottom: 1px solid #ccc; display: flex; flex-wrap: wrap; gap: 4px 16px; }
.legend label { color: var(--kind); font-weight: 600; }
.spread { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 18px;
  align-items: start; }
.drawn { position: sticky; top: 44px; }
svg { width: 100%; max-height: calc(100vh - 60px); border: 1px solid #bbb; background: #fff; }
svg rect { fill: var(--kind); fill-opacity: .10; stroke: var(--kind); stroke-width: 1;
  vector-effect: non-scaling-stroke; }
svg .around { fill: none; stroke-dasharray: 5 3; }
svg .box:hover rect { fill-opacity: .35; }
svg text { fill: #fff; stroke: var(--kind); stroke-width: 4px; paint-order: stroke;
  font: 600 13px system-ui, sans-serif; text-anchor: end; }
svg .words { font-size: 12px; line-height: 1.2; overflow: hidden; height: 100%;
  white-space: pre-wrap; overflow-wrap: anywhere; }
ol.assets { list-style: none; margin: 0; padding: 0; }
ol.assets > li { border-left: 4px solid var(--kind); padding: 2px 0 4px 9px; margin: 0 0 6px;
  overflow-x: auto; }
ol.assets > li:target { background: #fff59d; }
.tag { color: var(--kind); font-weight: 600; font-size: 12px; }
.path:not(:empty)::before { content: "in "; }
.place, .path, .note { color: #666; font-size: 12px; }
.words, pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.heading .words { font-weight: 700; }
.heading.level-0 .words { font-size: 20px; } .heading.level-1 .words { font-size: 17px; }
.heading.level-2 .words { font-size: 15px; }
.page_header .words, .page_footer .words { color: #777; }
.list_item { margin-left: calc(14px * var(--nesting, 0)) !important; }
.caption { font-weight: 600; margin: 0; }
table { border-collapse: collapse; font-size: 13px; }
caption { text-align: left; font-weight: 600; }
th, td { border: 1px solid #aaa; padding: 1px 6px; vertical-align: top; text-align: left;
  white-space: pre-wrap; }
th { background: #e8f5e9; }
li img { max-width: 100%; max-height: 320px; border: 1px solid #ddd; display: block; }
mark { background: #ffe0b2; } mark.alt { background: #d1c4e9; }
mark.generated { background: #f8bbd0; }
@media (max-width: 800px) { .spread { grid-template-columns: 1fr; } .drawn { position: static; } }
"""


def style_sheet() -> str:
    """The style sheet; unticking a kind in the legend hides it, without any script."""
    rules = [_STYLE]
    for kind, colour in COLOURS.items():
        rules.append(f".{kind.value} {{ --kind: {colour}; }}")
        hidden = f"body:has(#show-{kind.value}:not(:checked)) main .{kind.value}"
        rules.append(f"{hidden} {{ display: none; }}")
    return "\n".join(rules)
