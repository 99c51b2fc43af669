"""`assay annotate`: a document of translators with scores written into it."""

import sys
from pathlib import Path
from typing import Annotated

import httpx2
import typer
from assay_client import AssayError, Client

from app.answers import quality_rows
from app.documents import Document, Mark, read_file
from app.engine.segments import Options, QualityAnswer, Segments
from app.errors import InputError
from app.planning.bands import DEFAULT_BANDS
from app.resources.guessing import guess_pair
from app.shell.inputs import read_lines
from app.shell.output import say
from app.shell.serving import Server
from app.shell.session import engine_here, settings_here
from app.text import LanguagePair
from app.text.checking import check_segments

__all__ = ["register"]


def annotate(
    file: Annotated[Path, typer.Argument(help="XLIFF, TMX, PO, TSV, CSV, JSONL, n-best list, or a zip of several.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write; standard output otherwise.")] = None,
    pair: Annotated[str | None, typer.Option(help="Language pair, as ro-en; what the file or its words say otherwise.")] = None,
    source: Annotated[str | None, typer.Option(help="Sources of an n-best list, one a line.")] = None,
    model: Annotated[str | None, typer.Option(help="Model id; the best one otherwise.")] = None,
    label: Annotated[str | None, typer.Option(help="hter or da.")] = None,
    server: Server = None,
) -> None:
    """Write the quality of every segment into the file it came in; every other byte stays."""
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise InputError("invalid-request", f"{file}: {error.strerror or 'cannot be read'}") from None
    content = _asked(server, file, pair, source, model, label) if server else _here(raw, file.name, pair, source, model, label)
    if output is None:
        sys.stdout.buffer.write(content)
    else:
        output.write_bytes(content)


def _asked(server: str, file: Path, pair: str | None, source: str | None, model: str | None, label: str | None) -> bytes:
    """Let a server do it."""
    languages = LanguagePair.parse(pair) if pair else None
    params = {
        "source_language": languages and languages.source,
        "target_language": languages and languages.target,
        "model": model,
        "label": label,
        "warnings": True,
        "bands": [band.__dict__ for band in DEFAULT_BANDS],
    }
    with Client(server) as client:
        try:
            wanted = {name: value for name, value in params.items() if value is not None}
            job = client.submit_file(file, wanted, source=Path(source) if source else None)
            client.wait(job["id"])
            return client.result(job["id"], "annotated")
        except AssayError as error:
            raise InputError(error.code, str(error)) from None
        except httpx2.TransportError as error:
            raise InputError("invalid-request", f"{server} did not answer: {error}") from None


def _here(raw: bytes, name: str, pair: str | None, source: str | None, model: str | None, label: str | None) -> bytes:
    longest = settings_here().max_segment_characters
    wanted = LanguagePair.parse(pair) if pair else None
    sources = read_lines(source, longest) if source else None
    read = read_file(raw, name, wanted, sources)
    for unit in read.units:
        check_segments([unit.source, unit.translation], longest, (name, unit.line))
    engine = engine_here()
    texts = [unit.source for unit in read.units], [unit.translation for unit in read.units]
    languages = wanted or guess_pair(engine.resources, *texts, (read.source_language, read.target_language))
    if languages is None:
        loaded = ", ".join(map(str, engine.resources.pairs)) or "none"
        raise InputError("unknown-language-pair", f"give --pair; loaded pairs are {loaded}", ("pair",))
    answer = engine.quality(Segments(languages, *texts), model, label, Options(warnings=True, bands=DEFAULT_BANDS))
    say(f"{len(read.units)} segments of {languages} by {answer.model.card.id}{_left_out(read)}")
    return read.marked(_marks(answer))


def _left_out(read: Document) -> str:
    return f"; {read.skipped} without a translation" if read.skipped else ""


def _marks(answer: QualityAnswer) -> list[Mark]:
    card = answer.model.card
    marks = []
    for row in quality_rows(answer):
        low, high = row["interval"]
        codes = tuple(each["code"] for each in row["warnings"])
        about = card.label, card.unit, card.direction, card.id
        marks.append(Mark(row["confidence"], row["score"], low, high, *about, row["band"], codes))
    return marks


def register(program: typer.Typer) -> None:
    """Add the command."""
    program.command()(annotate)
