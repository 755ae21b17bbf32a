"""Passage places to citations: what is printed, what is linked, what can be resolved again."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chapterverse.schema.ids import format_id
from chapterverse.schema.lookup import ChildRow, ParentRow
from chapterverse.schema.naming import display_name
from chapterverse.schema.records import Region
from chapterverse.schema.results import Citation

__all__ = ["citation", "page_text"]

_NUMBERED = re.compile(r"^(\d+(\.\d+)*|[A-Z](\.\d+)+)[.)]?\s")
_QUOTE_CHARACTERS = 300


def page_text(pages: Sequence[int], labels: Sequence[str | None]) -> str:
    """``p. 12``, ``pp. 12–13``; the printed number in brackets where it differs."""
    if not pages:
        return ""
    first, last = pages[0], pages[-1]
    text = f"p. {first}" if first == last else f"pp. {first}–{last}"
    printed = [label for label in labels if label]
    if any(label and label != str(page) for page, label in zip(pages, labels, strict=True)):
        shown = printed[0] if printed[0] == printed[-1] else f"{printed[0]}–{printed[-1]}"
        text += f" (printed {shown})"
    return text


def citation(parent: ParentRow, child: ChildRow | None) -> Citation:
    """The citation of *child* within *parent*, or of the whole parent."""
    if child is None:
        pages, start, end = parent.pages, 0, len(parent.text)
        regions: tuple[Region, ...] = ()
        path, quote = parent.heading_path, parent.text
    else:
        pages, start, end, regions = child.pages, child.start, child.end, child.regions
        path, quote = child.heading_path, child.text
    labels = _labels(parent, pages)
    parts = [display_name(parent.uri), page_text(pages, labels)]
    if path:
        parts.append(_section(path[-1]))
    link = parent.uri + (f"#page={pages[0]}" if pages else "")
    return Citation(
        label=", ".join(part for part in parts if part),
        link=link,
        document_id=format_id(parent.document_id),
        revision_id=format_id(parent.revision_id),
        parent_id=format_id(parent.id),
        uri=parent.uri,
        pages=pages,
        page_labels=labels,
        heading_path=path,
        start=start,
        end=end,
        regions=regions,
        quote=quote if len(quote) <= _QUOTE_CHARACTERS else quote[: _QUOTE_CHARACTERS - 1] + "…",
    )


def _labels(parent: ParentRow, pages: Sequence[int]) -> tuple[str | None, ...]:
    known = dict(zip(parent.pages, parent.page_labels, strict=True))
    return tuple(known.get(page) for page in pages)


def _section(heading: str) -> str:
    return f"§ {heading}" if _NUMBERED.match(heading) else heading
