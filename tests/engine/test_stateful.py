"""Any sequence of writes, searches, crashes of indexes and rebuilds, against a plain dict."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from chapterverse import KnowledgeBase, TextSource
from tests.bases import all_ids, open_base

NAMES = st.sampled_from(["t:a", "t:b", "t:c"])
BODIES = st.sampled_from(
    [
        "The pump needs oil.",
        "The pump needs oil. 泵需要油。",
        "\n\n".join(f"Valve {n} closes line {n} of the plant." for n in range(12)),
    ]
)


class Bases(RuleBasedStateMachine):
    """A knowledge base and the dict that it should equal: URI to the marker in its text."""

    @initialize(keyword=st.sampled_from(["tantivy", "rank_bm25"]), limit=st.sampled_from([0, 99]))
    def start(self, keyword: str, limit: int) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.keyword = keyword
        self.limit = limit
        self.model: dict[str, str] = {}
        self.gone: set[str] = set()
        self.number = 0
        self.kb = self.opened()

    def opened(self) -> KnowledgeBase:
        return open_base(
            self.folder / "kb", keyword=self.keyword, exact_limit=self.limit, child_tokens=16
        )

    def text(self, body: str) -> tuple[str, str]:
        self.number += 1
        # One word of letters: the analyzer takes words of letters and digits apart.
        marker = "zq" + "".join(chr(ord("a") + int(digit)) for digit in f"{self.number:03}")
        return marker, f"{body}\n\nThe word is {marker}."

    def remember(self, uri: str, marker: str) -> None:
        if uri in self.model:
            self.gone.add(self.model[uri])
        self.model[uri] = marker

    @rule(uri=NAMES, body=BODIES)
    def put(self, uri: str, body: str) -> None:
        marker, text = self.text(body)
        expected = "replaced" if uri in self.model else "ingested"
        assert self.kb.ingest_text(text, uri).status == expected
        self.remember(uri, marker)

    @rule(bodies=st.lists(BODIES, min_size=2, max_size=4), data=st.data())
    def put_many(self, bodies: list[str], data: st.DataObject) -> None:
        sources = []
        for body in bodies:
            marker, text = self.text(body)
            uri = data.draw(NAMES)
            sources.append(TextSource(text, uri))
            self.remember(uri, marker)
        assert self.kb.ingest_texts(sources).failed == ()

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        uri = data.draw(st.sampled_from(sorted(self.model)))
        assert [d.uri for d in self.kb.delete(uri)] == [uri]
        self.gone.add(self.model.pop(uri))

    @rule()
    def reopen(self) -> None:
        self.kb.close()
        self.kb = self.opened()

    @rule(lost=st.sampled_from(["keyword", "vectors", "chroma", ""]))
    def lose_an_index(self, lost: str) -> None:
        self.kb.close()
        for generation in (self.folder / "kb" / "generations").glob("*"):
            shutil.rmtree(generation / lost if lost else generation, ignore_errors=True)
        self.kb = self.opened()

    @precondition(lambda self: self.number)
    @rule()
    def rebuild(self) -> None:
        self.kb.rebuild()

    @rule(uri=NAMES)
    def crash_between_database_and_indexes(self, uri: str) -> None:
        """What a kill leaves: the transaction is there, the indexes know nothing of it."""
        marker, text = self.text("The pump needs oil.")
        session = self.kb._session
        with session.writing():
            items = list(session.pipeline(lambda _: None).texts([TextSource(text, uri)]))
        assert [item.code for item in items] == [None]
        self.remember(uri, marker)
        self.reopen()

    @invariant()
    def documents_and_searches_agree_with_the_model(self) -> None:
        assert {d.uri for d in self.kb.documents()} == set(self.model)
        for uri, marker in self.model.items():
            for mode in ("keyword", "hybrid"):
                found = self.kb.search(marker, 1, mode=mode)
                assert [p.document.uri for p in found] == [uri]
                assert marker in found[0].text
        for marker in sorted(self.gone)[-2:]:
            assert self.kb.search(marker, mode="keyword") == ()
        found = self.kb.search("pump oil valve plant", 50)
        assert {p.document.uri for p in found} == set(self.model)
        ids = [p.parent_id for p in found]
        assert len(ids) == len(set(ids))

    def teardown(self) -> None:
        ids = all_ids(self.kb)
        assert ids["database"] == ids["vectors"] == ids["chroma"]
        assert ids["keyword"] == [len(ids["database"])]
        status = self.kb.status()
        assert (status.documents, status.lag) == (len(self.model), 0)
        blobs = [path for path in (self.folder / "kb" / "blobs").rglob("*") if path.is_file()]
        assert len(blobs) == len(self.model)
        self.kb.close()
        shutil.rmtree(self.folder)


def test_any_sequence_of_calls() -> None:
    run_state_machine_as_test(
        Bases,
        settings=settings(
            max_examples=8,
            stateful_step_count=10,
            deadline=None,
            derandomize=True,
            # Each step costs a transaction on disk: a failure is shown as it was found.
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
