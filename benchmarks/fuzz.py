"""Damaged documents of every format, read and written: ``python -m benchmarks.fuzz [--inputs N] [--seconds S] [FORMAT ...]``.

The samples of the tests are cut, spliced, doubled and changed bit by bit. A readable document gets marks and is read again, with equal
texts. A finding is any exception but a refusal, a document whose marks make it unreadable or change its texts, and an input
that takes longer than two seconds. It is saved, and printed with its seed: ``--seed SEED --first N --inputs 1 FORMAT`` makes it again.
"""

import argparse
import io
import random
import re
import signal
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.documents import FILE_FORMATS, QualityMark, file_format, read_file
from app.documents.document import joined
from app.errors import InputError
from app.settings import ROOT

SAMPLES = ROOT / "tests" / "documents" / "samples"
SLOWEST_SECONDS = 2.0
# An input is stopped after this time, which is a finding too.
STOPPED_SECONDS = 20
LONGEST = 60_000
SOURCES = ["casa este mare", "bună ziua"]
MARK = QualityMark(
    0.83, 0.17, 0.05, 0.9, "hter", "fraction of words", "lower is better", "ro-en-hter-blend-95", "top", ("numbers",)
)
WORDS: Sequence[bytes] = (
    b"<?a?>", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<", b">", b"/>", b"</", b"&amp;", b"&#0;", b"&#x4e00;", b"&lt;", b"<!DOCTYPE a>",
    b"<file>", b"</file>", b"<trans-unit>", b"</trans-unit>", b"<note>", b"<note/>", b"<notes/>", b"<target/>", b"<mrk mtype='seg'>", b"</mrk>",
    b"<unit>", b"<segment>", b"<tu>", b"<tuv>", b"<seg>", b"<prop>", b" xmlns:its='http://www.w3.org/2005/11/its'", b" its:mtConfidence='x'",
    b" xml:lang='de'", b" a=\" its:mtConfidence='1'\"", b" translate='no'", b"\n", b"\r", b"\r\n", b"\t", b" ", b"\0", b"\x85", b"\xff", b"\xef\xbb\xbf",
    b"\xff\xfe", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\xcc\x81", b"\xe2\x80\x8b", b'"', b"'", b'""', b"\\", b'\\"', b"{", b"}", b"[", b"]", b",", b";", b"|||",
    b" ||| ", b" ||| 0.5000", b"9" * 5000, b"-1", b"1e400", b"NaN", b"=1+1", b'msgid ""', b'msgstr ""', b"msgstr[0]", b"msgid_plural", b"#~ ", b"#. assay: ",
    b"#", b"source", b"translation", b"assay_quality\tassay_score\tassay_low\tassay_high\tassay_band\tassay_warnings", b'"assay": {}', b'{"source": "a"}',
    b"charset=utf-16", b"encoding='latin-1'", b"PK\x01\x02", b"PK\x05\x06", b"\xff\xff\xff\xff",
)  # fmt: skip


Change = Callable[[bytearray, random.Random, Sequence[bytes]], None]
ELEMENT = re.compile(rb"<([\w:.-]+)(?:\s[^<>]*)?(?:/>|>(?:[^<]|<(?!/?\1\b)){0,3000}</\1>)")
EDGE = re.compile(rb">")
START = re.compile(rb"<([\w:.-]+)(?=[\s/>])")
ATTRIBUTES = (
    b" a=\" its:mtConfidence='1'\"", b" a=' its:mtConfidence=\"1\"'", b" xmlns:its='http://www.w3.org/2005/11/its' its:mtConfidence='1'",
    b" xmlns:i='http://www.w3.org/2005/11/its' i:annotatorsRef='mt-confidence|x'", b" xmlns:its='urn:x'", b" mtype='seg' mid='1'", b" mid='0'",
    b" translate='no'", b" from='assay'", b" id='assay-1'", b" type='x-assay'", b" xml:lang='de'", b" xmlns=''", b" xmlns:n='urn:n'",
)  # fmt: skip


