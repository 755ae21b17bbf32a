"""The parts of a MIME message, cut out as bytes.

Headers are read by the standard library. Its parser is not used for bodies: it recurses into
messages within messages without a bound, and does not give them back byte by byte.
"""

from __future__ import annotations

import binascii
import quopri
import re
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser

from chapterverse.ingest.encoding import decode
from chapterverse.ingest.mail_words import decode_words, known_text

__all__ = ["MAX_DEPTH", "MAX_PARTS", "MimePart", "parse_message", "parse_part"]

MAX_DEPTH = 20
"""Multipart containers within each other; real mail has five at most."""
MAX_PARTS = 2000

_MAX_HEADER = 1 << 20
_BLANK = re.compile(rb"\r?\n(?=\r?\n)|\r\r")
_ENVELOPE = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*(?:>?From [^\n]*\n)?")
_FIELD = re.compile(rb"[!-9;-~]+[ \t]*:")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/=]")


@dataclass(frozen=True, slots=True)
class MimePart:
    """A message or a part of one: its headers, and its body as it was sent (still encoded)."""

    headers: Message
    body: bytes
    default_type: str = "text/plain"

    @property
    def media_type(self) -> str:
        """Lower case, without parameters."""
        if "content-type" not in self.headers:
            return self.default_type
        return self.headers.get_content_type()

    @property
    def charset(self) -> str | None:
        """What the part says its characters are encoded in."""
        return self.parameter("charset") or None

    @property
    def disposition(self) -> str:
        """``attachment``, ``inline`` or the empty string."""
        value = str(self.headers.get("content-disposition") or "")
        return value.partition(";")[0].strip().lower()

    @property
    def content_id(self) -> str:
        """The name that ``cid:`` links use, without its brackets."""
        return str(self.headers.get("content-id") or "").strip().strip("<>").strip()

    @property
    def file_name(self) -> str:
        """The file name, decoded; may hold any characters."""
        for header, name in (("content-disposition", "filename"), ("content-type", "name")):
            value = self.parameter(name, header)
            if value:
                return value
        return ""

    def parameter(self, name: str, header: str = "content-type") -> str:
        """A parameter of a header field, decoded; empty when there is none."""
        try:
            value = self.headers.get_param(name, "", header)
        except (ValueError, LookupError, TypeError, IndexError):
            return ""
        if isinstance(value, tuple):
            raw = (value[2] or "").encode("latin-1", "replace")
            return known_text(raw, value[0])
        return decode_words(str(value or ""))

    def text(self, name: str) -> str:
        """A header field, decoded and on one line; empty when there is none."""
        try:
            value = self.headers.get(name)
        except (ValueError, LookupError, TypeError, IndexError):
            return ""
        return " ".join(decode_words(str(value or "")).split())

    @property
    def content(self) -> bytes:
        """The body with its transfer encoding undone, as far as it is whole."""
        encoding = str(self.headers.get("content-transfer-encoding") or "").strip().lower()
        if encoding == "base64":
            return _base64(self.body)
        if encoding == "quoted-printable":
            return quopri.decodestring(self.body)
        return self.body

    def parts(self) -> tuple[MimePart, ...]:
        """The parts of a multipart body; none when its boundary does not occur."""
        boundary = self.parameter("boundary")
        if not boundary:
            return ()
        digest = self.media_type == "multipart/digest"
        default = "message/rfc822" if digest else "text/plain"
        return tuple(
            parse_part(piece, default)
            for piece in _split(self.body, boundary.encode("utf-8", "replace"))
        )


def parse_part(data: bytes, default_type: str = "text/plain") -> MimePart:
    """Cut *data* into header fields and body; never raises.

    Of a header longer than 1 MiB the rest is left out.
    """
    if not _FIELD.match(data):
        # A part may begin with the empty line that says it has no header.
        body = re.sub(rb"\A\r?\n", b"", data, count=1)
        return MimePart(Message(), body, default_type)
    end = _BLANK.search(data)
    head = data[: end.start() if end else len(data)][:_MAX_HEADER]
    body = re.sub(rb"\A\r?\n\r?\n|\A\r\r", b"", data[end.start() :], count=1) if end else b""
    # Mail of old programs has raw bytes of any encoding in its header fields.
    fields = HeaderParser().parsestr(decode(head).text, headersonly=True)
    return MimePart(fields, body, default_type)


def parse_message(data: bytes) -> MimePart:
    """Cut a whole message, as it lies in a file, into header fields and body."""
    envelope = _ENVELOPE.match(data)
    return parse_part(data[envelope.end() if envelope else 0 :])


def _split(body: bytes, boundary: bytes) -> list[bytes]:
    line = re.compile(rb"(?:^|(?<=\n))--" + re.escape(boundary) + rb"(--)?[ \t]*(?:\r?\n|\Z)")
    pieces: list[bytes] = []
    start: int | None = None
    for found in line.finditer(body):
        if start is not None:
            pieces.append(re.sub(rb"\r?\n\Z", b"", body[start : found.start()], count=1))
        start = None if found[1] else found.end()
        if len(pieces) >= MAX_PARTS:
            return pieces
    if start is not None and start < len(body):
        pieces.append(body[start:])
    return pieces


def _base64(data: bytes) -> bytes:
    # Texts that were joined have padding in their midst.
    return b"".join(map(_unpadded, re.split(rb"=+", _NOT_BASE64.sub(b"", data))))


def _unpadded(data: bytes) -> bytes:
    whole = data[: len(data) - 1] if len(data) % 4 == 1 else data
    return binascii.a2b_base64(whole + b"=" * (-len(whole) % 4))
