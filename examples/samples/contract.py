"""The Word sample: a supply contract with numbered clauses, definitions and a payment table."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path

from docx import Document
from docx.document import Document as Word
from docx.shared import Pt
from samples.blocks import read_blocks

__all__ = ["write_contract"]

TEXT = Path(__file__).with_name("contract.txt")
DATE = datetime(2025, 4, 14, 9, 0, tzinfo=UTC)
ZIP_DATE = (2025, 4, 14, 9, 0, 0)


def add_table(word: Word, caption: str, rows: tuple[tuple[str, ...], ...]) -> None:
    """A caption and a grid whose first row names the columns."""
    word.add_paragraph(caption, style="Caption")
    grid = word.add_table(rows=0, cols=len(rows[0]), style="Light Grid Accent 1")
    for row in rows:
        for cell, text in zip(grid.add_row().cells, row, strict=True):
            cell.text = text
    word.add_paragraph()


def fill(word: Word) -> None:
    """Title, parties and clauses."""
    word.add_heading("Supply Contract NP-2025-118", level=0)
    for block in read_blocks(TEXT):
        if block.kind == "h1":
            word.add_heading(block.text, level=1)
        elif block.kind == "table":
            add_table(word, block.text, block.rows)
        elif block.kind == "item":
            term, meaning = block.text.split(": ", 1)
            entry = word.add_paragraph(style="List Bullet")
            entry.add_run(f"“{term}”").bold = True
            entry.add_run(f" means {meaning}")
        else:
            word.add_paragraph(block.text)


def write_contract(path: Path) -> None:
    """Write the contract; the same bytes every time."""
    word = Document()
    word.styles["Normal"].font.name = "Calibri"
    word.styles["Normal"].font.size = Pt(11)
    fill(word)
    word.core_properties.title = "Supply Contract NP-2025-118"
    word.core_properties.author = "Norbeck Pumps Ltd."
    word.core_properties.created = word.core_properties.modified = DATE
    buffer = io.BytesIO()
    word.save(buffer)
    path.write_bytes(fixed_dates(buffer.getvalue()))


def fixed_dates(package: bytes) -> bytes:
    """The same zip package without the time of writing in its entries."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            entry = zipfile.ZipInfo(name, ZIP_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, source.read(name))
    return out.getvalue()
