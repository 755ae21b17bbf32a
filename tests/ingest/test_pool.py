"""Documents that crash, hang or lie cost one outcome, never the batch or a process."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pypdfium2
import pytest

from chapterverse.ingest import worker_client
from chapterverse.ingest.pool import ParseJob, ParseOutcome, ParsePool
from chapterverse.schema.errors import (
    DocumentError,
    Empty,
    Encrypted,
    FileMissing,
    FileUnreadable,
    OutOfMemory,
    TimedOut,
    TooLarge,
    WorkerDied,
)
from chapterverse.schema.parse_limits import ParseLimits

HERE = Path(__file__).parent
READER = "fake_reader:read"
# Wide enough that a slow machine never meets it by accident.
WIDE = ParseLimits(base_seconds=120, memory_bytes=128 << 20, answer_bytes=1 << 20, processes=2)
HASTY = ParseLimits(base_seconds=0.3, seconds_per_page=0, processes=1)

MakeJob = Callable[..., ParseJob]


@pytest.fixture(scope="module", autouse=True)
def _reader_path() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(HERE)
        yield


@pytest.fixture(scope="module")
def pool(_reader_path: None) -> Iterator[ParsePool]:
    with ParsePool(WIDE, reader=READER) as pool:
        yield pool


@pytest.fixture
def job(tmp_path: Path) -> MakeJob:
    def make(text: str, name: str | None = None, password: str | None = None) -> ParseJob:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.txt"
        path.write_text(text)
        return ParseJob(path, name or text, password)

    return make


def one(pool: ParsePool, job: ParseJob) -> ParseOutcome:
    (outcome,) = pool.parse([job])
    assert outcome.job is job
    return outcome


def text_of(outcome: ParseOutcome) -> str:
    assert outcome.error is None and outcome.parsed is not None, outcome.error
    return outcome.parsed.assets[0].text


def error_of(outcome: ParseOutcome) -> DocumentError:
    assert outcome.parsed is None and outcome.error is not None
    return outcome.error


def workers_of(pid: int) -> list[int]:
    """Worker processes, and what they forked, that were started by the process *pid*."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except (OSError, ValueError):
            continue
        if entry.name.isdigit() and words[-3:] == [str(pid).encode(), b"fork", b""]:
            found.append(int(entry.name))
    return found


def parent_of(pid: int) -> int:
    stat = Path(f"/proc/{pid}/stat").read_text()
    return int(stat.rpartition(")")[2].split()[1])


