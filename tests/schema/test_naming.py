"""Names of documents, for people and for the indexes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chapterverse.schema.naming import display_name, index_title, source_link


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("file:///data/manual.pdf", "manual.pdf"),
        ("file:///data/%E6%89%8B%E5%86%8C%20%231.pdf", "手册 #1.pdf"),
        ("https://example.org/a/b.html?x=1#top", "b.html"),
        ("https://example.org/", "https://example.org/"),
        ("text:note", "text:note"),
        ("note 1?", "note 1?"),
        ("http://[x/y", "y"),
        ("file:///data/folder/", "folder"),
        ("file:///data/a%20b.eml!/c%20d.pdf", "a b.eml › c d.pdf"),
        ("file:///data/a.zip!/x/b.zip!/c.txt", "a.zip › x/b.zip › c.txt"),
        ("note!/x", "x"),
    ],
)
def test_display_name(uri: str, name: str) -> None:
    assert display_name(uri) == name


@pytest.mark.parametrize(
    ("uri", "page", "heading", "link"),
    [
        ("file:///data/a.pdf", None, "", "file:///data/a.pdf"),
        ("file:///data/a.pdf", 3, "", "file:///data/a.pdf#page=3"),
        ("file:///data/a.zip!/x/b.pdf", 3, "", "file:///data/a.zip#x/b.pdf&page=3"),
        ("note!/x", None, "", "note!/x"),
        ("file:///data/a.html", None, "oil", "file:///data/a.html#oil"),
        ("file:///data/a.html", None, "a b#c", "file:///data/a.html#a%20b%23c"),
        ("file:///data/a.zip!/b.html", None, "oil", "file:///data/a.zip#b.html"),
    ],
)
def test_a_link_opens_the_file_that_is_there(
    uri: str, page: int | None, heading: str, link: str
) -> None:
    assert source_link(uri, page, heading) == link


@given(st.text(min_size=1))
@example("//\u2100/x")
@example("http://[")
def test_every_uri_has_a_name(uri: str) -> None:
    assert display_name(uri) != ""


@given(st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1))
def test_the_name_of_a_file_is_its_own(name: str) -> None:
    if name not in (".", ".."):
        assert display_name((Path("/data") / name).as_uri()) == name


@pytest.mark.parametrize(
    ("title", "uri", "indexed"),
    [
        ("Annual report", "file:///d/ACME_2022_10K.pdf", "Annual report (ACME 2022 10K)"),
        ("The Pump  Manual", "file:///d/pump_manual.pdf", "The Pump  Manual"),
        ("Pump manual", "text:1", "Pump manual"),
        ("text:1", "text:1", ""),
        ("page", "https://example.org/page.html", ""),
        ("ACME_2022", "file:///d/ACME_2022.pdf", "ACME 2022"),
        ("Report", "file:///d/0123456789abcdef0123.pdf", "Report"),
        ("0123456789abcdef0123", "file:///d/0123456789abcdef0123.pdf", ""),
        ("Report", "file:///d/deadbeef.pdf", "Report (deadbeef)"),
    ],
)
def test_index_title(title: str, uri: str, indexed: str) -> None:
    assert index_title(title, uri) == indexed
