"""Characters of mail: encoded words in header fields, and charset labels that are often wrong."""

from __future__ import annotations

import binascii
import quopri
import re

from chapterverse.ingest.encoding import decode
from chapterverse.schema.wellformed import well_formed

__all__ = ["decode_words", "file_name", "known_text"]

_WORD = re.compile(r"=\?([\w.:+-]+)(?:\*[\w-]*)?\?([bBqQ])\?([^?]*)\?=")
_BETWEEN = re.compile(r"(\?=)\s+(?==\?)")
_SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "cp936": "gb18030",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "big5": "cp950",
    "shift_jis": "cp932",
}
# Any bytes are valid in these, and programs write them on what they know nothing of.
_MEANINGLESS = {"us-ascii", "ascii", "iso-8859-1", "latin1", "windows-1252", "cp1252", "utf-8"}
_ESCAPED = ("iso-2022-", "iso2022", "hz", "utf-7")
_LONGEST_NAME = 150


def known_text(data: bytes, charset: str | None) -> str:
    """The characters of *data*; *charset* is believed where it can be wrong and is not."""
    label = (charset or "").strip().strip("\"'").lower()
    label = _SUPERSETS.get(label, label)
    if label.startswith(_ESCAPED):
        # Their bytes are ASCII, so they would pass for it.
        try:
            return data.decode(label).replace("\r\n", "\n")
        except (LookupError, UnicodeDecodeError):
            pass
    return well_formed(decode(data, None if label in _MEANINGLESS else label or None).text)


def decode_words(value: str) -> str:
    """A header field with its encoded words (RFC 2047) read.

    Neighbouring words in one charset are decoded as one: senders cut characters in two.
    """
    pieces: list[str] = []
    pending, charset, position = b"", "", 0
    value = _BETWEEN.sub(r"\1", value)
    for word in _WORD.finditer(value):
        between = value[position : word.start()]
        if pending and (between or word[1].lower() != charset):
            pieces.append(known_text(pending, charset))
            pending = b""
        pieces.append(between)
        pending += _word_bytes(word[2].lower(), word[3])
        charset, position = word[1].lower(), word.end()
    if pending:
        pieces.append(known_text(pending, charset))
    return well_formed("".join(pieces) + value[position:])


def _word_bytes(encoding: str, text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    if encoding == "q":
        return quopri.decodestring(data, header=True)
    try:
        return binascii.a2b_base64(data + b"=" * (-len(data) % 4))
    except binascii.Error:
        return b""


def file_name(name: str, fallback: str) -> str:
    """*name* as one part of a path: no folder marks, no control characters, not too long."""
    clean = "".join("_" if char in '/\\:*?"<>|' or ord(char) < 32 else char for char in name)
    clean = " ".join(clean.split()).strip(". ")
    if not clean:
        return fallback
    stem, dot, suffix = clean.rpartition(".")
    if not dot or len(suffix) > 10:
        return clean[:_LONGEST_NAME].strip()
    return f"{stem[:_LONGEST_NAME].strip()}.{suffix}"