def wait_until(condition: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < give_up, "waited for a minute in vain"
        time.sleep(0.02)


def test_record_arrives_whole_with_name_password_and_page_limit(
    pool: ParsePool, job: MakeJob
) -> None:
    outcome = one(pool, job("hello", "名 é.txt", "pässword\udce9"))
    assert text_of(outcome) == "名 é.txt|pässword\ufffd|2000|hello"
    assert outcome.parsed is not None
    region = outcome.parsed.assets[0].regions[0]
    assert region.box is not None and region.box.x1 == 0.3
    assert outcome.parsed.page_accuracy == "exact"
    assert outcome.seconds > 0


def test_names_and_paths_that_are_no_text_pass(pool: ParsePool, tmp_path: Path) -> None:
    path = tmp_path / "caf\udce9.txt"
    path.write_text("encrypted x")
    assert str(error_of(one(pool, ParseJob(path, path.name)))) == "x"
    missing = tmp_path / "no\udce9.txt"
    assert "no?.txt" in str(error_of(one(pool, ParseJob(missing, missing.name))))


@pytest.mark.parametrize(
    ("text", "kind", "part"),
    [
        ("surrogate", Encrypted, "caf?"),
        ("encrypted give a password", Encrypted, "give a password"),
        ("bug lost key", DocumentError, "KeyError: 'lost key'"),
        ("exit 7", DocumentError, "SystemExit: 7"),
        ("wrong", DocumentError, "not Parsed"),
        ("signal SIGSEGV", WorkerDied, "SIGSEGV"),
        ("signal SIGKILL", WorkerDied, "SIGKILL"),
        ("null", WorkerDied, "SIGSEGV"),
        ("abort terminate called", WorkerDied, "SIGABRT: terminate called"),
        ("abort std::bad_alloc", OutOfMemory, "std::bad_alloc"),
        ("allocate 10000000000", OutOfMemory, "134,217,728 bytes of memory"),
        ("fill 110000000", OutOfMemory, "134,217,728 bytes of memory"),
        ("many", OutOfMemory, "134,217,728 bytes of memory"),
        ("huge 2000000", TooLarge, "1,048,576 are allowed"),
        ("forge not a frame", WorkerDied, "cannot be read"),
        ("forge A\x7f\x7f\x7f\x7f", TooLarge, "1,048,576 bytes allowed"),
        ("forge A\x01\x00\x00\x00\x00", WorkerDied, "cannot be read"),
        ("forge F\x7f\x7f\x7f\x7f", TooLarge, "1,048,576 bytes allowed"),
    ],
)
def test_failure_is_typed_and_the_next_document_is_parsed(
    pool: ParsePool, job: MakeJob, text: str, kind: type[DocumentError], part: str
) -> None:
    failed, after = pool.parse([job(text, "bad"), job("fine", "good")])
    assert type(error_of(failed)) is kind
    assert part in str(failed.error)
    assert text_of(after).startswith("good|")


def test_crash_message_names_the_document(pool: ParsePool, job: MakeJob) -> None:
    assert str(error_of(one(pool, job("null", "a.pdf")))).startswith("a.pdf: ")


def test_prints_of_readers_do_not_reach_the_protocol(
    pool: ParsePool, job: MakeJob, capfd: pytest.CaptureFixture[str]
) -> None:
    assert text_of(one(pool, job("print"))) == "printed"
    assert capfd.readouterr() == ("", "")


def test_last_words_of_one_document_are_not_those_of_the_next(job: MakeJob) -> None:
    with ParsePool(ParseLimits(processes=1), reader=READER) as pool:
        first, second = pool.parse([job("abort std::bad_alloc"), job("signal SIGSEGV")])
    assert type(error_of(first)) is OutOfMemory
    assert type(error_of(second)) is WorkerDied and "bad_alloc" not in str(second.error)


def test_child_holds_no_pipe_but_its_own(pool: ParsePool, job: MakeJob) -> None:
    assert text_of(one(pool, job("pipes"))) == "1"


def test_child_cannot_fill_the_disk(pool: ParsePool, job: MakeJob, tmp_path: Path) -> None:
    target = tmp_path / "big"
    assert "File too large" in str(error_of(one(pool, job(f"write {target}"))))
    assert target.stat().st_size <= ParseLimits().max_bytes


def test_worker_is_single_threaded_and_light(pool: ParsePool, job: MakeJob) -> None:
    assert text_of(one(pool, job("world"))).split(maxsplit=1)[1] == "1 []"


def test_endless_document_is_stopped_and_named(job: MakeJob) -> None:
    with ParsePool(HASTY, reader=READER) as pool:
        error = error_of(one(pool, job("loop", "slow.pdf")))
        assert type(error) is TimedOut
        assert "slow.pdf" in str(error) and "0.3 seconds" in str(error)


def test_pages_add_time(job: MakeJob) -> None:
    limits = ParseLimits(base_seconds=1, seconds_per_page=120, processes=1)
    with ParsePool(limits, reader=READER) as pool:
        assert text_of(one(pool, job("sleep 1.5"))) == "slept 1.5"


def blank_pdf(pages: int) -> bytes:
    document = pypdfium2.PdfDocument.new()
    for _ in range(pages):
        document.new_page(100, 100).close()
    buffer = io.BytesIO()
    document.save(buffer)
    document.close()
    return buffer.getvalue()


def test_real_readers_are_loaded_before_the_fork_and_start_no_thread(tmp_path: Path) -> None:
    contents = {"a.txt": b"Hello.", "a.html": b"<p>Hello.</p>", "a.pdf": blank_pdf(1)}
    jobs = [ParseJob(tmp_path / name, name) for name in contents]
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    before = set(workers_of(os.getpid()))
    with ParsePool(ParseLimits(base_seconds=120, processes=1)) as pool:
        text, html, pdf = pool.parse(jobs)
        (worker,) = set(workers_of(os.getpid())) - before
        loaded = Path(f"/proc/{worker}/maps").read_text()
        threads = os.listdir(f"/proc/{worker}/task")
    assert (text_of(text), text_of(html), type(error_of(pdf))) == ("Hello.", "Hello.", Empty)
    assert "lxml" in loaded and "pdfium" in loaded and len(threads) == 1


def test_file_that_cannot_be_read_is_a_typed_failure(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(101))
    jobs = [ParseJob(tmp_path / name, name) for name in ("none", "", "large")]
    limits = ParseLimits(max_bytes=100, processes=1)
    with ParsePool(limits, reader=READER) as pool:
        kinds = [type(error_of(outcome)) for outcome in pool.parse(jobs)]
    assert kinds == [FileMissing, FileUnreadable, TooLarge]


def test_outcomes_keep_the_order_of_jobs_and_look_ahead_is_bounded(job: MakeJob) -> None:
    taken = []

    def jobs() -> Iterator[ParseJob]:
        for number in range(12):
            taken.append(number)
            yield job("sleep 0.2" if number == 0 else "quick", str(number))

    with ParsePool(WIDE, reader=READER) as pool:
        outcomes = pool.parse(jobs())
        first = next(outcomes)
        assert first.job.name == "0" and len(taken) <= 2 * WIDE.processes
        assert [outcome.job.name for outcome in outcomes] == [str(n) for n in range(1, 12)]


def test_worker_killed_while_idle_is_replaced_unnoticed(job: MakeJob) -> None:
    with ParsePool(ParseLimits(processes=1), reader=READER) as pool:
        first = int(text_of(one(pool, job("world"))).split()[0])
        os.kill(first, signal.SIGKILL)
        assert int(text_of(one(pool, job("world"))).split()[0]) != first


def test_worker_killed_at_work_fails_that_document_only(job: MakeJob) -> None:
    with ParsePool(ParseLimits(processes=1), reader=READER) as pool:
        failed, after = pool.parse([job("kill-parent"), job("fine", "good")])
        assert type(error_of(failed)) is WorkerDied and "SIGKILL" in str(failed.error)
        assert text_of(after).startswith("good|")
        wait_until(lambda: len(workers_of(os.getpid())) <= 1 + WIDE.processes)


def test_sixty_documents_leave_nothing_behind(job: MakeJob) -> None:
    texts = ["fine", "signal SIGSEGV", "grandchild", "bug x"] * 15
    descriptors = len(os.listdir("/proc/self/fd"))
    threads = threading.active_count()
    workers = set(workers_of(os.getpid()))
    with ParsePool(WIDE, reader=READER) as pool:
        outcomes = list(pool.parse([job(text) for text in texts]))
        pool_workers = set(workers_of(os.getpid())) - workers
        assert len(pool_workers) <= WIDE.processes, "a child was left"
    assert sum(outcome.error is None for outcome in outcomes) == 30
    assert set(workers_of(os.getpid())) <= workers
    assert len(os.listdir("/proc/self/fd")) <= descriptors
    # Cancelled alarms end on their own, a moment later.
    wait_until(lambda: threading.active_count() <= threads)


def test_jobs_one_by_one_share_one_worker(job: MakeJob) -> None:
    with ParsePool(WIDE, reader=READER) as pool:
        numbers = {text_of(one(pool, job("world"))).split()[0] for _ in range(6)}
    assert len(numbers) == 1


def test_close_stops_a_parse_that_runs(job: MakeJob) -> None:
    pool = ParsePool(WIDE, reader=READER)
    closer = threading.Timer(0.3, pool.close)
    closer.start()
    with pytest.raises(RuntimeError, match="closed"):
        list(pool.parse([job("loop")] * 3))
    closer.join()
    with pytest.raises(RuntimeError, match="closed"):
        list(pool.parse([job("fine")]))
    pool.close()


def test_pool_that_is_dropped_takes_its_workers_along(job: MakeJob) -> None:
    pool = ParsePool(WIDE, reader=READER)
    number = int(text_of(one(pool, job("world"))).split()[0])
    del pool
    wait_until(lambda: number not in workers_of(os.getpid()))


@pytest.mark.parametrize(
    ("text", "kind"), [("loop", TimedOut), ("null", WorkerDied), ("bug x", DocumentError)]
)
def test_without_fork_each_document_has_a_fresh_process(
    job: MakeJob, monkeypatch: pytest.MonkeyPatch, text: str, kind: type[DocumentError]
) -> None:
    monkeypatch.setattr(worker_client, "FORKS", False)
    limits = ParseLimits(base_seconds=0.5, seconds_per_page=0.5, processes=1)
    with ParsePool(limits, reader=READER) as pool:
        failed, printed = pool.parse([job(text), job("print")])
    assert type(error_of(failed)) is kind
    assert text_of(printed) == "printed"


SCRIPT = """
import sys
from pathlib import Path
from chapterverse.ingest.pool import ParseJob, ParsePool
from chapterverse.schema.parse_limits import ParseLimits

sys.path.insert(0, sys.argv[1])
jobs = [ParseJob(Path(path), path) for path in sys.argv[2:]]
limits = ParseLimits(base_seconds=600, processes=2)
with ParsePool(limits, reader="fake_reader:read") as pool:
    try:
        for outcome in pool.parse(jobs):
            print(outcome.error or outcome.parsed.assets[0].text, flush=True)
    except KeyboardInterrupt:
        print("interrupted")
"""


@contextmanager
def run_script(tmp_path: Path, jobs: list[ParseJob]) -> Iterator[subprocess.Popen[str]]:
    # No main guard, as scripts of users often have none.
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    (temporary := tmp_path / "temporary").mkdir()
    paths = {"PYTHONPATH": str(HERE.parents[1]), "TMPDIR": str(temporary)}
    process = subprocess.Popen(
        [sys.executable, "-Werror", str(script), str(HERE), *(str(job.path) for job in jobs)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=HERE.parents[1],
        env={**os.environ, "PYTHONWARNINGS": "error", **paths},
        start_new_session=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def test_script_without_main_guard_under_strict_warnings(tmp_path: Path, job: MakeJob) -> None:
    with run_script(tmp_path, [job("warn old"), job("print")]) as script:
        out, err = script.communicate()
    assert (out, err, script.returncode) == ("warned\nprinted\n", "", 0)


def test_nothing_survives_a_parent_killed_at_work(tmp_path: Path, job: MakeJob) -> None:
    folder = tmp_path / "temporary"
    with run_script(tmp_path, [job("leave"), job("grandchild"), job("leave")]) as script:
        wait_until(lambda: len(list(folder.glob("*/*/part"))) == 2)
        script.kill()
        script.wait()
        wait_until(lambda: not workers_of(script.pid))
    assert not list(folder.iterdir())


def test_children_die_with_their_worker_though_the_parent_is_suspended(
    tmp_path: Path, job: MakeJob
) -> None:
    with run_script(tmp_path, [job("loop"), job("loop")]) as script:
        wait_until(lambda: len(workers_of(script.pid)) >= 4)
        script.send_signal(signal.SIGSTOP)
        for pid in workers_of(script.pid):
            if parent_of(pid) == script.pid:
                os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not workers_of(script.pid))


def test_interrupt_ends_everything_without_a_word_from_workers(
    tmp_path: Path, job: MakeJob
) -> None:
    with run_script(tmp_path, [job("loop"), job("loop")]) as script:
        wait_until(lambda: len(workers_of(script.pid)) >= 4)
        os.killpg(script.pid, signal.SIGINT)
        out, err = script.communicate()
        assert (out, err, script.returncode) == ("interrupted\n", "", 0)
        assert not workers_of(script.pid)
