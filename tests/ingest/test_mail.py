"""Internet mail: one text, its visible header lines, and its files as attachments."""

from __future__ import annotations

import base64
import hashlib
import io
from email.message import EmailMessage

import pytest
from PIL import Image

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.mail_calendar import calendar_text
from chapterverse.ingest.mail_eml import read_eml
from chapterverse.ingest.mail_mime import MAX_PARTS
from chapterverse.ingest.mail_words import decode_words
from chapterverse.ingest.readers import read
from chapterverse.schema.errors import Encrypted
from chapterverse.schema.records import AssetKind, Parsed

HEAD = "From: Ada <ada@example.org>\nTo: Bob <bob@example.org>\nSubject: Pumps\n"


def mail(rest: str | bytes, depth: int = 0) -> tuple[Parsed, dict[str, bytes]]:
    """The mail that *rest* ends (after common header fields), and what it kept by sha256."""
    raw = HEAD.encode() + (rest.encode() if isinstance(rest, str) else rest)
    kept: dict[str, bytes] = {}

    def keep(data: bytes) -> str:
        name = hashlib.sha256(data).hexdigest()
        kept[name] = data
        return name

    return read_eml(raw, ReadContext(name="a.eml", keep=keep, depth=depth)), kept


def body(parsed: Parsed) -> list[tuple[str, str]]:
    """Kinds and texts after subject and header lines."""
    return [(str(asset.kind), asset.text) for asset in parsed.assets[2:]]


def multipart(kind: str, *parts: str, boundary: str = "b") -> str:
    pieces = "".join(f"--{boundary}\n{part}\n" for part in parts)
    return f'Content-Type: multipart/{kind}; boundary="{boundary}"\n\n{pieces}--{boundary}--\n'


def png(width: int = 20, height: int = 10) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (width, height)).save(buffer, "PNG")
    return buffer.getvalue()


def test_pictures_that_are_not_shown_are_counted() -> None:
    html = "<ul><li>First point.<li>Second.</ul><img src='https://example.org/t.gif'>"
    parsed, _ = mail(f"Content-Type: text/html\n\n{html}")
    (warning,) = parsed.warnings
    assert (warning.code, warning.message[:8]) == ("pictures_left_out", "1 pictur")


def test_subject_header_lines_and_properties() -> None:
    parsed, _ = mail(
        "Date: Tue, 01 Oct 2024 12:34:56 -0500\nMessage-ID: <1@x>\nReply-To: c@d\n\nHello there."
    )
    assert parsed.title == "Pumps"
    assert (parsed.assets[0].kind, parsed.assets[0].level) == (AssetKind.HEADING, 0)
    assert parsed.assets[1].text == (
        "From: Ada <ada@example.org>\nTo: Bob <bob@example.org>\n"
        "Date: Tue, 01 Oct 2024 12:34:56 -0500"
    )
    assert parsed.properties == {
        "subject": "Pumps",
        "from": "Ada <ada@example.org>",
        "to": "Bob <bob@example.org>",
        "date": "2024-10-01T12:34:56-05:00",
        "message_id": "<1@x>",
        "reply_to": "c@d",
    }
    assert parsed.page_count is None
    assert body(parsed) == [("paragraph", "Hello there.")]


def test_plain_text_has_quotes_lists_and_no_headings() -> None:
    parsed, _ = mail(
        "\n1. Budget\n\nWe agreed on it, in full.\n\n- one\n- two\n\nOn Monday Bob wrote:\n"
        "> This line was wrapped by the program of the one\n"
        "> who was the first to write about it at all.\n"
        ">> deeper\n-- \nAda\n"
    )
    assert body(parsed) == [
        ("paragraph", "1. Budget"),
        ("paragraph", "We agreed on it, in full."),
        ("list_item", "one"),
        ("list_item", "two"),
        ("paragraph", "On Monday Bob wrote:"),
        (
            "paragraph",
            "This line was wrapped by the program of the one who was the first to write about "
            "it at all.",
        ),
        ("paragraph", "deeper"),
        ("paragraph", "Ada"),
    ]


def test_flowed_lines_are_joined() -> None:
    parsed, _ = mail("Content-Type: text/plain; format=flowed\n\nshort \nlines \nflow\nnot this\n")
    assert body(parsed) == [("paragraph", "short lines flow\nnot this")]


def test_alternatives_are_read_once() -> None:
    plain = "Content-Type: text/plain\n\nThe pump runs well."
    html = "Content-Type: text/html\n\n<div>The pump runs <b>well</b>.</div>"
    parsed, _ = mail(multipart("alternative", plain, html))
    assert body(parsed) == [("paragraph", "The pump runs well.")]
    assert parsed.attachments == ()


