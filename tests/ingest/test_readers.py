"""The table of readers: dispatch by content, lazy loading, and nothing empty passes."""

from __future__ import annotations

import importlib
import io
import subprocess
import sys

import docx
import pytest

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.readers import READERS, read
from chapterverse.schema.errors import Corrupt, DocumentError, Empty
from chapterverse.schema.records import Parsed


def parse(data: bytes, name: str) -> Parsed:
    return read(data, ReadContext(name=name, max_pages=10))


def word(text: str) -> bytes:
    document = docx.Document()
    document.add_paragraph(text)
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def test_a_word_file_under_another_name_is_read() -> None:
    assert [asset.text for asset in parse(word("Hello."), "letter.pdf").assets] == ["Hello."]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"", "a.txt"),
        (b" \n\t\n", "a.txt"),
        (b"<html><body><script>x</script></body></html>", "a.html"),
        (b"---\ntitle: x\n---\n", "a.md"),
        (word(""), "a.docx"),
    ],
)
def test_no_text_is_a_failure_with_a_reason(data: bytes, name: str) -> None:
    with pytest.raises(Empty, match=rf"^{name}: \w"):
        parse(data, name)


def test_damaged_parts_are_corrupt() -> None:
    import zipfile

    source = zipfile.ZipFile(io.BytesIO(word("Hello.")))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as target:
        for member in source.namelist():
            data = source.read(member)
            target.writestr(member, data[:200] if member == "word/document.xml" else data)
    with pytest.raises(Corrupt, match="damaged"):
        parse(buffer.getvalue(), "a.docx")


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html", "a.pdf", "a"])
def test_every_failure_is_typed(name: str) -> None:
    for data in (b"\xff\xfe", b"PK\x03\x04", b"%PDF-1.4", b"<", b"\x00", b"<html", b"\xd0\xcf\x11"):
        try:
            parse(data, name)
        except DocumentError as error:
            assert str(error)


def test_parser_names_match_the_readers() -> None:
    modules = [
        importlib.import_module(f"chapterverse.ingest.{n}")
        for n in ("pdf", "docx", "html", "markdown", "plain")
    ]
    assert {module.PARSER for module in modules} <= {reader.parser for reader in READERS.values()}


def test_text_needs_no_heavy_library() -> None:
    script = (
        "import sys\n"
        "from chapterverse.ingest.context import ReadContext\n"
        "from chapterverse.ingest.readers import read\n"
        "for name in ('a.txt', 'a.md'):\n"
        "    read(b'# T\\n\\nx\\n', ReadContext(name=name))\n"
        "heavy = {'unstructured', 'spacy', 'docx', 'lxml', 'torch', 'pypdfium2', 'numpy'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
