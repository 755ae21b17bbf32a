"""Records to JSON text and back, for table columns."""

from __future__ import annotations

import msgspec

from chapterverse.schema.records import (
    Attachment,
    Origin,
    PageRead,
    ParseWarning,
    Picture,
    Region,
    Segment,
    Table,
)

__all__ = [
    "decode_attachments",
    "decode_labels",
    "decode_metadata",
    "decode_origins",
    "decode_page_reads",
    "decode_pages",
    "decode_picture",
    "decode_regions",
    "decode_segments",
    "decode_strings",
    "decode_table",
    "decode_warnings",
    "encode",
]

_encoder = msgspec.json.Encoder()


def encode(value: object) -> str:
    """Compact JSON of records, tuples, strings and numbers."""
    return _encoder.encode(value).decode()


decode_strings = msgspec.json.Decoder(tuple[str, ...]).decode
decode_labels = msgspec.json.Decoder(tuple[str | None, ...]).decode
decode_pages = msgspec.json.Decoder(tuple[int, ...]).decode
decode_segments = msgspec.json.Decoder(tuple[Segment, ...]).decode
decode_regions = msgspec.json.Decoder(tuple[Region, ...]).decode
decode_table = msgspec.json.Decoder(Table).decode
decode_origins = msgspec.json.Decoder(tuple[Origin, ...]).decode
decode_picture = msgspec.json.Decoder(Picture).decode
decode_page_reads = msgspec.json.Decoder(tuple[PageRead, ...]).decode
decode_attachments = msgspec.json.Decoder(tuple[Attachment, ...]).decode
decode_warnings = msgspec.json.Decoder(tuple[ParseWarning, ...]).decode
decode_metadata = msgspec.json.Decoder(dict[str, str]).decode
