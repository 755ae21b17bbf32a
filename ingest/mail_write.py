"""The neutral record of a mail as an internet message, for messages that lie in other formats."""

from __future__ import annotations

from email.message import EmailMessage
from email.policy import SMTP

from chapterverse.ingest.mail import Mail

__all__ = ["mail_bytes"]


def mail_bytes(mail: Mail) -> bytes:
    """*mail* as bytes of a message; equal mails give equal bytes."""
    message = EmailMessage(SMTP)
    plain = "\n\n".join(body.plain for body in mail.bodies if body.plain)
    html = next((body.html for body in mail.bodies if body.html), None)
    if plain or html is None:
        message.set_content(plain, cte="base64")
    if html is not None:
        if plain:
            message.add_alternative(html, subtype="html", cte="base64")
        else:
            message.set_content(html, subtype="html", cte="base64")
    for file in mail.files:
        message.add_attachment(
            file.data, "application", "octet-stream", filename=file.name, cid=_cid(file.links)
        )
    _set_boundaries(message)
    head = b"".join(
        f"{name}: {value}\r\n".encode() for name, value in mail.headers.items() if value
    )
    return head + message.as_bytes()


def _cid(links: tuple[str, ...]) -> str | None:
    named = next((link[4:] for link in links if link.startswith("cid:")), "")
    clean = "".join(char for char in named if char.isascii() and char.isprintable())
    return f"<{clean}>" if clean else None


def _set_boundaries(message: EmailMessage) -> None:
    # The library's own boundaries are random; an attachment is known by its bytes.
    for number, part in enumerate(message.walk()):
        if part.is_multipart():
            part.set_boundary(f"part-{number}-of-a-message-within-a-message")
