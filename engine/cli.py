"""The command line: read arguments, call the knowledge base, print."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

import chapterverse
from chapterverse.schema.errors import ChapterverseError, QueryError

__all__ = ["cli", "main"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code (0 done, 1 failed, 2 wrong usage)."""
    # A caller may have closed the streams; Python then has none.
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 (as long as the process)
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115 (as long as the process)
    try:
        code = cli.main(arguments, prog_name="chapterverse", standalone_mode=False)
        return int(code or 0)
    except click.exceptions.Abort:
        click.echo(
            "Interrupted. What was finished is kept; run the same command to go on.", err=True
        )
        return EXIT_INTERRUPTED
    except click.ClickException as error:
        error.show()
        return EXIT_USAGE
    except QueryError as error:
        click.echo(f"Error: {error}", err=True)
        return EXIT_USAGE
    except ChapterverseError as error:
        click.echo(f"Error: {error}", err=True)
        return EXIT_FAILED
    except BrokenPipeError:
        # The reader of our output has gone (as with `| head`): nothing is wrong.
        _forget_output()
        return 0
    except OSError as error:
        click.echo(f"Error: {error}", err=True)
        _forget_output()
        return EXIT_FAILED


def _forget_output() -> None:
    """Let nothing that is still buffered fail once more when the process ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _shared(command: _Command) -> _Command:
    """The options that every command takes."""
    kb = click.option(
        "--kb",
        "kb",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path("kb"),
        envvar="CHAPTERVERSE_KB",
        show_default=True,
        show_envvar=True,
        help="Folder of the knowledge base.",
    )
    as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    return kb(as_json(command))


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(chapterverse.__version__, prog_name="chapterverse")
def cli() -> None:
    """Search documents; every answer cites the page it stands on.

    \b
    chapterverse ingest docs handbook.pdf
    chapterverse search "within how many days must expenses be handed in?"
    """


@cli.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@click.option("--tag", "tags", multiple=True, help="Tag the documents; may be repeated.")
@click.option("--password", help="Password of encrypted documents.")
@_shared
def ingest(
    paths: tuple[str, ...], tags: tuple[str, ...], password: str | None, kb: Path, as_json: bool
) -> int:
    """Ingest files and folders. Unchanged files are skipped, changed ones replaced."""
    from chapterverse.engine.console import IngestDisplay, print_json, print_report

    with _open(kb, create=True) as base, IngestDisplay(quiet=as_json) as display:
        report = base.ingest(list(paths), tags=tags or None, password=password, watch=display)
    if as_json:
        print_json({"items": report.items})
    else:
        print_report(report)
    return EXIT_FAILED if report.failed else 0


@cli.command()
@click.argument("query")
@click.option("-k", "--k", "k", default=5, show_default=True, help="How many passages.")
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "keyword", "dense"]),
    default="hybrid",
    show_default=True,
    help="Which channels answer.",
)
@click.option(
    "--document",
    "documents",
    multiple=True,
    help="Only this document (id or URI); may be repeated.",
)
@click.option(
    "--tag",
    "tags",
    multiple=True,
    help="Only documents with this tag; may be repeated, one is enough.",
)
@click.option(
    "--media-type", "media_types", multiple=True, help="As application/pdf; may be repeated."
)
@click.option(
    "--kind", "kinds", multiple=True, help="Only this kind (table, figure, ...); may be repeated."
)
@click.option("--pages", help="Only these physical pages, as 12 or 10-20.")
@_shared
def search(
    query: str,
    k: int,
    mode: Any,
    documents: tuple[str, ...],
    tags: tuple[str, ...],
    media_types: tuple[str, ...],
    kinds: tuple[str, ...],
    pages: str | None,
    kb: Path,
    as_json: bool,
) -> int:
    """Search and print cited passages."""
    from chapterverse.engine.console import print_json, print_passages
    from chapterverse.schema.results import make_filter

    wanted = make_filter(documents, tags, media_types, kinds, pages)
    with _open(kb, warm=mode != "keyword") as base:
        passages = base.search(query, k, mode=mode, filter=wanted)
    if as_json:
        print_json({"query": query, "passages": passages})
    else:
        print_passages(passages)
    return 0


@cli.command(name="list")
@_shared
def list_(kb: Path, as_json: bool) -> int:
    """List the documents."""
    from chapterverse.engine.console import document_json, print_documents, print_json

    with _open(kb) as base:
        documents = base.documents()
    if as_json:
        print_json({"documents": [document_json(document) for document in documents]})
    else:
        print_documents(documents)
    return 0


@cli.command()
@click.argument("document")
@_shared
def show(document: str, kb: Path, as_json: bool) -> int:
    """Show the assets and chunks of a document. Name it by id, URI, path or file name."""
    from chapterverse.engine.console import content_json, print_content, print_json

    with _open(kb) as base:
        content = base.get(document)
    if as_json:
        print_json(content_json(content))
    else:
        print_content(content)
    return 0


@cli.command()
@click.argument("documents", nargs=-1, required=True)
@_shared
def delete(documents: tuple[str, ...], kb: Path, as_json: bool) -> int:
    """Delete documents. Name them by id, URI, path or file name; the files are not touched."""
    from chapterverse.engine.console import document_json, print_json

    with _open(kb) as base:
        gone = base.delete(documents)
    if as_json:
        print_json({"deleted": [document_json(document) for document in gone]})
    else:
        for document in gone:
            click.echo(f"Deleted {document.uri}")
    return 0


@cli.command()
@_shared
def status(kb: Path, as_json: bool) -> int:
    """Show what the knowledge base holds and what it was built with."""
    from chapterverse.engine.console import print_json, print_status

    with _open(kb) as base:
        state = base.status()
    if as_json:
        print_json(state)
    else:
        print_status(state)
    return 0


@cli.command()
@_shared
def rebuild(kb: Path, as_json: bool) -> int:
    """Build everything anew with the settings in force.

    Chunks are cut again where their limits changed, vectors made where the embedder changed,
    indexes always. Searches use the old ones until all is ready; no file is read again.
    """
    from chapterverse.engine.console import IngestDisplay, print_json

    with _open(kb) as base, IngestDisplay(quiet=as_json) as display:
        generation = base.rebuild(watch=display)
    if as_json:
        print_json({"generation": generation})
    else:
        click.echo(f"Searches now use generation {generation}.")
    return 0


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a page that shows every box and element.",
)
@click.option("--password", help="Password of an encrypted document.")
def inspect(file: Path, as_json: bool, page: Path | None, password: str | None) -> int:
    """Show what is read from a file: outline, tables, figures, warnings. Stores nothing."""
    from chapterverse.engine.console import print_json, print_lines
    from chapterverse.engine.inspect import inspect_file
    from chapterverse.engine.inspect_neutral import neutral_failure, neutral_form
    from chapterverse.engine.inspect_text import inspection_lines
    from chapterverse.schema.settings import load_settings

    with inspect_file(file, load_settings().parse_limits, password=password) as inspection:
        if inspection.parsed is None:
            error = inspection.error
            assert error is not None
            if as_json:
                print_json(neutral_failure(file.name, error))
            click.echo(f"Error: {error.code}: {error}", err=True)
            return EXIT_FAILED
        if page is not None:
            inspection.write_html(page)
        if as_json:
            print_json(neutral_form(file.name, inspection.parsed))
        else:
            print_lines(inspection_lines(inspection, inspection.parsed))
            if page is not None:
                click.echo(f"Wrote {page}")
    return 0


def _open(kb: Path, *, create: bool = False, warm: bool = False) -> Any:
    if warm:
        # Loading the model takes longest; it goes on while everything else is imported.
        from chapterverse.engine.embed import warm_default

        warm_default()
    from chapterverse.engine.app import KnowledgeBase

    return KnowledgeBase.open(kb, create=create)
