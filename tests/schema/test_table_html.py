"""Tables as HTML keep every cell, name their headers and never let text become markup."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from chapterverse.schema.records import Merge, Table
from chapterverse.schema.table_html import table_html


class Grid(HTMLParser):
    """Lays the cells of a table out as a browser does."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.rows: list[dict[int, str]] = []
        self.overlaps = 0
        self._reserved: dict[tuple[int, int], str] = {}
        self._open: tuple[int, int, int] | None = None
        self._text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        values = {name: value or "" for name, value in attrs}
        if tag == "tr":
            self.rows.append({})
        elif tag in ("td", "th"):
            column = 0
            while column in self.rows[-1] or (len(self.rows) - 1, column) in self._reserved:
                column += 1
            down, right = int(values.get("rowspan", 1)), int(values.get("colspan", 1))
            self._open = (column, down, right)
            self._text = ""

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._open:
            column, down, right = self._open
            row = len(self.rows) - 1
            for y in range(row, row + down):
                for x in range(column, column + right):
                    self.overlaps += (y, x) in self._reserved
                    self._reserved[y, x] = self._text
            self.rows[-1][column] = self._text

    @property
    def places(self) -> dict[tuple[int, int], str]:
        return self._reserved


def make(rows: list[list[str]], **options: object) -> Table:
    return Table(tuple(map(tuple, rows)), row_spans=(), **options)  # type: ignore[arg-type]


def test_header_body_caption_and_row_headers() -> None:
    table = make([["Part", "Load (t)"], ["Crane", "22"]], header_rows=1, row_headers=1)
    assert table_html(table, "Table 1: Loads").splitlines() == [
        "<table>",
        "<caption>Table 1: Loads</caption>",
        "<thead>",
        '<tr><th scope="col">Part</th><th scope="col">Load (t)</th></tr>',
        "</thead>",
        "<tbody>",
        '<tr><th scope="row">Crane</th><td>22</td></tr>',
        "</tbody>",
        "</table>",
    ]


def test_merged_cells_are_written_once() -> None:
    rows = [["", "2023", "2023"], ["", "May", "June"], ["Sum", "1", "2"], ["", "3", "4"]]
    merges = (Merge(0, 1, 1, 2), Merge(0, 0, 2, 1), Merge(2, 0, 2, 1))
    html = table_html(make(rows, header_rows=2, row_headers=1, merges=merges))
    assert '<td rowspan="2"></td><th scope="colgroup" colspan="2">2023</th></tr>' in html
    assert '<tr><th scope="col">May</th><th scope="col">June</th></tr>' in html
    assert '<tr><th scope="rowgroup" rowspan="2">Sum</th><td>1</td><td>2</td></tr>' in html
    assert "<tr><td>3</td><td>4</td></tr>" in html


def test_a_merge_does_not_cross_the_end_of_the_header() -> None:
    rows = [["Name", "A"], ["Name", "B"], ["Name", "1"], ["Name", "2"]]
    html = table_html(make(rows, header_rows=2, merges=(Merge(0, 0, 4, 1),)))
    assert '<th scope="col" rowspan="2">Name</th>' in html
    assert '<td rowspan="2">Name</td>' in html


def test_no_text_becomes_markup() -> None:
    bad = '<script>alert("1")</script>&'
    html = table_html(make([[bad, "b"], [bad, "c"]], header_rows=1, row_headers=1), bad)
    assert "<script" not in html
    assert html.count("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;") == 3


def test_an_empty_table() -> None:
    assert table_html(make([], header_rows=1)) == "<table>\n</table>"


@given(
    height=st.integers(1, 5),
    width=st.integers(1, 5),
    header=st.integers(0, 5),
    row_headers=st.integers(0, 3),
    merges=st.lists(
        st.builds(
            Merge, st.integers(-1, 6), st.integers(-1, 6), st.integers(0, 7), st.integers(0, 7)
        ),
        max_size=6,
    ),
)
def test_whatever_is_merged_every_place_is_filled_once(
    height: int, width: int, header: int, row_headers: int, merges: list[Merge]
) -> None:
    rows = [[f"r{y}c{x}" for x in range(width)] for y in range(height)]
    table = make(rows, header_rows=header, row_headers=row_headers, merges=tuple(merges))
    grid = Grid(table_html(table))
    assert grid.overlaps == 0
    assert set(grid.places) == {(y, x) for y in range(height) for x in range(width)}
    firsts = {(y, x): text for y, row in enumerate(grid.rows) for x, text in row.items()}
    assert all(text == rows[y][x] for (y, x), text in firsts.items())
