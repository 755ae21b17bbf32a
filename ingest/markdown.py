"""Markdown (CommonMark, tables, notes, formulas) through markdown-it-py, with line ranges.

``unstructured`` would turn Markdown into HTML first and lose the line numbers, so the token
stream is read directly. HTML blocks inside go through the same table code as HTML pages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from chapterverse.ingest.context import DEFAULT_CONTEXT, ReadContext
from chapterverse.ingest.encoding import decode
from chapterverse.ingest.flow_captions import bind_captions
from chapterverse.ingest.html_parts import picture_inside
from chapterverse.ingest.lines import join_lines, line_regions
from chapterverse.ingest.markdown_matter import split_front_matter
from chapterverse.ingest.outline import Draft, promote_title, title_text, to_assets
from chapterverse.ingest.plain import decoding_warnings, encoding_properties
from chapterverse.ingest.tables import build_table, guess_row_headers, has_text
from chapterverse.ingest.unshown import LOST, unshown_warning
from chapterverse.schema.errors import Corrupt
from chapterverse.schema.records import (
    AssetKind,
    LineRange,
    Origin,
    Parsed,
    ParseWarning,
    Region,
)

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["PARSER", "parse_markdown", "read_markdown"]

PARSER = "markdown/3"
_DEEPEST = 120
"""Nesting of blocks; the library's own 20 would drop the text of lists beyond ten levels."""
_ALERT = re.compile(r"\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*$", re.I)
_ATTRIBUTES = re.compile(r"\s*\{\s*[#.][^{}]*\}\s*$")
_IMG = re.compile(r"<img\b", re.I)
_FORMULA = re.compile(r"\$\$.+\$\$", re.S)


