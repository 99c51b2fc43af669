"""Jobs whose segments lie in files: a document, a table, lines of text side by side, or whatever else an operation reads.

If rows are independent, tables and lines of any length are read chunk by chunk while the job is stored, and never held in memory
at once. Documents are read whole, and kept so that scores can be written into them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice
from typing import Any, BinaryIO, Final, get_args

from app.documents import HEAD_BYTES, is_plain_table
from app.errors import InputError
from app.operations.operation import CHUNK_CHARACTERS, Json, Operation, Plan, Planning
from app.operations.parts.document_jobs import about_file, plan_document
from app.operations.parts.fields import in_loaded_languages
from app.operations.parts.languages import WhoSays, check_named, guess_languages, named_pair, who_says
from app.operations.parts.limits import RequestLimits, check_count
from app.resources.identification import order_of
from app.text.reading.checking import check_segments
from app.text.reading.columns import Order
from app.text.reading.decoder_files import DECODER_FILES, read_decoder_files
from app.text.reading.lines import TextFile
from app.text.reading.tables import TableStream, open_lines, open_table
from app.text.side_information import KINDS, SideInformation, kinds_in, kinds_of_files, read_side_information

__all__ = ["file_name", "plan_files", "read_segments"]

# Files that may lie beside the texts, and the column that each becomes.
BESIDE: Final = {role: kind.name for role, kind in kinds_of_files().items()}
# Columns that a table may have.
READ: Final = tuple(kind.name for kind in KINDS if kind.read is not None)
# A character has at most four bytes, a number of a log-probability a dozen.
BYTES_PER_CHARACTER: Final = 12
GUESS_ROWS: Final = 50
LONGEST_NAME: Final = 100
# Limits of a request are checked when it is built.
NO_LIMIT: Final = 2**62
TEXTS: Final = ("file", "source", "translation")
INPUT_REMEDY: Final = "send either file (a table), or source and translation (lines of text)"


def file_name(name: str | None) -> str:
    """A file's name without folders and what no name should have."""
    last = (name or "").replace("\\", "/").rpartition("/")[2]
    clean_name = "".join(c for c in last if c.isprintable() and c not in '<>:"|?*')[-LONGEST_NAME:].strip(". ")
    return clean_name or "document"


def plan_files(
    operation: Operation[Any, Any],
    planning: Planning,
    params: Json,
    files: Mapping[str, BinaryIO],
    names: Mapping[str, str],
    header: bool | None = None,
) -> Plan:
    """Plan a job of open files by their role; `names` are what people call them. They are read while the plan is carried out.

    `header` states whether the first row of a table is a heading, which else is told by what is in it.

    InputError, or pydantic's ValidationError for the parameters.
    """
    steps = operation.steps
    assert steps is not None
    if steps.from_files is not None:
        return steps.from_files(planning, params, files)
    if steps.from_document is not None and set(files) == {"file"}:
        return steps.from_document(planning, params, files["file"].read(), file_name(names.get("file")), header)
    if steps.stream is None:
        content = {role: file.read() for role, file in files.items()}
        fields = operation.read_files(content) if operation.read_files else read_segments(content, _segment_fields(operation))
        for name in params.keys() & {name for name, value in fields.items() if value}:
            raise InputError("invalid-job", "this came twice, as a file and as a parameter", ("params", name))
        request = in_loaded_languages(planning.engine, operation.request.model_validate({**params, **fields}))
        operation.check(request, planning.limits)
        return steps.split(planning, request)
    decoder_files = {role: file for role, file in files.items() if role in DECODER_FILES}
    files = {role: file for role, file in files.items() if role not in DECODER_FILES}
    if "file" in files and not _is_table(files["file"]):
        if decoder_files:
            detail = "files of a decoder go with a table or with lines of text, not with a document"
            raise InputError("invalid-job", detail, (min(decoder_files),))
        return plan_document(operation, planning, params, files, file_name(names.get("file")), header)
    beside = read_decoder_files({role: TextFile(role, file) for role, file in decoder_files.items()})
    return _plan_rows(operation, planning, params, files, file_name(names.get("file")), header, beside)


def _segment_fields(operation: Operation[Any, Any]) -> Set[str]:
    """Fields of the segments of an operation's request; other columns of a table are ignored."""
    (segment,) = get_args(operation.request.model_fields["segments"].annotation)
    return frozenset(segment.model_fields)


def _is_table(file: BinaryIO) -> bool:
    head = file.read(HEAD_BYTES)
    file.seek(0)
    return is_plain_table(head)


def _plan_rows(
    operation: Operation[Any, Any],
    planning: Planning,
    params: Json,
    files: Mapping[str, BinaryIO],
    name: str,
    header: bool | None,
    decoder: SideInformation,
) -> Plan:
    assert operation.steps is not None and operation.steps.stream is not None
    table = _open(files, planning.limits, header, order_of(named_pair(params)))
    origin: WhoSays = "given"
    if not {"source_language", "target_language"} & set(params):
        origin = who_says(None, table.languages)
        first = list(islice(table.select(["source", "translation"]), GUESS_ROWS))
        params = {**params, **_guessed(first, planning, table.languages)}
        for file in files.values():
            file.seek(0)
        table = _open(files, planning.limits, header, order_of(named_pair(params)))
    else:
        check_named(table.languages, named_pair(params))
    request = in_loaded_languages(planning.engine, operation.request.model_validate({**params, "segments": []}))
    columns = [column for column in READ if column in table.names]
    evidence = kinds_in(dict.fromkeys(columns, ())) | decoder.evidence
    parameters = {**operation.steps.stream(planning.engine, request, evidence), "languages": origin}
    files_of_job = {}
    if "file" in files:
        files_of_job = {"file": files["file"]}
        parameters = {**parameters, "file": about_file(name, "tsv", 0, table.reading)}
    rows = table.select(["source", "translation", *columns])
    return Plan(operation.name, parameters, _chunks(rows, columns, planning, decoder), files_of_job)


