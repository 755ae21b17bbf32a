"""Mailboxes and archives: each message and file an attachment, no name that points outside."""

from __future__ import annotations

import hashlib
import io
import stat
import zipfile

import pytest

from chapterverse.ingest import mail_mbox
from chapterverse.ingest.archive import read_archive
from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.mail_mbox import read_mbox
from chapterverse.ingest.readers import read
from chapterverse.schema.errors import Corrupt, Empty, Encrypted, TooLarge
from chapterverse.schema.records import LineRange

MBOX = (
    b"From - Tue Oct 01 12:34:56 2024\nFrom: Ada <a@b>\nSubject: One/two\nDate: today\n\nHello.\n"
    b">From here on\n\nFrom me to you, 12:30 is fine\n\n"
    b"From c@d Wed Oct 02 01:02:03 2024\r\nFrom: c@d\r\nSubject: One/two\r\n\r\nBye.\r\n"
)


def packed(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return buffer.getvalue()


def unmarked(name: bytes, data: bytes = b"x") -> bytes:
    """An archive of one file whose name is *name*, byte by byte, in no known encoding."""
    plain = packed(("n" * len(name), data))
    return plain.replace(b"n" * len(name), name)


def names(data: bytes) -> list[str]:
    return [found.name for found in read_archive(data).attachments]


def test_mailbox_is_a_list_of_messages() -> None:
    kept: list[bytes] = []

    def keep(data: bytes) -> str:
        kept.append(data)
        return hashlib.sha256(data).hexdigest()

    parsed = read(MBOX, ReadContext(name="all", keep=keep))
    assert [a.name for a in parsed.attachments] == ["0001 One_two.eml", "0002 One_two.eml"]
    assert [asset.text for asset in parsed.assets] == [
        "today | Ada <a@b> | One/two",
        "c@d | One/two",
    ]
    lines = [asset.regions[0].lines for asset in parsed.assets]
    assert [line.first for line in lines if line is not None] == [1, 11]
    assert lines[0] == LineRange(1, 9)
    assert kept[0].endswith(b"Hello.\nFrom here on\n\nFrom me to you, 12:30 is fine\n")


def test_mailbox_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail_mbox, "MAX_MESSAGES", 1)
    with pytest.raises(TooLarge, match="more than 1 messages"):
        read_mbox(MBOX)
    with pytest.raises(TooLarge, match="within 8 files"):
        read_mbox(MBOX, ReadContext(depth=8))
    with pytest.raises(Empty, match="no messages"):
        read_mbox(b"From nobody")


def test_archive_lists_its_files() -> None:
    parsed = read(packed(("b/", b""), ("b/a.txt", b"one"), ("c.md", b"# x")), ReadContext(name="z"))
    assert [a.name for a in parsed.attachments] == ["b/a.txt", "c.md"]
    assert parsed.attachments[0].sha256 == hashlib.sha256(b"one").hexdigest()
    assert [(str(a.kind), a.text, a.regions[0].place) for a in parsed.assets] == [
        ("list_item", "b/a.txt", "b/a.txt"),
        ("list_item", "c.md", "c.md"),
    ]
    assert parsed.title is None
    assert parsed.warnings == ()


def test_no_name_escapes_and_each_is_unique() -> None:
    data = packed(
        ("../../etc/passwd", b"1"),
        ("/etc/passwd", b"2"),
        ("C:\\temp\\x.txt", b"3"),
        ("ETC/PASSWD", b"4"),
        ("a/./b\x01.txt", b"5"),
    )
    parsed = read_archive(data)
    assert [a.name for a in parsed.attachments] == [
        "etc/passwd",
        "etc/passwd (2)",
        "temp/x.txt",
        "ETC/PASSWD (3)",
        "a/b_.txt",
    ]
    assert [(w.code, w.message[0]) for w in parsed.warnings] == [("members_renamed", "3")]


def test_what_is_left_out_is_counted() -> None:
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    data = packed(
        (link, b"/etc/passwd"),
        ("__MACOSX/._a", b"x"),
        ("d/.DS_Store", b"x"),
        ("Thumbs.db", b"x"),
        (".git/config", b"x"),
        ("empty.txt", b""),
        ("a.txt", b"x"),
    )
    parsed = read_archive(data)
    assert [a.name for a in parsed.attachments] == ["a.txt"]
    assert {w.code: w.message[0] for w in parsed.warnings} == {
        "members_clutter": "4",
        "members_links": "1",
        "members_empty": "1",
    }


