"""Files inside files become documents; equal bytes are read once; pictures stay with figures."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from chapterverse import KnowledgeBase
from chapterverse.ingest import pool as pools
from chapterverse.ingest.pool import ParseJob, ParseOutcome
from chapterverse.ingest.snapshot import Blobs
from chapterverse.schema.errors import DocumentError, Encrypted, Unsupported
from chapterverse.schema.records import Asset, AssetKind, Attachment, Parsed, Picture
from tests.bases import open_base

PICTURE = b"\x89PNG picture"


class InProcess:
    """Parses without processes: each line of a file says what the file holds.

    ``>name|text`` is an attachment (``/`` in *text* parts its lines), ``figure`` a figure with a
    picture, ``locked`` asks for the password ``sesame``, anything else is a paragraph.
    """

    read: ClassVar[list[str]] = []

    def __init__(self, limits: object, *, blobs: Path, ocr_cache: Path) -> None:
        self._blobs = Blobs(blobs)

    def __enter__(self) -> InProcess:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def parse(self, jobs: Iterable[ParseJob | None]) -> Iterator[ParseOutcome | None]:
        for job in jobs:
            if job is None:
                yield None
                continue
            self.read.append(job.name)
            try:
                yield ParseOutcome(job, self._parsed(job), None, 0.0)
            except DocumentError as error:
                yield ParseOutcome(job, None, error, 0.0)

    def _parsed(self, job: ParseJob) -> Parsed:
        assets: list[Asset] = []
        attachments: list[Attachment] = []
        for line in job.path.read_text(encoding="utf-8").splitlines():
            if line == "binary":
                raise Unsupported(f"{job.name}: no reader")
            if line == "locked" and job.password != "sesame":
                raise Encrypted(f"{job.name}: asks for a password")
            if line.startswith(">"):
                name, _, text = line[1:].partition("|")
                data = text.replace("/", "\n").encode()
                sha256 = self._blobs.keep_bytes(data)
                attachments.append(Attachment(name, sha256, len(data)))
            elif line == "figure":
                picture = Picture(self._blobs.keep_bytes(PICTURE), "image/png", 100, 80)
                assets.append(Asset(len(assets), AssetKind.FIGURE, "Figure 1", picture=picture))
            else:
                assets.append(Asset(len(assets), AssetKind.PARAGRAPH, line))
        return Parsed(
            "text/plain", "plain/2", tuple(assets), title=job.name, attachments=tuple(attachments)
        )


@pytest.fixture(autouse=True)
def pool(monkeypatch: pytest.MonkeyPatch) -> type[InProcess]:
    InProcess.read = []
    monkeypatch.setattr(pools, "ParsePool", InProcess)
    monkeypatch.setattr("chapterverse.ingest.pipeline.is_current", lambda *_, ocr: True)
    return InProcess


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with open_base(tmp_path / "kb") as base:
        yield base


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def make(name: str, *lines: str) -> Path:
        path = tmp_path / name
        path.write_text("\n".join(lines), encoding="utf-8")
        return path

    return make


def statuses(report: Any) -> list[str]:
    return [item.status for item in report.items]


def test_attachments_are_documents_that_cite_their_container(
    kb: KnowledgeBase, write: Callable[..., Path]
) -> None:
    report = kb.ingest(
        write("mail.eml", "Dear all", ">rates 2024.txt|The rate is seven"), tags=["x"]
    )
    assert statuses(report) == ["ingested", "ingested"]
    found = kb.search("rate seven")[0]
    assert found.citations[0].label == "mail.eml › rates 2024.txt"
    assert found.citations[0].link.endswith("/mail.eml#rates%202024.txt")
    inner = next(d for d in kb.documents() if d.container_id is not None)
    outer = next(d for d in kb.documents() if d.container_id is None)
    assert inner.container_id == outer.id
    assert inner.tags == ("x",)
    assert kb.get("mail.eml › rates 2024.txt").document.id == inner.id


def test_deep_files_are_found_and_go_with_their_container(
    kb: KnowledgeBase, write: Callable[..., Path], tmp_path: Path
) -> None:
    kb.ingest(write("a.zip", "list", ">b.zip|inner list/>c.txt|depth of the well"))
    assert len(kb.documents()) == 3
    assert kb.search("depth of the well")[0].citations[0].label == "a.zip › b.zip › c.txt"
    kb.delete("a.zip")
    assert kb.documents() == []
    assert not list((tmp_path / "kb" / "blobs").rglob("*"))


def test_an_unchanged_container_costs_no_parse(
    kb: KnowledgeBase, write: Callable[..., Path]
) -> None:
    path = write("a.zip", "list", ">b.txt|one", ">c.txt|two")
    kb.ingest(path)
    InProcess.read.clear()
    assert statuses(kb.ingest(path)) == ["unchanged"] * 3
    assert InProcess.read == []


def test_what_a_new_version_does_not_hold_goes(
    kb: KnowledgeBase, write: Callable[..., Path]
) -> None:
    kb.ingest(write("a.zip", "list", ">b.txt|one two", ">c.txt|three four"))
    report = kb.ingest(write("a.zip", "list", ">c.txt|three four", ">d.txt|five six"))
    assert statuses(report) == ["replaced", "unchanged", "ingested"]
    assert len(kb.documents()) == 3
    assert not kb.search("one two", mode="keyword")


def test_an_interrupted_container_is_completed(
    kb: KnowledgeBase, write: Callable[..., Path]
) -> None:
    path = write("a.zip", "list", ">b.txt|one", ">c.txt|two")
    kb.ingest(path)
    inner = next(d for d in kb.documents() if d.uri.endswith("c.txt"))
    kb.delete(inner.id)
    assert sorted(statuses(kb.ingest(path))) == ["ingested", "unchanged", "unchanged"]
    assert kb.search("two")


def test_a_container_whose_bytes_are_gone_is_read_again(
    tmp_path: Path, write: Callable[..., Path]
) -> None:
    path = write("a.zip", "list", ">b.txt|one", ">c.txt|two")
    with open_base(tmp_path / "kb", keep_sources=False) as kb:
        kb.ingest(path)
        assert not list((tmp_path / "kb" / "blobs").rglob("*"))
        kb.delete(next(d.id for d in kb.documents() if d.uri.endswith("c.txt")))
        assert sorted(statuses(kb.ingest(path))) == ["ingested", "unchanged", "unchanged"]


def test_members_that_no_reader_reads_are_skipped_and_reported(
    kb: KnowledgeBase, write: Callable[..., Path]
) -> None:
    report = kb.ingest(write("a.zip", "list", ">tool.exe|binary", ">broken.pdf|binary"))
    assert statuses(report) == ["ingested", "skipped", "failed"]
    assert "a.zip › tool.exe" in (report.items[1].message or "")


def test_equal_bytes_are_read_once(kb: KnowledgeBase, write: Callable[..., Path]) -> None:
    kb.ingest(write("a.txt", "The same words"))
    kb.ingest([write("b.txt", "The same words"), write("c.md", "The same words")])
    # The name has a part in what a text is taken for, so another suffix is read by itself.
    assert InProcess.read == ["a.txt", "c.md"]
    assert {document.title for document in kb.documents()} == {"a.txt", "c.md"}
    assert len(kb.documents()) == 3


def test_new_limits_cut_again_without_reading(tmp_path: Path, write: Callable[..., Path]) -> None:
    path = write("a.txt", *(f"Line {n} of a text that is long enough." for n in range(40)))
    with open_base(tmp_path / "kb") as kb:
        kb.ingest(path)
        before = kb.documents()[0].children
        kb.rebuild(child_tokens=16)
        assert kb.documents()[0].children > before
        assert statuses(kb.ingest(path)) == ["unchanged"]
    assert InProcess.read == ["a.txt"]


def test_pictures_stay_as_long_as_a_figure_shows_them(
    tmp_path: Path, write: Callable[..., Path]
) -> None:
    digest = hashlib.sha256(PICTURE).hexdigest()
    with open_base(tmp_path / "kb", keep_sources=False) as kb:
        kb.ingest(write("a.txt", "figure", "words"))
        blob = Blobs(tmp_path / "kb" / "blobs").path(digest)
        assert blob.read_bytes() == PICTURE
        figure = kb.get("a.txt").assets[0]
        assert figure.picture == Picture(digest, "image/png", 100, 80)
        kb.ingest(write("a.txt", "words alone"))
        assert not blob.exists()


def test_a_password_is_asked_for_only_where_it_is_needed(
    kb: KnowledgeBase, write: Callable[..., Path]
) -> None:
    asked: list[str] = []

    def ask(uri: str) -> str | None:
        asked.append(uri)
        return "sesame" if uri.endswith("/b.txt") else None

    paths = [write("a.txt", "open"), write("b.txt", "locked", "x"), write("c.txt", "locked", "y")]
    report = kb.ingest(paths, password=ask)
    assert statuses(report) == ["ingested", "ingested", "failed"]
    assert [uri.rsplit("/", 1)[1] for uri in asked] == ["b.txt", "c.txt"]
    assert statuses(kb.ingest(paths, password="sesame")) == ["unchanged", "unchanged", "ingested"]


def test_descriptions_are_indexed_and_marked(kb: KnowledgeBase, write: Callable[..., Path]) -> None:
    seen: list[tuple[bytes, str, str]] = []

    def describe(picture: bytes, media_type: str, context: str) -> str:
        seen.append((picture, media_type, context))
        return "A turbine in section."

    kb.ingest(write("a.txt", "figure", "words"), describer=describe)
    assert seen == [(PICTURE, "image/png", "Figure 1")]
    figure = kb.get("a.txt").assets[0]
    (origin,) = figure.origins
    assert origin.kind == "generated"
    assert figure.text[origin.start : origin.end] == "A turbine in section."
    assert kb.search("turbine", mode="keyword")[0].kind == "figure"


def test_a_describer_that_fails_costs_a_warning(
    kb: KnowledgeBase, write: Callable[..., Path]
) -> None:
    def describe(*_: object) -> str:
        raise TimeoutError("server away")

    report = kb.ingest(write("a.txt", "figure"), describer=describe)
    assert statuses(report) == ["ingested"]
    assert "server away" in report.items[0].warnings[0]
