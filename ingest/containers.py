"""Files inside files: attachments of mail and members of archives as documents of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from chapterverse.ingest.snapshot import Blobs
from chapterverse.ingest.sources import Labels
from chapterverse.schema import store
from chapterverse.schema.database import Database
from chapterverse.schema.ids import make_id
from chapterverse.schema.naming import INSIDE
from chapterverse.schema.records import Attachment, Document

__all__ = ["Inside", "attached", "forget_others", "is_complete"]


@dataclass(frozen=True, slots=True)
class Inside:
    """A file inside a document; ``depth`` counts the files around it."""

    uri: str
    attachment: Attachment
    container_id: int
    labels: Labels
    depth: int


def attached(
    container: int, uri: str, attachments: tuple[Attachment, ...], labels: Labels, depth: int
) -> Iterator[Inside]:
    """What lies in the document *container* at *uri*, which itself lies *depth* files deep."""
    for attachment in attachments:
        inner = f"{uri}{INSIDE}{quote(attachment.name)}"
        yield Inside(inner, attachment, container, labels, depth + 1)


def is_complete(database: Database, blobs: Blobs, base: str, document: Document) -> bool:
    """Whether every attachment of *document* is ingested or can be read from its kept bytes."""
    attachments = document.revision.attachments or ()
    if not attachments:
        return True
    with database.read() as connection:
        known = store.contained_documents(connection, document.id)
    inside = attached(document.id, document.uri, attachments, Labels(), 0)
    return all(
        make_id("document", base, item.uri) in known or blobs.path(item.attachment.sha256).exists()
        for item in inside
    )


def forget_others(database: Database, base: str, document_id: int, inside: list[Inside]) -> None:
    """Delete the documents that lay in this one and do so no longer."""
    wanted = {make_id("document", base, item.uri) for item in inside}
    with database.read() as connection:
        known = store.contained_documents(connection, document_id)
    gone = [number for number in known if number not in wanted]
    if gone:
        with database.write() as connection:
            for number in gone:
                store.delete_document(connection, number)
