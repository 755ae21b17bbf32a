"""The laws of the design, one by one, through the public interface."""

from __future__ import annotations

import dataclasses
import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from chapterverse import Filter, KnowledgeBase, TextSource
from chapterverse.schema.errors import NotFound
from chapterverse.schema.results import Mode
from tests.bases import HANDBOOK, MANUAL, all_ids, open_base, write_files

MODES: tuple[Mode, ...] = ("hybrid", "keyword", "dense")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return write_files(tmp_path / "files")


def shown(kb: KnowledgeBase, query: str = "oil pump 报销") -> list[tuple[str, str, float]]:
    return [(p.document.uri, p.text, p.score) for p in kb.search(query, 10)]


def die(*_: object) -> None:
    raise KeyboardInterrupt


def test_law_1_indexes_can_be_deleted(tmp_path: Path, files: Path) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest(files)
        before = shown(kb)
    assert before
    shutil.rmtree(tmp_path / "kb" / "generations")
    with open_base(tmp_path / "kb") as kb:
        assert shown(kb) == before
        ids = all_ids(kb)
        assert ids["database"] == ids["vectors"] == ids["chroma"]


@pytest.mark.parametrize("index", ["keyword", "vectors", "chroma"])
def test_law_1_one_index_can_be_deleted_or_cut_short(
    tmp_path: Path, files: Path, index: str
) -> None:
    with open_base(tmp_path / "kb", exact_limit=0) as kb:
        kb.ingest(files)
        before = shown(kb)
    folder = tmp_path / "kb" / "generations" / "1" / index
    for file in [path for path in folder.rglob("*") if path.is_file()]:
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with open_base(tmp_path / "kb", exact_limit=0) as kb:
        kb.ingest_text("Another text about valves.", "text:valves")
        kb.delete("text:valves")
        assert shown(kb) == before
        ids = all_ids(kb)
        assert ids["database"] == ids["vectors"] == ids["chroma"]
        assert ids["keyword"] == [len(ids["database"])]


def test_law_1_an_index_put_back_from_an_older_copy_is_noticed(tmp_path: Path) -> None:
    generations = tmp_path / "kb" / "generations"
    with open_base(tmp_path / "kb") as kb:
        kb.ingest_text("The pump needs oil.", "text:a")
    shutil.copytree(generations, tmp_path / "copy")
    with open_base(tmp_path / "kb") as kb:
        kb.ingest_text("The turbine needs grease.", "text:b")
    shutil.rmtree(generations)
    shutil.copytree(tmp_path / "copy", generations)
    with open_base(tmp_path / "kb") as kb:
        for mode in MODES:
            assert kb.search("turbine grease", 1, mode=mode)[0].document.uri == "text:b"
        ids = all_ids(kb)
        assert ids["database"] == ids["vectors"] == ids["chroma"]


def test_law_2_a_replaced_document_can_be_found_at_every_moment(tmp_path: Path) -> None:
    missed, searches = [], 0
    with open_base(tmp_path / "kb") as kb:
        kb.ingest_text("The turbine has serial number zero.", "text:turbine")
        stop = threading.Event()

        def replace() -> None:
            for number in range(12):
                kb.ingest_text(f"The turbine has serial number {number}.", "text:turbine")
            stop.set()

        writer = threading.Thread(target=replace)
        writer.start()
        while not stop.is_set():
            searches += 1
            if [p.document.uri for p in kb.search("turbine serial", 3)] != ["text:turbine"]:
                missed.append(searches)
        writer.join()
    assert searches > 5
    assert missed == []


def test_law_3_the_outbox_can_be_applied_again(tmp_path: Path, files: Path) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest(files)
        before, ids = shown(kb), all_ids(kb)
        revisions = [d.revision.id for d in kb.documents()]
    with closing(sqlite3.connect(tmp_path / "kb" / "kb.sqlite3")) as connection, connection:
        for revision in revisions:
            connection.execute(
                "INSERT INTO outbox (op, revision_id) VALUES ('put', ?)", (revision,)
            )
    with open_base(tmp_path / "kb") as kb:
        assert kb.status().lag == 0
        assert shown(kb) == before
        assert all_ids(kb) == ids


def test_law_3_the_base_moves_on_only_after_the_indexes_are_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest_text("The turbine has serial number zero.", "text:a")
        before = kb._session.generation()
        monkeypatch.setattr("chapterverse.engine.indexes.IndexSet.commit", die)
        with pytest.raises(KeyboardInterrupt):
            kb.ingest_text("The turbine has serial number one.", "text:a")
        assert kb._session.generation() == before
        monkeypatch.undo()
    with open_base(tmp_path / "kb") as kb:
        assert [p.text for p in kb.search("turbine")] == ["The turbine has serial number one."]


