"""Invitations in mail (iCalendar, RFC 5545): their events as lines that people can read."""

from __future__ import annotations

import re

__all__ = ["calendar_text"]

_SHOWN = {
    "SUMMARY": "Summary",
    "DTSTART": "Start",
    "DTEND": "End",
    "DUE": "Due",
    "LOCATION": "Location",
    "ORGANIZER": "Organizer",
    "ATTENDEE": "Attendee",
    "DESCRIPTION": "Description",
}
_FOLD = re.compile(r"\r?\n[ \t]")
_FIELD = re.compile(r'([A-Z-]+)((?:;[A-Z-]+=(?:"[^"]*"|[^";:]*))*):(.*)', re.I)
_NAME = re.compile(r';CN=("[^"]*"|[^";:]*)', re.I)
_STAMP = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?")
_PARTS = ("VEVENT", "VTODO", "VJOURNAL")


def calendar_text(text: str) -> str:
    """One block of ``Name: value`` lines for each event or task in *text*."""
    blocks: list[list[str]] = []
    inside = 0
    for line in _FOLD.sub("", text).splitlines():
        field = _FIELD.match(line)
        if field is None:
            continue
        name, value = field[1].upper(), field[3].strip()
        if name in ("BEGIN", "END"):
            if value.upper() in _PARTS:
                inside = 1 if name == "BEGIN" else 0
                blocks += [[]] if name == "BEGIN" else []
            elif inside:  # an alarm within an event
                inside += 1 if name == "BEGIN" else -1
        elif inside == 1 and name in _SHOWN and value:
            blocks[-1].append(f"{_SHOWN[name]}: {_value(field[2], value)}")
    return "\n\n".join("\n".join(block) for block in blocks)


def _value(parameters: str, value: str) -> str:
    stamp = _STAMP.fullmatch(value)
    if stamp:
        year, month, day, hour, minute, _, utc = stamp.groups()
        time = f" {hour}:{minute}{' UTC' if utc else ''}" if hour else ""
        return f"{year}-{month}-{day}{time}"
    named = _NAME.search(parameters)
    value = re.sub(r"^mailto:", "", value, flags=re.I)
    if named:
        name = named[1].strip('"')
        return f"{name} <{value}>"
    return re.sub(r"\\([,;\\])", r"\1", value.replace("\\n", "\n").replace("\\N", "\n"))
