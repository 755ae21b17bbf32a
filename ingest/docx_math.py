"""Office mathematics (OMML) as one line of readable text: ``(a+b)/2``, ``x_i^2``, ``√(x)``.

The form is close to UnicodeMath, which Word itself shows as "linear"; element names are those of
ECMA-376 part 1, chapter 22.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

__all__ = ["linear_math"]

_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_ATOM = re.compile(r"[^\W_]+(?:\.\d+)?|\S")
_DEEPEST = 100


def linear_math(formula: Any) -> str:
    """The text of an ``m:oMath`` element."""
    return re.sub(r"\s+", " ", _children(formula, 0)).strip()


def _children(element: Any, depth: int) -> str:
    if depth > _DEEPEST:
        return "".join(text.text or "" for text in element.iter(f"{_M}t"))
    return "".join(_linear(child, depth + 1) for child in element)


def _linear(element: Any, depth: int) -> str:
    if element.tag in (f"{_M}t", f"{_W}t"):
        return str(element.text or "")
    if not isinstance(element.tag, str) or element.tag in (f"{_W}rPr", f"{_M}rPr", f"{_M}ctrlPr"):
        return ""
    maker = _MAKERS.get(element.tag.removeprefix(_M))
    return _children(element, depth) if maker is None else maker(element, depth)


def _part(element: Any, name: str, depth: int) -> str:
    found = element.find(f"{_M}{name}")
    return "" if found is None else _children(found, depth).strip()


def _property(element: Any, name: str) -> str | None:
    found = element.find(f"{_M}{element.tag.removeprefix(_M)}Pr/{_M}{name}")
    if found is None:
        return None
    return str(found.get(f"{_M}val", ""))


def _grouped(text: str) -> str:
    """*text* in parentheses, unless it is a single letter, number or name."""
    return text if _ATOM.fullmatch(text) else f"({text})"


def _fraction(element: Any, depth: int) -> str:
    above, below = _part(element, "num", depth), _part(element, "den", depth)
    if _property(element, "type") == "noBar":
        return f"({above}¦{below})"
    return f"{_grouped(above)}/{_grouped(below)}"


def _script(low: str, high: str) -> str:
    return (f"_{_grouped(low)}" if low else "") + (f"^{_grouped(high)}" if high else "")


def _scripts(element: Any, depth: int) -> str:
    script = _script(_part(element, "sub", depth), _part(element, "sup", depth))
    return _part(element, "e", depth) + script


def _before(element: Any, depth: int) -> str:
    script = _script(_part(element, "sub", depth), _part(element, "sup", depth))
    return script + _part(element, "e", depth)


def _root(element: Any, depth: int) -> str:
    degree = _part(element, "deg", depth)
    sign = {"": "√", "2": "√", "3": "∛", "4": "∜"}.get(degree)
    inside = _part(element, "e", depth)
    return f"{sign}({inside})" if sign else f"√({degree}&{inside})"


def _nary(element: Any, depth: int) -> str:
    sign = _property(element, "chr")
    script = _script(_part(element, "sub", depth), _part(element, "sup", depth))
    return f"{'∫' if sign is None else sign}{script} {_part(element, 'e', depth)}"


def _delimited(element: Any, depth: int) -> str:
    begin, end = _property(element, "begChr"), _property(element, "endChr")
    between = _property(element, "sepChr") or "|"
    inside = between.join(_children(e, depth).strip() for e in element.iterfind(f"{_M}e"))
    return f"{'(' if begin is None else begin}{inside}{')' if end is None else end}"


def _matrix(element: Any, depth: int) -> str:
    rows = (
        ", ".join(_children(e, depth).strip() for e in row.iterfind(f"{_M}e"))
        for row in element.iterfind(f"{_M}mr")
    )
    return f"[{'; '.join(rows)}]"


def _lines(element: Any, depth: int) -> str:
    return "; ".join(_children(e, depth).strip() for e in element.iterfind(f"{_M}e"))


def _function(element: Any, depth: int) -> str:
    name, argument = _part(element, "fName", depth), _part(element, "e", depth)
    return f"{name}{argument}" if argument.startswith("(") else f"{name} {argument}"


def _limit(element: Any, depth: int) -> str:
    mark = "_" if element.tag == f"{_M}limLow" else "^"
    return f"{_part(element, 'e', depth)}{mark}{_grouped(_part(element, 'lim', depth))}"


def _accent(element: Any, depth: int) -> str:
    sign = _property(element, "chr") or "\u0302"
    inside = _part(element, "e", depth)
    return f"{inside}{sign}" if len(inside) == 1 else f"({inside}){sign}"


def _bar(element: Any, depth: int) -> str:
    inside = _part(element, "e", depth)
    return f"{inside}\u0305" if len(inside) == 1 else f"({inside})\u0305"


_MAKERS: dict[str, Callable[[Any, int], str]] = {
    "f": _fraction,
    "sSub": _scripts,
    "sSup": _scripts,
    "sSubSup": _scripts,
    "sPre": _before,
    "rad": _root,
    "nary": _nary,
    "d": _delimited,
    "m": _matrix,
    "eqArr": _lines,
    "func": _function,
    "limLow": _limit,
    "limUpp": _limit,
    "acc": _accent,
    "bar": _bar,
}
