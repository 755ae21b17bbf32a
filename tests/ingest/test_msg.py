"""Outlook messages: the same assets and attachments as of internet mail."""

from __future__ import annotations

import hashlib
import struct

import pytest

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.mail_msg_store import unpack_rtf
from chapterverse.ingest.readers import read
from chapterverse.schema.errors import ChapterverseError, Corrupt, Encrypted
from chapterverse.schema.records import Parsed
from tests.ingest.msg_files import SENT, attachment, fixed, full, message
from tests.ingest.ole_files import Tree, ole_file


def parse(tree: Tree) -> tuple[Parsed, dict[str, bytes]]:
    kept: dict[str, bytes] = {}

    def keep(data: bytes) -> str:
        name = hashlib.sha256(data).hexdigest()
        kept[name] = data
        return name

    return read(ole_file(tree), ReadContext(name="a.msg", keep=keep)), kept


def test_message_with_people_date_and_body() -> None:
    parsed, _ = parse(full())
    assert parsed.media_type == "application/vnd.ms-outlook"
    assert parsed.title == "水泵检修"
    assert [asset.text for asset in parsed.assets] == [
        "水泵检修",
        "From: Ada <ada@example.org>\nTo: Bob <bob@example.org>\nCc: Cyd <cyd@example.org>\n"
        "Date: Sat, 18 Jun 2022 04:26:40 +0000",
        "Hello from Outlook.",
    ]
    assert parsed.properties["date"] == "2022-06-18T04:26:40+00:00"


def test_html_body_in_bytes() -> None:
    html = "<p>Café:</p><ul><li>one</li></ul>".encode()
    parsed, _ = parse(full(**{"__substg1.0_10130102": html}))
    assert [asset.text for asset in parsed.assets[2:]] == ["Café:", "one"]


def test_headers_of_the_sent_message_come_first() -> None:
    head = "From: X <x@y>\r\nSubject: =?utf-8?q?Sent?=\r\nMessage-ID: <7@z>\r\n\r\n"
    parsed, _ = parse(full(**{"__substg1.0_007D001F": head.encode("utf-16-le")}))
    assert parsed.title == "Sent"
    assert parsed.properties["from"] == "X <x@y>"
    assert parsed.properties["to"] == "Bob <bob@example.org>"


def test_attachments_and_messages_within() -> None:
    inner = message(24, p0037="Inner: a/b", p0C1A="Eve", p1000="Inner body.")
    inner["__attach_version1.0_#00000000"] = attachment(1, "deep.txt", b"deep data")
    tree = full(
        **{
            "__attach_version1.0_#00000000": attachment(1, "报告.txt", b"report"),
            "__attach_version1.0_#00000001": attachment(5, "", inner),
            "__attach_version1.0_#00000002": attachment(7, "link.docx", b""),
        }
    )
    parsed, kept = parse(tree)
    assert [a.name for a in parsed.attachments] == ["报告.txt", "Inner_ a_b.eml"]
    assert kept[parsed.attachments[0].sha256] == b"report"
    assert [warning.code for warning in parsed.warnings] == ["parts_left_out"]
    again = read(kept[parsed.attachments[1].sha256], ReadContext(name="b.eml"))
    assert again.title == "Inner: a/b"
    assert again.properties["from"] == "Eve"
    assert again.assets[2].text == "Inner body."
    assert [a.name for a in again.attachments] == ["deep.txt"]
    assert parse(tree)[0] == parsed


def test_messages_nested_too_deeply_are_bounded() -> None:
    tree = message(24, p0037="core", p1000="x")
    for _ in range(12):
        outer = message(24, p0037="shell", p1000="x")
        outer["__attach_version1.0_#00000000"] = attachment(5, "", tree)
        tree = outer
    tree["__properties_version1.0"] = fixed(32, p0039=SENT)
    parsed, kept = parse(tree)
    assert len(parsed.attachments) == 1
    assert b"core" not in b"".join(kept.values())


def test_encrypted_and_protected_messages_say_so() -> None:
    sealed = message(p001A="IPM.Note.SMIME", p0037="Secret")
    sealed["__attach_version1.0_#00000000"] = attachment(1, "smime.p7m", b"0\x82")
    with pytest.raises(Encrypted, match="S/MIME"):
        parse(sealed)
    guarded = message(p0037="Secret", p1000="Use another program.")
    guarded["__attach_version1.0_#00000000"] = attachment(1, "message.rpmsg", b"x")
    with pytest.raises(Encrypted, match="Rights Management"):
        parse(guarded)


def test_a_body_in_rich_text_only_is_kept_as_a_file() -> None:
    text = b"{\\rtf1 Hello}"
    stored = struct.pack("<4I", len(text) + 12, len(text), 0x414C454D, 0) + text
    parsed, kept = parse(message(p0037="Rich") | {"__substg1.0_10090102": stored})
    assert [a.name for a in parsed.attachments] == ["body.rtf"]
    assert list(kept.values()) == [text]
    assert [warning.code for warning in parsed.warnings] == ["rich_text_body"]


def test_compressed_rich_text_of_the_specification() -> None:
    # The two examples of [MS-OXRTFCP] 4.1.1 and 4.1.2.
    simple = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232 0af32068656c09002062770"
        "5b06c647d0a800fa0".replace(" ", "")
    )
    assert unpack_rtf(simple) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    repeated = bytes.fromhex("1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0")
    assert unpack_rtf(repeated) == b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}"
    assert unpack_rtf(b"short") is None


def test_damaged_files_are_corrupt_and_never_crash() -> None:
    whole = ole_file(full())
    with pytest.raises(Corrupt, match=r"a\.msg: "):
        read(
            whole[:1024] + b"__properties_version1.0".decode().encode("utf-16-le"),
            ReadContext(name="a.msg"),
        )
    for place in range(0, len(whole), 97):
        data = bytearray(whole)
        data[place : place + 4] = b"\xff\x00\xff\x7f"
        try:
            read(bytes(data), ReadContext(name="a.msg"))
        except ChapterverseError:
            continue
