"""What the commands print: tables, passages, progress; and the JSON forms."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import msgspec

from chapterverse.engine.inspect_text import place_text
from chapterverse.engine.shown import Passages
from chapterverse.schema.ids import format_id
from chapterverse.schema.naming import display_name
from chapterverse.schema.records import Document
from chapterverse.schema.results import IngestItem, IngestReport, Status

if TYPE_CHECKING:
    from rich.console import Console

    from chapterverse.engine.app import Content
    from chapterverse.ingest.discover import Found
    from chapterverse.ingest.sources import Progress

__all__ = [
    "IngestDisplay",
    "content_json",
    "document_json",
    "print_content",
    "print_documents",
    "print_json",
    "print_lines",
    "print_passages",
    "print_report",
    "print_status",
]

# A terminal takes these as commands, and what is printed comes from anybody's documents.
_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")

_WIDEST_PLACE = 40


def print_json(value: object) -> None:
    """Records as JSON, UTF-8 whatever the terminal says."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=2)
    sys.stdout.buffer.write(text + b"\n")
    sys.stdout.buffer.flush()


def document_json(document: Document) -> dict[str, object]:
    """A document with its ids as people see them."""
    revision = document.revision
    return {
        "id": format_id(document.id),
        "uri": document.uri,
        "title": document.title,
        "media_type": revision.media_type,
        "pages": revision.page_count,
        "page_unit": revision.page_unit,
        "page_accuracy": revision.page_accuracy,
        "page_labels": revision.page_labels,
        "page_reads": revision.page_reads,
        "properties": revision.properties,
        "container_id": None if document.container_id is None else format_id(document.container_id),
        "sha256": revision.sha256,
        "size": revision.size,
        "parser": revision.parser,
        "revision_id": format_id(revision.id),
        "parents": document.parents,
        "children": document.children,
        "tags": document.tags,
        "metadata": document.metadata,
        "warnings": revision.warnings,
        "ingested_at": document.ingested_at,
    }


def content_json(content: Content) -> dict[str, object]:
    """A document with its assets, parents and children."""
    parents = [_with_ids(parent, "id") for parent in content.parents]
    children = [_with_ids(child, "id", "parent_id") for child in content.children]
    return {
        "document": document_json(content.document),
        "assets": content.assets,
        "parents": parents,
        "children": children,
    }


def print_lines(lines: Iterable[tuple[str, str]]) -> None:
    """Lines with a style each; colours only in a terminal."""
    if not sys.stdout.isatty():
        for text, _ in lines:
            _write(text)
        return
    from rich.text import Text

    console = _console()
    for text, style in lines:
        console.print(Text(_COMMANDS.sub("", text), style=style), soft_wrap=True)


def print_passages(passages: Passages) -> None:
    """Passages as text; colours only in a terminal."""
    if not sys.stdout.isatty():
        _write(str(passages))
        return
    from rich.text import Text

    from chapterverse.engine.shown import styled

    console = _console()
    for passage in passages:
        pieces = [(_COMMANDS.sub("", text), style) for text, style in styled(passage)]
        console.print(Text.assemble(*pieces), soft_wrap=False)
    if not passages:
        console.print("No passage matches.")


def print_documents(documents: Sequence[Document]) -> None:
    """A table of documents."""
    _print_table(
        ("id", "document", "title", "pages", "parents", "children", "tags"),
        (
            (
                format_id(document.id),
                display_name(document.uri),
                document.title,
                _number(document.revision.page_count),
                str(document.parents),
                str(document.children),
                ", ".join(document.tags),
            )
            for document in documents
        ),
    )


def print_content(content: Content) -> None:
    """The outline of a document: its assets, then its parents with their children."""
    document = content.document
    lines = [f"{document.title}  ({document.uri}, {document.revision.media_type})", "", "Assets"]
    places = [place_text(asset, document.revision.page_unit) for asset in content.assets]
    width = min(max(map(len, places), default=0), _WIDEST_PLACE)
    for asset, place in zip(content.assets, places, strict=True):
        head = f"  {asset.ordinal:4} {asset.kind.value:<12} {place:<{width}}"
        lines.append(f"{head}  {_short(asset.text)}")
    lines += ["", "Parents and children"]
    for parent in content.parents:
        path = " > ".join(parent.heading_path)
        pages_text = ", ".join(map(str, parent.pages))
        lines.append(f"  {parent.kind.value} [{pages_text}] {parent.tokens} tokens  {path}")
        for child in content.children:
            if child.parent_id == parent.id:
                lines.append(f"      {child.kind.value:<10} {child.tokens:4}  {_short(child.text)}")
    _write("\n".join(lines))


