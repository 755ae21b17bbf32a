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


LONG = {
    "zh": "员工应在三十日内提交报销单据。本手册适用于全体"
    "员工，由人力资源部负责解释，并自发布之日起施行。",
    "tw": "員工應於三十日內提出報銷單據。本手冊適用於全體"
    "員工，由人力資源部負責解釋，並自發布之日起施行。",
    "ja": "従業員は三十日以内に経費を申請してください。このハ"
    "ンドブックは全社員に適用され、人事部が担当します。",
    "ko": "직원은 삼십 일 안에 비용을 청구해야 한다. 이 "
    "안내서는 모든 직원에게 적용되며 인사부가 해석한다.",
    "ru": "Заявление подаётся в течение тридцати дней после п"
    "оездки. Руководство действует для всех сотрудников.",
    "fr": "Les employés doivent présenter leurs dépenses. Où "
    "est le café ? Près de l’église, à côté du théâtre.",
    "de": "Für Beschäftigte müssen Auslagen binnen dreißig Ta"
    "gen gemeldet werden. Größere Käufe benötigen mehr.",
    "pl": "Należy zgłosić wydatki w ciągu trzydziestu dni."
    " Żółta książka leży na półce, źródło jest niżej.",
    "cs": "Příručka platí pro všechny zaměstnance, vykládá"
    " ji personální oddělení. Žluťoučký kůň úpěl ódy.",
    "el": "Οι εργαζόμενοι πρέπει να υποβάλουν τα έξοδά το"
    "υς εντός τριάντα ημερών. Το εγχειρίδιο ισχύει.",
    "tr": "Çalışanlar giderlerini otuz gün içinde bildirmeli"
    "dir. Kılavuz herkes için geçerlidir, ığdır ağacı.",
    "he": "על העובדים להגיש את ההוצאות בתוך שלושים יום. "
    "המדריך חל על כולם ומחלקת כוח האדם מפרשת אותו.",
    "ar": "على الموظفين تقديم نفقاتهم خلال ثلاثين يوما. ين"
    "طبق الدليل على الجميع ويفسره قسم شؤون العاملين.",
    "th": "พนักงานต้องยื่นค่าใช้จ่ายภายในสามสิบวัน คู่มือนี้ใช้กับทุกคน ฝ่ายบุคคลเป็นผู้ตีความ ต้องแนบใบเสร็จ",
}
ENCODINGS = {
    "zh": ("gb18030", "utf-16", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-8"),
    "tw": ("big5",), "ja": ("cp932", "euc_jp", "iso2022_jp"), "ko": ("cp949",),
    "ru": ("cp1251", "koi8_r", "cp866", "iso8859_5", "mac_cyrillic"), "fr": ("cp1252",),
    "de": ("cp1252", "mac_roman", "cp850"), "pl": ("cp1250", "iso8859_2"),
    "cs": ("cp1250", "iso8859_2"), "el": ("cp1253",), "tr": ("cp1254",), "he": ("cp1255",),
    "ar": ("cp1256",), "th": ("cp874",),
}  # fmt: skip


@pytest.mark.parametrize("length", [45, 95, 1900])
@pytest.mark.parametrize(
    ("language", "encoding"),
    [(k, encoding) for k, found in ENCODINGS.items() for encoding in found],
)
def test_encoding_is_found_at_any_length(language: str, encoding: str, length: int) -> None:
    text = (LONG[language] * 40)[:length]
    found = decode(text.encode(encoding))
    assert (found.text, found.replaced) == (text, 0)
    assert found.confidence > (0.65 if length > 60 else 0.3)


def test_a_guess_without_ground_is_not_sure() -> None:
    assert decode("žluť".encode("cp1250")).confidence < 0.5
    assert decode(bytes(range(0x80, 0x100)) * 3).confidence < 0.5
    assert decode(b"plain ASCII").confidence == 1.0


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