def test_html_with_structure_or_with_the_whole_text_is_preferred() -> None:
    table = "<p>Costs:</p><table><tr><th>a<th>b<tr><td>1<td>2</table>"
    parsed, _ = mail(
        multipart("alternative", "\nCosts: a b 1 2 and more", f"Content-Type: text/html\n\n{table}")
    )
    assert body(parsed) == [("paragraph", "Costs:"), ("table", "a | b\n1 | 2")]
    hint = "\nSee HTML"
    html = "Content-Type: text/html\n\n<p>All of the long text stands here, only here.</p>"
    parsed, _ = mail(multipart("alternative", hint, html))
    assert body(parsed) == [("paragraph", "All of the long text stands here, only here.")]


def test_pictures_of_the_mail_are_figures_and_other_files_attachments() -> None:
    picture = base64.b64encode(png()).decode()
    html = (
        "Content-Type: text/html\n\n<p>Look:</p><img src='cid:p1' alt='A pump'>"
        "<img src='http://example.org/x.png'>"
    )
    image = (
        f"Content-Type: image/png\nContent-ID: <p1>\nContent-Transfer-Encoding: base64\n\n{picture}"
    )
    file = 'Content-Type: text/csv\nContent-Disposition: attachment; filename="a/b.csv"\n\n1,2'
    again = 'Content-Type: text/csv\nContent-Disposition: attachment; filename="a_b.CSV"\n\n3,4'
    related = multipart("related", html, image, boundary="r")
    parsed, kept = mail(multipart("mixed", related, file, again))
    assert body(parsed) == [("paragraph", "Look:"), ("figure", "A pump")]
    figure = parsed.assets[3].picture
    assert figure is not None
    assert (figure.width, figure.height, kept[figure.sha256]) == (20, 10, png())
    assert [a.name for a in parsed.attachments] == ["a_b.csv", "a_b (2).CSV"]
    assert [kept[a.sha256] for a in parsed.attachments] == [b"1,2", b"3,4"]
    assert parsed.assets[1].text.endswith("\nAttachments: a_b.csv, a_b (2).CSV")


def test_messages_within_are_attachments_byte_by_byte() -> None:
    inner = "From: c@d\nSubject: =?utf-8?q?Re:_a/b?=\n\nInner text."
    parsed, kept = mail(
        multipart("mixed", "\nSee below.", f"Content-Type: message/rfc822\n\n{inner}")
    )
    assert body(parsed) == [("paragraph", "See below.")]
    (found,) = parsed.attachments
    assert found.name == "Re_ a_b.eml"
    assert kept[found.sha256].decode() == inner


@pytest.mark.parametrize(
    ("charset", "encoding"),
    [
        ("gb2312", "gb18030"),
        ("iso-8859-1", "gb18030"),
        ("utf-8", "gb18030"),
        ("us-ascii", "utf-8"),
        ("big5", "big5"),
        ("iso-2022-jp", "iso-2022-jp"),
        ("no-such-charset", "utf-8"),
    ],
)
def test_charset_labels_are_believed_only_when_they_fit(charset: str, encoding: str) -> None:
    text = (
        "本會會議記錄"
        if encoding in ("big5", "iso-2022-jp")
        else "水泵的检修周期是六个月,请看附件。"
    )
    if encoding == "iso-2022-jp":
        text = "会議の記録です"
    parsed, _ = mail(
        f"Content-Type: text/plain; charset={charset}\n\n".encode() + text.encode(encoding)
    )
    assert body(parsed) == [("paragraph", text)]


def test_names_and_subjects_in_encoded_words_and_raw_bytes() -> None:
    whole = "检修计划".encode()
    first, second = base64.b64encode(whole[:4]).decode(), base64.b64encode(whole[4:]).decode()
    assert decode_words(f"=?utf-8?b?{first}?=\n =?UTF-8?B?{second}?= ok") == "检修计划 ok"
    assert decode_words("=?x?z?bad?= =?utf-8?b?!!?=") == "=?x?z?bad?="
    raw = "Subject: 水泵检修计划\nFrom: a@b\nDate: x\n\n正文在这里。".encode("gb18030")
    assert read_eml(raw).title == "水泵检修计划"
    name = (
        "Content-Disposition: attachment; filename*0*=utf-8''%E6%B0%B4; filename*1*=%E6%B3%B5.txt"
    )
    parsed, _ = mail(multipart("mixed", "\nx", f"{name}\n\ndata"))
    assert [a.name for a in parsed.attachments] == ["水泵.txt"]


def test_invitations_are_text() -> None:
    event = (
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Pump\n  check\nDTSTART:20240102T090000Z\n"
        "LOCATION:Hall\\, 2\nBEGIN:VALARM\nDESCRIPTION:no\nEND:VALARM\n"
        'ORGANIZER;CN="Ada":mailto:ada@example.org\nEND:VEVENT\nEND:VCALENDAR\n'
    )
    assert calendar_text(event) == (
        "Summary: Pump check\nStart: 2024-01-02 09:00 UTC\nLocation: Hall, 2\n"
        "Organizer: Ada <ada@example.org>"
    )
    part = f"Content-Type: text/calendar\n\n{event}"
    parsed, _ = mail(multipart("alternative", "\nYou are invited.", part))
    assert body(parsed)[0] == ("paragraph", "You are invited.")
    assert "Location: Hall, 2" in parsed.assets[3].text


