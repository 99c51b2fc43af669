"""`assay annotate`: a document of translators with scores written into it."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from app.documents.strings import string_format
from app.errors import InputError
from app.operations.annotate import ANNOTATION, annotate_document
from app.shell.declaration.files import check_file
from app.shell.declaration.glossaries import glossary_file_field
from app.shell.here import engine_here, limits_here
from app.shell.inputs import read_file_bytes, read_lines
from app.shell.languages import languages
from app.shell.options.documents import AnnotateOptions
from app.shell.output import counted, progress_bar, say, say_cautions
from app.shell.segments import say_reading
from app.shell.there import calling, job_progress
from app.text import LanguagePair

__all__ = ["annotate"]

# Codes of files that no format of documents reads.
FORMAT_ERRORS: Final = frozenset({"unknown-format", "invalid-document", "invalid-table"})


def annotate(options: AnnotateOptions) -> None:
    """Write the quality of every segment into the file it came in; every other byte stays."""
    if options.output is not None:
        check_file(options.output, "--output")
    if options.priority is not None and options.server is None:
        raise InputError("invalid-request", "only a server has other jobs; name one by --server", ("--priority",))
    glossary = glossary_file_field(options.glossary)
    try:
        content = _content(options, glossary)
    except InputError as error:
        raise _with_remedy(error, options.file) from None
    if options.output is None:
        sys.stdout.buffer.write(content)
    else:
        options.output.write_bytes(content)


def _with_remedy(error: InputError, file: Path) -> InputError:
    """The error; for a file of strings, which has no place for marks, with the command that reads it."""
    form = string_format(file.name)
    if form is None or error.code not in FORMAT_ERRORS:
        return error
    detail = f"{error.detail}. A file of strings ({form.title}) has no place for marks; `assay review` judges it beside its source"
    return InputError(error.code, detail, error.where)


def _content(options: AnnotateOptions, glossary: Any) -> bytes:
    """The annotated file, from a server or computed here."""
    if options.server:
        fields = {"model": options.model, "label": options.label, "profile": options.profile, "glossary": glossary}
        return _server_content(options.server, options.file, options.pair, options.source, options.header, fields, options.priority)
    return _local_content(
        options.file, options.pair, options.source, options.header, options.model, options.label, options.profile, glossary
    )


def _local_content(
    file: Path,
    pair: str | None,
    source: str | None,
    header: bool | None,
    model: str | None,
    label: str | None,
    profile: Literal["fast", "accurate"] | None,
    glossary: Any,
) -> bytes:
    language_pair = LanguagePair.parse(pair) if pair else None
    sources = read_lines(source) if source else None
    raw = read_file_bytes(str(file))
    content, summary = annotate_document(
        engine_here(), raw, file.name, limits_here(), language_pair, sources, model, label, header, profile, glossary
    )
    _say(summary["segments"], summary["pair"], summary["model"], summary["skipped"])
    say_cautions(summary)
    say_reading(summary["reading"])
    return content


def _server_content(
    server: str,
    file: Path,
    pair: str | None,
    source: str | None,
    header: bool | None,
    choices: Mapping[str, Any],
    priority: str | None,
) -> bytes:
    fields = {**(languages(pair) if pair else {}), **choices, **ANNOTATION}
    params = {name: value for name, value in fields.items() if value is not None}
    with calling(server) as client, progress_bar("annotate") as progress:
        job = client.submit_file(file, params, source=Path(source) if source else None, priority=priority, header=header)
        view: Any = client.wait(job["id"], on_progress=job_progress(progress))
        content = client.result(job["id"], "annotated")
    summary = view["summary"]
    pair_name = f"{summary['source_language']}-{summary['target_language']}"
    _say(summary["document"]["segments"], pair_name, summary["model"], view["params"]["file"]["skipped"])
    say_cautions(summary)
    say_reading(view["params"]["file"].get("reading"))
    return content


def _say(segments: int, pair: str, model: str, untranslated: int) -> None:
    remainder = f"; {untranslated} without a translation" if untranslated else ""
    say(f"{counted(segments, 'segment')} of {pair} by {model}{remainder}")
