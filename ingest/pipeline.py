"""Files to rows: hash, compare, parse what is new, write.

Nothing here knows of the search indexes; whoever runs the pipeline applies the outbox.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from chapterverse.ingest.containers import Inside, attached, forget_others, is_complete
from chapterverse.ingest.describe import Describer, describe_figures
from chapterverse.ingest.discover import Found
from chapterverse.ingest.plain import read_text
from chapterverse.ingest.pool import ParseJob, ParseOutcome, ParsePool
from chapterverse.ingest.readers import is_current
from chapterverse.ingest.snapshot import Blobs, hash_file
from chapterverse.ingest.sources import Labels, TextSource
from chapterverse.ingest.write import Content, Writer, unchanged
from chapterverse.schema import store
from chapterverse.schema.contents import parsed_of
from chapterverse.schema.errors import DocumentError, Empty, Encrypted, TooLarge, Unsupported
from chapterverse.schema.ids import make_id
from chapterverse.schema.naming import display_name, own_name
from chapterverse.schema.records import Document, Parsed
from chapterverse.schema.results import IngestItem
from chapterverse.schema.wellformed import well_formed

__all__ = ["Password", "Pipeline"]

Password = str | Callable[[str], str | None]
"""A password for every file, or a function that is asked for that of an encrypted one by URI."""

_READ = frozenset(
    """
    .pdf .docx .doc .pptx .ppt .xlsx .xls .ods .odt .odp .rtf .html .htm .xhtml .mhtml .md .markdown
    .txt .csv .tsv .json .jsonl .epub .eml .msg .mbox .zip .png .jpg .jpeg .tif .tiff .webp
    """.split()  # noqa: SIM905 (so many strings would take as many lines)
)
"""Suffixes of files below a folder that must be readable; others may be skipped."""


@dataclass(frozen=True, slots=True)
class _Task:
    """A document to parse; a ``named`` one must succeed, the others may be of no known kind."""

    content: Content
    named: bool = True
    depth: int = 0


_Prepared = IngestItem | _Task


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Ingests into one database.

    ``ocr`` says whether text can be recognised in pictures. ``describer``, when given, is asked
    what figures show.
    """

    writer: Writer
    blobs: Blobs
    max_bytes: int
    ocr: bool
    describer: Describer | None = None

    def files(
        self, found: Iterable[Found], pool: ParsePool, labels: Labels, password: Password | None
    ) -> Iterator[IngestItem]:
        """Ingest *found* in order, then what lies inside these files; one item each.

        :raises StoreError: the knowledge base itself cannot go on (disk full, damaged, locked).
        """
        inside: list[Inside] = []
        ready = (self._prepare(item, labels, inside) for item in found)
        yield from self._parse_all(ready, pool, password, inside)
        while inside:
            level, inside = inside, []
            ready = (self._prepare_inside(item, inside) for item in level)
            yield from self._parse_all(ready, pool, password, inside)

    def texts(self, sources: Iterable[TextSource]) -> Iterator[IngestItem]:
        """Ingest texts in order; one item each.

        :raises StoreError: as :meth:`files`.
        """
        for source in sources:
            started = time.perf_counter()
            uri, text = well_formed(source.uri), well_formed(source.text)
            title = well_formed(source.title) if source.title else None
            try:
                if not text.strip():
                    raise Empty(f"The text for {uri} is empty.")
                data = text.encode("utf-8")
                sha256 = self.blobs.keep_bytes(data)
                content = Content(uri, sha256, len(data), source.labels, self._before(uri), title)
                if (kept := self._unchanged(content, source.media_type)) is not None:
                    yield kept
                    continue
                yield self.writer.write(content, read_text(text, source.media_type), started)
            except DocumentError as error:
                yield _failure(uri, error, started)

    def _parse_all(
        self,
        ready: Iterable[_Prepared],
        pool: ParsePool,
        password: Password | None,
        inside: list[Inside],
    ) -> Iterator[IngestItem]:
        waiting: deque[_Prepared] = deque()

        def jobs() -> Iterator[ParseJob | None]:
            for prepared in ready:
                waiting.append(prepared)
                yield self._job(prepared, password) if isinstance(prepared, _Task) else None

        for outcome in pool.parse(jobs()):
            yield from _finished(waiting)
            if outcome is not None:
                task = waiting.popleft()
                assert isinstance(task, _Task)
                yield self._finish(task, self._again(task, outcome, pool, password), inside)
        yield from _finished(waiting)

    def _job(self, task: _Task, password: Password | None) -> ParseJob:
        name = well_formed(own_name(task.content.uri))
        known = password if isinstance(password, str) else None
        return ParseJob(self.blobs.path(task.content.sha256), name, known, task.depth)

    def _again(
        self, task: _Task, outcome: ParseOutcome, pool: ParsePool, password: Password | None
    ) -> ParseOutcome:
        """*outcome*, or that of a second try of an encrypted file whose password was asked for."""
        if not isinstance(outcome.error, Encrypted) or not callable(password):
            return outcome
        given = password(task.content.uri)
        if given is None:
            return outcome
        return next(pool.parse([replace(outcome.job, password=given)]))

    def _prepare(self, found: Found, labels: Labels, inside: list[Inside]) -> _Prepared:
        started = time.perf_counter()
        try:
            if found.error is not None:
                raise found.error
            sha256, size = hash_file(found.path, self.max_bytes)
            content = Content(found.uri, sha256, size, labels, self._before(found.uri))
            kept = self._known(content, 0, inside, started)
            if kept is not None:
                return kept
            self.blobs.keep(found.path, sha256)
            return _Task(content, named=found.named)
        except DocumentError as error:
            return _failure(found.uri, error, started, named=found.named)

    def _prepare_inside(self, item: Inside, inside: list[Inside]) -> _Prepared:
        started = time.perf_counter()
        size, sha256 = item.attachment.size, item.attachment.sha256
        content = Content(
            item.uri,
            sha256,
            size,
            item.labels,
            self._before(item.uri),
            container_id=item.container_id,
        )
        try:
            if size > self.max_bytes:
                raise TooLarge(
                    f"{display_name(item.uri)} has {size:,} bytes; the limit is "
                    f"{self.max_bytes:,}. Take it out and split it, or raise max_bytes."
                )
            kept = self._known(content, item.depth, inside, started)
            return kept or _Task(content, named=False, depth=item.depth)
        except DocumentError as error:
            return _failure(item.uri, error, started, named=False)

    def _before(self, uri: str) -> Document | None:
        with self.writer.database.read() as connection:
            return store.find_document(connection, make_id("document", self.writer.base, uri))

    def _known(
        self, content: Content, depth: int, inside: list[Inside], started: float
    ) -> IngestItem | None:
        """The outcome without parsing: nothing has changed, or these bytes were read before."""
        kept = self._unchanged(content, None)
        before = content.before
        if kept is not None and before is not None:
            if not is_complete(self.writer.database, self.blobs, self.writer.base, before):
                return None
            attachments = before.revision.attachments or ()
            inside += attached(before.id, before.uri, attachments, content.labels, depth)
            return kept
        parsed = self._read_before(content)
        return None if parsed is None else self._write(content, parsed, depth, inside, started)

    def _unchanged(self, content: Content, media_type: str | None) -> IngestItem | None:
        before = content.before
        if before is None or before.revision.sha256 != content.sha256:
            return None
        revision = before.revision
        with self.writer.database.read() as connection:
            chunking = store.chunking_of(connection, revision.id)
        same_parser = is_current(revision.media_type, revision.parser, ocr=self.ocr)
        same_type = media_type is None or media_type == revision.media_type
        same_title = content.title is None or content.title == before.title
        if not (same_parser and same_type and same_title):
            return None
        if chunking != self.writer.limits.key():
            return None
        self._relabel(before, content.labels)
        return unchanged(before)

    def _read_before(self, content: Content) -> Parsed | None:
        """What a reader made of the same bytes, if it would be read the same way again."""
        suffix = PurePosixPath(own_name(content.uri)).suffix
        with self.writer.database.read() as connection:
            for document in store.find_reads(connection, content.sha256):
                revision = document.revision
                # The name has a part in what a text is taken for.
                same = PurePosixPath(own_name(document.uri)).suffix == suffix
                known = is_current(revision.media_type, revision.parser, ocr=self.ocr)
                if same and known and revision.attachments == ():
                    return parsed_of(connection, revision)
        return None

    def _relabel(self, document: Document, labels: Labels) -> None:
        tags = document.tags if labels.tags is None else tuple(labels.tags)
        metadata = document.metadata if labels.metadata is None else dict(labels.metadata)
        if (tags, metadata) != (document.tags, document.metadata):
            with self.writer.database.write() as connection:
                store.update_document(connection, document.id, tags, metadata)

    def _finish(self, task: _Task, outcome: ParseOutcome, inside: list[Inside]) -> IngestItem:
        started = time.perf_counter() - outcome.seconds
        uri = task.content.uri
        if outcome.parsed is None:
            error = outcome.error or DocumentError("The reader gave neither a result nor a reason.")
            return _failure(uri, error, started, named=task.named)
        parsed = outcome.parsed
        if self.describer is not None:
            parsed = describe_figures(parsed, self.blobs, self.describer)
        try:
            return self._write(task.content, parsed, task.depth, inside, started)
        except DocumentError as error:
            return _failure(uri, error, started)

    def _write(
        self, content: Content, parsed: Parsed, depth: int, inside: list[Inside], started: float
    ) -> IngestItem:
        item = self.writer.write(content, parsed, started)
        document_id = make_id("document", self.writer.base, content.uri)
        found = list(attached(document_id, content.uri, parsed.attachments, content.labels, depth))
        if content.before is not None:
            forget_others(self.writer.database, self.writer.base, document_id, found)
        inside += found
        return item


def _finished(waiting: deque[_Prepared]) -> Iterator[IngestItem]:
    """Take the items off the front that wait for no parse."""
    while waiting and isinstance(waiting[0], IngestItem):
        item = waiting.popleft()
        assert isinstance(item, IngestItem)
        yield item


def _failure(uri: str, error: DocumentError, started: float, *, named: bool = True) -> IngestItem:
    name = display_name(uri)
    message = well_formed(str(error)).removeprefix(f"{own_name(uri)}: ")
    # Of a folder, what no reader is made for is left out; a file that was named, or that bears the
    # name of a kind that is read, must be read.
    other = PurePosixPath(name).suffix.lower() not in {*_READ, ""}
    skip = isinstance(error, Unsupported) and other and not named
    return IngestItem(
        uri=uri,
        status="skipped" if skip else "failed",
        seconds=time.perf_counter() - started,
        code=error.code,
        message=message if name in message else f"{name}: {message}",
    )
