"""Mailboxes (mbox): each message a document of its own, and one line a message to find it by."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chapterverse.ingest.context import DEFAULT_CONTEXT, ReadContext
from chapterverse.ingest.mail import MAX_NESTED, unique_name
from chapterverse.ingest.mail_mime import parse_message
from chapterverse.ingest.mail_words import file_name
from chapterverse.ingest.media_types import MBOX
from chapterverse.ingest.outline import Draft, to_assets
from chapterverse.schema.errors import Empty, TooLarge
from chapterverse.schema.records import AssetKind, Attachment, LineRange, Parsed, Region

__all__ = ["MAX_MESSAGES", "PARSER", "read_mbox"]

PARSER = "mbox/1"
MAX_MESSAGES = 10_000
# A "From " line in prose has no time of day, and no header field after it.
_START = re.compile(
    rb"(?:\A|(?<=\n)\r?\n|(?<=\n))(From [^\r\n]*\d:\d\d[^\r\n]*\r?\n)(?=>?[!-9;-~]+:)"
)
_ESCAPED = re.compile(rb"^>(>*From )", re.M)


def read_mbox(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """List the messages of a mailbox and keep each as ``0001 Subject.eml``.

    List items carry the line range of their message (1-based).

    :raises TooLarge: more than :data:`MAX_MESSAGES` messages, or a mailbox within too many files.
    :raises Empty: no message was found.
    """
    if context.depth >= MAX_NESTED:
        raise TooLarge(
            f"{context.name}: a mailbox within {context.depth} files; {MAX_NESTED} are allowed"
        )
    drafts: list[Draft] = []
    attachments: list[Attachment] = []
    used: set[str] = set()
    for first, raw in _messages(data):
        if len(attachments) == MAX_MESSAGES:
            raise TooLarge(
                f"{context.name}: the mailbox has more than {MAX_MESSAGES:,} messages; split it"
            )
        message = parse_message(raw)
        subject, sender = message.text("subject"), message.text("from")
        number = f"{len(attachments) + 1:04d}"
        name = unique_name(f"{number} {file_name(subject, 'message')[:80]}.eml", used)
        attachments.append(Attachment(name, context.keep(raw), len(raw)))
        parts = (message.text("date"), sender, subject or "(no subject)")
        text = " | ".join(part for part in parts if part)
        lines = LineRange(first, first + raw.count(b"\n"))
        region = Region(0, len(text), lines=lines, place=name)
        drafts.append(Draft(AssetKind.LIST_ITEM, text, (region,), level=0))
    if not attachments:
        raise Empty(f"{context.name}: the mailbox has no messages")
    return Parsed(MBOX, PARSER, to_assets(drafts), attachments=tuple(attachments))


def _messages(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The line number of each "From " line, and the message behind it without escapes."""
    line, counted = 1, 0
    found = _START.search(data)
    while found:
        following = _START.search(data, found.end())
        line += data.count(b"\n", counted, found.start(1))
        counted = found.start(1)
        raw = data[found.end() : following.start() if following else len(data)]
        yield line, _ESCAPED.sub(rb"\1", raw)
        found = following
