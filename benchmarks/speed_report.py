"""What every speed measurement returns, and the clocks it uses."""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Figure", "cpu_seconds", "peak_mib", "run_cpu"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number; ``target`` is the most it should be, where there is one."""

    what: str
    value: float
    unit: str
    target: float | None = None

    def line(self) -> str:
        """The figure as a row of the printed table."""
        aim = "" if self.target is None else f"at most {self.target:g}"
        met = "" if self.target is None else ("  ok" if self.value <= self.target else "  MISSED")
        return f"{self.what:<66} {self.value:>10.3f} {self.unit:<12} {aim}{met}"


def cpu_seconds() -> float:
    """Processor time of this process, all its threads, and its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def peak_mib() -> float:
    """The most memory this process has held, in MiB (Linux counts in KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run_cpu(command: Sequence[str]) -> tuple[float, float]:
    """Wall and processor seconds of a subprocess."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, spent
