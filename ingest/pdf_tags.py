"""Tagged structure of a PDF: which element of its author's each marked content belongs to."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["ARTIFACT", "PageTags", "Tag", "heading_depth", "plain_function", "tells_headings"]

_MEANT = re.compile(
    r"H[1-6]?|Title|P|LI|Caption|Note|FENote|TD|TH|TOCI|Figure|Formula|Code|Index|BlockQuote"
)
_CARRIED = frozenset({"LI", "Caption", "Note", "FENote", "TD", "TH", "TOCI", "Figure", "Formula"})
"""Elements that say more than the paragraphs inside them."""

_DEPTH = 40
_MOST = 50_000
"""Elements followed at most on one page, against trees that run in circles."""

_SAMPLE = 5


class Tag(NamedTuple):
    """The structure element around some characters: its standard type and its number on the page.

    ``nested`` counts the sections around it.
    """

    kind: str
    element: int
    nested: int = 0


ARTIFACT = Tag("Artifact", -1)
"""What the author marked as no part of the content (running heads, page numbers, decoration)."""


def plain_function(function: Any, result: Any, *arguments: Any) -> Callable[..., Any]:
    """The C function behind *function* with bare argument types, which cost less to convert."""
    address = ctypes.cast(function, ctypes.c_void_p).value or 0
    made: Callable[..., Any] = ctypes.CFUNCTYPE(result, *arguments)(address)
    return made


def tells_headings(document: Any) -> bool:
    """Whether the pypdfium2 document is tagged and one of five pages has a heading.

    Reading the tags of a page costs as much as its text, and most tagged files name no headings.
    """
    import pypdfium2
    import pypdfium2.raw as raw

    if not raw.FPDFCatalog_IsTagged(document.raw):
        return False
    count = len(document)
    step = max(1.0, count / _SAMPLE)
    for number in range(min(count, _SAMPLE)):
        try:
            page = document[int(number * step)]
        except pypdfium2.PdfiumError:
            continue
        found = PageTags(page).has_heading
        page.close()
        if found:
            return True
    return False


def heading_depth(tag: Tag | None) -> int | None:
    """Depth of a heading (0 a title, 1 a top section), ``None`` for all else."""
    if tag is None:
        return None
    if tag.kind == "Title":
        return 0
    if tag.kind == "H":
        return max(1, tag.nested)
    return int(tag.kind[1]) if len(tag.kind) == 2 and tag.kind[0] == "H" else None


class PageTags:
    """The tags of one pypdfium2 page by marked content."""

    def __init__(self, page: Any) -> None:
        import pypdfium2.raw as raw

        handle, number, size = ctypes.c_void_p, ctypes.c_int, ctypes.c_ulong
        self._kind_of = plain_function(
            raw.FPDF_StructElement_GetType, size, handle, ctypes.c_char_p, size
        )
        self._children = plain_function(raw.FPDF_StructElement_CountChildren, number, handle)
        self._child = plain_function(raw.FPDF_StructElement_GetChildAtIndex, handle, handle, number)
        self._content = plain_function(
            raw.FPDF_StructElement_GetChildMarkedContentID, number, handle, number
        )
        self._content_of = plain_function(raw.FPDFPageObj_GetMarkedContentID, number, handle)
        self._marks = plain_function(raw.FPDFPageObj_CountMarks, number, handle)
        self._mark = plain_function(raw.FPDFPageObj_GetMark, handle, handle, size)
        self._mark_name = plain_function(
            raw.FPDFPageObjMark_GetName, number, handle, ctypes.c_char_p, size, handle
        )
        self._name = ctypes.create_string_buffer(128)
        self._length = size()
        self._by_content: dict[int, Tag] = {}
        self._count = 0
        tree = raw.FPDF_StructTree_GetForPage(page.raw)
        if not tree:
            return
        for index in range(raw.FPDF_StructTree_CountChildren(tree)):
            child = raw.FPDF_StructTree_GetChildAtIndex(tree, index)
            self._walk(ctypes.cast(child, handle).value, None, 0, _DEPTH)
        raw.FPDF_StructTree_Close(tree)

    @property
    def has_heading(self) -> bool:
        return any(heading_depth(tag) is not None for tag in self._by_content.values())

    def of(self, item: int) -> Tag | None:
        """The tag of the page object at address *item*, ``None`` if it has none."""
        content: int = self._content_of(item)
        if content >= 0:
            return self._by_content.get(content)
        for index in range(max(0, self._marks(item))):
            done = self._mark_name(
                self._mark(item, index), self._name, 128, ctypes.byref(self._length)
            )
            if done and self._text(self._length.value) == "Artifact":
                return ARTIFACT
        return None

    def _text(self, length: int) -> str:
        return self._name.raw[: max(0, min(length, 128) - 2)].decode("utf-16-le", "replace")

    def _walk(self, element: int | None, around: Tag | None, nested: int, depth: int) -> None:
        self._count += 1
        if not element or depth == 0 or self._count > _MOST:
            return
        kind = self._text(self._kind_of(element, self._name, 128))
        nested += kind == "Sect"
        inner = around is not None and around.kind in _CARRIED
        if _MEANT.fullmatch(kind) and not (inner and kind in ("P", "Code", "BlockQuote")):
            around = Tag(kind, self._count, nested)
        for index in range(max(0, self._children(element))):
            child = self._child(element, index)
            if child:
                self._walk(child, around, nested, depth - 1)
            elif around is not None:
                content = self._content(element, index)
                if content >= 0:
                    self._by_content[content] = around
