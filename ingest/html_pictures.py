"""What becomes of the pictures of a page: those that no figure shows are counted."""

from __future__ import annotations

from collections import Counter
from typing import Any

from chapterverse.ingest.html_parts import FindPicture, is_hidden
from chapterverse.ingest.unshown import INSIDE, LOST, MEDIA
from chapterverse.schema.records import Picture

__all__ = ["PagePictures", "count_media"]

_MEDIA = ("svg", "canvas", "video", "audio", "iframe", "object", "embed")


class PagePictures:
    """A :data:`FindPicture` that knows how many of the images in *body* it did not give."""

    def __init__(self, body: Any, find_picture: FindPicture) -> None:
        self._find = find_picture
        self._images = sum(1 for _ in body.iter("img"))
        self._asked = self._lost = 0

    def __call__(self, source: str) -> Picture | None:
        """The picture that *source* leads to."""
        picture = self._find(source)
        self._asked += 1
        self._lost += picture is None
        return picture

    def unshown(self) -> Counter[str]:
        """Pictures that no figure shows, by reason, once all parts of the page were read."""
        return Counter({LOST: self._lost, INSIDE: max(0, self._images - self._asked)})


def count_media(root: Any) -> Counter[str]:
    """Drawings, films and framed pages that a browser would show, which are not read."""
    shown = (
        element
        for element in root.iter(*_MEDIA)
        if not is_hidden(element)
        and not any(is_hidden(e) or e.tag in _MEDIA for e in element.iterancestors())
    )
    return Counter({MEDIA: sum(1 for _ in shown)})
