"""Plain text: paragraphs by blank lines, cautious headings, list items, line numbers.

``unstructured`` is not used here: it guesses titles from capital letters and loses line numbers.
A file has no marks for structure, so only what is numbered or underlined as a heading is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from chapterverse.ingest.context import DEFAULT_CONTEXT, ReadContext
from chapterverse.ingest.encoding import Decoded, decode
from chapterverse.ingest.lines import display_width, join_lines, line_regions
from chapterverse.ingest.outline import (
    TITLE,
    Draft,
    numbered_level,
    promote_title,
    title_text,
    to_assets,
)
from chapterverse.schema.errors import Empty, Unsupported
from chapterverse.schema.records import AssetKind, LineRange, Parsed, ParseWarning, Region

__all__ = [
    "PARSER",
    "decoding_warnings",
    "encoding_properties",
    "read_plain",
    "read_text",
    "text_drafts",
]

PARSER = "plain/2"
_UNSURE = 0.55
"""Below this confidence the user is told; of 128 samples, the 4 wrong guesses lay below it."""
_WRAP_WIDTH = 110
_MOST_LINES = 40
_ATX = re.compile(r"(#{1,6})\s+(\S.*?)\s*#*$")
_UNDERLINE = re.compile(r"(=|-|~){3,}\s*$")
_BULLET = re.compile(r"(\s*)(?:[-*+•·●○▪■◆‣–]\s+)(?=\S)")
_NUMBER = re.compile(r"(\s*)(?:\d{1,3}[.)、．](?!\d)|[(（]\d{1,3}[)）]|[①-⑳]|[a-z]\))\s*(?=\S)")
_SENTENCE_END = re.compile(r"[。！？.!?;；:：,，、]$")


def read_text(text: str, media_type: str) -> Parsed:
    """Parse *text* that the caller holds as a string; *media_type* is plain or Markdown.

    :raises Unsupported: another media type.
    :raises Empty: nothing in it can be read.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if media_type == "text/markdown":
        from chapterverse.ingest.markdown import parse_markdown

        parsed = parse_markdown(text)
    elif media_type == "text/plain":
        parsed = _parse(text, ())
    else:
        raise Unsupported(
            f"The media type is {media_type!r}; a text is 'text/plain' or 'text/markdown'. "
            "Ingest other formats as files."
        )
    if not any(asset.text.strip() for asset in parsed.assets):
        raise Empty("The text holds nothing that can be read.")
    return parsed


