"""From paths to files: order, links, hidden files, and what is no file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from chapterverse.ingest.discover import discover
from chapterverse.schema.errors import FileMissing, FileUnreadable, Unsupported


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for name in ("b.txt", "a/z.txt", "a/y/x.txt", "B.txt", "c/.hidden/h.txt", ".git/config", "10"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")
    return root


def names(root: Path, *given: str | Path, skip: Path | None = None) -> list[str]:
    return [os.path.relpath(found.path, root) for found in discover(given or [root], skip=skip)]


def test_walk_is_in_name_order_without_hidden_files(tree: Path) -> None:
    assert names(tree) == ["10", "B.txt", "a/y/x.txt", "a/z.txt", "b.txt"]


def test_order_of_the_arguments_counts_and_each_file_once(tree: Path) -> None:
    assert names(tree, tree / "b.txt", tree, tree / "a" / ".." / "b.txt") == [
        "b.txt",
        "10",
        "B.txt",
        "a/y/x.txt",
        "a/z.txt",
    ]


def test_relative_paths_and_home(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree / "a")
    monkeypatch.setenv("HOME", str(tree))
    assert names(tree, "z.txt", "~/b.txt", Path("../10")) == ["a/z.txt", "b.txt", "10"]


def test_a_named_hidden_file_counts(tree: Path) -> None:
    assert names(tree, tree / ".git" / "config") == [".git/config"]


def test_size_and_uri(tree: Path) -> None:
    (tree / "册 #1?.txt").write_bytes(b"12345")
    found = discover([tree / "册 #1?.txt"])[0]
    assert found.size == 5
    assert found.uri.endswith("/tree/%E5%86%8C%20%231%3F.txt")
    assert found.error is None


def test_links_to_files_count_and_links_to_folders_do_not(tree: Path) -> None:
    (tree / "d").mkdir()
    (tree / "d" / "file").symlink_to(tree / "b.txt")
    (tree / "d" / "loop").symlink_to(tree)
    assert names(tree, tree / "d") == ["d/file"]
    assert "loop" not in "".join(names(tree))
    # A link that the user names is followed.
    assert len(discover([tree / "d" / "loop"])) == 6


def test_the_knowledge_base_is_skipped_under_any_name(tree: Path, tmp_path: Path) -> None:
    (tree / "kb").mkdir()
    (tree / "kb" / "blob").write_text("x", encoding="utf-8")
    (tree / "a" / "kb").mkdir()
    (tree / "a" / "kb" / "mine.txt").write_text("x", encoding="utf-8")
    assert "kb/blob" in names(tree)
    found = names(tree, skip=tree / "kb")
    assert "kb/blob" not in found
    assert "a/kb/mine.txt" in found
    (tmp_path / "link").symlink_to(tree)
    through = discover([tmp_path / "link"], skip=tree / "kb")
    assert not [item for item in through if item.path.name == "blob"]


def test_the_knowledge_base_itself_is_refused(tree: Path) -> None:
    found = discover([tree / "a"], skip=tree / "a")
    assert [type(item.error) for item in found] == [Unsupported]
    assert "is the knowledge base itself" in str(found[0].error)


def test_what_lies_in_the_knowledge_base_is_refused(tree: Path) -> None:
    (tree / "kb" / "blobs").mkdir(parents=True)
    (tree / "kb" / "kb.sqlite3").write_text("x", encoding="utf-8")
    found = discover([tree / "kb" / "blobs", tree / "kb" / "kb.sqlite3"], skip=tree / "kb")
    assert [type(item.error) for item in found] == [Unsupported, Unsupported]
    assert "belongs to the knowledge base" in str(found[1].error)


def test_an_empty_name_is_not_the_working_folder(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree)
    found = discover(["", tree / "b.txt"])
    assert [type(item.error) for item in found] == [FileMissing, type(None)]
    assert "empty path" in str(found[0].error)


def test_what_is_no_file(tree: Path) -> None:
    (tree / "hole").mkdir()
    (tree / "hole" / "nested").mkdir()
    (tree / "dead").symlink_to(tree / "nothing")
    os.mkfifo(tree / "pipe")
    found = discover(
        [tree / n for n in ("hole", "dead", "pipe", "no\0ne", "missing.txt", "\ud800")]
    )
    assert [type(item.error) for item in found] == [
        FileMissing,
        FileMissing,
        Unsupported,
        FileMissing,
        FileMissing,
        FileMissing,
    ]
    texts = [str(item.error) for item in found]
    assert "holds no files" in texts[0]
    assert "link to something that does not exist" in texts[1]
    assert "regular files" in texts[2]
    assert "check the spelling" in texts[4]
    assert all(item.uri.startswith("file:///") for item in found)


def test_a_folder_that_may_not_be_read_is_reported(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.scandir

    def refuse(path: str | Path) -> object:
        if Path(path).name == "a":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr("chapterverse.ingest.discover.os.scandir", refuse)
    found = discover([tree])
    errors = [item for item in found if item.error]
    assert [(item.path.name, type(item.error)) for item in errors] == [("a", FileUnreadable)]
    assert [item.path.name for item in found] == ["10", "B.txt", "a", "b.txt"]
