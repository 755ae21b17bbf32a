"""Mail of any format as one record, and from there to assets.

The subject is the document title; one paragraph holds the header lines that a mail program shows,
so that mail can be found by its sender. Then come the bodies and, as documents of their own, the
files. Mail has no pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.mail_body import MailBody, body_drafts
from chapterverse.ingest.mail_words import file_name
from chapterverse.ingest.outline import TITLE, Draft, to_assets
from chapterverse.ingest.pictures import keep_picture
from chapterverse.schema.errors import Encrypted
from chapterverse.schema.records import (
    AssetKind,
    Attachment,
    Parsed,
    ParseWarning,
    Picture,
)

__all__ = ["MAX_NESTED", "Mail", "MailFile", "mail_parsed", "unique_name"]

MAX_NESTED = 8
"""So many files may lie around a mail whose own attachments are still taken out."""

_SHOWN = ("From", "To", "Cc", "Date")
_LONGEST_LINE = 2000


@dataclass(frozen=True, slots=True)
class MailFile:
    """A file in a mail; ``links`` are the names by which its HTML may show it (``cid:...``)."""

    name: str
    data: bytes
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mail:
    """A message. ``headers`` are decoded, by their usual spelling (``Reply-To``).

    ``sealed`` names the encryption of a part that could not be read.
    """

    headers: dict[str, str]
    bodies: tuple[MailBody, ...] = ()
    files: tuple[MailFile, ...] = ()
    sealed: str | None = None
    warnings: tuple[ParseWarning, ...] = ()


def mail_parsed(mail: Mail, media_type: str, parser: str, context: ReadContext) -> Parsed:
    """Assets, properties and attachments of *mail*.

    :raises Encrypted: nothing but an encrypted part is in it.
    """
    shown: set[str] = set()

    def find_picture(source: str) -> Picture | None:
        for file in mail.files:
            if source in file.links:
                picture = keep_picture(file.data, context)
                if picture is not None:
                    shown.add(file.name)
                return picture
        return None

    drafts: list[Draft] = []
    warnings = list(mail.warnings)
    for body in mail.bodies:
        found, more = body_drafts(body, find_picture)
        drafts += found
        warnings += more
    if mail.sealed:
        if not drafts and not mail.files:
            raise Encrypted(
                f"{context.name}: the mail is encrypted with {mail.sealed}; open it in a mail "
                "program that has the key and save it decrypted"
            )
        text = f"A part of this mail is encrypted with {mail.sealed} and was not read."
        warnings.append(ParseWarning("encrypted_part", text))
    files = [file for file in mail.files if file.name not in shown]
    attachments = _attachments(files, context, warnings)
    head = list(_head(mail, [attachment.name for attachment in attachments]))
    return Parsed(
        media_type,
        parser,
        to_assets([*head, *drafts]),
        title=mail.headers.get("Subject") or None,
        warnings=tuple(warnings),
        properties=_properties(mail.headers),
        attachments=attachments,
    )


def _attachments(
    files: list[MailFile], context: ReadContext, warnings: list[ParseWarning]
) -> tuple[Attachment, ...]:
    if files and context.depth >= MAX_NESTED:
        message = f"{len(files)} attachments lie more than {MAX_NESTED} files deep; left out"
        warnings.append(ParseWarning("nested_too_deep", message))
        return ()
    used: set[str] = set()
    return tuple(
        Attachment(unique_name(file.name, used), context.keep(file.data), len(file.data))
        for file in files
    )


def unique_name(name: str, used: set[str]) -> str:
    """*name*, with a number before its suffix if it is in *used* (case ignored); adds it there."""
    name = "/".join(file_name(part, "_") for part in name.split("/")) or "file"
    folder, slash, last = name.rpartition("/")
    stem, dot, suffix = last.rpartition(".")
    if not stem:
        stem, dot, suffix = last, "", ""
    number = 1
    while name.casefold() in used:
        number += 1
        name = f"{folder}{slash}{stem} ({number}){dot}{suffix}"
    used.add(name.casefold())
    return name


def _head(mail: Mail, names: list[str]) -> Iterator[Draft]:
    subject = mail.headers.get("Subject")
    if subject:
        yield Draft(AssetKind.HEADING, subject, level=TITLE)
    lines = [f"{name}: {mail.headers[name]}" for name in _SHOWN if mail.headers.get(name)]
    if names:
        lines.append(f"Attachments: {', '.join(names)}")
    text = "\n".join(_cut(line) for line in lines)
    if text:
        yield Draft(AssetKind.PARAGRAPH, text)


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 2]} …"


def _properties(headers: dict[str, str]) -> dict[str, str]:
    properties = {
        name.lower().replace("-", "_"): _cut(value) for name, value in headers.items() if value
    }
    sent = _date(headers.get("Date", ""))
    if sent is not None:
        properties["date"] = sent.isoformat()
    return properties


def _date(value: str) -> datetime | None:
    try:
        return parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
