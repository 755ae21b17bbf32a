"""The tree of errors, as drawn and as it is."""

from __future__ import annotations

import re

import pytest

from chapterverse.schema import errors
from chapterverse.schema.errors import ChapterverseError, DocumentError, document_error


def drawn() -> set[tuple[str, str]]:
    """Pairs of class and parent in the tree of the docstring."""
    found = set()
    above: dict[int, str] = {0: "ChapterverseError"}
    for line in (errors.__doc__ or "").splitlines():
        branch = re.match(r"\s{4}([│ ]*)[├└]── ((?:\w+(?:, )?)+)", line)
        if branch:
            depth = len(branch[1]) // 4 + 1
            for name in branch[2].split(", "):
                found.add((name.strip(), above[depth - 1]))
                above[depth] = name.strip()
    return found


def tree(kind: type[ChapterverseError]) -> set[tuple[str, str]]:
    pairs = set()
    for below in kind.__subclasses__():
        pairs |= {(below.__name__, kind.__name__)} | tree(below)
    return pairs


DOCUMENT_ERRORS = [
    kind
    for kind in (getattr(errors, name) for name in errors.__all__)
    if isinstance(kind, type) and issubclass(kind, DocumentError)
]


def test_the_drawn_tree_is_the_real_one() -> None:
    assert len(drawn()) > 20
    assert drawn() == tree(ChapterverseError)


def test_all_errors_are_exported() -> None:
    names = {name for pair in tree(ChapterverseError) for name in pair}
    assert set(errors.__all__) == names | {"document_error"}


def test_codes_are_unique() -> None:
    codes = [kind.code for kind in DOCUMENT_ERRORS]
    assert len(codes) > 10
    assert len(codes) == len(set(codes))


@pytest.mark.parametrize("kind", DOCUMENT_ERRORS, ids=lambda kind: kind.code)
def test_an_error_comes_back_from_its_code(kind: type[DocumentError]) -> None:
    error = document_error(kind.code, "What was seen.")
    assert type(error) is kind
    assert str(error) == "What was seen."


def test_an_unknown_code_is_a_plain_document_error() -> None:
    assert type(document_error("of the future", "x")) is DocumentError


def test_every_class_says_what_it_is_for() -> None:
    for name in errors.__all__:
        assert getattr(errors, name).__doc__
