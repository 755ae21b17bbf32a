"""The committed samples are those the generator writes, and hold the expected answers."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import docx
import pypdfium2
import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
DOCUMENTS = EXAMPLES / "documents"
QUESTIONS: list[dict[str, Any]] = json.loads((EXAMPLES / "questions.json").read_text("utf-8"))
WRITE = """
import sys
from pathlib import Path
from samples.contract import write_contract
from samples.manual import write_manual
folder = Path(sys.argv[1])
write_manual(folder / "pump-manual.pdf")
write_contract(folder / "supply-contract.docx")
"""


def write_samples(folder: Path) -> Path:
    """Run the parts of the generator that need no Chinese font."""
    folder.mkdir()
    subprocess.run([sys.executable, "-c", WRITE, str(folder)], cwd=EXAMPLES, check=True)
    return folder


@cache
def pages(path: Path) -> list[str]:
    """Text of each page, white space removed."""
    with pypdfium2.PdfDocument(path) as pdf:
        return ["".join(page.get_textpage().get_text_range().split()) for page in pdf]


def entries(path: Path) -> dict[str, bytes]:
    """Content of a zip file by name."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@cache
def whole_text(path: Path) -> str:
    """Text of a sample without pages, white space removed."""
    if path.suffix != ".docx":
        return "".join(path.read_text(encoding="utf-8").split())
    word = docx.Document(str(path))
    cells = [cell.text for table in word.tables for row in table.rows for cell in row.cells]
    return "".join("".join([*(item.text for item in word.paragraphs), *cells]).split())


def test_generator_gives_the_same_bytes_and_the_committed_content(tmp_path: Path) -> None:
    first = write_samples(tmp_path / "first")
    second = write_samples(tmp_path / "second")
    for path in first.iterdir():
        assert path.read_bytes() == (second / path.name).read_bytes()
    # Content, not bytes: compressed bytes differ between builds of zlib.
    assert pages(first / "pump-manual.pdf") == pages(DOCUMENTS / "pump-manual.pdf")
    contract = "supply-contract.docx"
    assert entries(first / contract) == entries(DOCUMENTS / contract)


def test_handbook_holds_its_text() -> None:
    printed = "".join(pages(DOCUMENTS / "handbook-zh.pdf"))
    for line in (EXAMPLES / "samples" / "handbook.txt").read_text("utf-8").splitlines():
        for piece in line.strip("|# ").split(" | "):
            assert "".join(piece.split()) in printed


def test_handbook_has_page_labels() -> None:
    with pypdfium2.PdfDocument(DOCUMENTS / "handbook-zh.pdf") as pdf:
        labels = [pdf.get_page_label(index) for index in range(len(pdf))]
    assert labels == ["i", "ii", "1", "2", "3", "4", "5"]


def test_samples_are_small() -> None:
    assert sum(path.stat().st_size for path in DOCUMENTS.iterdir()) < 1_500_000


@pytest.mark.parametrize("expected", QUESTIONS, ids=lambda item: item["question"])
def test_answer_stands_where_the_list_says(expected: dict[str, Any]) -> None:
    path = DOCUMENTS / expected["document"]
    answer = "".join(expected["answer"].split())
    heading = "".join(expected["heading"].split())
    if expected["page"] is None:
        assert path.suffix != ".pdf"
        text = whole_text(path)
        assert answer in text
    else:
        text = pages(path)[expected["page"] - 1]
        assert answer in text
    assert heading in text
