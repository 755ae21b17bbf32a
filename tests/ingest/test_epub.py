"""Books: reading order, headings, pictures, and nothing that reaches out of the archive."""

from __future__ import annotations

import io
import zipfile

import pytest
from PIL import Image

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.epub import read_epub
from chapterverse.ingest.epub_package import resolve
from chapterverse.ingest.readers import read
from chapterverse.schema.errors import Corrupt, Encrypted
from chapterverse.schema.records import AssetKind, Parsed
from tests.ingest.zip_files import packed

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OPS/book.opf"/></rootfiles></container>'
)
METADATA = (
    "<dc:title>The Pump: A Guide</dc:title><dc:creator>Ada</dc:creator><dc:creator>Bob</dc:creator>"
    '<dc:language>en</dc:language><dc:identifier>other</dc:identifier><dc:identifier id="u">42'
    "</dc:identifier><dc:publisher>P</dc:publisher><dc:date>2024</dc:date>"
)


def png(shade: int = 0) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (40, 30), (shade, 0, 0)).save(buffer, "PNG")
    return buffer.getvalue()


def xhtml(body: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/'
        'xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title/></head>'
        f"<body>{body}</body></html>"
    )


def book(
    chapters: dict[str, str],
    extra: dict[str, bytes | str] | None = None,
    items: str = "",
    metadata: str = METADATA,
    attributes: str = "",
) -> bytes:
    """A book whose reading order is *chapters* (file name to body)."""
    manifest = "".join(
        f'<item id="c{n}" href="{name}" media-type="application/xhtml+xml"/>'
        for n, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" unique-identifier="u"><metadata xmlns:dc='
        f'"http://purl.org/dc/elements/1.1/">{metadata}</metadata><manifest>{manifest}{items}'
        f"</manifest><spine{attributes}>{spine}</spine></package>"
    )
    files: dict[str, bytes | str] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OPS/book.opf": package,
        **{f"OPS/{name}": xhtml(body) for name, body in chapters.items()},
        **(extra or {}),
    }
    return packed(files)


