"""One document in its parsing process: from the request to the bytes of the answer."""

from __future__ import annotations

import errno
import importlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.limits import allow_recognition, estimate_pages, read_source
from chapterverse.ingest.snapshot import Blobs
from chapterverse.schema.errors import DocumentError, OutOfMemory, TooLarge
from chapterverse.schema.parse_limits import ParseLimits
from chapterverse.schema.records import Parsed
from chapterverse.schema.wellformed import well_formed

__all__ = ["ANSWER", "FAILED", "READERS", "Failure", "Request", "answer", "decode_text"]

ANSWER, FAILED = b"A", b"F"
"""Kinds of the last frame: a ``Parsed``, or a :class:`Failure`."""

READERS = "chapterverse.ingest.readers"


class Request(msgspec.Struct, frozen=True):
    """One document to read; its texts are UTF-8 with surrogates passed through.

    ``blobs`` is the folder where pictures and attachments are kept, ``ocr_cache`` that of
    recognised pages; without them nothing is kept.
    """

    path: bytes
    name: bytes
    password: bytes | None
    limits: ParseLimits
    reader: str
    blobs: bytes | None = None
    ocr_cache: bytes | None = None
    depth: int = 0


class Failure(msgspec.Struct, frozen=True):
    """A ``DocumentError`` as sent between processes."""

    code: str
    message: str


def decode_text(data: bytes) -> str:
    """A text of a request; names of files may hold surrogates."""
    return data.decode("utf-8", "surrogatepass")


def answer(request: Request, budget: Callable[[float], None]) -> tuple[bytes, bytes]:
    """Read the document; every exception becomes a :class:`Failure`."""
    name = decode_text(request.name)
    message = None
    try:
        return ANSWER, _read(request, name, budget)
    except DocumentError as exc:
        code, message = exc.code, str(exc)
    except BaseException as exc:
        # Nothing is built here: while the exception holds the reader's objects, no memory is free.
        code = OutOfMemory.code if _lacks_memory(exc) else DocumentError.code
        if code == DocumentError.code:
            message = (
                f"{name}: the reader failed ({type(exc).__name__}: {str(exc)[:500]}); "
                "try a copy saved anew by the program that made it"
            )
    if message is None:
        message = (
            f"{name}: needs more than the {request.limits.memory_bytes:,} bytes of memory allowed; "
            "raise memory_bytes or split the document"
        )
    # Names of files may hold bytes that are no text, which cannot be encoded.
    readable = message[:4000].encode("utf-8", "replace").decode()
    return FAILED, msgspec.msgpack.encode(Failure(code, readable))


def _lacks_memory(exc: BaseException) -> bool:
    return isinstance(exc, MemoryError) or (isinstance(exc, OSError) and exc.errno == errno.ENOMEM)


def _read(request: Request, name: str, budget: Callable[[float], None]) -> bytes:
    limits = request.limits
    path = Path(decode_text(request.path))
    # No document was locked with half a character, and libraries fail on one.
    password = None if request.password is None else well_formed(decode_text(request.password))
    data = read_source(path, name, limits.max_bytes)
    seconds = limits.seconds(estimate_pages(data, password))
    budget(seconds)
    module, _, function = request.reader.partition(":")
    read = getattr(importlib.import_module(module), function)

    def recognising(pages: int) -> None:
        allow_recognition()
        budget(seconds + limits.recognition_seconds(pages))

    parsed = read(data, _context(request, name, password, recognising))
    if not isinstance(parsed, Parsed):
        raise TypeError(f"{request.reader} gave {type(parsed).__name__}, not Parsed")
    payload = msgspec.msgpack.encode(parsed)
    if len(payload) > limits.answer_bytes:
        raise TooLarge(
            f"{name}: its parsed form takes {len(payload):,} bytes, {limits.answer_bytes:,} are "
            "allowed; raise answer_bytes or split the document"
        )
    return payload


def _context(
    request: Request, name: str, password: str | None, recognising: Callable[[int], None]
) -> ReadContext:
    limits = request.limits
    context = ReadContext(
        name=name,
        password=password,
        max_pages=limits.max_pages,
        max_pixels=limits.max_pixels,
        ocr_pages=limits.ocr_pages,
        ocr_figures=limits.ocr_figures,
        ocr_cache=None if request.ocr_cache is None else Path(decode_text(request.ocr_cache)),
        recognising=recognising,
        depth=request.depth,
    )
    if request.blobs is None:
        return context
    return replace(context, keep=Blobs(Path(decode_text(request.blobs))).keep_bytes)
