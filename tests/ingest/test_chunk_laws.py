"""The laws of chunking, for any document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapterverse.ingest.chunk import chunk
from chapterverse.schema.chunk_limits import ChunkLimits
from chapterverse.schema.records import (
    FURNITURE,
    Asset,
    AssetKind,
    Chunks,
    Parent,
    ParentKind,
    Parsed,
)
from tests.strategies import documents

Count = Callable[[Sequence[str]], list[int]]


def by_words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def by_characters(texts: Sequence[str]) -> list[int]:
    return [len(text) for text in texts]


def superadditive(texts: Sequence[str]) -> list[int]:
    """The whole holds more tokens than its parts, as no estimate would expect."""
    return [len(text) + len(text) // 7 for text in texts]


LIMITS = st.sampled_from(
    [
        ChunkLimits(),
        ChunkLimits(child_tokens=16, parent_tokens=32, merge_tokens=0, context_tokens=0),
        ChunkLimits(child_tokens=16, parent_tokens=40, merge_tokens=40, row_tokens=0),
        ChunkLimits(child_tokens=30, parent_tokens=120, merge_tokens=60, context_tokens=5),
    ]
)
COUNTERS = st.sampled_from([by_words, by_characters, superadditive])


def run(
    parsed: Parsed, limits: ChunkLimits, count: Count, place: tuple[str, ...] = ("d",)
) -> Chunks:
    return chunk(parsed, title="Handbook", place=place, limits=limits, count_tokens=count)


def owned(parent: Parent, parsed: Parsed) -> set[tuple[int, int]]:
    """(asset, offset) of every visible character in a parent."""
    return {
        (s.asset, at)
        for s in parent.segments
        for at in range(s.asset_start, s.asset_end)
        if not parsed.assets[s.asset].text[at].isspace()
    }


@settings(max_examples=60, deadline=None)
@given(documents(), LIMITS, COUNTERS)
def test_parents_are_rebuilt_from_their_assets(
    parsed: Parsed, limits: ChunkLimits, count: Count
) -> None:
    for parent in run(parsed, limits, count).parents:
        rest = list(parent.text)
        for s in parent.segments:
            assert (
                parent.text[s.start : s.end]
                == parsed.assets[s.asset].text[s.asset_start : s.asset_end]
            )
            rest[s.start : s.end] = " " * (s.end - s.start)
        assert not "".join(rest).strip()
        assert parent.text.strip()
        assert parent.tokens == count([parent.text])[0]


@settings(max_examples=60, deadline=None)
@given(documents(), LIMITS, COUNTERS)
def test_nothing_is_lost_and_only_table_heads_are_repeated(
    parsed: Parsed, limits: ChunkLimits, count: Count
) -> None:
    chunks = run(parsed, limits, count)
    seen = Counter(place for parent in chunks.parents for place in owned(parent, parsed))
    wanted = {
        (asset.ordinal, at)
        for asset in parsed.assets
        if asset.kind not in FURNITURE
        for at, char in enumerate(asset.text)
        if not char.isspace()
    }
    assert set(seen) == wanted
    floats = {AssetKind.TABLE, AssetKind.FIGURE}
    assert all(n == 1 or parsed.assets[a].kind in floats for (a, _), n in seen.items())


@settings(max_examples=60, deadline=None)
@given(documents(), LIMITS, COUNTERS)
def test_children_are_exact_slices_that_cover_their_parents(
    parsed: Parsed, limits: ChunkLimits, count: Count
) -> None:
    chunks = run(parsed, limits, count)
    parents = {parent.id: parent for parent in chunks.parents}
    covered: Counter[tuple[int, int]] = Counter()
    for child in chunks.children:
        parent = parents[child.parent_id]
        assert parent.text[child.start : child.end] == child.text
        assert child.text and child.text == child.text.strip()
        assert child.tokens == count([child.text])[0]
        for s in parent.segments:
            for at in range(max(s.start, child.start), min(s.end, child.end)):
                if not parent.text[at].isspace():
                    covered[s.asset, s.asset_start + at - s.start] += 1
    wanted = {place for parent in chunks.parents for place in owned(parent, parsed)}
    assert set(covered) == wanted
    assert set(covered.values()) <= {1}


@settings(max_examples=60, deadline=None)
@given(documents(), LIMITS, COUNTERS)
def test_limits_are_kept(parsed: Parsed, limits: ChunkLimits, count: Count) -> None:
    chunks = run(parsed, limits, count)
    for child in chunks.children:
        rows = child.kind is AssetKind.TABLE
        most = limits.long_row_tokens if rows else limits.child_tokens
        assert child.tokens <= most or len(child.text) == 1
    for parent in chunks.parents:
        if parent.kind is ParentKind.SECTION and parent.tokens > limits.parent_tokens:
            assert len(parent.text.strip()) == 1


@settings(max_examples=60, deadline=None)
@given(documents(), LIMITS, COUNTERS)
def test_reading_order(parsed: Parsed, limits: ChunkLimits, count: Count) -> None:
    chunks = run(parsed, limits, count)
    last = (-1, -1)
    for parent in chunks.parents:
        # A repeated head comes first and lies before the end of what came before.
        fresh = [s for s in parent.segments if (s.asset, s.asset_start) > last]
        assert fresh and fresh == list(parent.segments[-len(fresh) :])
        places = [(s.asset, s.asset_start) for s in fresh]
        assert places == sorted(places)
        last = (fresh[-1].asset, fresh[-1].asset_end - 1)
    order = {parent.id: parent.ordinal for parent in chunks.parents}
    keys = [(order[child.parent_id], child.start) for child in chunks.children]
    assert keys == sorted(keys) and len(set(keys)) == len(keys)
    assert [parent.ordinal for parent in chunks.parents] == list(range(len(chunks.parents)))
    assert [child.ordinal for child in chunks.children] == list(range(len(chunks.children)))


@settings(max_examples=60, deadline=None)
@given(documents(), LIMITS, COUNTERS)
def test_regions_follow_the_span(parsed: Parsed, limits: ChunkLimits, count: Count) -> None:
    chunks = run(parsed, limits, count)
    parents = {parent.id: parent for parent in chunks.parents}
    for child in chunks.children:
        boxed: set[int] = set()
        for r in child.regions:
            assert 0 <= r.start < r.end <= len(child.text)
            boxed.update(range(r.start, r.end))
            parent = parents[child.parent_id]
            at = child.start + r.start
            s = next(s for s in parent.segments if s.start <= at < s.end)
            place = s.asset_start + at - s.start
            asset = parsed.assets[s.asset]
            line = next(x for x in asset.regions if x.start <= place < x.end)
            assert asset.text[place : place + r.end - r.start] == child.text[r.start : r.end]
            assert place + r.end - r.start <= line.end
            assert (r.page, r.label, r.box, r.lines) == (
                line.page,
                line.label,
                line.box,
                line.lines,
            )
        assert all(i in boxed or char.isspace() for i, char in enumerate(child.text))
        pages = {r.page for r in child.regions if r.page is not None}
        assert child.pages == tuple(sorted(pages))
        assert pages <= set(parents[child.parent_id].pages)
    for parent in chunks.parents:
        assert list(parent.pages) == sorted(set(parent.pages))
        assert parent.page_labels == tuple(f"p{page}" for page in parent.pages)


@settings(max_examples=60, deadline=None)
@given(documents(), LIMITS, COUNTERS)
def test_same_input_same_chunks_and_other_place_other_ids(
    parsed: Parsed, limits: ChunkLimits, count: Count
) -> None:
    first, again, other = (run(parsed, limits, count, place) for place in [("d",), ("d",), ("e",)])
    assert first == again
    made = (first, other)
    ids = [p.id for c in made for p in c.parents] + [k.id for c in made for k in c.children]
    assert len(set(ids)) == len(ids)


@settings(max_examples=60, deadline=None)
@given(documents(), COUNTERS)
def test_words_of_a_child_are_indexed(parsed: Parsed, count: Count) -> None:
    for child in run(parsed, ChunkLimits(), count).children:
        words = child.text.replace("|", " ").split()
        assert all(word in child.index_text for word in words)


@settings(max_examples=100, deadline=None)
@given(documents(), LIMITS, COUNTERS)
def test_no_parent_ends_with_a_heading_whose_body_stands_on_the_same_page(
    parsed: Parsed, limits: ChunkLimits, count: Count
) -> None:
    chunks = run(parsed, limits, count)
    for parent, following in zip(chunks.parents, chunks.parents[1:], strict=False):
        heading = parsed.assets[parent.segments[-1].asset]
        if heading.kind is not AssetKind.HEADING:
            continue
        if parent.pages and following.pages and parent.pages[-1] != following.pages[0]:
            continue
        # Only where the heading and the least piece behind it do not fit together.
        first = next(c for c in chunks.children if c.parent_id == following.id)
        both = count([f"{heading.text}\n\n{first.text}"])[0]
        assert both > limits.parent_tokens / 3


@settings(max_examples=100, deadline=None)
@given(documents(), LIMITS, COUNTERS)
def test_a_heading_is_not_cited_with_the_text_of_another_page(
    parsed: Parsed, limits: ChunkLimits, count: Count
) -> None:
    chunks = run(parsed, limits, count)
    parents = {parent.id: parent for parent in chunks.parents}
    for child in chunks.children:
        held = [
            parsed.assets[s.asset]
            for s in parents[child.parent_id].segments
            if s.start < child.end and child.start < s.end
        ]
        kinds = {asset.kind for asset in held}
        if AssetKind.HEADING not in kinds or kinds <= {AssetKind.HEADING, AssetKind.TABLE}:
            continue
        lead = held[-1].regions[0].page if held[-1].regions else None
        heads = [a for a in held if a.kind is AssetKind.HEADING and a.regions]
        assert lead is None or all(a.regions[-1].page in (lead, None) for a in heads)


@pytest.mark.parametrize("count", [by_words, by_characters])
def test_few_calls_of_the_tokenizer(count: Count) -> None:
    calls = 0

    def counted(texts: Sequence[str]) -> list[int]:
        nonlocal calls
        calls += 1
        return count(texts)

    text = "This is a sentence of some length, with a clause. " * 400
    parsed = Parsed(
        "text/plain", "test/1", tuple(Asset(i, AssetKind.PARAGRAPH, text) for i in range(20))
    )
    run(parsed, ChunkLimits(), counted)
    assert calls <= 12