@pytest.mark.parametrize("encoding", ["gb18030", "utf-8", "cp932", "big5"])
def test_unmarked_names_of_east_asian_archives(encoding: str) -> None:
    name = {"cp932": "会議の記録について.txt", "big5": "會議記錄與報告書.txt"}.get(
        encoding, "检修计划/二零二四年的报告.txt"
    )
    assert names(unmarked(name.encode(encoding))) == [name]


def test_a_lone_chinese_character_in_a_name_is_read() -> None:
    assert names(unmarked("表1.png".encode("gb18030"))) == ["表1.png"]


@pytest.mark.parametrize("name", ["Prüfung.txt", "El año en España.txt", "Größe, Länge.txt"])
def test_unmarked_western_names_are_code_page_437(name: str) -> None:
    assert names(unmarked(name.encode("cp437"))) == [name]


def test_a_broken_member_costs_only_itself() -> None:
    data = bytearray(packed(("a.txt", b"first" * 50), ("b.txt", b"second" * 50)))
    start = data.find(b"a.txt") + 5
    data[start : start + 6] = b"\xff" * 6
    parsed = read_archive(bytes(data))
    assert [a.name for a in parsed.attachments] == ["b.txt"]
    assert [w.code for w in parsed.warnings] == ["members_broken"]


def test_broken_empty_and_nested_archives() -> None:
    data = bytearray(packed(("a.txt", b"first" * 50)))
    start = data.find(b"a.txt") + 5
    data[start : start + 6] = b"\xff" * 6
    with pytest.raises(Corrupt, match="none of 1 files"):
        read_archive(bytes(data))
    whole = packed(("a.txt", b"first" * 50))
    with pytest.raises(Corrupt, match="broken"):
        read_archive(whole[: len(whole) // 2], ReadContext(name="z"))
    with pytest.raises(Empty, match="no files"):
        read_archive(packed(("folder/", b""), (".hidden", b"x")))
    assert names(whole) == ["a.txt"]
    with pytest.raises(TooLarge, match="nested deeper than 2"):
        read_archive(whole, ReadContext(depth=2))


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    with pytest.raises(TooLarge, match="times its size"):
        read(packed(("zeros", bytes(60 << 20))), ReadContext(name="bomb.zip"))


def locked(secret: bytes, word: bytes) -> bytes:
    """An archive with one member under the traditional encryption of ZIP (APPNOTE 6.1)."""
    plain = packed((zipfile.ZipInfo("s.txt"), secret))
    with zipfile.ZipFile(io.BytesIO(plain)) as archive:
        info = archive.infolist()[0]
    encrypted = cipher(bytes(11) + bytes([info.CRC >> 24]) + secret, word)
    size = len(encrypted)
    data = bytearray(plain)
    at = data.find(b"s.txt") + 5
    data[at : at + len(secret)] = encrypted
    directory = data.find(b"PK\x01\x02")
    for flags, length in ((6, 18), (directory + 8, directory + 20)):
        data[flags] |= 1
        data[length : length + 4] = size.to_bytes(4, "little")
    end = data.find(b"PK\x05\x06")
    data[end + 16 : end + 20] = directory.to_bytes(4, "little")
    return bytes(data)


def cipher(data: bytes, word: bytes) -> bytes:
    keys = [0x12345678, 0x23456789, 0x34567890]

    def crc(value: int, byte: int) -> int:
        import zlib

        return zlib.crc32(bytes([byte]), value ^ 0xFFFFFFFF) ^ 0xFFFFFFFF

    def update(byte: int) -> None:
        keys[0] = crc(keys[0], byte)
        keys[1] = ((keys[1] + (keys[0] & 255)) * 134775813 + 1) & 0xFFFFFFFF
        keys[2] = crc(keys[2], keys[1] >> 24)

    for byte in word:
        update(byte)
    out = bytearray()
    for byte in data:
        mask = (keys[2] | 2) & 0xFFFF
        out.append(byte ^ ((mask * (mask ^ 1)) >> 8 & 255))
        update(byte)
    return bytes(out)


def test_encrypted_members_need_the_right_password() -> None:
    data = locked(b"very secret", b"open")
    parsed = read_archive(data, ReadContext(password="open"))
    assert parsed.attachments[0].sha256 == hashlib.sha256(b"very secret").hexdigest()
    with pytest.raises(Encrypted, match="1 of 1 files need a password"):
        read_archive(data)
    with pytest.raises(Encrypted, match="does not open"):
        read_archive(data, ReadContext(password="shut"))


def test_aes_is_refused_in_clear_words() -> None:
    data = bytearray(locked(b"very secret", b"open"))
    directory = data.find(b"PK\x01\x02")
    data[directory + 10] = 99
    with pytest.raises(Encrypted, match="AES"):
        read_archive(bytes(data), ReadContext(password="open"))