def print_status(status: Status) -> None:
    """Counts and build settings."""
    rows = {name: getattr(status, name) for name in status.__slots__}
    width = max(map(len, rows))
    _write("\n".join(f"{name:<{width}}  {value}" for name, value in rows.items()))


def print_report(report: IngestReport) -> None:
    """One line of counts, then a table of what failed and why."""
    failed = report.failed
    _write(str(report))
    warned = [(item, text) for item in report.items for text in item.warnings]
    if warned:
        _print_table(
            ("document", "warning"), ((display_name(i.uri), text) for i, text in warned[:20])
        )
        if len(warned) > 20:
            _write(f"... and {len(warned) - 20} more warnings; 'chapterverse show' has them all.")
    skipped = [item for item in report.items if item.status == "skipped"]
    if skipped:
        _print_table(
            ("skipped", "reason"), ((display_name(i.uri), i.message or "") for i in skipped[:20])
        )
    if failed:
        _print_table(
            ("failed", "reason", "what to do"),
            ((display_name(item.uri), item.code or "", item.message or "") for item in failed),
        )


class IngestDisplay:
    """Progress of a long ingest on standard error; silent when that is no terminal."""

    def __init__(self, *, quiet: bool) -> None:
        self._on = not quiet and sys.stderr.isatty()
        self._sizes: dict[str, int] = {}
        self._done = self._finished = 0
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        if self._on:
            from rich import progress

            self._bar = progress.Progress(
                progress.TextColumn("{task.description}", markup=False),
                progress.BarColumn(),
                progress.TaskProgressColumn(),
                progress.TransferSpeedColumn(),
                progress.TextColumn("left"),
                progress.TimeRemainingColumn(),
                console=_console(stderr=True),
            )
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def files(self, found: Sequence[Found]) -> None:
        """Start the bar over the bytes of all files."""
        self._sizes = {item.uri: max(item.size, 1) for item in found}
        if self._bar is not None:
            total = sum(self._sizes.values())
            self._task = self._bar.add_task(self._count(), total=total)

    def progress(self, progress: Progress) -> None:
        """Move within the current document."""
        if self._bar is None:
            return
        if self._task is None:
            self._task = self._bar.add_task("Embedding", total=None)
        part = progress.done / progress.total if progress.total else 1.0
        at = self._done + self._sizes.get(progress.uri, 0) * part
        name = _short(display_name(progress.uri), 40)
        self._bar.update(self._task, completed=at, description=f"{self._count()} {name}".strip())

    def item(self, item: IngestItem) -> None:
        """A document is finished."""
        self._done += self._sizes.get(item.uri, 0)
        self._finished += 1
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._done, description=self._count())

    def _count(self) -> str:
        return f"{self._finished} of {len(self._sizes)}" if self._sizes else ""


def _print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    body = list(rows)
    if sys.stdout.isatty():
        from rich.table import Table

        table = Table(*header, box=None, header_style="bold", pad_edge=False)
        for row in body:
            table.add_row(*(_COMMANDS.sub("", cell) for cell in row))
        _console().print(table, markup=False)
        return
    for row in [tuple(header), *body]:
        _write("\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in row))


def _console(*, stderr: bool = False) -> Console:
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def _write(text: str) -> None:
    sys.stdout.buffer.write(_COMMANDS.sub("", text).encode("utf-8", "replace") + b"\n")
    sys.stdout.buffer.flush()


def _with_ids(record: object, *names: str) -> dict[str, object]:
    values: dict[str, object] = msgspec.to_builtins(record)
    return values | {name: format_id(getattr(record, name)) for name in names}


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def _short(text: str, length: int = 60) -> str:
    flat = " ".join(_COMMANDS.sub(" ", text).split())
    return flat if len(flat) <= length else flat[: length - 1] + "…"
