"""Internet mail (RFC 5322, MIME)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from chapterverse.ingest.context import DEFAULT_CONTEXT, ReadContext
from chapterverse.ingest.html import decode_page
from chapterverse.ingest.mail import Mail, MailFile, mail_parsed
from chapterverse.ingest.mail_body import MailBody, unflowed
from chapterverse.ingest.mail_calendar import calendar_text
from chapterverse.ingest.mail_mime import MAX_DEPTH, MAX_PARTS, MimePart, parse_message
from chapterverse.ingest.mail_words import file_name, known_text
from chapterverse.ingest.media_types import EML
from chapterverse.schema.errors import Corrupt
from chapterverse.schema.records import Parsed, ParseWarning

__all__ = ["HEADERS", "PARSER", "parse_mail", "part_name", "read_eml"]

PARSER = "eml/2"
HEADERS = ("Subject", "From", "To", "Cc", "Reply-To", "Date", "Message-ID")
_SUFFIXES = {
    "text/plain": ".txt", "text/html": ".html", "text/calendar": ".ics", "text/csv": ".csv",
    "image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp",
    "application/pdf": ".pdf", "application/zip": ".zip", "application/json": ".json",
    "message/rfc822": ".eml", "text/rtf": ".rtf", "application/rtf": ".rtf",
    "application/msword": ".doc", "text/markdown": ".md",
}  # fmt: skip
_SIGNATURES = {
    "application/pgp-signature",
    "application/pkcs7-signature",
    "application/x-pkcs7-signature",
    "application/pgp-keys",
}
_ARMOUR = "-----BEGIN PGP MESSAGE-----"


def read_eml(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Parse a mail message; attached files and messages are kept as attachments.

    :raises Encrypted: all of it is encrypted.
    :raises Corrupt: no header field, and so no mail.
    """
    message = parse_message(data)
    if not message.headers.keys():
        raise Corrupt(f"{context.name}: no header field was found where a mail begins")
    return mail_parsed(parse_mail(message), EML, PARSER, context)


def parse_mail(message: MimePart) -> Mail:
    """The neutral record of *message*; bounded by :data:`MAX_PARTS` and :data:`MAX_DEPTH`."""
    found = _Found()
    found.take(message, 0)
    if found.dropped:
        text = f"{found.dropped} parts over the limits ({MAX_PARTS} parts, {MAX_DEPTH} deep)"
        found.warnings.append(ParseWarning("parts_left_out", f"{text} were left out"))
    return Mail(
        headers={name: message.text(name) for name in HEADERS},
        bodies=tuple(found.bodies),
        files=tuple(found.files),
        sealed=found.sealed,
        warnings=tuple(found.warnings),
    )


@dataclass(slots=True)
class _Found:
    """What a walk over the parts of a message has met."""

    bodies: list[MailBody] = field(default_factory=list)
    files: list[MailFile] = field(default_factory=list)
    warnings: list[ParseWarning] = field(default_factory=list)
    sealed: str | None = None
    seen: int = 0
    dropped: int = 0

    def take(self, part: MimePart, depth: int) -> None:
        """Sort *part* and what lies in it into bodies and files."""
        self.seen += 1
        if depth > MAX_DEPTH or self.seen > MAX_PARTS:
            self.dropped += 1
            return
        kind = part.media_type
        if kind.startswith("multipart/"):
            self._container(part, depth)
        elif kind in ("application/pkcs7-mime", "application/x-pkcs7-mime"):
            self._smime(part)
        elif kind in _SIGNATURES:
            return
        elif part.disposition == "attachment" or not _is_text(part):
            self._file(part)
        else:
            body = _body(part)
            if body.plain is not None and body.plain.lstrip().startswith(_ARMOUR):
                self.sealed = "PGP"
            else:
                self.bodies.append(body)

    def _container(self, part: MimePart, depth: int) -> None:
        children = part.parts()
        kind = part.media_type.partition("/")[2]
        if not children:
            # Cut off or wrongly labelled: what there is of it is still text to someone.
            self.bodies.append(MailBody(plain=known_text(part.content, part.charset)))
        elif kind == "encrypted":
            self.sealed = "PGP"
        elif kind == "alternative":
            self._alternative(children, depth)
        else:
            for child in children:
                self.take(child, depth + 1)

    def _alternative(self, children: Sequence[MimePart], depth: int) -> None:
        """Forms of one text: the plain and the HTML form become one body."""
        plain: str | None = None
        html: str | None = None
        rest: list[MailBody] = []
        for child in children:
            inner = _Found(seen=self.seen)
            inner.take(child, depth + 1)
            self.seen, self.dropped = inner.seen, self.dropped + inner.dropped
            self.sealed = self.sealed or inner.sealed
            self.files += inner.files
            self.warnings += inner.warnings
            for body in inner.bodies:
                if child.media_type == "text/calendar":
                    rest.append(body)
                    continue
                plain = plain if body.plain is None else _joined(plain, body.plain)
                html = html if body.html is None else _joined(html, body.html)
        if plain is not None or html is not None:
            self.bodies.append(MailBody(plain, html))
        self.bodies += rest

    def _smime(self, part: MimePart) -> None:
        if part.parameter("smime-type") in ("signed-data", "certs-only"):
            message = "The signed S/MIME part is packed and was not read; it is kept as a file."
            self.warnings.append(ParseWarning("signed_part", message))
            self._file(part)
        else:
            self.sealed = "S/MIME"

    def _file(self, part: MimePart) -> None:
        data = part.content
        if not data.strip():
            return
        cid = part.content_id
        links = [f"cid:{cid}"] if cid else []
        location = part.text("content-location")
        links += [location] if location else []
        self.files.append(MailFile(part_name(part, self.seen), data, tuple(links)))


def part_name(part: MimePart, number: int) -> str:
    """What to call *part* as a file; *number* tells nameless ones apart."""
    suffix = _SUFFIXES.get(part.media_type, ".bin")
    if part.media_type == "message/rfc822":
        subject = parse_message(part.content).text("subject")
        name = re.sub(r"\.eml$", "", file_name(subject or part.file_name, f"message {number}"))
        return f"{name[:100]}.eml"
    return file_name(part.file_name, f"part {number}{suffix}")


def _is_text(part: MimePart) -> bool:
    kind = part.media_type
    if kind in ("message/delivery-status", "message/disposition-notification"):
        return True
    if kind == "text/calendar":
        return True
    return kind.startswith("text/") and not part.file_name and kind != "text/rtf"


def _body(part: MimePart) -> MailBody:
    data = part.content
    if part.media_type in ("text/html", "text/enriched", "text/richtext"):
        known = known_text(data, part.charset) if part.charset else decode_page(data).text
        return MailBody(html=known)
    text = known_text(data, part.charset)
    if part.media_type == "text/calendar":
        return MailBody(plain=calendar_text(text))
    if part.parameter("format").lower() == "flowed":
        text = unflowed(text, delete_space=part.parameter("delsp").lower() == "yes")
    return MailBody(plain=text)


def _joined(before: str | None, after: str) -> str:
    return after if before is None else f"{before}\n\n{after}"
