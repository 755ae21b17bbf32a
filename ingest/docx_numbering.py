"""The labels that Word computes for numbered paragraphs (``2.1``, ``a)``, ``第三章``).

Rules of ECMA-376 part 1, 17.9: a paragraph names a list (``w:num``) and a level, itself or
through its style; the list points to an abstract one, whose levels have a format, a start and a
text with ``%1`` to ``%9`` for the counters. Lists with the same abstract one count together,
except where one overrides the start. ``unstructured`` has labels as well, but none in Chinese or
Japanese counting, in legal numbering or behind linked list styles.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from chapterverse.ingest.counting import format_number
from chapterverse.ingest.docx_symbols import symbol
from chapterverse.ingest.docx_xml import qn

__all__ = ["Label", "Numbering"]

_LEVELS = 9


@dataclass(frozen=True, slots=True)
class Label:
    """What stands in front of a numbered paragraph; ``text`` is empty for bullets."""

    text: str
    level: int
    bullet: bool
    separator: str = " "


@dataclass(frozen=True, slots=True)
class _Level:
    format: str
    text: str
    start: int
    restart: int | None
    legal: bool
    separator: str


@dataclass(slots=True)
class _List:
    """A ``w:num``: its levels, and which counters it shares."""

    counters: str
    levels: dict[int, _Level]
    starts: dict[int, int]
    styles: dict[str, int]
    restarted: set[int] = field(default_factory=set)


class Numbering:
    """Counts through a document: :meth:`label` once a paragraph, in document order."""

    def __init__(self, numbering: Any | None, styles: Any) -> None:
        self._lists = {} if numbering is None else _read_lists(numbering, styles)
        self._styles = {s.get(qn("w:styleId")): s for s in styles.iterfind(qn("w:style"))}
        self._default = next(
            (
                key
                for key, s in self._styles.items()
                if s.get(qn("w:default")) in ("1", "true") and s.get(qn("w:type")) == "paragraph"
            ),
            None,
        )
        self._counters: dict[str, list[int | None]] = {}

    def label(self, paragraph: Any) -> Label | None:
        """The label of the ``w:p`` *paragraph*; ``None`` when it is not numbered."""
        place = self._place(paragraph)
        found = None if place is None else self._lists.get(place[0])
        if place is None or found is None:
            return None
        level = found.levels.get(place[1])
        if level is None:
            return None
        counters = self._count(found, place[1], level)
        bullet = level.format == "bullet"
        text = "" if bullet else _render(level, found.levels, counters)
        return Label(text, place[1], bullet, level.separator)

    def _place(self, paragraph: Any) -> tuple[str, int] | None:
        """List and level of *paragraph*: its own, else those of its style and its bases."""
        own_list, own_level = _reference(paragraph)
        style_list, style_level, owner = self._style_place(paragraph)
        number = style_list if own_list is None else own_list
        if number in (None, "", "0") or _only_section_end(paragraph):
            return None
        level = style_level if own_level is None else own_level
        if level is None and own_list is None and owner is not None:
            level = self._lists[number].styles.get(owner) if number in self._lists else None
        return str(number), min(max(level or 0, 0), _LEVELS - 1)

    def _style_place(self, paragraph: Any) -> tuple[str | None, int | None, str | None]:
        named = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
        current = self._default if named is None else named.get(qn("w:val"))
        number: str | None = None
        level: int | None = None
        owner: str | None = None
        seen: set[str] = set()
        while current is not None and current in self._styles and current not in seen:
            seen.add(current)
            found, found_level = _reference(self._styles[current])
            if number is None and found is not None:
                number, owner = found, current
            level = found_level if level is None else level
            base = self._styles[current].find(qn("w:basedOn"))
            current = None if base is None else base.get(qn("w:val"))
        return number, level, owner

    def _count(self, found: _List, at: int, level: _Level) -> list[int]:
        counters = self._counters.setdefault(found.counters, [None] * _LEVELS)
        value = counters[at]
        if at in found.starts and at not in found.restarted:
            found.restarted.add(at)
            counters[at] = found.starts[at]
        else:
            counters[at] = found.starts.get(at, level.start) if value is None else value + 1
        for deeper in range(at + 1, _LEVELS):
            restart = found.levels[deeper].restart if deeper in found.levels else None
            if restart is None or at < restart:
                counters[deeper] = None
        return [
            _start(found, index) if count is None else count for index, count in enumerate(counters)
        ]


def _start(found: _List, index: int) -> int:
    level = found.levels.get(index)
    return found.starts.get(index, 1 if level is None else level.start)


def _only_section_end(paragraph: Any) -> bool:
    """Whether Word keeps the section's end here and nothing else; it does not number that."""
    if paragraph.find(f"{qn('w:pPr')}/{qn('w:sectPr')}") is None:
        return False
    return (
        next(paragraph.iter(qn("w:t"), qn("w:drawing"), qn("w:object"), qn("w:pict")), None) is None
    )