def test_law_4_the_database_says_which_revision_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest_text("The turbine has serial number zero.", "text:a")
        monkeypatch.setattr("chapterverse.schema.journal.mark_applied", die)
        with pytest.raises(KeyboardInterrupt):
            kb.ingest_text("The turbine has serial number one.", "text:a")
        # The indexes hold both revisions now, and only the database can tell.
        for mode in MODES:
            found = kb.search("turbine serial number", mode=mode)
            assert [p.text for p in found] == ["The turbine has serial number zero."]
        monkeypatch.undo()
    with open_base(tmp_path / "kb") as kb:
        for mode in MODES:
            found = kb.search("turbine serial number", mode=mode)
            assert [p.text for p in found] == ["The turbine has serial number one."]


def test_law_4_a_deleted_document_never_shows(tmp_path: Path, files: Path) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest(files)
        with kb._session.database.write() as connection:
            connection.exec_driver_sql("DELETE FROM document WHERE uri LIKE '%manual.md'")
        # The indexes still hold its children.
        assert all("manual" not in uri for uri, _, _ in shown(kb))


def test_law_4_a_missing_parent_degrades_to_its_child(tmp_path: Path, files: Path) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest(files)
    with closing(sqlite3.connect(tmp_path / "kb" / "kb.sqlite3")) as connection, connection:
        connection.execute("DELETE FROM parent WHERE text LIKE '%ISO VG 46%'")
    with open_base(tmp_path / "kb") as kb:
        best = kb.search("oil of grade ISO VG 46", 1)[0]
    assert best.warnings
    assert best.text == best.children[0].text
    assert "ISO VG 46" in best.text


def test_law_5_equal_texts_in_two_documents_stay_two(tmp_path: Path) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest_texts([TextSource(HANDBOOK, f"text:{name}", "手册") for name in "ab"])
        uris = {p.document.uri for p in kb.search("报销申请", 4)}
        parents = [p.id for name in "ab" for p in kb.get(f"text:{name}").parents]
    assert uris == {"text:a", "text:b"}
    assert len(parents) == len(set(parents))


def test_law_6_offsets_are_exact_in_results(tmp_path: Path, files: Path) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest(files)
        passages = kb.search("oil hours 报销 seal", 10)
    assert passages
    for passage in passages:
        for child in passage.children:
            assert passage.text[child.start : child.end] == child.text
            assert all(0 <= r.start < r.end <= len(child.text) for r in child.regions)


def test_law_7_every_asset_is_in_a_parent(tmp_path: Path, files: Path) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest(files)
        for document in kb.documents():
            content = kb.get(document.uri)
            held = {s.asset for parent in content.parents for s in parent.segments}
            assert held == {a.ordinal for a in content.assets if a.text}
            read = {a.ordinal: [" "] * len(a.text) for a in content.assets}
            for parent in content.parents:
                for piece in parent.segments:
                    text = content.assets[piece.asset].text[piece.asset_start : piece.asset_end]
                    assert parent.text[piece.start : piece.end] == text
                    read[piece.asset][piece.asset_start : piece.asset_end] = text
            for asset in content.assets:
                assert "".join(read[asset.ordinal]).split() == asset.text.split()


def test_law_8_pages_are_not_invented(tmp_path: Path, files: Path) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest(files)
        passage = kb.search("oil", 1)[0]
    assert passage.pages == ()
    assert passage.citations[0].link.endswith("manual.md")
    assert ", p. " not in passage.citations[0].label


def test_law_9_k_is_distinct_parents_and_does_not_reorder(tmp_path: Path) -> None:
    texts = [
        TextSource(f"# Part {n}\n\n" + "The pump needs oil. " * 40, f"t:{n}", None, "text/markdown")
        for n in range(8)
    ]
    with open_base(tmp_path / "kb") as kb:
        kb.ingest_texts(texts)
        many = [p.parent_id for p in kb.search("pump oil", 8)]
        few = [p.parent_id for p in kb.search("pump oil", 3)]
    assert len(many) == len(set(many)) == 8
    assert few == many[:3]