def unpacked(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def outline(parsed: Parsed) -> list[tuple[int | None, str]]:
    return [(a.level, a.text) for a in parsed.assets if a.kind is AssetKind.HEADING]


def parse(data: bytes) -> Parsed:
    return read(data, ReadContext(name="b.epub"))


def test_reading_order_headings_and_properties() -> None:
    parsed = parse(
        book(
            {
                "t/title.xhtml": "<h1>The Pump</h1><p>By Ada</p>",
                "t/one.xhtml": '<h2><a id="x"/>One</h2><p>First\u00adly.</p><h3>Deep</h3>',
                "t/two.xhtml": '<p>Still deep <span epub:type="pagebreak">12</span>here.</p>'
                '<h2>Two</h2><aside epub:type="footnote"><p>1. A note.</p></aside>',
            }
        )
    )
    assert parsed.title == "The Pump: A Guide"
    assert outline(parsed) == [(0, "The Pump"), (1, "One"), (2, "Deep"), (1, "Two")]
    assert parsed.assets[3].text == "Firstly."
    still = parsed.assets[5]
    assert (still.text, still.heading_path) == ("Still deep here.", ("One", "Deep"))
    places = [asset.regions[0].place for asset in parsed.assets]
    assert places == ["OPS/t/title.xhtml"] * 2 + ["OPS/t/one.xhtml#x"] * 2 + [
        "OPS/t/one.xhtml",
        *["OPS/t/two.xhtml"] * 3,
    ]
    assert parsed.assets[-1].kind is AssetKind.FOOTNOTE
    assert parsed.properties == {
        "creator": "Ada; Bob",
        "language": "en",
        "identifier": "42",
        "publisher": "P",
        "date": "2024",
    }
    assert parsed.warnings == ()
    assert parsed.page_count is None


def test_title_that_no_chapter_says_is_put_first() -> None:
    parsed = parse(book({"a.xhtml": "<h1>One</h1><p>x y z</p>", "b.xhtml": "<h1>Two</h1>"}))
    assert outline(parsed) == [(0, "The Pump: A Guide"), (1, "One"), (1, "Two")]
    parsed = parse(book({"a.xhtml": "<p>THE PUMP</p><p>By Ada</p>"}))
    assert outline(parsed) == [(0, "THE PUMP")]


@pytest.mark.parametrize("version", [2, 3])
def test_chapters_without_headings_take_them_from_the_contents(version: int) -> None:
    chapters = {
        "cover.xhtml": "<p></p>",
        "part%201.xhtml": "<p>Part One</p><p>Opening words.</p>",
        "c1.xhtml": "<p>Words of the first chapter.</p>",
        "c2.xhtml": "<p>and on without an entry</p>",
    }
    lines = [("Cover", "cover.xhtml"), ("Part One", "part%201.xhtml"), ("Chapter 1", "c1.xhtml#a")]
    if version == 3:
        links = [f'<a href="{path}">{label}</a>' for label, path in lines]
        contents = xhtml(
            f'<nav epub:type="toc"><ol><li>{links[0]}</li><li>{links[1]}<ol><li>{links[2]}</li>'
            "</ol></li></ol></nav>"
        )
        kind = 'media-type="application/xhtml+xml" properties="nav"'
    else:
        points = [
            f'<navPoint><navLabel><text>{label}</text></navLabel><content src="{path}"/>'
            for label, path in lines
        ]
        contents = (
            '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>'
            f"{points[0]}</navPoint>{points[1]}{points[2]}</navPoint></navPoint></navMap></ncx>"
        )
        kind = 'media-type="application/x-dtbncx+xml"'
    files = {"OPS/part 1.xhtml": xhtml(chapters["part%201.xhtml"]), "OPS/toc": contents}
    parsed = parse(book(chapters, dict(files), f'<item id="n" href="toc" {kind}/>'))
    assert outline(parsed) == [(0, "The Pump: A Guide"), (1, "Part One"), (2, "Chapter 1")]
    assert [a.text for a in parsed.assets[2:]] == [
        "Opening words.",
        "Chapter 1",
        "Words of the first chapter.",
        "and on without an entry",
    ]
    assert parsed.assets[-1].heading_path == ("Part One", "Chapter 1")
    places = [asset.regions[0].place for asset in parsed.assets[2:]]
    assert places == ["OPS/part 1.xhtml", *["OPS/c1.xhtml#a"] * 2, "OPS/c2.xhtml"]


def test_navigation_in_the_reading_order_is_no_text() -> None:
    nav = '<nav epub:type="toc"><ol><li><a href="a.xhtml">One</a></li></ol></nav>'
    data = book({"a.xhtml": "<h1>One</h1>", "nav.xhtml": nav})
    files = unpacked(data)
    files["OPS/book.opf"] = files["OPS/book.opf"].replace(b'id="c1"', b'id="c1" properties="nav"')
    texts = [asset.text for asset in parse(packed(files)).assets]
    assert texts == ["The Pump: A Guide", "One"]


def test_pictures_are_figures_and_the_cover_comes_once() -> None:
    chapters = {
        "a.xhtml": '<svg viewBox="0 0 1 1"><title>Cover</title><image xlink:href="i/c.png"/></svg>',
        "b.xhtml": '<h1>One</h1><img src="i/o.png" alt=""/>'
        '<figure><img src="i/p.png" alt="A pump"/>'
        '<figcaption>Figure 1: Pump</figcaption></figure><img src="i/o.png"/>'
        '<img src="../../../etc/passwd"/><img src="http://example.org/x.png"/>'
        '<img src="i/gone.png" alt="Gone"/>',
    }
    pictures = {f"OPS/i/{name}.png": png(n * 50) for n, name in enumerate("cop")}
    cover = '<item id="k" href="i/c.png" media-type="image/png" properties="cover-image"/>'
    parsed = parse(book(chapters, dict(pictures), cover))
    figures = [asset for asset in parsed.assets if asset.kind is AssetKind.FIGURE]
    assert [(f.text, f.picture is not None) for f in figures] == [
        ("Cover", True),
        ("", True),
        ("Figure 1: Pump\nA pump", True),
        ("Gone", False),
    ]
    pump = figures[2]
    assert pump.caption == "Figure 1: Pump"
    assert [pump.text[o.start : o.end] for o in pump.origins] == ["A pump"]
    # The address that leads out of the book lies outside as well.
    assert [(w.code, w.message[0]) for w in parsed.warnings] == [
        ("pictures_repeated", "1"),
        ("pictures_missing", "1"),
        ("pictures_outside", "2"),
    ]
    alone = parse(book({"b.xhtml": "<p>Text.</p>"}, dict(pictures), cover))
    assert alone.assets[0].kind is AssetKind.FIGURE
    assert alone.assets[0].picture is not None


def test_pictures_that_are_not_shown_are_counted_once_for_the_book() -> None:
    shown = '<img src="p.png" alt="A pump"/>'
    figure = f'<figure>{shown}<img src="q.png"/><figcaption>Both</figcaption></figure>'
    odd = '<img src="data:image/png;base64,%%%" alt="x"/><img src="odd.bin" alt="y"/>'
    files: dict[str, bytes | str] = {"OPS/p.png": png(), "OPS/q.png": png(9), "OPS/odd.bin": b"x"}
    parsed = parse(book({"a.xhtml": figure + odd, "b.xhtml": f"{figure}<svg/>"}, files))
    (warning,) = parsed.warnings
    assert warning.code == "pictures_left_out"
    assert warning.message.startswith("5 pictures are not shown: ")
    for reason in ("unknown kind (2)", "of a figure (2)", "framed pages (1)"):
        assert reason in warning.message


def test_too_many_pixels_are_not_shown() -> None:
    data = book({"a.xhtml": '<p>x</p><img src="p.png" alt="Big"/>'}, {"OPS/p.png": png()})
    assert read_epub(data).assets[-1].picture is not None
    assert read_epub(data, ReadContext(max_pixels=100)).assets[-1].picture is None


def encryption(algorithm: str, path: str) -> dict[str, bytes | str]:
    return {
        "META-INF/encryption.xml": (
            '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
            'xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData><e:EncryptionMethod '
            f'Algorithm="{algorithm}"/><e:CipherData><e:CipherReference URI="{path}"/>'
            "</e:CipherData></e:EncryptedData></encryption>"
        )
    }


def test_encrypted_chapters_are_refused_and_masked_fonts_are_not() -> None:
    aes = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
    chapter = {"a.xhtml": "<p>Text of it.</p>"}
    with pytest.raises(Encrypted, match="1 of 1 chapters"):
        parse(book(chapter, encryption(aes, "OPS/a.xhtml")))
    masked = encryption("http://www.idpf.org/2008/embedding", "OPS/font.otf")
    assert parse(book(chapter, masked)).warnings == ()
    other = parse(book(chapter, encryption(aes, "OPS/video.mp4")))
    assert [w.code for w in other.warnings] == ["encrypted_part"]


def test_missing_chapters_and_container_are_warnings() -> None:
    data = book({"a.xhtml": "<p>Text.</p>", "b.xhtml": "x", "../../../etc/passwd": "x"})
    files = unpacked(data)
    del files["OPS/b.xhtml"]
    files["META-INF/container.xml"] = b"<broken"
    parsed = parse(packed(files))
    assert [w.code for w in parsed.warnings] == [
        "container_broken",
        "spine_broken",
        "chapter_missing",
    ]
    assert parsed.assets[-1].text == "Text."


def test_books_that_cannot_be_read() -> None:
    whole = book({"a.xhtml": "<p>Text.</p>"})
    with pytest.raises(Corrupt, match="broken"):
        read_epub(whole[: len(whole) // 2])
    with pytest.raises(Corrupt, match="no package document"):
        parse(packed({"mimetype": b"application/epub+zip"}))
    with pytest.raises(Corrupt, match="none of 1 chapters"):
        parse(book({"a.xhtml": "<div>a" * 500}, metadata=""))


def test_entities_are_not_expanded() -> None:
    bomb = '<!DOCTYPE p [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "/etc/hosts">]>'
    data = book({"a.xhtml": "<p>Text.</p>"}, metadata="<dc:title>T &b; &f;</dc:title>")
    files = unpacked(data)
    files["OPS/book.opf"] = bomb.encode() + files["OPS/book.opf"]
    title = parse(packed(files)).title or ""
    assert "lol" not in title
    assert "localhost" not in title


@pytest.mark.parametrize(
    ("link", "path"),
    [
        ("b.xhtml#x", "a/b.xhtml"),
        ("../i/p%20q.png?1", "i/p q.png"),
        ("../../x", None),
        ("/etc/passwd", None),
        ("..\\..\\x", None),
        ("http://example.org/x", None),
        ("file:///etc/passwd", None),
        ("#only", None),
    ],
)
def test_links_stay_in_the_book(link: str, path: str | None) -> None:
    assert resolve("a/c.xhtml", link) == path
