"""A text file as headings, paragraphs, list items and tables.

One block a line: `# ` and `## ` mark headings, `- ` a list item, `| a | b |` a table row; the line
above the first row is the table's caption. Empty lines separate nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

__all__ = ["Block", "read_blocks"]

Kind = Literal["h1", "h2", "text", "item", "table"]
MARKS: tuple[tuple[str, Kind], ...] = (("## ", "h2"), ("# ", "h1"), ("- ", "item"))


@dataclass(frozen=True, slots=True)
class Block:
    """One element; *text* of a table is its caption."""

    kind: Kind
    text: str
    rows: tuple[tuple[str, ...], ...] = ()


def read_blocks(path: Path) -> list[Block]:
    """All blocks of the file in order."""
    blocks: list[Block] = []
    for line in filter(None, path.read_text(encoding="utf-8").splitlines()):
        if line.startswith("| "):
            row = tuple(cell.strip() for cell in line.strip("| ").split(" | "))
            above = blocks.pop()
            blocks.append(Block("table", above.text, (*above.rows, row)))
            continue
        mark, kind = next(((m, k) for m, k in MARKS if line.startswith(m)), ("", "text"))
        blocks.append(Block(kind, line.removeprefix(mark)))
    return blocks
