"""Markdown (CommonMark with tables) through markdown-it-py, with line ranges.

``unstructured`` would turn Markdown into HTML first and lose the line numbers, so the token
stream is read directly. HTML blocks inside go through the same table code as HTML pages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.encoding import decode
from chapterverse.ingest.flow_captions import bind_captions
from chapterverse.ingest.lines import join_lines, line_regions
from chapterverse.ingest.outline import Draft, promote_title, title_text, to_assets
from chapterverse.ingest.plain import decoding_warnings
from chapterverse.ingest.tables import build_table, has_text
from chapterverse.schema.errors import Corrupt
from chapterverse.schema.records import AssetKind, LineRange, Parsed, ParseWarning, Region

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["PARSER", "parse_markdown", "read_markdown"]

PARSER = "markdown/1"
_CONTEXT = ReadContext()
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S | re.M)
_TOML_MATTER = re.compile(r"\A\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.S | re.M)
_DEEPEST = 120
"""Nesting of blocks; the library's own 20 would drop the text of lists beyond ten levels."""
_KEY = re.compile(r"^([A-Za-z_][\w-]*)\s*[:=]\s*(.*)$", re.M)
_FOOTNOTE = re.compile(r"\[\^([^\]\s]+)\]:\s*")
_FORMULA = re.compile(r"\$\$.+\$\$", re.S)


def read_markdown(data: bytes, context: ReadContext = _CONTEXT) -> Parsed:
    """Decode and parse a Markdown file; regions carry its line numbers (1-based)."""
    decoded = decode(data)
    return parse_markdown(decoded.text, decoding_warnings(decoded))


def parse_markdown(text: str, warnings: tuple[ParseWarning, ...] = ()) -> Parsed:
    """Parse Markdown *text* with ``\\n`` line ends.

    Front matter gives the title and is no body text; a warning names its other keys. A single
    top heading is the document title.

    :raises Corrupt: lists or quotations nested so deeply that what is in them would be dropped.
    """
    from markdown_it import MarkdownIt

    declared, body, skipped, matter = _front_matter(text)
    env: dict[str, Any] = {}
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
    walk = _Walk(body.split("\n"), skipped)
    tokens = parser.parse(body, env)
    if any(token.nesting == 1 and token.level >= _DEEPEST - 1 for token in tokens):
        raise Corrupt("Lists or quotations are nested too deeply to be read; make them flatter.")
    walk.blocks(tokens)
    drafts = _with_swallowed_notes(walk.drafts, env, skipped)
    drafts = list(promote_title(bind_captions(drafts), declared))
    return Parsed(
        "text/markdown",
        PARSER,
        to_assets(drafts),
        title=declared or title_text(drafts, None),
        warnings=warnings + matter,
    )


def _front_matter(text: str) -> tuple[str | None, str, int, tuple[ParseWarning, ...]]:
    """Title, body, number of lines before the body, and what to tell about other keys."""
    match = _FRONT_MATTER.match(text) or _TOML_MATTER.match(text)
    if match is None or not _KEY.search(match.group(1)):
        return None, text, 0, ()
    keys = {key: value.strip().strip("\"'") for key, value in _KEY.findall(match.group(1))}
    title = keys.pop("title", None) or None
    warnings: tuple[ParseWarning, ...] = ()
    if keys:
        names = ", ".join(sorted(keys))
        warnings = (ParseWarning("front_matter", f"front matter is not searched: {names}"),)
    return title, text[match.end() :], match.group(0).count("\n"), warnings


@dataclass(slots=True)
class _Walk:
    """Goes through the tokens once and collects drafts; ``skipped`` lines precede the body."""

    lines: list[str]
    skipped: int
    drafts: list[Draft] = field(default_factory=list)
    _lists: list[int | None] = field(default_factory=list)
    _item_open: str | None = None

    def blocks(self, tokens: Sequence[Token]) -> None:
        index = 0
        while index < len(tokens):
            token = tokens[index]
            if token.type == "table_open":
                end = _closing(tokens, index)
                self._table(tokens[index:end])
                index = end
            elif token.type == "heading_open":
                self._text(tokens[index + 1], AssetKind.HEADING, level=int(token.tag[1]))
                index += 2
            else:
                self._block(token)
            index += 1

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
        note = _FOOTNOTE.match(token.content)
        if note:
            self._text(token, AssetKind.FOOTNOTE)
        elif _FORMULA.fullmatch(token.content.strip()):
            self._text(token, AssetKind.FORMULA)
        else:
            self._text(token, AssetKind.PARAGRAPH)

    def _text(
        self, token: Token, kind: AssetKind, level: int | None = None, prefix: str = ""
    ) -> None:
        lines = _inline_lines(token.children or [])
        lines[0] = prefix + lines[0]
        text, starts = join_lines(lines)
        if not text.strip():
            return
        first, last = self._range(token)
        if last - first + 1 == len(lines):
            regions = line_regions(starts, len(text), first)
        else:
            regions = (Region(0, len(text), lines=LineRange(first, last)),)
        self.drafts.append(Draft(kind, text, regions, level=level))

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
        self.drafts.append(Draft(AssetKind.FIGURE, text, (region,), caption=caption or None))

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
            text, table = build_table(rows, header)
            regions = tuple(
                Region(start, end, lines=LineRange(line, line))
                for (start, end), line in zip(table.row_spans, places, strict=True)
            )
            self.drafts.append(Draft(AssetKind.TABLE, text, regions, table=table))

    def _html(self, token: Token) -> None:
        from chapterverse.ingest.html_parts import fragment_drafts

        first, last = self._range(token)
        for draft in fragment_drafts(token.content):
            region = Region(0, len(draft.text), lines=LineRange(first, last))
            self.drafts.append(
                Draft(draft.kind, draft.text, (region,), draft.level, draft.caption, draft.table)
            )


def _closing(tokens: Sequence[Token], start: int) -> int:
    closing = tokens[start].type.replace("_open", "_close")
    return next(i for i in range(start, len(tokens)) if tokens[i].type == closing)


def _inline_lines(children: Sequence[Token]) -> list[str]:
    """The text of inline tokens, one entry a source line."""
    lines = [""]
    for before, child in zip((None, *children), children, strict=False):
        if before is not None and before.type == "link_open" and child.content.startswith("^"):
            lines[-1] += f"[{child.content}]"  # a reference to a footnote, not a link
        elif child.type in ("softbreak", "hardbreak"):
            lines.append("")
        elif child.type == "html_inline":
            lines[-1] += " " if child.content.lower().startswith("<br") else ""
        elif child.type in ("text", "code_inline", "image"):
            lines[-1] += child.content
    return [line.strip() for line in lines]


def _with_swallowed_notes(drafts: list[Draft], env: dict[str, Any], skipped: int) -> list[Draft]:
    """Give back one-word footnotes, which CommonMark takes for link targets (``[^1]: Ibid``)."""
    for label, target in env.get("references", {}).items():
        if label.startswith("^"):
            text = f"[{label.lower()}]: {target['href']}"
            lines = LineRange(target["map"][0] + 1 + skipped, target["map"][1] + skipped)
            region = Region(0, len(text), lines=lines)
            drafts.append(Draft(AssetKind.FOOTNOTE, text, (region,)))
    return drafts
