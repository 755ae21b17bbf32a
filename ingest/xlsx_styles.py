"""What the styles of a workbook say of a cell: its number format, and whether it is bold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chapterverse.ingest.number_format import BUILTIN
from chapterverse.ingest.ooxml import local_name

__all__ = ["CellStyle", "read_styles"]


@dataclass(frozen=True, slots=True)
class CellStyle:
    """The format of a cell; ``strong`` when its font is bold."""

    code: str = "General"
    strong: bool = False


def read_styles(root: Any | None) -> list[CellStyle]:
    """The cell styles of a ``styles.xml`` in the order in which cells refer to them."""
    if root is None:
        return []
    groups = {local_name(child): child for child in root}
    codes = dict(BUILTIN)
    for item in _children(groups, "numFmts"):
        codes[_number(item.get("numFmtId"))] = item.get("formatCode") or "General"
    bold = [
        any(local_name(x) == "b" and x.get("val", "1") not in ("0", "false", "off") for x in font)
        for font in _children(groups, "fonts")
    ]
    styles = []
    for item in _children(groups, "cellXfs"):
        font = _number(item.get("fontId"))
        code = codes.get(_number(item.get("numFmtId")), "General")
        styles.append(CellStyle(code, font < len(bold) and bold[font]))
    return styles


def _children(groups: dict[str, Any], name: str) -> list[Any]:
    return [child for child in groups.get(name, ()) if isinstance(child.tag, str)]


def _number(value: str | None) -> int:
    return int(value) if value and value.isdecimal() else 0
