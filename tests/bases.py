"""Small knowledge bases for tests: the hash embedder, texts and files made on the spot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from chapterverse import KnowledgeBase

__all__ = ["HANDBOOK", "MANUAL", "all_ids", "open_base", "write_files"]

MANUAL = """# Pump manual

## 1 Safety

Switch the pump off before opening the cover. Never run the pump dry.

## 2 Maintenance

Change the oil every 2000 hours. Use oil of grade ISO VG 46.

| part | interval |
| --- | --- |
| shaft seal | 8000 hours |
| bearing | 16000 hours |
"""

HANDBOOK = """# 员工手册

## 第三章 费用报销

员工应在费用发生后 30 天内提交报销申请。超过 30 天的，须由部门负责人说明原因。

## 第四章 休假

年假为每年十五天，应提前两周申请。
"""


def open_base(path: Path, **settings: Any) -> KnowledgeBase:
    """A base with the hash embedder, so that no model is needed."""
    return KnowledgeBase.open(path, **{"embedder": "hash", "processes": 1, **settings})


def write_files(folder: Path) -> Path:
    """A folder with an English and a Chinese document; returns the folder."""
    folder.mkdir(exist_ok=True)
    (folder / "manual.md").write_text(MANUAL, encoding="utf-8")
    (folder / "handbook.md").write_text(HANDBOOK, encoding="utf-8")
    return folder


def all_ids(kb: KnowledgeBase) -> dict[str, list[int]]:
    """Child ids as the database and each index have them."""
    session = kb._session
    with session.writing() as indexes:
        found = sorted(c.id for d in kb.documents() for c in kb.get(d.uri).children)
        return {
            "database": found,
            "vectors": sorted(indexes.vectors.ids().tolist()),
            "chroma": sorted(i for page in indexes.chroma.ids() for i in page.tolist()),
            "keyword": [indexes.keyword.count()[0]],
        }