def read_markdown(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Decode and parse a Markdown file; regions carry its line numbers (1-based)."""
    decoded = decode(data)
    parsed = parse_markdown(decoded.text, decoding_warnings(decoded), context)
    return replace(parsed, properties={**parsed.properties, **encoding_properties(decoded)})


def parse_markdown(
    text: str, warnings: tuple[ParseWarning, ...] = (), context: ReadContext = DEFAULT_CONTEXT
) -> Parsed:
    """Parse Markdown *text* with ``\\n`` line ends.

    Front matter gives the title and the properties and is no body text. A single top heading is
    the document title. Footnotes stand behind the element that refers to them.

    :raises Corrupt: lists or quotations nested so deeply that what is in them would be dropped.
    """
    matter, body = split_front_matter(text)
    walk = _Walk(body.split("\n"), matter.lines, context)
    env: dict[str, Any] = {}
    tokens = _parser().parse(body, env)
    if any(token.nesting == 1 and token.level >= _DEEPEST - 1 for token in tokens):
        raise Corrupt("Lists or quotations are nested too deeply to be read; make them flatter.")
    walk.inline_notes = env.get("footnotes", {}).get("list", {})
    walk.blocks(tokens)
    drafts = list(promote_title(bind_captions(walk.with_notes()), matter.title))
    lost = _pictures(tokens) - sum(draft.picture is not None for draft in drafts)
    return Parsed(
        "text/markdown",
        PARSER,
        to_assets(drafts),
        title=matter.title or title_text(drafts, None),
        warnings=(*warnings, *matter.warnings, *unshown_warning({LOST: lost})),
        properties=matter.properties or {},
    )


def _pictures(tokens: Sequence[Token]) -> int:
    """How many pictures the text shows, those written in HTML too."""
    every = [token for block in tokens for token in (block, *(block.children or ()))]
    in_html = (t.content for t in every if t.type in ("html_block", "html_inline"))
    count = sum(1 for token in every if token.type == "image")
    return count + sum(len(_IMG.findall(text)) for text in in_html)


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.dollarmath import dollarmath_plugin
    from mdit_py_plugins.footnote import footnote_plugin

    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
    # Prices are no formulas: a dollar sign beside a digit or a space does not begin or end one.
    parser.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True)
    parser.use(footnote_plugin, move_to_end=False)
    return parser.use(deflist_plugin)


@dataclass(slots=True)
class _Walk:
    """Goes through the tokens once and collects drafts; ``skipped`` lines precede the body."""

    lines: list[str]
    skipped: int
    context: ReadContext
    drafts: list[Draft] = field(default_factory=list)
    inline_notes: dict[int, dict[str, Any]] = field(default_factory=dict)
    _lists: list[int | None] = field(default_factory=list)
    _item_open: str | None = None
    _terms: list[tuple[str, int]] = field(default_factory=list)
    _notes: dict[str, list[Draft]] = field(default_factory=dict)
    _calls: dict[int, list[str]] = field(default_factory=dict)

    def blocks(self, tokens: Sequence[Token]) -> None:
        index = 0
        while index < len(tokens):
            token = tokens[index]
            if token.type == "table_open":
                end = _closing(tokens, index)
                self._table(tokens[index:end])
                index = end
            elif token.type == "footnote_reference_open":
                end = _closing(tokens, index)
                self._note(str(token.meta["label"]), tokens[index + 1 : end])
                index = end
            elif token.type == "heading_open":
                self._text(tokens[index + 1], AssetKind.HEADING, level=int(token.tag[1]))
                index += 2
            elif token.type == "dt_open":
                words = " ".join(_inline_lines(tokens[index + 1].children or []))
                self._terms.append((words, self._range(tokens[index + 1])[0]))
                index += 2
            elif token.type in ("dd_open", "dl_close"):
                if tokens[min(index + 1, len(tokens) - 1)].type != "paragraph_open":
                    self._lone_terms()
            else:
                self._block(token)
            index += 1

    def _lone_terms(self) -> None:
        """Terms whose definition does not begin with text."""
        for text, line in self._terms:
            region = Region(0, len(text), lines=LineRange(line, line))
            self.drafts.append(Draft(AssetKind.PARAGRAPH, text, (region,)))
        self._terms.clear()

    def with_notes(self) -> list[Draft]:
        """All drafts, each note behind what first refers to it; the others stand last."""
        placed: list[Draft] = []
        left = dict(self._notes)
        pending = list(reversed(self.drafts))
        while pending or left:
            if not pending:
                pending = list(reversed(left.pop(next(iter(left)))))
                continue
            draft = pending.pop()
            placed.append(draft)
            for label in reversed(self._calls.get(id(draft), [])):
                pending.extend(reversed(left.pop(label, [])))
        return placed

    def _note(self, label: str, tokens: Sequence[Token]) -> None:
        outer, self.drafts = self.drafts, []
        self.blocks(tokens)
        kinds = (AssetKind.PARAGRAPH, AssetKind.LIST_ITEM)
        for number, draft in enumerate(self.drafts):
            calls = self._calls.pop(id(draft), [])
            note = (
                replace(draft, kind=AssetKind.FOOTNOTE, level=None)
                if draft.kind in kinds
                else draft
            )
            if number == 0 and draft.kind in kinds:
                note = _prefixed(note, f"[^{label}]: ")
            self._calls[id(note)] = calls
            self.drafts[number] = note
        self._notes.setdefault(label, []).extend(self.drafts)
        self.drafts = outer

    def _block(self, token: Token) -> None:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            ordered = token.type == "ordered_list_open"
            self._lists.append(int(token.attrGet("start") or 1) if ordered else None)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
        elif token.type == "list_item_open":
            number = self._lists[-1]
            self._item_open = "" if number is None else f"{token.info}{token.markup} "
        elif token.type == "list_item_close":
            self._item_open = None
        elif token.type == "inline":
            self._paragraph(token)
        elif token.type in ("math_block", "math_block_label") or (
            token.type == "fence" and token.info.strip().lower() == "math"
        ):
            self._formula(token)
        elif token.type in ("fence", "code_block"):
            self._code(token)
        elif token.type == "html_block":
            self._html(token)

    def _paragraph(self, token: Token) -> None:
        children = token.children or []
        images = [child for child in children if child.type == "image"]
        rest = [c for c in children if c.type not in ("image", "softbreak", "hardbreak")]
        if images and not any(c.content.strip() or c.type.endswith("_inline") for c in rest):
            for image in images:
                self._figure(image, token)
            return
        if self._item_open is not None:
            prefix, self._item_open = self._item_open, None
            self._text(token, AssetKind.LIST_ITEM, level=len(self._lists) - 1, prefix=prefix)
            return
        if self._terms:
            self._definition(token)
        elif _FORMULA.fullmatch(token.content.strip()):
            self._text(token, AssetKind.FORMULA)
        else:
            self._text(token, AssetKind.PARAGRAPH)

    def _definition(self, token: Token) -> None:
        """A definition behind its terms, whose line is one of its places."""
        names = ", ".join(name for name, _ in self._terms)
        line = self._terms[0][1]
        self._terms.clear()
        count = len(self.drafts)
        self._text(token, AssetKind.LIST_ITEM, level=0)
        if len(self.drafts) > count:
            draft = self.drafts.pop()
            calls = self._calls.pop(id(draft), [])
            before = f"{names}{'' if names.endswith((':', '：')) else ':'} "
            region = Region(0, len(before), lines=LineRange(line, line))
            draft = _prefixed(draft, before)
            draft = replace(draft, regions=(region, *_cut(draft.regions, len(before))))
            self.drafts.append(draft)
            self._calls[id(draft)] = calls

    def _formula(self, token: Token) -> None:
        first, last = self._range(token)
        text = token.content.strip()
        if text:
            region = Region(0, len(text), lines=LineRange(first, last))
            self.drafts.append(Draft(AssetKind.FORMULA, text, (region,)))

    def _text(
        self, token: Token, kind: AssetKind, level: int | None = None, prefix: str = ""
    ) -> None:
        lines = _inline_lines(token.children or [])
        if kind is AssetKind.HEADING:
            lines[-1] = _ATTRIBUTES.sub("", lines[-1])
        lines[0] = prefix + _ALERT.sub(lambda found: f"{found[1].capitalize()}:", lines[0])
        text, starts = join_lines(lines)
        if not text.strip():
            return
        first, last = self._range(token)
        if last - first + 1 == len(lines):
            regions = line_regions(starts, len(text), first)
        else:
            regions = (Region(0, len(text), lines=LineRange(first, last)),)
        self.drafts.append(Draft(kind, text, regions, level=level))
        self._call_notes(token, regions)

    def _call_notes(self, token: Token, regions: tuple[Region, ...]) -> None:
        """Remember which notes the last draft refers to; those written inside it follow at once."""
        owner = self.drafts[-1]
        for child in token.children or []:
            if child.type != "footnote_ref":
                continue
            if "label" in child.meta:
                self._calls.setdefault(id(owner), []).append(str(child.meta["label"]))
                continue
            note = self.inline_notes.get(child.meta["id"], {})
            text = " ".join(_inline_lines(note.get("tokens") or []))
            lines = regions[0].lines if regions else None
            if text:
                region = Region(0, len(text), lines=lines)
                self.drafts.append(Draft(AssetKind.FOOTNOTE, text, (region,)))

    def _range(self, token: Token) -> tuple[int, int]:
        """First and last line in the file, 1-based, without trailing blank lines."""
        begin, end = token.map or (0, 1)
        while end - 1 > begin and not self.lines[end - 1].strip():
            end -= 1
        return begin + 1 + self.skipped, max(begin + 1, end) + self.skipped

    def _figure(self, image: Token, token: Token) -> None:
        alt, caption = image.content.strip(), str(image.attrGet("title") or "").strip()
        text = "\n".join(part for part in (caption, alt) if part)
        first, last = self._range(token)
        region = Region(0, len(text), lines=LineRange(first, last))
        origins = (Origin(len(text) - len(alt), len(text), "alt"),) if alt else ()
        self.drafts.append(
            Draft(
                AssetKind.FIGURE,
                text,
                (region,),
                caption=caption or None,
                picture=picture_inside(str(image.attrGet("src") or ""), self.context),
                origins=origins,
            )
        )

    def _code(self, token: Token) -> None:
        first, _ = self._range(token)
        lines = token.content.rstrip("\n").split("\n")
        text, starts = join_lines(lines, "\n")
        if text.strip():
            inside = first + (1 if token.type == "fence" else 0)
            regions = line_regions(starts, len(text), inside)
            self.drafts.append(Draft(AssetKind.CODE, text, regions))

    def _table(self, tokens: Sequence[Token]) -> None:
        rows: list[list[str]] = []
        places: list[int] = []
        header = 0
        for token in tokens:
            if token.type == "tr_open":
                rows.append([])
                places.append(self._range(token)[0])
            elif token.type == "inline":
                rows[-1].append(" ".join(_inline_lines(token.children or [])))
            elif token.type in ("th_close", "td_close"):
                header = len(rows) if token.type == "th_close" else header
        if has_text(rows):
            names = guess_row_headers(rows, header)
            text, table = build_table(rows, header, row_headers=names)
            regions = tuple(
                Region(start, end, lines=LineRange(line, line))
                for (start, end), line in zip(table.row_spans, places, strict=True)
            )
            self.drafts.append(Draft(AssetKind.TABLE, text, regions, table=table))
            for token in tokens:
                if token.type == "inline" and len(self.drafts):
                    self._call_table_notes(token)

    def _call_table_notes(self, token: Token) -> None:
        table = next(d for d in reversed(self.drafts) if d.kind is AssetKind.TABLE)
        labels = [str(c.meta["label"]) for c in token.children or [] if "label" in c.meta]
        self._calls.setdefault(id(table), []).extend(labels)

    def _html(self, token: Token) -> None:
        from chapterverse.ingest.html_parts import fragment_drafts

        first, last = self._range(token)
        for draft in fragment_drafts(token.content):
            region = Region(0, len(draft.text), lines=LineRange(first, last))
            self.drafts.append(replace(draft, regions=(region,)))


def _closing(tokens: Sequence[Token], start: int) -> int:
    closing = tokens[start].type.replace("_open", "_close")
    return next(i for i in range(start, len(tokens)) if tokens[i].type == closing)


def _inline_lines(children: Sequence[Token]) -> list[str]:
    """The text of inline tokens, one entry a source line."""
    lines = [""]
    for child in children:
        if child.type == "footnote_ref":
            lines[-1] += f"[^{child.meta['label']}]" if "label" in child.meta else ""
        elif child.type in ("math_inline", "math_inline_double"):
            sign = "$$" if child.type.endswith("double") else "$"
            first, *others = f"{sign}{child.content}{sign}".split("\n")
            lines[-1] += first
            lines.extend(others)
        elif child.type in ("softbreak", "hardbreak"):
            lines.append("")
        elif child.type == "html_inline":
            lines[-1] += " " if child.content.lower().startswith("<br") else ""
        elif child.type in ("text", "code_inline", "image"):
            lines[-1] += child.content
    return [line.strip() for line in lines]


def _prefixed(draft: Draft, prefix: str) -> Draft:
    """*draft* with *prefix* in front, which its first region then covers as well."""
    shift = len(prefix)
    regions = tuple(
        replace(r, start=r.start + shift if n else 0, end=r.end + shift)
        for n, r in enumerate(draft.regions)
    )
    return replace(draft, text=prefix + draft.text, regions=regions)


def _cut(regions: tuple[Region, ...], start: int) -> tuple[Region, ...]:
    return tuple(replace(region, start=max(region.start, start)) for region in regions)