@pytest.mark.parametrize("fusion", ["zscore", "minmax", "rrf"])
def test_law_10_scores_can_be_recomputed(tmp_path: Path, files: Path, fusion: str) -> None:
    with open_base(tmp_path / "kb", fusion=fusion) as kb:
        kb.ingest(files)
        passages = kb.search("grade of oil 报销", 10)
        only_dense = kb.search("zzzz", 10)
    for passage in (*passages, *only_dense):
        for child in passage.children:
            parts = [
                s.weight * s.normalised for s in child.scores.values() if s.normalised is not None
            ]
            assert child.score == pytest.approx(sum(parts))
        assert passage.score == passage.children[0].score
        for score in passage.scores.values():
            if fusion == "rrf" and score.normalised is not None:
                assert score.rank is not None
                assert score.normalised == pytest.approx(1 / (60 + score.rank))
    for name in ("dense", "keyword"):
        found = [child.scores[name] for passage in passages for child in passage.children]
        ranked = sorted((s.rank, -s.raw) for s in found if s.rank is not None and s.raw is not None)
        assert [rank for rank, _ in ranked] == list(range(1, len(ranked) + 1))
        assert ranked == sorted(ranked, key=lambda pair: pair[1])
    assert only_dense[0].scores["keyword"].raw is None
    assert only_dense[0].scores["keyword"].normalised is None


def test_law_11_analyzer_version_is_part_of_the_generation(
    tmp_path: Path, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest(files)
    monkeypatch.setattr("chapterverse.engine.session.ANALYZER_VERSION", "2")
    monkeypatch.setattr("chapterverse.engine.rebuild.ANALYZER_VERSION", "2")
    with open_base(tmp_path / "kb") as kb:
        with pytest.raises(Exception, match="chapterverse rebuild"):
            kb.search("oil")
        kb.rebuild()
        assert kb.search("oil")


@pytest.mark.parametrize("query", ["INTERVALS", "ｓｈａｆｔ", "interval's", "提交", "申"])
def test_law_11_queries_are_analyzed_as_documents_are(
    tmp_path: Path, files: Path, query: str
) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest(files)
        assert kb.search(query, 1, mode="keyword")


def test_law_13_two_bases_are_alike(tmp_path: Path, files: Path) -> None:
    found = []
    # Texts that tie in every channel: their order must not depend on when they came.
    equal = [TextSource("The oil of the pump.", f"text:{number}", "x") for number in range(6)]
    for name in ("one", "two"):
        with open_base(tmp_path / name) as kb:
            kb.ingest(files if name == "one" else [files / "manual.md", files / "handbook.md"])
            kb.ingest_texts(equal if name == "one" else reversed(equal))
            found.append([dataclasses.astuple(p) for p in kb.search("oil pump 报销", 10)])
    assert found[0] == found[1]


def test_citations_resolve_or_fail_loudly(tmp_path: Path, files: Path) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest(files)
        cited = kb.search("oil grade", 1)[0].citations[0]
        assert "ISO VG 46" in kb.resolve(cited)
        with pytest.raises(NotFound, match="Search again"):
            kb.resolve(dataclasses.replace(cited, quote="Never written."))
        (files / "manual.md").write_text(MANUAL.replace("46", "68"), encoding="utf-8")
        kb.ingest(files)
        with pytest.raises(NotFound, match="Search again"):
            kb.resolve(cited)


def test_delete_leaves_nothing(tmp_path: Path, files: Path) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest(files, tags=["a"])
        kb.delete([files / "manual.md", "handbook.md"])
        assert all_ids(kb) == {"database": [], "vectors": [], "chroma": [], "keyword": [0]}
    with closing(sqlite3.connect(tmp_path / "kb" / "kb.sqlite3")) as connection:
        names = [
            r[0] for r in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")
        ]
        counts = {n: connection.execute(f"SELECT count(*) FROM {n}").fetchone()[0] for n in names}
    kept = {"knowledge_base", "generation", "job", "alembic_version", "sqlite_sequence"}
    assert {n for n, count in counts.items() if count} <= kept
    assert [p for p in (tmp_path / "kb" / "blobs").rglob("*") if p.is_file()] == []


def test_filters(tmp_path: Path, files: Path) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest(files / "manual.md", tags=["technical"])
        kb.ingest(files / "handbook.md", tags=["people"])
        by_tag = kb.search("oil", 10, filter=Filter(tags=("people",)))
        by_document = kb.search(
            "oil", 10, filter=Filter(documents=((files / "manual.md").as_uri(),))
        )
        by_kind = kb.search("bearing hours", 10, filter=make_kinds("table"))
        by_page = kb.search("oil", 10, filter=Filter(first_page=1))
        by_type = kb.search("oil", 10, filter=Filter(media_types=("application/pdf",)))
    assert {p.document.title for p in by_tag} == {"员工手册"}
    assert {p.document.title for p in by_document} == {"Pump manual"}
    assert {c.kind for p in by_kind for c in p.children} == {"table"}
    assert by_page == by_type == ()


def make_kinds(*names: str) -> Filter:
    from chapterverse.schema.results import make_filter

    return make_filter(kinds=names)
