"""Every error this package raises.

::

    ChapterverseError
    ├── SettingsError              a setting is unknown, out of bounds or contradicts another
    ├── StoreError                 the knowledge base folder or its database
    │   ├── StoreMissing           there is no knowledge base at this path
    │   ├── StoreForeign           the file is a database of something else
    │   ├── StoreCorrupt           the database file is damaged
    │   ├── StoreNewer             made by a newer version of this package
    │   ├── StoreLocked            another process is writing to it
    │   ├── StoreFull              the disk is full
    │   ├── StoreMismatch          built with another embedder, analyzer or chunking
    │   └── IndexDamaged           a derived index cannot be read (rebuilt from the database)
    ├── DocumentError              one document could not be ingested (never stops a batch)
    │   ├── FileMissing, FileUnreadable, FileChanged
    │   ├── Unsupported, Empty, Encrypted, Corrupt
    │   └── TooLarge, TimedOut, OutOfMemory, WorkerDied, EmbeddingFailed
    ├── EmbedderError              a model is missing, damaged or cannot be loaded
    ├── QueryError                 a query or a filter that cannot be answered
    └── NotFound                   no document, parent or citation under this name

A message says what was seen, what is allowed and what to do next.
"""

from __future__ import annotations

__all__ = [
    "ChapterverseError",
    "Corrupt",
    "DocumentError",
    "EmbedderError",
    "EmbeddingFailed",
    "Empty",
    "Encrypted",
    "FileChanged",
    "FileMissing",
    "FileUnreadable",
    "IndexDamaged",
    "NotFound",
    "OutOfMemory",
    "QueryError",
    "SettingsError",
    "StoreCorrupt",
    "StoreError",
    "StoreForeign",
    "StoreFull",
    "StoreLocked",
    "StoreMismatch",
    "StoreMissing",
    "StoreNewer",
    "TimedOut",
    "TooLarge",
    "Unsupported",
    "WorkerDied",
    "document_error",
]


class ChapterverseError(Exception):
    """Base of all errors of this package."""


class SettingsError(ChapterverseError):
    """A setting is unknown, out of bounds, or contradicts another one."""


class StoreError(ChapterverseError):
    """The knowledge base folder or its database cannot be used."""


class StoreMissing(StoreError):
    """There is no knowledge base at this path."""


class StoreForeign(StoreError):
    """The file is a database, but not one of ours."""


class StoreCorrupt(StoreError):
    """The database file is damaged or is no database."""


class StoreNewer(StoreError):
    """The database was written by a newer version of this package."""


class StoreLocked(StoreError):
    """Another process is writing to this knowledge base."""


class StoreFull(StoreError):
    """The disk is full; the transaction was rolled back."""


class StoreMismatch(StoreError):
    """The base was built with another embedder, analyzer or chunking than the one asked for."""


class IndexDamaged(StoreError):
    """A derived index cannot be read; it can be rebuilt from the database."""


class DocumentError(ChapterverseError):
    """One document could not be ingested. ``code`` is what reports and tables store."""

    code = "failed"


class FileMissing(DocumentError):
    """The path does not exist."""

    code = "missing"


class FileUnreadable(DocumentError):
    """The file exists but cannot be read."""

    code = "unreadable"


class FileChanged(DocumentError):
    """The file was written to while it was being read."""

    code = "changed"


class Unsupported(DocumentError):
    """The content is of no kind that has a reader."""

    code = "unsupported"


class Empty(DocumentError):
    """The file holds no bytes, or no text that a reader could find."""

    code = "empty"


class Encrypted(DocumentError):
    """The document asks for a password."""

    code = "encrypted"


class Corrupt(DocumentError):
    """The bytes are not a whole document of the kind they claim to be."""

    code = "corrupt"


class TooLarge(DocumentError):
    """Bytes, pages or unpacked size are over a limit."""

    code = "too_large"


class TimedOut(DocumentError):
    """Parsing took longer than allowed and was stopped."""

    code = "timeout"


class OutOfMemory(DocumentError):
    """Parsing asked for more memory than allowed."""

    code = "out_of_memory"


class WorkerDied(DocumentError):
    """The parsing process ended without an answer (a crash in a native library)."""

    code = "crashed"


class EmbeddingFailed(DocumentError):
    """The embedder raised on the texts of this document."""

    code = "embedding_failed"


class EmbedderError(ChapterverseError):
    """A model is missing, damaged or cannot be loaded."""


class QueryError(ChapterverseError):
    """A query or a filter that cannot be answered."""


class NotFound(ChapterverseError):
    """No document, parent or citation has this name."""


def document_error(code: str, message: str) -> DocumentError:
    """The :class:`DocumentError` whose ``code`` is *code* (the base class when unknown).

    Used to raise again, in the parent process, what a worker process reported.
    """
    pending = [DocumentError]
    while pending:
        kind = pending.pop()
        if kind.code == code:
            return kind(message)
        pending.extend(kind.__subclasses__())
    return DocumentError(message)
