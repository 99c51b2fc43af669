"""The file that a quality job came in, with the job's scores in it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from app.documents import FILE_FORMATS, Mark, read_file
from app.errors import InputError
from app.store.jobs import JobStore
from app.store.view import JobView
from app.text import LanguagePair
from app.text.lines import TextFile

__all__ = ["annotated_file"]

Json = dict[str, Any]


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
    marks = list(_marks(rows, job.params))
    lines = None if sources is None else list(TextFile("source", sources).lines())
    return read_file(raw, "file", pair, lines).marked(marks), about["name"], form.media_type


def _marks(rows: Iterable[Mapping[str, Any]], params: Json) -> Iterator[Mark]:
    for row in rows:
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
