"""One writer at a time: a lock file held by the operating system, with its owner's name beside it.

The system frees the lock when its holder dies, however it dies, so a crash leaves nothing to
clean up by hand. The owner file is for messages and for people; it carries a heartbeat because
network file systems do not always free the locks of a lost machine.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import msgspec

from chapterverse.schema.database import now
from chapterverse.schema.errors import StoreError, StoreLocked

if TYPE_CHECKING:
    from filelock import FileLock

__all__ = ["Owner", "WriterLock"]


class Owner(msgspec.Struct, frozen=True):
    """Who holds the lock."""

    pid: int
    host: str
    since: str
    heartbeat: str


class WriterLock:
    """The right to write to one knowledge base; re-entrant within one instance."""

    def __init__(self, folder: Path) -> None:
        self._owner_file = folder / "writer.json"
        self._lock_file = folder / "writer.lock"
        self._since = ""

    @cached_property
    def _lock(self) -> FileLock:
        # A search takes no lock, and filelock brings asyncio.
        from filelock import FileLock

        return FileLock(self._lock_file, thread_local=False)

    def acquire(self) -> None:
        """Take the lock now.

        :raises StoreLocked: another process has it; the message names that process.
        """
        try:
            self._lock.acquire(timeout=0)
        except TimeoutError:
            raise StoreLocked(
                f"Another process is writing to this knowledge base ({self.describe()}). Searching "
                "works meanwhile; to write, wait until it has finished, or stop it."
            ) from None
        except OSError as error:
            raise StoreError(f"The lock file {self._lock_file} cannot be made: {error}") from error
        if self._lock.lock_counter == 1:
            self._since = now()
        self.beat()

    def beat(self) -> None:
        """Renew the heartbeat."""
        import socket

        owner = Owner(os.getpid(), socket.gethostname(), self._since, now())
        # For people only: a disk without room for it must not keep the lock from being freed.
        with suppress(OSError):
            self._owner_file.write_bytes(msgspec.json.encode(owner))

    def release(self) -> None:
        """Give the lock back."""
        if self._lock.lock_counter == 1:
            with suppress(OSError):
                self._owner_file.unlink()
        self._lock.release()

    def describe(self) -> str:
        """The owner in words."""
        owner = self.owner()
        if owner is None:
            return "its owner is not known"
        return (
            f"process {owner.pid} on {owner.host}, since {owner.since}, "
            f"last heard of {owner.heartbeat}"
        )

    def owner(self) -> Owner | None:
        """Who holds the lock, as far as the owner file tells."""
        try:
            return msgspec.json.decode(self._owner_file.read_bytes(), type=Owner)
        except (OSError, msgspec.DecodeError):
            return None

    def __enter__(self) -> WriterLock:
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
