"""Knowledge bases written by earlier versions open, answer, and can be written to.

The folders were made once by ``tests/data/make_base.py``, one for each schema version.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from chapterverse import KnowledgeBase
from chapterverse.schema.database import SCHEMA_VERSION
from chapterverse.schema.ids import make_id
from tests.bases import all_ids

DATA = Path(__file__).parent / "data"
BASES = sorted(DATA.glob("base_v*"))


@pytest.fixture(params=BASES, ids=lambda path: path.name)
def base(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy that may be changed."""
    shutil.copytree(request.param, tmp_path / "kb")
    return tmp_path / "kb"


def test_every_schema_version_has_its_base() -> None:
    versions = {int(path.name.removeprefix("base_v")) for path in BASES}
    assert versions == set(range(1, int(SCHEMA_VERSION) + 1))


def test_the_bases_are_small() -> None:
    for path in BASES:
        assert sum(f.stat().st_size for f in path.rglob("*") if f.is_file()) < 300_000


@pytest.mark.parametrize("lost", ["", "keyword", "vectors", "."])
def test_an_old_base_answers(base: Path, lost: str) -> None:
    if lost:
        shutil.rmtree(base / "generations" / "1" / lost)
    with KnowledgeBase.open(base, create=False) as kb:
        documents = {d.uri: d for d in kb.documents()}
        assert set(documents) == {"text:manual", "text:handbook", "text:turbine"}
        manual = documents["text:manual"]
        assert manual.id == make_id("document", "golden", "text:manual")
        assert (manual.title, manual.tags) == ("Pump manual", ("technical",))
        assert manual.metadata == {"year": "2024"}
        for mode in ("hybrid", "keyword", "dense"):
            best = kb.search("grade of oil ISO VG 46", 1, mode=mode)[0]
            assert best.document.uri == "text:manual"
            assert best.citations[0].label.endswith("§ 2 Maintenance")
            assert "ISO VG 46" in kb.resolve(best.citations[0])
        assert kb.search("报销申请", 1)[0].document.title == "员工手册"
        assert [p.text for p in kb.search("turbine serial", 1)] == [
            "The turbine has serial number 2."
        ]
        kinds = {asset.kind.value for asset in kb.get("text:manual").assets}
        assert kinds == {"heading", "paragraph", "table"}


def test_an_old_base_can_be_written_to(base: Path) -> None:
    with KnowledgeBase.open(base, create=False) as kb:
        assert (
            kb.ingest_text("The turbine has serial number 3.", "text:turbine").status == "replaced"
        )
        assert kb.ingest_text("The boiler is new.", "text:boiler").status == "ingested"
        kb.delete("text:handbook")
        assert "number 3" in kb.search("turbine serial", 1)[0].text
        assert {d.uri for d in kb.documents()} == {"text:manual", "text:turbine", "text:boiler"}
        ids = all_ids(kb)
        assert ids["database"] == ids["vectors"] == ids["chroma"]
        kb.rebuild()
        assert kb.search("boiler", 1)[0].document.uri == "text:boiler"
