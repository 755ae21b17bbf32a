"""Short texts in the encodings that still turn up come back character by character."""

from __future__ import annotations

import codecs

import pytest

from chapterverse.ingest.encoding import control_share, decode

CHINESE = "员工应在三十日内提交报销单据。"
TAIWAN = "員工應於三十日內提出報銷單據。"
JAPANESE = "従業員は三十日以内に経費を申請してください。"
KOREAN = "직원은 삼십 일 안에 비용을 청구해야 한다."
FRENCH = "Où est le café ? Près de l’église."
RUSSIAN = "Заявление подаётся в течение тридцати дней после поездки."


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (CHINESE, "utf-8"),
        (CHINESE, "utf-8-sig"),
        (CHINESE + "\n", "utf-16"),
        (CHINESE + " 30\n", "utf-16-le"),
        (CHINESE + " 30\n", "utf-16-be"),
        ("pump", "utf-16-le"),
        ("pump", "utf-16-be"),
        ("Oil of the pump\n" * 9, "utf-16-le"),
        ("Oil of the pump\n" * 9, "utf-16-be"),
        ("one\0NUL in a long line of text without any other fault", "utf-8"),
        (CHINESE, "gb18030"),
        (CHINESE[:6], "gb18030"),
        (TAIWAN, "big5"),
        (TAIWAN[:6], "big5"),
        (TAIWAN, "gb18030"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (KOREAN, "cp949"),
        (FRENCH, "cp1252"),
        (RUSSIAN, "cp1251"),
    ],
)
def test_decodes_without_loss(text: str, encoding: str) -> None:
    found = decode(text.encode(encoding))
    assert (found.text, found.replaced) == (text, 0)


def test_line_ends_are_one_kind() -> None:
    assert decode(b"a\r\nb\rc\n").text == "a\nb\nc\n"


def test_damaged_utf8_stays_utf8_and_is_counted() -> None:
    found = decode(CHINESE.encode() * 3 + b"\xe5\x91")
    assert found.encoding == "utf-8"
    assert found.replaced == 1
    assert found.text.startswith(CHINESE * 3)


def test_declared_charset_counts_only_when_the_bytes_agree() -> None:
    assert decode(RUSSIAN.encode("koi8_r"), declared="koi8-r").text == RUSSIAN
    assert decode(CHINESE.encode(), declared="ascii").text == CHINESE
    assert decode(CHINESE.encode("gb18030"), declared="no-such-charset").text == CHINESE


def test_bom_is_not_text() -> None:
    assert decode(codecs.BOM_UTF16_BE + "ab".encode("utf-16-be")).text == "ab"


def test_control_share() -> None:
    assert control_share("tab\tand line\n\f") == 0
    assert control_share("\0a\x01b") == 0.5