def read_plain(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Decode and parse a text file; regions carry its line numbers (1-based).

    The properties name the encoding and how sure it is (``"0.93"``).
    """
    decoded = decode(data)
    parsed = _parse(decoded.text, decoding_warnings(decoded))
    return replace(parsed, properties=encoding_properties(decoded))


def decoding_warnings(decoded: Decoded) -> tuple[ParseWarning, ...]:
    """What to tell the user about a text that could not be decoded without loss."""
    warnings: list[ParseWarning] = []
    if decoded.replaced:
        message = f"{decoded.replaced} places are not valid {decoded.encoding}; they read as U+FFFD"
        warnings.append(ParseWarning("undecodable", message))
    if decoded.confidence < _UNSURE:
        message = (
            f"the encoding was guessed as {decoded.encoding} with confidence "
            f"{decoded.confidence:.2f}; if the text is garbled, save the file as UTF-8"
        )
        warnings.append(ParseWarning("encoding_unsure", message))
    return tuple(warnings)


def encoding_properties(decoded: Decoded) -> dict[str, str]:
    """The encoding and its confidence as properties of a document."""
    return {
        "encoding": decoded.encoding,
        "encoding_confidence": f"{decoded.confidence:.2f}",
    }


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines between blank lines; ``first`` is the number of the first one, 1-based."""

    first: int
    lines: tuple[str, ...]


def _parse(text: str, warnings: tuple[ParseWarning, ...]) -> Parsed:
    drafts = _with_title(text_drafts(text), text.split("\n"))
    title = title_text(drafts, None)
    return Parsed("text/plain", PARSER, to_assets(drafts), title=title, warnings=warnings)


def text_drafts(text: str) -> list[Draft]:
    """Paragraphs, list items and headings of *text*; regions carry its line numbers (1-based)."""
    blocks = list(_blocks(text))
    drafts: list[Draft] = []
    for index, block in enumerate(blocks):
        following = blocks[index + 1] if index + 1 < len(blocks) else None
        drafts.extend(_drafts(block, following))
    return drafts


def _blocks(text: str) -> Iterator[_Block]:
    pending: list[str] = []
    first = 1
    # Not splitlines(): it also breaks at form feeds and U+2028, which no editor counts as lines.
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.replace("\f", " ").rstrip()
        if line.strip("\u3000 \t\ufeff\u200b"):
            if not pending:
                first = number
            pending.append(line)
        elif pending:
            yield _Block(first, tuple(pending))
            pending = []
    if pending:
        yield _Block(first, tuple(pending))


def _drafts(block: _Block, following: _Block | None) -> Iterator[Draft]:
    heading = _heading(block, following)
    if heading is not None:
        used, draft = heading
        yield draft
        block = _Block(block.first + used, block.lines[used:])
    items = _first_item(block.lines)
    yield from _paragraphs(_Block(block.first, block.lines[:items]))
    yield from _list_items(_Block(block.first + items, block.lines[items:]))


def _heading(block: _Block, following: _Block | None) -> tuple[int, Draft] | None:
    """The heading that begins *block* and how many lines it takes."""
    line = block.lines[0].strip()
    alone = len(block.lines) == 1
    atx = _ATX.match(line)
    if atx and alone:
        return 1, _heading_draft(atx.group(2), len(atx.group(1)), block.first)
    if len(block.lines) > 1 and _UNDERLINE.match(block.lines[1]) and not _BULLET.match(line):
        wide_enough = len(block.lines[1].strip()) >= min(len(line), 4)
        if wide_enough and not _UNDERLINE.match(line):
            level = 1 if block.lines[1].startswith("=") else 2
            return 2, _heading_draft(line, level, block.first)
    number = numbered_level(line)
    if number is None or not (alone or line.startswith("第")):
        return None
    if _NUMBER.match(line) and not _opens_section(following):
        return None
    return 1, _heading_draft(line, number, block.first)


def _opens_section(following: _Block | None) -> bool:
    """Whether what follows ``3. Word`` makes it a heading: text, and not the next item."""
    if following is None:
        return False
    line = following.lines[0]
    body = len(following.lines) > 1 or len(line) > 60 or bool(_SENTENCE_END.search(line))
    return body and not _NUMBER.match(line)


def _marked(lines: Sequence[str]) -> bool:
    """Whether the first of two *lines* carries the mark of a top heading."""
    return bool(re.match(r"\s*#\s", lines[0])) or bool(re.match(r"={3,}\s*$", lines[-1]))


def _heading_draft(text: str, level: int, line: int) -> Draft:
    text = " ".join(text.split())
    region = Region(0, len(text), lines=LineRange(line, line))
    return Draft(AssetKind.HEADING, text, (region,), level=level)


def _item_level(line: str) -> int | None:
    match = _BULLET.match(line) or _NUMBER.match(line)
    return len(match.group(1).expandtabs(4)) if match else None


def _first_item(lines: Sequence[str]) -> int:
    """Where the list in *lines* begins; their number when there is none.

    Inside prose a wrapped line may begin with ``2.`` by chance, so there a list needs a second
    item or a colon before it.
    """
    items = [i for i, line in enumerate(lines) if _item_level(line) is not None]
    if not items:
        return len(lines)
    led_in = items[0] == 0 or lines[items[0] - 1].endswith((":", "："))
    return items[0] if led_in or len(items) > 1 else len(lines)


def _list_items(block: _Block) -> Iterator[Draft]:
    if not block.lines:
        return
    indents: list[int] = []
    start = 0
    for index in range(1, len(block.lines) + 1):
        if index < len(block.lines) and _item_level(block.lines[index]) is None:
            continue  # a further line of the same item
        lines = block.lines[start:index]
        indent = _item_level(lines[0]) or 0
        while indents and indents[-1] >= indent:
            indents.pop()
        yield _item(lines, block.first + start, len(indents))
        indents.append(indent)
        start = index


def _item(lines: Sequence[str], first: int, level: int) -> Draft:
    stripped = [line.strip() for line in lines]
    stripped[0] = _BULLET.sub("", stripped[0], count=1)
    text, starts = join_lines(stripped)
    return Draft(AssetKind.LIST_ITEM, text, line_regions(starts, len(text), first), level=level)


def _paragraphs(block: _Block) -> Iterator[Draft]:
    """The prose of *block*: wrapped lines joined, long lines apart, ragged lines kept as lines."""
    for first, lines in _split(block):
        stripped = [" ".join(line.split()) for line in lines]
        text, starts = join_lines(stripped, None if _is_wrapped(stripped) else "\n")
        yield Draft(AssetKind.PARAGRAPH, text, line_regions(starts, len(text), first))


def _split(block: _Block) -> Iterator[tuple[int, tuple[str, ...]]]:
    if not block.lines:
        return
    start = 0
    for index in range(1, len(block.lines) + 1):
        if index < len(block.lines):
            line = block.lines[index]
            indented = line.startswith(("\u3000\u3000", "    ")) and not block.lines[
                index - 1
            ].startswith(("\u3000\u3000", "    "))
            too_long = display_width(block.lines[index - 1]) > _WRAP_WIDTH
            if not (indented or too_long or index - start >= _MOST_LINES):
                continue
        yield block.first + start, block.lines[start:index]
        start = index


def _is_wrapped(lines: Sequence[str]) -> bool:
    if len(lines) < 2:
        return True
    widest = max(map(display_width, lines))
    return widest >= 40 and all(display_width(line) >= 0.6 * widest for line in lines[:-1])


def _with_title(drafts: list[Draft], lines: Sequence[str]) -> list[Draft]:
    """Find the document title: a lone top heading marked as one, else a short first line."""
    heading = next((draft for draft in drafts if draft.kind is AssetKind.HEADING), None)
    if heading is None:
        return drafts
    line = heading.regions[0].lines
    if line is not None and _marked(lines[line.first - 1 : line.first + 1]):
        return list(promote_title(drafts, None))
    first = drafts[0]
    if first is heading:
        return drafts
    is_line = first.kind is AssetKind.PARAGRAPH and len(first.regions) == 1
    if is_line and display_width(first.text) <= 60 and not _SENTENCE_END.search(first.text):
        drafts[0] = Draft(AssetKind.HEADING, first.text, first.regions, level=TITLE)
    return drafts
