"""How large parents and children may be, in tokens of the embedder."""

from __future__ import annotations

from dataclasses import dataclass

from chapterverse.schema.errors import SettingsError

__all__ = ["CHUNKER_VERSION", "ChunkLimits"]

CHUNKER_VERSION = 1
"""Raised when the same document and limits give other chunks than before."""


# No slots: the class attributes are the defaults that the settings show.
@dataclass(frozen=True, kw_only=True)
class ChunkLimits:
    """Bounds of the chunker, in tokens (special tokens left out).

    ``child_tokens`` (16 to 500) and ``parent_tokens`` (32 to 20,000, above ``child_tokens``) are
    the largest child and parent. ``merge_tokens`` (0 to ``parent_tokens``) is the smallest parent
    worth having: smaller neighbours are merged, and a long section is cut at a page border once
    this much stands before it; 0 never merges. ``row_tokens`` (0 to ``child_tokens``, ``None``
    for the same) is how many tokens of consecutive table rows share a child; 0 gives each row its
    own. ``context_tokens`` (0 to 200) bounds the title and headings in front of an indexed text;
    0 leaves them out.

    :raises SettingsError: when a value is out of bounds or contradicts another.
    """

    child_tokens: int = 100
    parent_tokens: int = 600
    merge_tokens: int = 200
    row_tokens: int | None = None
    context_tokens: int = 60

    def __post_init__(self) -> None:
        _between("child_tokens", self.child_tokens, 16, 500)
        _between("parent_tokens", self.parent_tokens, 32, 20_000)
        if self.child_tokens >= self.parent_tokens:
            raise SettingsError(
                f"child_tokens is {self.child_tokens} and parent_tokens is {self.parent_tokens}; "
                "a child must be smaller than its parent: lower the first or raise the second."
            )
        if not 0 <= self.merge_tokens <= self.parent_tokens:
            raise SettingsError(
                f"merge_tokens is {self.merge_tokens} and parent_tokens is {self.parent_tokens}; "
                "merge_tokens must lie between 0 and parent_tokens."
            )
        if self.row_tokens is not None and not 0 <= self.row_tokens <= self.child_tokens:
            raise SettingsError(
                f"row_tokens is {self.row_tokens} and child_tokens is {self.child_tokens}; "
                "row_tokens must lie between 0 and child_tokens."
            )
        _between("context_tokens", self.context_tokens, 0, 200)

    @property
    def rows_tokens(self) -> int:
        """Tokens of consecutive table rows that share a child, never ``None``."""
        return self.child_tokens if self.row_tokens is None else self.row_tokens

    @property
    def long_row_tokens(self) -> int:
        """The longest table row that stays one child; a longer one is cut like a sentence."""
        # A cut row loses its column names, yet a model sees only its first 512 tokens or so.
        return 3 * self.child_tokens

    @property
    def tiny_tokens(self) -> int:
        """A parent below this is never left alone if anything near will take it."""
        return self.merge_tokens // 4

    def key(self) -> str:
        """Names the version and all values; equal keys give equal chunks. At most 100 characters.

        Part of a generation, so that chunks made under other limits are seen to be so.
        """
        return (
            f"chunks/{CHUNKER_VERSION} child={self.child_tokens} parent={self.parent_tokens} "
            f"merge={self.merge_tokens} rows={self.rows_tokens} context={self.context_tokens}"
        )

    @classmethod
    def from_key(cls, key: str) -> ChunkLimits:
        """The limits that gave *key*, whatever version of the chunker it names."""
        values = dict(part.split("=") for part in key.split()[1:])
        child, rows = int(values["child"]), int(values["rows"])
        return cls(
            child_tokens=child,
            parent_tokens=int(values["parent"]),
            merge_tokens=int(values["merge"]),
            row_tokens=None if rows == child else rows,
            context_tokens=int(values["context"]),
        )


def _between(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise SettingsError(
            f"{name} is {value}, but must lie between {least} and {most}; change this setting."
        )
