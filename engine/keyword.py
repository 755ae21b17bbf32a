"""What a keyword index must offer, and the records it takes.

Children and parents are indexed side by side and each level has document frequencies and lengths
of its own. Scores are BM25 with k1 = 1.2, b = 0.75 and the idf of Lucene,
``ln(1 + (N - n + 0.5) / (n + 0.5))`` (Robertson and Zaragoza 2009; always positive).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from chapterverse.engine.hits import Hits, Ids, Scores

__all__ = ["BM25_B", "BM25_K1", "MOST_TERMS", "KeywordDoc", "KeywordIndex", "query_terms"]

BM25_K1 = 1.2
BM25_B = 0.75
MOST_TERMS = 1024
"""Distinct terms of a query that count; those after are left out."""


@dataclass(frozen=True, slots=True)
class KeywordDoc:
    """A child or a parent: id, revision (*group*, the unit of deletion), analyzed text."""

    id: int
    group: int
    tokens: Sequence[str]


class KeywordIndex(Protocol):
    """One writer, many readers. Changes are seen after :meth:`commit` and :meth:`reload`.

    Opening a folder that is missing, half-written or damaged raises ``IndexDamaged``; a second
    writer raises ``StoreLocked``.
    """

    @property
    def applied(self) -> int:
        """The number given to the last :meth:`commit`; 0 for a new index."""

    def replace(
        self, group: int, children: Iterable[KeywordDoc], parents: Iterable[KeywordDoc]
    ) -> None:
        """Make *children* and *parents* all that the index holds of *group*."""

    def remove(self, group: int) -> None:
        """Take out all of *group*; nothing happens when there is none."""

    def commit(self, seq: int) -> None:
        """Make all changes durable, then remember *seq*, then show them to this process."""

    def search_children(self, tokens: Sequence[str], limit: int) -> Hits:
        """The *limit* best children that share a token; a repeated token counts that often."""

    def search_parents(self, tokens: Sequence[str], limit: int) -> Hits:
        """The *limit* best parents that share a token."""

    def score_children(self, tokens: Sequence[str], ids: Ids) -> Scores:
        """float32 ``[len(ids)]``; NaN where the child is unknown or shares no token."""

    def score_parents(self, tokens: Sequence[str], ids: Ids) -> Scores:
        """float32 ``[len(ids)]``; NaN where the parent is unknown or shares no token."""

    def count(self) -> tuple[int, int]:
        """Children and parents as of the last commit seen."""

    def reload(self) -> None:
        """See what another process committed."""

    def close(self) -> None:
        """Give up files and locks; changes not committed are lost."""


def query_terms(tokens: Iterable[str]) -> list[tuple[str, int]]:
    """Distinct tokens with their number, in order of first appearance, at most 1,024."""
    return list(islice(Counter(tokens).items(), MOST_TERMS))
