"""The only module that touches ``unstructured``.

What it gives us: for HTML the division of a page into paragraphs, headings and list items as a
browser shows them; for DOCX the kind and depth of every paragraph by style, the labels that Word
computes for numbered headings and items (``2.1``, ``a)``), and running headers and footers.
What it loses (tables in content controls, figures, header rows, captions, footnotes) the readers
fill in themselves. PDF, Markdown and plain text do not come here.

Three things are switched off before its first import: telemetry, its notice on stdout, and the
download of a language model from the web. The model only serves guesses from wording, which we
do not use; an empty pipeline takes its place. That place is a private name, hence the exact pin
of the package and the check in :func:`_load`.
"""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

__all__ = ["HOOK", "Element", "HookMissing", "partition_docx", "partition_html"]

HOOK = ("unstructured.nlp.tokenize", "_load_spacy_model")
"""Module and name of the function that would fetch a model from the web."""

_QUIET = {
    "DO_NOT_TRACK": "1",
    "SCARF_NO_ANALYTICS": "1",
    "UNSTRUCTURED_DISABLE_NOTICE": "1",
}


_GUESS_CHARS = 500
"""So much of an element is shown to the guesses from wording, whose outcome is not used."""


class HookMissing(RuntimeError):
    """``unstructured`` has another version than pinned: its model download cannot be replaced."""


@dataclass(frozen=True, slots=True)
class Element:
    """One element as ``unstructured`` sees it.

    ``category`` is its word for the kind (``"Title"``, ``"ListItem"``, ``"Header"``, ...),
    ``depth`` the 0-based nesting by heading style or list level where it knows one.
    """

    category: str
    text: str
    depth: int | None


def partition_docx(data: bytes) -> tuple[Element, ...]:
    """Elements of a DOCX file in document order; page breaks are left out."""
    partition = _load("unstructured.partition.docx", "partition_docx")
    return _elements(partition(file=io.BytesIO(data), include_page_breaks=False, languages=[""]))


def partition_html(html: str) -> tuple[Element, ...]:
    """Elements of an HTML page given as text, in document order; nothing is fetched."""
    partition = _load("unstructured.partition.html", "partition_html")
    return _elements(partition(text=html, languages=[""]))


def _elements(found: Iterable[Any]) -> tuple[Element, ...]:
    return tuple(
        Element(str(e.category), str(e.text or ""), e.metadata.category_depth) for e in found
    )


@cache
def _load(module: str, function: str) -> Callable[..., list[Any]]:
    os.environ.update(_QUIET)
    with _without_torch():
        tokenize = importlib.import_module(HOOK[0])
        if not callable(getattr(tokenize, HOOK[1], None)):
            raise HookMissing(
                f"{HOOK[0]}.{HOOK[1]} does not exist in the installed unstructured; this package "
                "needs the version it pins: install it again with its own requirements"
            )
        setattr(tokenize, HOOK[1], _empty_pipeline)
        found: Callable[..., list[Any]] = getattr(importlib.import_module(module), function)
    return found


def _empty_pipeline() -> Any:
    import spacy
    from spacy.tokens import Doc

    pipeline = spacy.blank("en")
    # The tokenizer of the language takes quadratic time on long runs without spaces.
    pipeline.tokenizer = lambda text: Doc(pipeline.vocab, words=text[:_GUESS_CHARS].split())
    pipeline.add_pipe("sentencizer")
    return pipeline


@contextmanager
def _without_torch() -> Iterator[None]:
    """Hide torch from spaCy, which would load it when installed: half of the time and memory."""
    if "torch" in sys.modules:
        yield
        return
    sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules["torch"]
