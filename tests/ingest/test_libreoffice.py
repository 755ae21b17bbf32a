"""Files that LibreOffice converts, with a stand-in for it: what is asked, read and left behind."""

from __future__ import annotations

import datetime as dt
import io
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pptx
import pytest

from chapterverse.ingest import media_types as media
from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.pool import ParseJob, ParseOutcome, ParsePool
from chapterverse.ingest.readers import READERS, is_current, read
from chapterverse.schema.errors import Corrupt, Encrypted, Unsupported
from chapterverse.schema.parse_limits import ParseLimits
from tests.bases import open_base
from tests.ingest.every_format import small_files
from tests.ingest.office_files import fake_office, locked_doc, open_document
from tests.ingest.ole_files import ole_file

FILES = small_files()
ANSWERS = {"docx": FILES["letter.docx"], "pptx": FILES["deck.pptx"]}
DOC = ole_file({"WordDocument": b"x" * 600})
RTF = b"{\\rtf1 Oil the pump.}"
ODP = open_document("presentation")
SOURCES = {
    "a.doc": (DOC, media.DOC, media.DOCX),
    "a.rtf": (RTF, media.RTF, media.DOCX),
    "a.odt": (open_document("text"), media.ODT, media.DOCX),
    "a.ppt": (ole_file({"PowerPoint Document": b"x" * 600}), media.PPT, media.PPTX),
    "a.odp": (ODP, media.ODP, media.PPTX),
}
LIMITS = ParseLimits(base_seconds=120, processes=1, ocr_pages=0)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Puts the stand-in in place and gives the folder of what it saw."""

    def put(orders: str) -> Path:
        program = fake_office(tmp_path / "office", ANSWERS, orders)
        monkeypatch.setenv("CHAPTERVERSE_SOFFICE", str(program))
        return program.parent

    return put


def jobs(folder: Path, files: dict[str, bytes], password: str | None = None) -> Iterable[ParseJob]:
    for name, data in files.items():
        (folder / name).write_bytes(data)
        yield ParseJob(folder / name, name, password)


def parse_all(folder: Path, files: dict[str, bytes]) -> list[Any]:
    with ParsePool(LIMITS) as pool:
        return [o.parsed or o.error for o in pool.parse(jobs(folder, files))]


def seen(office: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (office / "seen.jsonl").read_text().splitlines()]


def wait_until(condition: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < give_up, "waited for a minute in vain"
        time.sleep(0.02)


def runs(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_every_format_is_read_as_what_it_was_converted_to(
    tmp_path: Path, temporary: Path, install: Callable[[str], Path]
) -> None:
    office = install("restart")
    read_files = parse_all(tmp_path, {name: data for name, (data, _, _) in SOURCES.items()})
    plain = {media.DOCX: "letter.docx", media.PPTX: "deck.pptx"}
    for parsed, (_, kind, converted) in zip(read_files, SOURCES.values(), strict=True):
        name = plain[converted]
        assert parsed.media_type == kind
        assert parsed.assets == read(FILES[name], ReadContext(name=name)).assets
        assert parsed.parser == READERS[kind].parser
        assert parsed.parser.endswith(f"+{READERS[converted].parser}")
        assert is_current(kind, parsed.parser, ocr=True)
        # Another version of either reader makes it read anew.
        for other in ("libreoffice/0", READERS[converted].parser):
            assert not is_current(kind, parsed.parser.replace("libreoffice/1", other), ocr=True)
    # A new profile has it ask to be started again.
    first, *asked = [bytes.fromhex(one["source"]) for one in seen(office)]
    assert first == asked[0]
    assert asked == [data for data, _, _ in SOURCES.values()]
    assert not list(temporary.iterdir())


def test_it_runs_alone_and_apart(
    tmp_path: Path, install: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "of the user")
    monkeypatch.setenv("https_proxy", "http://proxy.example")
    (asked,) = seen_after(tmp_path, install(""))
    assert "--headless" in asked["words"]
    assert {"SECRET", "https_proxy"}.isdisjoint(asked["environment"])
    home = asked["environment"]["HOME"]
    assert asked["words"][-1].startswith(home)
    assert f"-env:UserInstallation={Path(home).as_uri()}/profile" in asked["words"]
    settings = dict(re.findall(r'oor:name="(\w+)" oor:op="fuse"><value>(.*?)<', asked["profile"]))
    assert settings["DisableMacrosExecution"] == "true"
    assert settings["BlockUntrustedRefererLinks"] == "true"
    assert settings["ooInetProxyType"] == "1"
    assert re.search(r"^NoNewPrivs:\s*1$", asked["status"], re.M)
    apart = asked["network"] != os.readlink("/proc/self/ns/net")
    assert apart == may_leave_the_network()


def test_dates_of_the_conversion_are_not_those_of_the_file(
    tmp_path: Path, install: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "Pumps"
    deck.core_properties.created = dt.datetime(2001, 2, 3)
    deck.core_properties.modified = dt.datetime(2999, 1, 1)
    out = io.BytesIO()
    deck.save(out)
    monkeypatch.setitem(ANSWERS, "pptx", out.getvalue())
    install("")
    (parsed,) = parse_all(tmp_path, {"a.odp": ODP})
    assert parsed.properties["created"].startswith("2001-02-03")
    assert "modified" not in parsed.properties


def seen_after(folder: Path, office: Path) -> list[dict[str, Any]]:
    (parsed,) = parse_all(folder, {"a.odp": ODP})
    assert parsed.assets
    return seen(office)


def may_leave_the_network() -> bool:
    code = (
        "import ctypes, sys; leave = ctypes.CDLL(None).unshare; "
        "sys.exit(leave(0x50000000) != 0 and leave(0x40000000) != 0)"
    )
    return subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_what_it_cannot_convert_is_corrupt_and_says_its_reason(
    tmp_path: Path, install: Callable[[str], Path]
) -> None:
    for orders, reason in (
        ("print Error: source file could not be loaded\nexit 0", "(Error: source file could not"),
        ("exit 77", "(exit code 77)"),
    ):
        install(orders)
        (error,) = parse_all(tmp_path, {"a.odp": ODP})
        assert type(error) is Corrupt
        assert f"a.odp: LibreOffice cannot open the file {reason}" in str(error)
        assert "Impress" in str(error) and ".pptx" in str(error)


@pytest.mark.parametrize("name", SOURCES)
def test_without_it_the_message_says_what_to_install(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unsupported, match=rf"^{name}: .*apt install libreoffice-writer"):
        read(SOURCES[name][0], ReadContext(name=name))
    fake_office(tmp_path, ANSWERS)
    monkeypatch.setenv("CHAPTERVERSE_SOFFICE", "")
    with pytest.raises(Unsupported, match=rf"^{name}: .*CHAPTERVERSE_SOFFICE"):
        read(SOURCES[name][0], ReadContext(name=name))


def test_what_failed_without_it_is_read_once_it_is_there(
    tmp_path: Path, install: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder := tmp_path / "slides").mkdir()
    (folder / "a.odp").write_bytes(ODP)

    def ingest() -> tuple[str, str | None]:
        (item,) = kb.ingest(folder).items
        return item.status, item.code

    with open_base(tmp_path / "kb") as kb:
        monkeypatch.setenv("CHAPTERVERSE_SOFFICE", "")
        assert ingest() == ("failed", "unsupported")
        office = install("")
        assert ingest() == ("ingested", None)
        monkeypatch.setenv("CHAPTERVERSE_SOFFICE", "")
        assert ingest() == ("unchanged", None)
    assert len(seen(office)) == 1


def test_a_wrong_name_of_the_program_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAPTERVERSE_SOFFICE", str(tmp_path / "nothing"))
    (error,) = parse_all(tmp_path, {"a.odp": ODP})
    assert type(error) is Unsupported
    assert "nothing cannot be started (No such file" in str(error)


def test_a_named_file_that_is_no_program_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (text := tmp_path / "text").write_text("no program")
    text.chmod(0o755)
    monkeypatch.setenv("CHAPTERVERSE_SOFFICE", str(text))
    (error,) = parse_all(tmp_path, {"a.odp": ODP})
    assert type(error) is Unsupported
    assert "text cannot be started (" in str(error)


@pytest.mark.parametrize("name", ["soffice", "libreoffice"])
def test_it_is_found_on_the_path_and_run_without_its_script(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = fake_office(tmp_path / "program", ANSWERS, name="soffice.bin")
    script = program.with_name("soffice")
    script.write_text("#!/bin/sh\nexit 3\n")
    script.chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / name).symlink_to(script)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert len(seen_after(tmp_path, program.parent)) == 1


def test_old_word_files_with_a_password_are_converted_in_the_clear(
    tmp_path: Path, install: Callable[[str], Path]
) -> None:
    office = install("")
    files = {"a.doc": locked_doc(b"Oil the pump.", "sesame")}
    with ParsePool(LIMITS) as pool:
        (locked,) = pool.parse(jobs(tmp_path, files))
        (opened,) = pool.parse(jobs(tmp_path, files, "sesame"))
    assert type(locked.error) is Encrypted
    assert opened.parsed is not None and opened.parsed.media_type == media.DOC
    (asked,) = seen(office)
    assert b"Oil the pump." in bytes.fromhex(asked["source"])


def test_nothing_is_left_of_a_document_whose_process_died(
    tmp_path: Path, temporary: Path, install: Callable[[str], Path]
) -> None:
    asleep = install("orphan") / "asleep"
    with ParsePool(LIMITS) as pool:
        (outcome,) = pool.parse(jobs(tmp_path, {"a.odp": ODP}))
        assert outcome.error is not None and outcome.error.code == "crashed"
        number = int(asleep.read_text())
        wait_until(lambda: not runs(number))
        assert [list(folder.iterdir()) for folder in temporary.iterdir()] == [[]]


def test_it_ends_with_the_process_that_asked(
    tmp_path: Path, temporary: Path, install: Callable[[str], Path]
) -> None:
    asleep = install("sleep") / "asleep"
    pool = ParsePool(LIMITS)
    outcomes: list[ParseOutcome] = []

    def work() -> None:
        with pytest.raises(RuntimeError, match="closed"):
            outcomes.extend(pool.parse(jobs(tmp_path, {"a.odp": ODP})))

    thread = threading.Thread(target=work)
    thread.start()
    wait_until(lambda: asleep.exists() and asleep.read_text() != "")
    pool.close()
    thread.join()
    number = int(asleep.read_text())
    wait_until(lambda: not runs(number))
    assert not list(temporary.iterdir())
    assert outcomes == []


def test_it_dies_with_a_parsing_process_that_is_killed(
    tmp_path: Path, install: Callable[[str], Path]
) -> None:
    asleep = install("sleep") / "asleep"
    (tmp_path / "a.odp").write_bytes(ODP)
    code = (
        "from pathlib import Path\n"
        "from chapterverse.ingest.context import ReadContext\n"
        "from chapterverse.ingest.readers import read\n"
        "read(Path('a.odp').read_bytes(), ReadContext(name='a.odp'))\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path) as process:
        wait_until(lambda: asleep.exists() and asleep.read_text() != "")
        process.kill()
    number = int(asleep.read_text())
    wait_until(lambda: not runs(number))
