"""The real reader, watched; only parsing processes import this.

It loads what the readers use before any document is looked at, as the product does: one of the
libraries tries out IPv6 when it is imported, which is no fault of a document.
"""

from __future__ import annotations

import errno
import sys

from fuzz_watch import origin, refuse_sockets

from chapterverse.ingest import readers
from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.preload import preload
from chapterverse.schema.errors import DocumentError
from chapterverse.schema.records import Parsed

__all__ = ["read"]

for media_type in sorted(readers.READERS):
    preload(media_type)


def read(data: bytes, context: ReadContext) -> Parsed:
    """Read as the product does, in the child that reads one document and ends with it."""
    sys.addaudithook(refuse_sockets)
    try:
        return readers.read(data, context)
    except (DocumentError, MemoryError):
        raise
    except Exception as exc:
        if isinstance(exc, OSError) and exc.errno == errno.ENOMEM:
            raise
        raise RuntimeError(origin(exc)) from None