class StoppedError(Exception):
    """An input that took too long."""


@dataclass
class Count:
    """Numbers of inputs of a format by outcome, and the slowest in seconds."""

    inputs: int = 0
    refusals: int = 0
    read: int = 0
    slowest: float = 0.0
    findings: int = 0


def samples() -> dict[str, list[bytes]]:
    """The samples by format, and archives of them."""
    by_format: dict[str, list[bytes]] = {name: [] for name in FILE_FORMATS}
    for path in sorted(SAMPLES.iterdir()):
        raw = path.read_bytes()
        by_format[file_format(raw, path.name).name].append(raw)
    for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", compression) as archive:
            for name in ("omegat.tmx", "languages.tsv", "trados.sdlxliff"):
                archive.writestr(f"in/{name}", (SAMPLES / name).read_bytes())
        by_format["zip"].append(out.getvalue())
    return by_format


def flip_bits(raw: bytearray, chance: random.Random, samples: Sequence[bytes]) -> None:
    for _ in range(chance.choice((1, 1, 2, 8))):
        at = chance.randrange(len(raw))
        raw[at] ^= 1 << chance.randrange(8)


def insert_word(raw: bytearray, chance: random.Random, samples: Sequence[bytes]) -> None:
    at = chance.randrange(len(raw) + 1)
    raw[at : at + chance.choice((0, 0, 1, 5))] = chance.choice(WORDS) * chance.choice((1, 1, 1, 3, 100))


def double(raw: bytearray, chance: random.Random, samples: Sequence[bytes]) -> None:
    begin = chance.randrange(len(raw))
    end = min(len(raw), begin + chance.choice((1, 5, 40, 300, 3000)))
    piece = bytes(raw[begin:end])
    at = chance.choice((end, chance.randrange(len(raw) + 1)))
    raw[at:at] = piece * chance.choice((1, 1, 2, 10, 100))


def cut(raw: bytearray, chance: random.Random, samples: Sequence[bytes]) -> None:
    del raw[chance.randrange(len(raw)) :]


def delete_piece(raw: bytearray, chance: random.Random, samples: Sequence[bytes]) -> None:
    begin = chance.randrange(len(raw))
    del raw[begin : begin + chance.choice((1, 5, 40, 300))]


def splice(raw: bytearray, chance: random.Random, samples: Sequence[bytes]) -> None:
    donor = chance.choice(samples)
    begin = chance.randrange(len(donor))
    at = chance.randrange(len(raw) + 1)
    raw[at : at + chance.choice((0, 40, 3000))] = donor[begin : begin + chance.choice((5, 40, 300, 3000))]


def move_element(raw: bytearray, chance: random.Random, samples: Sequence[bytes]) -> None:
    """Move an element of this document or another to the edge of a tag: most such documents are well-formed."""
    donor = bytes(chance.choice((raw, chance.choice(samples))))
    elements = list(ELEMENT.finditer(donor))
    edges = [match.end() for match in EDGE.finditer(raw)]
    if elements and edges:
        element, at = chance.choice(elements), chance.choice(edges)
        raw[at:at] = element[0] * chance.choice((1, 1, 1, 2, 50))


def insert_attribute(raw: bytearray, chance: random.Random, samples: Sequence[bytes]) -> None:
    ends = [match.end(1) for match in START.finditer(raw)]
    if ends:
        at = chance.choice(ends)
        raw[at:at] = chance.choice(ATTRIBUTES)


IN_MARKUP: Sequence[Change] = (move_element, move_element, insert_attribute)
CHANGES: Sequence[Change] = (flip_bits, insert_word, insert_word, double, cut, delete_piece, splice)


def mutant(form: str, seed: str, by_format: Mapping[str, Sequence[bytes]]) -> bytes:
    """The input of a seed."""
    chance = random.Random(seed)
    raw = bytearray(chance.choice(by_format[form]))
    samples = by_format[form] if chance.random() < 0.8 else [sample for group in by_format.values() for sample in group]
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        if raw:
            gentle = b"<" in raw[:40] and chance.random() < 0.6
            chance.choice(IN_MARKUP if gentle else CHANGES)(raw, chance, samples)
    return bytes(raw[:LONGEST])


