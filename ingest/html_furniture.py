"""Which parts of an HTML page repeat on every page of its site: headers, menus, footers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from chapterverse.schema.records import AssetKind

__all__ = ["furniture"]

_SECTIONING = {"article", "section", "main", "blockquote", "figure", "td"}
_HOLDERS = ("table", "figure", "pre")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_ROLES = {"banner": "header", "navigation": "nav", "contentinfo": "footer"}
_MENU = re.compile(
    r"(?:main|site|page|top|side|sphinx|global|primary|secondary|mobile)?[-_]?"
    r"(?:nav|navbar|navigation|menu|sidebar|breadcrumbs?|footer|toc|related|pagination|pager)"
    r"(?:[-_]?(?:wrapper|container|links|list|bar|left|right))?"
)


def furniture(body: Any, visible: int, length: Any) -> Iterator[tuple[Any, AssetKind]]:
    """Elements of *body* that are furniture, with their kind, outermost first.

    *visible* is the number of characters that *body* shows, *length* gives that of an element. A
    part with more than half of the page is none, whatever it calls itself: such pages exist.
    """
    taken: set[Any] = set()
    for element in body.iter("header", "nav", "footer", "aside", "div", "ul", "section"):
        kind = _kind(element)
        if kind is None or any(parent in taken for parent in element.iterancestors()):
            continue
        if element.getparent() is None or any(True for _ in element.iterancestors(*_HOLDERS)):
            continue  # those parts are read as a whole
        if length(element) * 2 > visible or not _apart(element, kind):
            continue
        taken.add(element)
        yield element, AssetKind.PAGE_FOOTER if kind == "footer" else AssetKind.PAGE_HEADER


def _kind(element: Any) -> str | None:
    """``"header"``, ``"nav"`` or ``"footer"``, by tag, role, or a name that menus have."""
    role = _ROLES.get((element.get("role") or "").strip().lower())
    if role is not None:
        return role
    if element.tag in ("header", "nav", "footer"):
        return str(element.tag)
    names = f"{element.get('id') or ''} {element.get('class') or ''}".lower().split()
    if element.tag == "aside" or any(_MENU.fullmatch(name) for name in names):
        return "nav" if _is_links(element) else None
    return None


def _apart(element: Any, kind: str) -> bool:
    if kind == "nav":
        return True
    if any(parent.tag in _SECTIONING for parent in element.iterancestors()):
        return False
    return next(element.iter(*_HEADINGS), None) is None


def _is_links(element: Any) -> bool:
    """Whether most of the text of *element* is that of at least two links."""
    links = list(element.iter("a"))
    linked = sum(len("".join(link.text_content().split())) for link in links)
    whole = len("".join(element.text_content().split()))
    return len(links) > 1 and linked * 10 >= whole * 7
