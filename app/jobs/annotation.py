"""The file that a quality job came in, with the job's scores in it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from app.documents import FILE_FORMATS, Mark, annotate_file
from app.errors import InputError
from app.store.jobs import JobStore
from app.store.view import JobView
from app.text import LanguagePair
from app.text.tables import decode_text, split_lines

__all__ = ["annotated_file"]

Json = dict[str, Any]
# Tables may have rows with an empty cell; they were scored, and carry no mark.
TABLES = ("tsv", "csv")


def annotated_file(store: JobStore, job: JobView) -> tuple[bytes, str, str]:
    """Content, name and media type. InputError where the job has no file, or scores of no segments."""
    about = job.params.get("file")
    raw = store.file(job.id, "file")
    if job.kind != "quality" or job.params.get("level") == "word" or about is None or raw is None:
        detail = "only a quality job of segments that came in a file can be written into it; ask for tsv, json or jsonl"
        raise InputError("invalid-request", detail, ("format",))
    form = FILE_FORMATS[about["format"]]
    sources = store.file(job.id, "source")
    pair = LanguagePair(job.params["source_language"], job.params["target_language"])
    rows = (row for output in store.outputs(job.id) for row in output["rows"])
    marks = list(_marks(rows, job.params, form.name in TABLES))
    lines = None if sources is None else split_lines(decode_text(sources, "source"))
    return annotate_file(raw, "file", marks, pair, lines), about["name"], form.media_type


def _marks(rows: Iterable[Mapping[str, Any]], params: Json, table: bool) -> Iterator[Mark]:
    for row in rows:
        if table and not (row["source"].strip() and row["translation"].strip()):
            continue
        low, high = row["interval"]
        yield Mark(
            row["confidence"],
            row["score"],
            low,
            high,
            params["label"],
            params["unit"],
            params["direction"],
            params["model"],
            row.get("band", ""),
            tuple(warning["code"] for warning in row.get("warnings", ())),
        )
