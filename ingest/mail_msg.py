"""Outlook messages (MSG, [MS-OXMSG]): properties in an OLE file, to the record of any mail."""

from __future__ import annotations

import io
from collections.abc import Iterator

from chapterverse.ingest.context import DEFAULT_CONTEXT, ReadContext
from chapterverse.ingest.html import decode_page
from chapterverse.ingest.mail import Mail, MailFile, mail_parsed
from chapterverse.ingest.mail_body import MailBody
from chapterverse.ingest.mail_eml import HEADERS, parse_mail
from chapterverse.ingest.mail_mime import parse_message
from chapterverse.ingest.mail_msg_store import MessageStore, unpack_rtf
from chapterverse.ingest.mail_words import file_name
from chapterverse.ingest.mail_write import mail_bytes
from chapterverse.ingest.media_types import MSG
from chapterverse.schema.errors import Corrupt
from chapterverse.schema.records import Parsed, ParseWarning

__all__ = ["PARSER", "read_msg"]

PARSER = "msg/2"
_DEEPEST = 8
_HEADER_BYTES = {"top": 32, "embedded": 24, "part": 8}
_BY_VALUE, _EMBEDDED = 1, 5
_KINDS = {1: "To", 2: "Cc"}
_MOST = 2000


def read_msg(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Parse an Outlook message: the same assets and attachments as of internet mail.

    Messages within it are kept as ``subject.eml``.

    :raises Encrypted: all of it is encrypted.
    :raises Corrupt: the file is no whole OLE file, or holds no message.
    """
    import olefile

    try:
        with olefile.OleFileIO(io.BytesIO(data)) as ole:
            mail = _mail(MessageStore(ole, (), _HEADER_BYTES["top"]), 0)
    except RecursionError as exc:
        raise Corrupt(f"{context.name}: the folders of the Outlook file form a loop") from exc
    # What damaged bytes make olefile raise is not written down anywhere.
    except (OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError) as exc:
        raise Corrupt(
            f"{context.name}: the Outlook message is damaged ({exc}); save it again"
        ) from exc
    if not any(mail.headers.values()) and not mail.bodies and not mail.files and not mail.sealed:
        raise Corrupt(f"{context.name}: the Outlook file holds no message")
    return mail_parsed(mail, MSG, PARSER, context)


def _mail(store: MessageStore, depth: int) -> Mail:
    warnings: list[ParseWarning] = []
    files = list(_files(store, depth, warnings))
    signed = "SMIME" in store.text(0x001A).upper()
    if signed and len(files) == 1:
        return _signed(store, files[0])
    sealed = None
    if any(file.name.lower() == "message.rpmsg" for file in files):
        sealed, files = "Rights Management", []
    body, rtf = _body(store, warnings)
    return Mail(
        headers=_headers(store),
        bodies=() if body is None or sealed else (body,),
        files=tuple(files + ([] if rtf is None else [MailFile("body.rtf", rtf)])),
        sealed=sealed,
        warnings=tuple(warnings),
    )


def _signed(store: MessageStore, wrapped: MailFile) -> Mail:
    """S/MIME: the only attachment is the message as it was sent, or it is encrypted."""
    part = parse_message(wrapped.data)
    if part.media_type.startswith("multipart/"):
        inner = parse_mail(part)
        return Mail(_headers(store), inner.bodies, inner.files, inner.sealed, inner.warnings)
    return Mail(_headers(store), sealed="S/MIME")


def _headers(store: MessageStore) -> dict[str, str]:
    """Those the message was sent with, else what Outlook knows of sender and receivers."""
    sent = parse_message(store.text(0x007D).encode())
    headers = {name: sent.text(name) for name in HEADERS}
    address = store.text(0x5D01) or store.text(0x0C1F)
    known = {
        "Subject": store.text(0x0037),
        "From": _address(store.text(0x0C1A) or store.text(0x0042), address),
        "Date": store.date(0x0039) or store.date(0x0E06),
        "Message-ID": store.text(0x1035),
        **_receivers(store),
    }
    return {name: headers[name] or " ".join(known.get(name, "").split()) for name in HEADERS}


def _receivers(store: MessageStore) -> dict[str, str]:
    found: dict[str, list[str]] = {"To": [], "Cc": []}
    for inner in store.folders("__recip_version1.0_")[:_MOST]:
        person = store.inside(inner, _HEADER_BYTES["part"])
        kind = _KINDS.get(person.number(0x0C15) or 0)
        if kind is not None:
            address = person.text(0x39FE) or person.text(0x3003)
            found[kind].append(_address(person.text(0x3001), address))
    shown = {"To": store.text(0x0E04), "Cc": store.text(0x0E03)}
    return {kind: ", ".join(found[kind]) or shown[kind] for kind in found}


def _address(name: str, address: str) -> str:
    if "@" not in address or name == address:
        return name or address
    return f"{name} <{address}>" if name else address


def _body(
    store: MessageStore, warnings: list[ParseWarning]
) -> tuple[MailBody | None, bytes | None]:
    """The body; where there is only the rich text one, that as a file of its own."""
    plain = store.text(0x1000) or None
    raw = store.data(0x1013)
    html = (decode_page(raw, store.codepage).text if raw else store.text(0x1013)) or None
    if plain or html:
        return MailBody(plain, html), None
    packed = store.data(0x1009)
    if not packed:
        return None, None
    rtf = unpack_rtf(packed)
    if rtf is None:
        text = "The rich text body of this message is damaged and was not read."
    else:
        text = "This message has a rich text body only; it is kept as body.rtf."
    warnings.append(ParseWarning("rich_text_body", text))
    return None, rtf


def _files(store: MessageStore, depth: int, warnings: list[ParseWarning]) -> Iterator[MailFile]:
    lost = 0
    for number, inner in enumerate(store.folders("__attach_version1.0_")[:_MOST], start=1):
        part = store.inside(inner, _HEADER_BYTES["part"])
        named = part.text(0x3707) or part.text(0x3704) or part.text(0x3001)
        if part.number(0x3705) == _EMBEDDED:
            if depth < _DEEPEST:
                message = _mail(
                    part.inside("__substg1.0_3701000D", _HEADER_BYTES["embedded"]), depth + 1
                )
                subject = message.headers["Subject"] or named
                name = file_name(subject, f"message {number}")[:100]
                yield MailFile(f"{name}.eml", mail_bytes(message))
            else:
                lost += 1
            continue
        data = part.data(0x3701)
        if not data:
            lost += 1
            continue
        cid, location = part.text(0x3712), part.text(0x3713)
        links = [f"cid:{cid.strip('<>')}"] if cid else []
        links += [location] if location else []
        yield MailFile(file_name(named, f"part {number}.bin"), data, tuple(links))
    if lost:
        text = f"{lost} attachments hold no bytes of their own (links, objects) and were left out"
        warnings.append(ParseWarning("parts_left_out", text))