@pytest.mark.parametrize(
    "rest",
    [
        multipart("encrypted", "Content-Type: application/pgp-encrypted\n\nVersion: 1"),
        "Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nMIIB",
        "\n-----BEGIN PGP MESSAGE-----\n\nhQ\n-----END PGP MESSAGE-----\n",
    ],
)
def test_encrypted_mail_says_so(rest: str) -> None:
    with pytest.raises(Encrypted, match=r"a\.eml: the mail is encrypted with (PGP|S/MIME)"):
        mail(rest)
    parsed, _ = mail(multipart("mixed", "\nOpen text.", rest, boundary="outer"))
    assert body(parsed) == [("paragraph", "Open text.")]
    assert [warning.code for warning in parsed.warnings] == ["encrypted_part"]


def test_signed_mail_is_read_without_its_signature() -> None:
    signature = "Content-Type: application/pgp-signature; name=s.asc\n\nxx"
    parsed, _ = mail(multipart("signed", "\nSigned text.", signature))
    assert body(parsed) == [("paragraph", "Signed text.")]
    assert parsed.attachments == ()


def test_cut_off_and_mislabelled_bodies_are_still_text() -> None:
    cut = multipart("mixed", "\nFirst part.", "\nSecond part is cut").rpartition("--b--")[0]
    assert [text for _, text in body(mail(cut)[0])] == ["First part.", "Second part is cut"]
    parsed, _ = mail("Content-Type: multipart/mixed; boundary=none\n\nNo boundary here.")
    assert body(parsed) == [("paragraph", "No boundary here.")]
    parsed, _ = mail("Content-Transfer-Encoding: base64\n\nSGVsbG8gdGhlcmUu!SGVsbG8")
    assert body(parsed) == [("paragraph", "Hello there.Hello")]


def test_messages_nested_a_thousand_deep_are_taken_apart_one_by_one() -> None:
    raw = b"From: a@b\nSubject: s\nDate: x\n\ninnermost"
    for _ in range(1000):
        raw = b"From: a@b\nSubject: s\nContent-Type: message/rfc822\n\n" + raw
    kept: list[bytes] = []

    def keep(data: bytes) -> str:
        kept.append(data)
        return hashlib.sha256(data).hexdigest()

    parsed = read_eml(raw, ReadContext(keep=keep))
    assert len(parsed.attachments) == 1
    assert len(kept) == 1
    parsed = read_eml(raw, ReadContext(keep=keep, depth=8))
    assert parsed.attachments == ()
    assert [warning.code for warning in parsed.warnings] == ["nested_too_deep"]


def test_containers_nested_too_deeply_and_too_many_parts_are_bounded() -> None:
    deep = "\nlost"
    for number in range(100):
        deep = multipart("mixed", "\nkept", deep, boundary=f"b{number}")
    parsed, _ = mail(deep)
    assert 10 < len(body(parsed)) < 30
    assert [warning.code for warning in parsed.warnings] == ["parts_left_out"]
    parsed, _ = mail(multipart("mixed", *["\nx"] * (MAX_PARTS + 5)))
    assert len(body(parsed)) <= MAX_PARTS


def test_many_and_long_header_fields_are_bounded() -> None:
    parsed, _ = mail(
        "".join(f"X-{n}: y\n" for n in range(50_000)) + "Cc: " + "a@b, " * 9000 + "\n\nText."
    )
    assert max(len(value) for value in parsed.properties.values()) <= 2000
    assert len(parsed.assets[1].text) < 5000


def test_html_nested_too_deeply_is_read_as_text() -> None:
    html = "Content-Type: text/html\n\n" + "<div>a" * 500 + "<ul><li>Deep.</li></ul>"
    parsed, _ = mail(html)
    assert [text for _, text in body(parsed)] == ["a" * 500 + "Deep."]
    assert [warning.code for warning in parsed.warnings] == ["structure_lost"]


def test_mail_of_the_standard_library_is_read_back() -> None:
    message = EmailMessage()
    message["Subject"] = "Prüfung 检修 of the pumps in the second hall, as agreed upon last week"
    message["From"] = "Jörg <j@example.org>"
    message["Date"] = "Tue, 01 Oct 2024 12:34:56 +0000"
    message.set_content("Grüße aus der Halle.\n")
    message.add_attachment(b"%PDF-1.7", "application", "pdf", filename="Prüfbericht.pdf")
    parsed = read(message.as_bytes(), ReadContext(name="x.eml"))
    assert parsed.title == message["Subject"]
    assert parsed.properties["from"] == "Jörg <j@example.org>"
    assert parsed.assets[2].text == "Grüße aus der Halle."
    assert [(a.name, a.size) for a in parsed.attachments] == [("Prüfbericht.pdf", 8)]
