"""Settings: where they come from, what wins, and what is refused."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from pydantic.fields import FieldInfo

from chapterverse.schema.choices import Choices, choose
from chapterverse.schema.errors import SettingsError
from chapterverse.schema.settings import Settings, load_settings

FIELDS = sorted(Settings.model_fields.items())


def write(text: str) -> None:
    Path("chapterverse.toml").write_text(text, encoding="utf-8")


def test_defaults() -> None:
    settings = load_settings()
    assert settings.model_fields_set == set()
    assert (settings.embedder, settings.keyword) == ("multilingual-e5-small", "tantivy")
    assert (settings.dense_weight, settings.keyword_weight) == (0.5, 0.5)
    assert settings.chunk_limits.child_tokens == settings.child_tokens
    assert settings.parse_limits.max_pages == settings.max_pages


def test_arguments_win_over_environment_over_file(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().pool == 200
    write("pool = 300\nrrf_k = 30\n")
    assert load_settings().pool == 300
    monkeypatch.setenv("CHAPTERVERSE_POOL", "400")
    assert load_settings().pool == 400
    settings = load_settings(pool=500)
    assert (settings.pool, settings.rrf_k) == (500, 30)
    assert settings.model_fields_set == {"pool", "rrf_k"}


@pytest.mark.parametrize("case", [str.upper, str.lower])
def test_unknown_variables_are_refused(monkeypatch: pytest.MonkeyPatch, case: Any) -> None:
    monkeypatch.setenv(case("CHAPTERVERSE_") + case("pool"), "300")
    assert load_settings().pool == 300
    monkeypatch.setenv(case("CHAPTERVERSE_") + case("pol"), "300")
    with pytest.raises(SettingsError, match=r"(?i)CHAPTERVERSE_POL\. Known are: .*_POOL"):
        load_settings()


def test_unknown_keys_are_refused() -> None:
    with pytest.raises(SettingsError, match=r"'colour'.*Known are: .*pool"):
        load_settings(colour="red")
    write("[search]\npool = 300\n")
    with pytest.raises(SettingsError, match="'search'"):
        load_settings()


def test_variables_that_are_no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAPTERVERSE_KB", "kb")
    monkeypatch.setenv("CHAPTERVERSE_CACHE", "cache")
    monkeypatch.setenv("CHAPTERVERSE_SOFFICE", "soffice")
    assert load_settings().model_fields_set == set()
    write('kb = "kb"\n')
    with pytest.raises(SettingsError, match="'kb'"):
        load_settings()


@pytest.mark.parametrize("text", ["pool = \n", "pool = 300\npool = 400\n", "\x00"])
def test_a_broken_file_is_named(text: str) -> None:
    write(text)
    with pytest.raises(SettingsError, match=r"chapterverse\.toml cannot be read"):
        load_settings()


def test_a_file_in_another_encoding_is_named() -> None:
    Path("chapterverse.toml").write_bytes('name = "员工手册"\n'.encode("gbk"))
    with pytest.raises(SettingsError, match=r"chapterverse\.toml cannot be read"):
        load_settings()


def bounds(info: FieldInfo) -> list[tuple[Any, Any]]:
    """Pairs of a bound and a value just beyond it."""
    found = []
    for constraint in info.metadata:
        step = 1 if info.annotation is int else 0.001
        if (low := getattr(constraint, "ge", None)) is not None:
            found.append((low, low - step))
        if (open_low := getattr(constraint, "gt", None)) is not None:
            found.append((open_low, open_low))
        if (high := getattr(constraint, "le", None)) is not None:
            found.append((high, high + step))
    return found


@pytest.mark.parametrize(("name", "info"), FIELDS, ids=[name for name, _ in FIELDS])
def test_bounds_hold_and_are_named(name: str, info: FieldInfo) -> None:
    number = info.annotation in (int, float)
    assert not number or bounds(info)
    for _, beyond in bounds(info):
        with pytest.raises(SettingsError, match=f"Setting '{name}' is {beyond}: "):
            load_settings(**{name: beyond})


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"fusion": "mean"},
        {"keyword": "lucene"},
        {"pool": "many"},
        {"dense_weight": float("nan")},
        {"keep_sources": "perhaps"},
        {"dense_weight": 0, "keyword_weight": 0},
    ],
    ids=str,
)
def test_wrong_values_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        load_settings(**wrong)


@pytest.mark.parametrize(
    ("wrong", "values"),
    [
        ({"child_tokens": 300, "parent_tokens": 200}, ("300", "200")),
        ({"merge_tokens": 900, "parent_tokens": 600}, ("900", "600")),
    ],
)
def test_contradictions_name_both_values(wrong: dict[str, int], values: tuple[str, str]) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(**wrong)
    assert all(value in str(caught.value) for value in values)


def test_settings_do_not_change() -> None:
    with pytest.raises(Exception, match="frozen"):
        load_settings().pool = 300


def test_choices_name_every_setting_and_share_its_default() -> None:
    assert choose() == load_settings().choices
    assert {field.name for field in fields(Choices)} == {*Settings.model_fields, "given"}


def test_choices_are_read_wherever_something_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose(pool=300).given == {"pool"}
    monkeypatch.setenv("chapterverse_pool", "400")
    assert (choose().pool, choose().given) == (400, frozenset({"pool"}))
    monkeypatch.delenv("chapterverse_pool")
    write("pool = 500\n")
    assert choose().pool == 500
