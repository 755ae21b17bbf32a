"""What a caller hands to the pipeline besides files, and what it hears while it waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from chapterverse.schema.wellformed import well_formed

__all__ = ["Labels", "Progress", "TextSource"]


@dataclass(frozen=True, slots=True)
class Labels:
    """What the user says about a document. ``None`` leaves what is stored.

    :raises TypeError: a tag, or a name or value in the metadata, is no string.
    """

    tags: Sequence[str] | None = None
    metadata: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        """Refuse what could be stored but not read again, and copy the rest."""
        tags, metadata = self.tags, self.metadata
        if tags is not None:
            listed = None if isinstance(tags, str) else tuple(tags)
            if listed is None or not all(isinstance(tag, str) for tag in listed):
                raise TypeError(f"tags are {tags!r}; they must be a list of strings.")
            object.__setattr__(self, "tags", tuple(sorted({well_formed(tag) for tag in listed})))
        if metadata is not None:
            pairs = dict(metadata)
            if not all(isinstance(part, str) for pair in pairs.items() for part in pair):
                raise TypeError(f"metadata is {pairs!r}; names and values must be strings.")
            clean = {well_formed(key): well_formed(value) for key, value in pairs.items()}
            object.__setattr__(self, "metadata", clean)


@dataclass(frozen=True, slots=True)
class TextSource:
    """A text to ingest under a URI of the caller's choice; without *title*, it names itself.

    :raises TypeError: the text, the URI or the title is no string.
    """

    text: str
    uri: str
    title: str | None = None
    media_type: str = "text/plain"
    labels: Labels = field(default_factory=Labels)

    def __post_init__(self) -> None:
        """Refuse what would stop a whole batch later."""
        for name, value in (("text", self.text), ("uri", self.uri), ("title", self.title or "")):
            if not isinstance(value, str):
                raise TypeError(f"{name} is a {type(value).__name__}; it must be a string.")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the current document is: ``done`` of ``total`` children have their vectors."""

    uri: str
    done: int
    total: int
