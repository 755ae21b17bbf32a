"""What an open knowledge base keeps to, whatever the settings of this call say."""

from __future__ import annotations

from pathlib import Path

import pytest

from chapterverse.schema.errors import StoreMismatch
from tests.bases import open_base


def test_a_base_keeps_its_name(tmp_path: Path) -> None:
    with open_base(tmp_path / "kb", name="plant") as kb:
        first = kb.ingest_text("The pump needs oil.", "text:a")
    with open_base(tmp_path / "kb") as kb:
        second = kb.ingest_text("The pump needs grease.", "text:a")
        assert second.status == "replaced"
        assert second.document_id == first.document_id
        assert len(kb.documents()) == 1


def test_another_name_is_refused(tmp_path: Path) -> None:
    with open_base(tmp_path / "kb"):
        pass
    with pytest.raises(StoreMismatch, match=r"'default'; 'plant'.*another folder"):
        open_base(tmp_path / "kb", name="plant")