def _open(files: Mapping[str, BinaryIO], limits: RequestLimits, header: bool | None, order: Order | None) -> TableStream:
    """The table `file`, or the lines of `source` and `translation`, with the files beside them as columns."""
    longest = BYTES_PER_CHARACTER * 2 * limits.characters
    text_files = {role: TextFile(role, file, longest) for role, file in files.items()}
    beside = {column: text_files[role] for role, column in BESIDE.items() if role in text_files}
    texts = set(files) - set(BESIDE)
    if texts == {"file"}:
        return open_table(text_files["file"], beside, has_heading=header, order=order)
    if texts == {"source", "translation"}:
        return open_lines({"source": text_files["source"], "translation": text_files["translation"], **beside})
    raise _misnamed(files)


def _misnamed(roles: Iterable[str]) -> InputError:
    """Error of files that make no segments: a file of unknown role, or an incomplete group."""
    unknown = next((role for role in roles if role not in {*BESIDE, *TEXTS, *DECODER_FILES}), None)
    if unknown is None:
        return InputError("invalid-job", INPUT_REMEDY)
    fields = ", ".join((*TEXTS, *BESIDE, *DECODER_FILES))
    return InputError("invalid-job", f"there is no such field; files of a form are {fields}", (unknown,))


def _guessed(rows: Sequence[Sequence[str]], planning: Planning, languages: tuple[str | None, str | None]) -> Json:
    """The languages that headings name or the first rows look like; InputError where no loaded pair does."""
    for k, field in enumerate(("source", "translation")):
        check_segments([row[k] for row in rows], planning.limits.characters, ("segments",), field)
    pair = guess_languages(planning.engine, [row[0] for row in rows], [row[1] for row in rows], languages)
    return {"source_language": pair.source, "target_language": pair.target}


def _chunks(
    rows: Iterator[tuple[str, ...]], columns: Sequence[str], planning: Planning, decoder: SideInformation
) -> Iterator[tuple[int, Json]]:
    begin, longest = 0, planning.limits.characters
    decoded_count = max((len(column) for _, column in decoder.items()), default=0)
    for part in _parts(rows, planning.chunk_rows):
        check_count(begin + len(part), planning.limits.segments, ("segments",))
        sources, translations, *beside = (list(column) for column in zip(*part, strict=True))
        check_segments(sources, longest, ("segments",), "source", begin)
        check_segments(translations, longest, ("segments",), "translation", begin)
        side_information = read_side_information(dict(zip(columns, beside, strict=True)), longest, begin)
        end = begin + len(part)
        if decoder and end > decoded_count:
            raise _unequal(decoded_count, f"at least {end}")
        beside_texts = {**side_information.as_json(), **decoder.rows(slice(begin, end)).as_json()}
        yield len(part), {"sources": sources, "translations": translations, **beside_texts}
        begin = end
    if decoder and begin < decoded_count:
        raise _unequal(decoded_count, str(begin))


def _unequal(decoded_count: int, segments: str) -> InputError:
    return InputError(
        "unequal-lengths", f"the decoder's files are of {decoded_count} segments, but the texts of {segments}", ("segments",)
    )


def _parts(rows: Iterator[tuple[str, ...]], limit: int) -> Iterator[list[tuple[str, ...]]]:
    """Rows in chunks, cut as `cut` does."""
    part: list[tuple[str, ...]] = []
    characters = 0
    for row in rows:
        size = sum(map(len, row))
        if part and (len(part) >= limit or characters + size > CHUNK_CHARACTERS):
            yield part
            part, characters = [], 0
        part.append(row)
        characters += size
    if part:
        yield part


def read_segments(files: Mapping[str, bytes], fields: Set[str]) -> Json:
    """The field `segments` of a request: rows of `file`, or of `source` and `translation` side by side; labels are numbers.

    Columns that are not among the `fields` of a segment are passed over, whatever they hold.
    """
    text_files = {role: TextFile(role, raw) for role, raw in files.items()}
    decoder = read_decoder_files({role: text_files.pop(role) for role in DECODER_FILES if role in text_files}).as_json()
    beside = {column: text_files.pop(role) for role, column in BESIDE.items() if role in text_files}
    if set(text_files) == {"file"}:
        table = open_table(text_files["file"], beside).read()
    elif set(text_files) == {"source", "translation"}:
        table = open_lines({**text_files, **beside}).read()
    else:
        raise _misnamed(files)
    columns: dict[str, Sequence[Any]] = {name: table[name] for name in ("source", "translation")}
    columns |= {name: table[name] for name in {"task", "document", "tags", "source_tags"} & fields if name in table.columns}
    if {"task", "reference"} <= fields & set(table.columns):
        # References say something about the tasks of a source.
        columns["reference"] = table["reference"]
    if "label" in fields and "label" in table.columns:
        columns["label"] = table.numbers("label")
    beside_texts = read_side_information(table.columns, NO_LIMIT).as_json()
    columns |= {kind.request_field: beside_texts[kind.name] for kind in KINDS if kind.name in beside_texts}
    for name, column in decoder.items():
        if len(column) != len(table):
            raise _unequal(len(column), str(len(table)))
        columns[name] = column
    return {"segments": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]}
