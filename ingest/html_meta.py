"""What an HTML page says about itself in its head."""

from __future__ import annotations

from typing import Any

from chapterverse.ingest.lines import one_line

__all__ = ["page_properties"]

_LONGEST = 2_000
_NAMES = {
    "author": "author",
    "article:author": "author",
    "dc.creator": "author",
    "dcterms.creator": "author",
    "citation_author": "author",
    "description": "description",
    "og:description": "description",
    "dc.description": "description",
    "keywords": "keywords",
    "news_keywords": "keywords",
    "date": "date",
    "article:published_time": "date",
    "dc.date": "date",
    "dcterms.date": "date",
    "dcterms.created": "date",
    "citation_publication_date": "date",
    "article:modified_time": "modified",
    "dcterms.modified": "modified",
    "last-modified": "modified",
    "og:site_name": "site",
    "og:url": "canonical",
}


def page_properties(root: Any) -> dict[str, str]:
    """Author, description, keywords, dates, canonical address and language of the page *root*.

    Several authors are joined by ``"; "``; of other repeated fields the first counts. Nothing is
    fetched, an address stays what is written.
    """
    found: dict[str, list[str]] = {}
    for link in root.iter("link"):
        if "canonical" in (link.get("rel") or "").lower().split() and link.get("href"):
            found["canonical"] = [link.get("href")]
    for meta in root.iter("meta"):
        name = meta.get("name") or meta.get("property") or meta.get("itemprop") or ""
        field = _NAMES.get(name.strip().lower())
        value = one_line(meta.get("content") or "")[:_LONGEST]
        if field and value and value not in found.setdefault(field, []):
            found[field].append(value)
    page = root if root.tag == "html" else root.find(".//html")
    language = "" if page is None else page.get("lang") or page.get("xml:lang") or ""
    joined = {
        field: "; ".join(values) if field == "author" else values[0]
        for field, values in found.items()
        if values
    }
    return {**joined, **({"language": language.strip()} if language.strip() else {})}
