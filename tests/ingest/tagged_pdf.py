"""A small tagged PDF written by hand: reportlab draws no structure."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["assembled", "tagged_pdf"]

Item = tuple[str, float, float, str]
"""Structure type, font size, height of the base line, text; ``|`` parts its lines."""


def tagged_pdf(pages: Sequence[Sequence[Item]], roles: dict[str, str] | None = None) -> bytes:
    """Pages with one structure element an item; the type ``Artifact`` marks no content.

    *roles* maps types of one's own to standard ones.
    """
    count = sum(item[0] != "Artifact" for page in pages for item in page)
    first = 5 + 2 * len(pages)
    kids = " ".join(f"{first + i} 0 R" for i in range(count))
    names = " ".join(f"/{own} /{standard}" for own, standard in (roles or {}).items())
    objects = {
        1: "<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >> /StructTreeRoot 3 0 R >>",
        2: f"<< /Type /Pages /Count {len(pages)} /Kids "
        f"[{' '.join(f'{5 + 2 * i} 0 R' for i in range(len(pages)))}] >>",
        4: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    }
    number, parents = first, []
    for index, page in enumerate(pages):
        at, stream, marks = 5 + 2 * index, "", 0
        elements: list[int] = []
        for kind, size, y, text in page:
            stream += (
                f"/{kind} << /MCID {marks} >> BDC\n" if kind != "Artifact" else "/Artifact BMC\n"
            )
            for line, part in enumerate(text.split("|")):
                stream += f"BT /F1 {size} Tf 60 {y - 1.2 * size * line} Td ({part}) Tj ET\n"
            stream += "EMC\n"
            if kind != "Artifact":
                objects[number] = (
                    f"<< /Type /StructElem /S /{kind} /P 3 0 R /Pg {at} 0 R /K {marks} >>"
                )
                elements.append(number)
                marks, number = marks + 1, number + 1
        objects[at] = (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 4 0 R"
            f" >> >> /Contents {at + 1} 0 R /StructParents {index} >>"
        )
        objects[at + 1] = f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream"
        parents.append(f"{index} [{' '.join(f'{e} 0 R' for e in elements)}]")
    objects[3] = (
        f"<< /Type /StructTreeRoot /K [{kids}] /RoleMap << {names} >>"
        f" /ParentTree << /Nums [{' '.join(parents)}] >> >>"
    )
    return assembled(objects)


def assembled(objects: dict[int, str]) -> bytes:
    """A file of these objects, the first of which is the catalogue."""
    out, offsets = b"%PDF-1.7\n", {}
    for number in sorted(objects):
        offsets[number] = len(out)
        out += f"{number} 0 obj\n{objects[number]}\nendobj\n".encode("latin-1")
    table = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{offsets[n]:010} 00000 n \n".encode() for n in sorted(objects))
    end = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"
    return out + end.encode()