def _reference(element: Any) -> tuple[str | None, int | None]:
    properties = element.find(f"{qn('w:pPr')}/{qn('w:numPr')}")
    if properties is None:
        return None, None
    level = _value(properties, "w:ilvl")
    return _value(properties, "w:numId"), _integer(level)


def _value(element: Any, tag: str) -> str | None:
    child = element.find(qn(tag))
    return None if child is None else child.get(qn("w:val"))


def _integer(value: str | None) -> int | None:
    return int(value) if value is not None and re.fullmatch(r"-?\d{1,9}", value) else None


def _read_lists(numbering: Any, styles: Any) -> dict[str, _List]:
    abstracts = {a.get(qn("w:abstractNumId")): a for a in numbering.iterfind(qn("w:abstractNum"))}
    nums = {n.get(qn("w:numId")): n for n in numbering.iterfind(qn("w:num"))}
    linked = {_value(a, "w:styleLink"): key for key, a in abstracts.items()}
    lists: dict[str, _List] = {}
    for key, num in nums.items():
        abstract_id = _value(num, "w:abstractNumId")
        # A list style's own definition stands elsewhere; this one only points to it.
        style = (
            _value(abstracts[abstract_id], "w:numStyleLink") if abstract_id in abstracts else None
        )
        if style is not None:
            abstract_id = linked.get(style) or _of_list_style(style, styles, nums) or abstract_id
        if abstract_id in abstracts:
            lists[str(key)] = _read_list(num, abstracts[abstract_id], str(abstract_id))
    return lists


def _of_list_style(style: str, styles: Any, nums: dict[str, Any]) -> str | None:
    for element in styles.iterfind(qn("w:style")):
        if element.get(qn("w:styleId")) == style:
            num = nums.get(_reference(element)[0] or "")
            return None if num is None else _value(num, "w:abstractNumId")
    return None


def _read_list(num: Any, abstract: Any, abstract_id: str) -> _List:
    levels: dict[int, _Level] = {}
    starts: dict[int, int] = {}
    styles: dict[str, int] = {}
    overrides = list(num.iterfind(qn("w:lvlOverride")))
    definitions = [*abstract.iterfind(qn("w:lvl"))]
    definitions += [level for o in overrides for level in o.iterfind(qn("w:lvl"))]
    for definition in definitions:
        at = _integer(definition.get(qn("w:ilvl")))
        if at is not None and 0 <= at < _LEVELS:
            levels[at] = _read_level(definition)
            style = _value(definition, "w:pStyle")
            if style is not None:
                styles[style] = at
    for override in overrides:
        at, start = (
            _integer(override.get(qn("w:ilvl"))),
            _integer(_value(override, "w:startOverride")),
        )
        if at is not None and start is not None:
            starts[at] = start
    return _List(abstract_id, levels, starts, styles)


def _read_level(level: Any) -> _Level:
    legal = level.find(qn("w:isLgl"))
    start = _integer(_value(level, "w:start"))
    return _Level(
        format=_value(level, "w:numFmt") or "decimal",
        text=_value(level, "w:lvlText") or "",
        start=1 if start is None else start,
        restart=_integer(_value(level, "w:lvlRestart")),
        legal=legal is not None and legal.get(qn("w:val")) not in ("0", "false", "off"),
        separator="" if _value(level, "w:suff") == "nothing" else " ",
    )


def _render(level: _Level, levels: dict[int, _Level], counters: list[int]) -> str:
    def number(match: re.Match[str]) -> str:
        at = int(match[1]) - 1
        shown = levels.get(at)
        if shown is None or shown.format in ("none", "bullet"):
            return ""
        decimal = level.legal and shown.format != "decimalZero"
        return format_number(counters[at], "decimal" if decimal else shown.format)

    return re.sub(r"%([1-9])", number, symbol(level.text)).strip()