def archive_of_mutants(seed: str, by_format: Mapping[str, Sequence[bytes]]) -> bytes:
    """An archive of damaged documents; a damaged archive is seldom readable."""
    chance, out = random.Random(seed), io.BytesIO()
    with zipfile.ZipFile(out, "w", chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for number, name in enumerate(chance.sample(("a.x", "in/a", "a b", "ä"), chance.choice((1, 2, 3)))):
            form = chance.choice([form for form in by_format if form != "zip"])
            archive.writestr(name, mutant(form, f"{seed}-{number}", by_format))
    return out.getvalue()


def texts(raw: bytes) -> list[tuple[str, str]]:
    return [(unit.source, unit.translation) for unit in read_file(raw, "file", None, SOURCES).units]


def is_readable(raw: bytes) -> bool:
    """Return True if an input is readable, False if it is refused. Raise another error, a finding, otherwise."""
    try:
        document = read_file(raw, "file", None, SOURCES)
    except InputError:
        return False
    before = [(unit.source, unit.translation) for unit in document.units]
    try:
        after = texts(document.marked([MARK] * len(document.units)))
    except InputError as error:
        raise AssertionError(f"marks made it unreadable: {error}") from None
    if [tuple(map(joined, pair)) for pair in after] != before:
        raise AssertionError("marks changed its texts")
    return True


def stop(*_: object) -> None:
    raise StoppedError(f"stopped after {STOPPED_SECONDS} seconds")


def run(formats: Sequence[str], seed: str, first: int, inputs: int, seconds: float, folder: Path) -> dict[str, Count]:
    """Run inputs of all formats in turn, `inputs` of each or until the time is over."""
    by_format, counts = samples(), {form: Count() for form in formats}
    end = time.monotonic() + seconds
    for number in range(first, first + inputs):
        if time.monotonic() > end:
            break
        for form in formats:
            count, name = counts[form], f"{form}-{seed}-{number}"
            raw = archive_of_mutants(name, by_format) if form == "zip" and number % 3 else mutant(form, name, by_format)
            failure = ""
            signal.alarm(STOPPED_SECONDS)
            start = time.process_time()
            try:
                is_read = is_readable(raw)
                count.read += is_read
                count.refusals += not is_read
            except Exception as error:
                failure = f"{type(error).__name__}: {error}"[:300]
            signal.alarm(0)
            duration = time.process_time() - start
            count.inputs += 1
            count.slowest = max(count.slowest, duration)
            if duration > SLOWEST_SECONDS:
                failure = failure or f"took {duration:.1f} s"
            if failure:
                count.findings += 1
                folder.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(raw)
                print(f"{name}: {failure} ({folder / name})", flush=True)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=100_000, help="inputs of each format")
    parser.add_argument("--seconds", type=float, default=300.0, help="time for all inputs")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--findings", type=Path, default=Path(tempfile.gettempdir()) / "assay-fuzz", help="folder for findings")
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help=", ".join(FILE_FORMATS))
    options = parser.parse_args()
    unknown = set(options.formats) - set(FILE_FORMATS)
    if unknown:
        parser.error(f"no format is called {min(unknown)}; there are {', '.join(FILE_FORMATS)}")
    signal.signal(signal.SIGALRM, stop)
    counts = run(
        options.formats or list(FILE_FORMATS), options.seed, options.first, options.inputs, options.seconds, options.findings
    )
    print(f"{'format':12s} {'inputs':>9s} {'refused':>9s} {'read':>9s} {'slowest ms':>11s} {'findings':>9s}")
    for form, count in counts.items():
        print(f"{form:12s} {count.inputs:9d} {count.refusals:9d} {count.read:9d} {1000 * count.slowest:11.1f} {count.findings:9d}")
    sys.exit(any(count.findings for count in counts.values()))


if __name__ == "__main__":
    main()
